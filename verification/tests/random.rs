//! Long random sequences of operations by one thread, with several handles, against the specifications.
//!
//! One thread, so every answer is determined (of leases: one of a few); what is random is what happens, in lists and
//! counters of every size. A failing sequence is shrunk to a short one.

use proptest::prelude::*;
use snapring::{Start, Std};
use snapring_verification::bag::{Bag, BagSpec};
use snapring_verification::leases::{LeaseSpec, Leases};
use snapring_verification::rule::Rule;
use snapring_verification::spec::{Ring, RingSpec, Step};
use snapring_verification::subject::suits;
use snapring_verification::{Maker, Op, Probe, Scenario, Subject, for_each_registry, for_each_strategy};
use todc_utils::Specification;

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

/// A scenario whose threads are the handles: who does what, one after the other.
fn scenario() -> impl Strategy<Value = (Scenario, Vec<(usize, Op)>)> {
    let members = prop::collection::btree_set(0..6u8, 0..5);
    (members, start(), prop::collection::vec((0..HANDLES, op()), 1..80)).prop_map(|(members, start, ops)| {
        let members: Vec<u8> = members.into_iter().collect();
        let scenario = Scenario { start, ..Scenario::new("random", &members, &[]) };
        (scenario, ops)
    })
}

fn check<S: Subject>(make: Maker<S>, scenario: &Scenario, ops: &[(usize, Op)]) -> Result<(), TestCaseError> {
    let ring = Ring::of(scenario);
    match S::RULE {
        Rule::Ring => follow::<S, RingSpec, _>(make, scenario, ops, ring),
        Rule::Leases(size) => {
            follow::<S, LeaseSpec, _>(make, scenario, ops, Leases::new(&ring, scenario.start.count, size))
        }
        Rule::Bag => follow::<S, BagSpec, _>(make, scenario, ops, Bag::of(scenario)),
        rule => panic!("{rule:?} is not a specification that can be followed"),
    }
}

/// Every answer is one that the specification allows after those before.
fn follow<S: Subject, A: Specification<Operation = Step<B>>, B>(
    make: Maker<S>,
    scenario: &Scenario,
    ops: &[(usize, Op)],
    begin: B,
) -> Result<(), TestCaseError> {
    let subject = make(scenario.members.clone(), scenario.start);
    let mut locals: Vec<_> = (0..HANDLES).map(|_| subject.local()).collect();
    let mut state = A::apply(&Step::Begin(begin), &A::init()).1;
    for (at, (thread, op)) in ops.iter().enumerate() {
        let answer = subject.call(op, &mut locals[*thread]);
        let (explained, after) = A::apply(&Step::Call(*thread, op.clone(), Some(answer.clone())), &state);
        prop_assert!(explained, "operation {at}, {op:?} by handle {thread}, answered {answer:?}");
        state = after;
    }
    Ok(())
}

macro_rules! random {
    ($name:literal, $make:expr) => {
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 2_000,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        let suitable = |ops: &[(usize, Op)]| -> Vec<(usize, Op)> {
            let suits = |op: &Op| suits(&Scenario::new("", &[], &[std::slice::from_ref(op)]), $make);
            ops.iter().filter(|(_, op)| suits(op)).cloned().collect()
        };
        if let Err(failure) = runner.run(&scenario(), |(scenario, ops)| check($make, &scenario, &suitable(&ops))) {
            panic!("{}: {failure}", $name);
        }
    };
}

#[test]
fn answers_are_as_specified() {
    for_each_registry!(random, Std);
    for_each_strategy!(random, Std);
}
