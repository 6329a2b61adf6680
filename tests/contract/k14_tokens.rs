//! K14: a late deregistration removes the successor, or brings back the dead (aphysci/gravity, hashicorp/consul-k8s). A
//! token takes back its own registration and nothing else.

use std::sync::{Arc, Barrier};
use std::thread;

use snapring::{Outcome, Stale, Token};

use crate::common::{Census, Counted, Kind, Shared, numbers, on_every_registry, picks};

on_every_registry!(
    a_late_revoke_does_not_remove_the_successor,
    a_token_works_once,
    an_unchanged_registration_owns_nothing,
    tokens_of_another_registry_are_stale,
    equal_survivors_keep_their_tokens,
    dropping_a_registration_does_nothing,
    revoke_keeps_the_rotation,
    the_loser_of_a_race_cannot_remove_the_winner,
    a_token_races_with_a_successor,
    one_of_many_revokes_succeeds,
);

fn token(registry: &Shared<Counted>, member: Counted) -> Token {
    registry.register(member).into_parts().0
}

fn stale(registry: &Shared<Counted>, token: &Token) {
    let before = registry.snapshot();
    assert_eq!(registry.revoke(token).unwrap_err(), Stale);
    assert_eq!(registry.snapshot().version(), before.version());
}

fn a_late_revoke_does_not_remove_the_successor(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    // Deregistered and registered again, with equal contents and with others; replaced; replaced and changed back.
    let first = token(&registry, census.member(0, 0));
    registry.deregister(&0);
    stale(&registry, &first);
    let second = token(&registry, census.member(0, 0));
    stale(&registry, &first);
    let third = token(&registry, census.member(0, 1));
    let fourth = token(&registry, census.member(0, 0));
    [&first, &second, &third].into_iter().for_each(|token| stale(&registry, token));
    assert_eq!(numbers(&registry.snapshot()), [0]);
    let serial = registry.snapshot()[0].serial;
    assert_eq!(registry.revoke(&fourth).unwrap().serial, serial);
    assert!(registry.snapshot().is_empty());
}

fn a_token_works_once(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(2));
    let token = token(&registry, census.member(5, 0));
    let clone = token.clone();
    assert_eq!(clone, token);
    assert_eq!(registry.revoke(&token).unwrap().number, 5);
    stale(&registry, &token);
    stale(&registry, &clone);
    registry.register(census.member(5, 0));
    stale(&registry, &token);
    assert_eq!(numbers(&registry.snapshot()), [0, 1, 5]);
}

fn an_unchanged_registration_owns_nothing(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    let first = token(&registry, census.member(0, 0));
    let second = registry.register(census.member(0, 0));
    assert_eq!(second.outcome(), &Outcome::Unchanged);
    stale(&registry, second.token());
    assert_ne!(second.token(), &first);
    assert!(registry.revoke(&first).is_ok(), "the first one's is still good");
    stale(&registry, second.token());

    let nobody = kind.empty::<Counted>();
    stale(&nobody, second.token());
}

fn tokens_of_another_registry_are_stale(kind: Kind) {
    let census = Census::new();
    let others = [Kind::Mutex, Kind::RwLock, Kind::Epoch, Kind::ArcSwap, Kind::Handle].map(|kind| kind.empty());
    let foreign: Vec<_> = others.iter().map(|other| token(other, census.member(0, 0))).collect();
    let registry = kind.empty();
    let own = token(&registry, census.member(0, 0));
    for token in &foreign {
        stale(&registry, token);
        assert_ne!(token, &own);
    }
    for other in &others {
        stale(other, &own);
    }
    assert!(others.iter().zip(&foreign).all(|(other, token)| other.revoke(token).is_ok()));
    assert!(registry.revoke(&own).is_ok());
}

fn equal_survivors_keep_their_tokens(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    let tokens: Vec<_> = (0..5).map(|number| token(&registry, census.member(number, 0))).collect();
    let list = [(3, 0), (9, 0), (1, 1), (0, 0), (3, 0)]; // 0 and 3 equal, 1 replaced, 2 and 4 gone, 9 new
    registry.replace_all(list.into_iter().map(|(number, contents)| census.member(number, contents)).collect());
    assert_eq!(numbers(&registry.snapshot()), [0, 1, 3, 9]);
    for gone in [1, 2, 4] {
        stale(&registry, &tokens[gone]);
    }
    let before = registry.snapshot();
    for kept in [0, 3] {
        let removed = registry.revoke(&tokens[kept]).unwrap();
        assert!(Arc::ptr_eq(&removed, before.get(&(kept as u64)).unwrap()));
    }
    assert_eq!(numbers(&registry.snapshot()), [1, 9]);
}

fn dropping_a_registration_does_nothing(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    drop(registry.register(census.member(0, 0)));
    let (token, outcome) = registry.register(census.member(1, 0)).into_parts();
    drop((token, outcome));
    assert_eq!(numbers(&registry.snapshot()), [0, 1]);
}

fn revoke_keeps_the_rotation(kind: Kind) {
    for served in 0..5 {
        for revoked in 0..4 {
            let census = Census::new();
            let registry = kind.empty();
            let tokens: Vec<_> = (0..4).map(|number| token(&registry, census.member(number, 0))).collect();
            picks(&registry, served);
            registry.revoke(&tokens[revoked]).unwrap();
            let due = (0..4).cycle().skip(served).filter(|number| *number != revoked as u64).take(6);
            assert_eq!(picks(&registry, 6), due.collect::<Vec<_>>(), "{served} served, {revoked} revoked");
        }
    }
}

/// johanhaleby/occurrent: two register one id at once; each cleans up after itself when it learns that it lost.
fn the_loser_of_a_race_cannot_remove_the_winner(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    let barrier = Barrier::new(2);
    for equal in [true, false] {
        for _ in 0..500 {
            let race = |contents| {
                let (census, barrier, registry) = (&census, &barrier, &registry);
                move || {
                    barrier.wait();
                    registry.register(census.member(0, contents))
                }
            };
            let results = thread::scope(|scope| {
                let threads = [scope.spawn(race(0)), scope.spawn(race(u64::from(!equal)))];
                threads.map(|thread| thread.join().unwrap())
            });
            let loser = match [results[0].outcome(), results[1].outcome()] {
                [Outcome::Added, Outcome::Unchanged] => 1,
                [Outcome::Unchanged, Outcome::Added] => 0,
                [Outcome::Added, Outcome::Replaced(_)] => 0,
                [Outcome::Replaced(_), Outcome::Added] => 1,
                outcomes => panic!("{outcomes:?}"),
            };
            stale(&registry, results[loser].token());
            assert_eq!(registry.revoke(results[1 - loser].token()).unwrap().number, 0);
            assert!(registry.snapshot().is_empty());
        }
    }
}

/// Revoked by one thread while another replaces it: the new one is there afterwards in any case.
fn a_token_races_with_a_successor(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    let barrier = Barrier::new(2);
    for round in 0..500 {
        let old = token(&registry, census.member(0, round));
        let (removed, registration) = thread::scope(|scope| {
            let revoke = scope.spawn(|| {
                barrier.wait();
                registry.revoke(&old).is_ok()
            });
            barrier.wait();
            let registration = registry.register(census.member(0, round + 1));
            (revoke.join().unwrap(), registration)
        });
        match registration.outcome() {
            Outcome::Added => assert!(removed),
            Outcome::Replaced(before) => assert!(!removed && before.contents == round),
            Outcome::Unchanged => panic!("it is not equal"),
        }
        let now = registry.snapshot();
        assert_eq!((now.len(), now[0].contents), (1, round + 1));
        assert!(registry.revoke(registration.token()).is_ok());
    }
}

fn one_of_many_revokes_succeeds(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(2));
    for round in 0..200 {
        let token = token(&registry, census.member(5, round));
        let successes: usize = thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| registry.revoke(&token).is_ok())).collect();
            threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
        });
        assert_eq!(successes, 1);
    }
    assert_eq!(numbers(&registry.snapshot()), [0, 1]);
}
