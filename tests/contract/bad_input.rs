//! What nobody should do, and somebody does: floods, giants, ids that collide or lie, more members than fit.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use snapring::strategy::RoundRobin;
use snapring::{Backend, Member, MutexRegistry, Outcome, Registry, Start, Strategy};

use crate::common::{Census, Checked, Kind, caught, eventually, on_every_registry, picks};

on_every_registry!(
    a_million_renewals,
    a_hundred_thousand_members,
    a_hundred_thousand_entries_of_few_ids,
    a_flood_of_departures,
    more_members_than_fit,
    more_members_than_fit_at_once,
    ids_that_collide,
    ids_that_lie,
    an_address_of_a_megabyte,
);

fn a_million_renewals(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(3));
    let before = registry.snapshot();
    for round in 0..1_000_000 {
        registry.register(census.member(round % 3, 0));
        assert!(census.live() <= 3, "a renewal stays");
    }
    assert_eq!(census.created(), 1_000_003);
    assert_eq!((registry.snapshot().version(), registry.snapshot().as_ptr()), (0, before.as_ptr()));
    assert_eq!(picks(&registry, 4), [0, 1, 2, 0]);
}

fn a_hundred_thousand_members(kind: Kind) {
    const N: u64 = 100_000;
    let census = Census::new();
    let registry = kind.of(census.members(5));
    picks(&registry, 3);
    let changes = registry.replace_all(census.members(N));
    assert_eq!((changes.added(), changes.unchanged()), (N as usize - 5, 5));
    let order = picks(&registry, 2 * N as usize);
    assert!(order.iter().copied().eq((0..2 * N).map(|pick| (pick + 3) % N)));
    let snapshot = registry.snapshot();
    assert!((0..N).step_by(997).all(|number| snapshot.get(&number).unwrap().number == number));
    assert!(snapshot.get(&N).is_none());
    assert!(registry.replace_all(census.members(N)).is_empty());
    registry.register(census.member(N, 0));
    assert!(registry.deregister(&4).is_some(), "behind the cursor is 4 from the end of this lap on");
    let strategy = RoundRobin::new();
    for number in [0, 1, 2, 3, 5, 6] {
        assert_eq!(strategy.route(&registry.snapshot()).unwrap().number, number);
        registry.register(census.member(N - 1, number));
    }
    assert_eq!(registry.replace_all(Vec::new()).removed(), N as usize);
    drop((registry, snapshot, strategy));
    assert_eq!(census.live(), 0);
}

fn a_hundred_thousand_entries_of_few_ids(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(2));
    let flood = (0..100_000).map(|entry| census.member(entry % 3, entry)).collect();
    let changes = registry.replace_all(flood);
    assert_eq!((changes.replaced(), changes.added()), (2, 1));
    assert_eq!(registry.snapshot().iter().map(|member| member.contents).collect::<Vec<_>>(), [99_999, 99_997, 99_998]);
    eventually("the rest is gone", || {
        registry.collect();
        census.live() == 3
    });
}

fn a_flood_of_departures(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(3));
    for round in 0..200_000 {
        assert!(registry.deregister(&(3 + round % 50)).is_none());
    }
    assert_eq!(registry.snapshot().version(), 0);
    assert_eq!(picks(&registry, 3), [0, 1, 2]);
}

fn full(call: impl FnOnce()) {
    let panic = caught(call).expect_err("it does not fit");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("full"), "{message}");
}

/// Refused before anything changed, and everything works afterwards. The model expects the same.
fn more_members_than_fit(kind: Kind) {
    for count_bits in [0, 2, 3, 4, 6] {
        let mut checked = Checked::new(kind, &[], Start { count_bits, ..Start::default() });
        let most = checked.model.capacity as u64;
        (0..most).for_each(|number| checked.register(number, 0));
        assert_eq!(checked.registry.snapshot().len() as u64, most);
        checked.picks(1);
        for round in 0..3 {
            checked.register(most + round, 0); // too many
            checked.picks(most as usize + 1);
            checked.register(round % most, round + 1); // in place: fits
            checked.register(round % most, round + 1);
        }
        checked.deregister(0);
        checked.register(most, 0); // now it fits
        checked.register(most + 1, 0);
        checked.picks(2 * most as usize);
        checked.finish();
    }
}

fn more_members_than_fit_at_once(kind: Kind) {
    let census = Census::new();
    let start = Start { count_bits: 3, count: 6, ..Start::default() };
    full(|| drop(kind.starting(census.members(5), start)));
    assert_eq!(census.live(), 0);
    let registry = kind.starting(census.members(4), start);
    let before = registry.snapshot();
    full(|| _ = registry.replace_all(census.members(5)));
    full(|| _ = registry.replace_all((10..20).map(|number| census.member(number, 0)).collect()));
    full(|| drop(registry.register(census.member(4, 0))));
    assert_eq!((registry.snapshot().version(), registry.snapshot().as_ptr()), (0, before.as_ptr()));
    assert_eq!(picks(&registry, 5), [2, 3, 0, 1, 2]);
    assert_eq!(registry.replace_all(census.members(2)).removed(), 2);
    assert_eq!(registry.register(census.member(7, 0)).outcome(), &Outcome::Added);
    drop((before, registry));
    assert_eq!(census.live(), 0);
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Colliding(u32);

impl Hash for Colliding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        0_u8.hash(state);
    }
}

#[derive(Debug, PartialEq)]
struct Same(Colliding, u32);

impl Member for Same {
    type Id = Colliding;
    fn id(&self) -> &Colliding {
        &self.0
    }
}

fn ids_that_collide(kind: Kind) {
    const N: u32 = 300;
    let registry = kind.empty();
    let tokens: Vec<_> = (0..N).map(|id| registry.register(Same(Colliding(id), 0)).into_parts().0).collect();
    assert_eq!(registry.snapshot().len(), N as usize);
    assert!((0..N).all(|id| registry.register(Same(Colliding(id), 0)).outcome() == &Outcome::Unchanged));
    assert!(
        matches!(registry.register(Same(Colliding(7), 1)).outcome(), Outcome::Replaced(old) if old.0 == Colliding(7))
    );
    assert!(registry.revoke(&tokens[7]).is_err());
    assert_eq!(registry.revoke(&tokens[8]).unwrap().0, Colliding(8));
    assert_eq!(registry.deregister(&Colliding(9)).unwrap().0, Colliding(9));
    assert!(registry.deregister(&Colliding(9)).is_none());
    assert_eq!(registry.snapshot().get(&Colliding(200)).unwrap().0, Colliding(200));
    let changes = registry.replace_all((0..N / 2).rev().map(|id| Same(Colliding(id), 0)).collect());
    assert_eq!((changes.added(), changes.replaced(), changes.removed()), (2, 1, N as usize / 2));
    let order: Vec<_> = (0..N / 2).map(|_| registry.next().unwrap().0.0).collect();
    let expected: Vec<_> = (0..N / 2).filter(|id| ![8, 9].contains(id)).chain([9, 8]).collect();
    assert_eq!(order, expected);
}

/// Equality and hash are made up anew every time.
#[derive(Clone, Debug)]
struct Lying(u64);

thread_local!(static LIES: Cell<u64> = const { Cell::new(1) });

fn lie(of: u64) -> u64 {
    LIES.set(LIES.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    (LIES.get() >> 33) % of
}

impl PartialEq for Lying {
    fn eq(&self, _: &Self) -> bool {
        lie(3) == 0
    }
}

impl Eq for Lying {}

impl Hash for Lying {
    fn hash<H: Hasher>(&self, state: &mut H) {
        lie(2).hash(state);
    }
}

#[derive(Debug)]
struct Liar(Lying);

impl PartialEq for Liar {
    fn eq(&self, _: &Self) -> bool {
        lie(2) == 0
    }
}

impl Member for Liar {
    type Id = Lying;
    fn id(&self) -> &Lying {
        &self.0
    }
}

/// Whom it keeps is anybody's guess; but it stays a list, and a ring over that list.
fn ids_that_lie(kind: Kind) {
    let serial = AtomicU64::new(0);
    let liar = || Liar(Lying(serial.fetch_add(1, SeqCst)));
    let registry = kind.empty();
    let strategy = RoundRobin::new();
    let mut tokens = Vec::new();
    for round in 0..3000 {
        match lie(8) {
            0..4 => tokens.push(registry.register(liar()).into_parts().0),
            4 => drop(registry.deregister(&Lying(0))),
            5 => drop(tokens.pop().map(|token| registry.revoke(&token))),
            6 => _ = registry.replace_all((0..lie(40)).map(|_| liar()).collect()),
            _ => drop(registry.snapshot().get(&Lying(0)).cloned()),
        }
        let snapshot = registry.snapshot();
        let order: Vec<_> = snapshot.iter().map(|member| member.0.0).collect();
        let mut seen: Vec<_> = order.iter().filter_map(|_| registry.next().ok()).map(|pick| pick.0.0).collect();
        let due = order.iter().position(|serial| Some(serial) == seen.first()).unwrap_or(0);
        seen.rotate_right(due);
        assert_eq!(seen, order, "round {round}");
        if let Ok(pick) = strategy.route(&snapshot) {
            assert!(order.contains(&pick.0.0));
        }
    }
}

/// As numbers that are not numbers: a renewal is a replacement every time.
#[derive(Debug, PartialEq)]
struct Weighted(u8, f64);

impl Member for Weighted {
    type Id = u8;
    fn id(&self) -> &u8 {
        &self.0
    }
}

#[test]
fn members_that_equal_nobody() {
    let registry = MutexRegistry::new();
    registry.register(Weighted(0, f64::NAN));
    registry.register(Weighted(1, 1.0));
    for round in 1..=10 {
        assert!(matches!(registry.register(Weighted(0, f64::NAN)).outcome(), Outcome::Replaced(_)));
        let changes = registry.replace_all(vec![Weighted(0, f64::NAN), Weighted(1, 1.0)]);
        assert_eq!((changes.replaced(), changes.unchanged()), (1, 1));
        assert_eq!(registry.snapshot().version(), 2 + 2 * round);
    }
    assert_eq!(registry.next().unwrap().0, 0);
    assert_eq!(registry.next().unwrap().0, 1);
}

fn an_address_of_a_megabyte(kind: Kind) {
    let address = "a".repeat(1 << 20);
    let registry = kind.empty();
    registry.register(Backend::new("a", &*address));
    assert_eq!(registry.register(Backend::new("a", &*address)).outcome(), &Outcome::Unchanged);
    let other = format!("{address}b");
    assert!(matches!(registry.register(Backend::new("a", &*other)).outcome(), Outcome::Replaced(_)));
    assert_eq!(registry.next().unwrap().address(), other);
}
