//! [`ArcSwapRegistry`]: an atomic reference, by the arc-swap crate.

use super::registry;
use crate::platform::{Platform, Shared, SwapCell};
use crate::ring::{Cell, Node, Ring};

registry! {
    /// The exact ring over arc-swap. Lock-free reads, nothing for the process to share.
    ///
    /// **Publication.** The versioned ticket, see [`ring`](crate::ring), with the current node in an
    /// [`ArcSwap`](https://docs.rs/arc-swap).
    ///
    /// **Reclamation.** Reference counts. A replaced list is dropped by the change that replaced it, or, if a reader
    /// was looking at it just then, by the next change or [`collect`](Self::collect): `next` never drops a list or a
    /// member. A call stalled inside `next` or `snapshot` keeps the list that it looks at and every list that is
    /// replaced meanwhile; a held snapshot keeps its own list only.
    ///
    /// **Orderings.** arc-swap's own, and the ring's.
    ///
    /// **Progress.** `next` and `snapshot` are lock-free, as arc-swap's `load` is (wait-free, but for a thread's first
    /// call, which may register the thread with arc-swap). A change pays every reader's debt: O(threads).
    ArcSwapRegistry<T, P> over Ring<T, P, ArcSwapCell<Node<T, P>, P>>
}

impl<T: crate::Member, P: Platform> ArcSwapRegistry<T, P> {
    /// Drops what no reader can still see. Changes do this by themselves; call it when there has been none for long
    /// and the last replaced list should go. Blocking: waits for changes, as another change would. O(lists that wait).
    pub fn collect(&self) {
        self.roster.collect();
    }
}

/// A reference to the current node.
#[derive(Debug)]
pub struct ArcSwapCell<N: Send + Sync + 'static, P: Platform> {
    current: P::ArcSwap<N>,
}

// SAFETY: by the contract of `SwapCell`, readers that still use a node after it was swapped out own a reference to it.
// So a node that was swapped out and whose only reference is the caller's has no reader.
unsafe impl<N: Send + Sync + 'static, P: Platform> Cell<N, P> for ArcSwapCell<N, P> {
    type Mark = ();

    fn new(first: &P::Arc<N>) -> Self {
        Self { current: P::ArcSwap::new(first.clone()) }
    }

    #[inline]
    fn read<R>(&self, f: impl FnOnce(&N) -> R) -> R {
        self.current.read(|node| f(node))
    }

    fn swap(&self, next: &P::Arc<N>) {
        drop(self.current.swap(next.clone())); // never the last reference: the caller keeps one
    }

    fn is_free(node: &mut P::Arc<N>, _mark: &()) -> bool {
        node.is_unique()
    }
}
