//! The last member moves into the gap that one leaves, so the order changes (class K11).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// Removal in constant time; the one that moved is served out of turn.
#[derive(Debug)]
pub struct SwapRemove(Ring);

impl Sequential for SwapRemove {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let (Op::Deregister(id), ring) = (op, &mut self.0) else { return self.0.step(op) };
        let Some(at) = ring.position(*id) else { return Answer::Removed(None) };
        let removed = ring.members.swap_remove(at);
        note!("swap_remove({at}) leaves {:?}", ring.members);
        ring.due = ring.due.checked_rem(ring.members.len()).unwrap_or(0);
        Answer::Removed(Some(removed))
    }
}
