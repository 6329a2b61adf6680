//! tower's `p2c::Balance` over services that are always ready.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::hint::black_box;
use std::task::{Context, Poll, Waker};

use snapring_benches::adapters::{Contender, Picker};
use tower::Service;
use tower::balance::p2c::Balance;
use tower::discover::ServiceList;
use tower::load::{CompleteOnResponse, PendingRequests};

/// A backend that does nothing.
struct Nothing;

impl Service<()> for Nothing {
    type Response = ();
    type Error = Infallible;
    type Future = Ready<Result<(), Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, (): ()) -> Self::Future {
        ready(Ok(()))
    }
}

type Services = ServiceList<Vec<PendingRequests<Nothing>>>;

/// A balancer wants `&mut self`, so each thread has one of its own, and the threads share nothing: what a `Buffer` in front
/// of one for all would cost is left out. A pick draws two at random, compares their load, calls one and drops the future.
pub struct Tower(usize);

impl Contender for Tower {
    type Picker<'a> = Balancing;

    fn new(members: Vec<snapring::Backend>) -> Self {
        Self(members.len())
    }

    fn picker(&self, _thread: usize) -> Balancing {
        let service = |_| PendingRequests::new(Nothing, CompleteOnResponse::default());
        Balancing(Balance::new(ServiceList::new((0..self.0).map(service).collect())))
    }

    fn add(&self, _member: snapring::Backend) {}

    fn remove(&self, _id: &str) {}
}

/// Calls through a balancer of its own.
pub struct Balancing(Balance<Services, ()>);

impl Picker for Balancing {
    #[inline]
    fn pick(&mut self) {
        if self.0.poll_ready(&mut Context::from_waker(Waker::noop())).is_ready() {
            drop(black_box(self.0.call(())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ready() {
        let tower = Tower::new(snapring_benches::adapters::backends(3));
        let Balancing(mut balance) = tower.picker(0);
        assert!(balance.poll_ready(&mut Context::from_waker(Waker::noop())).is_ready());
        assert_eq!(balance.len(), 3);
    }
}
