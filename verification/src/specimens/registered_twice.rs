//! Whether the id is there is asked under the lock, and the member added under the next one (S10, class K12).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// Two who register the same are both the first.
#[derive(Debug)]
pub struct RegisteredTwice<P: Platform>(P::Mutex<Ring>);

impl<P: Platform> Mistake for RegisteredTwice<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Mutex::new(Ring::new(members, start)))
    }

    fn call(&self, op: &Op) -> Answer {
        let Op::Register(member) = op else { return self.0.lock().step(op) };
        let there = self.0.lock().position(member.id).is_some();
        note!("contains({}) is {there}", member.id);
        if there {
            return self.0.lock().step(op);
        }
        self.0.lock().members.push(*member);
        Answer::Added
    }
}
