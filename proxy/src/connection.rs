//! Connections to backends that say when they are over.
//!
//! hyper hands a request to the task of its connection through a channel. A request that enters it in the very moment in
//! which that task ends is neither sent nor given back (hyper's issue 4122): it would wait for the whole answer timeout.
//! The task takes its socket along, so a request whose socket is gone and that still has no result is such a one.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper::http::Extensions;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{CaptureConnection, Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_util::sync::{CancellationToken, DropGuard};
use tower_service::Service;

use crate::body::BoxError;

/// How long a result may take after the socket is gone. It is there already, unless it never comes.
const GRACE: Duration = Duration::from_secs(1);

/// Opens such connections.
#[derive(Clone)]
pub(crate) struct Connector(pub(crate) HttpConnector);

impl Service<Uri> for Connector {
    type Response = Socket;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Socket, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.0.call(uri);
        Box::pin(async move {
            let gone = CancellationToken::new();
            Ok(Socket { stream: connecting.await?, gone: Gone(gone.clone()), _alive: gone.drop_guard() })
        })
    }
}

/// A connection, and the signal that it is gone.
pub(crate) struct Socket {
    stream: TokioIo<TcpStream>,
    gone: Gone,
    _alive: DropGuard,
}

#[derive(Clone)]
struct Gone(CancellationToken);

impl Connection for Socket {
    fn connected(&self) -> Connected {
        self.stream.connected().extra(self.gone.clone())
    }
}

/// Ends when the connection that a request was given to is gone, and the request should have a result.
pub(crate) async fn lost(mut captured: CaptureConnection) {
    drop(captured.wait_for_connection_metadata().await);
    while let Some(Gone(gone)) = current(&captured) {
        gone.cancelled().await;
        tokio::time::sleep(GRACE).await;
        // The client may have moved the request to another connection meanwhile.
        if current(&captured).is_none_or(|now| now.0.is_cancelled()) {
            return;
        }
    }
    std::future::pending().await // it never came to a connection
}

fn current(captured: &CaptureConnection) -> Option<Gone> {
    let mut extras = Extensions::new();
    captured.connection_metadata().as_ref()?.get_extras(&mut extras);
    extras.remove()
}

impl Read for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl Write for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }
}
