//! [`RoundRobin`]: on to the next of whatever list it is given.

use std::fmt;
use std::sync::Arc;

use crate::platform::{Mutex, Platform, Std};
use crate::{Backend, Member, NoBackends, Snapshot, Strategy};

/// How many candidate sets one strategy tells apart. The one that was used longest ago is forgotten.
const REMEMBERED: usize = 16;

/// Takes turns: remembers whom it served last and goes on with the next one in the list that it is given.
///
/// If the one served last has left, the first of those behind it that is still there is next; a list of strangers
/// begins at its first member. For an unchanged list it is an exact rotation, whoever calls it from wherever. Across
/// *changing* lists it is not linearizable: it sees one list per call, and callers may bring lists of different age.
/// For a rotation that is exact across changes use [`Registry::next`](crate::Registry::next).
///
/// One instance may serve several **candidate sets**: lists of different registries, or lists without common members
/// (say, two halves of a fleet, [filtered](Snapshot::filter)). It keeps a place in each of the last sixteen, so that
/// sets used in turn do not disturb one another.
///
/// **Memory.** The last list of each set it remembers, which delays the `Drop` of a member that left until the set is
/// used again or forgotten. **Cost.** A short lock and O(1) if the list is the one of the call before, else O(n).
/// **Progress.** Blocking, but never while your code runs: `id`, `Eq` and `Hash` are called without the lock, and the
/// step is tried again if somebody else took one meanwhile.
///
/// ```
/// use snapring::{Backend, Balancer, EpochRegistry, Registry, strategy::RoundRobin};
///
/// let balancer = Balancer::new(EpochRegistry::<Backend>::new(), RoundRobin::new());
/// balancer.registry().register(Backend::new("a", "10.0.0.1:80"));
/// balancer.registry().register(Backend::new("b", "10.0.0.2:80"));
/// assert_eq!(balancer.route().unwrap().id(), "a");
/// assert_eq!(balancer.route().unwrap().id(), "b");
/// assert_eq!(balancer.route().unwrap().id(), "a");
/// ```
pub struct RoundRobin<T: Member = Backend, P: Platform = Std> {
    sets: P::Mutex<Sets<T, P>>,
}

struct Sets<T: Member, P: Platform> {
    /// The most recently used first.
    places: Vec<Place<T, P>>,
    /// Grows whenever a list is remembered.
    edition: u64,
}

/// Where we are in one candidate set.
struct Place<T: Member, P: Platform> {
    list: Snapshot<T, P>,
    served: usize,
}

impl<T: Member, P: Platform> Clone for Place<T, P> {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), served: self.served }
    }
}

impl<T: Member> RoundRobin<T> {
    /// A rotation that begins at the first member of the first list.
    pub fn new() -> Self {
        Self::on_platform()
    }
}

impl<T: Member, P: Platform> RoundRobin<T, P> {
    /// [`new`](RoundRobin::new) on any platform.
    pub fn on_platform() -> Self {
        Self { sets: P::Mutex::new(Sets { places: Vec::new(), edition: 0 }) }
    }

    /// A list that we know: one step on. Another: all that we remember, to think about without the lock.
    fn step(&self, nodes: &Snapshot<T, P>) -> Result<Arc<T>, Sets<T, P>> {
        let mut sets = self.sets.lock();
        let Some(at) = sets.places.iter().position(|place| place.list.same(nodes)) else {
            return Err(Sets { places: sets.places.clone(), edition: sets.edition });
        };
        sets.places[..=at].rotate_right(1);
        let place = &mut sets.places[0];
        place.served = (place.served + 1) % nodes.len();
        Ok(nodes[place.served].clone())
    }

    /// Remembers a step into another list, instead of the place that it was computed from. False if that place has
    /// moved meanwhile, or, if there was none, if somebody else remembered a list.
    fn commit(&self, edition: u64, from: Option<&Place<T, P>>, to: Place<T, P>) -> bool {
        let mut forgotten = Vec::new(); // dropped after the lock: members may go with it
        let mut sets = self.sets.lock();
        let at = from.map(|from| sets.places.iter().position(|place| place.is_still(from)));
        let current = at.map_or(sets.edition == edition, |at| at.is_some());
        if current {
            sets.edition += 1;
            forgotten.extend(at.flatten().map(|at| sets.places.remove(at)));
            sets.places.insert(0, to);
            let kept = sets.places.len().min(REMEMBERED);
            forgotten.extend(sets.places.drain(kept..));
        } else {
            forgotten.push(to);
        }
        drop(sets);
        current
    }
}

impl<T: Member, P: Platform> Strategy<T, P> for RoundRobin<T, P> {
    fn route(&self, nodes: &Snapshot<T, P>) -> Result<Arc<T>, NoBackends> {
        if nodes.is_empty() {
            return Err(NoBackends);
        }
        loop {
            let Sets { places, edition } = match self.step(nodes) {
                Ok(pick) => return Ok(pick),
                Err(remembered) => remembered,
            };
            let from = places.iter().find(|place| place.is_kin_of(nodes));
            let served = from.map_or(0, |place| place.successor_in(nodes));
            if self.commit(edition, from, Place { list: nodes.clone(), served }) {
                return Ok(nodes[served].clone());
            }
        }
    }
}

impl<T: Member, P: Platform> Place<T, P> {
    /// Whether a list is of this candidate set: from the same registry, with a member in common.
    fn is_kin_of(&self, nodes: &Snapshot<T, P>) -> bool {
        self.list.origin() == nodes.origin() && self.list.iter().any(|member| nodes.position(member.id()).is_some())
    }

    fn is_still(&self, seen: &Self) -> bool {
        self.list.same(&seen.list) && self.served == seen.served
    }

    /// Who is next in another list of the set: behind the one served last, or, if that one left, the first of those
    /// behind it that is there.
    fn successor_in(&self, nodes: &Snapshot<T, P>) -> usize {
        if let Some(at) = nodes.position(self.list[self.served].id()) {
            return (at + 1) % nodes.len();
        }
        let (before, behind) = self.list.split_at(self.served);
        behind.iter().chain(before).find_map(|member| nodes.position(member.id())).unwrap_or(0)
    }
}

impl<T: Member> Default for RoundRobin<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Member, P: Platform> fmt::Debug for RoundRobin<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoundRobin").field("sets", &self.sets.lock().places.len()).finish_non_exhaustive()
    }
}
