//! A registration is withdrawn by its id, though somebody else holds it by now (class K14).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// The instance that shuts down takes its successor with it.
#[derive(Debug)]
pub struct LateRemoval(Ring);

impl Sequential for LateRemoval {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let Op::Revoke(member) = op else { return self.0.step(op) };
        note!("whoever has id {}, out of {:?}", member.id, self.0.members);
        self.0.step(&Op::Deregister(member.id))
    }
}
