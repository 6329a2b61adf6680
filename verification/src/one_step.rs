//! [`OneStep`]: shuttle's platform, with an arc-swap of which each call is one step.
//!
//! The stand-in that the other tests use is a lock of the checker's: whoever is suspended inside of it holds up others,
//! as no thread inside the real arc-swap does. To ask who waits for whom, this one is needed.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use shuttle::sync::atomic::AtomicU64;
use snapring::orderings::Site;
use snapring::platform::{Platform, Shuttle, SwapCell};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct OneStep;

impl Platform for OneStep {
    const NAME: &'static str = "shuttle, arc-swap in one step";

    type Mutex<T: Send + 'static> = <Shuttle as Platform>::Mutex<T>;
    type RwLock<T: Send + Sync + 'static> = <Shuttle as Platform>::RwLock<T>;
    type AtomicU64 = <Shuttle as Platform>::AtomicU64;
    type AtomicPtr<T: 'static> = <Shuttle as Platform>::AtomicPtr<T>;
    type Arc<T: Send + Sync + 'static> = <Shuttle as Platform>::Arc<T>;
    type ArcSwap<T: Send + Sync + 'static> = Swap<Self::Arc<T>>;
    type Epoch = <Shuttle as Platform>::Epoch;
    type Witness = <Shuttle as Platform>::Witness;

    fn ordering(site: &'static Site) -> Ordering {
        Shuttle::ordering(site)
    }

    fn fence(ordering: Ordering) {
        Shuttle::fence(ordering);
    }
}

/// The cell. shuttle may switch before each call, and not inside of it: the lock is one that it does not see.
#[derive(Debug)]
pub struct Swap<A> {
    step: AtomicU64,
    held: Mutex<A>,
}

impl<A: Clone + Send + Sync> SwapCell<A> for Swap<A> {
    fn new(first: A) -> Self {
        Self { step: AtomicU64::new(0), held: Mutex::new(first) }
    }

    fn read<R>(&self, f: impl FnOnce(&A) -> R) -> R {
        self.step.fetch_add(1, Ordering::SeqCst);
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).clone();
        f(&held)
    }

    fn swap(&self, next: A) -> A {
        self.step.fetch_add(1, Ordering::SeqCst);
        std::mem::replace(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner), next)
    }
}
