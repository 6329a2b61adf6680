//! The version that everybody writes first: `next` reads the size, then the element (S1, class K02).

use snapring::Start;
use snapring::platform::{AtomicU64, Platform, RwLock};

use super::{deregister, register, take};
use crate::{Answer, Probe, Subject};

/// Each access is locked; together they are not.
#[derive(Debug)]
pub struct TwoStepRead<P: Platform> {
    list: P::RwLock<Vec<Probe>>,
    count: P::AtomicU64,
}

impl<P: Platform> TwoStepRead<P> {
    /// Of these members.
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: RwLock::new(members), count: AtomicU64::new(start.count) }
    }
}

impl<P: Platform> Subject for TwoStepRead<P> {
    type Local = ();

    fn local(&self) {}

    fn next(&self, _local: &mut ()) -> Option<Probe> {
        let n = self.list.read().len(); // (1)
        if n == 0 {
            return None;
        }
        let index = take::<P>(&self.count) as usize % n;
        Some(self.list.read()[index]) // (2)
    }

    fn register(&self, member: Probe) -> Answer {
        register(&mut self.list.write(), member)
    }

    fn deregister(&self, id: u8) -> Option<Probe> {
        deregister(&mut self.list.write(), id)
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.list.read().clone()
    }
}
