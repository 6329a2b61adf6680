//! What people write by hand, kept to be measured and to be caught. Not for production.
//!
//! [`PlainCounter`] is a snapshot cell and a separate counter, `counter % n`. It never indexes out of bounds and never
//! races. But it is **no ring**: when the list changes, `% n` with another `n` jumps somewhere else, so a backend is
//! served twice while another is left out, and a pick may take its list before a change and its turn after it. The
//! verification suite demands that the ring specification catches it. The benchmarks compare the exact registries with
//! it, over the same cells, to show what exactness costs.

use std::sync::Arc;

use crate::list::List;
use crate::orderings::COUNT_TAKE;
use crate::platform::{AtomicU64, Platform, Std};
use crate::registry::registry;
use crate::registry::rotation::{Rotation, Step};
use crate::ring::{Cell, Leftover, Node, Nodes, Padded, RingCell};
use crate::{Member, NoBackends, Snapshot, Start};

registry! {
    /// A snapshot cell and a separate counter: the baseline. Everything but `next` keeps the contract; `next` does not.
    ///
    /// Publication, reclamation and progress are those of the cell. The count has 64 bits and is never carried over.
    PlainCounter<T, P, C: RingCell> over Plain<T, P, C::Of<T, P>>
}

/// The baseline over the cell of [`EpochRegistry`](crate::EpochRegistry).
pub type PlainEpoch<T, P = Std> = PlainCounter<T, crate::ring::ByEpoch, P>;
/// The baseline over the cell of [`ArcSwapRegistry`](crate::ArcSwapRegistry).
pub type PlainArcSwap<T, P = Std> = PlainCounter<T, crate::ring::ByArcSwap, P>;

pub(crate) struct Plain<T: Member, P: Platform, C> {
    count: Padded<P::AtomicU64>,
    cell: C,
    _node: std::marker::PhantomData<fn() -> Node<T, P>>,
}

impl<T: Member, P: Platform, C: Cell<Node<T, P>, P>> Rotation<T, P> for Plain<T, P, C> {
    type List = List<T, P>;
    type Writer = Nodes<Node<T, P>, P, C>;
    type Retired = Leftover<Node<T, P>, P, C>;

    fn new(first: P::Arc<List<T, P>>, start: Start) -> (Self, Self::Writer) {
        let node = Node::<T, P>::unlinked(first);
        let count = Padded(P::AtomicU64::new(start.count));
        let cell = C::new(&node);
        (Self { count, cell, _node: std::marker::PhantomData }, Nodes::new(node))
    }

    #[inline]
    fn next(&self) -> Result<Arc<T>, NoBackends> {
        self.cell.read(|node| {
            let members = node.list().members();
            if members.is_empty() {
                return Err(NoBackends);
            }
            let count = self.count.0.fetch_add(1, P::ordering(&COUNT_TAKE));
            Ok(members[(count % members.len() as u64) as usize].clone())
        })
    }

    fn current(&self) -> Snapshot<T, P> {
        self.cell.read(|node| Snapshot::from_list(node.list().clone()))
    }

    fn publish(&self, nodes: &mut Self::Writer, next: P::Arc<List<T, P>>, _step: Step) -> Self::Retired {
        let next = Node::<T, P>::unlinked(next);
        let mark = self.cell.swap(&next);
        nodes.replace(next, mark)
    }

    fn settle(&self, retired: Self::Retired) -> bool {
        retired.settle(&self.cell)
    }

    fn sweep(&self, nodes: &mut Self::Writer) -> Option<Self::Retired> {
        Some(nodes.sweep())
    }
}
