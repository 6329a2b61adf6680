//! Long random sequences of calls against the [model](crate::common::model): every answer, version and list agrees.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use snapring::Start;

use crate::common::{Checked, Kind, on_every_registry};

on_every_registry!(any_sequence, any_sequence_over_long_lists, any_sequence_near_the_wraps);

#[derive(Clone, Debug)]
enum Call {
    Register(u64, u64),
    Deregister(u64),
    Revoke(usize),
    ReplaceAll(Vec<(u64, u64)>),
    Next(usize),
}

/// Few ids and contents, so that they meet.
fn call(ids: u64) -> impl Strategy<Value = Call> {
    let entry = || (0..ids, 0..2_u64);
    prop_oneof![
        5 => entry().prop_map(|(id, contents)| Call::Register(id, contents)),
        3 => (0..ids).prop_map(Call::Deregister),
        2 => any::<usize>().prop_map(Call::Revoke),
        2 => vec(entry(), 0..ids as usize + 2).prop_map(Call::ReplaceAll),
        6 => (1..6_usize).prop_map(Call::Next),
        1 => (1..70_usize).prop_map(Call::Next),
    ]
}

fn members(ids: u64) -> impl Strategy<Value = Vec<(u64, u64)>> {
    vec((0..ids, 0..2_u64), 0..4)
}

fn check(kind: Kind, members: &[(u64, u64)], start: Start, calls: Vec<Call>) {
    let mut checked = Checked::new(kind, members, start);
    for call in calls {
        match call {
            Call::Register(id, contents) => checked.register(id, contents),
            Call::Deregister(id) => checked.deregister(id),
            Call::Revoke(which) => checked.revoke(which),
            Call::ReplaceAll(list) => checked.replace_all(&list),
            Call::Next(times) => checked.picks(times),
        }
    }
    checked.finish();
}

/// Prints the shortest sequence that it finds; keeps no file of them.
fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() })
}

fn any_sequence(kind: Kind) {
    let run = (members(40), any::<u64>(), vec(call(8), 0..100), vec(call(40), 0..60));
    let result = runner(1500).run(&run, |(members, count, few, many)| {
        let start = Start { count, ..Start::default() };
        check(kind, &members, start, few.into_iter().chain(many).collect());
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Beyond the length up to which an id is looked for without an index, and beyond that of a chunk.
fn any_sequence_over_long_lists(kind: Kind) {
    let run = (vec((0..200_u64, 0..2_u64), 40..160), any::<u64>(), vec(call(200), 0..40));
    let result = runner(200).run(&run, |(members, count, calls)| {
        check(kind, &members, Start { count, ..Start::default() }, calls);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Few bits, a count near the end of a lap or of the bits, a version near a wrap of the number or of its field; and few
/// bits hold few members, so that some do not fit.
fn near_a_wrap() -> impl Strategy<Value = Start> {
    (select(vec![2_u32, 3, 4, 5, 6, 28]), 0..4_u64, 0..12_u64, 0..4_u64, 0..40_u64).prop_map(
        |(count_bits, count_end, count_before, version_end, version_before)| {
            let count_end = [0, 1 << (count_bits - 1), 1 << count_bits, 1 << 32][count_end as usize];
            let version_end = [0, 1 << 32, 1 << (63 - count_bits), 1 << 63][version_end as usize];
            let (count, version) = (count_before.wrapping_neg(), version_before.wrapping_neg());
            Start { version: version.wrapping_add(version_end), count: count.wrapping_add(count_end), count_bits }
        },
    )
}

fn any_sequence_near_the_wraps(kind: Kind) {
    let run = (near_a_wrap(), vec((0..2_u64, 0..2_u64), 0..4), vec(call(6), 0..120));
    let result = runner(3000).run(&run, |(start, members, calls)| {
        check(kind, &members, start, calls);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}
