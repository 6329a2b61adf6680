//! Random, and nobody twice before everybody once: this crate's bag, which has a lock, and one without.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use snapring::strategy::{RoundRobin, ShuffleBag};
use snapring::{ArcSwapRegistry, Backend, Balancer, Registry, Strategy};

use super::Change;
use crate::adapters::{Contender, Picker};
use crate::window::Padded;

/// A strategy over a registry, as a `Balancer` routes.
#[derive(Debug)]
pub struct Routed<S>(Balancer<ArcSwapRegistry<Backend>, S>);

/// A strategy that begins anew.
pub trait Fresh: Strategy<Backend> {
    /// One without a past.
    fn fresh() -> Self;
}

impl Fresh for ShuffleBag {
    fn fresh() -> Self {
        Self::new()
    }
}

impl Fresh for RoundRobin {
    fn fresh() -> Self {
        Self::new()
    }
}

impl<S: Fresh> Contender for Routed<S> {
    type Picker<'a>
        = Routing<'a, S>
    where
        Self: 'a;

    fn new(members: Vec<Backend>) -> Self {
        let balancer = Balancer::new(ArcSwapRegistry::new(), S::fresh());
        balancer.registry().replace_all(members);
        Self(balancer)
    }

    fn picker(&self, _thread: usize) -> Routing<'_, S> {
        Routing(&self.0)
    }

    fn add(&self, member: Backend) {
        self.0.registry().register(member);
    }

    fn remove(&self, id: &str) {
        self.0.registry().deregister(id);
    }
}

/// Routes through a shared balancer.
#[derive(Debug)]
pub struct Routing<'a, S>(&'a Balancer<ArcSwapRegistry<Backend>, S>);

impl<S: Fresh> Picker for Routing<'_, S> {
    #[inline]
    fn pick(&mut self) {
        black_box(self.0.route()).ok();
    }
}

/// The simplest bag without a lock: a shuffled list and a count of who was used. Whoever finds it used up publishes the
/// next one.
///
/// It does less than [`ShuffleBag`]: a change of the list begins a new round, and forgets who was used.
#[derive(Debug)]
pub struct LockFreeBag {
    round: ArcSwap<Round>,
    changing: Mutex<()>,
}

#[derive(Debug)]
struct Round {
    order: Vec<Arc<Backend>>,
    used: Padded<AtomicUsize>,
}

impl Round {
    /// The members in any order, but the last of the round before is not the first, unless he is alone.
    fn of(mut order: Vec<Arc<Backend>>, last: Option<&Arc<Backend>>) -> Arc<Self> {
        fastrand::shuffle(&mut order);
        let n = order.len();
        if n > 1 && last.is_some_and(|last| Arc::ptr_eq(last, &order[0])) {
            order.swap(0, fastrand::usize(1..n));
        }
        Arc::new(Self { order, used: Padded(AtomicUsize::new(0)) })
    }
}

impl LockFreeBag {
    #[inline]
    fn next(&self) -> Option<Arc<Backend>> {
        loop {
            let round = self.round.load();
            let last = round.order.last()?;
            if let Some(member) = round.order.get(round.used.0.fetch_add(1, Ordering::Relaxed)) {
                return Some(member.clone());
            }
            let next = Round::of(round.order.clone(), Some(last));
            self.round.compare_and_swap(&round, next); // or somebody else was faster
        }
    }

    fn change(&self, change: &Change) {
        let _alone = self.changing.lock().expect("no change panics");
        self.round.rcu(|round| Round::of(change.applied(&round.order), None));
    }
}

impl Contender for LockFreeBag {
    type Picker<'a> = Drawing<'a>;

    fn new(members: Vec<Backend>) -> Self {
        let order = members.into_iter().map(Arc::new).collect();
        Self { round: ArcSwap::new(Round::of(order, None)), changing: Mutex::new(()) }
    }

    fn picker(&self, _thread: usize) -> Drawing<'_> {
        Drawing(self)
    }

    fn add(&self, member: Backend) {
        self.change(&Change::Add(Arc::new(member)));
    }

    fn remove(&self, id: &str) {
        self.change(&Change::Remove(id.to_owned()));
    }
}

/// Draws from a shared bag.
#[derive(Debug)]
pub struct Drawing<'a>(&'a LockFreeBag);

impl Picker for Drawing<'_> {
    #[inline]
    fn pick(&mut self) {
        black_box(self.0.next());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::backends;

    #[test]
    fn the_bag_without_a_lock_is_a_bag() {
        let bag = LockFreeBag::new(backends(5));
        let mut last = None;
        for _ in 0..100 {
            let round = [(); 5].map(|()| bag.next().unwrap().id().to_owned());
            assert_ne!(last.as_ref(), Some(&round[0]));
            last = round.last().cloned();
            let mut members = round;
            members.sort();
            assert_eq!(members, ["b0", "b1", "b2", "b3", "b4"]);
        }
        for id in ["b0", "b1", "b2", "b3"] {
            bag.remove(id);
        }
        assert_eq!([bag.next(), bag.next()].map(|pick| pick.unwrap().id().to_owned()), ["b4", "b4"]);
        bag.remove("b4");
        assert_eq!(bag.next(), None);
    }
}
