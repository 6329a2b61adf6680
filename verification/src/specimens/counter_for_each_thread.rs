//! Each thread has a counter of its own: even for each, and uneven in total (class K26).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use crate::rule;
use crate::{Probe, Rule, Subject, note};

/// No thread waits for another, and all of them begin with the first.
#[derive(Debug)]
pub struct CounterForEachThread<P: Platform>(P::Mutex<Vec<Probe>>);

impl<P: Platform> CounterForEachThread<P> {
    /// Of these members.
    pub fn new(members: Vec<Probe>, _start: Start) -> Self {
        Self(Mutex::new(members))
    }
}

impl<P: Platform> Subject for CounterForEachThread<P> {
    /// How many picks this thread has made.
    type Local = usize;
    const RULE: Rule = Rule::AtTheEnd(rule::even_shares);

    fn local(&self) -> usize {
        0
    }

    fn next(&self, count: &mut usize) -> Option<Probe> {
        let list = self.0.lock();
        note!("its own count is {count}");
        let pick = list.get(count.checked_rem(list.len())?).copied();
        *count += 1;
        pick
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.0.lock().clone()
    }
}
