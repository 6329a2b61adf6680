//! The replaced list is freed at once, while readers may still be looking at it (class K32).

use snapring::Start;
use snapring::platform::{AtomicU64, Platform};

use super::{Mistake, pick, pointer::Pointer, step, take};
use crate::{Answer, Op, Probe, note};

/// An atomic pointer without reclamation.
#[derive(Debug)]
pub struct FreeAtOnce<P: Platform> {
    current: Pointer<P>,
    count: P::AtomicU64,
}

impl<P: Platform> Mistake for FreeAtOnce<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { current: Pointer::new(members), count: AtomicU64::new(start.count) }
    }

    fn call(&self, op: &Op) -> Answer {
        let listed = self.current.load();
        note!("loads the pointer");
        if *op == Op::Next {
            note!("reads what it points to");
            return pick(listed.members(), take::<P>(&self.count));
        }
        let mut members = listed.members().to_vec();
        let answer = step(&mut members, op);
        if *op != Op::Snapshot {
            self.current.swap(members).free(); // no reader was waited for
            note!("frees the old list");
        }
        answer
    }
}
