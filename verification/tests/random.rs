//! Long random sequences of operations by one thread with several handles answer as specified.
//!
//! What is random is what happens, in lists and counters of every size. A failing sequence is shrunk to a short one.

use proptest::prelude::*;
use snapring::{Start, Std};
use snapring_verification::sequence::{Ops, follow};
use snapring_verification::{Op, Probe, Scenario, for_each_registry, for_each_strategy};

/// How many handles there are.
const HANDLES: usize = 3;

fn probe() -> impl Strategy<Value = Probe> {
    (0..6u8, 0..2u8).prop_map(|(id, contents)| Probe { id, contents })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => Just(Op::Next),
        3 => probe().prop_map(Op::Register),
        3 => (0..6u8).prop_map(Op::Deregister),
        1 => prop::collection::vec(probe(), 0..8).prop_map(Op::ReplaceAll),
        1 => Just(Op::Snapshot),
        2 => Just(Op::Renew),
    ]
}

fn start() -> impl Strategy<Value = Start> {
    let version = prop_oneof![Just(0), Just(u64::MAX - 3), Just((1 << 35) - 2), any::<u64>()];
    let count_bits = prop_oneof![4..7u32, Just(28)];
    (version, 0..200u64, count_bits).prop_map(|(version, count, count_bits)| Start { version, count, count_bits })
}

fn sequence() -> impl Strategy<Value = (Scenario, Ops)> {
    let members = prop::collection::btree_set(0..6u8, 0..5);
    (members, start(), prop::collection::vec((0..HANDLES, op()), 1..80)).prop_map(|(members, start, ops)| {
        let members: Vec<u8> = members.into_iter().collect();
        let scenario = Scenario { start, ..Scenario::new("random", &members, &[]) };
        (scenario, ops)
    })
}

macro_rules! random {
    ($name:literal, $make:expr) => {
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 2_000,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        let followed =
            runner.run(&sequence(), |(scenario, ops)| follow($make, &scenario, &ops).map_err(TestCaseError::fail));
        if let Err(failure) = followed {
            panic!("{}: {failure}", $name);
        }
    };
}

#[test]
fn answers_are_as_specified() {
    for_each_registry!(random, Std);
    for_each_strategy!(random, Std);
}
