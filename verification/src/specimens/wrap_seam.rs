//! An unsigned counter that wraps: at the seam the same member twice, if n is no power of two (S4, class K01).

use snapring::Start;

use super::{Sequential, step};
use crate::{Answer, Op, Probe, note};

/// Nothing fails, and nobody notices.
#[derive(Debug)]
pub struct WrapSeam {
    list: Vec<Probe>,
    count: u8,
}

impl Sequential for WrapSeam {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: members, count: start.count as u8 }
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op != Op::Next || self.list.is_empty() {
            return step(&mut self.list, op);
        }
        let index = usize::from(self.count) % self.list.len();
        note!("{} % {} is {index}", self.count, self.list.len());
        self.count = self.count.wrapping_add(1);
        Answer::Picked(Some(self.list[index]))
    }
}
