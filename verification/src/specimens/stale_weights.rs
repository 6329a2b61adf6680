//! The schedule of weights is made when members come or go, and not when a weight changes (class K21).

use snapring::Start;

use super::{Sequential, step};
use crate::rule;
use crate::{Answer, Op, Probe, Rule, note};

/// The contents of a member are its weight, less one. Whoever is given more weight does not get more.
#[derive(Debug)]
pub struct StaleWeights {
    list: Vec<Probe>,
    slots: Vec<u8>,
    count: u64,
}

impl StaleWeights {
    fn planned(&mut self) {
        self.slots = self.list.iter().flat_map(|it| std::iter::repeat_n(it.id, usize::from(it.contents) + 1)).collect();
        note!("slots: {:?}", self.slots);
    }
}

impl Sequential for StaleWeights {
    const RULE: Rule = Rule::AtTheEnd(rule::shares_by_weight);

    fn new(members: Vec<Probe>, start: Start) -> Self {
        let mut it = Self { list: members, slots: Vec::new(), count: start.count };
        it.planned();
        it
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op != Op::Next || self.slots.is_empty() {
            let before = self.list.len();
            let answer = step(&mut self.list, op);
            if self.list.len() != before {
                self.planned();
            }
            return answer;
        }
        let id = self.slots[self.count as usize % self.slots.len()];
        self.count += 1;
        Answer::Picked(self.list.iter().find(|member| member.id == id).copied())
    }
}
