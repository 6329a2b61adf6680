//! Writers copy the list, change the copy and publish it, without excluding each other (class K16).

use snapring::Start;
use snapring::platform::{AtomicU64, Mutex, Platform};

use super::{deregister, register, take};
use crate::{Answer, Probe, Subject};

/// The published list is always whole; a registration that was answered may be missing from it.
#[derive(Debug)]
pub struct LostUpdate<P: Platform> {
    list: P::Mutex<Vec<Probe>>,
    count: P::AtomicU64,
}

impl<P: Platform> LostUpdate<P> {
    /// Of these members.
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: Mutex::new(members), count: AtomicU64::new(start.count) }
    }

    fn change<R>(&self, change: impl FnOnce(&mut Vec<Probe>) -> R) -> R {
        let mut copy = self.list.lock().clone();
        let answer = change(&mut copy);
        *self.list.lock() = copy; // whatever was published meanwhile is gone
        answer
    }
}

impl<P: Platform> Subject for LostUpdate<P> {
    type Local = ();

    fn local(&self) {}

    fn next(&self, _local: &mut ()) -> Option<Probe> {
        let list = self.list.lock();
        let at = (take::<P>(&self.count) as usize).checked_rem(list.len())?;
        Some(list[at])
    }

    fn register(&self, member: Probe) -> Answer {
        self.change(|list| register(list, member))
    }

    fn deregister(&self, id: u8) -> Option<Probe> {
        self.change(|list| deregister(list, id))
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.list.lock().clone()
    }
}
