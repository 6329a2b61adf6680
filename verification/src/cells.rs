//! Cells that stand for *any* safe cell, so that the ring is checked apart from a way to reclaim.

use std::sync::Mutex;

use snapring::Member;
use snapring::orderings::{CELL_LOAD, CELL_SWAP};
use snapring::platform::{AtomicPtr, Platform};
use snapring::ring::{Cell, Node, RingCell};

/// One atomic pointer, and nothing is freed before the registry is.
pub struct KeepingCell<N: Send + Sync + 'static, P: Platform> {
    current: P::AtomicPtr<N>,
    kept: Mutex<Vec<P::Arc<N>>>,
}

// SAFETY: every node that was passed is kept as long as the cell, and `is_free` never holds.
unsafe impl<N: Send + Sync + 'static, P: Platform> Cell<N, P> for KeepingCell<N, P> {
    type Mark = ();

    fn new(first: &P::Arc<N>) -> Self {
        Self { current: AtomicPtr::new(std::ptr::from_ref::<N>(first).cast_mut()), kept: Mutex::default() }
    }

    fn read<R>(&self, f: impl FnOnce(&N) -> R) -> R {
        let current = self.current.load(P::ordering(&CELL_LOAD));
        // SAFETY: the caller keeps the first node until `is_free` holds, which is never; the others are in `kept`.
        f(unsafe { &*current })
    }

    fn swap(&self, next: &P::Arc<N>) {
        self.kept.lock().unwrap().push(next.clone());
        self.current.store(std::ptr::from_ref::<N>(next).cast_mut(), P::ordering(&CELL_SWAP));
    }

    fn is_free(_node: &mut P::Arc<N>, _mark: &()) -> bool {
        false
    }
}

/// The worst hint that is allowed: for ever the first node. Every pick has to follow the links.
pub struct StaleCell<N: Send + Sync + 'static, P: Platform> {
    first: P::Arc<N>,
}

// SAFETY: the first node is kept, and `is_free` never holds, so the caller keeps the others.
unsafe impl<N: Send + Sync + 'static, P: Platform> Cell<N, P> for StaleCell<N, P> {
    type Mark = ();

    fn new(first: &P::Arc<N>) -> Self {
        Self { first: first.clone() }
    }

    fn read<R>(&self, f: impl FnOnce(&N) -> R) -> R {
        f(&self.first)
    }

    fn swap(&self, _next: &P::Arc<N>) {}

    fn is_free(_node: &mut P::Arc<N>, _mark: &()) -> bool {
        false
    }
}

/// Names [`KeepingCell`].
#[derive(Debug)]
pub enum Keeping {}

impl RingCell for Keeping {
    type Of<T: Member, P: Platform> = KeepingCell<Node<T, P>, P>;
}

/// Names [`StaleCell`].
#[derive(Debug)]
pub enum Stale {}

impl RingCell for Stale {
    type Of<T: Member, P: Platform> = StaleCell<Node<T, P>, P>;
}

impl<N: Send + Sync + 'static, P: Platform> std::fmt::Debug for KeepingCell<N, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeepingCell")
    }
}

impl<N: Send + Sync + 'static, P: Platform> std::fmt::Debug for StaleCell<N, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StaleCell")
    }
}
