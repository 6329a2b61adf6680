//! [`MutexRegistry`]: one lock around the list and the cursor.

use std::sync::Arc;

use super::registry;
use super::rotation::{Rotation, Step};
use crate::list::List;
use crate::platform::{Mutex, Platform};
use crate::{Member, NoBackends, Snapshot, Start};

registry! {
    /// The simplest registry: a mutex around the list and the cursor. The yardstick for the others.
    ///
    /// **Publication.** The list is an immutable value behind a reference count; a change swaps it under the lock and
    /// carries the cursor over.
    ///
    /// **Reclamation.** Reference counts. The old list is dropped by the change that replaced it, or by the last
    /// holder of a snapshot. A call stalled inside `next` or `snapshot` holds the lock, not a list.
    ///
    /// **Orderings.** The lock's.
    ///
    /// **Progress.** Blocking: `next` and `snapshot` wait for one another, for a few instructions each. Changes copy
    /// the list outside of this lock.
    MutexRegistry<T, P> over Turns<T, P>
}

pub(crate) struct Turns<T: Member, P: Platform> {
    state: P::Mutex<State<T, P>>,
}

struct State<T: Member, P: Platform> {
    list: P::Arc<List<T, P>>,
    due: usize,
}

impl<T: Member, P: Platform> Rotation<T, P> for Turns<T, P> {
    type List = List<T, P>;
    type Writer = ();
    type Retired = P::Arc<List<T, P>>;

    fn new(first: P::Arc<List<T, P>>, start: Start) -> (Self, ()) {
        let due = (start.count as usize).checked_rem(first.members().len()).unwrap_or(0);
        (Self { state: P::Mutex::new(State { list: first, due }) }, ())
    }

    #[inline]
    fn next(&self) -> Result<Arc<T>, NoBackends> {
        let mut state = self.state.lock();
        let members = state.list.members();
        let pick = members.get(state.due).cloned().ok_or(NoBackends)?;
        state.due = if state.due + 1 == members.len() { 0 } else { state.due + 1 };
        Ok(pick)
    }

    fn current(&self) -> Snapshot<T, P> {
        Snapshot::from_list(self.state.lock().list.clone())
    }

    fn publish(&self, _writer: &mut (), next: P::Arc<List<T, P>>, step: Step) -> Self::Retired {
        let mut state = self.state.lock();
        state.due = step.carry(state.list.members().len() as u64, state.due as u64) as usize;
        std::mem::replace(&mut state.list, next)
    }
}
