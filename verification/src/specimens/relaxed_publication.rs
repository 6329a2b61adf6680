//! The new list is published by a relaxed store: the pointer may be seen before what it points to (class K32).

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use snapring::Member;
use snapring::platform::{AtomicPtr, Platform};
use snapring::ring::{Cell, Node, RingCell, RingRegistry};

use crate::Probe;

/// The ring over [`RelaxedCell`].
pub type RelaxedPublication<P> = RingRegistry<Probe, Relaxed, P>;

/// A cell for [`RingRegistry`] like the epoch registry's, but for the ordering. It frees
/// nothing, so that the checker stays sound.
pub struct RelaxedCell<N: Send + Sync + 'static, P: Platform> {
    current: P::AtomicPtr<N>,
    kept: Mutex<Vec<P::Arc<N>>>,
}

// SAFETY: it is not: it hands out nodes whose creation did not happen before. That is the specimen. Nothing is ever
// freed, and under a checker, where alone it is run, all accesses are to whole objects.
unsafe impl<N: Send + Sync + 'static, P: Platform> Cell<N, P> for RelaxedCell<N, P> {
    type Mark = ();

    fn new(first: &P::Arc<N>) -> Self {
        Self { current: AtomicPtr::new(std::ptr::from_ref::<N>(first).cast_mut()), kept: Mutex::default() }
    }

    fn read<R>(&self, f: impl FnOnce(&N) -> R) -> R {
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: nodes are kept for as long as the cell.
        f(unsafe { &*current })
    }

    fn swap(&self, next: &P::Arc<N>) {
        self.kept.lock().unwrap().push(next.clone());
        self.current.store(std::ptr::from_ref::<N>(next).cast_mut(), Ordering::Relaxed); // should be a release
    }

    fn is_free(_node: &mut P::Arc<N>, _mark: &()) -> bool {
        false
    }
}

/// Names [`RelaxedCell`].
#[derive(Debug)]
pub enum Relaxed {}

impl RingCell for Relaxed {
    type Of<T: Member, P: Platform> = RelaxedCell<Node<T, P>, P>;
}

impl<N: Send + Sync + 'static, P: Platform> std::fmt::Debug for RelaxedCell<N, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RelaxedCell")
    }
}
