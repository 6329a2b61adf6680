//! K18: nobody eligible is a remainder by zero, an endless loop, or for ever (Netflix/ribbon, tower-rs/tower). K19: an empty
//! list is an outage or ignored (apache/dubbo, alibaba/nacos); here it does what it says.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use snapring::strategy::RoundRobin;
use snapring::{Backend, Balancer, NoBackends, Registry, Snapshot, Strategy};

use crate::common::{Census, Checked, Counted, Kind, eventually, numbers, on_every_registry, picks};

on_every_registry!(
    an_empty_registry_says_so,
    the_first_after_nobody_is_served_at_once,
    coming_and_going_leaves_nothing_behind,
    whoever_comes_back_is_served_again,
    an_empty_list_really_empties,
    the_last_one_can_leave,
    threads_on_an_empty_registry,
);

fn an_empty_registry_says_so(kind: Kind) {
    let registry = kind.empty::<Backend>();
    for _ in 0..100 {
        assert_eq!(registry.next(), Err(NoBackends));
    }
    assert!(registry.snapshot().is_empty());
    assert!(registry.snapshot().get("a").is_none());
    assert!(registry.deregister("a").is_none());
    assert!(NoBackends.to_string().contains("backends"), "the answer speaks of backends");
    let strategy: &dyn Strategy<Backend> = &RoundRobin::new();
    assert_eq!(strategy.route(&registry.snapshot()), Err(NoBackends));
    assert_eq!(strategy.route(&Snapshot::from_members(Vec::new())), Err(NoBackends));
    assert_eq!(Balancer::new(&registry, strategy).route(), Err(NoBackends));
}

fn the_first_after_nobody_is_served_at_once(kind: Kind) {
    for calls in [0, 1, 2, 100] {
        let mut checked = Checked::of(kind, 0);
        for round in 0..20 {
            for _ in 0..calls {
                assert_eq!(checked.next(), None);
            }
            checked.register(round, 0);
            assert_eq!(checked.next(), Some(round));
            checked.register(round + 1, 0);
            checked.picks(calls % 3);
            checked.deregister(round);
            checked.deregister(round + 1);
        }
        checked.finish();
    }
}

/// twitter/finagle: each change between nobody and somebody leaks.
fn coming_and_going_leaves_nothing_behind(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    for round in 0..100_000_u64 {
        registry.register(census.member(0, round));
        assert_eq!(registry.deregister(&0).map(|member| member.contents), Some(round));
        if round % 10_000 == 0 {
            eventually("all are freed", || {
                registry.collect();
                census.live() <= 1
            });
        }
    }
    assert_eq!(registry.snapshot().version(), 200_000);
    assert_eq!(registry.next().unwrap_err(), NoBackends);
    drop(registry);
    assert_eq!((census.created(), census.live()), (100_000, 0));
}

/// influxdata/influxdb_iox, caddyserver/caddy: a failed endpoint is never used again.
fn whoever_comes_back_is_served_again(kind: Kind) {
    for n in 1..=6 {
        for served in 0..=n as usize {
            let census = Census::new();
            let registry = kind.of(census.members(n));
            let balancer = Balancer::new(&registry, RoundRobin::new());
            picks(&registry, served);
            (0..served).for_each(|_| drop(balancer.route()));
            for failing in 0..n {
                registry.deregister(&failing);
                let _ = (registry.next(), balancer.route());
                registry.register(census.member(failing, 0));
                assert!(picks(&registry, n as usize).contains(&failing), "within one round");
                let mut routed = (0..n).map(|_| balancer.route().unwrap().number);
                assert!(routed.any(|number| number == failing), "by the strategy too");
            }
        }
    }
}

fn an_empty_list_really_empties(kind: Kind) {
    for n in [1, 2, 5, 100] {
        let census = Census::new();
        let registry = kind.of(census.members(n));
        picks(&registry, 3);
        let version = registry.snapshot().version();
        let changes = registry.replace_all(Vec::new());
        assert_eq!((changes.removed(), changes.before(), changes.after()), (n as usize, n as usize, 0));
        assert!(!changes.is_empty());
        assert!(registry.snapshot().is_empty());
        assert_eq!(registry.snapshot().version(), version + 1);
        assert_eq!(registry.next().unwrap_err(), NoBackends);
        registry.replace_all(census.members(n));
        assert_eq!(registry.next().unwrap().number, 0);
    }
}

fn the_last_one_can_leave(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(3));
    for number in [1, 0, 2] {
        assert!(registry.deregister(&number).is_some());
    }
    assert_eq!(numbers(&registry.snapshot()), []);
    assert_eq!(registry.next().unwrap_err(), NoBackends);
    let token = registry.register(census.member(1, 0)).into_parts().0;
    assert!(registry.revoke(&token).is_ok());
    assert_eq!(registry.next().unwrap_err(), NoBackends);
}

/// They get an answer each time, and as soon as there is somebody, him.
fn threads_on_an_empty_registry(kind: Kind) {
    let registry = kind.empty::<Counted>();
    let census = Census::new();
    let there = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    let _ = registry.next();
                }
                while !there.load(SeqCst) {
                    let _ = registry.next();
                }
                assert_eq!(registry.next().unwrap().number, 7);
            });
        }
        registry.register(census.member(7, 0));
        there.store(true, SeqCst);
    });
}
