//! K04: a list that is published again though nothing changed (a lease renewed, a poll answered) disturbs the rotation.

use std::sync::Arc;

use snapring::strategy::RoundRobin;
use snapring::{Balancer, Outcome, Registry, Snapshot, Stale};

use crate::common::{Census, Checked, Counted, Kind, on_every_registry, picks};

on_every_registry!(
    an_equal_member_changes_nothing,
    an_equal_list_changes_nothing,
    absent_ids_and_stale_tokens_change_nothing,
    renewal_of_everybody_before_every_pick,
    round_robin_is_not_disturbed_either,
);

/// Not merely equal: the very same members in the same version.
#[track_caller]
fn untouched(before: &Snapshot<Counted>, after: &Snapshot<Counted>) {
    assert_eq!(before.version(), after.version());
    assert_eq!(before.as_ptr(), after.as_ptr(), "the list itself is the same one");
    assert_eq!(before.len(), after.len());
}

fn an_equal_member_changes_nothing(kind: Kind) {
    for served in 0..4 {
        let census = Census::new();
        let registry = kind.of(census.members(3));
        picks(&registry, served);
        let before = registry.snapshot();
        for number in [0, 2, 1, 1] {
            let registration = registry.register(census.member(number, 0));
            assert_eq!(registration.outcome(), &Outcome::Unchanged);
            assert_eq!(registry.revoke(registration.token()).unwrap_err(), Stale);
            untouched(&before, &registry.snapshot());
        }
        let served = served as u64;
        assert_eq!(picks(&registry, 3), [served % 3, (served + 1) % 3, (served + 2) % 3]);
        assert_eq!(census.live(), 3, "the newcomers are gone");
    }
}

fn an_equal_list_changes_nothing(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(4));
    picks(&registry, 2);
    let before = registry.snapshot();
    let orders: [&[u64]; 4] = [&[0, 1, 2, 3], &[3, 2, 1, 0], &[2, 0, 3, 1], &[1, 1, 0, 3, 2, 0]];
    for order in orders {
        let changes = registry.replace_all(order.iter().map(|number| census.member(*number, 0)).collect());
        assert!(changes.is_empty());
        assert_eq!((changes.before(), changes.after(), changes.unchanged()), (4, 4, 4));
        untouched(&before, &registry.snapshot());
    }
    assert_eq!(picks(&registry, 4), [2, 3, 0, 1]);

    let nobody = kind.empty::<Counted>();
    assert!(nobody.replace_all(Vec::new()).is_empty());
    assert_eq!(nobody.snapshot().version(), 0);
}

fn absent_ids_and_stale_tokens_change_nothing(kind: Kind) {
    let census = Census::new();
    let registry = kind.empty();
    let token = registry.register(census.member(9, 0)).token().clone();
    registry.replace_all(census.members(3));
    picks(&registry, 1);
    let before = registry.snapshot();
    for _ in 0..3 {
        assert!(registry.deregister(&9).is_none());
        assert_eq!(registry.revoke(&token).unwrap_err(), Stale);
        untouched(&before, &registry.snapshot());
    }
    assert_eq!(picks(&registry, 3), [1, 2, 0]);
}

/// traefik/traefik: a reload before every request sent most of them to the first one.
fn renewal_of_everybody_before_every_pick(kind: Kind) {
    let mut checked = Checked::of(kind, 5);
    for round in 0..50 {
        assert_eq!(checked.next(), Some(round % 5));
        (0..5).for_each(|number| checked.register(number, 0));
        checked.replace_all(&[(4, 0), (3, 0), (2, 0), (1, 0), (0, 0)]);
        checked.deregister(77);
        assert_eq!(checked.model.version, 0);
    }
    checked.finish();
}

fn round_robin_is_not_disturbed_either(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(3));
    let balancer = Balancer::new(Arc::clone(&registry), RoundRobin::new());
    for round in 0..30 {
        assert_eq!(balancer.route().unwrap().number, round % 3);
        registry.register(census.member(round % 3, 0));
        registry.replace_all(census.members(3));
    }
    assert_eq!(registry.snapshot().version(), 0);
}
