//! K01: a counter wraps, and from then on the index is negative, or the last member is never reached, or the rotation
//! jumps. Numbers of members that divide no power of two show it (apache/shardingsphere tested with two).

use std::sync::Arc;
use std::thread;

use snapring::Start;

use crate::common::{Census, Checked, Kind, numbers, on_every_registry, picks};

on_every_registry!(
    rotation_is_exact_across_any_wrap,
    default_bits_wrap_after_many_picks,
    changes_at_the_wrap,
    threads_share_exactly_across_wraps,
    versions_wrap,
    versions_wrap_under_threads,
);

const SIZES: [u64; 6] = [1, 2, 3, 5, 7, 8];

fn capacity(count_bits: u32) -> u64 {
    1 << (count_bits.clamp(2, 28) - 1)
}

/// Counts around everything that might be an end: of the lap, of the bits, of signed and unsigned integers.
fn counts(n: u64, count_bits: u32) -> impl Iterator<Item = u64> {
    let most = capacity(count_bits);
    let ends = [most / n * n, most, 2 * most, 1 << 31, 1 << 32, 1 << 63, 0];
    ends.into_iter().flat_map(move |end| (0..=n + 1).map(move |before| end.wrapping_sub(before)))
}

fn rotation_is_exact_across_any_wrap(kind: Kind) {
    let census = Census::new();
    for count_bits in [0, 1, 2, 3, 4, 5, 8, 28, 29, 64, u32::MAX] {
        for n in SIZES.into_iter().filter(|n| *n <= capacity(count_bits)) {
            for count in counts(n, count_bits) {
                let start = Start { count, count_bits, ..Start::default() };
                let registry = kind.starting(census.members(n), start);
                let laps = if count_bits <= 8 { 3 * capacity(count_bits) / n + 2 } else { 4 };
                let expected: Vec<u64> = (0..laps * n).map(|pick| (count % n + pick) % n).collect();
                assert_eq!(picks(&registry, expected.len()), expected, "n = {n}, {start:?}");
            }
        }
    }
    assert_eq!(census.live(), 0);
}

/// From a start long before the lap's end, so that nothing but picks has moved the count.
fn default_bits_wrap_after_many_picks(kind: Kind) {
    for n in [3, 5, 7] {
        let count = (1 << 27) / n * n - 1000;
        let registry = kind.starting(Census::new().members(n), Start { count, ..Start::default() });
        for pick in 0..3000 {
            assert_eq!(registry.next().unwrap().number, (count + pick) % n, "n = {n}, pick {pick}");
        }
    }
}

/// Every change, with the count at every distance from the end of a lap.
fn changes_at_the_wrap(kind: Kind) {
    for n in [1, 2, 3, 5, 7] {
        for count in counts(n, 4).take(n as usize + 2) {
            let start = Start { count, count_bits: 4, ..Start::default() };
            let members: Vec<_> = (0..n).map(|number| (number, 0)).collect();
            for picks_before in 0..=n as usize + 2 {
                for change in 0..4 {
                    let mut checked = Checked::new(kind, &members, start);
                    checked.picks(picks_before);
                    match change {
                        0 => checked.register(100, 0),
                        1 => checked.register(n - 1, 1),
                        2 => checked.deregister(n / 2),
                        _ => checked.replace_all(&[(100, 0), (n - 1, 0), (0, 1)]),
                    }
                    checked.picks(20);
                    checked.finish();
                }
            }
        }
    }
}

fn threads_share_exactly_across_wraps(kind: Kind) {
    for (n, count_bits) in [(3, 3), (5, 4), (7, 4), (8, 4), (7, 5)] {
        let laps = 700;
        let count = capacity(count_bits) - 1;
        let registry = kind.starting(Census::new().members(n), Start { count, count_bits, ..Start::default() });
        let mut totals = vec![0; n as usize];
        thread::scope(|scope| {
            let pick = || picks(&registry, laps * n as usize);
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(pick)).collect();
            for number in threads.into_iter().flat_map(|thread| thread.join().unwrap()) {
                totals[number as usize] += 1;
            }
        });
        assert_eq!(totals, vec![3 * laps; n as usize], "n = {n}, {count_bits} bits");
        assert_eq!(registry.next().unwrap().number, count % n, "whole laps leave the cursor where it was");
    }
}

/// The version starts over after 2^64; the field of it that is packed beside the count much earlier.
fn version_starts() -> impl Iterator<Item = Start> {
    [3, 4, 5, 8, 28].into_iter().flat_map(|count_bits| {
        let ends = [0, 1 << 31, 1 << 32, 1 << 35, 1 << (63 - count_bits), 1 << 63];
        let versions = ends.into_iter().flat_map(|end: u64| (1..4).map(move |before| end.wrapping_sub(before)));
        versions.map(move |version| Start { version, count: 6, count_bits })
    })
}

fn versions_wrap(kind: Kind) {
    for start in version_starts() {
        let mut checked = Checked::new(kind, &[(0, 0), (1, 0), (2, 0)], start);
        for change in 0..8 {
            checked.picks(2);
            match change % 4 {
                0 => checked.register(3, change),
                1 => checked.deregister(1),
                2 => checked.replace_all(&[(1, change), (3, 0), (0, 0)]),
                _ => checked.revoke(change as usize - 3),
            }
        }
        assert_eq!(checked.registry.snapshot().version(), checked.model.version);
        assert!(checked.model.version.wrapping_sub(start.version) >= 6, "the versions went past the wrap");
        checked.picks(5);
        checked.finish();
    }
}

fn versions_wrap_under_threads(kind: Kind) {
    for start in version_starts().filter(|start| [4, 28].contains(&start.count_bits)) {
        let census = Census::new();
        let registry = kind.starting(census.members(4), start);
        thread::scope(|scope| {
            let picker = scope.spawn(|| (0..400).map(|_| registry.next().unwrap().number).collect::<Vec<_>>());
            for change in 1..=20 {
                let before = registry.snapshot();
                registry.register(census.member(4 + change % 2, change));
                let after = registry.snapshot();
                assert_eq!(after.version(), start.version.wrapping_add(change));
                assert_eq!(before.version(), start.version.wrapping_add(change - 1));
                assert!(after.iter().zip(&before).take(4).all(|(now, then)| Arc::ptr_eq(now, then)));
            }
            let stayed: Vec<u64> = picker.join().unwrap().into_iter().filter(|number| *number < 4).collect();
            let expected: Vec<u64> = (start.count..).map(|count| count % 4).take(stayed.len()).collect();
            assert_eq!(stayed, expected, "those that stay keep their order, {start:?}");
        });
        assert_eq!(numbers(&registry.snapshot()), [0, 1, 2, 3, 5, 4]);
    }
}
