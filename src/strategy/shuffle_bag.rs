//! [`ShuffleBag`]: random, and nobody twice before everybody once.

use std::fmt;
use std::sync::Arc;

use super::known::Known;
use super::sets::{self, Sets};
use crate::chance::Chance;
use crate::platform::{Platform, Std};
use crate::{Backend, Member, NoBackends, Snapshot, Strategy};

/// Chooses at random among the members that were not used in this round. When all were, a new round begins, and its
/// first is not the last of the round before, unless there is no other.
///
/// - **Without bias.** Every pick takes each of the unused with the same chance, so every order of a round is equally
///   likely (but for the first, which is not the last one's).
/// - **Members come and go.** Who comes joins the current round. Who has left is forgotten with the next pick, so a round
///   ends when all who are *there* were used: whoever left cannot hold it up. A member that is replaced in place is
///   the same as before; one that leaves and comes back has just come. Every member that is there throughout a round is
///   used exactly once in it; any other at most once for each time that it came.
/// - **Shared.** One instance serves all threads. In a [`Balancer`](crate::Balancer) or a
///   [`Directory`](crate::Directory), registry and bag are linearizable together.
/// - **Candidate sets.** As for [`RoundRobin`](super::RoundRobin): the last sixteen sets, each with a round of its own.
///
/// **Memory.** The ids of the last list of each set, O(n); never a member. **Cost.** A short lock and O(1), whatever n;
/// O(n) for the first pick from another list. A lock, and not a lock-free bag: that has to publish a new permutation
/// for every round. It is no faster for a thread that is alone, and faster if several do nothing but draw (claim C27 of
/// `results/` in the repository). If many threads pick, or one may be suspended inside, take
/// [`Registry::next`](crate::Registry::next), which is lock-free and even as well. **Progress.** Blocking, but never
/// while your code runs.
///
/// ```
/// use snapring::{ArcSwapRegistry, Backend, Balancer, Registry, strategy::ShuffleBag};
///
/// let balancer = Balancer::new(ArcSwapRegistry::<Backend>::new(), ShuffleBag::new());
/// for id in ["a", "b", "c"] {
///     balancer.registry().register(Backend::new(id, ""));
/// }
/// let mut round: Vec<_> = (0..3).map(|_| balancer.route().unwrap().id().to_owned()).collect();
/// round.sort();
/// assert_eq!(round, ["a", "b", "c"]);
/// ```
///
/// The memory must live as long as the service does: a bag that is made for each call chooses blindly and repeats itself.
/// So it has no `Clone`, which would be a second memory, and no `Default`, with which a container would make another
/// one without being asked. Share it, by reference or in an `Arc`.
///
/// ```compile_fail,E0599
/// use snapring::{Backend, strategy::ShuffleBag};
///
/// let bag = ShuffleBag::<Backend>::new();
/// let another = bag.clone();
/// ```
///
/// ```compile_fail,E0277
/// use snapring::{ArcSwapRegistry, Backend, Balancer, strategy::ShuffleBag};
///
/// let forgetful: Balancer<ArcSwapRegistry<Backend>, ShuffleBag> = Default::default();
/// ```
pub struct ShuffleBag<T: Member = Backend, P: Platform = Std> {
    sets: Sets<P, Round<T>, Chance>,
}

impl<T: Member> ShuffleBag<T> {
    /// An empty memory.
    #[allow(clippy::new_without_default, reason = "a default would make it easy to lose the memory")]
    pub fn new() -> Self {
        Self { sets: Sets::new(Chance::new()) }
    }

    /// A bag that makes the same choices each time, for tests. Another version of this crate may make others.
    pub fn with_seed(seed: u64) -> Self {
        Self::on_platform(seed)
    }
}

impl<T: Member, P: Platform> ShuffleBag<T, P> {
    /// [`with_seed`](ShuffleBag::with_seed) on any platform.
    pub fn on_platform(seed: u64) -> Self {
        Self { sets: Sets::new(Chance::seeded(seed)) }
    }
}

impl<T: Member, P: Platform> Strategy<T, P> for ShuffleBag<T, P> {
    fn route(&self, nodes: &Snapshot<T, P>) -> Result<Arc<T>, NoBackends> {
        self.sets.route(nodes, Round::carried)
    }

    fn route_latest(&self, latest: &dyn Fn() -> Snapshot<T, P>) -> Result<Arc<T>, NoBackends> {
        self.sets.route_latest(latest, Round::carried)
    }
}

/// A round in one candidate set.
struct Round<T: Member> {
    list: Known<T>,
    /// All positions: those used in this round, then the others.
    order: Vec<u32>,
    used: usize,
    /// Who was picked last, if he is still there.
    last: Option<u32>,
    /// Counts picks.
    moves: u64,
}

impl<T: Member> Clone for Round<T> {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), order: self.order.clone(), ..*self }
    }
}

impl<T: Member, P: Platform> sets::Place<T, P> for Round<T> {
    type Chance = Chance;

    fn is_in(&self, nodes: &Snapshot<T, P>) -> bool {
        self.list.is(nodes)
    }

    fn is_still(&self, seen: &Self) -> bool {
        self.list.same(&seen.list) && self.moves == seen.moves
    }

    fn version(&self) -> u64 {
        self.list.version()
    }

    fn is_kin_of(&self, nodes: &Snapshot<T, P>) -> bool {
        self.list.is_kin_of(nodes)
    }

    fn step(&mut self, chance: &mut Chance) -> Option<usize> {
        let n = self.order.len();
        let mut open = n;
        if self.used == n {
            self.used = 0;
            if let Some(last) = self.last.filter(|_| n > 1) {
                // He is out of the first draw of a round: at the end, which it does not reach.
                let at = self.order.iter().rposition(|at| *at == last);
                self.order.swap(at.unwrap_or(n - 1), n - 1);
                open = n - 1;
            }
        }
        let pick = self.used + chance.below(open - self.used);
        self.order.swap(self.used, pick);
        self.last = Some(self.order[self.used]);
        self.used += 1;
        self.moves += 1;
        self.last.map(|at| at as usize)
    }
}

impl<T: Member> Round<T> {
    fn carried<P: Platform>(before: Option<&Self>, nodes: &Snapshot<T, P>) -> Self {
        let (list, from) = Known::next(before.map(|round| &round.list), nodes);
        let used = before.map_or_else(Vec::new, Self::used_positions);
        let is_used = |at: &u32| from[*at as usize].is_some_and(|old| used[old as usize]);
        let (mut order, unused): (Vec<u32>, Vec<u32>) = (0..nodes.len() as u32).partition(is_used);
        let used = order.len();
        order.extend(unused);
        let last = before.and_then(|round| round.last);
        let last = last.and_then(|last| from.iter().position(|old| *old == Some(last)).map(|at| at as u32));
        Self { list, order, used, last, moves: 0 }
    }

    /// For each position, whether it was used in this round.
    fn used_positions(&self) -> Vec<bool> {
        let mut used = vec![false; self.order.len()];
        for at in &self.order[..self.used] {
            used[*at as usize] = true;
        }
        used
    }
}

impl<T: Member, P: Platform> fmt::Debug for ShuffleBag<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShuffleBag").field("sets", &self.sets.len()).finish_non_exhaustive()
    }
}
