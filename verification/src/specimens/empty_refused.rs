//! An empty list is taken for a mistake of the sender, and the old one stays (class K19).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// Well meant: who has really gone is served for ever.
#[derive(Debug)]
pub struct EmptyRefused(Ring);

impl Sequential for EmptyRefused {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let before = self.0.clone();
        let answer = self.0.step(op);
        if *op == Op::ReplaceAll(Vec::new()) {
            note!("nobody: it cannot be");
            self.0 = before;
        }
        answer
    }
}
