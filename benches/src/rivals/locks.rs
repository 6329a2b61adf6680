//! A lock that is held only to clone the list out of it.

use std::sync::{Arc, RwLock};

use snapring::Backend;

use super::{Cell, Change, Read};

type List = Arc<[Arc<Backend>]>;

/// The lock of the standard library.
#[derive(Debug)]
pub struct StdLock(RwLock<List>);

impl Cell for StdLock {
    const CLONES: bool = true;
    type Reader<'a> = &'a Self;

    fn new(list: Vec<Arc<Backend>>) -> Self {
        Self(RwLock::new(list.into()))
    }

    fn reader(&self) -> &Self {
        self
    }

    fn change(&self, change: Change) {
        let mut list = self.0.write().expect("nobody panics");
        *list = change.applied(&list).into();
    }
}

impl Read for &StdLock {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        let list = self.0.read().expect("nobody panics").clone();
        look(&list)
    }
}

/// The lock of parking_lot.
#[derive(Debug)]
pub struct ParkingLot(parking_lot::RwLock<List>);

impl Cell for ParkingLot {
    const CLONES: bool = true;
    type Reader<'a> = &'a Self;

    fn new(list: Vec<Arc<Backend>>) -> Self {
        Self(parking_lot::RwLock::new(list.into()))
    }

    fn reader(&self) -> &Self {
        self
    }

    fn change(&self, change: Change) {
        let mut list = self.0.write();
        *list = change.applied(&list).into();
    }
}

impl Read for &ParkingLot {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        let list = self.0.read().clone();
        look(&list)
    }
}
