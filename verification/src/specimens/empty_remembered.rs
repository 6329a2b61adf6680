//! Whoever finds nobody remembers that, and does not look again (class K18).

use snapring::Start;

use super::Sequential;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// It forgets to recover.
#[derive(Debug)]
pub struct EmptyRemembered {
    ring: Ring,
    found_nobody: bool,
}

impl Sequential for EmptyRemembered {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { ring: Ring::new(members, start), found_nobody: false }
    }

    fn step(&mut self, op: &Op) -> Answer {
        if *op == Op::Next && self.found_nobody {
            note!("there is nobody, as is known");
            return Answer::Picked(None);
        }
        let answer = self.ring.step(op);
        self.found_nobody |= answer == Answer::Picked(None);
        answer
    }
}
