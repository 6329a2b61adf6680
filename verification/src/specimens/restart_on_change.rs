//! Every change builds a new rotation, which begins at the first member (class K03).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// During a rolling update the first ones get most of the requests.
#[derive(Debug)]
pub struct RestartOnChange(Ring);

impl Sequential for RestartOnChange {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let answer = self.0.step(op);
        if matches!(op, Op::Register(_) | Op::Deregister(_) | Op::ReplaceAll(_)) {
            note!("a new rotation, from the first");
            self.0.due = 0;
        }
        answer
    }
}
