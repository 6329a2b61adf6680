//! A pick holds a reference to the list, and frees it if a change came meanwhile (class K34).

use snapring::Start;
use snapring::platform::{AtomicU64, Mutex, Platform, Shared};

use super::{Mistake, take};
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// Nothing is wrong but the time: one request in a million drops ten thousand members.
pub struct FreedByAPick<P: Platform> {
    current: P::Mutex<(Ring, P::Arc<Vec<Probe>>)>,
    picks: P::AtomicU64,
}

impl<P: Platform> Mistake for FreedByAPick<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        let list = Shared::new(members.clone());
        Self { current: Mutex::new((Ring::new(members, start), list)), picks: AtomicU64::new(0) }
    }

    fn call(&self, op: &Op) -> Answer {
        let (answer, mut list) = {
            let (ring, list) = &mut *self.current.lock();
            let answer = ring.step(op);
            if *op != Op::Next && *op != Op::Snapshot {
                *list = Shared::new(ring.members.clone());
            }
            (answer, list.clone())
        };
        if *op == Op::Next {
            note!("has a reference to {:?}", *list);
            take::<P>(&self.picks);
            assert!(!list.is_unique(), "a pick frees the list");
        }
        answer
    }
}

impl<P: Platform> std::fmt::Debug for FreedByAPick<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FreedByAPick")
    }
}
