//! One version of the list, and the account of its tickets.

use std::sync::Arc;

use crate::chunks::Chunks;
use crate::list::Sequence;
use crate::orderings::{END_READ, END_TELL, OVER_READ, OVER_TELL, SERVED_READ, SERVED_TELL, TICKET_PEEK};
use crate::platform::{AtomicU64, Platform};
use crate::registry::rotation::{Lap, Step};
use crate::ring::{Layout, Padded};
use crate::{Member, Start};

pub(super) struct Version<T: Member, P: Platform> {
    /// Counts versions without ever wrapping: what a handle says which version its count is of.
    pub(super) id: u64,
    /// The version's bits, at their place in the word.
    pub(super) tag: u64,
    /// Tickets from `tag` up to here, exclusively, need nothing special.
    pub(super) plain: u64,
    pub(super) lap: Lap,
    pub(super) list: P::Arc<Chunks<T, P>>,
    /// How this list came from the one before it.
    step: Step,
    began: Began<P>,
    /// 1 once a successor is on its way. What a lease looks at before each pick.
    over: P::AtomicU64,
    /// 1 + the count at which the word moved on; 0 while it has not, or is not known to have.
    ended: Arc<P::AtomicU64>,
    account: Padded<Account<P>>,
}

/// What picks write, away from what they read.
struct Account<P: Platform> {
    /// Laps that were taken out of the count; at times one too many.
    laps: P::AtomicU64,
    /// Tickets served by picks without a handle, and by handles that have moved on.
    served: P::AtomicU64,
}

/// Where the count began.
enum Began<P: Platform> {
    At(u64),
    /// Where the predecessor, with this lap, ended.
    After(Arc<P::AtomicU64>, Lap),
}

impl<T: Member, P: Platform> Version<T, P> {
    pub(super) fn first(list: P::Arc<Chunks<T, P>>, start: Start) -> Self {
        let lap = Lap::new(list.len(), start);
        Self::new(0, list, Step::Append, Began::At(start.count % lap.end()), start)
    }

    pub(super) fn after(&self, list: P::Arc<Chunks<T, P>>, step: Step, start: Start) -> Self {
        Self::new(self.id + 1, list, step, Began::After(self.ended.clone(), self.lap), start)
    }

    fn new(id: u64, list: P::Arc<Chunks<T, P>>, step: Step, began: Began<P>, start: Start) -> Self {
        let lap = Lap::new(list.len(), start);
        Self {
            id,
            tag: Layout::of(start).of_version(list.version()),
            plain: if lap.n() == 0 { 0 } else { lap.end() },
            lap,
            list,
            step,
            began,
            over: P::AtomicU64::new(0),
            ended: Arc::new(P::AtomicU64::new(0)),
            account: Padded(Account { laps: P::AtomicU64::new(0), served: P::AtomicU64::new(0) }),
        }
    }

    /// Whose turn a count is.
    #[inline]
    pub(super) fn pick(&self, count: u64) -> Option<&Arc<T>> {
        self.lap.position(count).and_then(|position| self.list.get(position))
    }

    /// Where the cursor of the version before goes.
    pub(super) fn carry(&self, before: &Self, count: u64) -> u64 {
        Self::carried(&self.step, before.lap, count)
    }

    fn carried(step: &Step, lap: Lap, count: u64) -> u64 {
        step.carry(lap.n(), lap.position(count).unwrap_or(0) as u64)
    }

    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.over.load(P::ordering(&OVER_READ)) != 0
    }

    pub(super) fn set_over(&self) {
        self.over.store(1, P::ordering(&OVER_TELL));
    }

    pub(super) fn set_end(&self, count: u64) {
        self.ended.store(count + 1, P::ordering(&END_TELL));
    }

    /// Before a lap is taken out, so that the account is never too small.
    pub(super) fn add_lap(&self) {
        self.account.0.laps.fetch_add(1, P::ordering(&TICKET_PEEK));
    }

    /// It was not taken out after all.
    pub(super) fn undo_lap(&self) {
        self.account.0.laps.fetch_add(u64::MAX, P::ordering(&TICKET_PEEK));
    }

    /// Adds to the tickets served.
    pub(super) fn add_served(&self, tickets: u64) {
        self.account.0.served.fetch_add(tickets, P::ordering(&SERVED_TELL));
    }

    /// Those served by nobody's line. Read before the lines are: a handle that moves on adds here what its line said.
    pub(super) fn served(&self) -> u64 {
        self.account.0.served.load(P::ordering(&SERVED_READ))
    }

    /// How many tickets there were, once that is known.
    pub(super) fn issued(&self) -> Option<u64> {
        let end = ended::<P>(&self.ended)?;
        let began = match &self.began {
            Began::At(count) => *count,
            Began::After(ended_at, lap) => Self::carried(&self.step, *lap, ended::<P>(ended_at)?),
        };
        let laps = self.account.0.laps.load(P::ordering(&TICKET_PEEK));
        Some(end.wrapping_sub(began).wrapping_add(laps.wrapping_mul(self.lap.end())))
    }
}

fn ended<P: Platform>(ended: &P::AtomicU64) -> Option<u64> {
    ended.load(P::ordering(&END_READ)).checked_sub(1)
}
