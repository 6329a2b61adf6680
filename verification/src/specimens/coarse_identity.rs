//! Two members are taken for one, since only a part of their ids is compared (class K13).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// The host without the port: one instance for each machine survives.
#[derive(Debug)]
pub struct CoarseIdentity(Ring);

impl Sequential for CoarseIdentity {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let Op::Register(member) = op else { return self.0.step(op) };
        match self.0.members.iter_mut().find(|other| other.id % 10 == member.id % 10) {
            Some(other) if other.id != member.id => {
                note!("{member:?} is taken for {other:?}");
                Answer::Replaced(std::mem::replace(other, *member))
            }
            _ => self.0.step(op),
        }
    }
}
