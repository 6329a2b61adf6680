//! Members are chosen by weight, and the weights may add up to nothing (class K20).

use snapring::Start;

use super::{Sequential, step};
use crate::rule;
use crate::{Answer, Op, Probe, Rule, note};

/// The contents of a member are its weight.
#[derive(Debug)]
pub struct WeightZero {
    list: Vec<Probe>,
    count: u64,
}

impl Sequential for WeightZero {
    const RULE: Rule = Rule::AtTheEnd(rule::even_shares);

    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: members, count: start.count }
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op != Op::Next || self.list.is_empty() {
            return step(&mut self.list, op);
        }
        let total: u64 = self.list.iter().map(|member| u64::from(member.contents)).sum();
        note!("ticket {} % {total}", self.count);
        let mut ticket = self.count % total;
        self.count += 1;
        let pick = self.list.iter().find(|member| {
            let hit = ticket < u64::from(member.contents);
            ticket = ticket.saturating_sub(member.contents.into());
            hit
        });
        Answer::Picked(pick.copied())
    }
}
