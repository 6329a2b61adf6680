//! Looking at the list takes a turn (class K08).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// A dashboard that looks once per request hides half of the backends.
#[derive(Debug)]
pub struct SnapshotTakesATurn(Ring);

impl Sequential for SnapshotTakesATurn {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op == Op::Snapshot {
            let pick = self.0.pick();
            note!("the turn of {pick:?} is gone");
        }
        self.0.step(op)
    }
}
