//! Two lists that belong together are replaced one after the other (class K15).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// The ids of one time with the addresses of another.
#[derive(Debug)]
pub struct TwoPointers<P: Platform> {
    ids: P::Mutex<Ring>,
    addresses: P::Mutex<Ring>,
}

impl<P: Platform> Mistake for TwoPointers<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        let ring = Ring::new(members, start);
        Self { ids: Mutex::new(ring.clone()), addresses: Mutex::new(ring) }
    }

    fn call(&self, op: &Op) -> Answer {
        let by_id = self.ids.lock().step(op);
        note!("the ids say {by_id:?}");
        let by_address = self.addresses.lock().step(op);
        note!("the addresses say {by_address:?}");
        match (by_id, by_address) {
            (Answer::Picked(Some(id)), Answer::Picked(Some(address))) => {
                Answer::Picked(Some(Probe { id: id.id, contents: address.contents }))
            }
            (answer, _) => answer,
        }
    }
}
