//! A generator of random numbers is shared without a lock; after a race it is zero for ever (S10, class K23).

use std::sync::atomic::Ordering::Relaxed;

use snapring::Start;
use snapring::platform::{AtomicU64, Mutex, Platform};

use super::{Mistake, step};
use crate::rule;
use crate::{Answer, Op, Probe, Rule, note};

/// Each number is the difference of two seeds. When both indices point to one seed, all is over.
#[derive(Debug)]
pub struct CorruptedGenerator<P: Platform> {
    list: P::Mutex<Vec<Probe>>,
    seeds: [P::AtomicU64; 2],
    at: [P::AtomicU64; 2],
}

impl<P: Platform> CorruptedGenerator<P> {
    fn number(&self) -> u64 {
        let [one, other] = &self.at;
        let (at, minus) = (one.load(Relaxed), other.load(Relaxed));
        note!("seed {at} minus seed {minus}");
        let seed = |at: u64| &self.seeds[at as usize];
        let number = seed(at).load(Relaxed).wrapping_sub(seed(minus).load(Relaxed));
        seed(at).store(number, Relaxed);
        one.store(1 - at, Relaxed);
        other.store(1 - other.load(Relaxed), Relaxed);
        number
    }
}

impl<P: Platform> Mistake for CorruptedGenerator<P> {
    const RULE: Rule = Rule::AtTheEnd(rule::still_varies);

    fn new(members: Vec<Probe>, _start: Start) -> Self {
        let (seeds, at) = ([5, 3].map(AtomicU64::new), [0, 1].map(AtomicU64::new));
        Self { list: Mutex::new(members), seeds, at }
    }

    fn call(&self, op: &Op) -> Answer {
        let mut list = self.list.lock().clone();
        if *op != Op::Next || list.is_empty() {
            return step(&mut list, op);
        }
        let number = self.number();
        Answer::Picked(Some(list[number as usize % list.len()]))
    }
}
