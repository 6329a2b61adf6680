//! The absolute value of the least number is negative (S4, class K01).

use snapring::Start;

use super::{Sequential, step};
use crate::{Answer, Op, Probe, note};

/// One pick in 2⁶⁴ fails.
#[derive(Debug)]
pub struct AbsoluteOfMinimum {
    list: Vec<Probe>,
    count: i64,
}

impl Sequential for AbsoluteOfMinimum {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: members, count: start.count as i64 }
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op != Op::Next || self.list.is_empty() {
            return step(&mut self.list, op);
        }
        let remainder = self.count.wrapping_abs() % self.list.len() as i64;
        note!("abs({}) % {} is {remainder}", self.count, self.list.len());
        self.count = self.count.wrapping_add(1);
        let index = usize::try_from(remainder).expect("index out of bounds");
        Answer::Picked(Some(self.list[index]))
    }
}
