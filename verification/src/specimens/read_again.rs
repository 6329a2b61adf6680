//! Who reads reads again, through a call chain; and a writer that came in between goes first (class K30).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// A lock that is fair to writers, as most are: a mutex is the gate, which a writer closes before it waits for those who
/// read. The first reader locks the ring for all of them, and the last one unlocks it.
#[derive(Debug)]
pub struct ReadAgain<P: Platform> {
    gate: P::Mutex<()>,
    reading: P::Mutex<()>,
    ring: P::Mutex<Ring>,
}

impl<P: Platform> Mistake for ReadAgain<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { gate: Mutex::new(()), reading: Mutex::new(()), ring: Mutex::new(Ring::new(members, start)) }
    }

    fn call(&self, op: &Op) -> Answer {
        if *op == Op::Next {
            let gate = self.gate.lock();
            let _reads = self.reading.lock();
            drop(gate);
            note!("reads; its strategy reads as well");
            drop(self.gate.lock()); // a writer may have closed it
            return self.ring.lock().step(op);
        }
        let _closed = self.gate.lock();
        note!("writes; waits for those who read");
        drop(self.reading.lock());
        self.ring.lock().step(op)
    }
}
