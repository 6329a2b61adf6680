//! The counter has no sign, but the index that is made of it has (S4, class K01).

use snapring::Start;

use super::{Sequential, step};
use crate::{Answer, Op, Probe, note};

/// The type of the counter was mended, and the cast forgotten.
#[derive(Debug)]
pub struct CastIndex {
    list: Vec<Probe>,
    count: u64,
}

impl Sequential for CastIndex {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: members, count: start.count }
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op != Op::Next || self.list.is_empty() {
            return step(&mut self.list, op);
        }
        let remainder = self.count as i64 % self.list.len() as i64;
        note!("{} as i64 % {} is {remainder}", self.count, self.list.len());
        self.count = self.count.wrapping_add(1);
        let index = usize::try_from(remainder).expect("index out of bounds");
        Answer::Picked(Some(self.list[index]))
    }
}
