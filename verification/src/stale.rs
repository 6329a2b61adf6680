//! loom with a weaker arc-swap: a read may yield an old value, unless the new one happened before.
//!
//! Our loom platform stands a lock in for arc-swap, which always yields the newest value. arc-swap's contract promises no
//! more than any atomic pointer does: what was stored *before* is seen. Code that relies on more, or whose own orderings
//! do not establish that *before*, is found here. The price: old values are kept, so nothing is reclaimed.

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use snapring::platform::loom::Loom;
use snapring::platform::{AtomicPtr, Platform, SwapCell};

use crate::other_swap::with_other_swap;
use crate::threads::threads_of;

with_other_swap! {
    /// [`Loom`], but for its arc-swap.
    StaleLoom: "loom, stale cells", Loom, StaleSwap
}

threads_of!(StaleLoom, Loom);

/// An atomic pointer to a value, and all values that it ever pointed to.
pub struct StaleSwap<A: 'static> {
    current: <Loom as Platform>::AtomicPtr<A>,
    // Boxed, since pointers to them are handed out while the vector grows.
    #[allow(clippy::vec_box, reason = "the addresses must not change")]
    kept: Mutex<Vec<Box<A>>>,
}

impl<A: Clone + Send + Sync + 'static> StaleSwap<A> {
    fn keep(&self, value: A) -> *mut A {
        let mut value = Box::new(value);
        let pointer: *mut A = &mut *value;
        self.kept.lock().unwrap().push(value);
        pointer
    }
}

impl<A: Clone + Send + Sync + 'static> SwapCell<A> for StaleSwap<A> {
    fn new(first: A) -> Self {
        let cell = Self { current: AtomicPtr::new(std::ptr::null_mut()), kept: Mutex::default() };
        let first = cell.keep(first);
        Self { current: AtomicPtr::new(first), ..cell }
    }

    fn read<R>(&self, f: impl FnOnce(&A) -> R) -> R {
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: every value is kept, where it is, for as long as the cell.
        f(unsafe { &*current })
    }

    fn swap(&self, next: A) -> A {
        let old = self.current.swap(self.keep(next), Ordering::AcqRel);
        // SAFETY: as above.
        unsafe { &*old }.clone()
    }
}

impl<A: 'static> std::fmt::Debug for StaleSwap<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StaleSwap")
    }
}
