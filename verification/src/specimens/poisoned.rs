//! A panic of the strategy poisons the lock, and every later call panics (class K29).

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::Result;

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// One bad request, and the service is down.
#[derive(Debug)]
pub struct Poisoned<P: Platform>(P::Mutex<(Ring, bool)>);

impl<P: Platform> Poisoned<P> {
    /// As the standard library does it: whoever panics under the lock leaves a mark, and whoever finds it panics.
    fn locked<R>(&self, f: impl FnOnce(&mut Ring) -> R) -> Result<R> {
        let (ring, poisoned) = &mut *self.0.lock();
        assert!(!*poisoned, "poisoned lock");
        let result = catch_unwind(AssertUnwindSafe(|| f(ring)));
        *poisoned = result.is_err();
        result
    }
}

impl<P: Platform> Mistake for Poisoned<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Mutex::new((Ring::new(members, start), false)))
    }

    fn call(&self, op: &Op) -> Answer {
        if let Op::Own(_) = op {
            // Its caller catches it: it was one bad request.
            let result = self.locked::<()>(|_| resume_unwind(Box::new("the strategy panics")));
            note!("{}", if result.is_err() { "panics under the lock" } else { "returns" });
            return Answer::Done;
        }
        self.locked(|ring| ring.step(op)).unwrap_or_else(|panic| resume_unwind(panic))
    }
}
