//! The specification of a shuffled bag: nobody is picked twice before everybody was picked once, and nobody twice running
//! unless there is no other.

use std::collections::BTreeSet;

use snapring::Start;
use todc_utils::Specification;

use crate::scenario::{Answer, Op, Probe, Scenario};
use crate::spec::{Ring, Step};

/// A list, and who of it was picked in this round. Who leaves is forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bag {
    list: Ring,
    used: BTreeSet<u8>,
    last: Option<u8>,
}

impl Bag {
    /// As a scenario begins.
    pub fn of(scenario: &Scenario) -> Self {
        Self::new(scenario.members.clone(), scenario.start)
    }

    /// Of these members, in the first round.
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: Ring::new(members, start), used: BTreeSet::new(), last: None }
    }

    /// Does an operation; of those who may be picked, it picks the first.
    pub fn first(&mut self, op: &Op) -> Answer {
        let answer = match op {
            Op::Next => Answer::Picked(self.eligible().first().copied()),
            _ => self.list.clone().step(op),
        };
        self.step(op, &answer);
        answer
    }

    /// Who may be picked: those who were not yet; if there are none, a new round begins.
    fn eligible(&self) -> Vec<Probe> {
        let members = self.list.members();
        let begins = self.is_over();
        let was_last = |member: &Probe| members.len() > 1 && self.last == Some(member.id);
        let out = |member: &&Probe| if begins { was_last(member) } else { self.used.contains(&member.id) };
        members.iter().filter(|member| !out(member)).copied().collect()
    }

    fn is_over(&self) -> bool {
        self.list.members().iter().all(|member| self.used.contains(&member.id))
    }

    /// Whether an operation may have this answer; if so, it had.
    fn step(&mut self, op: &Op, answer: &Answer) -> bool {
        let (Op::Next, Answer::Picked(pick)) = (op, answer) else {
            let right = self.list.step(op) == *answer;
            self.used.retain(|id| self.list.position(*id).is_some());
            return right;
        };
        let eligible = self.eligible();
        match pick {
            Some(pick) => {
                if self.is_over() {
                    self.used.clear();
                }
                self.used.insert(pick.id);
                self.last = Some(pick.id);
                eligible.contains(pick)
            }
            None => eligible.is_empty(),
        }
    }
}

/// The specification of the bag, for the search.
#[derive(Debug)]
pub struct BagSpec;

impl Specification for BagSpec {
    type State = Bag;
    type Operation = Step<Bag>;

    fn init() -> Bag {
        Bag::default()
    }

    fn apply(step: &Step<Bag>, state: &Bag) -> (bool, Bag) {
        match step {
            Step::Begin(bag) => (true, bag.clone()),
            Step::Call(_, op, answer) => {
                let mut after = state.clone();
                let right = answer.as_ref().is_some_and(|answer| after.step(op, answer));
                (right, after)
            }
        }
    }
}
