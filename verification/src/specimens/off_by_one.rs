//! Removal moves the cursor back, whether or not the one who left stood before it (class K11).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// Whoever was served last is served again.
#[derive(Debug)]
pub struct OffByOne(Ring);

impl Sequential for OffByOne {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let (Op::Deregister(id), ring) = (op, &mut self.0) else { return self.0.step(op) };
        let Some(at) = ring.position(*id) else { return Answer::Removed(None) };
        let removed = ring.members.remove(at);
        ring.due = ring.due.saturating_sub(1);
        note!("the cursor goes back to {}", ring.due);
        Answer::Removed(Some(removed))
    }
}
