//! K02: the length is read from one list and the element from another, or somebody is handed a list that others change.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use snapring::{Member, Snapshot};

use crate::common::{Census, Counted, Crew, Kind, meet, numbers, on_every_registry, picks};

on_every_registry!(
    every_pick_was_registered_during_the_call,
    an_answer_about_nobody_is_true,
    a_shrunk_list_still_serves_the_rest,
    snapshots_never_change,
    snapshots_are_never_partial,
    a_list_survives_the_removal_of_everybody_in_it,
);

/// A member that knows when it was removed.
#[derive(Debug)]
struct Stamped {
    number: u64,
    born: u64,
    gone: AtomicU64,
}

impl Member for Stamped {
    type Id = u64;
    fn id(&self) -> &u64 {
        &self.number
    }
}

impl PartialEq for Stamped {
    fn eq(&self, other: &Self) -> bool {
        self.born == other.born
    }
}

/// ThreeMammals/Ocelot, apache/druid. Members come and go (0 to 3 beside one that stays); nobody is handed out by a call
/// that began after his removal was answered, and somebody always is.
fn every_pick_was_registered_during_the_call(kind: Kind) {
    let clock = AtomicU64::new(1);
    let registry = kind.empty::<Stamped>();
    let stamped = |number| Stamped { number, born: clock.fetch_add(1, SeqCst), gone: AtomicU64::new(u64::MAX) };
    registry.register(stamped(0));
    let pick = |picks: &mut Vec<_>, _| {
        let before = clock.load(SeqCst);
        picks.push((before, registry.next().expect("one always stays")));
    };
    let come_and_go = |_, round| {
        let size = round % 3 + 1;
        (1..=size).for_each(|number| drop(registry.register(stamped(number))));
        for number in 1..=size {
            let gone = registry.deregister(&number).expect("nobody else removes it");
            gone.gone.store(clock.fetch_add(1, SeqCst), SeqCst);
        }
    };
    let readers = Crew { threads: 2, steps: 50_000 };
    let picks = meet(readers, pick, Crew { threads: 1, steps: 5000 }, come_and_go);
    for (before, pick) in picks.into_iter().flatten() {
        let gone = pick.gone.load(SeqCst); // known by now
        assert!(gone >= before, "{pick:?} was gone before the call began at {before}");
    }
}

/// micronaut-projects/micronaut-core: "none available" while one is. One member comes and goes; the phase says when it
/// is surely there (0), surely not (2), or in between.
fn an_answer_about_nobody_is_true(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    let phase = AtomicU64::new(2);
    let pick = |_: &mut (), _| {
        let before = phase.load(SeqCst);
        let pick = registry.next();
        if phase.load(SeqCst) == before {
            match before % 4 {
                0 => assert!(pick.is_ok(), "somebody was registered all the time"),
                2 => assert!(pick.is_err(), "nobody was registered at any time"),
                _ => {}
            }
        }
    };
    let come_or_go = |_, round| {
        phase.fetch_add(1, SeqCst);
        if round % 2 == 0 {
            registry.register(census.member(0, 0));
        } else {
            registry.deregister(&0);
        }
        phase.fetch_add(1, SeqCst);
        (0..round % 100).for_each(|_| std::hint::spin_loop());
    };
    meet(Crew { threads: 2, steps: 50_000 }, pick, Crew { threads: 1, steps: 20_000 }, come_or_go);
}

fn a_shrunk_list_still_serves_the_rest(kind: Kind) {
    for n in 2..=5 {
        for served in 0..=n {
            for stays in 0..n {
                let census = Census::new();
                let registry = kind.of(census.members(n));
                picks(&registry, served as usize);
                for number in (0..n).filter(|number| *number != stays) {
                    registry.deregister(&number);
                }
                assert_eq!(picks(&registry, 3), [stays; 3], "{n} members, {served} served");
            }
        }
    }
}

fn contents(snapshot: &Snapshot<Counted>) -> (u64, Vec<(u64, u64)>) {
    (snapshot.version(), snapshot.iter().map(|member| (member.number, member.serial)).collect())
}

/// apache/shenyu: a reader holds the list that others go on changing.
fn snapshots_never_change(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(5));
    let hold = |held: &mut Vec<_>, step| {
        let snapshot = registry.snapshot();
        if step % 50 == 0 {
            held.push((contents(&snapshot), snapshot.clone(), snapshot));
        }
    };
    let churn = |_, round| {
        registry.register(census.member(round % 7, round));
        registry.deregister(&(round % 5));
        if round % 16 == 0 {
            registry.replace_all((round % 3..6).map(|number| census.member(number, round)).collect());
        }
    };
    let held = meet(Crew { threads: 2, steps: 20_000 }, hold, Crew { threads: 2, steps: 5000 }, churn);
    for (then, clone, snapshot) in held.into_iter().flatten() {
        assert_eq!(contents(&snapshot), then);
        assert_eq!(contents(&clone), then);
    }
}

/// ThreeMammals/Ocelot: a list that is cleared and refilled is seen empty or half. Two writers publish whole generations
/// of 1, 4 or 9 members.
fn snapshots_are_never_partial(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(vec![census.member(0, 1)]);
    let look = |_: &mut (), _| {
        let snapshot = registry.snapshot();
        let size = snapshot.len() as u64;
        assert!([1, 4, 9].contains(&size), "{size} members");
        assert!(snapshot.iter().all(|member| member.contents == size), "a mixture: {snapshot:?}");
    };
    let publish = |writer, round| {
        let size = [1, 4, 9][(writer + round) as usize % 3];
        registry.replace_all((0..size).map(|number| census.member(number, size)).collect());
    };
    meet(Crew { threads: 2, steps: 50_000 }, look, Crew { threads: 2, steps: 5000 }, publish);
}

/// rsocket/rsocket-java, apache/cassandra-nodejs-driver: the list that one walks over loses its members on the way.
fn a_list_survives_the_removal_of_everybody_in_it(kind: Kind) {
    let registry = kind.of(Census::new().members(50));
    let mut visited = Vec::new();
    for member in &registry.snapshot() {
        assert!(registry.deregister(&member.number).is_some());
        visited.push(member.number);
    }
    assert_eq!(visited, (0..50).collect::<Vec<_>>());
    assert!(numbers(&registry.snapshot()).is_empty());
    assert!(registry.next().is_err());
}
