//! How even leases are: bounds that hold at any moment.

use proptest::prelude::*;

use super::*;

/// Brute force: every way to interleave picks of two or three leases over a small unchanged list.
#[test]
fn leased_shares_are_within_h_times_n_minus_one_over_n_of_even() {
    for (n, handles, k) in [(2, 2, 2), (3, 2, 2), (3, 2, 4), (3, 3, 2), (4, 2, 3), (2, 3, 64)] {
        let picks = 7;
        for order in 0..(handles as u32).pow(picks) {
            let registry = of(n);
            let mut leases: Vec<_> = (0..handles).map(|_| registry.leased(k)).collect();
            let (mut counts, mut rest) = (HashMap::new(), order);
            for made in 1..=picks {
                let who = (rest % handles as u32) as usize;
                rest /= handles as u32;
                *counts.entry(leases[who].next().unwrap().id).or_insert(0u64) += 1;
                for id in 0..n {
                    let share = counts.get(&id).copied().unwrap_or(0) as f64;
                    let off = (share - f64::from(made) / n as f64).abs();
                    let bound = handles as f64 * (n - 1) as f64 / n as f64;
                    assert!(off <= bound + 1e-9, "n {n}, {handles} leases of {k}, order {order}: {off} > {bound}");
                }
            }
        }
    }
}

#[test]
fn one_lease_for_each_request_stays_even() {
    for k in [1, 2, 7, 64, 100_000] {
        let registry = of(5);
        let mut counts = HashMap::new();
        for _ in 0..1_000 {
            *counts.entry(registry.leased(k).next().unwrap().id).or_insert(0u64) += 1;
        }
        assert_eq!(spread(&counts, 0..5), 0, "k = {k}");
    }
}

/// From the start, members that stay differ by at most the number of leases, through any change.
#[test]
fn leases_drain_through_changes() {
    let (registry, leases) = (of(4), 3);
    let stop = AtomicBool::new(false);
    let counts = Mutex::new(HashMap::<u64, u64>::new());
    thread::scope(|scope| {
        for _ in 0..leases {
            scope.spawn(|| {
                let (mut lease, mut own) = (registry.leased(16), HashMap::<u64, u64>::new());
                for _ in 0..30_000 {
                    *own.entry(lease.next().unwrap().id).or_default() += 1;
                }
                let mut counts = counts.lock().unwrap();
                own.into_iter().for_each(|(id, count)| *counts.entry(id).or_default() += count);
                stop.store(true, SeqCst);
            });
        }
        scope.spawn(|| {
            for id in (100..).take_while(|_| !stop.load(SeqCst)) {
                registry.register(member(id));
                registry.deregister(&id);
            }
        });
    });
    let counts = counts.lock().unwrap();
    assert!(spread(&counts, 0..4) <= leases, "{counts:?}");
}

#[test]
fn any_size_of_lease_will_do() {
    for k in [0, 1, 5, 6, 7, 1 << 20, usize::MAX] {
        let registry = of(6);
        let mut lease = registry.leased(k);
        let ids: Vec<_> = (0..12).map(|_| lease.next().unwrap().id).collect();
        assert_eq!(ids, [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], "k = {k}");
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    /// By this lease.
    Pick(usize),
    /// This lease is dropped, and another one made.
    Renew(usize),
    Register(u64),
    Deregister(u64),
}

const LEASES: usize = 3;

fn operation() -> impl Strategy<Value = Op> {
    prop_oneof![
        12 => (0..LEASES).prop_map(Op::Pick),
        1 => (0..LEASES).prop_map(Op::Renew),
        1 => (0..6u64).prop_map(Op::Register),
        1 => (0..6u64).prop_map(Op::Deregister),
    ]
}

/// By how much two members' counts differ: now, at most, and at least.
#[derive(Clone, Copy, Default)]
struct Difference {
    now: i64,
    most: i64,
    least: i64,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Two members that stay, while others come and go: their counts differ by at most H from the start, and by 2H - 1 in
    /// any window.
    #[test]
    fn leases_are_even_in_every_window(
        k in 1..12usize,
        operations in proptest::collection::vec(operation(), 1..300),
    ) {
        let registry = of(4);
        let mut leases: Vec<_> = (0..LEASES).map(|_| registry.leased(k)).collect();
        let mut pairs = HashMap::<(u64, u64), Difference>::new();
        let mut stayed: Vec<u64> = (0..4).collect();
        for operation in operations {
            let mut picked = None;
            match operation {
                Op::Pick(lease) => picked = leases[lease].next().ok().map(|member| member.id),
                // The old one is dropped first: there are never more than H.
                Op::Renew(lease) => {
                    leases.remove(lease);
                    leases.insert(lease, registry.leased(k));
                }
                Op::Register(id) => drop(registry.register(member(id))),
                Op::Deregister(id) => {
                    registry.deregister(&id);
                    stayed.retain(|other| *other != id);
                }
            }
            for (at, a) in stayed.iter().enumerate() {
                for b in &stayed[at + 1..] {
                    let pair = pairs.entry((*a, *b)).or_default();
                    pair.now += i64::from(picked == Some(*a)) - i64::from(picked == Some(*b));
                    pair.most = pair.most.max(pair.now);
                    pair.least = pair.least.min(pair.now);
                    prop_assert!(pair.most - pair.least < 2 * LEASES as i64, "{a} and {b}, in some window");
                    prop_assert!(pair.now.unsigned_abs() <= LEASES as u64, "{a} and {b}, from the start");
                }
            }
        }
    }
}
