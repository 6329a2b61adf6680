//! [`Plan`]: whom to try for one request, in order.

use std::fmt;
use std::sync::Arc;

use crate::chance::Chance;
use crate::platform::{Platform, Std};
use crate::{Backend, Member, NoBackends, Registry, Snapshot};

/// Whom to try for one request: first the member whose turn it is, then, if that fails, each of the others once.
///
/// A retry that picks again may get the member that has just failed, since others pick meanwhile; and it takes turns away
/// from others. A plan takes **one turn** and then walks a list of its own: a permutation, whatever happens elsewhere.
/// The others come in random order, so that a member that fails does not send all of its load to its neighbour.
///
/// It ends when everybody was tried. Whether to begin again, with a new plan, is for you to say.
///
/// ```
/// use snapring::{Backend, MutexRegistry, Plan, Registry};
///
/// let registry = MutexRegistry::<Backend>::new();
/// registry.register(Backend::new("a", "10.0.0.1:80"));
/// registry.register(Backend::new("b", "10.0.0.2:80"));
///
/// let connect = |backend: &Backend| if backend.id() == "a" { Err("refused") } else { Ok("connected") };
/// let served_by = Plan::next_of(&registry)?.find(|backend| connect(backend).is_ok());
/// assert_eq!(served_by.unwrap().id(), "b");
/// assert_eq!(registry.next()?.id(), "b", "the plan has taken one turn");
/// # Ok::<(), snapring::NoBackends>(())
/// ```
///
/// **Cost.** The first member costs a pick and a snapshot. The second one O(n), the ones after that O(1).
pub struct Plan<T: Member = Backend, P: Platform = Std> {
    first: Arc<T>,
    nodes: Snapshot<T, P>,
    /// Nobody was asked for yet; then only the first; then all others, of which these positions are left.
    stage: Stage,
}

enum Stage {
    Begin,
    First,
    Others(Vec<u32>, Chance),
}

impl<T: Member, P: Platform> Plan<T, P> {
    /// First this member, then the others of the list.
    pub fn new(first: Arc<T>, nodes: Snapshot<T, P>) -> Self {
        Self { first, nodes, stage: Stage::Begin }
    }

    /// Takes a turn in the ring of a registry. The others are those of its list right after that.
    ///
    /// # Errors
    ///
    /// [`NoBackends`] if nobody is registered.
    pub fn next_of(registry: &(impl Registry<T, P> + ?Sized)) -> Result<Self, NoBackends> {
        Ok(Self::new(registry.next()?, registry.snapshot()))
    }

    fn others(&self) -> Vec<u32> {
        let others = self.nodes.iter().zip(0..).filter(|(member, _)| member.id() != self.first.id());
        others.map(|(_, at)| at).collect()
    }
}

impl<T: Member, P: Platform> Iterator for Plan<T, P> {
    type Item = Arc<T>;

    fn next(&mut self) -> Option<Arc<T>> {
        match &mut self.stage {
            Stage::Begin => {
                self.stage = Stage::First;
                Some(self.first.clone())
            }
            Stage::First => {
                self.stage = Stage::Others(self.others(), Chance::new());
                self.next()
            }
            Stage::Others(left, chance) => match left.len() {
                0 => None,
                n => Some(self.nodes[left.swap_remove(chance.below(n)) as usize].clone()),
            },
        }
    }
}

impl<T: Member, P: Platform> std::iter::FusedIterator for Plan<T, P> {}

impl<T: Member + fmt::Debug, P: Platform> fmt::Debug for Plan<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("first", &self.first).field("nodes", &self.nodes).finish_non_exhaustive()
    }
}
