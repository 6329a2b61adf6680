//! K03: every change of the list restarts the rotation at the first member, so that the first ones get most of the load
//! during a deploy. K11: a stored index means somebody else after a removal.

use std::sync::Arc;

use snapring::strategy::RoundRobin;
use snapring::{Balancer, Registry};

use crate::common::{Census, Checked, Counted, Kind, Shared, numbers, on_every_registry};

on_every_registry!(
    a_rolling_release_is_fair,
    in_place_and_new_ids_in_a_release,
    frequent_publication_reaches_everybody,
    a_superset_or_a_reversed_list_goes_on,
    every_removal_at_every_cursor,
    every_replacement_of_a_small_list,
    removal_keeps_the_order,
    round_robin_goes_on_by_identity,
    round_robin_is_not_moved_by_what_happens_behind_it,
);

/// grpc/grpc-java: one of five is replaced every two picks.
fn a_rolling_release_is_fair(kind: Kind) {
    let mut checked = Checked::of(kind, 5);
    let mut counts = [0; 5];
    for round in 0..100 {
        for _ in 0..2 {
            counts[checked.next().unwrap() as usize] += 1;
        }
        checked.register(round % 5, round + 1);
    }
    assert_eq!(counts, [40; 5]);
    checked.finish();
}

/// The same with new ids for the new ones: those that stay share exactly.
fn in_place_and_new_ids_in_a_release(kind: Kind) {
    let mut checked = Checked::of(kind, 5);
    for round in 0..100 {
        checked.picks(2);
        match round % 4 {
            0 => {
                checked.deregister(round);
                checked.register(round + 5, 0);
            }
            1 => {
                checked.register(round + 5, 0);
                checked.deregister(round);
            }
            2 => checked.replace_all(&(round + 1..round + 6).map(|number| (number, 0)).collect::<Vec<_>>()),
            _ => {
                checked.register(round, 1);
                checked.deregister(round);
                checked.register(round + 5, 0);
            }
        }
    }
    checked.picks(10);
    checked.finish();
}

/// haproxy, envoyproxy/envoy: with a publication every few picks only the first ones are ever used.
fn frequent_publication_reaches_everybody(kind: Kind) {
    for every in 1..=5 {
        let mut checked = Checked::of(kind, 10);
        let mut order = Vec::new();
        for round in 0..100 {
            order.extend((0..every).map(|_| checked.next().unwrap()));
            match round % 3 {
                0 => checked.register(100, round),
                1 => checked.register(100, round),
                _ => checked.deregister(100),
            }
        }
        let stayed: Vec<_> = order.into_iter().filter(|number| *number < 10).collect();
        let expected: Vec<_> = (0..10).cycle().take(stayed.len()).collect();
        assert_eq!(stayed, expected, "a publication every {every} picks");
    }
}

/// infinispan/infinispan, grpc/grpc-go: a new list that contains the old one.
fn a_superset_or_a_reversed_list_goes_on(kind: Kind) {
    for served in 0..=8 {
        let mut checked = Checked::of(kind, 4);
        checked.picks(served);
        checked.replace_all(&(0..7).map(|number| (number, 0)).collect::<Vec<_>>());
        checked.picks(9);
        checked.replace_all(&(0..7).rev().map(|number| (number, 1)).collect::<Vec<_>>());
        checked.picks(9);
        checked.finish();
    }
}

fn every_removal_at_every_cursor(kind: Kind) {
    for n in 1..=6 {
        for served in 0..=n {
            for first in 0..n {
                for second in 0..n {
                    let mut checked = Checked::of(kind, n);
                    checked.picks(served as usize);
                    checked.deregister(first);
                    checked.deregister(second);
                    checked.picks(2);
                    checked.register(first, 1);
                    checked.picks(2 * n as usize);
                }
            }
        }
    }
}

/// Any subset of four stays, with or without others, in any of three orders, at any cursor.
fn every_replacement_of_a_small_list(kind: Kind) {
    for served in 0..4 {
        for stays in 0..16_u64 {
            for others in 0..3 {
                let mut list: Vec<_> = (0..4).filter(|bit| stays >> bit & 1 == 1).map(|n| (n, n % 2)).collect();
                list.extend((10..10 + others).map(|number| (number, 0)));
                for order in 0..3 {
                    match order {
                        1 => list.reverse(),
                        2 => list[..].rotate_left(stays.count_ones() as usize / 2),
                        _ => {}
                    }
                    let mut checked = Checked::of(kind, 4);
                    checked.picks(served);
                    checked.replace_all(&list);
                    checked.picks(8);
                }
            }
        }
    }
}

/// tower-rs/tower: a removal that moves the last one into the gap.
fn removal_keeps_the_order(kind: Kind) {
    let registry = kind.of(Census::new().members(100));
    let mut expected: Vec<u64> = (0..100).collect();
    for step in 0..100_usize {
        let gone = expected.remove(step * 37 % expected.len());
        assert_eq!(registry.deregister(&gone).map(|member| member.number), Some(gone));
        assert_eq!(numbers(&registry.snapshot()), expected);
    }
}

fn route(balancer: &Balancer<Shared<Counted>, RoundRobin<Counted>>) -> u64 {
    balancer.route().unwrap().number
}

/// Behind whoever was served last, and if that one left, the first behind it that is still there.
fn round_robin_goes_on_by_identity(kind: Kind) {
    for n in 1..=5_u64 {
        for served in 1..=n {
            for gone in 0..1_u64 << n {
                let census = Census::new();
                let balancer = Balancer::new(kind.of(census.members(n)), RoundRobin::new());
                (0..served).for_each(|_| _ = route(&balancer));
                let left = |number: u64| gone >> number & 1 == 1;
                (0..n).filter(|number| left(*number)).for_each(|number| drop(balancer.registry().deregister(&number)));
                balancer.registry().register(census.member(9, 0));
                let behind = (served..n).find(|number| !left(*number));
                let expected = match behind {
                    Some(behind) => behind,
                    None if left(served - 1) => (0..served).find(|number| !left(*number)).unwrap_or(9),
                    None => 9, // waits at the end, behind the one served last
                };
                assert_eq!(route(&balancer), expected, "{n} members, {served} served, {gone:b} left");
            }
        }
    }
}

fn round_robin_is_not_moved_by_what_happens_behind_it(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(4));
    let balancer = Balancer::new(Arc::clone(&registry), RoundRobin::new());
    let mut order = Vec::new();
    for round in 0..40 {
        order.push(route(&balancer));
        registry.register(census.member(round % 4, round + 1)); // in place
        registry.register(census.member(50, round));
        registry.deregister(&50);
        let _ = registry.next(); // another rotation
    }
    assert_eq!(order, (0..4).cycle().take(40).collect::<Vec<_>>());
}
