//! Registering an equal member again begins the rotation anew (class K04).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// Heartbeats that register again send every request to the first.
#[derive(Debug)]
pub struct EqualResets(Ring);

impl Sequential for EqualResets {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let answer = self.0.step(op);
        if answer == Answer::Unchanged {
            note!("published again, from the first");
            self.0.due = 0;
        }
        answer
    }
}
