//! A retry takes the next turn, which somebody else's calls may have moved to the one that failed (class K09).

use snapring::Start;

use super::Sequential;
use crate::rule;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, Rule, note};

/// Nothing tells it who has failed.
#[derive(Debug)]
pub struct RetrySame(Ring);

impl Sequential for RetrySame {
    const RULE: Rule = Rule::Own(rule::never_twice_running);

    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        if let Op::Own(_) = op {
            note!("it failed: whoever is next");
            return self.0.step(&Op::Next);
        }
        self.0.step(op)
    }
}
