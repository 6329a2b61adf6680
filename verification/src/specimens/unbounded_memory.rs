//! Statistics of every member that ever was (class K27).

use std::collections::BTreeMap;

use snapring::Start;

use super::Sequential;
use crate::rule;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, Rule, note};

/// It grows with each deployment, until the process is killed.
#[derive(Debug)]
pub struct UnboundedMemory {
    ring: Ring,
    served: BTreeMap<u8, u64>,
}

impl Sequential for UnboundedMemory {
    const RULE: Rule = Rule::AtTheEnd(rule::bounded);

    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { ring: Ring::new(members, start), served: BTreeMap::new() }
    }

    fn step(&mut self, op: &Op) -> Answer {
        if let Op::Own(_) = op {
            note!("served: {:?}", self.served);
            return Answer::Count(self.served.len() as u64);
        }
        let answer = self.ring.step(op);
        if let Answer::Picked(Some(pick)) = answer {
            *self.served.entry(pick.id).or_default() += 1;
        }
        answer
    }
}
