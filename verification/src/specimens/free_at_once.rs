//! The replaced list is freed at once, while readers may still be looking at it (class K32).

use std::sync::Mutex as Hidden;
use std::sync::atomic::{AtomicBool, Ordering};

use snapring::Start;
use snapring::platform::{AtomicPtr, AtomicU64, Mutex, Platform, Shared, Witness};

use super::{deregister, register, take};
use crate::{Answer, Probe, Subject};

/// An atomic pointer without reclamation. "Freeing" marks the list and ends its witness; the memory stays until the
/// specimen goes, so that the checker itself stays sound.
pub struct FreeAtOnce<P: Platform> {
    current: P::AtomicPtr<Listed<P>>,
    writers: P::Mutex<()>,
    count: P::AtomicU64,
    kept: Hidden<Vec<P::Arc<Listed<P>>>>,
}

struct Listed<P: Platform> {
    members: Vec<Probe>,
    freed: AtomicBool,
    witness: P::Witness,
}

impl<P: Platform> FreeAtOnce<P> {
    /// Of these members.
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        let specimen = Self {
            current: AtomicPtr::new(std::ptr::null_mut()),
            writers: Mutex::new(()),
            count: AtomicU64::new(start.count),
            kept: Hidden::default(),
        };
        specimen.publish(members);
        specimen
    }

    fn publish(&self, members: Vec<Probe>) {
        let next: P::Arc<Listed<P>> =
            Shared::new(Listed { members, freed: AtomicBool::new(false), witness: Witness::new() });
        let pointer = std::ptr::from_ref::<Listed<P>>(&next).cast_mut();
        self.kept.lock().unwrap().push(next);
        let old = self.current.swap(pointer, Ordering::AcqRel);
        // SAFETY: what was published is kept until the specimen goes.
        if let Some(old) = unsafe { old.as_ref() } {
            old.freed.store(true, Ordering::Relaxed); // no reader was waited for
        }
    }

    fn read<R>(&self, f: impl FnOnce(&[Probe]) -> R) -> R {
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: as above; it is never null after `new`.
        let listed = unsafe { &*current };
        let result = f(&listed.members);
        listed.witness.touch();
        assert!(!listed.freed.load(Ordering::Relaxed), "use after free: the list was freed while it was read");
        result
    }

    fn change<R>(&self, change: impl FnOnce(&mut Vec<Probe>) -> R) -> R {
        let _writing = self.writers.lock();
        let mut members = self.read(<[Probe]>::to_vec);
        let answer = change(&mut members);
        self.publish(members);
        answer
    }
}

impl<P: Platform> Subject for FreeAtOnce<P> {
    type Local = ();

    fn local(&self) {}

    fn next(&self, _local: &mut ()) -> Option<Probe> {
        self.read(|members| {
            let at = (take::<P>(&self.count) as usize).checked_rem(members.len())?;
            Some(members[at])
        })
    }

    fn register(&self, member: Probe) -> Answer {
        self.change(|list| register(list, member))
    }

    fn deregister(&self, id: u8) -> Option<Probe> {
        self.change(|list| deregister(list, id))
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.read(<[Probe]>::to_vec)
    }
}

impl<P: Platform> std::fmt::Debug for FreeAtOnce<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FreeAtOnce")
    }
}
