//! Where a rotation starts: many fresh clients that all begin with the first member overload it (kubernetes/kubernetes,
//! micro/go-micro, envoyproxy/envoy).

use std::sync::Arc;

use snapring::strategy::RoundRobin;
use snapring::{Backend, Strategy};

use crate::{list, number};

#[test]
fn fresh_rotations_begin_with_the_first() {
    for _ in 0..10 {
        assert_eq!(number(&RoundRobin::new().route(&list(3)).unwrap()), 0);
    }
}

#[test]
fn random_starts_spread_fresh_clients() {
    let nodes = list(3);
    let mut first = [0; 3];
    for _ in 0..1_000 {
        first[number(&RoundRobin::with_random_start().route(&nodes).unwrap())] += 1;
    }
    // A third each, with a standard deviation of 15: five of them.
    assert!(first.iter().all(|share| (255..=412).contains(share)), "{first:?}");
}

#[test]
fn a_random_start_is_an_exact_rotation_from_there() {
    let (rotation, nodes) = (RoundRobin::with_random_start(), list(5));
    let picks: Vec<_> = (0..20).map(|_| number(&rotation.route(&nodes).unwrap())).collect();
    assert!(picks.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 5), "{picks:?}");
}

#[test]
fn strangers_are_begun_with_anywhere() {
    let rotation = RoundRobin::with_random_start();
    let starts = |_| {
        let strangers = (0..100).map(|id| Arc::new(Backend::new(id.to_string(), ""))).collect();
        number(&rotation.route(&snapring::Snapshot::from_members(strangers).filter(|node| number(node) > 49)).unwrap())
    };
    let starts: std::collections::BTreeSet<_> = (0..100).map(starts).collect();
    assert!(starts.len() > 1);
}
