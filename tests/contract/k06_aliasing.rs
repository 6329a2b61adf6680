//! K06: one counter for several services or candidate sets, so that two services called in turn always get the same
//! instance each (spring-cloud/spring-cloud-commons, smg-project/smg).

use std::sync::Arc;
use std::thread;

use snapring::strategy::RoundRobin;
use snapring::{Balancer, Registry, Snapshot, Strategy};

use crate::common::{Census, Counted, Kind, on_every_registry, picks};

on_every_registry!(
    registries_do_not_influence_each_other,
    one_strategy_for_two_registries_with_different_ids,
    one_strategy_for_two_registries_with_the_same_ids,
    one_strategy_for_sixteen_registries,
    alternating_cohorts_rotate_within_each,
    cohorts_under_threads,
);

fn registries_do_not_influence_each_other(kind: Kind) {
    let census = Census::new();
    let (two, three) = (kind.of(census.members(2)), kind.of(census.members(3)));
    for round in 0..60 {
        assert_eq!(two.next().unwrap().number, round % 2);
        assert_eq!(picks(&three, 2), [2 * round % 3, (2 * round + 1) % 3]);
        three.register(census.member(2, round));
        two.register(census.member(0, round));
    }
}

fn in_turn(kind: Kind, sets: [Vec<Counted>; 2]) {
    let [left, right] = sets;
    let order = |set: &[Counted]| set.iter().map(|member| member.number).collect::<Vec<_>>();
    let orders = [order(&left), order(&right)];
    let strategy = Arc::new(RoundRobin::new());
    let balancers = [left, right].map(|set| Balancer::new(kind.of(set), Arc::clone(&strategy)));
    let mut turns = [0; 2];
    // Each rhythm of the two, such as one after the other, and two of one after each of the other.
    for rhythm in [&[0, 1][..], &[0, 1, 1], &[0, 0, 0, 1, 0, 1]] {
        for which in rhythm.iter().copied().cycle().take(60) {
            let expected = orders[which][turns[which] % orders[which].len()];
            assert_eq!(balancers[which].route().unwrap().number, expected, "registry {which}, turn {}", turns[which]);
            turns[which] += 1;
        }
    }
}

fn one_strategy_for_two_registries_with_different_ids(kind: Kind) {
    let census = Census::new();
    in_turn(kind, [census.members(2), (10..13).map(|number| census.member(number, 0)).collect()]);
}

fn one_strategy_for_two_registries_with_the_same_ids(kind: Kind) {
    let census = Census::new();
    in_turn(kind, [census.members(2), census.members(2)]);
    in_turn(kind, [census.members(2), census.members(4)]);
    in_turn(kind, [census.members(3), (0..3).rev().map(|number| census.member(number, 1)).collect()]);
}

/// As many as it says that it remembers.
fn one_strategy_for_sixteen_registries(kind: Kind) {
    let census = Census::new();
    let strategy = Arc::new(RoundRobin::new());
    let balancers: Vec<_> =
        (2..18).map(|n| (n, Balancer::new(kind.of(census.members(n)), Arc::clone(&strategy)))).collect();
    for round in 0..40 {
        for (n, balancer) in &balancers {
            assert_eq!(balancer.route().unwrap().number, round % n);
            if round % 5 == 0 {
                balancer.registry().register(census.member(0, round)); // another list of the same set
            }
        }
    }
}

fn cohort(snapshot: &Snapshot<Counted>, cohorts: u64, which: u64) -> Snapshot<Counted> {
    snapshot.filter(|member| member.number % cohorts == which)
}

fn alternating_cohorts_rotate_within_each(kind: Kind) {
    for cohorts in 1..=4 {
        let registry = kind.of(Census::new().members(12));
        let strategy = RoundRobin::new();
        for round in 0..30 {
            for which in 0..cohorts {
                let pick = strategy.route(&cohort(&registry.snapshot(), cohorts, which)).unwrap().number;
                assert_eq!(pick, which + round % (12 / cohorts) * cohorts, "cohort {which} of {cohorts}");
            }
        }
    }
}

/// Exact for each cohort, though every call brings a list of its own.
fn cohorts_under_threads(kind: Kind) {
    let registry = kind.of(Census::new().members(10));
    let strategy = RoundRobin::new();
    let mut totals = [0; 10];
    thread::scope(|scope| {
        let threads: Vec<_> = (0..3_u64)
            .map(|thread| {
                let (registry, strategy) = (&registry, &strategy);
                scope.spawn(move || {
                    let pick =
                        |turn: u64| strategy.route(&cohort(&registry.snapshot(), 2, (turn + thread) % 2)).unwrap();
                    (0..30_000).map(|turn| pick(turn).number).collect::<Vec<_>>()
                })
            })
            .collect();
        for number in threads.into_iter().flat_map(|thread| thread.join().unwrap()) {
            totals[number as usize] += 1;
        }
    });
    assert_eq!(totals, [9000; 10]);
}
