//! [`RwLockRegistry`]: a reader-writer lock around the list, and a count that readers share.

use std::sync::Arc;

use super::registry;
use super::rotation::{Lap, Rotation, Step};
use crate::list::List;
use crate::orderings::{COUNT_TAKE, TICKET_FOLD, TICKET_PEEK};
use crate::platform::{AtomicU64, Platform, RwLock};
use crate::{Member, NoBackends, Snapshot, Start};

registry! {
    /// What many services use: a reader-writer lock. Picks share the lock and count on one atomic.
    ///
    /// **Publication.** A change takes the lock exclusively, swaps the list and carries the count over, so a pick's
    /// count always belongs to the list that it sees.
    ///
    /// **Reclamation.** Reference counts, as with [`MutexRegistry`](crate::MutexRegistry).
    ///
    /// **Orderings.** The lock's; the count needs atomicity only.
    ///
    /// **Progress.** Blocking: picks run side by side but wait for a change, for the few instructions of the swap. How
    /// soon a change gets its turn among many picks is up to the standard library's lock: with more busy threads than
    /// cores we measured a few hundred changes a second where the others make a hundred thousand. The lock is never held
    /// while user code runs, so a pick inside a pick (a strategy that asks the registry) cannot deadlock on it.
    RwLockRegistry<T, P> over SharedTurns<T, P>
}

pub(crate) struct SharedTurns<T: Member, P: Platform> {
    state: P::RwLock<State<T, P>>,
    start: Start,
}

pub(crate) struct State<T: Member, P: Platform> {
    list: P::Arc<List<T, P>>,
    lap: Lap,
    count: P::AtomicU64,
}

impl<T: Member, P: Platform> State<T, P> {
    fn new(list: P::Arc<List<T, P>>, count: u64, start: Start) -> Self {
        let lap = Lap::new(list.members().len(), start);
        Self { list, lap, count: P::AtomicU64::new(count) }
    }

    /// Takes whole laps out of the count. A later pick may have done it already.
    #[cold]
    fn fold(&self) {
        let mut count = self.count.load(P::ordering(&TICKET_PEEK));
        while count >= self.lap.end() {
            let folded = count - self.lap.end();
            match self.count.compare_exchange(count, folded, P::ordering(&TICKET_FOLD), P::ordering(&TICKET_PEEK)) {
                Ok(_) => return,
                Err(now) => count = now,
            }
        }
    }
}

impl<T: Member, P: Platform> Rotation<T, P> for SharedTurns<T, P> {
    type List = List<T, P>;
    type Writer = ();
    type Retired = State<T, P>;

    fn new(first: P::Arc<List<T, P>>, start: Start) -> (Self, ()) {
        let count = start.count % Lap::new(first.members().len(), start).end();
        (Self { state: P::RwLock::new(State::new(first, count, start)), start }, ())
    }

    #[inline]
    fn next(&self) -> Result<Arc<T>, NoBackends> {
        let state = self.state.read();
        if state.lap.n() == 0 {
            return Err(NoBackends);
        }
        let count = state.count.fetch_add(1, P::ordering(&COUNT_TAKE));
        if count >= state.lap.end() {
            state.fold();
        }
        state.lap.position(count).map(|position| state.list.members()[position].clone()).ok_or(NoBackends)
    }

    fn current(&self) -> Snapshot<T, P> {
        Snapshot::from_list(self.state.read().list.clone())
    }

    fn publish(&self, _writer: &mut (), next: P::Arc<List<T, P>>, step: Step) -> Self::Retired {
        let mut state = self.state.write();
        let count = state.count.load(P::ordering(&TICKET_PEEK));
        let due = state.lap.position(count).unwrap_or(0) as u64;
        let count = step.carry(state.lap.n(), due);
        std::mem::replace(&mut *state, State::new(next, count, self.start))
    }
}
