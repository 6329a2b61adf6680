//! [`Router`]: each request to the member whose turn it is.

use std::fmt;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use snapring::Registry;
use tower::Service;

use crate::{Node, ResponseFuture, RouteError, Watched};

/// Sends each request to the member whose turn it is in the exact ring; while that one is not ready, to one that is.
///
/// # What `poll_ready` does
///
/// One request takes one turn. `poll_ready` takes it, clones that member's service and asks the clone whether it is
/// ready. If it is, that clone is kept for the `call`. If it is **pending**, or **fails**, everybody else in the list is
/// asked, each once, and the first that is ready serves the request; the k-th turn that a member lets pass begins with
/// the k-th of the others, so that its share is spread over them. So a router is pending only while nobody is ready, and
/// then wakes up with the first that becomes so, and with every change of the registry: somebody new is asked, and
/// somebody who left is no longer waited for. Requests passed on take no turn.
///
/// `poll_ready` itself never fails, so a router is good for ever. If there is nobody, or everybody failed, it is ready
/// and the `call` answers with the error, at once.
///
/// A member that fails stays in the registry: who is taken out, and when, is a matter for the discovery. A request whose
/// `call` fails is not sent again: put a `tower::retry` around the router, and each attempt takes a turn.
///
/// A router that is ready holds a clone that is ready, and with it what that reserved (a permit, a slot): call it or drop
/// it. Clones of a router share the registry, and each takes turns of its own.
pub struct Router<K, S, R> {
    registry: Arc<Watched<R>>,
    state: State<K, S>,
}

enum State<K, S> {
    /// Nothing was asked of us yet.
    Idle,
    /// A turn was taken, and nobody was ready.
    Waiting(Waiting<K, S>),
    /// For the next call.
    Ready(Result<Candidate<K, S>, Nobody>),
}

/// Why nobody is ready, nor will be.
struct Nobody {
    is_registered: bool,
}

struct Candidate<K, S> {
    node: Arc<Node<K, S>>,
    service: S,
}

struct Waiting<K, S> {
    /// Those that are pending, each with its waker set.
    pending: Vec<Candidate<K, S>>,
    /// Those that are not to be asked again: pending or failed.
    asked: Vec<Arc<Node<K, S>>>,
    /// Resolves with a change that is not in what we know.
    change: Option<Change>,
}

type Change = Pin<Box<dyn Future<Output = ()> + Send>>;

impl<K, S, R> Router<K, S, R> {
    /// Routes over this registry.
    pub fn new(registry: Arc<Watched<R>>) -> Self {
        Self { registry, state: State::Idle }
    }

    /// The registry.
    pub fn registry(&self) -> &Arc<Watched<R>> {
        &self.registry
    }
}

impl<K, S, R> Router<K, S, R>
where
    K: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static,
    S: Clone + Send + Sync + 'static,
    R: Registry<Node<K, S>>,
{
    /// Takes a turn, and asks the one whose turn it is, then everybody else.
    fn begin<Request>(&self, cx: &mut Context<'_>) -> State<K, S>
    where
        S: Service<Request>,
    {
        let Ok(due) = self.registry.next() else { return State::Ready(Err(Nobody { is_registered: false })) };
        let mut waiting = Waiting { pending: Vec::new(), asked: Vec::new(), change: None };
        match waiting.ask(due.clone(), cx) {
            Some(ready) => State::Ready(Ok(ready)),
            None => self.ask_others(waiting, due.pass_on(), cx),
        }
    }

    /// Asks everybody who was not asked yet, beginning at `first`, and says where that leaves us.
    fn ask_others<Request>(&self, mut waiting: Waiting<K, S>, first: usize, cx: &mut Context<'_>) -> State<K, S>
    where
        S: Service<Request>,
    {
        loop {
            let mut change = self.next_change();
            let list = self.registry.snapshot();
            let is_there = |node: &Arc<Node<K, S>>| list.get(node.key()) == Some(node);
            waiting.pending.retain(|candidate| is_there(&candidate.node));
            waiting.asked.retain(is_there);
            let others: Vec<_> = list.iter().filter(|node| !waiting.asked.contains(node)).cloned().collect();
            let (before, behind) = others.split_at(first.checked_rem(others.len()).unwrap_or(0));
            for node in behind.iter().chain(before) {
                if let Some(ready) = waiting.ask(node.clone(), cx) {
                    return State::Ready(Ok(ready));
                }
            }
            if waiting.pending.is_empty() {
                return State::Ready(Err(Nobody { is_registered: !list.is_empty() }));
            }
            if change.as_mut().poll(cx).is_pending() {
                waiting.change = Some(change);
                return State::Waiting(waiting);
            }
        }
    }

    /// Asks those again that were pending, and if there is news, those that are new.
    fn go_on<Request>(&self, mut waiting: Waiting<K, S>, cx: &mut Context<'_>) -> State<K, S>
    where
        S: Service<Request>,
    {
        if let Some(ready) = waiting.ask_again(cx) {
            return State::Ready(Ok(ready));
        }
        let nothing_new = waiting.change.as_mut().is_some_and(|change| change.as_mut().poll(cx).is_pending());
        if nothing_new && !waiting.pending.is_empty() {
            return State::Waiting(waiting);
        }
        self.ask_others(waiting, 0, cx)
    }

    /// To be made before the list is looked at: resolves with any change after this.
    fn next_change(&self) -> Change {
        let mut bell = self.registry.subscribe();
        Box::pin(async move {
            // An error means that the registry is gone, which cannot be: we hold it.
            let _ = bell.changed().await;
        })
    }
}

impl<K, S> Waiting<K, S> {
    /// Asks a clone of a service whether it is ready.
    fn ask<Request>(&mut self, node: Arc<Node<K, S>>, cx: &mut Context<'_>) -> Option<Candidate<K, S>>
    where
        S: Service<Request> + Clone,
    {
        self.asked.push(node.clone());
        let mut service = node.service().clone();
        match service.poll_ready(cx) {
            Poll::Ready(Ok(())) => return Some(Candidate { node, service }),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.pending.push(Candidate { node, service }),
        }
        None
    }

    /// Asks those again that were pending, in the order of the plan.
    fn ask_again<Request>(&mut self, cx: &mut Context<'_>) -> Option<Candidate<K, S>>
    where
        S: Service<Request>,
    {
        let mut at = 0;
        while let Some(candidate) = self.pending.get_mut(at) {
            match candidate.service.poll_ready(cx) {
                Poll::Ready(Ok(())) => return Some(self.pending.remove(at)),
                Poll::Ready(Err(_)) => drop(self.pending.remove(at)),
                Poll::Pending => at += 1,
            }
        }
        None
    }
}

impl<K, S, R, Request> Service<Request> for Router<K, S, R>
where
    K: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static,
    S: Service<Request> + Clone + Send + Sync + 'static,
    R: Registry<Node<K, S>>,
{
    type Response = S::Response;
    type Error = RouteError<K, S::Error>;
    type Future = ResponseFuture<K, S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.state = match std::mem::replace(&mut self.state, State::Idle) {
            State::Idle => self.begin(cx),
            State::Waiting(waiting) => self.go_on(waiting, cx),
            ready @ State::Ready(_) => ready,
        };
        match self.state {
            State::Ready(_) => Poll::Ready(Ok(())),
            _ => Poll::Pending,
        }
    }

    /// # Panics
    ///
    /// If `poll_ready` did not say that it was ready.
    fn call(&mut self, request: Request) -> Self::Future {
        let State::Ready(candidate) = std::mem::replace(&mut self.state, State::Idle) else {
            panic!("called before poll_ready said that it was ready");
        };
        match candidate {
            Ok(Candidate { node, mut service }) => ResponseFuture::of(node.key().clone(), service.call(request)),
            Err(nobody) => ResponseFuture::nobody(nobody.is_registered),
        }
    }
}

impl<K, S, R> Clone for Router<K, S, R> {
    fn clone(&self) -> Self {
        Self::new(self.registry.clone())
    }
}

impl<K, S, R> fmt::Debug for Router<K, S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").finish_non_exhaustive()
    }
}
