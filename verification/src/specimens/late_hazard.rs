//! A reader announces what it reads, and does not look again whether it is still there (class K32).

use std::sync::atomic::Ordering;

use snapring::Start;
use snapring::platform::{AtomicU64, Mutex, Platform};

use super::{
    Mistake, pick,
    pointer::{Listed, Pointer},
    step, take,
};
use crate::{Answer, Op, Probe, note};

/// Between its load and its announcement a writer has looked, and freed.
#[derive(Debug)]
pub struct LateHazard<P: Platform> {
    current: Pointer<P>,
    count: P::AtomicU64,
    writing: P::Mutex<()>,
    hazard: P::AtomicU64,
}

impl<P: Platform> Mistake for LateHazard<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self {
            current: Pointer::new(members),
            count: AtomicU64::new(start.count),
            writing: Mutex::new(()),
            hazard: AtomicU64::new(0),
        }
    }

    fn call(&self, op: &Op) -> Answer {
        if *op == Op::Next {
            let listed = self.current.load();
            note!("loads the pointer");
            self.hazard.store(address(listed), Ordering::SeqCst);
            note!("announces it");
            let answer = pick(listed.members(), take::<P>(&self.count));
            self.hazard.store(0, Ordering::SeqCst);
            return answer;
        }
        let _writing = self.writing.lock();
        let mut members = self.current.load().members().to_vec();
        let answer = step(&mut members, op);
        if *op != Op::Snapshot {
            let old = self.current.swap(members);
            if self.hazard.load(Ordering::SeqCst) != address(old) {
                note!("nobody has announced the old list: frees it");
                old.free();
            }
        }
        answer
    }
}

fn address<P: Platform>(listed: &Listed<P>) -> u64 {
    std::ptr::from_ref(listed).addr() as u64
}
