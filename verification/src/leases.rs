//! The specification of leased handles: turns of the exact ring, taken several at once and delivered later.

use std::collections::{BTreeMap, BTreeSet};

use todc_utils::Specification;

use crate::scenario::{Answer, Op, Probe};
use crate::spec::{Ring, Step, last_of_each};

/// A ring, and the turns that were taken out of it.
///
/// A turn belongs to a member's *stay*: from its registration, through replacements in place, to its removal. The ring
/// is over stays; their numbers are the ids, so that a member that comes back is somebody else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Leases {
    size: usize,
    ring: Ring,
    /// Who each stay is, as it is now.
    stays: BTreeMap<u8, Probe>,
    begun: u8,
    /// Turns not delivered yet, by thread.
    taken: BTreeMap<usize, Vec<u8>>,
    /// Turns that dropped handles have left.
    parked: Vec<Vec<u8>>,
}

impl Leases {
    /// A ring without leases, whose handles take up to this many turns at a time.
    pub fn new(ring: &Ring, due: u64, size: usize) -> Self {
        let mut leases = Self { size, ..Self::default() };
        for member in ring.members() {
            leases.begin(*member);
        }
        for _ in 0..due.checked_rem(ring.members().len() as u64).unwrap_or(0) {
            leases.ring.pick();
        }
        leases
    }

    fn begin(&mut self, member: Probe) {
        self.stays.insert(self.begun, member);
        self.ring.step(&Op::Register(self.begun.into()));
        self.begun += 1;
    }

    fn stay_of(&self, id: u8) -> Option<u8> {
        self.stays.iter().find(|(_, member)| member.id == id).map(|(stay, _)| *stay)
    }

    /// Every way in which an operation may go, with its answer.
    fn step(mut self, thread: usize, op: &Op) -> Vec<(Answer, Self)> {
        let answer = match op {
            Op::Next => return self.next(thread),
            Op::Snapshot => Answer::Listed(self.stays.values().copied().collect()),
            Op::Register(member) => self.register(*member),
            Op::Deregister(id) => Answer::Removed(self.stay_of(*id).and_then(|stay| self.end(stay))),
            Op::Revoke(member) => {
                let stay = self.stay_of(member.id).filter(|stay| self.stays[stay] == *member);
                Answer::Removed(stay.and_then(|stay| self.end(stay)))
            }
            Op::ReplaceAll(members) => self.replace_all(members),
            Op::Own(_) => Answer::Done,
            Op::Renew => {
                let rest = self.taken.remove(&thread).unwrap_or_default();
                if !rest.is_empty() {
                    self.parked.push(rest);
                }
                Answer::Done
            }
        };
        vec![(answer, self)]
    }

    fn register(&mut self, member: Probe) -> Answer {
        match self.stay_of(member.id) {
            None => {
                self.begin(member);
                Answer::Added
            }
            Some(stay) if self.stays[&stay] == member => Answer::Unchanged,
            Some(stay) => Answer::Replaced(self.stays.insert(stay, member).expect("it is there")),
        }
    }

    /// Who is not wanted leaves, and then all that are wanted register, as one step. What that does to the cursor is what
    /// the ring says of each.
    fn replace_all(&mut self, given: &[Probe]) -> Answer {
        let wanted = last_of_each(given);
        let [mut added, mut removed, mut replaced, mut unchanged] = [0; 4];
        let gone = |member: &Probe| wanted.iter().all(|other| other.id != member.id);
        let leaving: Vec<u8> = self.stays.iter().filter(|(_, member)| gone(member)).map(|(stay, _)| *stay).collect();
        for stay in leaving {
            self.end(stay);
            removed += 1;
        }
        for member in wanted {
            match self.register(member) {
                Answer::Added => added += 1,
                Answer::Unchanged => unchanged += 1,
                _ => replaced += 1,
            }
        }
        Answer::Changed([added, removed, replaced, unchanged])
    }

    fn end(&mut self, stay: u8) -> Option<Probe> {
        self.ring.step(&Op::Deregister(stay));
        let gone = |turns: &mut Vec<u8>| turns.retain(|turn| *turn != stay);
        self.taken.values_mut().for_each(gone);
        self.parked.iter_mut().for_each(gone);
        self.stays.remove(&stay)
    }

    /// The thread's own turn, if it has one; else it takes over what somebody left, or a new lease.
    fn next(mut self, thread: usize) -> Vec<(Answer, Self)> {
        let turns = self.taken.entry(thread).or_default();
        if !turns.is_empty() {
            let pick = self.stays[&turns.remove(0)];
            return vec![(Answer::Picked(Some(pick)), self)];
        }
        let mut ways = Vec::new();
        for at in 0..self.parked.len() {
            let mut way = self.clone();
            let turns = way.parked.remove(at);
            way.taken.insert(thread, turns);
            ways.extend(way.next(thread));
        }
        if self.stays.is_empty() {
            ways.push((Answer::Picked(None), self));
            return ways;
        }
        // How many at a time is up to the handle, which may know an older list than the one its turns are of.
        for size in 1..=self.size {
            let mut way = self.clone();
            let lease = (0..size).filter_map(|_| way.ring.pick()).map(|stay| stay.id).collect();
            way.taken.insert(thread, lease);
            ways.extend(way.next(thread));
        }
        ways
    }
}

/// The specification of leased handles, for the search. It is not deterministic, so the state is a set: all that may be
/// the case after the answers so far.
#[derive(Debug)]
pub struct LeaseSpec;

impl Specification for LeaseSpec {
    type State = BTreeSet<Leases>;
    type Operation = Step<Leases>;

    fn init() -> Self::State {
        BTreeSet::from([Leases::default()])
    }

    fn apply(step: &Step<Leases>, state: &Self::State) -> (bool, Self::State) {
        match step {
            Step::Begin(leases) => (true, BTreeSet::from([leases.clone()])),
            Step::Call(thread, op, answer) => {
                let ways = state.iter().flat_map(|leases| leases.clone().step(*thread, op));
                let after: Self::State = ways
                    .filter(|(specified, _)| answer.as_ref() == Some(specified))
                    .map(|(_, leases)| leases)
                    .collect();
                (!after.is_empty(), after)
            }
        }
    }
}
