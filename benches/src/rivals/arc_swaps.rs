//! arc-swap: the three ways to read that its documentation names.

use std::sync::Arc;

use arc_swap::{ArcSwap, Cache};
use snapring::Backend;

use super::{Cell, Change, Locked, Read, Slot};

type List = Vec<Arc<Backend>>;

/// `load`: a guard for as long as the member is lent.
pub type Load = Locked<ArcSwap<List>>;

impl Slot for ArcSwap<List> {
    fn new(list: Arc<List>) -> Self {
        Self::new(list)
    }

    #[inline]
    fn look<R>(&self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        look(&self.load())
    }

    fn set(&self, list: Arc<List>) {
        self.store(list);
    }
}

/// `load_full`: an `Arc` of the list, and a clone of the member, which may be kept.
#[derive(Debug)]
pub struct LoadFull(Load);

impl Cell for LoadFull {
    const CLONES: bool = true;
    type Reader<'a> = &'a Self;

    fn new(list: List) -> Self {
        Self(Locked::new(list))
    }

    fn reader(&self) -> Self::Reader<'_> {
        self
    }

    fn change(&self, change: Change) {
        self.0.change(change);
    }
}

impl Read for &LoadFull {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        look(&self.0.slot.load_full())
    }
}

/// `Cache`: each thread keeps the list, and looks whether it is still the one.
#[derive(Debug)]
pub struct Cached(Load);

impl Cell for Cached {
    const CLONES: bool = false;
    type Reader<'a> = Cache<&'a ArcSwap<List>, Arc<List>>;

    fn new(list: List) -> Self {
        Self(Locked::new(list))
    }

    fn reader(&self) -> Self::Reader<'_> {
        Cache::new(&self.0.slot)
    }

    fn change(&self, change: Change) {
        self.0.change(change);
    }
}

impl Read for Cache<&ArcSwap<List>, Arc<List>> {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        look(self.load())
    }
}
