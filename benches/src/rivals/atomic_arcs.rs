//! Other cells that hold an `Arc`: the ways to read that their documentation names.

use std::sync::{Arc, Mutex};

use hazarc::{AtomicArc, Cache};
use rcu_cell::RcuCell;
use snapring::Backend;

use super::{Cell, Change, Read};

type List = Vec<Arc<Backend>>;

/// hazarc, and a lock for those who copy, modify and store.
#[derive(Debug)]
struct Hazards {
    list: AtomicArc<List>,
    writing: Mutex<()>,
}

impl Hazards {
    fn new(list: List) -> Self {
        Self { list: AtomicArc::from(list), writing: Mutex::new(()) }
    }

    fn change(&self, change: &Change) {
        let _alone = self.writing.lock().expect("no change panics");
        let changed = change.applied(&self.list.load());
        self.list.store(Arc::new(changed));
    }
}

/// hazarc's `load`: a guard for as long as the member is lent.
#[derive(Debug)]
pub struct Hazarc(Hazards);

impl Cell for Hazarc {
    const CLONES: bool = false;
    type Reader<'a> = &'a Self;

    fn new(list: List) -> Self {
        Self(Hazards::new(list))
    }

    fn reader(&self) -> &Self {
        self
    }

    fn change(&self, change: Change) {
        self.0.change(&change);
    }
}

impl Read for &Hazarc {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        look(&self.0.list.load())
    }
}

/// hazarc's `Cache`: each thread keeps the list, and looks whether it is still the one.
#[derive(Debug)]
pub struct HazarcCached(Hazards);

impl Cell for HazarcCached {
    const CLONES: bool = false;
    type Reader<'a> = Cache<&'a AtomicArc<List>>;

    fn new(list: List) -> Self {
        Self(Hazards::new(list))
    }

    fn reader(&self) -> Self::Reader<'_> {
        Cache::new(&self.0.list)
    }

    fn change(&self, change: Change) {
        self.0.change(&change);
    }
}

impl Read for Cache<&AtomicArc<List>> {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        look(self.load())
    }
}

/// rcu_cell's `read`: a clone of the list's `Arc`.
#[derive(Debug)]
pub struct Rcu {
    list: RcuCell<List>,
    writing: Mutex<()>,
}

impl Cell for Rcu {
    const CLONES: bool = false;
    type Reader<'a> = &'a Self;

    fn new(list: List) -> Self {
        Self { list: RcuCell::some(list), writing: Mutex::new(()) }
    }

    fn reader(&self) -> &Self {
        self
    }

    fn change(&self, change: Change) {
        let _alone = self.writing.lock().expect("no change panics");
        let changed = self.reader().with(|list| change.applied(list));
        self.list.write(changed);
    }
}

impl Read for &Rcu {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        match self.list.read() {
            Some(list) => look(&list),
            None => look(&[]),
        }
    }
}
