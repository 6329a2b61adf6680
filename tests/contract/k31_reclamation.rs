//! K31: a reader that holds on keeps everything that comes later, or destructors never run (crossbeam-rs/crossbeam,
//! jonhoo/left-right). One held snapshot costs one snapshot, and at the end all is freed.

use std::thread;

use snapring::{EpochRegistry, Registry, Start};

use crate::common::{Census, Kind, eventually, numbers, on_every_registry, picks};

on_every_registry!(
    everything_is_freed_with_the_registry,
    everything_is_freed_after_threads,
    one_held_snapshot_costs_one_snapshot,
    snapshots_and_picks_outlive_the_registry,
    lists_go_while_the_registry_lives,
    a_member_goes_with_its_removal,
    a_filtered_list_keeps_its_own_members_only,
);

fn everything_is_freed_with_the_registry(kind: Kind) {
    for n in [0, 1, 5, 100] {
        let census = Census::new();
        let registry = kind.starting(census.members(n), Start { count: 3, ..Start::default() });
        let mut tokens = Vec::new();
        for round in 0..200 {
            tokens.push(registry.register(census.member(round % 13, round % 2)).into_parts().0);
            registry.register(census.member(round % 13, round % 2));
            let _ = registry.next();
            match round % 5 {
                0 => drop(registry.deregister(&(round % 7))),
                1 => drop(registry.revoke(&tokens[round as usize / 2])),
                2 => _ = registry.replace_all((0..round % 9).map(|number| census.member(number, round % 3)).collect()),
                _ => {}
            }
        }
        assert!(census.created() > 400 && census.live() > 0);
        drop(registry);
        assert_eq!(census.live(), 0, "drops = creates");
    }
}

fn everything_is_freed_after_threads(kind: Kind) {
    let census = Census::new();
    for _ in 0..20 {
        let registry = kind.of(census.members(3));
        thread::scope(|scope| {
            for thread in 0..2 {
                let (census, registry) = (&census, &registry);
                scope.spawn(move || {
                    for round in 0..200 {
                        registry.register(census.member(thread, round));
                        registry.deregister(&(round % 3));
                    }
                });
                scope.spawn(move || {
                    let mut held = Vec::new();
                    for _ in 0..200 {
                        held.push(registry.snapshot());
                        held.truncate(50);
                        let _ = registry.next();
                    }
                });
            }
        });
        drop(registry);
        assert_eq!(census.live(), 0);
    }
}

fn one_held_snapshot_costs_one_snapshot(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(10));
    let whole = |round| (0..10).map(|number| census.member(number, round)).collect::<Vec<_>>();
    let mut held = Vec::new();
    for round in 1..=3_u64 {
        held.push((registry.snapshot(), registry.snapshot().clone()));
        for change in 0..500 {
            registry.replace_all(whole(1000 * round + change));
        }
        eventually("what is held and what is current, and nothing between", || {
            registry.collect();
            census.live() == 10 * (round + 1)
        });
    }
    assert_eq!(numbers(&held[0].0), (0..10).collect::<Vec<_>>());
    drop(registry);
    assert_eq!(census.live(), 30);
    drop(held);
    assert_eq!(census.live(), 0);
}

fn snapshots_and_picks_outlive_the_registry(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(3));
    let token = registry.register(census.member(7, 0)).into_parts().0;
    let (snapshot, pick) = (registry.snapshot(), registry.next().unwrap());
    let removed = registry.revoke(&token).unwrap();
    drop(registry);
    assert_eq!(numbers(&snapshot), [0, 1, 2, 7]);
    assert_eq!(snapshot.get(&1).unwrap().number, 1);
    assert_eq!(snapshot.filter(|member| member.number > 1).len(), 2);
    assert_eq!((pick.number, removed.number), (0, 7));
    let sent = thread::spawn(move || numbers(&snapshot)).join().unwrap();
    assert_eq!(sent, [0, 1, 2, 7]);
    assert_eq!(census.live(), 2);
    drop((pick, removed));
    assert_eq!(census.live(), 0);
}

/// Without `collect`, changes alone do it; with `collect`, the last one goes too.
fn lists_go_while_the_registry_lives(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(4));
    let mut contents = 0;
    for _ in 0..1000 {
        contents += 1;
        registry.register(census.member(contents % 4, contents));
    }
    eventually("a few lists wait at most", || {
        contents += 1;
        registry.register(census.member(contents % 4, contents));
        census.live() <= 4 + 4
    });
    eventually("none waits", || {
        registry.collect();
        census.live() == 4
    });
    registry.replace_all(Vec::new());
    eventually("nobody is left", || {
        registry.collect();
        census.live() == 0
    });
    assert!(registry.next().is_err());
}

/// Nobody looks, so whoever leaves is dropped with the change that removes him. (Epochs may have to wait for others that
/// are pinned in this process.)
fn a_member_goes_with_its_removal(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(3));
    let gone = |left| match kind {
        Kind::Epoch => eventually("it is dropped", || {
            registry.collect();
            census.live() == left
        }),
        _ => assert_eq!(census.live(), left),
    };
    for round in 0..50 {
        let token = registry.register(census.member(3, round)).into_parts().0;
        picks(&registry, 2);
        registry.register(census.member(0, round + 1));
        gone(4);
        registry.replace_all((1..4).map(|number| census.member(number, round % 2)).collect());
        gone(3);
        drop(registry.deregister(&1));
        gone(2);
        drop(registry.snapshot());
        assert_eq!(registry.revoke(&token).is_ok(), round < 2, "an equal one keeps its token");
        registry.replace_all(census.members(3));
        gone(3);
    }
}

fn a_filtered_list_keeps_its_own_members_only(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(100));
    let few = registry.snapshot().filter(|member| member.number < 5);
    drop(registry);
    assert_eq!(census.live(), 5);
    drop(few);
    assert_eq!(census.live(), 0);
}

/// A reader that is stalled in the middle of `next` keeps every list that is replaced meanwhile: a long chain. Dropping
/// it must not recurse.
fn a_long_chain_on_a_small_stack(registry_goes_first: bool) {
    const CHANGES: u64 = 50_000;
    let body = move || {
        let census = Census::new();
        let registry = EpochRegistry::new();
        let stalled = crossbeam_epoch::pin(); // as a reader is, inside
        for round in 0..CHANGES {
            registry.register(census.member(0, round));
        }
        assert_eq!(census.live(), CHANGES);
        assert_eq!(picks(&registry, 1), [0]);
        if !registry_goes_first {
            drop(stalled);
            eventually("the chain is freed", || {
                registry.collect();
                census.live() == 1
            });
        }
        drop(registry);
        assert_eq!(census.live(), 0);
    };
    thread::Builder::new().stack_size(128 << 10).spawn(body).unwrap().join().unwrap();
}

#[test]
fn a_long_chain_is_freed_by_a_change_on_a_small_stack() {
    a_long_chain_on_a_small_stack(false);
}

#[test]
fn a_long_chain_is_freed_with_the_registry_on_a_small_stack() {
    a_long_chain_on_a_small_stack(true);
}
