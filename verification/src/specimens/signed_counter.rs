//! A signed counter: after 2³¹ picks it is negative, and so is the remainder (S4, class K01).

use snapring::Start;
use snapring::platform::{AtomicU64, Mutex, Platform};

use super::take;
use crate::{Probe, Subject};

/// Right for twelve days at two thousand picks a second.
#[derive(Debug)]
pub struct SignedCounter<P: Platform> {
    list: P::Mutex<Vec<Probe>>,
    count: P::AtomicU64,
}

impl<P: Platform> SignedCounter<P> {
    /// Of these members.
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: Mutex::new(members), count: AtomicU64::new(start.count) }
    }
}

impl<P: Platform> Subject for SignedCounter<P> {
    type Local = ();

    fn local(&self) {}

    fn next(&self, _local: &mut ()) -> Option<Probe> {
        let list = self.list.lock();
        let count = take::<P>(&self.count) as i32; // the low half: an i32 counter
        let index = count.checked_rem(list.len() as i32)?;
        Some(list[usize::try_from(index).expect("index out of bounds")])
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.list.lock().clone()
    }
}
