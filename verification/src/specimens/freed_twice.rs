//! Two writers have loaded the same pointer, and each frees what it has replaced (class K32).

use snapring::Start;
use snapring::platform::{AtomicU64, Platform};

use super::{Mistake, pick, pointer::Pointer, step, take};
use crate::{Answer, Op, Probe, note};

/// Each is sure that the old list is its own.
#[derive(Debug)]
pub struct FreedTwice<P: Platform> {
    current: Pointer<P>,
    count: P::AtomicU64,
}

impl<P: Platform> Mistake for FreedTwice<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { current: Pointer::new(members), count: AtomicU64::new(start.count) }
    }

    fn call(&self, op: &Op) -> Answer {
        let old = self.current.load();
        if *op == Op::Next {
            return pick(old.members(), take::<P>(&self.count));
        }
        note!("loads the pointer");
        let mut members = old.copy();
        let answer = step(&mut members, op);
        if *op != Op::Snapshot {
            self.current.store(members);
            note!("frees the old list");
            old.free();
        }
        answer
    }
}
