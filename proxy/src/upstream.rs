//! [`Upstream`]: a backend as the registry holds it, with its connections and its counts.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use hyper::http::uri::{Authority, PathAndQuery, Scheme};
use hyper::{Uri, http};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use snapring::Member;

use crate::Options;
use crate::body::Outgoing;
use crate::connection::Connector;

/// A backend. Its pool of connections belongs to it, so the unused ones close when the last reference goes: after the
/// requests that were under way when it was removed.
///
/// Clones are the same backend: one that recovers comes back with its counts and its connections.
#[derive(Clone)]
pub(crate) struct Upstream(Arc<Core>);

struct Core {
    id: String,
    address: Authority,
    client: Client<Connector, Outgoing>,
    counts: Counts,
    alive: Arc<AtomicUsize>,
}

/// Statistics, so relaxed: nothing else is read because of them. The exception is `refused`, where only the total order
/// of one variable matters.
#[derive(Default)]
pub(crate) struct Counts {
    /// Turns in the ring.
    pub(crate) picks: AtomicU64,
    /// Requests taken over from a backend that failed.
    pub(crate) taken_over: AtomicU64,
    /// Answers whose head arrived.
    pub(crate) answered: AtomicU64,
    /// Attempts that failed, for whatever reason.
    pub(crate) failed: AtomicU64,
    /// Requests under way, up to the end of the answer's body.
    pub(crate) in_flight: AtomicUsize,
    /// Failed attempts whose request went on from here: decides to whom.
    pub(crate) passed_on: AtomicUsize,
    /// Connections refused in a row.
    refused: AtomicU32,
}

impl Upstream {
    /// A backend at `host:port`. `alive` counts those that exist.
    pub(crate) fn new(id: &str, address: Authority, options: &Options, alive: &Arc<AtomicUsize>) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(options.connect_timeout));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(options.pool_timeout)
            .pool_max_idle_per_host(64)
            .http1_max_buf_size(64 * 1024)
            .build(Connector(connector));
        alive.fetch_add(1, Relaxed);
        Self(Arc::new(Core { id: id.to_owned(), address, client, counts: Counts::default(), alive: alive.clone() }))
    }

    pub(crate) fn id(&self) -> &str {
        &self.0.id
    }

    pub(crate) fn address(&self) -> &Authority {
        &self.0.address
    }

    pub(crate) fn client(&self) -> &Client<Connector, Outgoing> {
        &self.0.client
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.0.counts
    }

    /// Whether both are one backend, not merely equal ones.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Counts a refused connection and says how many there were in a row.
    pub(crate) fn refused(&self) -> u32 {
        self.counts().refused.fetch_add(1, Relaxed).saturating_add(1)
    }

    /// It let somebody in.
    pub(crate) fn accepted(&self) {
        // Nearly always zero already: read before writing, so that healthy backends share the line.
        if self.counts().refused.load(Relaxed) != 0 {
            self.counts().refused.store(0, Relaxed);
        }
    }

    /// This path at this backend.
    pub(crate) fn uri(&self, path: Option<PathAndQuery>) -> Result<Uri, http::Error> {
        let path = path.unwrap_or(PathAndQuery::from_static("/"));
        Uri::builder().scheme(Scheme::HTTP).authority(self.address().clone()).path_and_query(path).build()
    }
}

impl PartialEq for Upstream {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id() && self.address() == other.address()
    }
}

impl Member for Upstream {
    type Id = str;

    fn id(&self) -> &str {
        self.id()
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.id(), self.address())
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Relaxed);
    }
}
