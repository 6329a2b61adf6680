//! The version that everybody writes first: `next` reads the size, then the element (S1, class K02).

use snapring::Start;
use snapring::platform::{AtomicU64, Platform, RwLock};

use super::{Mistake, step, take};
use crate::{Answer, Op, Probe, note};

/// Each access is locked; together they are not.
#[derive(Debug)]
pub struct TwoStepRead<P: Platform> {
    list: P::RwLock<Vec<Probe>>,
    count: P::AtomicU64,
}

impl<P: Platform> Mistake for TwoStepRead<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: RwLock::new(members), count: AtomicU64::new(start.count) }
    }

    fn call(&self, op: &Op) -> Answer {
        if *op != Op::Next {
            return step(&mut self.list.write(), op);
        }
        let n = self.list.read().len();
        note!("size() is {n}");
        if n == 0 {
            return Answer::Picked(None);
        }
        let index = take::<P>(&self.count) as usize % n;
        let list = self.list.read();
        note!("get({index}) of {:?}", *list);
        Answer::Picked(Some(list[index]))
    }
}
