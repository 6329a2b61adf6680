//! K12: one instance twice in the list has twice the share, or stops publication altogether (line/armeria). The id
//! decides: an id is there once, and an address may belong to several.

use snapring::{Backend, Registry, Start};

use crate::common::{Census, Checked, Crew, Kind, meet, numbers, on_every_registry, picks};

on_every_registry!(
    one_id_is_one_member,
    duplicates_in_a_list,
    duplicates_at_the_start,
    one_address_under_two_ids,
    a_move_is_seen_once_in_every_snapshot,
    back_again_is_there_once,
);

fn one_id_is_one_member(kind: Kind) {
    let mut checked = Checked::of(kind, 2);
    for contents in [0, 1, 1, 0, 2, 2] {
        checked.register(0, contents);
        checked.register(1, contents);
        assert_eq!(checked.registry.snapshot().len(), 2);
        checked.picks(3);
    }
    checked.finish();
}

/// At the first place, with the last contents.
fn duplicates_in_a_list(kind: Kind) {
    let lists: [&[(u64, u64)]; 8] = [
        &[(0, 0), (1, 0), (0, 0)],
        &[(0, 0), (1, 0), (0, 1)],
        &[(0, 1), (1, 0), (0, 0)],
        &[(5, 0), (5, 1), (5, 2), (5, 3)],
        &[(5, 0), (6, 0), (0, 0), (5, 1), (0, 2), (6, 1), (1, 0), (5, 0)],
        &[(7, 0), (1, 1), (7, 0), (1, 0), (7, 0)],
        &[(1, 1), (1, 0)],
        &[(1, 0), (1, 1)],
    ];
    for served in 0..4 {
        for first in lists {
            for second in lists {
                let mut checked = Checked::of(kind, 3);
                checked.picks(served);
                checked.replace_all(first);
                checked.picks(2);
                checked.replace_all(second);
                checked.picks(5);
                checked.finish();
            }
        }
    }
}

fn duplicates_at_the_start(kind: Kind) {
    for count in 0..7 {
        let start = Start { count, ..Start::default() };
        let mut checked = Checked::new(kind, &[(4, 0), (2, 0), (4, 1), (3, 0), (2, 7), (4, 2)], start);
        assert_eq!(numbers(&checked.registry.snapshot()), [4, 2, 3]);
        checked.picks(7);
        checked.finish();
    }
    let start = Start { count_bits: 2, ..Start::default() };
    let census = Census::new();
    let registry = kind.starting((0..50).map(|twice| census.member(twice % 2, 0)).collect(), start);
    assert_eq!(registry.snapshot().len(), 2, "what fits is counted without duplicates");
    registry.replace_all((0..50).map(|twice| census.member(twice % 2, twice)).collect());
    assert_eq!(picks(&registry, 4), [0, 1, 0, 1]);
}

fn one_address_under_two_ids(kind: Kind) {
    let registry = kind.empty();
    registry.register(Backend::new("x", "10.0.0.1:80"));
    registry.register(Backend::new("y", "10.0.0.1:80"));
    registry.replace_all(vec![Backend::new("z", "10.0.0.1:80"), Backend::new("y", "10.0.0.1:80")]);
    let order: Vec<_> = (0..4).map(|_| registry.next().unwrap().id().to_owned()).collect();
    assert_eq!(order, ["y", "z", "y", "z"], "both are kept, each with its share");
    assert!(registry.deregister("y").is_some());
    assert_eq!(registry.next().unwrap().id(), "z");
}

/// istio/istio: an endpoint that moves is seen twice, or not at all.
fn a_move_is_seen_once_in_every_snapshot(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(3));
    let look = |_: &mut (), _| {
        let snapshot = registry.snapshot();
        assert_eq!(snapshot.iter().filter(|member| member.number == 1).count(), 1, "{snapshot:?}");
        assert!(snapshot.get(&1).is_some());
    };
    let move_it = |_, round| {
        registry.register(census.member(1, round));
        let (a, b) = (census.member(1, round), census.member(2, round));
        registry.replace_all(if round % 2 == 0 { vec![a, b] } else { vec![census.member(0, round), a] });
    };
    meet(Crew { threads: 2, steps: 50_000 }, look, Crew { threads: 2, steps: 5000 }, move_it);
}

/// d2iq-archive/dcos-commons: a recovered task is listed twice.
fn back_again_is_there_once(kind: Kind) {
    let mut checked = Checked::of(kind, 3);
    for round in 0..20 {
        checked.deregister(round % 3);
        checked.next();
        checked.register(round % 3, round % 2);
        checked.picks(3);
    }
    assert_eq!(checked.registry.snapshot().len(), 3);
    checked.finish();
}
