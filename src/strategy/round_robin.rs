//! [`RoundRobin`]: on to the next of whatever list it is given.

use std::fmt;
use std::sync::Arc;

use super::sets::{self, Sets};
use crate::chance::Chance;
use crate::platform::{Platform, Std};
use crate::{Backend, Member, NoBackends, Snapshot, Strategy};

/// Takes turns: remembers whom it served last and goes on with the next one in the list that it is given.
///
/// If the one served last has left, the first of those behind it that is still there is next; a list of strangers
/// begins at its first member. For an unchanged list it is an exact rotation, whoever calls it from wherever. Across
/// *changing* lists it sees one list per call, and callers may bring lists of different age; a
/// [`Balancer`](crate::Balancer) sees to it that they do not. For a rotation that no list can disturb use
/// [`Registry::next`](crate::Registry::next).
///
/// One instance may serve several **candidate sets**: lists of different registries, or lists without common members
/// (say, two halves of a fleet, [filtered](Snapshot::filter)). It keeps a place in each of the last sixteen, so that
/// sets used in turn do not disturb one another.
///
/// **Start.** [`new`](Self::new) begins with the first member of a list. Where many fresh clients meet the same list, as
/// after a deployment, that is one member for all of them: [`with_random_start`](Self::with_random_start) spreads them.
///
/// **Memory.** The last list of each set it remembers, which delays the `Drop` of a member that left until the set is
/// used again or forgotten (so do not keep a rotation inside of a member that it rotates over: the two would keep each
/// other alive). **Cost.** A short lock and O(1) if the list is the one of the call before, else O(n).
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
///
/// It has no `Clone`: a copy would be a second rotation that begins with the same members. Share it, by reference or in
/// an `Arc`.
///
/// ```compile_fail,E0599
/// use snapring::{Backend, strategy::RoundRobin};
///
/// let rotation = RoundRobin::<Backend>::new();
/// let another = rotation.clone();
/// ```
pub struct RoundRobin<T: Member = Backend, P: Platform = Std> {
    sets: Sets<P, Place<T, P>, Start>,
}

/// Where we are in one candidate set.
struct Place<T: Member, P: Platform> {
    list: Snapshot<T, P>,
    /// Nobody yet: the rotation starts.
    served: Option<usize>,
}

/// Where a rotation starts: at a random member, or at the first.
type Start = Option<Chance>;

impl<T: Member> RoundRobin<T> {
    /// A rotation that begins at the first member of the first list.
    pub fn new() -> Self {
        Self::on_platform()
    }

    /// A rotation that begins anywhere, each member being as likely as the others.
    pub fn with_random_start() -> Self {
        Self { sets: Sets::new(Some(Chance::new())) }
    }
}

impl<T: Member, P: Platform> RoundRobin<T, P> {
    /// [`new`](RoundRobin::new) on any platform.
    pub fn on_platform() -> Self {
        Self { sets: Sets::new(None) }
    }
}

impl<T: Member, P: Platform> Strategy<T, P> for RoundRobin<T, P> {
    fn route(&self, nodes: &Snapshot<T, P>) -> Result<Arc<T>, NoBackends> {
        self.sets.route(nodes, Place::carried)
    }

    fn route_latest(&self, latest: &dyn Fn() -> Snapshot<T, P>) -> Result<Arc<T>, NoBackends> {
        self.sets.route_latest(latest, Place::carried)
    }
}

impl<T: Member, P: Platform> Clone for Place<T, P> {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), served: self.served }
    }
}

impl<T: Member, P: Platform> sets::Place<T, P> for Place<T, P> {
    type Chance = Start;

    fn is_in(&self, nodes: &Snapshot<T, P>) -> bool {
        self.list.same(nodes)
    }

    fn is_still(&self, seen: &Self) -> bool {
        self.list.same(&seen.list) && self.served == seen.served
    }

    fn version(&self) -> u64 {
        self.list.version()
    }

    fn is_kin_of(&self, nodes: &Snapshot<T, P>) -> bool {
        let overlap = || self.list.iter().any(|member| nodes.position(member.id()).is_some());
        self.list.origin().is_kin(nodes.origin(), overlap)
    }

    fn step(&mut self, start: &mut Start) -> Option<usize> {
        let n = self.list.len();
        let next = match (self.served, start) {
            (Some(served), _) => (served + 1) % n,
            (None, Some(chance)) => chance.below(n),
            (None, None) => 0,
        };
        self.served = Some(next);
        self.served
    }
}

impl<T: Member, P: Platform> Place<T, P> {
    fn carried(from: Option<&Self>, nodes: &Snapshot<T, P>) -> Self {
        let next = from.and_then(|place| place.successor_in(nodes));
        let served = next.map(|at| at.checked_sub(1).unwrap_or(nodes.len() - 1));
        Self { list: nodes.clone(), served }
    }

    /// Who is next in another list of the set: behind the one served last, or, if that one left, the first of those
    /// behind it that is there.
    fn successor_in(&self, nodes: &Snapshot<T, P>) -> Option<usize> {
        let served = self.served?;
        if let Some(at) = nodes.position(self.list[served].id()) {
            return Some((at + 1) % nodes.len());
        }
        let (before, behind) = self.list.split_at(served);
        behind.iter().chain(before).find_map(|member| nodes.position(member.id()))
    }
}

impl<T: Member> Default for RoundRobin<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Member, P: Platform> fmt::Debug for RoundRobin<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoundRobin").field("sets", &self.sets.len()).finish_non_exhaustive()
    }
}
