//! [`Strategy`]: choosing from a list that somebody else owns.

use std::sync::Arc;

use crate::platform::{Platform, Std};
use crate::{Member, NoBackends, Snapshot};

mod known;
mod round_robin;
mod sets;
mod shuffle_bag;
mod weighted;

pub use round_robin::RoundRobin;
pub use shuffle_bag::ShuffleBag;
pub use weighted::{InvalidWeight, Weight, Weighted};

/// Chooses one member of a list.
///
/// A strategy is given one immutable list per call and has no way to the registry, so it cannot read the list twice and
/// get two answers, whoever writes it. It may keep a memory of its own. It runs under no lock of this crate, so it may
/// take its time, call registries, or panic.
///
/// `&S`, `Box<S>` and `Arc<S>` are strategies if `S` is one.
///
/// ```
/// use std::sync::Arc;
/// use snapring::{Backend, Balancer, Member, MutexRegistry, NoBackends, Registry, Snapshot, Strategy};
///
/// /// Always the shortest id.
/// struct Shortest;
///
/// impl Strategy<Backend> for Shortest {
///     fn route(&self, nodes: &Snapshot<Backend>) -> Result<Arc<Backend>, NoBackends> {
///         nodes.iter().min_by_key(|node| node.id().len()).cloned().ok_or(NoBackends)
///     }
/// }
///
/// let balancer = Balancer::new(MutexRegistry::<Backend>::new(), Shortest);
/// balancer.registry().register(Backend::new("blue", "10.0.0.1:80"));
/// balancer.registry().register(Backend::new("red", "10.0.0.2:80"));
/// assert_eq!(balancer.route().unwrap().id(), "red");
/// ```
///
/// A strategy may iterate, ask for the length and index as often as it likes: the list does not change under it. So what
/// it needs to know of a member belongs into the member, where it comes and goes with it:
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// use snapring::{ArcSwapRegistry, Balancer, Member, NoBackends, Registry, Snapshot, Strategy};
///
/// struct Node {
///     address: String,
///     pending: AtomicUsize,
/// }
///
/// impl PartialEq for Node {
///     fn eq(&self, other: &Self) -> bool {
///         self.address == other.address // registered again, it is the same: its count stays
///     }
/// }
///
/// impl Member for Node {
///     type Id = str;
///
///     fn id(&self) -> &str {
///         &self.address
///     }
/// }
///
/// /// Whoever has the fewest requests to answer.
/// struct LeastPending;
///
/// impl Strategy<Node> for LeastPending {
///     fn route(&self, nodes: &Snapshot<Node>) -> Result<Arc<Node>, NoBackends> {
///         let node = nodes.iter().min_by_key(|node| node.pending.load(Relaxed)).ok_or(NoBackends)?;
///         node.pending.fetch_add(1, Relaxed); // and one less when the request is done
///         Ok(node.clone())
///     }
/// }
///
/// let balancer = Balancer::new(ArcSwapRegistry::<Node>::new(), LeastPending);
/// for address in ["10.0.0.1:80", "10.0.0.2:80"] {
///     balancer.registry().register(Node { address: address.into(), pending: AtomicUsize::new(0) });
/// }
/// let busy = balancer.route().unwrap();
/// let next = balancer.route().unwrap();
/// assert_ne!(busy.id(), next.id());
/// next.pending.fetch_sub(1, Relaxed);
/// assert_eq!(balancer.route().unwrap().id(), next.id());
/// ```
///
/// To leave some members out, [filter](Snapshot::filter) first and choose then: a rotation that steps over those who are
/// not eligible gives their turns to their neighbours.
pub trait Strategy<T: Member, P: Platform = Std>: Send + Sync {
    /// Chooses a member of `nodes`.
    ///
    /// # Errors
    ///
    /// [`NoBackends`] if the list is empty, or if the strategy finds nobody eligible.
    fn route(&self, nodes: &Snapshot<T, P>) -> Result<Arc<T>, NoBackends>;

    /// Chooses a member of the current list, which `latest` looks up: what [`Balancer`](crate::Balancer) and
    /// [`Directory`](crate::Directory) call.
    ///
    /// As it is written here it looks once and [routes](Self::route), and that is right for almost every strategy. One
    /// with a memory may look again if another caller has meanwhile brought a newer list, so that its memory never goes
    /// back; it still decides from one list.
    ///
    /// # Errors
    ///
    /// As [`route`](Self::route).
    fn route_latest(&self, latest: &dyn Fn() -> Snapshot<T, P>) -> Result<Arc<T>, NoBackends> {
        let nodes = latest();
        let picked = self.route(&nodes);
        drop(nodes); // before the result is on its way, see `sets`
        picked
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<T: Member, P: Platform, S: Strategy<T, P> + ?Sized> Strategy<T, P> for $pointer {
            fn route(&self, nodes: &Snapshot<T, P>) -> Result<Arc<T>, NoBackends> { (**self).route(nodes) }

            fn route_latest(&self, latest: &dyn Fn() -> Snapshot<T, P>) -> Result<Arc<T>, NoBackends> {
                (**self).route_latest(latest)
            }
        }
    )*};
}

forward!(&S, Box<S>, Arc<S>);
