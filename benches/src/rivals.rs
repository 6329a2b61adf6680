//! What people write without this crate: a list behind something, a counter that all threads share, `counter % n`.
//!
//! None of them is an exact ring, since the counter and the list are read one after the other, and a change moves the
//! rotation. Each is used as its documentation shows it: who keeps something for each thread does so here, too.

mod arc_swaps;
mod atomic_arcs;
mod bags;
mod left_right;
mod locks;
mod maps;
mod reclaimers;

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use snapring::Backend;

pub use arc_swaps::{Cached, Load, LoadFull};
pub use atomic_arcs::{Hazarc, HazarcCached, Rcu};
pub use bags::{LockFreeBag, Routed};
pub use left_right::LeftRight;
pub use locks::{ParkingLot, StdLock};
pub use maps::{DashMapSlots, SccSlots};
pub use reclaimers::{Haphazard, Seize};

use crate::adapters::{Contender, Picker};
use crate::window::Padded;

/// A vector behind an `ArcSwap` and a shared counter: the usual way. The guard lends the member, so no reference count is
/// paid for.
pub type ArcSwapAndCounter = Counting<Load>;

/// Something that a list can be behind.
pub trait Cell: Sized + Send + Sync {
    /// Whether the member that was picked is cloned. If not, it is lent.
    const CLONES: bool;

    /// How one thread reads it.
    type Reader<'a>: Read
    where
        Self: 'a;

    /// A cell with this list.
    fn new(list: Vec<Arc<Backend>>) -> Self;

    /// Made on the thread that reads.
    fn reader(&self) -> Self::Reader<'_>;

    /// Publishes a changed list.
    fn change(&self, change: Change);
}

/// One thread's way to read.
pub trait Read {
    /// Looks at the list.
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R;
}

/// What happens to a list.
#[derive(Clone, Debug)]
pub enum Change {
    /// One more, at the end.
    Add(Arc<Backend>),
    /// The one of this id less.
    Remove(String),
}

impl Change {
    /// Changes the list.
    pub fn apply(&self, list: &mut Vec<Arc<Backend>>) {
        match self {
            Self::Add(member) => list.push(member.clone()),
            Self::Remove(id) => list.retain(|member| member.id() != id),
        }
    }

    /// Copies the list, and changes the copy.
    pub fn applied(&self, list: &[Arc<Backend>]) -> Vec<Arc<Backend>> {
        let mut copy = list.to_vec();
        self.apply(&mut copy);
        copy
    }
}

/// Something that holds the `Arc` of a list, and has nothing for those who copy, modify and store.
pub trait Slot: Send + Sync {
    /// With this list.
    fn new(list: Arc<Vec<Arc<Backend>>>) -> Self;

    /// Looks at the list, in the way that it offers for a short look.
    fn look<R>(&self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R;

    /// Replaces the list.
    fn set(&self, list: Arc<Vec<Arc<Backend>>>);
}

/// A slot, and a lock for those who copy, modify and store. Readers look for as long as the member is lent.
#[derive(Debug)]
pub struct Locked<S> {
    slot: S,
    writing: Mutex<()>,
}

impl<S: Slot> Cell for Locked<S> {
    const CLONES: bool = false;
    type Reader<'a>
        = &'a Self
    where
        S: 'a;

    fn new(list: Vec<Arc<Backend>>) -> Self {
        Self { slot: S::new(Arc::new(list)), writing: Mutex::new(()) }
    }

    fn reader(&self) -> &Self {
        self
    }

    fn change(&self, change: Change) {
        let _alone = self.writing.lock().expect("no change panics");
        self.slot.set(Arc::new(self.slot.look(|list| change.applied(list))));
    }
}

impl<S: Slot> Read for &Locked<S> {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        self.slot.look(look)
    }
}

/// A list in a cell, and a shared counter.
#[derive(Debug)]
pub struct Counting<C> {
    cell: C,
    count: Padded<AtomicUsize>,
}

/// One thread's reader of the list, and the count that all threads share.
#[derive(Debug)]
pub struct Counter<'a, R> {
    reader: R,
    count: &'a AtomicUsize,
}

impl<C: Cell> Contender for Counting<C> {
    type Picker<'a>
        = Picking<'a, C>
    where
        Self: 'a;

    fn new(members: Vec<Backend>) -> Self {
        let list = members.into_iter().map(Arc::new).collect();
        Self { cell: C::new(list), count: Padded(AtomicUsize::new(0)) }
    }

    fn picker(&self, _thread: usize) -> Picking<'_, C> {
        Picking(Counter { reader: self.cell.reader(), count: &self.count.0 })
    }

    fn add(&self, member: Backend) {
        self.cell.change(Change::Add(Arc::new(member)));
    }

    fn remove(&self, id: &str) {
        self.cell.change(Change::Remove(id.to_owned()));
    }
}

impl<R: Read> Counter<'_, R> {
    #[inline]
    fn with_next<V>(&mut self, look: impl FnOnce(Option<&Arc<Backend>>) -> V) -> V {
        let count = self.count;
        self.reader.with(|list| {
            let turn = count.fetch_add(1, Ordering::Relaxed);
            look(turn.checked_rem(list.len()).and_then(|at| list.get(at)))
        })
    }
}

/// Picks from a [`Counting`].
#[derive(Debug)]
pub struct Picking<'a, C: Cell + 'a>(Counter<'a, C::Reader<'a>>);

impl<C: Cell> Picker for Picking<'_, C> {
    #[inline]
    fn pick(&mut self) {
        self.0.with_next(|member| {
            if C::CLONES {
                drop(black_box(member.cloned()));
            } else {
                black_box(member);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::backends;

    fn takes_turns_and_follows_changes<C: Cell>() {
        let rival = Counting::<C>::new(backends(2));
        let mut picking = rival.picker(0);
        let mut next = || picking.0.with_next(|member| member.map(|member| member.id().to_owned()));
        assert_eq!([next(), next(), next()].map(Option::unwrap), ["b0", "b1", "b0"]);
        rival.remove("b0");
        assert_eq!(next().unwrap(), "b1");
        rival.remove("b1");
        assert_eq!(next(), None);
        rival.add(Backend::new("new", ""));
        rival.add(Backend::new("newer", ""));
        let mut both = [next().unwrap(), next().unwrap()];
        both.sort();
        assert_eq!(both, ["new", "newer"]);
    }

    #[test]
    fn all_take_turns_and_follow_changes() {
        takes_turns_and_follows_changes::<Load>();
        takes_turns_and_follows_changes::<LoadFull>();
        takes_turns_and_follows_changes::<Cached>();
        takes_turns_and_follows_changes::<Hazarc>();
        takes_turns_and_follows_changes::<HazarcCached>();
        takes_turns_and_follows_changes::<Rcu>();
        takes_turns_and_follows_changes::<StdLock>();
        takes_turns_and_follows_changes::<ParkingLot>();
        takes_turns_and_follows_changes::<LeftRight>();
        takes_turns_and_follows_changes::<Seize>();
        takes_turns_and_follows_changes::<Haphazard>();
    }
}
