//! One request: to a backend, to another if that one fails and the request allows it, and the answer back.
//!
//! # What is tried again
//!
//! A request goes to another backend if the first one has seen nothing of it (the connection did not open, or closed
//! before anything was sent), whatever the method; after that, only if its method is idempotent and its body is empty or
//! was kept ([`replay_limit`](crate::Options::replay_limit)). Never after the head of an answer has arrived.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode, Version};
use hyper_util::client::legacy::connect::capture_connection;
use tokio::time::{Instant, sleep_until};

use crate::body::{Answer, Outgoing, Relayed, UnderWay};
use crate::connection::lost;
use crate::failure::{Cause, Failure, Tried};
use crate::fleet::Fleet;
use crate::headers;
use crate::plan::Plan;
use crate::replay::Payload;
use crate::upstream::Upstream;

/// Serves one request. There is always an answer.
pub(crate) async fn forward(fleet: Arc<Fleet>, client: IpAddr, request: Request<Incoming>) -> Response<Answer> {
    relay(&fleet, client, request).await.unwrap_or_else(|failure| {
        tracing::debug!(?failure, "no answer from a backend");
        failure.into_response()
    })
}

async fn relay(fleet: &Arc<Fleet>, client: IpAddr, request: Request<Incoming>) -> Result<Response<Answer>, Failure> {
    let options = fleet.options();
    let (mut head, body) = request.into_parts();
    if head.method == Method::CONNECT {
        return Err(Failure::Unsupported("this proxy makes no tunnels"));
    }
    head.version = Version::HTTP_11;
    headers::to_backend(&mut head.headers, client);

    let payload = Payload::take(body, &head.method, options.replay_limit, options.stall_timeout).await?;
    let deadline = Instant::now() + options.deadline;
    let mut plan = Plan::new(fleet.balance());
    let mut tried = Vec::new();
    let repeatable = head.method.is_idempotent() && payload.is_replayable();

    while let Some(upstream) = plan.next() {
        let Some(body) = payload.lend() else { return Err(Failure::NotRepeatable(tried)) };
        let cause = match attempt(fleet, &upstream, &head, body, &payload, deadline).await? {
            Ok(answer) => return Ok(answer),
            Err(cause) => cause,
        };
        upstream.counts().failed.fetch_add(1, Relaxed);
        if cause == Cause::Refused {
            fleet.refused(&upstream);
        }
        tracing::debug!(backend = upstream.id(), ?cause, "an attempt failed");
        tried.push(Tried { backend: upstream.id().to_owned(), cause });
        if !cause.is_before_sending() && !repeatable {
            return Err(Failure::NotRepeatable(tried));
        }
        if Instant::now() >= deadline {
            return Err(Failure::Late(tried));
        }
    }
    Err(if tried.is_empty() { Failure::NoBackends } else { Failure::AllFailed(tried) })
}

/// One attempt. The outer error ends the request: it is the client's doing, so no backend is to blame.
async fn attempt(
    fleet: &Fleet,
    upstream: &Upstream,
    head: &Parts,
    body: Outgoing,
    payload: &Payload,
    deadline: Instant,
) -> Result<Result<Response<Answer>, Cause>, Failure> {
    let options = fleet.options();
    let under_way = UnderWay::at(upstream);
    let mut head = head.clone();
    head.uri = upstream.uri(head.uri.path_and_query().cloned()).map_err(|_| Failure::BadTarget)?;
    let sent = Instant::now();
    let mut request = Request::from_parts(head, body);
    let lost = lost(capture_connection(&mut request));
    let answer = upstream.client().request(request);
    tokio::pin!(answer, lost);
    let answer = loop {
        let until = (payload.moved().unwrap_or(sent).max(sent) + options.answer_timeout).min(deadline);
        tokio::select! {
            biased;
            answer = &mut answer => break answer,
            () = &mut lost => return Ok(Err(Cause::Broke)),
            () = sleep_until(until) => {
                let moved = payload.moved().unwrap_or(sent).max(sent);
                if Instant::now() >= (moved + options.answer_timeout).min(deadline) {
                    return payload.blame().map_or(Ok(Err(Cause::TimedOut)), Err);
                }
            }
        }
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            let cause = Cause::of(&error);
            let clients = payload.blame().filter(|failure| matches!(failure, Failure::ClientBroke));
            return clients.map_or(Ok(Err(cause)), Err);
        }
    };
    upstream.accepted();
    if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
        return Ok(Err(Cause::Nonsense)); // nobody asked it to
    }
    upstream.counts().answered.fetch_add(1, Relaxed);

    let (mut head, body) = answer.into_parts();
    headers::to_client(&mut head.headers);
    head.version = Version::HTTP_11;
    head.extensions.clear();
    Ok(Ok(Response::from_parts(head, Relayed::new(body, options.stall_timeout, under_way).boxed_unsync())))
}
