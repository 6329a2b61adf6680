//! The strategy is called under the lock, and asks the registry for something (class K28).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// A deadlock of a thread with itself.
#[derive(Debug)]
pub struct StrategyUnderLock<P: Platform>(P::Mutex<Ring>);

impl<P: Platform> Mistake for StrategyUnderLock<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Mutex::new(Ring::new(members, start)))
    }

    fn call(&self, op: &Op) -> Answer {
        let mut ring = self.0.lock();
        if *op == Op::Next {
            note!("locked; the strategy asks how many there are");
            note!("{}", self.0.lock().members.len());
        }
        ring.step(op)
    }
}
