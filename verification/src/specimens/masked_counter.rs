//! A mask in place of a remainder: right for powers of two (S4, class K01).

use snapring::Start;

use super::{Sequential, step};
use crate::{Answer, Op, Probe, note};

/// The mend of a counter that overflowed. Of three members one is never reached.
#[derive(Debug)]
pub struct MaskedCounter {
    list: Vec<Probe>,
    count: usize,
}

impl Sequential for MaskedCounter {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: members, count: start.count as usize }
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op != Op::Next || self.list.is_empty() {
            return step(&mut self.list, op);
        }
        let index = self.count & (self.list.len() - 1);
        note!("{} & {} is {index}", self.count, self.list.len() - 1);
        self.count = self.count.wrapping_add(1);
        Answer::Picked(Some(self.list[index]))
    }
}
