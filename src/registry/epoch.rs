//! [`EpochRegistry`]: an atomic pointer, reclaimed by epochs.

use std::sync::Arc;

use super::registry;
use crate::orderings::{CELL_LOAD, CELL_SWAP, RETIRED_CHECK, RETIRED_FREE};
use crate::platform::{AtomicPtr, AtomicU64, EpochDomain, Platform};
use crate::ring::{Cell, Node, Ring};

registry! {
    /// The exact ring over one atomic pointer, with crossbeam-epoch's reclamation. Wait-free reads.
    ///
    /// **Publication.** The versioned ticket, see [`ring`](crate::ring): a change stores the new node, then readers of
    /// the pointer see it. The pointer is only a hint; the ticket decides which list a pick is made from.
    ///
    /// **Reclamation.** A reader pins the epoch while it looks. A replaced list waits with the registry until the
    /// collector says that every reader of its time is gone, and is then dropped by a change, outside of any lock:
    /// `next` never drops a list or a member, and neither does an unrelated pin elsewhere in the process. Each change
    /// asks the collector to advance three times, so with readers that come and go at most a few lists wait; what
    /// waits after the last change goes with [`collect`](Self::collect) or the next change, or with the registry. A
    /// call stalled inside `next` or `snapshot`, or anybody in the process who stays pinned, keeps every list that is
    /// replaced meanwhile; a held snapshot keeps its own list only.
    ///
    /// **Orderings.** [`CELL_LOAD`](crate::orderings::CELL_LOAD) with [`CELL_SWAP`](crate::orderings::CELL_SWAP),
    /// [`RETIRED_FREE`](crate::orderings::RETIRED_FREE) with [`RETIRED_CHECK`](crate::orderings::RETIRED_CHECK), and
    /// the ring's.
    ///
    /// **Progress.** `next` is wait-free, but for the first pin of a thread, which registers the thread with the
    /// collector (lock-free and an allocation). `snapshot` is wait-free. Nobody waits for readers.
    EpochRegistry<T, P> over Ring<T, P, EpochCell<Node<T, P>, P>>
}

impl<T: crate::Member, P: Platform> EpochRegistry<T, P> {
    /// Drops what no reader can still see. Changes do this by themselves; call it when there has been none for long
    /// and the last replaced list should go. Blocking: waits for changes, as another change would. O(lists that wait).
    pub fn collect(&self) {
        self.roster.collect();
    }
}

/// A pointer to the current node, read under a pin.
#[derive(Debug)]
pub struct EpochCell<N: 'static, P: Platform> {
    current: P::AtomicPtr<N>,
    domain: P::Epoch,
}

// SAFETY: `is_free` holds once the closure that `settle` gave to the collector has run. The collector runs it when every
// thread that was pinned then has unpinned. A reader is pinned from before it loads the pointer until after it stopped
// using the node. If it loaded this node, it did so before the pointer was replaced or at least before the closure was
// handed over (a load after that, being after the pin's fence, sees the replacement), so it was pinned then.
unsafe impl<N: Send + Sync + 'static, P: Platform> Cell<N, P> for EpochCell<N, P> {
    type Mark = Arc<P::AtomicU64>;

    fn new(first: &P::Arc<N>) -> Self {
        Self { current: P::AtomicPtr::new(pointer::<N, P>(first)), domain: P::Epoch::new() }
    }

    #[inline]
    fn read<R>(&self, f: impl FnOnce(&N) -> R) -> R {
        let _pinned = self.domain.pin();
        let current = self.current.load(P::ordering(&CELL_LOAD));
        // SAFETY: the pointer comes from `new` or `swap`, whose caller keeps the node until `is_free`; and that does not
        // hold while we are pinned. CELL_LOAD ordered the node's creation before this.
        f(unsafe { &*current })
    }

    fn swap(&self, next: &P::Arc<N>) -> Self::Mark {
        self.current.store(pointer::<N, P>(next), P::ordering(&CELL_SWAP));
        Arc::new(P::AtomicU64::new(0))
    }

    fn settle(&self, mark: Option<&Self::Mark>) -> bool {
        let mark = mark.cloned();
        self.domain.retire(move || {
            if let Some(mark) = mark {
                mark.store(1, P::ordering(&RETIRED_FREE));
            }
        });
        true
    }

    fn is_free(_node: &mut P::Arc<N>, mark: &Self::Mark) -> bool {
        mark.load(P::ordering(&RETIRED_CHECK)) == 1
    }
}

fn pointer<N: Send + Sync + 'static, P: Platform>(node: &P::Arc<N>) -> *mut N {
    std::ptr::from_ref::<N>(node).cast_mut()
}
