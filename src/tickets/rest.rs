//! What is left of a lease, said so that it means the same in every later list.

use crate::Member;
use crate::chunks::Chunks;
use crate::list::Sequence;
use crate::orderings::{COUNT_TAKE, TICKET_PEEK};
use crate::platform::{AtomicU64, Mutex, Platform};

/// Turns that were taken and not delivered yet, over the members with a place below `bound`: whole rounds, and then from
/// one place up to another, cyclically. Members that leave take their turns with them; members that come have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rest {
    from: u64,
    rounds: u64,
    until: u64,
    bound: u64,
}

/// Turns over the positions of one list: `left` of them, from `at`, back to 0 at `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turns {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) left: u64,
}

impl Turns {
    /// As places, of the list that they are over.
    pub(super) fn rest<T: Member, P: Platform>(self, list: &Chunks<T, P>) -> Option<Rest> {
        if self.left == 0 {
            return None;
        }
        let (end, left) = (self.end as u64, self.left);
        let until = (self.at as u64 + left) % end;
        let bound = list.place(self.end - 1) + 1;
        Some(Rest { from: list.place(self.at), rounds: left / end, until: list.place(until as usize), bound })
    }
}

impl Turns {
    /// From one list to a later one.
    pub(super) fn carried<T: Member, P: Platform>(self, from: &Chunks<T, P>, to: &Chunks<T, P>) -> Self {
        // Places grow, and none is ever put between others: if the last of these members is where it was, so are all.
        if self.left > 0 && self.end <= to.len() && to.place(self.end - 1) == from.place(self.end - 1) {
            return self;
        }
        self.rest(from).map_or(Self::default(), |rest| rest.turns(to))
    }
}

impl Rest {
    /// As positions in a list, later than the one that it came from or the same.
    pub(super) fn turns<T: Member, P: Platform>(self, list: &Chunks<T, P>) -> Turns {
        let end = list.below(self.bound);
        let (from, until) = (list.below(self.from), list.below(self.until));
        let partial = if self.from <= self.until { until - from } else { end - from + until };
        let left = self.rounds * end as u64 + partial as u64;
        Turns { at: if from == end { 0 } else { from }, end, left }
    }
}

/// What dropped leases have left, for others to deliver: one lease for each request would otherwise serve the first
/// member only.
pub(super) struct Parked<P: Platform> {
    rests: P::Mutex<Vec<Rest>>,
    /// How many there are, to look at without the lock.
    count: P::AtomicU64,
}

impl<P: Platform> Parked<P> {
    pub(super) fn new() -> Self {
        Self { rests: P::Mutex::new(Vec::new()), count: P::AtomicU64::new(0) }
    }

    pub(super) fn put(&self, rest: Rest) {
        let mut rests = self.rests.lock();
        rests.push(rest);
        self.count.fetch_add(1, P::ordering(&COUNT_TAKE));
    }

    pub(super) fn take(&self) -> Option<Rest> {
        if self.count.load(P::ordering(&TICKET_PEEK)) == 0 {
            return None;
        }
        let mut rests = self.rests.lock();
        let rest = rests.pop()?;
        self.count.fetch_add(u64::MAX, P::ordering(&COUNT_TAKE));
        Some(rest)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::list::Origin;
    use crate::{Backend, Std};

    type Listed = Chunks<Backend, Std>;

    fn of(n: usize) -> Listed {
        let members = (0..n).map(|id| Arc::new(Backend::new(id.to_string(), ""))).collect();
        Listed::of(members, 0, Origin::NONE)
    }

    fn served(turns: Turns, list: &Listed) -> Vec<String> {
        let mut at = turns.at;
        (0..turns.left)
            .map(|_| {
                let id = list.get(at).unwrap().id().to_owned();
                at = if at + 1 == turns.end { 0 } else { at + 1 };
                id
            })
            .collect()
    }

    /// Every lease over small lists, every subset of members that leave, newcomers at the end.
    #[test]
    fn members_that_leave_take_their_turns_and_nobody_elses() {
        for n in 1..=5 {
            let list = of(n);
            for at in 0..n {
                for left in 1..=(2 * n as u64 + 1) {
                    let turns = Turns { at, end: n, left };
                    let rest = turns.rest(&list).unwrap();
                    let all = served(turns, &list);
                    for gone in 0..1u32 << n {
                        let mut later = list.appended(Arc::new(Backend::new("new", "")));
                        for id in (0..n).rev().filter(|id| gone >> id & 1 == 1) {
                            later = later.removed(id);
                        }
                        let expected: Vec<_> =
                            all.iter().filter(|id| gone >> id.parse::<u32>().unwrap() & 1 == 0).cloned().collect();
                        let turns = rest.turns(&later);
                        assert_eq!(served(turns, &later), expected, "n {n}, at {at}, left {left}, gone {gone:b}");
                        assert_eq!(
                            turns.rest(&later).map_or(Turns::default().left, |rest| rest.turns(&later).left),
                            turns.left
                        );
                    }
                }
            }
        }
    }
}
