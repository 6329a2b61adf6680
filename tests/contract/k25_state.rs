//! K25: state that is rebuilt per call is no rotation (asim/nitro-plugins). K27: state that is never forgotten grows for
//! ever (apache/shenyu, 3scale/APIcast).

use std::sync::Arc;

use snapring::strategy::RoundRobin;
use snapring::{Balancer, Registry, Snapshot, Strategy};

use crate::common::{Census, Kind, eventually, on_every_registry, picks};

on_every_registry!(
    clones_share_the_rotation,
    clones_share_the_strategy,
    a_strategy_forgets_registries,
    a_strategy_forgets_members,
    a_registry_forgets_ids,
);

/// As many as the strategy says that it remembers.
const REMEMBERED: u64 = 16;

fn clones_share_the_rotation(kind: Kind) {
    let registry = kind.of(Census::new().members(3));
    let clone = Arc::clone(&registry);
    for turn in 0..12 {
        assert_eq!(picks(&registry, 1), [2 * turn % 3]);
        assert_eq!(picks(&clone, 1), [(2 * turn + 1) % 3]);
    }
}

/// Two balancers, a fresh one for every call even: the state is the strategy's.
fn clones_share_the_strategy(kind: Kind) {
    let registry = kind.of(Census::new().members(3));
    let strategy = Arc::new(RoundRobin::new());
    let balancers = [0, 1].map(|_| Balancer::new(Arc::clone(&registry), Arc::clone(&strategy)));
    for turn in 0..12 {
        assert_eq!(balancers[0].route().unwrap().number, 3 * turn % 3);
        assert_eq!(balancers[1].route().unwrap().number, (3 * turn + 1) % 3);
        assert_eq!(Balancer::new(&registry, &strategy).route().unwrap().number, (3 * turn + 2) % 3);
    }
}

fn a_strategy_forgets_registries(kind: Kind) {
    let census = Census::new();
    let strategy = RoundRobin::new();
    for _ in 0..10_000 {
        let registry = kind.of(census.members(3));
        assert_eq!(strategy.route(&registry.snapshot()).unwrap().number, 0);
        drop(registry);
        assert!(census.live() <= 3 * REMEMBERED, "{} members are alive", census.live());
    }
    drop(strategy);
    assert_eq!(census.live(), 0);
}

/// One registry whose members are other ones every time, and many lists made by hand.
fn a_strategy_forgets_members(kind: Kind) {
    let census = Census::new();
    let strategy = RoundRobin::new();
    let registry = kind.empty();
    for round in 0..5000 {
        registry.replace_all((0..3).map(|number| census.member(3 * round + number, 0)).collect());
        assert_eq!(strategy.route(&registry.snapshot()).unwrap().number, 3 * round, "strangers begin at their first");
    }
    eventually("no more than it remembers are alive", || {
        registry.collect();
        census.live() <= 3 * (REMEMBERED + 1)
    });
    drop(registry);
    for round in 0..5000 {
        let members = (0..3).map(|number| Arc::new(census.member(3 * round + number, 0))).collect();
        strategy.route(&Snapshot::from_members(members)).unwrap();
        assert!(census.live() <= 3 * (REMEMBERED + 1));
    }
    drop(strategy);
    assert_eq!(census.live(), 0);
}

/// Ids that come once and never again.
fn a_registry_forgets_ids(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(3));
    for round in 0..20_000_u64 {
        registry.register(census.member(1000 + round, 0));
        registry.deregister(&(1000 + round));
    }
    eventually("only those that are registered are alive", || {
        registry.collect();
        census.live() == 3
    });
    assert_eq!(picks(&registry, 3), [0, 1, 2]);
}
