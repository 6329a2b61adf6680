//! A bare pointer to the list, and a library that frees the old one when nobody looks at it any more.

use std::fmt;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex};

use haphazard::HazardPointer;
use seize::{Collector, Guard, reclaim};
use snapring::Backend;

use super::{Cell, Change, Read};

type List = Vec<Arc<Backend>>;

/// seize: a guard for each pick.
#[derive(Debug)]
pub struct Seize {
    list: AtomicPtr<List>,
    collector: Collector,
    writing: Mutex<()>,
}

impl Cell for Seize {
    const CLONES: bool = false;
    type Reader<'a> = &'a Self;

    fn new(list: List) -> Self {
        let list = AtomicPtr::new(Box::into_raw(Box::new(list)));
        Self { list, collector: Collector::new(), writing: Mutex::new(()) }
    }

    fn reader(&self) -> &Self {
        self
    }

    fn change(&self, change: Change) {
        let _alone = self.writing.lock().expect("no change panics");
        let changed = self.reader().with(|list| change.applied(list));
        let guard = self.collector.enter();
        let old = guard.swap(&self.list, Box::into_raw(Box::new(changed)), Ordering::AcqRel);
        // SAFETY: it came from a box, nobody finds it any more, and only the writer that took it out retires it.
        unsafe { guard.defer_retire(old, reclaim::boxed) };
    }
}

impl Read for &Seize {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        let guard = self.collector.enter();
        let list = guard.protect(&self.list, Ordering::Acquire);
        // SAFETY: there is always a list, and the guard keeps the one that it protected.
        look(unsafe { &*list })
    }
}

impl Drop for Seize {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and nobody else has this cell.
        drop(unsafe { Box::from_raw(*self.list.get_mut()) });
    }
}

/// haphazard: each thread keeps a hazard pointer.
pub struct Haphazard {
    list: haphazard::AtomicPtr<List>,
    writing: Mutex<()>,
}

impl fmt::Debug for Haphazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Haphazard").finish_non_exhaustive()
    }
}

impl Cell for Haphazard {
    const CLONES: bool = false;
    type Reader<'a> = Hazard<'a>;

    fn new(list: List) -> Self {
        Self { list: haphazard::AtomicPtr::from(Box::new(list)), writing: Mutex::new(()) }
    }

    fn reader(&self) -> Hazard<'_> {
        Hazard { cell: self, pointer: HazardPointer::new() }
    }

    fn change(&self, change: Change) {
        let _alone = self.writing.lock().expect("no change panics");
        let changed = self.reader().with(|list| change.applied(list));
        let old = self.list.swap(Box::new(changed)).expect("there is always a list");
        // SAFETY: nobody finds it any more, and only the writer that took it out retires it, to the domain of the readers.
        unsafe { old.retire() };
    }
}

/// A hazard pointer, and where it reads.
pub struct Hazard<'a> {
    cell: &'a Haphazard,
    pointer: HazardPointer<'static>,
}

impl fmt::Debug for Hazard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hazard").finish_non_exhaustive()
    }
}

impl Read for Hazard<'_> {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        let list = self.cell.list.safe_load(&mut self.pointer).expect("there is always a list");
        let result = look(list);
        self.pointer.reset_protection();
        result
    }
}

impl Drop for Haphazard {
    fn drop(&mut self) {
        let list = self.list.load_ptr();
        // SAFETY: it came from a box, and nobody else has this cell.
        drop(unsafe { Box::from_raw(list) });
    }
}
