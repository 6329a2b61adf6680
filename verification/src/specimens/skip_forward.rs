//! Whoever stands before a member that is down takes the next one: a neighbour gets two shares (class K10).

use snapring::Start;

use super::Sequential;
use crate::rule;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, Rule, note};

/// Members with other contents are down.
#[derive(Debug)]
pub struct SkipForward(Ring);

impl Sequential for SkipForward {
    const RULE: Rule = Rule::AtTheEnd(rule::even_shares);

    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let mut answer = self.0.step(op);
        while let Answer::Picked(Some(Probe { contents: 1.., .. })) = answer {
            note!("{answer:?} is down: the one after it");
            let next = self.0.members[self.0.due];
            answer = Answer::Picked(Some(next));
        }
        answer
    }
}
