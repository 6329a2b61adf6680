//! The list is in the order of a hash table, which changes when the table grows (S6, class K22).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// One member more, and everybody has another place.
#[derive(Debug)]
pub struct HashOrder(Ring);

impl Sequential for HashOrder {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Ring::new(members, start))
    }

    fn step(&mut self, op: &Op) -> Answer {
        let answer = self.0.step(op);
        let members = &mut self.0.members;
        let buckets = if members.len() < 3 { 3 } else { 5 };
        if matches!(op, Op::Register(_) | Op::Deregister(_)) {
            members.sort_by_key(|member| member.id % buckets);
            note!("in the order of {buckets} buckets: {members:?}");
        }
        answer
    }
}
