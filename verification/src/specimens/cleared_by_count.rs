//! A round ends when as many were used as there are members, and not when all of them were (S11, class K24).

use std::collections::BTreeSet;

use snapring::Start;

use super::{Sequential, step};
use crate::{Answer, Op, Probe, Rule, note};

/// Once a member has left, it may never end: then the first one is served for ever.
#[derive(Debug)]
pub struct ClearedByCount {
    list: Vec<Probe>,
    used: BTreeSet<u8>,
}

impl Sequential for ClearedByCount {
    const RULE: Rule = Rule::Bag;

    fn new(members: Vec<Probe>, _start: Start) -> Self {
        Self { list: members, used: BTreeSet::new() }
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op != Op::Next || self.list.is_empty() {
            return step(&mut self.list, op);
        }
        note!("{} used, of {} members", self.used.len(), self.list.len());
        if self.used.len() == self.list.len() {
            self.used.clear();
        }
        let unused = self.list.iter().find(|member| !self.used.contains(&member.id));
        let pick = *unused.unwrap_or(&self.list[0]);
        self.used.insert(pick.id);
        Answer::Picked(Some(pick))
    }
}
