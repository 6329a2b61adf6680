//! The exact ring without a lock: the versioned ticket.
//!
//! One word, the *ticket word*, holds `version | closing | count`. A pick is one `fetch_add` on it, and what that
//! returns *is* the pick: the count-th turn of that version of the list. A ticket is never thrown away.
//!
//! ```text
//!   63            29  28  27             0
//!  ┌────────────────┬───┬────────────────┐
//!  │    version     │ C │     count      │     ticket word
//!  └────────────────┴───┴────────────────┘
//!                                                  link              link
//!   cell ──▶ node of version 7 (a hint) ─────────────▶ version 8 ──────▶ version 9
//!              │ list, lap                             │ step, list, lap
//! ```
//!
//! **A pick** reads some node from the cell, then takes its ticket. If the ticket is of the node's version, the turn is
//! `count % n` of its list. If it is of a later version, the pick follows the links to that version's node. It cannot be
//! of an earlier one: a node gets into the cell after the word has moved to its version.
//!
//! **A change** links the new node to the old one, sets `closing`, and moves the word to `(version + 1, carried count)`
//! with a `compare_exchange`. A pick that meets `closing` serves its ticket and then helps to move the word, so at most
//! one pick per thread comes between, and the change is bounded: it fails at most once for each other thread. Then the
//! cell gets the new node.
//!
//! **The count never wraps into the closing bit.** A pick whose count has reached the node's *lap*, a multiple of `n`,
//! takes the lap out again, which leaves every turn where it is. Counts beyond the lap are at most one for each thread
//! that is between its ticket and that subtraction; there is room for 2²⁷ of them.
//!
//! **The version's bits** wrap after 2³⁵ changes. Picks compare them for equality only, so a wrap is harmless unless one
//! call sleeps, between reading the cell and taking its ticket, through a multiple of exactly 2³⁵ changes: nine hours at
//! a million a second. [`Snapshot::version`](crate::Snapshot::version) has 64 bits.
//!
//! **Linearization points.** A pick: its `fetch_add`. A change: the successful `compare_exchange`. A snapshot: its load
//! of the word, followed by links as far as that version.
//!
//! **Why links are safe to follow.** The registry owns every node. It frees replaced nodes strictly in order, the oldest
//! first, and the oldest only when the [`Cell`] says that no reader has it. A reader that got a node from the cell thus
//! keeps that node and all later ones. Nodes do not own each other, so no chain is ever dropped recursively.
//!
//! Bring your own [`Cell`] and you have another registry: [`RingRegistry`].

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use crate::list::List;
use crate::orderings::{
    LINK_FOLLOW, LINK_SET, TICKET_CLOSE, TICKET_FOLD, TICKET_MOVE, TICKET_PEEK, TICKET_READ, TICKET_TAKE,
};
use crate::platform::{AtomicPtr, AtomicU64, Platform, Shared, Witness};
use crate::registry::registry;
use crate::registry::rotation::{Lap, Rotation, Step};
use crate::{Member, NoBackends, Snapshot, Start};

pub use crate::registry::arc_swap::ArcSwapCell;
pub use crate::registry::epoch::EpochCell;

registry! {
    /// The exact ring over a [`Cell`] of your choice. [`EpochRegistry`](crate::EpochRegistry) and
    /// [`ArcSwapRegistry`](crate::ArcSwapRegistry) are this over ours.
    ///
    /// Publication, reclamation and progress are as the [module](self) says, with the cell's.
    RingRegistry<T, P, C: RingCell> over Ring<T, P, C::Of<T, P>>
}

/// The cell of [`EpochRegistry`](crate::EpochRegistry).
#[derive(Debug)]
pub enum ByEpoch {}

impl RingCell for ByEpoch {
    type Of<T: Member, P: Platform> = EpochCell<Node<T, P>, P>;
}

/// The cell of [`ArcSwapRegistry`](crate::ArcSwapRegistry).
#[derive(Debug)]
pub enum ByArcSwap {}

impl RingCell for ByArcSwap {
    type Of<T: Member, P: Platform> = ArcSwapCell<Node<T, P>, P>;
}

/// Names a [`Cell`] for every kind of node, so that [`RingRegistry`] can be written with one word.
pub trait RingCell: 'static {
    /// The cell that holds the nodes of this ring.
    type Of<T: Member, P: Platform>: Cell<Node<T, P>, P>;
}

/// Where pickers find the current node, and how it is known when nobody uses a replaced one any more.
///
/// # Safety
///
/// `read` must call its function with a node that was passed to `new` or `swap` and is the current one at some moment of
/// the call or was earlier (an old node costs time, not exactness), and everything that happened before it was passed
/// happened before the function is called.
///
/// Once `is_free` has returned true for a node that was swapped out, no `read` that began before or begins later may be
/// using the node or any older one, and whatever earlier ones did with it happened before that return. The caller keeps
/// every node alive until then.
pub unsafe trait Cell<N, P: Platform>: Send + Sync + 'static
where
    N: Send + Sync + 'static,
{
    /// What `swap` notes about the node it replaced.
    type Mark: Clone + Send + 'static;

    /// A cell that holds this node.
    fn new(first: &P::Arc<N>) -> Self;

    /// Calls `f` with the current node. `f` is short and runs no user code.
    fn read<R>(&self, f: impl FnOnce(&N) -> R) -> R;

    /// Replaces the node. Calls of this do not overlap.
    fn swap(&self, next: &P::Arc<N>) -> Self::Mark;

    /// Called outside of all locks: with the mark after a swap, and without one by somebody who wants to reclaim. True
    /// if `is_free` may hold for more nodes than before.
    fn settle(&self, mark: Option<&Self::Mark>) -> bool {
        let _ = mark;
        false
    }

    /// Whether this node, which was swapped out, is free.
    fn is_free(node: &mut P::Arc<N>, mark: &Self::Mark) -> bool;
}

/// One version of the list, with what a pick needs beside it.
pub struct Node<T: Member, P: Platform> {
    /// The version's bits, at their place in the word; closing and count are zero.
    tag: u64,
    /// Tickets from `tag` up to here, exclusively, need nothing special: open, this version, before the lap's end.
    plain: u64,
    lap: Lap,
    /// How this list came from the one before it.
    step: Step,
    /// The successor. Null until there is one.
    link: P::AtomicPtr<Node<T, P>>,
    list: P::Arc<List<T, P>>,
    witness: P::Witness,
}

impl<T: Member, P: Platform> Node<T, P> {
    fn new(tag: u64, list: P::Arc<List<T, P>>, step: Step, start: Start) -> P::Arc<Self> {
        let lap = Lap::new(list.members().len(), start);
        let plain = if lap.n() == 0 { 0 } else { lap.end() };
        let (link, witness) = (P::AtomicPtr::new(std::ptr::null_mut()), P::Witness::new());
        P::Arc::new(Self { tag, plain, lap, step, link, list, witness })
    }

    /// A node outside of any ring: the list alone counts.
    pub(crate) fn unlinked(list: P::Arc<List<T, P>>) -> P::Arc<Self> {
        Self::new(0, list, Step::Append, Start::default())
    }

    pub(crate) fn list(&self) -> &P::Arc<List<T, P>> {
        self.witness.touch();
        &self.list
    }

    #[inline]
    fn pick(&self, count: u64) -> Result<Arc<T>, NoBackends> {
        let members = self.list.members();
        self.lap.position(count).and_then(|position| members.get(position)).cloned().ok_or(NoBackends)
    }

    /// The next version. Only for those who know that it exists.
    fn follow(&self) -> &Self {
        let next = self.link.load(P::ordering(&LINK_FOLLOW));
        assert!(!next.is_null(), "a version was closed before its successor was linked");
        // SAFETY: not null, so it was set by `publish`, before the close that the caller has acquired. Nodes are freed
        // oldest first, and `self`, which is older, is still in use.
        let next = unsafe { &*next };
        next.witness.touch();
        next
    }
}

impl<T: Member, P: Platform> fmt::Debug for Node<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("version", &self.list.version()).finish_non_exhaustive()
    }
}

/// How the bits of the word are divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    count_bits: u32,
}

impl Layout {
    pub(crate) fn of(start: Start) -> Self {
        Self { count_bits: start.bits() }
    }

    pub(crate) fn closing(self) -> u64 {
        1 << self.count_bits
    }

    pub(crate) fn count(self, word: u64) -> u64 {
        word & (self.closing() - 1)
    }

    /// Without closing and count.
    pub(crate) fn tag(self, word: u64) -> u64 {
        word >> (self.count_bits + 1) << (self.count_bits + 1)
    }

    pub(crate) fn of_version(self, version: u64) -> u64 {
        version << (self.count_bits + 1)
    }
}

/// A word on a line of its own (two: processors fetch neighbours), so that picks do not slow down what lies beside it.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Padded<A>(pub(crate) A);

/// The versioned ticket over a cell.
pub(crate) struct Ring<T: Member, P: Platform, C> {
    word: Padded<P::AtomicU64>,
    cell: C,
    layout: Layout,
    start: Start,
    _node: std::marker::PhantomData<fn() -> Node<T, P>>,
}

/// The nodes that a registry owns: the current one, and those that were swapped out of the cell and wait for their
/// readers, oldest first.
pub(crate) struct Nodes<N: Send + Sync + 'static, P: Platform, C: Cell<N, P>> {
    tail: P::Arc<N>,
    waiting: VecDeque<(P::Arc<N>, C::Mark)>,
}

/// What a publication leaves over: nodes that are free, and the mark of the one that is to be settled.
pub(crate) struct Leftover<N: Send + Sync + 'static, P: Platform, C: Cell<N, P>> {
    free: Vec<P::Arc<N>>,
    mark: Option<C::Mark>,
}

impl<N: Send + Sync + 'static, P: Platform, C: Cell<N, P>> Nodes<N, P, C> {
    pub(crate) fn new(tail: P::Arc<N>) -> Self {
        Self { tail, waiting: VecDeque::new() }
    }

    /// The cell has this one now, and gave that mark for the one before.
    pub(crate) fn replace(&mut self, tail: P::Arc<N>, mark: C::Mark) -> Leftover<N, P, C> {
        self.waiting.push_back((std::mem::replace(&mut self.tail, tail), mark.clone()));
        Leftover { mark: Some(mark), ..self.sweep() }
    }

    /// Takes out what is free. Stops at the first that is not: its readers may reach all later ones.
    pub(crate) fn sweep(&mut self) -> Leftover<N, P, C> {
        let mut free = Vec::new();
        while let Some((node, mark)) = self.waiting.front_mut() {
            if !C::is_free(node, mark) {
                break;
            }
            free.extend(self.waiting.pop_front().map(|(node, _)| node));
        }
        Leftover { free, mark: None }
    }
}

impl<N: Send + Sync + 'static, P: Platform, C: Cell<N, P>> Leftover<N, P, C> {
    /// Outside the lock: lets the cell know, and then drops, which may panic.
    pub(crate) fn settle(self, cell: &C) -> bool {
        let more = cell.settle(self.mark.as_ref());
        drop(self.free);
        more
    }
}

impl<T: Member, P: Platform, C: Cell<Node<T, P>, P>> Rotation<T, P> for Ring<T, P, C> {
    type List = List<T, P>;
    type Writer = Nodes<Node<T, P>, P, C>;
    type Retired = Leftover<Node<T, P>, P, C>;

    fn new(first: P::Arc<List<T, P>>, start: Start) -> (Self, Self::Writer) {
        let layout = Layout::of(start);
        let tag = layout.of_version(first.version());
        let tail = Node::<T, P>::new(tag, first, Step::Append, start);
        let word = Padded(P::AtomicU64::new(tag | (start.count % tail.lap.end())));
        let ring = Self { word, cell: C::new(&tail), layout, start, _node: std::marker::PhantomData };
        (ring, Nodes::new(tail))
    }

    #[inline]
    fn next(&self) -> Result<Arc<T>, NoBackends> {
        self.cell.read(|node| {
            node.witness.touch();
            let ticket = self.word.0.fetch_add(1, P::ordering(&TICKET_TAKE));
            let count = ticket.wrapping_sub(node.tag);
            if count < node.plain { node.pick(count) } else { self.serve(node, ticket) }
        })
    }

    fn current(&self) -> Snapshot<T, P> {
        self.cell.read(|node| {
            node.witness.touch();
            let word = self.word.0.load(P::ordering(&TICKET_READ));
            Snapshot::from_list(self.at_version(node, word).list.clone())
        })
    }

    fn publish(&self, nodes: &mut Self::Writer, list: P::Arc<List<T, P>>, step: Step) -> Self::Retired {
        let next = Node::<T, P>::new(self.layout.of_version(list.version()), list, step, self.start);
        let tail = &nodes.tail;
        tail.link.store(std::ptr::from_ref::<Node<T, P>>(&next).cast_mut(), P::ordering(&LINK_SET));
        self.word.0.fetch_or(self.layout.closing(), P::ordering(&TICKET_CLOSE));
        self.advance(tail);
        let mark = self.cell.swap(&next);
        nodes.replace(next, mark)
    }

    fn settle(&self, retired: Self::Retired) -> bool {
        retired.settle(&self.cell)
    }

    fn sweep(&self, nodes: &mut Self::Writer) -> Option<Self::Retired> {
        Some(nodes.sweep())
    }

    fn reclaim(&self) {
        self.cell.settle(None);
    }
}

impl<T: Member, P: Platform, C: Cell<Node<T, P>, P>> Ring<T, P, C> {
    /// A ticket that is not plain: of a later version than the node, or closing, or at the lap's end, or empty.
    #[cold]
    fn serve(&self, node: &Node<T, P>, ticket: u64) -> Result<Arc<T>, NoBackends> {
        let node = self.at_version(node, ticket);
        let count = self.layout.count(ticket);
        let pick = node.pick(count);
        if ticket & self.layout.closing() != 0 {
            self.advance(node);
        } else if count >= node.lap.end() {
            self.fold(node);
        }
        pick
    }

    /// The node of the word's version, which is this one or a later one.
    fn at_version<'a>(&self, mut node: &'a Node<T, P>, word: u64) -> &'a Node<T, P> {
        while node.tag != self.layout.tag(word) {
            node = node.follow();
        }
        node
    }

    /// Moves the word from a closed version to the next, carrying the count over. Whoever comes first does it.
    fn advance(&self, node: &Node<T, P>) {
        let next = node.follow();
        let mut word = self.word.0.load(P::ordering(&TICKET_PEEK));
        while self.layout.tag(word) == node.tag {
            let due = node.lap.position(self.layout.count(word)).unwrap_or(0) as u64;
            let moved = next.tag | next.step.carry(node.lap.n(), due);
            match self.word.0.compare_exchange(word, moved, P::ordering(&TICKET_MOVE), P::ordering(&TICKET_PEEK)) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }

    /// Takes a lap out of the count, unless somebody did or the version is over.
    fn fold(&self, node: &Node<T, P>) {
        let mut word = self.word.0.load(P::ordering(&TICKET_PEEK));
        while (node.lap.end()..self.layout.closing()).contains(&word.wrapping_sub(node.tag)) {
            let folded = word - node.lap.end();
            match self.word.0.compare_exchange(word, folded, P::ordering(&TICKET_FOLD), P::ordering(&TICKET_PEEK)) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }
}
