//! Emptiness is checked before the lock, so the list may be empty after it (S5, class K18).

use snapring::Start;
use snapring::platform::{AtomicU64, Mutex, Platform};

use super::{Mistake, step, take};
use crate::{Answer, Op, Probe, note};

/// The error it gives speaks of arithmetic, not of backends.
#[derive(Debug)]
pub struct RemainderByZero<P: Platform> {
    list: P::Mutex<Vec<Probe>>,
    count: P::AtomicU64,
}

impl<P: Platform> Mistake for RemainderByZero<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: Mutex::new(members), count: AtomicU64::new(start.count) }
    }

    fn call(&self, op: &Op) -> Answer {
        if *op != Op::Next {
            return step(&mut self.list.lock(), op);
        }
        let empty = self.list.lock().is_empty();
        note!("is_empty() is {empty}");
        if empty {
            return Answer::Picked(None);
        }
        let list = self.list.lock();
        note!("the remainder by {}", list.len());
        let index = take::<P>(&self.count) as usize % list.len();
        Answer::Picked(Some(list[index]))
    }
}
