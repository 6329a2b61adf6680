//! Writers copy the list, change the copy and publish it, without excluding each other (class K16).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// The published list is always whole; a registration that was answered may be missing from it.
#[derive(Debug)]
pub struct LostUpdate<P: Platform>(P::Mutex<Ring>);

impl<P: Platform> Mistake for LostUpdate<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Mutex::new(Ring::new(members, start)))
    }

    fn call(&self, op: &Op) -> Answer {
        if let Op::Next | Op::Snapshot = op {
            return self.0.lock().step(op);
        }
        let mut copy = self.0.lock().clone();
        note!("copies {:?}", copy.members);
        let answer = copy.step(op);
        let mut ring = self.0.lock();
        note!("publishes {:?}", copy.members);
        *ring = copy; // whatever was published meanwhile is gone
        answer
    }
}
