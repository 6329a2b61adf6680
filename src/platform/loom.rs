//! loom, completed: every interleaving and every stale read of small programs.
//!
//! Stock loom 0.7.3 misses interleavings, even without any bound (its issues 166 and 392). It remembers only the last
//! access to an atomic, so one thread's `load; store` hides other threads' earlier loads, and it never schedules at a
//! fence. Three additions make up for it; `verification/tests/litmus.rs` holds the programs that show the difference.
//!
//! - **The companion access.** Before every access to an atomic the platform does a relaxed `fetch_add(0)` on a second
//!   atomic. Two read-modify-writes always depend on one another, so loom tries both orders of any two accesses. Being
//!   relaxed, the companion orders nothing in the program.
//! - **A failing `compare_exchange` may be stale.** C++ lets it read any value that a load could; loom always reads the
//!   newest. A plain load with the failure ordering comes first, and if it differs from the expected value, that is the
//!   answer.
//! - **Fences are scheduling points**, by a companion that all fences share.
//!
//! Initial values count as SeqCst stores, as in C++ they happen before everything.
//!
//! Limits that remain: SeqCst accesses are weaker here than in the standard (false alarms), SeqCst fences stronger, no
//! load buffering, `compare_exchange_weak` never fails spuriously, five threads, seven stores of history.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::Ordering;

use loom::sync::atomic as stock;

use super::{AtomicPtr, AtomicU64, ContractCell, EpochDomain, Platform, Shared, Witness};
use crate::orderings::Site;

/// The platform of loom's executions.
#[derive(Clone, Copy, Debug)]
pub struct Loom;

impl Platform for Loom {
    const NAME: &'static str = "loom";

    type Mutex<T: Send + 'static> = loom::sync::Mutex<T>;
    type RwLock<T: Send + Sync + 'static> = loom::sync::RwLock<T>;
    type AtomicU64 = U64;
    type AtomicPtr<T: 'static> = Ptr<T>;
    type Arc<T: Send + Sync + 'static> = loom::sync::Arc<T>;
    type ArcSwap<T: Send + Sync + 'static> = ContractCell<loom::sync::Mutex<loom::sync::Arc<T>>>;
    type Epoch = Domain;
    type Witness = Watched;

    fn ordering(site: &'static Site) -> Ordering {
        WEAKENED.with(|weakened| match weakened.get() {
            Some((name, ordering)) if name == site.name => ordering,
            _ => site.ordering,
        })
    }

    fn fence(ordering: Ordering) {
        loom::lazy_static! {
            static ref COMPANION: stock::AtomicUsize = stock::AtomicUsize::new(0);
        }
        COMPANION.fetch_add(0, Ordering::Relaxed);
        stock::fence(ordering);
    }
}

super::locks!(loom);

thread_local! {
    static WEAKENED: Cell<Option<(&'static str, Ordering)>> = const { Cell::new(None) };
    static CREATED: Cell<usize> = const { Cell::new(0) };
    static RECLAIMED: Cell<usize> = const { Cell::new(0) };
}

/// Runs `f` with one site of the ledger weakened in all models that this thread runs.
pub fn weakened<R>(site: &'static Site, ordering: Ordering, f: impl FnOnce() -> R) -> R {
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            WEAKENED.set(None);
        }
    }
    WEAKENED.set(Some((site.name, ordering)));
    let _restore = Restore;
    f()
}

/// How many watched objects were destroyed in the models that this thread ran.
pub fn reclaimed() -> usize {
    RECLAIMED.get()
}

/// How many watched objects are alive in the model that this thread runs.
pub fn watched() -> usize {
    CREATED.get() - RECLAIMED.get()
}

/// An atomic together with the companion that makes loom try every order. For atomics that the platform does not have.
#[derive(Debug)]
pub struct Companion<A> {
    atomic: A,
    companion: stock::AtomicUsize,
}

impl<A> Companion<A> {
    /// Gives one of loom's atomics a companion.
    #[track_caller]
    pub fn new(atomic: A) -> Self {
        Self { atomic, companion: stock::AtomicUsize::new(0) }
    }

    /// The atomic, at a point where loom may switch. To be called for each access.
    #[track_caller]
    pub fn at(&self) -> &A {
        self.companion.fetch_add(0, Ordering::Relaxed);
        &self.atomic
    }

    /// The atomic, while nobody else has it.
    pub fn get_mut(&mut self) -> &mut A {
        &mut self.atomic
    }
}

/// A 64-bit integer with a companion.
pub struct U64(Companion<stock::AtomicU64>);

impl AtomicU64 for U64 {
    #[track_caller]
    fn new(value: u64) -> Self {
        let atomic = stock::AtomicU64::new(value);
        atomic.store(value, Ordering::SeqCst);
        Self(Companion::new(atomic))
    }

    #[track_caller]
    fn load(&self, order: Ordering) -> u64 {
        self.0.at().load(order)
    }

    #[track_caller]
    fn store(&self, value: u64, order: Ordering) {
        self.0.at().store(value, order);
    }

    #[track_caller]
    fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
        self.0.at().fetch_add(value, order)
    }

    #[track_caller]
    fn fetch_or(&self, value: u64, order: Ordering) -> u64 {
        self.0.at().fetch_or(value, order)
    }

    #[track_caller]
    fn compare_exchange(&self, current: u64, new: u64, ok: Ordering, err: Ordering) -> Result<u64, u64> {
        let seen = self.0.at().load(err);
        if seen != current {
            return Err(seen);
        }
        self.0.at().compare_exchange(current, new, ok, err)
    }
}

/// A pointer with a companion.
pub struct Ptr<T>(Companion<stock::AtomicPtr<T>>);

// SAFETY: like the standard library's `AtomicPtr`, this holds a pointer and gives out copies of it; following the copy
// is the business, and the `unsafe`, of whoever does so.
unsafe impl<T> Send for Ptr<T> {}
// SAFETY: as above; the accesses themselves go through loom's atomic.
unsafe impl<T> Sync for Ptr<T> {}

impl<T> AtomicPtr<T> for Ptr<T> {
    #[track_caller]
    fn new(pointer: *mut T) -> Self {
        let atomic = stock::AtomicPtr::new(pointer);
        atomic.store(pointer, Ordering::SeqCst);
        Self(Companion::new(atomic))
    }

    #[track_caller]
    fn load(&self, order: Ordering) -> *mut T {
        self.0.at().load(order)
    }

    #[track_caller]
    fn store(&self, pointer: *mut T, order: Ordering) {
        self.0.at().store(pointer, order);
    }

    #[track_caller]
    fn swap(&self, pointer: *mut T, order: Ordering) -> *mut T {
        self.0.at().swap(pointer, order)
    }
}

impl fmt::Debug for U64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("U64")
    }
}

impl<T> fmt::Debug for Ptr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ptr")
    }
}

impl<T: Send + Sync> Shared<T> for loom::sync::Arc<T> {
    #[track_caller]
    fn new(value: T) -> Self {
        Self::new(value)
    }

    fn ptr_eq(&self, other: &Self) -> bool {
        Self::ptr_eq(self, other)
    }

    #[track_caller]
    fn is_unique(&mut self) -> bool {
        Self::get_mut(self).is_some()
    }
}

/// crossbeam-epoch. Under `--cfg crossbeam_loom` its real algorithm, and each execution has a collector of its own.
/// Otherwise a collector of this registry's own, each of whose calls is one step that loom cannot see into; a shadow
/// atomic then stands for the order that the crate promises, that unpinning happens before reclaiming.
#[derive(Debug)]
pub struct Domain {
    #[cfg(not(crossbeam_loom))]
    own: std::sync::Arc<Own>,
}

#[cfg(not(crossbeam_loom))]
#[derive(Debug)]
struct Own {
    collector: crossbeam_epoch::Collector,
    shadow: stock::AtomicUsize,
}

/// A pinned thread.
#[derive(Debug)]
pub struct Pinned<'a> {
    domain: &'a Domain,
    _guard: crossbeam_epoch::Guard,
}

impl Domain {
    fn shadow(&self) {
        #[cfg(not(crossbeam_loom))]
        self.own.shadow.fetch_add(0, Ordering::AcqRel);
    }

    fn guard(&self) -> crossbeam_epoch::Guard {
        #[cfg(crossbeam_loom)]
        return crossbeam_epoch::pin();
        #[cfg(not(crossbeam_loom))]
        self.own.collector.register().pin()
    }
}

impl EpochDomain for Domain {
    type Guard<'a> = Pinned<'a>;

    fn new() -> Self {
        Self {
            #[cfg(not(crossbeam_loom))]
            own: std::sync::Arc::new(Own {
                collector: crossbeam_epoch::Collector::new(),
                shadow: stock::AtomicUsize::new(0),
            }),
        }
    }

    fn pin(&self) -> Pinned<'_> {
        let _guard = self.guard();
        self.shadow();
        Pinned { domain: self, _guard }
    }

    fn retire(&self, reclaim: impl FnOnce() + Send + 'static) {
        // Pairs with the one in `pin`: whoever pins after this sees what was done before it, as by the crate's fences.
        self.shadow();
        #[cfg(not(crossbeam_loom))]
        let reclaim = {
            let own = std::sync::Arc::downgrade(&self.own);
            move || {
                if let Some(own) = own.upgrade() {
                    own.shadow.fetch_add(0, Ordering::AcqRel);
                    reclaim();
                }
            }
        };
        super::retire(|| self.guard(), reclaim);
    }
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        self.domain.shadow();
    }
}

/// A cell that the creator writes, every reader reads and the destructor writes: loom reports the access that is not
/// ordered.
pub struct Watched(loom::cell::UnsafeCell<()>);

// SAFETY: the cell holds nothing. Finding out that accesses to it race is what it is for.
unsafe impl Sync for Watched {}

impl Witness for Watched {
    #[track_caller]
    fn new() -> Self {
        CREATED.set(CREATED.get() + 1);
        let cell = loom::cell::UnsafeCell::new(());
        cell.with_mut(|_| ());
        Self(cell)
    }

    #[track_caller]
    fn touch(&self) {
        self.0.with(|_| ());
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            RECLAIMED.set(RECLAIMED.get() + 1);
            self.0.with_mut(|_| ());
        }
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watched")
    }
}
