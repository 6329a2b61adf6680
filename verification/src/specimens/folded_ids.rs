//! Ids are folded where they are looked up, and not where they are stored (class K17).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// What was registered in upper case is never found again. Here, odd ids are the upper case of the even ones below them.
#[derive(Debug)]
pub struct FoldedIds(Ring);

impl Sequential for FoldedIds {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let Op::Deregister(id) = op else { return self.0.step(op) };
        let folded = id & !1;
        note!("{id} is looked up as {folded}");
        self.0.step(&Op::Deregister(folded))
    }
}
