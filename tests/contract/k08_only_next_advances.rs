//! K08: something that is no dispatch takes a turn: a metric, a log line, a call on an empty list. K07: an ordered plan
//! that shares the cursor with other callers has some members twice and others never; a snapshot is a plan of its own.

use snapring::strategy::RoundRobin;
use snapring::{Balancer, NoBackends, Registry, Strategy};

use crate::common::{Census, Counted, Kind, on_every_registry, picks};

on_every_registry!(
    looking_does_not_advance,
    looking_at_a_balancer_does_not_advance,
    a_pick_from_nobody_takes_no_turn,
    the_registry_and_a_strategy_do_not_share_turns,
    nor_do_several_strategies,
    plans_are_walked_side_by_side,
);

fn looking_does_not_advance(kind: Kind) {
    let registry = kind.of(Census::new().members(3));
    for pick in 0..30 {
        let snapshot = registry.snapshot();
        assert_eq!(snapshot.len(), 3);
        assert!(!snapshot.is_empty());
        assert!(snapshot.get(&1).is_some() && snapshot.get(&7).is_none());
        assert_eq!(snapshot.iter().count() + (&snapshot).into_iter().count(), 6);
        assert_eq!(snapshot.filter(|member| member.number == 2).len(), 1);
        assert_eq!(snapshot.clone().version(), 0);
        assert!(!format!("{registry:?} {snapshot:?}").is_empty());
        assert_eq!(registry.next().unwrap().number, pick % 3);
        registry.collect();
    }
}

fn looking_at_a_balancer_does_not_advance(kind: Kind) {
    let balancer = Balancer::new(kind.of(Census::new().members(3)), RoundRobin::<Counted>::new());
    for pick in 0..30 {
        assert_eq!(balancer.registry().snapshot().len(), 3);
        assert!(format!("{balancer:?} {:?}", balancer.strategy()).contains("RoundRobin"));
        assert_eq!(balancer.route().unwrap().number, pick % 3);
    }
}

fn a_pick_from_nobody_takes_no_turn(kind: Kind) {
    let census = Census::new();
    let strategy = RoundRobin::new();
    for calls in 0..20 {
        let registry = kind.empty();
        for _ in 0..calls {
            assert_eq!(registry.next().unwrap_err(), NoBackends);
            assert_eq!(strategy.route(&registry.snapshot()).unwrap_err(), NoBackends);
        }
        registry.replace_all(census.members(3));
        assert_eq!(picks(&registry, 4), [0, 1, 2, 0], "after {calls} calls on an empty list");
    }

    let registry = kind.of(census.members(3));
    for pick in 0..12 {
        assert_eq!(strategy.route(&registry.snapshot()).unwrap().number, pick % 3);
        assert_eq!(strategy.route(&registry.snapshot().filter(|_| false)).unwrap_err(), NoBackends);
    }
}

fn the_registry_and_a_strategy_do_not_share_turns(kind: Kind) {
    let balancer = Balancer::new(kind.of(Census::new().members(3)), RoundRobin::new());
    for turn in 0..12 {
        assert_eq!(picks(balancer.registry(), 2), [2 * turn % 3, (2 * turn + 1) % 3]);
        assert_eq!(balancer.route().unwrap().number, turn % 3);
    }
}

fn nor_do_several_strategies(kind: Kind) {
    let registry = kind.of(Census::new().members(3));
    let strategies = [RoundRobin::new(), RoundRobin::new()];
    let mut turns = [0; 2];
    for which in [0, 1, 1, 0, 0, 0, 1].into_iter().cycle().take(70) {
        assert_eq!(strategies[which].route(&registry.snapshot()).unwrap().number, turns[which] % 3);
        turns[which] += 1;
    }
}

/// apache/cassandra-nodejs-driver: two plans advanced in turn, while others pick and the list changes.
fn plans_are_walked_side_by_side(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(5));
    picks(&registry, 2);
    let plans = [registry.snapshot(), registry.snapshot()];
    let mut walked = [Vec::new(), Vec::new()];
    for step in 0..5 {
        for (plan, walked) in plans.iter().zip(&mut walked) {
            walked.push(plan[step].number);
            assert!(registry.next().is_ok());
        }
        registry.deregister(&(step as u64));
        registry.register(census.member(9, step as u64));
    }
    assert_eq!(walked, [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]);
}
