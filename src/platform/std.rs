//! The standard library, arc-swap and crossbeam-epoch themselves.

use std::sync::atomic::{self, Ordering};
use std::sync::{self, Arc};

use super::{EpochDomain, Platform, Shared, SwapCell, Witness};
use crate::orderings::Site;

/// The platform that programs run on.
#[derive(Clone, Copy, Debug)]
pub struct Std;

impl Platform for Std {
    const NAME: &'static str = "std";

    type Mutex<T: Send + 'static> = sync::Mutex<T>;
    type RwLock<T: Send + Sync + 'static> = sync::RwLock<T>;
    type AtomicU64 = atomic::AtomicU64;
    type AtomicPtr<T: 'static> = atomic::AtomicPtr<T>;
    type Arc<T: Send + Sync + 'static> = Arc<T>;
    type ArcSwap<T: Send + Sync + 'static> = arc_swap::ArcSwap<T>;
    type Epoch = Default;
    type Witness = Unwatched;

    #[inline(always)]
    fn ordering(site: &'static Site) -> Ordering {
        site.ordering
    }

    #[inline]
    fn fence(ordering: Ordering) {
        atomic::fence(ordering);
    }
}

super::locks!(std);
super::atomics!(std);

impl<T: Send + Sync> Shared<T> for Arc<T> {
    #[inline]
    fn new(value: T) -> Self {
        Arc::new(value)
    }

    #[inline]
    fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(self, other)
    }

    #[inline]
    fn is_unique(&mut self) -> bool {
        Arc::get_mut(self).is_some()
    }
}

impl<T: Send + Sync> SwapCell<Arc<T>> for arc_swap::ArcSwap<T> {
    fn new(first: Arc<T>) -> Self {
        arc_swap::ArcSwap::new(first)
    }

    #[inline]
    fn read<R>(&self, f: impl FnOnce(&Arc<T>) -> R) -> R {
        f(&self.load())
    }

    fn swap(&self, next: Arc<T>) -> Arc<T> {
        self.swap(next)
    }
}

/// The collector that the whole process shares.
#[derive(Clone, Copy, Debug)]
pub struct Default;

impl EpochDomain for Default {
    type Guard<'a> = crossbeam_epoch::Guard;

    #[inline(always)]
    fn new() -> Self {
        Default
    }

    #[inline]
    fn pin(&self) -> crossbeam_epoch::Guard {
        crossbeam_epoch::pin()
    }

    fn retire(&self, reclaim: impl FnOnce() + Send + 'static) {
        super::retire(crossbeam_epoch::pin, reclaim);
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Witness for Unwatched {
    #[inline(always)]
    fn new() -> Self {
        Unwatched
    }

    #[inline(always)]
    fn touch(&self) {}
}
