//! [`Weighted`]: exact shares, no bursts, and weights of any size.

use std::sync::Arc;

use proptest::prelude::*;
use snapring::strategy::{Weight, Weighted};
use snapring::{Backend, Balancer, MutexRegistry, NoBackends, Registry, Snapshot, Strategy as _};

use crate::number;

/// The address of a backend is its weight.
fn weight(backend: &Backend) -> Weight {
    Weight::new(backend.address().parse().expect("a weight"))
}

fn backend(id: usize, weight: u32) -> Backend {
    Backend::new(id.to_string(), weight.to_string())
}

fn list(weights: &[u32]) -> Snapshot<Backend> {
    Snapshot::from_members(weights.iter().enumerate().map(|(id, weight)| Arc::new(backend(id, *weight))).collect())
}

/// How far the worst member is from its share, over so many picks.
fn worst(weights: &[u32], picks: usize) -> f64 {
    let (strategy, nodes) = (Weighted::new(weight), list(weights));
    let total: f64 = weights.iter().copied().map(f64::from).sum();
    let (mut counts, mut worst) = (vec![0f64; weights.len()], 0f64);
    for made in 1..=picks {
        counts[number(&strategy.route(&nodes).unwrap())] += 1.0;
        for (count, weight) in counts.iter().zip(weights) {
            worst = worst.max((count - made as f64 * f64::from(*weight) / total).abs());
        }
    }
    worst
}

/// Every combination of small weights, over three periods.
#[test]
fn shares_are_exact_but_for_less_than_one_pick() {
    for n in 1..=4u32 {
        for code in 0..6u32.pow(n) {
            let weights: Vec<_> = (0..n).map(|at| code / 6u32.pow(at) % 6).collect();
            let total: u32 = weights.iter().sum();
            if total > 0 {
                let k = weights.iter().filter(|weight| **weight > 0).count() as f64;
                let bound = if k > 1.0 { 1.0 - 1.0 / (2.0 * k - 2.0) } else { 0.0 };
                let worst = worst(&weights, 3 * total as usize);
                assert!(worst <= bound + 1e-9, "{weights:?}: off by {worst}, at most {bound}");
            }
        }
    }
}

proptest! {
    #[test]
    fn shares_of_any_weights_are_exact_but_for_less_than_one_pick(
        weights in proptest::collection::vec(prop_oneof![0..4u32, 0..1000u32, any::<u32>()], 2..9),
    ) {
        prop_assume!(weights.iter().any(|weight| *weight > 0));
        prop_assert!(worst(&weights, 500) < 1.0);
    }

    /// Through changes of members and weights nobody is starved and nobody gets far ahead.
    #[test]
    fn shares_survive_changes(changes in proptest::collection::vec((0..5usize, 0..6u32, 1..20usize), 1..30)) {
        let balancer = Balancer::new(MutexRegistry::<Backend>::new(), Weighted::new(weight));
        balancer.registry().register(backend(9, 3));
        let (mut count, mut share) = (0f64, 0f64);
        let changed = changes.len() as f64;
        for (id, of, picks) in changes {
            // Weight 0 here means: leave.
            if of == 0 {
                balancer.registry().deregister(&id.to_string());
            } else {
                balancer.registry().register(backend(id, of));
            }
            let nodes = balancer.registry().snapshot();
            let total: u32 = nodes.iter().map(|node| weight(node).get()).sum();
            for _ in 0..picks {
                count += f64::from(u8::from(number(&balancer.route().unwrap()) == 9));
                share += 3.0 / f64::from(total);
            }
        }
        prop_assert!((count - share).abs() < 1.0 + changed, "{count} of {share}");
    }
}

/// apache/dubbo: 5:1:1 sent five in a row to one.
#[test]
fn heavy_members_come_without_bursts() {
    let (strategy, nodes) = (Weighted::new(weight), list(&[5, 1, 1]));
    let picks: Vec<_> = (0..70).map(|_| number(&strategy.route(&nodes).unwrap())).collect();
    assert!(picks.chunk_by(|a, b| a == b).all(|run| run.len() <= 4), "{picks:?}");
}

/// cloudflare/pingora, smallnest/weighted, fluent/fluentd: weight 0.
#[test]
fn nobody_of_weight_zero_is_picked() {
    let strategy = Weighted::new(weight);
    assert_eq!(strategy.route(&list(&[0, 0])), Err(NoBackends));
    assert_eq!(strategy.route(&list(&[0])), Err(NoBackends));
    assert_eq!(strategy.route(&list(&[])), Err(NoBackends));
    for _ in 0..20 {
        assert_eq!(number(&strategy.route(&list(&[0, 1, 0])).unwrap()), 1);
    }
}

/// apache/apisix: 0 takes effect with the list that it is in; envoyproxy/envoy: so does any other change.
#[test]
fn a_change_of_weight_takes_effect_at_once() {
    let balancer = Balancer::new(MutexRegistry::<Backend>::new(), Weighted::new(weight));
    balancer.registry().replace_all(vec![backend(0, 1), backend(1, 1)]);
    let counts = |picks: usize| {
        let picks: Vec<_> = (0..picks).map(|_| number(&balancer.route().unwrap())).collect();
        [0, 1].map(|id| picks.iter().filter(|pick| **pick == id).count())
    };
    assert_eq!(counts(10), [5, 5]);
    balancer.registry().register(backend(1, 3));
    assert_eq!(counts(40), [10, 30]);
    balancer.registry().register(backend(0, 0));
    assert_eq!(counts(10), [0, 10]);
    balancer.registry().deregister("1");
    balancer.registry().register(backend(1, 3));
    balancer.registry().register(backend(0, 1));
    assert_eq!(counts(40), [10, 30], "back with the weight it was registered with");
}

/// mofa-org/mofa, PowerDNS/pdns, nginx/nginx: large weights and large sums.
#[test]
fn the_largest_weights_are_just_weights() {
    let (strategy, nodes) = (Weighted::new(weight), list(&[u32::MAX, 1, u32::MAX]));
    let picks: Vec<_> = (0..1_000).map(|_| number(&strategy.route(&nodes).unwrap())).collect();
    assert_eq!(picks.iter().filter(|pick| **pick == 0).count(), 500);
    let many = list(&vec![u32::MAX; 2_000]);
    let strategy = Weighted::new(weight);
    let picks: std::collections::BTreeSet<_> = (0..2_000).map(|_| number(&strategy.route(&many).unwrap())).collect();
    assert_eq!(picks.len(), 2_000);
}

#[test]
fn a_number_that_is_no_weight_is_an_error() {
    assert_eq!(Weight::try_from(7), Ok(Weight::new(7)));
    for number in [-1, i64::MIN, i64::from(u32::MAX) + 1] {
        let error = Weight::try_from(number).unwrap_err();
        assert!(error.to_string().contains(&number.to_string()), "{error}");
    }
}

/// envoyproxy/envoy: the first pick of fresh clients was drawn from hosts, not from shares.
#[test]
fn random_starts_are_drawn_by_weight() {
    let nodes = list(&[9, 1]);
    let first = |_| number(&Weighted::with_random_start(weight).route(&nodes).unwrap());
    let light = (0..2_000).map(first).filter(|pick| *pick == 1).count();
    // 200, with a standard deviation of 13.4: five of them.
    assert!((133..=267).contains(&light), "{light} of 2,000");
    let strategy = Weighted::with_random_start(weight);
    let picks: Vec<_> = (0..100).map(|_| number(&strategy.route(&nodes).unwrap())).collect();
    assert!((9..=11).contains(&picks.iter().filter(|pick| **pick == 1).count()), "{picks:?}");
}
