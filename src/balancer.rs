//! [`Balancer`]: a registry and a strategy, joined by one snapshot per call.

use std::cell::RefCell;
use std::sync::Arc;

use crate::platform::Platform;
use crate::{Member, NoBackends, Plan, Registry, Strategy};

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
        self.strategy.route_latest(&|| self.registry.snapshot())
    }

    /// Whom to try for one request: first whom the strategy chooses, then the others of the list that it chose from.
    /// The strategy is asked once, however many are tried.
    ///
    /// # Errors
    ///
    /// As [`route`](Self::route).
    pub fn plan<T, P>(&self) -> Result<Plan<T, P>, NoBackends>
    where
        T: Member,
        P: Platform,
        R: Registry<T, P>,
        S: Strategy<T, P>,
    {
        let seen = RefCell::new(None);
        let first = self.strategy.route_latest(&|| {
            let nodes = self.registry.snapshot();
            *seen.borrow_mut() = Some(nodes.clone());
            nodes
        })?;
        // A strategy that chooses without looking gets the list of now.
        let nodes = seen.into_inner().unwrap_or_else(|| self.registry.snapshot());
        Ok(Plan::new(first, nodes))
    }
}
