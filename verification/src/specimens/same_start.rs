//! Every fresh balancer begins with the first member (class K05).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::rule;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, Rule, note};

/// Clients that start together, or that live for one call, all fall on one member.
#[derive(Debug)]
pub struct SameStart<P: Platform>(P::Mutex<Vec<Probe>>);

impl<P: Platform> Mistake for SameStart<P> {
    const RULE: Rule = Rule::AtTheEnd(rule::shares_by_weight);

    fn new(members: Vec<Probe>, _start: Start) -> Self {
        Self(Mutex::new(members))
    }

    fn call(&self, op: &Op) -> Answer {
        let mut ring = Ring::new(self.0.lock().clone(), Start::default());
        note!("a balancer of its own, of {:?}", ring.members);
        ring.step(op)
    }
}
