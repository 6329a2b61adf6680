//! The member that leaves is dropped under the lock, and its `Drop` looks at the registry (class K28).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// A deadlock of a thread with itself, in code that nobody calls.
#[derive(Debug)]
pub struct DroppedUnderLock<P: Platform>(P::Mutex<Ring>);

impl<P: Platform> Mistake for DroppedUnderLock<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Mutex::new(Ring::new(members, start)))
    }

    fn call(&self, op: &Op) -> Answer {
        let mut ring = self.0.lock();
        let answer = ring.step(op);
        if let Answer::Removed(Some(_)) = answer {
            note!("locked; the member is dropped");
            drop(Leaving(self));
        }
        answer
    }
}

/// A member that says goodbye.
struct Leaving<'a, P: Platform>(&'a DroppedUnderLock<P>);

impl<P: Platform> Drop for Leaving<'_, P> {
    fn drop(&mut self) {
        note!("goodbye to {:?}", self.0.0.lock().members);
    }
}
