//! K22: the first member is skipped at first, or is the only one ever (sipeed/picoclaw, majiayu000/litellm-rs). K05: all
//! clients begin with the same member; where to begin can be chosen.

use std::sync::Arc;

use snapring::strategy::RoundRobin;
use snapring::{Backend, Balancer, MutexRegistry, Registry, Snapshot, Start, Strategy};

use crate::common::{Census, Counted, Kind, numbers, on_every_registry, picks};

on_every_registry!(
    the_first_pick_is_the_first_member,
    through_trait_objects_too,
    strategies_begin_at_the_first_too,
    registration_order_is_the_order,
    a_start_of_ones_own,
);

fn the_first_pick_is_the_first_member(kind: Kind) {
    let census = Census::new();
    for n in 1..=10 {
        let expected: Vec<_> = (0..n).chain(0..n).collect();
        assert_eq!(picks(&kind.of(census.members(n)), 2 * n as usize), expected);

        let one_by_one = kind.empty();
        (0..n).for_each(|number| drop(one_by_one.register(census.member(number, 0))));
        assert_eq!(picks(&one_by_one, 2 * n as usize), expected);

        let at_once = kind.empty();
        at_once.replace_all(census.members(n));
        assert_eq!(picks(&at_once, 2 * n as usize), expected);
    }
}

/// StackExchange/StackExchange.Redis: no rotation behind an interface.
fn through_trait_objects_too(kind: Kind) {
    fn order(registry: impl Registry<Counted>) -> Vec<u64> {
        picks(&registry, 4)
    }
    let members = || kind.of(Census::new().members(3));
    let object: Arc<dyn Registry<Counted>> = members();
    let boxed: Box<dyn Registry<Counted>> = Box::new(members());
    let reference: &dyn Registry<Counted> = &members();
    assert_eq!(order(reference), [0, 1, 2, 0]);
    assert_eq!(order(Arc::clone(&object)), [0, 1, 2, 0]);
    assert_eq!(order(&object), [1, 2, 0, 1], "one rotation behind all of them");
    assert_eq!(order(&boxed), [0, 1, 2, 0]);
    assert_eq!(order(boxed), [1, 2, 0, 1]);
    assert_eq!(order(Box::new(Arc::new(&object))), [2, 0, 1, 2]);
}

fn strategies_begin_at_the_first_too(kind: Kind) {
    let strategies: [Box<dyn Strategy<Counted>>; 3] =
        [Box::new(RoundRobin::new()), Box::new(Arc::new(RoundRobin::new())), Box::new(RoundRobin::default())];
    for strategy in strategies {
        let balancer = Balancer::new(kind.of(Census::new().members(3)), strategy);
        let order: Vec<_> = (0..5).map(|_| balancer.route().unwrap().number).collect();
        assert_eq!(order, [0, 1, 2, 0, 1]);
    }
    let by_hand = Snapshot::from_members(Census::new().members(3).into_iter().map(Arc::new).collect());
    let strategy = RoundRobin::new();
    let order: Vec<_> = (0..5).map(|_| strategy.route(&by_hand).unwrap().number).collect();
    assert_eq!(order, [0, 1, 2, 0, 1]);
}

/// apache/cassandra-gocql-driver: the first key of a hash map was taken.
fn registration_order_is_the_order(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    let order: Vec<u64> = (0..500).map(|step| step * 7919 % 1009).collect();
    for number in &order {
        registry.register(census.member(*number, 0));
    }
    assert_eq!(numbers(&registry.snapshot()), order);
    assert_eq!(picks(&registry, 500), order);
}

/// kubernetes/kubernetes: many short-lived clients all begin with the first.
fn a_start_of_ones_own(kind: Kind) {
    let census = Census::new();
    let mut counts = [0; 3];
    for count in 0..300 {
        let registry = kind.starting(census.members(3), Start { count, ..Start::default() });
        counts[registry.next().unwrap().number as usize] += 1;
        assert_eq!(registry.next().unwrap().number, (count + 1) % 3);
    }
    assert_eq!(counts, [100; 3]);
}

#[test]
fn the_ready_member_is_displayed_as_what_it_is() {
    let registry = MutexRegistry::<Backend>::new();
    registry.register(Backend::new("a", "10.0.0.1:80"));
    assert_eq!(registry.next().unwrap().to_string(), "a@10.0.0.1:80");
}
