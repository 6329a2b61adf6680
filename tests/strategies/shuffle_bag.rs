//! [`ShuffleBag`]: rounds, boundaries, churn, chance, and memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread;

use proptest::prelude::*;
use snapring::strategy::ShuffleBag;
use snapring::{ArcSwapRegistry, Backend, Balancer, MutexRegistry, NoBackends, Registry, Snapshot, Strategy};

use crate::{backends, list, number};

fn picks(bag: &ShuffleBag, nodes: &Snapshot<Backend>, times: usize) -> Vec<usize> {
    (0..times).map(|_| number(&bag.route(nodes).unwrap())).collect()
}

#[test]
fn every_round_is_a_permutation() {
    for n in [1, 2, 3, 16, 100] {
        let (bag, nodes) = (ShuffleBag::new(), list(n));
        for _ in 0..20 {
            let round: BTreeSet<_> = picks(&bag, &nodes, n).into_iter().collect();
            assert_eq!(round.len(), n);
        }
    }
}

/// sindresorhus/unique-random
#[test]
fn a_round_never_begins_with_the_last_of_the_round_before() {
    for n in [2, 3, 5] {
        for seed in 0..200 {
            let (bag, nodes) = (ShuffleBag::with_seed(seed), list(n));
            let picks = picks(&bag, &nodes, 10 * n);
            assert!(picks.windows(2).all(|pair| pair[0] != pair[1]), "n {n}, seed {seed}: {picks:?}");
        }
    }
    let (bag, one) = (ShuffleBag::new(), list(1));
    assert_eq!(picks(&bag, &one, 3), [0, 0, 0], "unless there is no other");
}

#[test]
fn an_empty_list_is_an_error_and_forgets_nothing() {
    let (bag, nodes) = (ShuffleBag::new(), list(2));
    let first = picks(&bag, &nodes, 1);
    assert_eq!(bag.route(&list(0)), Err(NoBackends));
    assert_ne!(picks(&bag, &nodes, 1), first);
}

#[test]
fn a_seed_makes_the_same_choices_again() {
    let run = |seed| picks(&ShuffleBag::with_seed(seed), &list(20), 60);
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

/// dotnet/yarp: threads whose generators had the same seed.
#[test]
fn bags_that_are_made_at_once_choose_differently() {
    let first = || picks(&ShuffleBag::new(), &list(1_000), 1)[0];
    let firsts: BTreeSet<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(first)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(firsts.len() > 4, "eight of a thousand, by chance: {firsts:?}");
}

/// Pearson's statistic of these counts, if each outcome were as likely as the others.
fn chi_squared(counts: &BTreeMap<Vec<usize>, usize>, outcomes: usize) -> f64 {
    let expected = counts.values().sum::<usize>() as f64 / outcomes as f64;
    assert_eq!(counts.len(), outcomes, "every outcome occurs, and no other");
    counts.values().map(|count| (*count as f64 - expected).powi(2) / expected).sum()
}

/// The seeds are fixed, so this passes always or never. It would pass for 999 of 1,000 sets of seeds.
#[test]
fn every_order_of_a_round_is_equally_likely() {
    let nodes = list(4);
    let (mut first_rounds, mut second_rounds) = (BTreeMap::new(), BTreeMap::new());
    for seed in 0..24_000 {
        let mut order = picks(&ShuffleBag::with_seed(seed), &nodes, 8);
        let second = order.split_off(4);
        // Named by when they came in the first round: the second begins with any but number 3.
        let renamed: Vec<_> = second.iter().map(|id| order.iter().position(|other| other == id).unwrap()).collect();
        *first_rounds.entry(order).or_default() += 1;
        *second_rounds.entry(renamed).or_default() += 1;
    }
    assert!(chi_squared(&first_rounds, 24) < 49.73, "0.999 quantile for 23 degrees of freedom");
    assert!(chi_squared(&second_rounds, 18) < 40.79, "0.999 quantile for 17 degrees of freedom");
}

#[test]
fn threads_share_one_memory() {
    const THREADS: usize = 8;
    const EACH: usize = 1_500;
    let balancer = Balancer::new(ArcSwapRegistry::<Backend>::new(), ShuffleBag::new());
    balancer.registry().replace_all(backends(5));
    let pick = || (0..EACH).map(|_| number(&balancer.route().unwrap())).collect::<Vec<_>>();
    let picked: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(pick)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    for id in 0..5 {
        assert_eq!(picked.iter().filter(|pick| **pick == id).count(), THREADS * EACH / 5);
    }
    let after: BTreeSet<_> = (0..200).map(|_| number(&balancer.route().unwrap())).collect();
    assert_eq!(after.len(), 5, "the generator has not got stuck");
}

/// Two sets that take turns: each keeps its round (spring-cloud/spring-cloud-commons, smg-project/smg).
#[test]
fn candidate_sets_do_not_disturb_each_other() {
    let bag = ShuffleBag::new();
    let registries = [3, 4].map(|n| {
        let registry = MutexRegistry::<Backend>::new();
        registry.replace_all(backends(n));
        registry
    });
    let fleet = list(8);
    let even = |node: &Arc<Backend>| number(node) % 2 == 0;
    for _ in 0..50 {
        let mut rounds: [BTreeSet<usize>; 4] = Default::default();
        for turn in 0..4 {
            for (registry, round) in registries.iter().zip(&mut rounds) {
                if turn < registry.snapshot().len() {
                    round.insert(number(&bag.route(&registry.snapshot()).unwrap()));
                }
            }
            rounds[2].insert(number(&bag.route(&fleet.filter(even)).unwrap()));
            rounds[3].insert(number(&bag.route(&fleet.filter(|node| !even(node))).unwrap()));
        }
        assert_eq!(rounds.each_ref().map(BTreeSet::len), [3, 4, 4, 4]);
    }
}

#[test]
fn a_set_that_has_left_altogether_is_forgotten() {
    let mut repeats = 0;
    for seed in 0..100 {
        let balancer = Balancer::new(MutexRegistry::<Backend>::new(), ShuffleBag::with_seed(seed));
        let [few, others] = [backends(2), vec![Backend::new("7", ""), Backend::new("8", "")]];
        balancer.registry().replace_all(few.clone());
        let first = number(&balancer.route().unwrap());
        balancer.registry().replace_all(others);
        balancer.route().unwrap();
        balancer.registry().replace_all(few);
        repeats += usize::from(number(&balancer.route().unwrap()) == first);
    }
    assert!((20..80).contains(&repeats), "nothing is known of the first pick: {repeats} of 100 repeat it");
}

/// The specification, one pick at a time.
#[derive(Default)]
struct Rounds {
    live: Vec<usize>,
    used: BTreeSet<usize>,
    last: Option<usize>,
}

impl Rounds {
    fn admit(&mut self, pick: usize) -> bool {
        let begins = self.live.iter().all(|id| self.used.contains(id));
        let repeats = begins && self.live.len() > 1 && self.last == Some(pick);
        if begins {
            self.used.clear();
        }
        self.last = Some(pick);
        self.live.contains(&pick) && self.used.insert(pick) && !repeats
    }
}

#[derive(Clone, Debug)]
enum Op {
    Register(usize),
    Deregister(usize),
    /// Whoever was picked last: a used one.
    DeregisterLast,
    ReplaceAll(Vec<usize>),
    Pick,
}

fn operation() -> impl Strategy_<Value = Op> {
    prop_oneof![
        3 => (0..8usize).prop_map(Op::Register),
        1 => (0..8usize).prop_map(Op::Deregister),
        1 => Just(Op::DeregisterLast),
        1 => proptest::collection::vec(0..8usize, 0..6).prop_map(Op::ReplaceAll),
        8 => Just(Op::Pick),
    ]
}

use proptest::strategy::Strategy as Strategy_;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Used and unused members come and go; rounds stay rounds.
    #[test]
    fn churn_keeps_the_rounds(seed: u64, operations in proptest::collection::vec(operation(), 1..200)) {
        let balancer = Balancer::new(ArcSwapRegistry::<Backend>::new(), ShuffleBag::with_seed(seed));
        let (registry, mut rounds) = (balancer.registry(), Rounds::default());
        for operation in operations {
            match operation {
                Op::Register(id) => drop(registry.register(Backend::new(id.to_string(), ""))),
                Op::Deregister(id) => drop(registry.deregister(&id.to_string())),
                Op::DeregisterLast => drop(rounds.last.map(|id| registry.deregister(&id.to_string()))),
                Op::ReplaceAll(ids) => {
                    registry.replace_all(ids.into_iter().map(|id| Backend::new(id.to_string(), "")).collect());
                }
                Op::Pick => match balancer.route() {
                    Ok(pick) => prop_assert!(rounds.admit(number(&pick)), "{pick} in {registry:?}"),
                    Err(NoBackends) => prop_assert!(rounds.live.is_empty()),
                },
            }
            rounds.live = registry.snapshot().iter().map(|member| number(member)).collect();
            rounds.used.retain(|id| rounds.live.contains(id));
        }
    }
}

/// Nobody holds a round up who is not there, and it does not stick to one member (the used-set that is compared by
/// count).
#[test]
fn a_member_that_left_does_not_end_the_rounds() {
    let balancer = Balancer::new(MutexRegistry::<Backend>::new(), ShuffleBag::new());
    balancer.registry().replace_all(backends(3));
    let gone = balancer.route().unwrap();
    balancer.registry().deregister(gone.id());
    for _ in 0..100 {
        let [one, other] = [(); 2].map(|()| number(&balancer.route().unwrap()));
        assert_ne!(one, other);
    }
}

/// Whoever leaves is forgotten, even if nobody picked while he was away.
#[test]
fn a_member_that_comes_back_has_just_come() {
    for seed in 0..50 {
        let balancer = Balancer::new(ArcSwapRegistry::<Backend>::new(), ShuffleBag::with_seed(seed));
        balancer.registry().replace_all(backends(3));
        let used = balancer.route().unwrap();
        balancer.registry().register(Backend::new(used.id(), "elsewhere"));
        let back = balancer.route().unwrap();
        assert_ne!(back.id(), used.id(), "replaced in place: the same as before");
        balancer.registry().deregister(back.id());
        balancer.registry().register(Backend::clone(&back));
        let rest: BTreeSet<_> = (0..2).map(|_| balancer.route().unwrap().id().to_owned()).collect();
        assert!(rest.contains(back.id()) && !rest.contains(used.id()), "{rest:?}");
    }
}

#[test]
fn a_member_is_dropped_when_it_leaves() {
    let balancer = Balancer::new(MutexRegistry::<Backend>::new(), ShuffleBag::new());
    balancer.registry().replace_all(backends(3));
    let watched = Arc::downgrade(&balancer.route().unwrap());
    let id = watched.upgrade().unwrap().id().to_owned();
    balancer.registry().deregister(&id);
    assert!(watched.upgrade().is_none(), "the bag keeps ids, not members");
}
