//! K10: whoever stands behind an ineligible member gets that one's share too (apple/servicetalk, redisson/redisson).
//! Filter first, then rotate: every eligible member has the same share. K09: a retry that returns to the one that failed.

use snapring::strategy::RoundRobin;
use snapring::{Balancer, NoBackends, Registry, Snapshot, Strategy};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common::{Census, Counted, Kind, on_every_registry, picks};

on_every_registry!(
    shares_of_the_eligible_are_exact,
    a_member_that_becomes_ineligible_in_the_middle,
    shares_after_a_removal_are_exact,
    a_strategy_that_filters,
    filtered_lists,
    a_retry_goes_to_another,
);

fn shares(numbers: impl IntoIterator<Item = u64>) -> Vec<usize> {
    let mut counts = BTreeMap::<u64, usize>::new();
    numbers.into_iter().for_each(|number| *counts.entry(number).or_default() += 1);
    counts.into_values().collect()
}

/// Any set of eligible members out of five.
fn shares_of_the_eligible_are_exact(kind: Kind) {
    let registry = kind.of(Census::new().members(5));
    for eligible in 1..32_u64 {
        let strategy = RoundRobin::new();
        let pick = |_| {
            let candidates = registry.snapshot().filter(|member| eligible >> member.number & 1 == 1);
            strategy.route(&candidates).unwrap().number
        };
        let m = eligible.count_ones() as usize;
        let order: Vec<u64> = (0..7 * m).map(pick).collect();
        assert_eq!(shares(order.iter().copied()), vec![7; m], "of {eligible:b}");
        let ordered: Vec<u64> = (0..5).filter(|number| eligible >> number & 1 == 1).cycle().take(7 * m).collect();
        assert_eq!(order, ordered);
    }
}

fn a_member_that_becomes_ineligible_in_the_middle(kind: Kind) {
    for before in 0..12 {
        let registry = kind.of(Census::new().members(6));
        let strategy = RoundRobin::new();
        let all = (0..before).map(|_| strategy.route(&registry.snapshot()).unwrap().number);
        assert_eq!(all.collect::<Vec<_>>(), (0..6).cycle().take(before).collect::<Vec<_>>());
        let without = |_| strategy.route(&registry.snapshot().filter(|member| member.number != 3)).unwrap().number;
        let order: Vec<_> = (0..25).map(without).collect();
        assert_eq!(shares(order.iter().copied()), [5; 5], "after {before}");
        let due = (before as u64 % 6..6).find(|number| *number != 3).unwrap();
        assert_eq!(order[0], due, "the one due before, or its successor");
    }
}

/// datastax/csharp-driver needed tolerances for this.
fn shares_after_a_removal_are_exact(kind: Kind) {
    for removed in 0..6 {
        for served in 0..7 {
            let registry = kind.of(Census::new().members(6));
            picks(&registry, served);
            registry.deregister(&removed);
            assert_eq!(shares(picks(&registry, 20)), [4; 5]);
            assert_eq!(shares(picks(&registry, 5)), [1; 5]);
        }
    }
}

/// Only those of even number, through a strategy around another.
struct Even<S>(S);

impl<S: Strategy<Counted>> Strategy<Counted> for Even<S> {
    fn route(&self, nodes: &Snapshot<Counted>) -> Result<Arc<Counted>, NoBackends> {
        self.0.route(&nodes.filter(|member| member.number % 2 == 0))
    }
}

fn a_strategy_that_filters(kind: Kind) {
    let balancer = Balancer::new(kind.of(Census::new().members(7)), Even(RoundRobin::new()));
    let order: Vec<_> = (0..8).map(|_| balancer.route().unwrap().number).collect();
    assert_eq!(order, [0, 2, 4, 6, 0, 2, 4, 6]);
    for number in [0, 2, 4, 6] {
        balancer.registry().deregister(&number);
    }
    assert_eq!(balancer.route().unwrap_err(), NoBackends, "nobody eligible is nobody, not everybody");
}

fn filtered_lists(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(100));
    registry.register(census.member(3, 1));
    let snapshot = registry.snapshot();
    let even = snapshot.filter(|member| member.number % 2 == 0);
    assert_eq!(even.len(), 50);
    assert_eq!(even.version(), snapshot.version());
    assert!(even.iter().all(|member| Arc::ptr_eq(member, snapshot.get(&member.number).unwrap())), "the same members");
    assert!(even.is_sorted_by_key(|member| member.number), "in the same order");
    assert!(even.get(&42).is_some() && even.get(&43).is_none());
    assert!(snapshot.filter(|_| false).is_empty());
    assert_eq!(snapshot.len(), 100);
}

/// Netflix/ribbon, envoyproxy/envoy: whoever was tried is not eligible; when all were, that is the answer, and the next
/// request begins anew. Others pick in between.
fn a_retry_goes_to_another(kind: Kind) {
    let registry = kind.of(Census::new().members(4));
    let strategy = RoundRobin::new();
    for request in 0..12 {
        let mut tried = Vec::new();
        for _ in 0..4 {
            let untried = registry.snapshot().filter(|member| !tried.contains(&member.number));
            let pick = strategy.route(&untried).expect("somebody is untried").number;
            assert!(!tried.contains(&pick), "request {request} returns to {pick}");
            tried.push(pick);
            picks(&registry, 3);
        }
        let untried = registry.snapshot().filter(|member| !tried.contains(&member.number));
        assert_eq!(strategy.route(&untried).unwrap_err(), NoBackends);
    }
}
