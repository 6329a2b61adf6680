//! An atomic pointer is loaded, the list changed, and the pointer stored: each is atomic, together they are not (class K16).

use snapring::Start;
use snapring::platform::{AtomicU64, Platform};

use super::{Mistake, pick, pointer::Pointer, step, take};
use crate::{Answer, Op, Probe, note};

/// `swap` would not help; `compare_exchange` would.
#[derive(Debug)]
pub struct LoadModifyStore<P: Platform> {
    current: Pointer<P>,
    count: P::AtomicU64,
}

impl<P: Platform> Mistake for LoadModifyStore<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { current: Pointer::new(members), count: AtomicU64::new(start.count) }
    }

    fn call(&self, op: &Op) -> Answer {
        let mut members = self.current.load().members().to_vec();
        if *op == Op::Next {
            return pick(&members, take::<P>(&self.count));
        }
        note!("loads {members:?}");
        let answer = step(&mut members, op);
        if *op != Op::Snapshot {
            self.current.store(members.clone());
            note!("stores {members:?}");
        }
        answer
    }
}
