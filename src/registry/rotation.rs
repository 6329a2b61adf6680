//! [`Rotation`]: the part of a registry that pickers touch.

use std::sync::Arc;

use crate::list::Sequence;
use crate::platform::Platform;
use crate::{Member, NoBackends, Snapshot, Start};

/// How a list is published to pickers, and how they take turns over it.
pub(crate) trait Rotation<T: Member, P: Platform>: Send + Sync + Sized + 'static {
    /// What kind of list it publishes.
    type List: Sequence<T>;
    /// What only writers touch. It lives under the writers' lock.
    type Writer: Send + 'static;
    /// What a publication left over. Dropped after the writers' lock is released, since members' `Drop` may run.
    type Retired;

    /// A rotation that begins with this list.
    fn new(first: P::Arc<Self::List>, start: Start) -> (Self, Self::Writer);

    /// One pick.
    fn next(&self) -> Result<Arc<T>, NoBackends>;

    /// The list that picks are made from.
    fn current(&self) -> Snapshot<T, P>;

    /// Replaces the list and carries the cursor over. Called under the writers' lock.
    fn publish(&self, writer: &mut Self::Writer, next: P::Arc<Self::List>, step: Step) -> Self::Retired;

    /// Lets go of what a publication retired, outside the lock. Says whether a [`sweep`](Self::sweep) is worth it.
    fn settle(&self, retired: Self::Retired) -> bool {
        drop(retired);
        false
    }

    /// Lets a sweep find more, without a publication. Called outside the lock.
    fn reclaim(&self) {}

    /// Collects what is free now. Called under the writers' lock; the result is dropped after it.
    fn sweep(&self, _writer: &mut Self::Writer) -> Option<Self::Retired> {
        None
    }
}

/// How a list came from the one before it, as far as the cursor is concerned.
#[derive(Debug)]
pub(crate) enum Step {
    /// No position changed: appended to the end, or replaced in place.
    Append,
    /// The member at this position left.
    Remove(u64),
    /// For each old position, where the member due there, or its first surviving successor, is now.
    Remap(Box<[u32]>),
}

impl Step {
    /// Where the cursor goes that was at `due` in a list of `n`.
    pub(crate) fn carry(&self, n: u64, due: u64) -> u64 {
        if n == 0 {
            return 0; // from empty, the first of the new ones is due
        }
        match self {
            Self::Append => due,
            Self::Remove(gap) => {
                let due = if due > *gap { due - 1 } else { due }; // at the gap, the successor slides in
                if due == n - 1 { 0 } else { due } // the last one left while it was due
            }
            Self::Remap(to) => u64::from(to[due as usize]),
        }
    }
}

/// Counts picks over a list of `n` in laps: a count that has reached the lap may be reduced by it without moving the
/// rotation, since the lap is a multiple of `n`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lap {
    n: u64,
    lap: u64,
}

impl Lap {
    /// The longest lap for a list of `n` that fits the start's bits.
    pub(crate) fn new(n: usize, start: Start) -> Self {
        let (n, most) = (n as u64, start.capacity() as u64);
        Self { n, lap: most.checked_div(n).map_or(most, |rounds| rounds * n) }
    }

    pub(crate) fn n(self) -> u64 {
        self.n
    }

    /// Counts from here on should be reduced.
    pub(crate) fn end(self) -> u64 {
        self.lap
    }

    /// Whose turn a count is; `None` in an empty list.
    #[inline]
    pub(crate) fn position(self, count: u64) -> Option<usize> {
        // Counts fit 29 bits, and a 32-bit division is much faster.
        (count as u32).checked_rem(self.n as u32).map(|position| position as usize)
    }
}

/// A count and its position, from which that of a count nearby follows without a division. A division behind a locked
/// instruction takes half as long again as the instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    count: u64,
    position: u64,
}

impl Mark {
    /// Goes to another count of the same list, later or (by at most a lap) earlier. [`Lap::position`] of it.
    #[inline]
    pub(crate) fn advance(&mut self, count: u64, lap: Lap) -> Option<usize> {
        let mut position = self.position.wrapping_add(count.wrapping_sub(self.count));
        if position >= lap.n {
            position = if position - lap.n < lap.n { position - lap.n } else { lap.position(count)? as u64 };
        }
        *self = Self { count, position };
        Some(position as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_follows_any_counts() {
        for n in [1, 2, 3, 7] {
            let lap = Lap::new(n, Start { count_bits: 6, ..Start::default() });
            let mut mark = Mark::default();
            for from in 0..lap.end() + 3 {
                for to in 0..lap.end() + 3 {
                    assert_eq!(mark.advance(from, lap), lap.position(from));
                    assert_eq!(mark.advance(to, lap), lap.position(to), "n {n}, from {from} to {to}");
                }
            }
        }
        assert_eq!(Mark::default().advance(5, Lap::new(0, Start::default())), None);
    }

    #[test]
    fn a_gap_closes_around_the_cursor() {
        let carry = |n, gap, due| Step::Remove(gap).carry(n, due);
        assert_eq!(carry(3, 0, 2), 1, "before the cursor: everybody slides");
        assert_eq!(carry(3, 1, 1), 1, "at the cursor: the successor is due");
        assert_eq!(carry(3, 2, 2), 0, "the last, due: the first is due");
        assert_eq!(carry(3, 2, 1), 1, "behind the cursor: nothing");
        assert_eq!(carry(1, 0, 0), 0, "the only one");
    }

    #[test]
    fn every_position_is_reached_across_the_end_of_a_lap() {
        for n in [1, 2, 3, 5, 7, 8] {
            let lap = Lap::new(n, Start { count_bits: 5, ..Start::default() });
            let mut count = lap.end() - 1;
            let expected: Vec<_> = (0..2 * n).map(|i| (n - 1 + i) % n).collect();
            let seen: Vec<_> = (0..2 * n)
                .map(|_| {
                    let position = lap.position(count).unwrap();
                    count += 1;
                    if count >= lap.end() {
                        count -= lap.end();
                    }
                    position
                })
                .collect();
            assert_eq!(seen, expected, "n = {n}");
        }
    }
}
