//! [`Payload`]: the body of a request, lent to one attempt after another as far as that is possible.
//!
//! An empty body and a small one of an idempotent request can be sent any number of times. Any other is passed on while
//! the client sends it, and is lent for as long as no attempt has read from it: one whose connection never opened gives
//! it back.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::Method;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Instant, timeout};

use crate::balance::lock;
use crate::body::{BoxError, Outgoing};
use crate::failure::Failure;

pub(crate) enum Payload {
    Whole(Bytes),
    Streamed(Arc<Home>),
}

/// Where a streamed body is while no attempt has it, and how it fares while one has.
pub(crate) struct Home(Mutex<State>);

struct State {
    body: Option<Incoming>,
    moved: Instant,
    waiting: bool,
    broken: bool,
}

impl Payload {
    /// Takes the body of a request, at once if it may have to be sent again.
    pub(crate) async fn take(
        body: Incoming,
        method: &Method,
        replay_limit: usize,
        patience: Duration,
    ) -> Result<Self, Failure> {
        if body.is_end_stream() {
            return Ok(Self::Whole(Bytes::new()));
        }
        let length = body.size_hint().exact();
        if method.is_idempotent() && length.is_some_and(|length| length <= replay_limit as u64) {
            let all = Limited::new(body, replay_limit).collect();
            let all = timeout(patience, all).await.map_err(|_| Failure::ClientStalled)?;
            return all.map(|all| Self::Whole(all.to_bytes())).map_err(|_| Failure::ClientBroke);
        }
        let state = State { body: Some(body), moved: Instant::now(), waiting: false, broken: false };
        Ok(Self::Streamed(Arc::new(Home(Mutex::new(state)))))
    }

    /// Whether it can be sent again after it was sent.
    pub(crate) fn is_replayable(&self) -> bool {
        matches!(self, Self::Whole(_))
    }

    /// The body, for one attempt. `None` if an earlier attempt has read from it.
    pub(crate) fn lend(&self) -> Option<Outgoing> {
        match self {
            Self::Whole(bytes) => Some(Outgoing::Whole(Full::new(bytes.clone()))),
            Self::Streamed(home) => {
                let mut state = lock(&home.0);
                state.moved = Instant::now();
                let body = state.body.take()?;
                Some(Outgoing::Streamed(Lent { body: Some(body), read: false, home: home.clone() }))
            }
        }
    }

    /// When something last moved, if it is being sent.
    pub(crate) fn moved(&self) -> Option<Instant> {
        match self {
            Self::Whole(_) => None,
            Self::Streamed(home) => Some(lock(&home.0).moved),
        }
    }

    /// What the client has to do with an attempt that failed, if anything.
    pub(crate) fn blame(&self) -> Option<Failure> {
        let Self::Streamed(home) = self else { return None };
        let state = lock(&home.0);
        match (state.broken, state.waiting) {
            (true, _) => Some(Failure::ClientBroke),
            (false, true) => Some(Failure::ClientStalled),
            (false, false) => None,
        }
    }
}

/// A body on loan. It goes home unless something was read from it.
pub(crate) struct Lent {
    body: Option<Incoming>,
    read: bool,
    home: Arc<Home>,
}

impl Body for Lent {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        let Some(body) = &mut this.body else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(cx);
        let mut state = lock(&this.home.0);
        state.waiting = polled.is_pending();
        let frame = ready!(polled);
        state.moved = Instant::now();
        state.broken = matches!(frame, Some(Err(_)));
        this.read = true;
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.read {
            lock(&self.home.0).body = self.body.take();
        }
    }
}
