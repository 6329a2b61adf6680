//! [`Directory`]: named services, each with a registry and a strategy of its own.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::ops::Deref;
use std::sync::Arc;

use crate::platform::{Mutex, Platform, Shared, Std, SwapCell};
use crate::strategy::ShuffleBag;
use crate::{
    ArcSwapRegistry, Backend, Balancer, Changes, Member, NoBackends, PickError, Registration, Registry, Snapshot,
    Stale, Start, Strategy, Token,
};

/// Making or removing a service copies the names that share its shard: of ten thousand services, some 160.
const SHARDS: usize = 64;

/// Named services. Each has its own [registry](ArcSwapRegistry) and its own strategy, so services never share a memory
/// or a cursor, and picking from one never waits for another.
///
/// ```
/// use snapring::{Backend, Directory, PickError, Registry};
///
/// let directory = Directory::<Backend>::new();
/// directory.service("products").register(Backend::new("p1", "10.0.0.1:80"));
///
/// assert_eq!(directory.pick("products").unwrap().id(), "p1");
/// assert_eq!(directory.pick("prodcuts"), Err(PickError::UnknownService));
///
/// directory.service("orders"); // known, and empty
/// assert_eq!(directory.pick("orders"), Err(PickError::NoBackends));
///
/// directory.remove("products");
/// assert_eq!(directory.pick("products"), Err(PickError::UnknownService));
/// ```
///
/// **Names** are compared byte for byte, as ids are. **Progress.** A pick looks the name up without a lock (a hash and an
/// [`arc-swap`](https://docs.rs/arc-swap) load) and then does what the service's strategy does. Making and removing a
/// service takes a lock that picks do not. **Memory.** A removed service is gone, with its members and its strategy, when
/// the last [`Service`] of it is dropped. **Cost.** O(1) for a pick; O(services / 64) for making and removing one.
///
/// It has no `Clone` and, for the sake of the memories in it, no `Default`: share it, by reference or in an `Arc`.
pub struct Directory<T: Member = Backend, P: Platform = Std> {
    shards: Box<[Shard<T, P>]>,
    hasher: RandomState,
    strategy: Factory<T, P>,
}

type Factory<T, P> = Box<dyn Fn() -> Box<dyn Strategy<T, P>> + Send + Sync>;

type Services<T, P> = HashMap<Arc<str>, Service<T, P>>;

struct Shard<T: Member, P: Platform> {
    services: P::ArcSwap<Services<T, P>>,
    /// Held while `services` is replaced.
    changing: P::Mutex<()>,
}

impl<T: Member> Directory<T> {
    /// No services yet. Each will have a [`ShuffleBag`].
    #[allow(clippy::new_without_default, reason = "a default would make it easy to lose the memories")]
    pub fn new() -> Self {
        Self::with_strategy(ShuffleBag::new)
    }
}

impl<T: Member> Directory<T> {
    /// No services yet. Each will have a strategy that `factory` makes. It runs under no lock, and at times once more
    /// than there are services: when two threads make the same service, one of the two strategies is dropped.
    pub fn with_strategy<S: Strategy<T> + 'static>(factory: impl Fn() -> S + Send + Sync + 'static) -> Self {
        Self::on_platform(factory)
    }
}

impl<T: Member, P: Platform> Directory<T, P> {
    /// [`with_strategy`](Directory::with_strategy) on any platform.
    pub fn on_platform<S: Strategy<T, P> + 'static>(factory: impl Fn() -> S + Send + Sync + 'static) -> Self {
        let shard = |_| Shard { services: P::ArcSwap::new(P::Arc::new(HashMap::new())), changing: P::Mutex::new(()) };
        Self {
            shards: (0..SHARDS).map(shard).collect(),
            hasher: RandomState::new(),
            strategy: Box::new(move || Box::new(factory())),
        }
    }

    /// The service of this name, made if there is none. Concurrent calls get the same one.
    pub fn service(&self, name: &str) -> Service<T, P> {
        if let Some(service) = self.get(name) {
            return service;
        }
        let new = Service::new(name, (self.strategy)());
        self.shard(name).change(|services| match services.get(name) {
            Some(earlier) => (None, earlier.clone()),
            None => {
                let mut services = services.clone();
                services.insert(new.shared.name.clone(), new.clone());
                (Some(services), new.clone())
            }
        })
    }

    /// The service of this name, if there is one.
    pub fn get(&self, name: &str) -> Option<Service<T, P>> {
        self.shard(name).services.read(|services| services.get(name).cloned())
    }

    /// Picks from the service of this name.
    ///
    /// # Errors
    ///
    /// [`PickError::UnknownService`] if there is none, [`PickError::NoBackends`] if its strategy finds nobody. A panic of
    /// your strategy goes to the caller and leaves everything usable.
    pub fn pick(&self, name: &str) -> Result<Arc<T>, PickError> {
        let service = self.get(name).ok_or(PickError::UnknownService)?;
        let picked = service.pick();
        drop(service); // before the result is on its way: it may be the last of a service that was removed
        Ok(picked?)
    }

    /// Forgets the service of this name, and returns it. It goes on working for who still holds it, apart from this
    /// directory: a service of the same name that is made later is another one.
    pub fn remove(&self, name: &str) -> Option<Service<T, P>> {
        self.shard(name).change(|services| match services.contains_key(name) {
            false => (None, None),
            true => {
                let mut services = services.clone();
                let removed = services.remove(name);
                (Some(services), removed)
            }
        })
    }

    /// All services, in no particular order, each shard as it was at one moment.
    pub fn services(&self) -> Vec<Service<T, P>> {
        let shards = self.shards.iter();
        shards
            .flat_map(|shard| shard.services.read(|services| services.values().cloned().collect::<Vec<_>>()))
            .collect()
    }

    fn shard(&self, name: &str) -> &Shard<T, P> {
        &self.shards[self.hasher.hash_one(name) as usize % SHARDS]
    }
}

impl<T: Member, P: Platform> Shard<T, P> {
    /// Replaces the services, if `change` finds others. What was replaced is dropped after the lock.
    fn change<R>(&self, change: impl FnOnce(&Services<T, P>) -> (Option<Services<T, P>>, R)) -> R {
        let changing = self.changing.lock();
        let (changed, result) = self.services.read(|services| change(services));
        let replaced = changed.map(|services| self.services.swap(P::Arc::new(services)));
        drop(changing);
        drop(replaced);
        result
    }
}

/// A service of a [`Directory`]: a registry, and a strategy to pick with.
///
/// It is that service's registry: it implements [`Registry`], and derefs to one. Cloning it is one reference count; keep
/// one, and [`pick`](Self::pick) saves the look at the name. [`Registry::next`] on it is the exact ring of the registry
/// and has nothing to do with the strategy.
pub struct Service<T: Member = Backend, P: Platform = Std> {
    shared: Arc<Named<T, P>>,
}

struct Named<T: Member, P: Platform> {
    name: Arc<str>,
    balancer: Balancer<ArcSwapRegistry<T, P>, Box<dyn Strategy<T, P>>>,
}

impl<T: Member, P: Platform> Service<T, P> {
    fn new(name: &str, strategy: Box<dyn Strategy<T, P>>) -> Self {
        let registry = ArcSwapRegistry::on_platform_with_start(Vec::new(), Start::default());
        Self { shared: Arc::new(Named { name: name.into(), balancer: Balancer::new(registry, strategy) }) }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// Has the service's strategy choose from the current list.
    ///
    /// # Errors
    ///
    /// [`NoBackends`] if the list is empty, or if the strategy finds nobody eligible.
    pub fn pick(&self) -> Result<Arc<T>, NoBackends> {
        self.shared.balancer.route()
    }
}

impl<T: Member, P: Platform> Deref for Service<T, P> {
    type Target = ArcSwapRegistry<T, P>;

    fn deref(&self) -> &ArcSwapRegistry<T, P> {
        self.shared.balancer.registry()
    }
}

impl<T: Member, P: Platform> Registry<T, P> for Service<T, P> {
    fn register(&self, member: T) -> Registration<T> {
        (**self).register(member)
    }

    fn deregister(&self, id: &T::Id) -> Option<Arc<T>> {
        (**self).deregister(id)
    }

    fn revoke(&self, token: &Token) -> Result<Arc<T>, Stale> {
        (**self).revoke(token)
    }

    fn replace_all(&self, members: Vec<T>) -> Changes {
        (**self).replace_all(members)
    }

    fn snapshot(&self) -> Snapshot<T, P> {
        (**self).snapshot()
    }

    fn next(&self) -> Result<Arc<T>, NoBackends> {
        (**self).next()
    }
}

impl<T: Member, P: Platform> Clone for Service<T, P> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

impl<T: Member, P: Platform> fmt::Debug for Service<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("name", &self.shared.name)
            .field("members", &self.snapshot().len())
            .finish_non_exhaustive()
    }
}

impl<T: Member, P: Platform> fmt::Debug for Directory<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let services: Vec<_> = self.services().iter().map(|service| service.shared.name.clone()).collect();
        f.debug_struct("Directory").field("services", &services).finish_non_exhaustive()
    }
}
