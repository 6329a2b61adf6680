//! [`Proxy`]: both listeners, the fleet behind them, and the way to stop.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response};
use snapring::Backend;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::Options;
use crate::admin::{administer, parse_address};
use crate::body::Answer;
use crate::fleet::Fleet;
use crate::forward::forward;
use crate::server::{Signals, listen};

/// Connections to the admin interface.
const ADMINISTRATORS: usize = 16;

/// A running proxy. Dropping it stops everything at once; [`drain`](Self::drain) lets requests finish.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    admin: SocketAddr,
    drain: CancellationToken,
    abort: CancellationToken,
    tasks: TaskTracker,
    patience: Duration,
}

impl Proxy {
    /// Listens on both addresses (port 0 picks a free one) and balances over these backends.
    ///
    /// # Errors
    ///
    /// If an address cannot be listened on, if a backend's address is not `host:port`, or if there are more backends
    /// than [`Options::max_backends`].
    pub async fn start(
        options: Options,
        address: SocketAddr,
        admin: SocketAddr,
        backends: impl IntoIterator<Item = Backend>,
    ) -> io::Result<Self> {
        let options = Arc::new(options);
        let listener = TcpListener::bind(address).await?;
        let admin_listener = TcpListener::bind(admin).await?;
        let (address, admin) = (listener.local_addr()?, admin_listener.local_addr()?);

        let tasks = TaskTracker::new();
        let (drain, abort) = (CancellationToken::new(), CancellationToken::new());
        let fleet = Arc::new(Fleet::new(options.clone(), tasks.clone(), drain.clone()));
        for backend in backends {
            let address = parse_address(backend.address()).map_err(invalid)?;
            fleet.register(backend.id(), address).map_err(|_| invalid("more backends than --max-backends"))?;
        }

        let signals = Signals { drain: drain.clone(), abort: abort.clone(), tasks: tasks.clone() };
        let for_requests = fleet.clone();
        let serve = move |client, request: Request<Incoming>| forward(for_requests.clone(), client, request);
        tasks.spawn(listen(listener, options.max_connections, options.clone(), signals.clone(), serve));
        let serve = move |_, request: Request<Incoming>| administered(fleet.clone(), request);
        tasks.spawn(listen(admin_listener, ADMINISTRATORS, options.clone(), signals, serve));
        Ok(Self { address, admin, drain, abort, tasks, patience: options.drain_timeout })
    }

    /// Where requests come in.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where the admin interface is.
    pub fn admin(&self) -> SocketAddr {
        self.admin
    }

    /// How many tasks there are: two listeners, one task for each client connection and for each backend that is
    /// probed.
    pub fn tasks(&self) -> usize {
        self.tasks.len()
    }

    /// Stops listening, lets every connection finish the request that it is serving, for as long as
    /// [`Options::drain_timeout`], and ends. Says whether all of them finished.
    pub async fn drain(self) -> bool {
        self.drain.cancel();
        self.tasks.close();
        let in_time = tokio::time::timeout(self.patience, self.tasks.wait()).await.is_ok();
        if !in_time {
            self.abort.cancel();
            self.tasks.wait().await;
        }
        in_time
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.drain.cancel();
        self.abort.cancel();
    }
}

async fn administered(fleet: Arc<Fleet>, request: Request<Incoming>) -> Response<Answer> {
    administer(fleet, request).await
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}
