//! A plan of all members, in order, is drawn turn by turn from the cursor that everybody shares (class K07).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::rule;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, Rule, note};

/// With two plans at a time, one has a member twice and another not at all.
#[derive(Debug)]
pub struct PlanSharesCursor<P: Platform>(P::Mutex<Ring>);

impl<P: Platform> Mistake for PlanSharesCursor<P> {
    const RULE: Rule = Rule::Own(rule::no_duplicates);

    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Mutex::new(Ring::new(members, start)))
    }

    fn call(&self, op: &Op) -> Answer {
        let Op::Own(_) = op else { return self.0.lock().step(op) };
        let n = self.0.lock().members.len();
        let turn = |_| {
            let pick = self.0.lock().pick();
            note!("takes {pick:?}");
            pick
        };
        Answer::Listed((0..n).filter_map(turn).collect())
    }
}
