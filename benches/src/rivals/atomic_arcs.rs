//! Other cells that hold an `Arc`: the ways to read that their documentation names.

use std::sync::Arc;

use hazarc::{AtomicArc, Cache};
use rcu_cell::RcuCell;
use snapring::Backend;

use super::{Cell, Change, Locked, Read, Slot};

type List = Vec<Arc<Backend>>;

/// hazarc's `load`: a guard for as long as the member is lent.
pub type Hazarc = Locked<AtomicArc<List>>;

impl Slot for AtomicArc<List> {
    fn new(list: Arc<List>) -> Self {
        Self::from(list)
    }

    #[inline]
    fn look<R>(&self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        look(&self.load())
    }

    fn set(&self, list: Arc<List>) {
        self.store(list);
    }
}

/// rcu_cell's `read`: a clone of the list's `Arc`.
pub type Rcu = Locked<RcuCell<List>>;

impl Slot for RcuCell<List> {
    fn new(list: Arc<List>) -> Self {
        Self::from(list)
    }

    #[inline]
    fn look<R>(&self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        match self.read() {
            Some(list) => look(&list),
            None => look(&[]),
        }
    }

    fn set(&self, list: Arc<List>) {
        self.write(list);
    }
}

/// hazarc's `Cache`: each thread keeps the list, and looks whether it is still the one.
#[derive(Debug)]
pub struct HazarcCached(Hazarc);

impl Cell for HazarcCached {
    const CLONES: bool = false;
    type Reader<'a> = Cache<&'a AtomicArc<List>>;

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

impl Read for Cache<&AtomicArc<List>> {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        look(self.load())
    }
}
