//! An atomic pointer to a list, for the mistakes that are made with one.

use std::sync::Mutex as Hidden;
use std::sync::atomic::Ordering;

use snapring::platform::{AtomicPtr, AtomicU64, Platform, Shared};

use crate::Probe;

/// What is published stays in memory until the pointer goes, so that the checker itself stays sound. "Freeing" marks a
/// list, and whoever meets the mark panics.
pub struct Pointer<P: Platform> {
    current: P::AtomicPtr<Listed<P>>,
    kept: Hidden<Vec<P::Arc<Listed<P>>>>,
}

/// What it points to.
pub struct Listed<P: Platform> {
    members: Vec<Probe>,
    /// The platform's, so that the checker tries both orders of reading and freeing.
    freed: P::AtomicU64,
}

impl<P: Platform> Pointer<P> {
    pub(super) fn new(members: Vec<Probe>) -> Self {
        let pointer = Self { current: AtomicPtr::new(std::ptr::null_mut()), kept: Hidden::default() };
        pointer.store(members);
        pointer
    }

    pub(super) fn load(&self) -> &Listed<P> {
        let current = self.current.load(Ordering::SeqCst);
        // SAFETY: never null after `new`; what was published is kept as long as the pointer.
        unsafe { &*current }
    }

    pub(super) fn store(&self, members: Vec<Probe>) {
        let next = self.keep(members);
        self.current.store(next, Ordering::SeqCst);
    }

    /// The old one.
    pub(super) fn swap(&self, members: Vec<Probe>) -> &Listed<P> {
        let old = self.current.swap(self.keep(members), Ordering::SeqCst);
        // SAFETY: as for `load`.
        unsafe { &*old }
    }

    fn keep(&self, members: Vec<Probe>) -> *mut Listed<P> {
        let next: P::Arc<Listed<P>> = Shared::new(Listed { members, freed: AtomicU64::new(0) });
        let pointer = std::ptr::from_ref::<Listed<P>>(&next).cast_mut();
        self.kept.lock().unwrap().push(next);
        pointer
    }
}

impl<P: Platform> Listed<P> {
    pub(super) fn members(&self) -> &[Probe] {
        assert!(self.freed.load(Ordering::SeqCst) == 0, "use after free");
        &self.members
    }

    /// Freed or not: for a specimen whose mistake is the freeing.
    pub(super) fn copy(&self) -> Vec<Probe> {
        self.members.clone()
    }

    pub(super) fn free(&self) {
        assert!(self.freed.fetch_or(1, Ordering::SeqCst) == 0, "double free");
    }
}

impl<P: Platform> std::fmt::Debug for Pointer<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pointer")
    }
}

impl<P: Platform> std::fmt::Debug for Listed<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.members)
    }
}
