//! K26: counters per thread look uneven (envoyproxy/envoy documents it). Here all threads share one rotation, and it stays
//! exact while the list changes.

use std::sync::Barrier;
use std::thread;

use snapring::strategy::RoundRobin;
use snapring::{Registry, Start, Strategy};

use crate::common::{Census, Counted, Crew, Kind, eventually, meet, on_every_registry};

on_every_registry!(
    every_member_has_exactly_its_share,
    every_member_has_exactly_its_share_from_a_strategy,
    first_calls_at_once_get_different_members,
    those_that_stay_keep_their_order_under_churn,
    those_that_stay_have_equal_shares_under_churn,
    those_that_stay_have_equal_shares_with_few_bits,
    others_leave_from_between_those_that_stay,
);

fn every_member_has_exactly_its_share(kind: Kind) {
    for n in [1, 2, 3, 7, 16] {
        let (threads, rounds) = (4, 120_000 / n);
        let registry = kind.of(Census::new().members(n));
        let totals = totals(n, threads, n * rounds, || registry.next().unwrap().number);
        assert_eq!(totals, vec![threads * rounds; n as usize], "n = {n}");
    }
}

fn every_member_has_exactly_its_share_from_a_strategy(kind: Kind) {
    for n in [1, 2, 3, 7] {
        let (threads, rounds) = (3, 60_000 / n);
        let registry = kind.of(Census::new().members(n));
        let strategy = RoundRobin::new();
        let totals = totals(n, threads, n * rounds, || strategy.route(&registry.snapshot()).unwrap().number);
        assert_eq!(totals, vec![threads * rounds; n as usize], "n = {n}");
    }
}

fn totals(n: u64, threads: u64, picks: u64, pick: impl Fn() -> u64 + Sync) -> Vec<u64> {
    let mut totals = vec![0; n as usize];
    thread::scope(|scope| {
        let pickers: Vec<_> =
            (0..threads).map(|_| scope.spawn(|| (0..picks).map(|_| pick()).collect::<Vec<_>>())).collect();
        for number in pickers.into_iter().flat_map(|picker| picker.join().unwrap()) {
            totals[number as usize] += 1;
        }
    });
    totals
}

/// Three threads at once bring a strategy its first list, or each a list of its own: three different members.
fn first_calls_at_once_get_different_members(kind: Kind) {
    const ROUNDS: usize = 1000;
    let registry = kind.of(Census::new().members(3));
    let strategies: Vec<_> = (0..ROUNDS).map(|_| RoundRobin::new()).collect();
    let barrier = Barrier::new(3);
    let route = |round: usize| {
        let list = registry.snapshot();
        let list = if round % 2 == 0 { list } else { list.filter(|_| true) };
        barrier.wait();
        strategies[round].route(&list).unwrap().number
    };
    let picks = thread::scope(|scope| {
        let threads = [(); 3].map(|()| scope.spawn(|| (0..ROUNDS).map(route).collect::<Vec<_>>()));
        threads.map(|thread| thread.join().unwrap())
    });
    for round in 0..ROUNDS {
        let mut picks = [0, 1, 2].map(|thread: usize| picks[thread][round]);
        picks.sort_unstable();
        assert_eq!(picks, [0, 1, 2], "round {round}");
    }
}

/// Members below this stay (though they are replaced in place); the others come and go.
const STAY: u64 = 4;

/// Every kind of change. Two writers do not use the same ids for those that come and go.
fn churn(registry: &impl Registry<Counted>, census: &Census, writer: u64, round: u64) {
    let mine = |which: u64| STAY + 10 * writer + which;
    let registration = registry.register(census.member(mine(round % 3), round));
    match round % 8 {
        0..3 => drop(registry.deregister(&mine((round + 1) % 3))),
        3 => drop(registry.revoke(registration.token())),
        4 => drop(registry.register(census.member(round % STAY, round))),
        5 => {
            let stay = (0..STAY).rev().map(|number| census.member(number, round % 2));
            registry.replace_all(stay.chain([census.member(mine(round % 2), round)]).collect());
        }
        6 => {
            registry.replace_all((0..STAY).map(|number| census.member(number, 0)).collect());
        }
        _ => {}
    }
}

/// Runs pickers against two writers, and returns what each kept of the picks of those that stay.
fn under_churn<S: Default + Send>(kind: Kind, start: Start, pickers: u64, keep: impl Fn(&mut S, u64) + Sync) -> Vec<S> {
    let census = Census::new();
    let registry = kind.starting(census.members(STAY), start);
    let pick = |state: &mut S, _| {
        let number = registry.next().expect("there is always somebody").number;
        if number < STAY {
            keep(state, number);
        }
    };
    let churn = |writer, round| churn(&registry, &census, writer, round);
    let kept = meet(Crew { threads: pickers, steps: 50_000 }, pick, Crew { threads: 2, steps: 5000 }, churn);
    eventually("only those that are registered are alive", || {
        registry.collect();
        census.live() == registry.snapshot().len() as u64
    });
    drop(registry);
    assert_eq!(census.live(), 0);
    kept
}

/// One picker: between two turns of a member, each of the others that stay has exactly one.
fn those_that_stay_keep_their_order_under_churn(kind: Kind) {
    for (count_bits, version) in [(28, 0), (6, 0), (6, u64::MAX - 1000), (28, (1 << 35) - 1000)] {
        let start = Start { count_bits, version, ..Start::default() };
        let orders = under_churn(kind, start, 1, |order: &mut Vec<u64>, number| order.push(number));
        let order = &orders[0];
        assert!(order.len() > 1000, "most picks are of those that stay");
        if let Some(at) = (0..order.len()).find(|at| order[*at] != *at as u64 % STAY) {
            panic!("{start:?}: pick {at} broke the order: {:?}", &order[at.saturating_sub(6)..order.len().min(at + 6)]);
        }
    }
}

/// Several pickers: the counts of two members that stay differ by at most one at any moment, so at the end too.
fn even(kind: Kind, start: Start) {
    for pickers in [2, 3] {
        let counts = under_churn(kind, start, pickers, |counts: &mut [u64; STAY as usize], number| {
            counts[number as usize] += 1;
        });
        let totals = [0, 1, 2, 3].map(|number| counts.iter().map(|counts| counts[number]).sum::<u64>());
        let (most, least) = (totals.iter().max().unwrap(), totals.iter().min().unwrap());
        assert!(most - least <= 1, "{start:?}, {pickers} pickers: {totals:?}");
    }
}

fn those_that_stay_have_equal_shares_under_churn(kind: Kind) {
    even(kind, Start::default());
    even(kind, Start { version: (1 << 35) - 500, count: (1 << 27) - 500, count_bits: 28 });
}

fn those_that_stay_have_equal_shares_with_few_bits(kind: Kind) {
    even(kind, Start { count_bits: 5, count: 13, version: 0 });
    even(kind, Start { count_bits: 6, count: 30, version: u64::MAX - 500 });
    even(kind, Start { count_bits: 5, count: 30, version: (1 << 58) - 500 });
}

/// In the long run those that stay are in front. Here others stand before, between and behind them, and leave.
fn others_leave_from_between_those_that_stay(kind: Kind) {
    const LEAVE: u64 = 60;
    for trial in 0..100 {
        let census = Census::new();
        let stays = |place: u64| place % 16 == 7; // four of 64 places
        let list = (0..STAY + LEAVE).scan((0, STAY), |(stay, leave), place| {
            let next = if stays(place) { stay } else { leave };
            *next += 1;
            Some(census.member(*next - 1, 0))
        });
        let registry = kind.of(list.collect());
        let pick = |counts: &mut ([u64; STAY as usize], Vec<u64>), _| {
            let number = registry.next().unwrap().number;
            if number < STAY {
                counts.0[number as usize] += 1;
                counts.1.push(number);
            }
        };
        let leave = |_, round| drop(registry.deregister(&(STAY + (round * 7 + trial) % LEAVE)));
        let pickers = 1 + trial % 3;
        let kept = meet(Crew { threads: pickers, steps: 100 }, pick, Crew { threads: 1, steps: LEAVE }, leave);
        if let [(_, order)] = &kept[..] {
            assert!(order.iter().copied().eq((0..STAY).cycle().take(order.len())), "{order:?}");
        }
        let totals = [0, 1, 2, 3].map(|number| kept.iter().map(|(counts, _)| counts[number]).sum::<u64>());
        let (most, least) = (totals.iter().max().unwrap(), totals.iter().min().unwrap());
        assert!(most - least <= 1, "{pickers} pickers: {totals:?}");
        assert_eq!(registry.snapshot().len() as u64, STAY);
    }
}
