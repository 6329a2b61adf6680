//! The one door to synchronisation: every lock, atomic and reference count of this crate comes through [`Platform`].
//!
//! Registries and strategies are generic over `P: Platform = Std`. The features `loom` and `shuttle` *add* a platform
//! each and change nothing else, so one binary can run one scenario under all three, and the code that the checkers
//! explore is the code that ships. On [`Std`] every method is an inlined call of the standard library.

use ::std::ops::{Deref, DerefMut};
use ::std::sync::atomic::Ordering;

use crate::orderings::Site;

#[cfg(feature = "loom")]
pub mod loom;
#[cfg(feature = "shuttle")]
pub mod shuttle;
pub mod std;

#[doc(inline)]
pub use self::std::Std;

#[cfg(feature = "loom")]
#[doc(inline)]
pub use self::loom::Loom;
#[cfg(feature = "shuttle")]
#[doc(inline)]
pub use self::shuttle::Shuttle;

/// A family of synchronisation primitives: the standard library's, or a model checker's.
pub trait Platform: Sized + Send + Sync + 'static {
    /// What this platform is called in reports.
    const NAME: &'static str;

    /// Mutual exclusion. Never poisoned: no user code runs under a lock of this crate. (loom's poisons all the same: that
    /// matters only to a model of yours that panics under one.)
    type Mutex<T: Send + 'static>: Mutex<T>;
    /// Shared or exclusive access. Never poisoned.
    type RwLock<T: Send + Sync + 'static>: RwLock<T>;
    /// A 64-bit integer.
    type AtomicU64: AtomicU64 + 'static;
    /// A pointer.
    type AtomicPtr<T: 'static>: AtomicPtr<T>;
    /// A reference count that the checker sees, for what the crate itself shares. (Members are always in a
    /// [`Arc`](::std::sync::Arc).)
    type Arc<T: Send + Sync + 'static>: Shared<T>;
    /// An atomic [`Arc`](Self::Arc): arc-swap itself, or a cell that fulfils its contract where a checker cannot see
    /// into it.
    type ArcSwap<T: Send + Sync + 'static>: SwapCell<Self::Arc<T>>;
    /// Where epoch-based reclamation pins.
    type Epoch: EpochDomain;
    /// What a shared object carries so that a checker notices a read that races with its destruction.
    type Witness: Witness;

    /// The ordering of a site of the [ledger](crate::orderings): as written, unless a checker weakens it.
    fn ordering(site: &'static Site) -> Ordering;

    /// A memory fence.
    fn fence(ordering: Ordering);
}

/// A lock for one at a time.
pub trait Mutex<T>: Send + Sync {
    /// Grants access until dropped.
    type Guard<'a>: DerefMut<Target = T>
    where
        Self: 'a;
    /// An unlocked mutex.
    fn new(value: T) -> Self;
    /// Waits for the lock.
    fn lock(&self) -> Self::Guard<'_>;
}

/// A lock for many readers or one writer.
pub trait RwLock<T>: Send + Sync {
    /// Grants shared access until dropped.
    type Read<'a>: Deref<Target = T>
    where
        Self: 'a;
    /// Grants exclusive access until dropped.
    type Write<'a>: DerefMut<Target = T>
    where
        Self: 'a;
    /// An unlocked lock.
    fn new(value: T) -> Self;
    /// Waits for shared access.
    fn read(&self) -> Self::Read<'_>;
    /// Waits for exclusive access.
    fn write(&self) -> Self::Write<'_>;
}

/// The operations on [`AtomicU64`](::std::sync::atomic::AtomicU64) that the crate uses.
#[allow(missing_docs, reason = "each is documented where the standard library defines it")]
pub trait AtomicU64: Send + Sync {
    fn new(value: u64) -> Self;
    fn load(&self, order: Ordering) -> u64;
    fn store(&self, value: u64, order: Ordering);
    fn fetch_add(&self, value: u64, order: Ordering) -> u64;
    fn fetch_or(&self, value: u64, order: Ordering) -> u64;
    fn compare_exchange(&self, current: u64, new: u64, ok: Ordering, err: Ordering) -> Result<u64, u64>;
}

/// The operations on [`AtomicPtr`](::std::sync::atomic::AtomicPtr) that the crate uses.
#[allow(missing_docs, reason = "each is documented where the standard library defines it")]
pub trait AtomicPtr<T>: Send + Sync {
    fn new(pointer: *mut T) -> Self;
    fn load(&self, order: Ordering) -> *mut T;
    fn store(&self, pointer: *mut T, order: Ordering);
    fn swap(&self, pointer: *mut T, order: Ordering) -> *mut T;
}

/// A reference-counted pointer.
pub trait Shared<T>: Deref<Target = T> + Clone + Send + Sync {
    /// The first reference.
    fn new(value: T) -> Self;
    /// Whether both point to one value.
    fn ptr_eq(&self, other: &Self) -> bool;
    /// Whether this is the only reference; if so, everything done through the others happened before.
    fn is_unique(&mut self) -> bool;
}

/// A cell that holds a reference and is read and replaced atomically.
pub trait SwapCell<A>: Send + Sync {
    /// A cell that holds `first`.
    fn new(first: A) -> Self;
    /// Calls `f` with what the cell holds or held during the call, kept alive meanwhile.
    fn read<R>(&self, f: impl FnOnce(&A) -> R) -> R;
    /// Replaces what the cell holds. Readers that still use the old value own a reference to it when this returns.
    fn swap(&self, next: A) -> A;
}

/// Where epoch-based reclamation pins the current thread.
pub trait EpochDomain: Send + Sync {
    /// While it lives, nothing that is retired from now on is reclaimed.
    type Guard<'a>
    where
        Self: 'a;

    /// A domain for one registry (or a door to the one that all share).
    fn new() -> Self;

    /// Pins the current thread.
    fn pin(&self) -> Self::Guard<'_>;

    /// Has `reclaim` run once everybody who is pinned now has unpinned, and helps time along: if nobody is pinned, it
    /// has run when this returns.
    fn retire(&self, reclaim: impl FnOnce() + Send + 'static);
}

/// [`EpochDomain::retire`] for a collector with this way to pin. An object may go when the epoch has advanced twice; the
/// third round is the one that notices.
fn retire(pin: impl Fn() -> crossbeam_epoch::Guard, reclaim: impl FnOnce() + Send + 'static) {
    let guard = pin();
    guard.defer(reclaim);
    guard.flush();
    drop(guard);
    for _ in 0..2 {
        pin().flush();
    }
}

/// Notices, under a checker, a read that is not ordered before the destruction of the object that it lives in.
pub trait Witness: Send + Sync {
    /// Written by the creator of the object.
    fn new() -> Self;
    /// Read with the object.
    fn touch(&self);
}

/// Locks of the standard library's shape, which the checkers imitate.
macro_rules! locks {
    ($($root:ident)::+) => {
        const _: () = {
            use $($root)::+::sync;
            use $crate::platform;

            impl<T: Send> platform::Mutex<T> for sync::Mutex<T> {
                type Guard<'a> = sync::MutexGuard<'a, T> where T: 'a;
                #[inline]
                fn new(value: T) -> Self { sync::Mutex::new(value) }
                #[inline]
                fn lock(&self) -> Self::Guard<'_> { self.lock().unwrap_or_else(|poison| poison.into_inner()) }
            }

            impl<T: Send + Sync> platform::RwLock<T> for sync::RwLock<T> {
                type Read<'a> = sync::RwLockReadGuard<'a, T> where T: 'a;
                type Write<'a> = sync::RwLockWriteGuard<'a, T> where T: 'a;
                #[inline]
                fn new(value: T) -> Self { sync::RwLock::new(value) }
                #[inline]
                fn read(&self) -> Self::Read<'_> { self.read().unwrap_or_else(|poison| poison.into_inner()) }
                #[inline]
                fn write(&self) -> Self::Write<'_> { self.write().unwrap_or_else(|poison| poison.into_inner()) }
            }
        };
    };
}

/// Atomics of the standard library's shape.
macro_rules! atomics {
    ($($root:ident)::+) => {
        const _: () = {
            use $($root)::+::sync::atomic;
            use ::std::sync::atomic::Ordering;
            use $crate::platform;

            impl platform::AtomicU64 for atomic::AtomicU64 {
                #[inline]
                fn new(value: u64) -> Self { Self::new(value) }
                #[inline]
                fn load(&self, order: Ordering) -> u64 { self.load(order) }
                #[inline]
                fn store(&self, value: u64, order: Ordering) { self.store(value, order) }
                #[inline]
                fn fetch_add(&self, value: u64, order: Ordering) -> u64 { self.fetch_add(value, order) }
                #[inline]
                fn fetch_or(&self, value: u64, order: Ordering) -> u64 { self.fetch_or(value, order) }
                #[inline]
                fn compare_exchange(&self, current: u64, new: u64, ok: Ordering, err: Ordering) -> Result<u64, u64> {
                    self.compare_exchange(current, new, ok, err)
                }
            }

            impl<T> platform::AtomicPtr<T> for atomic::AtomicPtr<T> {
                #[inline]
                fn new(pointer: *mut T) -> Self { Self::new(pointer) }
                #[inline]
                fn load(&self, order: Ordering) -> *mut T { self.load(order) }
                #[inline]
                fn store(&self, pointer: *mut T, order: Ordering) { self.store(pointer, order) }
                #[inline]
                fn swap(&self, pointer: *mut T, order: Ordering) -> *mut T { self.swap(pointer, order) }
            }
        };
    };
}

/// A cell that fulfils arc-swap's documented contract, out of a lock: for the platforms whose checker cannot see into
/// the real one. Each call is one step to the checker, and no order between calls is promised beyond the contract's.
#[cfg(any(feature = "loom", feature = "shuttle"))]
#[derive(Debug)]
pub struct ContractCell<M>(M);

#[cfg(any(feature = "loom", feature = "shuttle"))]
impl<A: Clone, M: Mutex<A>> SwapCell<A> for ContractCell<M> {
    fn new(first: A) -> Self {
        Self(M::new(first))
    }

    fn read<R>(&self, f: impl FnOnce(&A) -> R) -> R {
        let held = self.0.lock().clone();
        f(&held)
    }

    fn swap(&self, next: A) -> A {
        ::std::mem::replace(&mut *self.0.lock(), next)
    }
}

use {atomics, locks};
