//! What is compared: every implementation behind one small trait.
//!
//! To add one, implement [`Contender`] for it and give it a row in [`CONTENDERS`]. A thread picks through a
//! [`Picker`] of its own, made on that thread and used with `&mut`, so implementations with per-thread handles, or with
//! a lent result, fit as well as those that are shared by `&self`. The loops around a picker are compiled for each
//! implementation; nothing is called through a pointer.

use std::hint::black_box;
use std::time::Duration;

use snapring::baseline::{PlainArcSwap, PlainEpoch};
use snapring::strategy::{RoundRobin, ShuffleBag};
use snapring::{ArcSwapRegistry, Backend, EpochRegistry, HandleRegistry, MutexRegistry, Registry, RwLockRegistry};

use crate::floors::{BorrowOwn, CloneOwn, CloneShared, Floor, SharedTicket};
use crate::handles::{Exact, Leased};
use crate::instructions;
use crate::plan::Case;
use crate::rivals::{
    ArcSwapAndCounter, Cached, Counting, DashMapSlots, Haphazard, Hazarc, HazarcCached, LeftRight, LoadFull,
    LockFreeBag, ParkingLot, Rcu, Routed, SccSlots, Seize, StdLock,
};
use crate::window::{self, Cores, Window};

/// Something that hands out members to many threads.
pub trait Contender: Sized + Send + Sync {
    /// What one thread picks with.
    type Picker<'a>: Picker
    where
        Self: 'a;

    /// A contender with these members.
    fn new(members: Vec<Backend>) -> Self;

    /// A picker, made on the thread that will use it. Threads count from 0.
    fn picker(&self, thread: usize) -> Self::Picker<'_>;

    /// One publication: a member more.
    fn add(&self, member: Backend);

    /// One publication: a member less.
    fn remove(&self, id: &str);

    /// Called after a window, to leave nothing behind that a later window would have to clean up.
    fn rest() {}
}

/// One thread's way to pick.
pub trait Picker {
    /// One pick, result included: made, looked at by nobody, and let go.
    fn pick(&mut self);
}

/// A line of the comparison.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// How tables and samples call it.
    pub name: &'static str,
    /// The names of the contenders that it is compared with. Its own name means itself without a writer.
    pub against: &'static [&'static str],
    /// Whether it has an `add` and a `remove`. If not, it is measured without a writer only.
    pub changes: bool,
    /// Whether its threads wait for each other: then one that is not running need not have been preempted.
    pub blocks: bool,
    /// Whether it lends what it picks. If not, it clones it.
    pub lends: bool,
    /// Whether it is a rival that is measured in few cases, and only if somebody asks for it.
    pub rival: bool,
    /// Measures one window of it.
    pub measure: fn(&Case, Duration, &Cores) -> Window,
    /// Picks so often from so many members, on this thread.
    pub repeat: fn(usize, u64),
}

/// The floor that ratios refer to: cloning an `Arc` that nobody else touches, from a list that nobody else has.
pub const FLOOR: &str = "floor clone";

/// All lines, in the order of the tables.
pub const CONTENDERS: &[Entry] = &[
    entry::<Shared<MutexRegistry<Backend>>>("mutex").blocks(),
    entry::<Shared<RwLockRegistry<Backend>>>("rwlock").blocks(),
    entry::<Epoch<EpochRegistry<Backend>>>("epoch").against(&["plain epoch"]),
    entry::<Epoch<PlainEpoch<Backend>>>("plain epoch"),
    entry::<Shared<ArcSwapRegistry<Backend>>>("arc-swap").against(&["plain arc-swap"]),
    entry::<Shared<PlainArcSwap<Backend>>>("plain arc-swap"),
    entry::<Shared<HandleRegistry<Backend>>>("handle registry"),
    entry::<Exact>("handle").against(&["floor shared ticket", "arc-swap + counter"]).lends(),
    entry::<Leased<256>>("leased 256").against(&["floor borrow", "arc-swap + counter", "leased 256"]).lends(),
    entry::<ArcSwapAndCounter>("arc-swap + counter").lends(),
    entry::<Counting<LoadFull>>("arc-swap load_full").rival(),
    entry::<Counting<Cached>>("arc-swap cache").rival().lends(),
    entry::<Counting<Hazarc>>("hazarc").rival().lends(),
    entry::<Counting<HazarcCached>>("hazarc cache").rival().lends(),
    entry::<Counting<Rcu>>("rcu_cell").rival().lends(),
    entry::<Counting<StdLock>>("std RwLock clone-out").rival().blocks(),
    entry::<Counting<ParkingLot>>("parking_lot clone-out").rival().blocks(),
    entry::<Counting<LeftRight>>("left-right").rival().lends(),
    entry::<Counting<Seize>>("seize").rival().lends(),
    entry::<Counting<Haphazard>>("haphazard").rival().lends(),
    entry::<DashMapSlots>("dashmap by slot").rival().blocks(),
    entry::<SccSlots>("scc by slot").rival().blocks(),
    entry::<Routed<RoundRobin>>("round robin, routed").rival().blocks(),
    entry::<Routed<ShuffleBag>>("shuffle bag, routed").against(&["lock-free bag"]).rival().blocks(),
    entry::<LockFreeBag>("lock-free bag").rival().blocks(), // in the allocator: rounds are freed by other threads
    entry::<Floor<CloneShared>>("floor shared clone").fixed(),
    entry::<Floor<CloneOwn>>(FLOOR).fixed(),
    entry::<SharedTicket>("floor shared ticket").fixed().lends(),
    entry::<Floor<BorrowOwn>>("floor borrow").fixed().lends(),
];

const fn entry<C: Contender>(name: &'static str) -> Entry {
    Entry {
        name,
        against: &[],
        changes: true,
        blocks: false,
        lends: false,
        rival: false,
        measure: window::measure::<C>,
        repeat: instructions::repeat::<C>,
    }
}

impl Entry {
    /// The one of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        CONTENDERS.iter().find(|entry| entry.name == name)
    }

    /// The case in which this contender, in a case like that, is compared with that partner: the same one, but for
    /// partners that have no writer. `None` if that were a comparison of a window with itself.
    pub fn partners_case(&self, partner: &Self, case: Case) -> Option<Case> {
        let itself = partner.name == self.name;
        let case_of_partner = if itself || !partner.changes { case.unchanging() } else { case };
        (!itself || case_of_partner != case).then_some(case_of_partner)
    }

    const fn against(self, against: &'static [&'static str]) -> Self {
        Self { against, ..self }
    }

    const fn fixed(self) -> Self {
        Self { changes: false, ..self }
    }

    const fn blocks(self) -> Self {
        Self { blocks: true, ..self }
    }

    const fn lends(self) -> Self {
        Self { lends: true, ..self }
    }

    const fn rival(self) -> Self {
        Self { rival: true, ..self }
    }
}

/// Any registry whose picks go through `&self`.
#[derive(Debug)]
pub struct Shared<R>(R);

impl<R: Registry<Backend> + Default> Contender for Shared<R> {
    type Picker<'a>
        = Next<'a, R>
    where
        Self: 'a;

    fn new(members: Vec<Backend>) -> Self {
        let registry = R::default();
        registry.replace_all(members);
        Self(registry)
    }

    fn picker(&self, _thread: usize) -> Next<'_, R> {
        Next(&self.0)
    }

    fn add(&self, member: Backend) {
        self.0.register(member);
    }

    fn remove(&self, id: &str) {
        self.0.deregister(id);
    }
}

/// Calls `next` of a shared registry.
#[derive(Debug)]
pub struct Next<'a, R>(&'a R);

impl<R: Registry<Backend>> Picker for Next<'_, R> {
    #[inline]
    fn pick(&mut self) {
        black_box(self.0.next()).ok();
    }
}

/// A registry that hands garbage to the epoch collector, which the whole process shares.
#[derive(Debug)]
pub struct Epoch<R>(Shared<R>);

impl<R: Registry<Backend> + Default> Contender for Epoch<R> {
    type Picker<'a>
        = Next<'a, R>
    where
        Self: 'a;

    fn new(members: Vec<Backend>) -> Self {
        Self(Shared::new(members))
    }

    fn picker(&self, thread: usize) -> Next<'_, R> {
        self.0.picker(thread)
    }

    fn add(&self, member: Backend) {
        self.0.add(member);
    }

    fn remove(&self, id: &str) {
        self.0.remove(id);
    }

    /// Otherwise the picks of the next window would work off what the writer of this one left.
    fn rest() {
        let collector = EpochRegistry::<Backend>::new();
        for _ in 0..64 {
            collector.collect();
        }
    }
}

/// As many backends as wanted, all different.
pub fn backends(n: usize) -> Vec<Backend> {
    (0..n).map(|i| Backend::new(format!("b{i}"), format!("10.{}.{}.{}:80", i >> 16, (i >> 8) & 255, i & 255))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Writer;

    #[test]
    fn every_partner_is_a_contender() {
        for entry in CONTENDERS {
            assert!(entry.against.iter().all(|partner| Entry::named(partner).is_some()), "{entry:?}");
        }
        assert!(Entry::named(FLOOR).is_some());
    }

    #[test]
    fn partners_without_a_writer_are_measured_without_one() {
        let quiet = Case { n: 16, writer: Writer::None, threads: 1 };
        let busy = Case { writer: Writer::Flat, ..quiet };
        let [epoch, plain, leased, floor] =
            ["epoch", "plain epoch", "leased 256", "floor borrow"].map(|name| Entry::named(name).unwrap());
        assert_eq!(epoch.partners_case(plain, busy), Some(busy));
        assert_eq!(leased.partners_case(floor, busy), Some(quiet));
        assert_eq!(leased.partners_case(leased, busy), Some(quiet));
        assert_eq!(leased.partners_case(leased, quiet), None);
    }
}
