//! [`DemoBackend`]: something to balance over, for `--demo`, for the tests and for the comparison.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};

/// A backend that answers every request with its name.
///
/// `/echo` answers with the body of the request, `/headers` with its fields, one a line, `/slow/500` after half a
/// second. Dropping it kills it: the listener and all connections close at once.
#[derive(Debug)]
pub struct DemoBackend {
    address: SocketAddr,
    counts: Arc<Counts>,
    _alive: DropGuard,
}

#[derive(Debug, Default)]
struct Counts {
    requests: AtomicU64,
    connections: AtomicUsize,
}

impl DemoBackend {
    /// Listens on this address; port 0 picks a free one.
    ///
    /// # Errors
    ///
    /// If it cannot be listened on.
    pub async fn start(name: impl Into<Arc<str>>, address: SocketAddr) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // One that was killed may come back at its address at once.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(1024)?;
        let address = listener.local_addr()?;
        let counts = Arc::new(Counts::default());
        let alive = CancellationToken::new();
        tokio::spawn(alive.clone().run_until_cancelled_owned(accept(
            listener,
            name.into(),
            counts.clone(),
            alive.clone(),
        )));
        Ok(Self { address, counts, _alive: alive.drop_guard() })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many requests it has seen.
    pub fn requests(&self) -> u64 {
        self.counts.requests.load(Relaxed)
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.counts.connections.load(Relaxed)
    }
}

async fn accept(listener: TcpListener, name: Arc<str>, counts: Arc<Counts>, alive: CancellationToken) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let serving = serve(stream, name.clone(), counts.clone());
                tokio::spawn(alive.clone().run_until_cancelled_owned(serving));
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn serve(stream: TcpStream, name: Arc<str>, counts: Arc<Counts>) {
    struct Open(Arc<Counts>);
    impl Drop for Open {
        fn drop(&mut self) {
            self.0.connections.fetch_sub(1, Relaxed);
        }
    }
    counts.connections.fetch_add(1, Relaxed);
    let open = Open(counts);
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        open.0.requests.fetch_add(1, Relaxed);
        answer(name.clone(), request)
    });
    // Clients come and go as they like.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(
    name: Arc<str>,
    request: Request<Incoming>,
) -> Result<Response<UnsyncBoxBody<Bytes, hyper::Error>>, Infallible> {
    let full = |text: String| Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed_unsync();
    let path = request.uri().path();
    let body = if path == "/echo" {
        request.into_body().boxed_unsync()
    } else if path == "/headers" {
        let fields = request.headers().iter();
        full(fields.map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes()))).collect())
    } else {
        if let Some(wait) = path.strip_prefix("/slow/").and_then(|wait| wait.parse().ok()) {
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
        full(name.to_string())
    };
    Ok(Response::new(body))
}
