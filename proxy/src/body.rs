//! Bodies on their way: [`Outgoing`] to a backend, [`Answer`] to a client. Neither is ever collected without a limit.

use std::io;
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::replay::Lent;
use crate::upstream::Upstream;

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What a client gets.
pub(crate) type Answer = UnsyncBoxBody<Bytes, BoxError>;

/// A whole answer of our own.
pub(crate) fn whole(bytes: impl Into<Bytes>) -> Answer {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

/// What a backend gets.
pub(crate) enum Outgoing {
    /// Nothing, or all of it at once.
    Whole(Full<Bytes>),
    /// What the client is still sending.
    Streamed(Lent),
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.get_mut() {
            Self::Whole(body) => Pin::new(body).poll_frame(cx).map_err(|never| match never {}),
            Self::Streamed(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(body) => body.is_end_stream(),
            Self::Streamed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => body.size_hint(),
            Self::Streamed(body) => body.size_hint(),
        }
    }
}

/// Counts a request as under way for as long as it lives.
pub(crate) struct UnderWay(Upstream);

impl UnderWay {
    pub(crate) fn at(upstream: &Upstream) -> Self {
        upstream.counts().in_flight.fetch_add(1, Relaxed);
        Self(upstream.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.counts().in_flight.fetch_sub(1, Relaxed);
    }
}

/// The body of a backend's answer, passed on as it comes. One that stands still for too long ends in an error, and the
/// server then closes the client's connection: what was sent is not what was promised, and nothing else can say so.
pub(crate) struct Relayed {
    body: Incoming,
    patience: Duration,
    /// Set while we wait for the backend, not while the client keeps us waiting.
    alarm: Option<Pin<Box<Sleep>>>,
    _under_way: UnderWay,
}

impl Relayed {
    pub(crate) fn new(body: Incoming, patience: Duration, under_way: UnderWay) -> Self {
        Self { body, patience, alarm: None, _under_way: under_way }
    }
}

impl Body for Relayed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            self.alarm = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let deadline = Instant::now() + self.patience;
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        alarm.as_mut().poll(cx).map(|()| {
            let late = io::Error::new(io::ErrorKind::TimedOut, "the backend stopped in the middle of its answer");
            Some(Err(late.into()))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
