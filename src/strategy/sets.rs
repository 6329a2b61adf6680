//! What a strategy with a memory remembers: a place for each set of candidates that it is used with.
//!
//! A strategy is handed lists. Most often they are the versions of one registry's list, but one strategy may serve
//! several registries, or several parts of a fleet in turn. Lists of one registry are of one **candidate set** if both
//! are whole, or if they have a member in common; a set that is used must not disturb another.

use std::sync::Arc;

use crate::platform::{Mutex, Platform};
use crate::{Member, NoBackends, Snapshot};

/// How many sets one strategy tells apart. The one that was used longest ago is forgotten.
const REMEMBERED: usize = 16;

/// Where a strategy is in one candidate set.
pub(super) trait Place<T: Member, P: Platform>: Clone + Send + 'static {
    /// What all places of a strategy share: its source of chance, if it has one.
    type Chance: Send + 'static;

    /// Whether it is a place in this very list. Runs no code of the user.
    fn is_in(&self, nodes: &Snapshot<T, P>) -> bool;

    /// Whether nobody has moved it since `seen` was copied from it. Runs no code of the user.
    fn is_still(&self, seen: &Self) -> bool;

    /// The version of its list.
    fn version(&self) -> u64;

    /// Whether a list is of the same set.
    fn is_kin_of(&self, nodes: &Snapshot<T, P>) -> bool;

    /// One pick: its position in the list, which is not empty; `None` if nobody is eligible. Runs no code of the user.
    fn step(&mut self, chance: &mut Self::Chance) -> Option<usize>;
}

/// The places of a strategy.
///
/// The lock is held for a step, O(1), and never while code of the user runs: another list is thought about without it,
/// and again if somebody else has moved the place meanwhile.
pub(super) struct Sets<P: Platform, S: Send + 'static, C: Send + 'static>(P::Mutex<State<S, C>>);

struct State<S, C> {
    /// The most recently used first.
    places: Vec<S>,
    /// Grows whenever a list is remembered.
    edition: u64,
    chance: C,
}

impl<P: Platform, S: Send + 'static, C: Send + 'static> Sets<P, S, C> {
    pub(super) fn new(chance: C) -> Self {
        Self(P::Mutex::new(State { places: Vec::new(), edition: 0, chance }))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.lock().places.len()
    }

    /// A pick from this list. `carry` makes the place in it, from that in another list of the set, if there is one.
    pub(super) fn route<T: Member>(
        &self,
        nodes: &Snapshot<T, P>,
        carry: impl Fn(Option<&S>, &Snapshot<T, P>) -> S,
    ) -> Result<Arc<T>, NoBackends>
    where
        S: Place<T, P, Chance = C>,
    {
        self.route_from(|| nodes.clone(), false, carry)
    }

    /// A pick from the current list: never from an older one than somebody has picked from already.
    ///
    /// So the picks happen, in the order of the lock, from lists that never get older, which is what makes registry and
    /// strategy together linearizable (as far as the registry's snapshots are, see
    /// [`Registry::snapshot`](crate::Registry::snapshot)): a pick takes effect when it takes the lock, or, if its list has
    /// been replaced by then, just before that happened. One that finds nobody takes effect when it looks.
    pub(super) fn route_latest<T: Member>(
        &self,
        latest: impl Fn() -> Snapshot<T, P>,
        carry: impl Fn(Option<&S>, &Snapshot<T, P>) -> S,
    ) -> Result<Arc<T>, NoBackends>
    where
        S: Place<T, P, Chance = C>,
    {
        self.route_from(latest, true, carry)
    }

    fn route_from<T: Member>(
        &self,
        list: impl Fn() -> Snapshot<T, P>,
        latest: bool,
        carry: impl Fn(Option<&S>, &Snapshot<T, P>) -> S,
    ) -> Result<Arc<T>, NoBackends>
    where
        S: Place<T, P, Chance = C>,
    {
        loop {
            let nodes = list();
            if nodes.is_empty() {
                return Err(NoBackends);
            }
            let (places, edition) = match self.step(&nodes) {
                Ok(picked) => return member(nodes, picked),
                Err(remembered) => remembered,
            };
            let from = places.iter().find(|place| place.is_kin_of(&nodes));
            if latest && from.is_some_and(|place| nodes.is_older_than(place.version())) {
                continue;
            }
            if let Some(picked) = self.commit(edition, from, carry(from, &nodes)) {
                drop(places);
                return member(nodes, picked);
            }
        }
    }

    /// A list that we know: one step. Another: all that we remember, to think about without the lock.
    fn step<T: Member>(&self, nodes: &Snapshot<T, P>) -> Result<Option<usize>, (Vec<S>, u64)>
    where
        S: Place<T, P, Chance = C>,
    {
        let mut state = self.0.lock();
        let State { places, edition, chance } = &mut *state;
        let Some(at) = places.iter().position(|place| place.is_in(nodes)) else {
            return Err((places.clone(), *edition));
        };
        places[..=at].rotate_right(1);
        Ok(places[0].step(chance))
    }

    /// Remembers a place in another list, instead of the one that it was computed from, and takes a step. `None` if that
    /// one has moved meanwhile, or, if there was none, if somebody else has remembered a list.
    fn commit<T: Member>(&self, edition: u64, from: Option<&S>, mut to: S) -> Option<Option<usize>>
    where
        S: Place<T, P, Chance = C>,
    {
        let mut forgotten = Vec::new(); // dropped after the lock: ids and members may go with it
        let mut state = self.0.lock();
        let at = from.map(|from| state.places.iter().position(|place| place.is_still(from)));
        let picked = if at.map_or(state.edition == edition, |at| at.is_some()) {
            state.edition += 1;
            let picked = to.step(&mut state.chance);
            forgotten.extend(at.flatten().map(|at| state.places.remove(at)));
            state.places.insert(0, to);
            let kept = state.places.len().min(REMEMBERED);
            forgotten.extend(state.places.drain(kept..));
            Some(picked)
        } else {
            forgotten.push(to);
            None
        };
        drop(state);
        picked
    }
}

/// The member at this position. The list goes first: if a `Drop` panics while a result is already on its way to the
/// caller, the result leaks (rust-lang/rust#47949).
fn member<T: Member, P: Platform>(nodes: Snapshot<T, P>, picked: Option<usize>) -> Result<Arc<T>, NoBackends> {
    let member = picked.map(|at| nodes[at].clone());
    drop(nodes);
    member.ok_or(NoBackends)
}
