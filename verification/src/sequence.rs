//! A sequence of operations by one thread, with several handles: every answer is determined (of leases: one of a few).

use todc_utils::Specification;

use crate::bag::{Bag, BagSpec};
use crate::leases::{LeaseSpec, Leases};
use crate::rule::Rule;
use crate::spec::{Ring, RingSpec, Step};
use crate::{Maker, Op, Scenario, Subject};

/// What is done, and by which handle.
pub type Ops = Vec<(usize, Op)>;

/// Does it, beginning with the members and counters of the scenario, and compares each answer with the specification.
/// Operations that the subject does not have are left out.
///
/// # Errors
///
/// The first answer that the specification does not allow after those before.
pub fn follow<S: Subject>(make: Maker<S>, scenario: &Scenario, ops: &[(usize, Op)]) -> Result<(), String> {
    let ring = Ring::of(scenario);
    match S::RULE {
        Rule::Ring => compare::<S, RingSpec, _>(make, scenario, ops, ring),
        Rule::Leases(size) => {
            compare::<S, LeaseSpec, _>(make, scenario, ops, Leases::new(&ring, scenario.start.count, size))
        }
        Rule::Bag => compare::<S, BagSpec, _>(make, scenario, ops, Bag::of(scenario)),
        rule => panic!("{rule:?} is not a specification that can be followed"),
    }
}

fn compare<S: Subject, A: Specification<Operation = Step<B>>, B>(
    make: Maker<S>,
    scenario: &Scenario,
    ops: &[(usize, Op)],
    begin: B,
) -> Result<(), String> {
    let subject = make(scenario.members.clone(), scenario.start);
    let handles = ops.iter().map(|(handle, _)| handle + 1).max().unwrap_or(0);
    let mut locals: Vec<_> = (0..handles).map(|_| subject.local()).collect();
    let mut state = A::apply(&Step::Begin(begin), &A::init()).1;
    for (at, (handle, op)) in ops.iter().enumerate().filter(|(_, (_, op))| S::can(op)) {
        let answer = subject.call(op, &mut locals[*handle]);
        let (explained, after) = A::apply(&Step::Call(*handle, op.clone(), Some(answer.clone())), &state);
        if !explained {
            return Err(format!("operation {at}, {op:?} by handle {handle}, answered {answer:?}"));
        }
        state = after;
    }
    Ok(())
}
