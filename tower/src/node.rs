//! [`Node`]: a service as a member of a registry.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use snapring::Member;

/// A service under a key.
///
/// Requests are served by clones of the service, so it must be `Clone`, as most of tower's are, and since many threads
/// look at it, `Sync`: put one that is not in a `tower::util::BoxCloneSyncService`.
///
/// Services cannot be compared, so two nodes are equal only if they are the same one: whoever registers a key again
/// replaces the service in place.
pub struct Node<K, S> {
    key: K,
    service: S,
    /// Compared by address.
    identity: Arc<Identity>,
}

struct Identity {
    /// How often its turn went to somebody else: decides to whom.
    passed_on: AtomicUsize,
}

impl<K, S> Node<K, S> {
    /// A service under this key.
    pub fn new(key: K, service: S) -> Self {
        Self { key, service, identity: Arc::new(Identity { passed_on: AtomicUsize::new(0) }) }
    }

    /// The key.
    pub fn key(&self) -> &K {
        &self.key
    }

    /// The service that requests get clones of.
    pub fn service(&self) -> &S {
        &self.service
    }

    /// Counts a turn that went to somebody else. Relaxed: nothing is read because of it.
    pub(crate) fn pass_on(&self) -> usize {
        self.identity.passed_on.fetch_add(1, Ordering::Relaxed)
    }
}

impl<K, S> PartialEq for Node<K, S> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.identity, &other.identity)
    }
}

impl<K, S> Member for Node<K, S>
where
    K: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    type Id = K;

    fn id(&self) -> &K {
        &self.key
    }
}

impl<K: fmt::Debug, S> fmt::Debug for Node<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("key", &self.key).finish_non_exhaustive()
    }
}
