//! The counter is advanced before it is used: the first is never the first (class K22).

use snapring::Start;

use super::{Sequential, step};
use crate::{Answer, Op, Probe, note};

/// Only the beginning is wrong.
#[derive(Debug)]
pub struct PreIncremented {
    list: Vec<Probe>,
    count: usize,
}

impl Sequential for PreIncremented {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: members, count: start.count as usize }
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op != Op::Next || self.list.is_empty() {
            return step(&mut self.list, op);
        }
        self.count = self.count.wrapping_add(1);
        let index = self.count % self.list.len();
        note!("{} % {} is {index}", self.count, self.list.len());
        Answer::Picked(Some(self.list[index]))
    }
}
