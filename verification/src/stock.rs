//! loom as it comes, without what our platform adds: to see what the additions are worth.

use std::sync::atomic::Ordering;

use loom::sync::atomic as stock;
use snapring::orderings::Site;
use snapring::platform::{AtomicPtr, AtomicU64, Loom, Platform};

use crate::threads::threads_of;

/// [`Loom`] without companions, stale failures of `compare_exchange`, and scheduling at fences. Its epochs are [`Loom`]'s.
#[derive(Clone, Copy, Debug)]
pub struct StockLoom;

impl Platform for StockLoom {
    const NAME: &'static str = "stock loom";

    type Mutex<T: Send + 'static> = <Loom as Platform>::Mutex<T>;
    type RwLock<T: Send + Sync + 'static> = <Loom as Platform>::RwLock<T>;
    type AtomicU64 = U64;
    type AtomicPtr<T: 'static> = Ptr<T>;
    type Arc<T: Send + Sync + 'static> = <Loom as Platform>::Arc<T>;
    type ArcSwap<T: Send + Sync + 'static> = <Loom as Platform>::ArcSwap<T>;
    type Epoch = <Loom as Platform>::Epoch;
    type Witness = <Loom as Platform>::Witness;

    fn ordering(site: &'static Site) -> Ordering {
        Loom::ordering(site)
    }

    fn fence(ordering: Ordering) {
        stock::fence(ordering);
    }
}

threads_of!(StockLoom, Loom);

/// An integer as loom has it.
#[derive(Debug)]
pub struct U64(stock::AtomicU64);

impl AtomicU64 for U64 {
    #[track_caller]
    fn new(value: u64) -> Self {
        Self(stock::AtomicU64::new(value))
    }

    #[track_caller]
    fn load(&self, order: Ordering) -> u64 {
        self.0.load(order)
    }

    #[track_caller]
    fn store(&self, value: u64, order: Ordering) {
        self.0.store(value, order);
    }

    #[track_caller]
    fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
        self.0.fetch_add(value, order)
    }

    #[track_caller]
    fn fetch_or(&self, value: u64, order: Ordering) -> u64 {
        self.0.fetch_or(value, order)
    }

    #[track_caller]
    fn compare_exchange(&self, current: u64, new: u64, ok: Ordering, err: Ordering) -> Result<u64, u64> {
        self.0.compare_exchange(current, new, ok, err)
    }
}

/// A pointer as loom has it.
#[derive(Debug)]
pub struct Ptr<T>(stock::AtomicPtr<T>);

// SAFETY: like the standard library's `AtomicPtr`, this holds a pointer and gives out copies of it; following the copy
// is the business, and the `unsafe`, of whoever does so.
unsafe impl<T> Send for Ptr<T> {}
// SAFETY: as above; the accesses themselves go through loom's atomic.
unsafe impl<T> Sync for Ptr<T> {}

impl<T> AtomicPtr<T> for Ptr<T> {
    #[track_caller]
    fn new(pointer: *mut T) -> Self {
        Self(stock::AtomicPtr::new(pointer))
    }

    #[track_caller]
    fn load(&self, order: Ordering) -> *mut T {
        self.0.load(order)
    }

    #[track_caller]
    fn store(&self, pointer: *mut T, order: Ordering) {
        self.0.store(pointer, order);
    }

    #[track_caller]
    fn swap(&self, pointer: *mut T, order: Ordering) -> *mut T {
        self.0.swap(pointer, order)
    }
}
