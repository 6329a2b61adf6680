//! [`Balance`]: one of the registries, and for [`HandleRegistry`] the handles that the workers pick through.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use snapring::{
    ArcSwapRegistry, EpochRegistry, Handle, HandleRegistry, LeasedHandle, MutexRegistry, NoBackends, Registry,
    RwLockRegistry,
};

use crate::Options;
use crate::upstream::Upstream;

/// Which registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A mutex around the list
    Mutex,
    /// A lock that picks share
    #[value(name = "rwlock")]
    #[serde(rename = "rwlock")]
    RwLock,
    /// Lock-free, lists reclaimed by epochs
    Epoch,
    /// Lock-free, lists reclaimed by arc-swap
    ArcSwap,
    /// Lock-free, with a handle for each worker
    Handle,
}

/// The ring, and the way to take a turn in it.
pub(crate) struct Balance {
    ring: Arc<dyn Registry<Upstream>>,
    seats: Option<Seats>,
}

impl Balance {
    pub(crate) fn new(options: &Options) -> Self {
        let ring: Arc<dyn Registry<Upstream>> = match options.registry {
            Kind::Mutex => Arc::new(MutexRegistry::new()),
            Kind::RwLock => Arc::new(RwLockRegistry::new()),
            Kind::Epoch => Arc::new(EpochRegistry::new()),
            Kind::ArcSwap => Arc::new(ArcSwapRegistry::new()),
            Kind::Handle => {
                let registry = Arc::new(HandleRegistry::new());
                let seats = Seats::new(registry.clone(), options.lease, options.seats());
                return Self { ring: registry, seats: Some(seats) };
            }
        };
        Self { ring, seats: None }
    }

    /// The ring itself, for changes and snapshots.
    pub(crate) fn ring(&self) -> &dyn Registry<Upstream> {
        &*self.ring
    }

    /// One turn.
    pub(crate) fn next(&self) -> Result<Arc<Upstream>, NoBackends> {
        match &self.seats {
            None => self.ring.next(),
            Some(seats) => seats.mine().next(),
        }
    }

    /// To be called after every change: makes the handles let go of the list before.
    ///
    /// A handle keeps the list that it served last, and with it the members of that list and their connections, for as
    /// long as its worker is idle. There is no way to make it look up without taking a turn, so each one is exchanged
    /// for a fresh one.
    pub(crate) fn settle(&self) {
        if let Some(seats) = &self.seats {
            seats.renew();
        }
    }
}

/// A handle for each worker thread. The lock of a seat is there for the compiler and for the moment when two threads
/// share a number: the workers of one runtime have seats of their own, so nobody waits for it.
struct Seats {
    registry: Arc<HandleRegistry<Upstream>>,
    lease: usize,
    seats: Box<[Mutex<Seat>]>,
}

enum Seat {
    Exact(Handle<Upstream>),
    Leased(LeasedHandle<Upstream>),
}

impl Seats {
    fn new(registry: Arc<HandleRegistry<Upstream>>, lease: usize, seats: usize) -> Self {
        let seats = (0..seats).map(|_| Mutex::new(Seat::new(&registry, lease))).collect();
        Self { registry, lease, seats }
    }

    fn mine(&self) -> MutexGuard<'_, Seat> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local!(static NUMBER: usize = THREADS.fetch_add(1, Ordering::Relaxed));
        let number = NUMBER.with(|number| *number);
        lock(&self.seats[number % self.seats.len()])
    }

    fn renew(&self) {
        for seat in &self.seats {
            let fresh = Seat::new(&self.registry, self.lease);
            let old = std::mem::replace(&mut *lock(seat), fresh);
            drop(old); // not under the lock of the seat
        }
        self.registry.collect();
    }
}

impl Seat {
    fn new(registry: &HandleRegistry<Upstream>, lease: usize) -> Self {
        match lease {
            0 => Self::Exact(registry.handle()),
            turns => Self::Leased(registry.leased(turns)),
        }
    }

    fn next(&mut self) -> Result<Arc<Upstream>, NoBackends> {
        match self {
            Self::Exact(handle) => handle.next().cloned(),
            Self::Leased(handle) => handle.next().cloned(),
        }
    }
}

/// A panic under one of our locks leaves nothing half done, so a poisoned lock is a lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
