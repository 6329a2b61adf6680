//! Emptiness is checked before the lock, so the list may be empty after it (S5, class K18).

use snapring::Start;
use snapring::platform::{AtomicU64, Mutex, Platform};

use super::{deregister, register, take};
use crate::{Answer, Probe, Subject};

/// The error it gives speaks of arithmetic, not of backends.
#[derive(Debug)]
pub struct RemainderByZero<P: Platform> {
    list: P::Mutex<Vec<Probe>>,
    count: P::AtomicU64,
}

impl<P: Platform> RemainderByZero<P> {
    /// Of these members.
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: Mutex::new(members), count: AtomicU64::new(start.count) }
    }
}

impl<P: Platform> Subject for RemainderByZero<P> {
    type Local = ();

    fn local(&self) {}

    fn next(&self, _local: &mut ()) -> Option<Probe> {
        if self.list.lock().is_empty() {
            return None;
        }
        let list = self.list.lock();
        let index = take::<P>(&self.count) as usize % list.len();
        Some(list[index])
    }

    fn register(&self, member: Probe) -> Answer {
        register(&mut self.list.lock(), member)
    }

    fn deregister(&self, id: u8) -> Option<Probe> {
        deregister(&mut self.list.lock(), id)
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.list.lock().clone()
    }
}
