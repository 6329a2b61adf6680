//! K15: an older list published last (istio/istio). K16: a registration lost in a copy-on-write (NLnetLabs/cascade:
//! load and store on an arc-swap cell taken for one step; cytostack/openwolf: 17 of 60 lost).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;

use snapring::{Outcome, Registry, Snapshot};

use crate::common::{Census, Counted, Crew, Kind, meet, numbers, on_every_registry};

on_every_registry!(
    no_reader_sees_a_version_go_back,
    a_snapshot_is_no_older_than_what_happened_before,
    a_snapshot_is_no_older_than_a_pick_before_it,
    sixty_registrations_at_once,
    a_hundred_come_and_ninety_nine_go,
    a_writer_reads_what_it_wrote,
    changes_of_one_id_form_one_chain,
    replace_all_beside_registrations,
    publication_without_any_pick,
);

/// Also: a version names one list and no other.
fn no_reader_sees_a_version_go_back(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(2));
    let published = AtomicU64::new(0);
    let read = |last: &mut Option<Snapshot<Counted>>, _| {
        let finished = published.load(SeqCst);
        let now = registry.snapshot();
        assert!(now.version() >= finished, "a change that was answered before is in it");
        if let Some(last) = last.replace(now.clone()) {
            assert!(now.version() >= last.version(), "{} after {}", now.version(), last.version());
            assert_eq!(now.version() == last.version(), now.as_ptr() == last.as_ptr());
        }
    };
    let write = |writer, round| {
        registry.register(census.member(10 + writer, round));
        published.fetch_add(1, SeqCst);
    };
    meet(Crew { threads: 2, steps: 50_000 }, read, Crew { threads: 2, steps: 10_000 }, write);
    assert_eq!(registry.snapshot().version(), published.load(SeqCst));
}

/// Handed from thread to thread: the one that learns of a version sees at least that one.
fn a_snapshot_is_no_older_than_what_happened_before(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty::<Counted>();
    let latest = Mutex::new(0);
    thread::scope(|scope| {
        for thread in 0..3 {
            let (census, registry, latest) = (&census, &registry, &latest);
            scope.spawn(move || {
                for round in 0..20_000 {
                    if round % 8 == 0 {
                        registry.register(census.member(thread, round));
                    }
                    let seen = *latest.lock().unwrap();
                    let now = registry.snapshot().version();
                    assert!(now >= seen, "{now} after {seen}");
                    let mut latest = latest.lock().unwrap();
                    *latest = now.max(*latest);
                }
            });
        }
    });
    assert_eq!(registry.snapshot().version(), 3 * 2500);
}

/// Whoever was picked is in the snapshot that is taken next, or was replaced since.
fn a_snapshot_is_no_older_than_a_pick_before_it(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(2));
    let read = |_: &mut (), _| {
        let pick = registry.next().unwrap();
        let now = registry.snapshot();
        let there = now.get(&pick.number).expect("nobody leaves");
        assert!(there.contents >= pick.contents, "{there:?} is older than {pick:?}");
    };
    let write = |_, round| drop(registry.register(census.member(round % 3, round)));
    meet(Crew { threads: 3, steps: 50_000 }, read, Crew { threads: 1, steps: 20_000 }, write);
}

fn sixty_registrations_at_once(kind: Kind) {
    for _ in 0..20 {
        let census = Census::new();
        let registry = kind.empty();
        thread::scope(|scope| {
            for number in 0..60 {
                let (census, registry) = (&census, &registry);
                scope.spawn(move || assert_eq!(registry.register(census.member(number, 0)).outcome(), &Outcome::Added));
            }
        });
        let snapshot = registry.snapshot();
        assert_eq!(numbers(&snapshot).into_iter().collect::<BTreeSet<_>>(), (0..60).collect());
        assert_eq!((snapshot.len(), snapshot.version()), (60, 60));
        let round: BTreeSet<_> = (0..60).map(|_| registry.next().unwrap().number).collect();
        assert_eq!(round.len(), 60);
    }
}

/// istio/istio: up and down quickly leaves endpoints behind.
fn a_hundred_come_and_ninety_nine_go(kind: Kind) {
    for _ in 0..20 {
        let census = Census::new();
        let registry = kind.empty();
        let spawn = |job: &(dyn Fn(u64) + Sync)| {
            thread::scope(|scope| {
                for thread in 0..4 {
                    scope.spawn(move || (0..100).filter(|number| number % 4 == thread).for_each(job));
                }
            });
        };
        spawn(&|number| drop(registry.register(census.member(number, 0))));
        spawn(&|number| {
            // Everybody but 42 is removed by two at once: one of them does it.
            if number != 42 {
                let other = thread::scope(|scope| {
                    let other = scope.spawn(|| registry.deregister(&number).is_some());
                    usize::from(registry.deregister(&number).is_some()) + usize::from(other.join().unwrap())
                });
                assert_eq!(other, 1);
            }
        });
        assert_eq!(numbers(&registry.snapshot()), [42]);
        assert_eq!(registry.snapshot().version(), 199);
    }
}

fn a_writer_reads_what_it_wrote(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    thread::scope(|scope| {
        for writer in 0..3 {
            let (census, registry) = (&census, &registry);
            scope.spawn(move || {
                for round in 0..500 {
                    registry.register(census.member(writer, round));
                    assert_eq!(registry.snapshot().get(&writer).unwrap().contents, round);
                    if round % 3 == 0 {
                        registry.deregister(&writer);
                        assert!(registry.snapshot().get(&writer).is_none());
                    }
                }
            });
        }
    });
}

/// Everything that one id ever was is handed back to exactly one caller.
fn changes_of_one_id_form_one_chain(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    let removed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for thread in 0..3 {
            let (census, registry, removed) = (&census, &registry, &removed);
            scope.spawn(move || {
                for round in 0..1000 {
                    let old: Option<Arc<Counted>> = if (round + thread) % 4 == 3 {
                        registry.deregister(&0)
                    } else {
                        let unique = 10 * round + thread;
                        match registry.register(census.member(0, unique)).into_parts().1 {
                            Outcome::Replaced(old) => Some(old),
                            Outcome::Added => None,
                            Outcome::Unchanged => panic!("no two are equal"),
                        }
                    };
                    removed.lock().unwrap().extend(old.map(|old| old.serial));
                }
            });
        }
    });
    let mut serials = removed.into_inner().unwrap();
    serials.extend(registry.snapshot().iter().map(|member| member.serial));
    serials.sort_unstable();
    assert_eq!(serials, (0..census.created()).collect::<Vec<_>>());
}

/// A list published as a whole loses nobody that is registered after it, and repairs any drift.
fn replace_all_beside_registrations(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..300 {
                registry.replace_all((0..10).map(|number| census.member(number, round % 2)).collect());
            }
        });
        for round in 0..2000 {
            registry.register(census.member(100, round));
            registry.deregister(&(round % 10));
        }
    });
    registry.register(census.member(100, 0));
    assert!(registry.snapshot().get(&100).is_some());
    let changes = registry.replace_all(census.members(10));
    assert_eq!(changes.after(), 10);
    assert_eq!(numbers(&registry.snapshot()).into_iter().collect::<BTreeSet<_>>(), (0..10).collect());
}

/// grpc/grpc-rust: updates are applied when requests come, so without any the channel fills.
fn publication_without_any_pick(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(3));
    for round in 1..=10_000 {
        registry.register(census.member(1, round));
    }
    assert_eq!(registry.snapshot().get(&1).unwrap().contents, 10_000);
    assert_eq!(registry.next().unwrap().number, 0);
    assert_eq!(registry.next().unwrap().contents, 10_000);
}
