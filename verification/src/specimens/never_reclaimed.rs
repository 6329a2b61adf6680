//! Replaced lists are put aside and never freed, since nobody does it when nobody is left to wait for (class K31).

use snapring::Start;

use super::Sequential;
use crate::rule;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, Rule, note};

/// Each change leaves garbage, until the process is killed.
#[derive(Debug)]
pub struct NeverReclaimed {
    ring: Ring,
    garbage: Vec<Ring>,
}

impl Sequential for NeverReclaimed {
    const RULE: Rule = Rule::AtTheEnd(rule::bounded);

    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { ring: Ring::new(members, start), garbage: Vec::new() }
    }

    fn step(&mut self, op: &Op) -> Answer {
        match op {
            Op::Own(_) => return Answer::Count(self.garbage.len() as u64),
            Op::Next | Op::Snapshot => {}
            _ => self.garbage.push(self.ring.clone()),
        }
        note!("{} lists are put aside", self.garbage.len());
        self.ring.step(op)
    }
}
