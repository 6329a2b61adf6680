//! shuttle: schedules of any size, under sequential consistency only.
//!
//! What it cannot show: weak memory, and interleavings inside reference counts ([`Arc`] is the standard
//! library's), arc-swap (a [`ContractCell`] stands in) and crossbeam-epoch (each of its calls is one step).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{ContractCell, EpochDomain, Platform, std::Unwatched};
use crate::orderings::Site;

/// The platform of shuttle's executions.
#[derive(Clone, Copy, Debug)]
pub struct Shuttle;

impl Platform for Shuttle {
    const NAME: &'static str = "shuttle";

    type Mutex<T: Send + 'static> = shuttle::sync::Mutex<T>;
    type RwLock<T: Send + Sync + 'static> = shuttle::sync::RwLock<T>;
    type AtomicU64 = shuttle::sync::atomic::AtomicU64;
    type AtomicPtr<T: 'static> = shuttle::sync::atomic::AtomicPtr<T>;
    type Arc<T: Send + Sync + 'static> = Arc<T>;
    type ArcSwap<T: Send + Sync + 'static> = ContractCell<shuttle::sync::Mutex<Arc<T>>>;
    type Epoch = Own;
    type Witness = Unwatched;

    fn ordering(site: &'static Site) -> Ordering {
        site.ordering
    }

    fn fence(ordering: Ordering) {
        shuttle::sync::atomic::fence(ordering);
    }
}

super::locks!(shuttle);
super::atomics!(shuttle);

/// A collector of one's own: a shared one would let other tests of the process decide when something is reclaimed.
#[derive(Debug)]
pub struct Own(crossbeam_epoch::Collector);

impl EpochDomain for Own {
    type Guard<'a> = crossbeam_epoch::Guard;

    fn new() -> Self {
        Self(crossbeam_epoch::Collector::new())
    }

    fn pin(&self) -> crossbeam_epoch::Guard {
        self.0.register().pin()
    }

    fn retire(&self, reclaim: impl FnOnce() + Send + 'static) {
        super::retire(|| self.pin(), reclaim);
    }
}
