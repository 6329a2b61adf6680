//! [`OneStep`]: shuttle's platform, with an arc-swap of which each call is one step.
//!
//! The stand-in that the other tests use is a lock of the checker's: whoever is suspended inside of it holds up others,
//! as no thread inside the real arc-swap does. To ask who waits for whom, this one is needed.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use shuttle::sync::atomic::AtomicU64;
use snapring::platform::{Shuttle, SwapCell};

use crate::other_swap::with_other_swap;

with_other_swap! {
    /// See the module.
    OneStep: "shuttle, arc-swap in one step", Shuttle, Swap
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
