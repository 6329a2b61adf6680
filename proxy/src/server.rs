//! Accepting connections, serving them, and letting them finish.

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::Options;
use crate::body::Answer;

/// What stops a listener and its connections.
#[derive(Clone)]
pub(crate) struct Signals {
    /// No new connections; each open one ends after the request that it is serving.
    pub(crate) drain: CancellationToken,
    /// Every connection ends now.
    pub(crate) abort: CancellationToken,
    /// Everything that runs is in here.
    pub(crate) tasks: TaskTracker,
}

/// Accepts connections until told to drain, at most so many at a time: a further one waits in the kernel's queue.
pub(crate) async fn listen<S, F>(
    listener: TcpListener,
    connections: usize,
    options: Arc<Options>,
    signals: Signals,
    serve: S,
) where
    S: Fn(IpAddr, Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<Answer>> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(connections.clamp(1, Semaphore::MAX_PERMITS)));
    let accepting = async {
        while let Ok(place) = places.clone().acquire_owned().await {
            let (stream, peer) = accept(&listener).await;
            let connection = connection(stream, peer, options.clone(), signals.clone(), serve.clone());
            signals.tasks.spawn(async move {
                connection.await;
                drop(place);
            });
        }
    };
    signals.drain.run_until_cancelled(accepting).await;
}

/// The next connection. A failed accept is about one connection, or about a shortage that will pass: never a reason to
/// stop, nor to spin.
async fn accept(listener: &TcpListener) -> (TcpStream, IpAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer.ip()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn connection<S, F>(stream: TcpStream, peer: IpAddr, options: Arc<Options>, signals: Signals, serve: S)
where
    S: Fn(IpAddr, Request<Incoming>) -> F,
    F: Future<Output = Response<Answer>>,
{
    let _ = stream.set_nodelay(true); // an optimisation
    let mut stream = TimeoutStream::new(stream);
    // hyper watches over the reading of heads and we over bodies; this is about clients that do not read.
    stream.set_write_timeout(Some(options.stall_timeout));
    let service = service_fn(|request| {
        let answer = serve(peer, request);
        async { Ok::<_, Infallible>(answer.await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(options.head_timeout)
        .max_buf_size(64 * 1024)
        // A client may close its side once it has said everything, and still gets its answer.
        .half_close(true)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    tokio::pin!(connection);

    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = signals.drain.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = connection.as_mut() => ended,
                () = signals.abort.cancelled() => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection ended early");
    }
}
