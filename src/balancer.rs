//! [`Balancer`]: a registry and a strategy, joined by one snapshot per call.

use std::sync::Arc;

use crate::platform::Platform;
use crate::{Member, NoBackends, Registry, Strategy};

/// A registry that owns the set and a strategy that chooses: the strategy gets one immutable list per call.
///
/// Wrap it in an `Arc` to share it; registry and strategy may each be a reference, a box or an `Arc` themselves.
/// A strategy of one's own may be shared by several balancers if it is made for that, as
/// [`RoundRobin`](crate::strategy::RoundRobin) is.
#[derive(Debug, Default)]
pub struct Balancer<R, S> {
    registry: R,
    strategy: S,
}

impl<R, S> Balancer<R, S> {
    /// Joins the two.
    pub fn new(registry: R, strategy: S) -> Self {
        Self { registry, strategy }
    }

    /// The registry, to change the set.
    pub fn registry(&self) -> &R {
        &self.registry
    }

    /// The strategy.
    pub fn strategy(&self) -> &S {
        &self.strategy
    }

    /// Has the strategy choose from the list as it is now. One snapshot and whatever the strategy costs; no lock of
    /// this crate is held while it runs, and its panic goes to the caller and leaves everything usable.
    ///
    /// # Errors
    ///
    /// [`NoBackends`] if the list is empty, or if the strategy finds nobody eligible.
    pub fn route<T, P>(&self) -> Result<Arc<T>, NoBackends>
    where
        T: Member,
        P: Platform,
        R: Registry<T, P>,
        S: Strategy<T, P>,
    {
        self.strategy.route(&self.registry.snapshot())
    }
}
