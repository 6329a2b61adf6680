//! arc-swap: the three ways to read that its documentation names.

use std::sync::{Arc, Mutex};

use arc_swap::{ArcSwap, Cache};
use snapring::Backend;

use super::{Cell, Change, Read};

type List = Vec<Arc<Backend>>;

/// A cell, and a lock for those who copy, modify and store.
#[derive(Debug)]
struct Swap {
    list: ArcSwap<List>,
    writing: Mutex<()>,
}

impl Swap {
    fn new(list: List) -> Self {
        Self { list: ArcSwap::from_pointee(list), writing: Mutex::new(()) }
    }

    fn change(&self, change: &Change) {
        let _alone = self.writing.lock().expect("no change panics");
        let changed = change.applied(&self.list.load());
        self.list.store(Arc::new(changed));
    }
}

/// `load`: a guard for as long as the member is lent.
#[derive(Debug)]
pub struct Load(Swap);

impl Cell for Load {
    const CLONES: bool = false;
    type Reader<'a> = &'a Self;

    fn new(list: List) -> Self {
        Self(Swap::new(list))
    }

    fn reader(&self) -> &Self {
        self
    }

    fn change(&self, change: Change) {
        self.0.change(&change);
    }
}

impl Read for &Load {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        look(&self.0.list.load())
    }
}

/// `load_full`: an `Arc` of the list, and a clone of the member, which may be kept.
#[derive(Debug)]
pub struct LoadFull(Swap);

impl Cell for LoadFull {
    const CLONES: bool = true;
    type Reader<'a> = &'a Self;

    fn new(list: List) -> Self {
        Self(Swap::new(list))
    }

    fn reader(&self) -> &Self {
        self
    }

    fn change(&self, change: Change) {
        self.0.change(&change);
    }
}

impl Read for &LoadFull {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        look(&self.0.list.load_full())
    }
}

/// `Cache`: each thread keeps the list, and looks whether it is still the one.
#[derive(Debug)]
pub struct Cached(Swap);

impl Cell for Cached {
    const CLONES: bool = false;
    type Reader<'a> = Cache<&'a ArcSwap<List>, Arc<List>>;

    fn new(list: List) -> Self {
        Self(Swap::new(list))
    }

    fn reader(&self) -> Self::Reader<'_> {
        Cache::new(&self.0.list)
    }

    fn change(&self, change: Change) {
        self.0.change(&change);
    }
}

impl Read for Cache<&ArcSwap<List>, Arc<List>> {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        look(self.load())
    }
}
