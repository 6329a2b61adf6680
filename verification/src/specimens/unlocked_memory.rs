//! A memory of who was used, without a lock around reading and writing it (S10, class K24).

use std::collections::BTreeSet;

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::{Mistake, step};
use crate::{Answer, Op, Probe, Rule, note};

/// Right as long as there is one of it for each thread.
#[derive(Debug)]
pub struct UnlockedMemory<P: Platform> {
    list: P::Mutex<Vec<Probe>>,
    used: P::Mutex<BTreeSet<u8>>,
}

impl<P: Platform> Mistake for UnlockedMemory<P> {
    const RULE: Rule = Rule::Bag;

    fn new(members: Vec<Probe>, _start: Start) -> Self {
        Self { list: Mutex::new(members), used: Mutex::new(BTreeSet::new()) }
    }

    fn call(&self, op: &Op) -> Answer {
        let mut list = self.list.lock().clone();
        if *op != Op::Next {
            return step(&mut list, op);
        }
        if list.iter().all(|member| self.used.lock().contains(&member.id)) {
            self.used.lock().clear();
        }
        let pick = {
            let used = self.used.lock();
            note!("used are {:?}", *used);
            list.iter().find(|member| !used.contains(&member.id)).copied()
        };
        self.used.lock().extend(pick.map(|pick| pick.id));
        Answer::Picked(pick)
    }
}
