//! [`Fleet`]: all backends, those in the ring and those that are out of order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use hyper::http::uri::Authority;
use snapring::{Outcome, Token};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::Options;
use crate::balance::{Balance, lock};
use crate::probe;
use crate::upstream::Upstream;

/// Who is known, and where. Every change goes through here, one at a time; requests only touch the ring.
pub(crate) struct Fleet {
    balance: Balance,
    book: Mutex<BTreeMap<String, Entry>>,
    options: Arc<Options>,
    tasks: TaskTracker,
    stop: CancellationToken,
    pub(crate) alive: Arc<AtomicUsize>,
    pub(crate) ejections: AtomicU64,
    pub(crate) recoveries: AtomicU64,
}

struct Entry {
    upstream: Upstream,
    place: Place,
}

enum Place {
    /// In the ring. The token takes out this very registration; there is none for those that came by `replace_all`.
    Ring(Option<Token>),
    /// Out of order since then, and probed until the guard is dropped.
    Side { since: Instant, _probe: DropGuard },
}

/// What a registration did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Registered {
    Added,
    Replaced,
    Unchanged,
    /// It is known and out of order; it stays so until a probe gets through.
    OutOfOrder,
}

/// No more than `max_backends`.
#[derive(Debug)]
pub(crate) struct Full;

/// One backend that is out of order.
pub(crate) struct Ailing {
    pub(crate) upstream: Upstream,
    pub(crate) since: Instant,
}

impl Fleet {
    pub(crate) fn new(options: Arc<Options>, tasks: TaskTracker, stop: CancellationToken) -> Self {
        Self {
            balance: Balance::new(&options),
            book: Mutex::new(BTreeMap::new()),
            options,
            tasks,
            stop,
            alive: Arc::default(),
            ejections: AtomicU64::new(0),
            recoveries: AtomicU64::new(0),
        }
    }

    pub(crate) fn balance(&self) -> &Balance {
        &self.balance
    }

    pub(crate) fn version(&self) -> u64 {
        self.balance.ring().snapshot().version()
    }

    /// The ring and the side list, of one moment.
    pub(crate) fn look(&self) -> (snapring::Snapshot<Upstream>, Vec<Ailing>) {
        let book = lock(&self.book);
        let side = book.values().filter_map(|entry| match &entry.place {
            Place::Ring(_) => None,
            Place::Side { since, .. } => Some(Ailing { upstream: entry.upstream.clone(), since: *since }),
        });
        (self.balance.ring().snapshot(), side.collect())
    }

    /// Adds a backend, or moves it to another address.
    pub(crate) fn register(&self, id: &str, address: Authority) -> Result<Registered, Full> {
        let mut book = lock(&self.book);
        let (upstream, known) = self.resolve(&book, id, address);
        if known.is_none() && book.len() >= self.options.max_backends {
            return Err(Full);
        }
        if let Some(Known::OutOfOrder) = known {
            return Ok(Registered::OutOfOrder);
        }
        let (token, outcome) = self.balance.ring().register(upstream.clone()).into_parts();
        let registered = match &outcome {
            Outcome::Added => Registered::Added,
            Outcome::Replaced(_) => Registered::Replaced,
            // The token would take out nothing, and the one we have is still good.
            Outcome::Unchanged => return Ok(Registered::Unchanged),
        };
        let left = book.insert(id.to_owned(), Entry { upstream, place: Place::Ring(Some(token)) });
        drop(book);
        drop((left, outcome));
        self.balance.settle();
        Ok(registered)
    }

    /// Forgets a backend, wherever it is.
    pub(crate) fn deregister(&self, id: &str) -> bool {
        let mut book = lock(&self.book);
        let Some(entry) = book.remove(id) else { return false };
        self.take_out(&entry);
        drop(book);
        drop(entry);
        self.balance.settle();
        true
    }

    /// Makes these the backends. Those that are out of order stay so.
    pub(crate) fn replace_all(&self, wanted: Vec<(String, Authority)>) -> Result<snapring::Changes, Full> {
        // The same rule as in the ring: the first place and the last contents.
        let mut order: Vec<String> = Vec::new();
        let mut contents = BTreeMap::new();
        for (id, address) in wanted {
            if contents.insert(id.clone(), address).is_none() {
                order.push(id);
            }
        }
        if order.len() > self.options.max_backends {
            return Err(Full);
        }

        let mut book = lock(&self.book);
        let mut ring = Vec::new();
        let mut kept = BTreeMap::new();
        for id in order {
            let Some(address) = contents.remove(&id) else { continue };
            let (upstream, known) = self.resolve(&book, &id, address);
            match known {
                Some(Known::OutOfOrder) => {}
                _ => ring.push(upstream.clone()),
            }
            let same = matches!(known, Some(Known::InRing | Known::OutOfOrder));
            let entry = match book.remove(&id) {
                Some(entry) if same => entry,
                _ => Entry { upstream, place: Place::Ring(None) },
            };
            kept.insert(id, entry);
        }
        let changes = self.balance.ring().replace_all(ring);
        let left = std::mem::replace(&mut *book, kept);
        drop(book);
        drop(left);
        self.balance.settle();
        Ok(changes)
    }

    /// A backend refused a connection. At the threshold it leaves the ring and is probed instead.
    pub(crate) fn refused(self: &Arc<Self>, upstream: &Upstream) {
        if upstream.refused() < self.options.threshold.max(1) || self.stop.is_cancelled() {
            return;
        }
        let mut book = lock(&self.book);
        // Somebody else may have taken it out, or its id may be another backend's by now: that one stays.
        let Some(entry) = book.get_mut(upstream.id()) else { return };
        if !entry.upstream.is(upstream) || !matches!(entry.place, Place::Ring(_)) || !self.take_out(entry) {
            return;
        }
        let stop = self.stop.child_token();
        self.tasks.spawn(probe::until_it_answers(Arc::downgrade(self), upstream.clone(), stop.clone()));
        entry.place = Place::Side { since: Instant::now(), _probe: stop.drop_guard() };
        drop(book);
        self.ejections.fetch_add(1, Relaxed);
        tracing::warn!(backend = upstream.id(), "out of the rotation: it refuses connections");
        self.balance.settle();
    }

    /// A probe got through: the backend returns to the ring, at its end, if it is still the one that left.
    pub(crate) fn recovered(&self, upstream: &Upstream) {
        let mut book = lock(&self.book);
        let Some(entry) = book.get_mut(upstream.id()) else { return };
        if !entry.upstream.is(upstream) || !matches!(entry.place, Place::Side { .. }) {
            return;
        }
        upstream.accepted();
        let (token, _) = self.balance.ring().register(upstream.clone()).into_parts();
        entry.place = Place::Ring(Some(token));
        drop(book);
        self.recoveries.fetch_add(1, Relaxed);
        tracing::info!(backend = upstream.id(), "back in the rotation");
        self.balance.settle();
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// The backend to use for this id and address: the one that we know, if it is at that address.
    fn resolve(&self, book: &BTreeMap<String, Entry>, id: &str, address: Authority) -> (Upstream, Option<Known>) {
        let entry = book.get(id);
        match entry {
            Some(entry) if *entry.upstream.address() == address => {
                let known = match entry.place {
                    Place::Ring(_) => Known::InRing,
                    Place::Side { .. } => Known::OutOfOrder,
                };
                (entry.upstream.clone(), Some(known))
            }
            _ => {
                let upstream = Upstream::new(id, address, &self.options, &self.alive);
                (upstream, entry.map(|_| Known::Elsewhere))
            }
        }
    }

    /// Takes an entry's registration out of the ring, and no other.
    fn take_out(&self, entry: &Entry) -> bool {
        match &entry.place {
            Place::Ring(Some(token)) => self.balance.ring().revoke(token).is_ok(),
            // Its id is all we have; the book is locked, so the id is still this one's.
            Place::Ring(None) => self.balance.ring().deregister(entry.upstream.id()).is_some(),
            Place::Side { .. } => false,
        }
    }
}

#[derive(Clone, Copy)]
enum Known {
    InRing,
    OutOfOrder,
    Elsewhere,
}

#[cfg(test)]
mod tests;
