//! A signed counter: after 2³¹ picks it is negative, and so is the remainder (S4, class K01).

use snapring::Start;

use super::{Sequential, step};
use crate::{Answer, Op, Probe, note};

/// Right for twelve days at two thousand picks a second.
#[derive(Debug)]
pub struct SignedCounter {
    list: Vec<Probe>,
    count: i32,
}

impl Sequential for SignedCounter {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: members, count: start.count as i32 }
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op != Op::Next || self.list.is_empty() {
            return step(&mut self.list, op);
        }
        let remainder = self.count % self.list.len() as i32;
        note!("{} % {} is {remainder}", self.count, self.list.len());
        self.count = self.count.wrapping_add(1);
        let index = usize::try_from(remainder).expect("index out of bounds");
        Answer::Picked(Some(self.list[index]))
    }
}
