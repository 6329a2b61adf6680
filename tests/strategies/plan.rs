//! [`Plan`]: one turn, then everybody else once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use snapring::strategy::RoundRobin;
use snapring::{Backend, Balancer, MutexRegistry, NoBackends, Plan, Registry, Snapshot, Strategy};

use crate::{backends, number};

fn registry(n: usize) -> MutexRegistry<Backend> {
    let registry = MutexRegistry::new();
    registry.replace_all(backends(n));
    registry
}

fn ids(plan: Plan) -> Vec<usize> {
    plan.map(|member| number(&member)).collect()
}

/// apache/cassandra-nodejs-driver
#[test]
fn plans_that_advance_in_turn_are_permutations() {
    let registry = registry(5);
    let (mut one, mut other) = (Plan::next_of(&registry).unwrap(), Plan::next_of(&registry).unwrap());
    let pairs: Vec<_> = (0..5).map(|_| (number(&one.next().unwrap()), number(&other.next().unwrap()))).collect();
    assert_eq!(pairs[0], (0, 1));
    assert_eq!(pairs.iter().map(|pair| pair.0).collect::<BTreeSet<_>>().len(), 5);
    assert_eq!(pairs.iter().map(|pair| pair.1).collect::<BTreeSet<_>>().len(), 5);
    assert!(one.next().is_none());
    assert!(one.next().is_none(), "it stays at its end");
}

/// apache/cassandra-gocql-driver
#[test]
fn plans_of_many_threads_are_permutations() {
    let registry = registry(6);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let tried: BTreeSet<_> = ids(Plan::next_of(&registry).unwrap()).into_iter().collect();
                    assert_eq!(tried.len(), 6);
                }
            });
        }
    });
}

/// spring-cloud/spring-cloud-gateway, Netflix/ribbon: others pick in between.
#[test]
fn a_retry_goes_to_another() {
    let registry = registry(2);
    for _ in 0..10 {
        let mut plan = Plan::next_of(&registry).unwrap();
        let failed = plan.next().unwrap();
        registry.next().unwrap();
        assert_ne!(plan.next().unwrap(), failed);
    }
}

/// spring-cloud/spring-cloud-netflix: two tries a request, and only one of two instances was ever used.
#[test]
fn a_plan_takes_one_turn_however_many_are_tried() {
    let registry = registry(3);
    let firsts: Vec<_> = (0..6).map(|_| ids(Plan::next_of(&registry).unwrap())[0]).collect();
    assert_eq!(firsts, [0, 1, 2, 0, 1, 2]);
}

/// apple/servicetalk: the one behind a failed host got its load.
#[test]
fn the_load_of_one_that_fails_is_spread() {
    const REQUESTS: usize = 3_000;
    let registry = registry(4);
    let mut second = [0; 4];
    for _ in 0..REQUESTS {
        let mut plan = Plan::next_of(&registry).unwrap();
        if number(&plan.next().unwrap()) == 0 {
            second[number(&plan.next().unwrap())] += 1;
        }
    }
    assert_eq!(second.iter().sum::<usize>(), REQUESTS / 4);
    // 250 each, with a standard deviation of 13: this fails for one run in ten million.
    assert!(second[1..].iter().all(|retries| (180..320).contains(retries)), "{second:?}");
}

#[test]
fn one_that_has_left_meanwhile_is_tried_first_and_the_others_once() {
    let registry = registry(3);
    let pick = registry.next().unwrap();
    registry.deregister(pick.id());
    registry.register(Backend::new("3", ""));
    let plan = ids(Plan::new(pick, registry.snapshot()));
    assert_eq!(plan[0], 0);
    assert_eq!(plan.into_iter().collect::<BTreeSet<_>>(), BTreeSet::from([0, 1, 2, 3]));
}

#[test]
fn one_that_was_replaced_meanwhile_is_not_tried_twice() {
    let registry = registry(2);
    let pick = registry.next().unwrap();
    registry.register(Backend::new(pick.id(), "elsewhere"));
    assert_eq!(ids(Plan::new(pick, registry.snapshot())), [0, 1]);
}

#[test]
fn nobody_can_be_planned_with_when_there_is_nobody() {
    assert_eq!(Plan::next_of(&registry(0)).err(), Some(NoBackends));
    assert_eq!(Balancer::new(registry(0), RoundRobin::new()).plan().err(), Some(NoBackends));
}

/// scylladb/scylla-rust-driver: a fallback asked its policy again.
#[test]
fn a_strategy_is_asked_once() {
    struct Counting(AtomicUsize);

    impl Strategy<Backend> for Counting {
        fn route(&self, nodes: &Snapshot<Backend>) -> Result<Arc<Backend>, NoBackends> {
            self.0.fetch_add(1, Ordering::Relaxed);
            nodes.last().cloned().ok_or(NoBackends)
        }
    }

    let balancer = Balancer::new(registry(3), Counting(AtomicUsize::new(0)));
    let plan = ids(balancer.plan().unwrap());
    assert_eq!(plan[0], 2);
    assert_eq!(plan.len(), 3);
    assert_eq!(balancer.strategy().0.load(Ordering::Relaxed), 1);
}
