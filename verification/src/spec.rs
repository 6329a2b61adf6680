//! The specification: an ordered list and a cursor, one operation at a time.

use snapring::Start;
use todc_utils::Specification;

use crate::scenario::{Answer, Op, Probe, Scenario};

/// The exact ring.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ring {
    pub(crate) members: Vec<Probe>,
    pub(crate) due: usize,
}

impl Ring {
    /// As a scenario begins.
    pub fn of(scenario: &Scenario) -> Self {
        Self::new(scenario.members.clone(), scenario.start)
    }

    /// Of these members, after so many picks.
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        let due = start.count.checked_rem(members.len() as u64).unwrap_or(0) as usize;
        Self { members, due }
    }

    /// Does one operation.
    pub fn step(&mut self, op: &Op) -> Answer {
        match op {
            Op::Next => Answer::Picked(self.pick()),
            Op::Snapshot => Answer::Listed(self.members.clone()),
            Op::Register(member) => self.register(*member),
            Op::Deregister(id) => Answer::Removed(self.deregister(*id)),
            Op::Revoke(member) if !self.members.contains(member) => Answer::Removed(None),
            Op::Revoke(member) => Answer::Removed(self.deregister(member.id)),
            Op::ReplaceAll(members) => self.replace_all(members),
            Op::Renew | Op::Own(_) => Answer::Done,
        }
    }

    /// Who is there, in order.
    pub fn members(&self) -> &[Probe] {
        &self.members
    }

    /// Where this id is.
    pub fn position(&self, id: u8) -> Option<usize> {
        self.members.iter().position(|member| member.id == id)
    }

    /// One pick.
    pub fn pick(&mut self) -> Option<Probe> {
        let pick = *self.members.get(self.due)?;
        self.due = (self.due + 1) % self.members.len();
        Some(pick)
    }

    fn register(&mut self, member: Probe) -> Answer {
        match self.position(member.id) {
            None => {
                self.members.push(member);
                Answer::Added
            }
            Some(at) if self.members[at] == member => Answer::Unchanged,
            Some(at) => Answer::Replaced(std::mem::replace(&mut self.members[at], member)),
        }
    }

    fn deregister(&mut self, id: u8) -> Option<Probe> {
        let at = self.position(id)?;
        let removed = self.members.remove(at);
        if self.due > at {
            self.due -= 1;
        }
        if self.due >= self.members.len() {
            self.due = 0;
        }
        Some(removed)
    }

    fn replace_all(&mut self, given: &[Probe]) -> Answer {
        let wanted = last_of_each(given);
        let old = std::mem::take(&mut self.members);
        let find = |id: u8| wanted.iter().find(|member| member.id == id).copied();
        let mut due_ids = old[self.due.min(old.len())..].iter().chain(&old[..self.due]).map(|member| member.id);
        let due = due_ids.find(|id| find(*id).is_some());
        self.members = old.iter().filter_map(|member| find(member.id)).collect();
        let kept = self.members.iter().filter(|member| old.contains(member)).count();
        let replaced = self.members.len() - kept;
        let removed = old.len() - self.members.len();
        self.members.extend(wanted.iter().filter(|member| old.iter().all(|other| other.id != member.id)));
        self.due = due.and_then(|id| self.position(id)).unwrap_or(0);
        Answer::Changed([self.members.len() - kept - replaced, removed, replaced, kept])
    }
}

/// What a list with an id twice means: the id at its first place, with its last contents.
pub(crate) fn last_of_each(given: &[Probe]) -> Vec<Probe> {
    let mut wanted: Vec<Probe> = Vec::new();
    for member in given {
        match wanted.iter_mut().find(|other| other.id == member.id) {
            Some(other) => *other = *member,
            None => wanted.push(*member),
        }
    }
    wanted
}

/// A call, as the linearizability search sees it.
#[derive(Clone, Debug)]
pub enum Step<S> {
    /// The first one of every history: the registry comes into being.
    Begin(S),
    /// A thread's operation and, in the response, its answer.
    Call(usize, Op, Option<Answer>),
}

/// The specification of the exact ring, for the search.
#[derive(Debug)]
pub struct RingSpec;

impl Specification for RingSpec {
    type State = Ring;
    type Operation = Step<Ring>;

    fn init() -> Ring {
        Ring::default()
    }

    fn apply(step: &Step<Ring>, state: &Ring) -> (bool, Ring) {
        match step {
            Step::Begin(ring) => (true, ring.clone()),
            Step::Call(_, op, answer) => {
                let mut after = state.clone();
                let specified = after.step(op);
                (answer.as_ref() == Some(&specified), after)
            }
        }
    }
}
