//! The index of who is next is kept across a removal, as it was (class K11).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// It may be somebody else now, or nobody.
#[derive(Debug)]
pub struct StoredIndex(Ring);

impl Sequential for StoredIndex {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let ring = &mut self.0;
        match op {
            Op::Deregister(id) => Answer::Removed(ring.position(*id).map(|at| ring.members.remove(at))),
            Op::Next if !ring.members.is_empty() => {
                note!("get({}) of {:?}", ring.due, ring.members);
                let pick = ring.members[ring.due];
                ring.due = (ring.due + 1) % ring.members.len();
                Answer::Picked(Some(pick))
            }
            _ => ring.step(op),
        }
    }
}
