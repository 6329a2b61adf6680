//! [`Watched`]: a registry that tells about its changes.

use std::sync::Arc;

use snapring::{Changes, Member, NoBackends, Outcome, Registration, Registry, Snapshot, Stale, Token};
use tokio::sync::watch;

/// A registry with news of its changes: itself a registry, and the source of [`Watcher`]s.
///
/// Changes must go through it to be told; picks and snapshots cost what they cost without it. Whoever waits is woken
/// after the change was published, outside of every lock of the registry, and on no account while it is being made; a
/// watcher that does nothing for long holds nobody up and misses only versions that were replaced meanwhile.
///
/// ```
/// use std::sync::Arc;
/// use snapring::{Backend, EpochRegistry, Registry};
/// use snapring_tower::Watched;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let registry = Arc::new(Watched::new(EpochRegistry::<Backend>::new()));
/// let mut watcher = Watched::watch(&registry);
/// registry.register(Backend::new("a", "10.0.0.1:80"));
/// registry.register(Backend::new("b", "10.0.0.2:80"));
/// assert_eq!(watcher.changed().await.len(), 2);
/// # }
/// ```
#[derive(Debug)]
pub struct Watched<R> {
    registry: R,
    bell: watch::Sender<()>,
}

impl<R> Watched<R> {
    /// Watches this registry.
    pub fn new(registry: R) -> Self {
        Self { registry, bell: watch::Sender::new(()) }
    }

    /// The registry inside, for what the trait does not have. Changes made through it are not told.
    pub fn get(&self) -> &R {
        &self.registry
    }

    /// Somebody who waits for changes, beginning with the version that there is now.
    pub fn watch<T: Member>(this: &Arc<Self>) -> Watcher<R>
    where
        R: Registry<T>,
    {
        let bell = this.subscribe();
        Watcher { seen: this.snapshot().version(), watched: this.clone(), bell }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.bell.subscribe()
    }
}

/// Rings when a change is over, however it ends: a member's `Drop` may panic after the publication. Whoever looks
/// because of it sees the change. Ringing once too often does no harm, since watchers look at the version.
struct Ringing<'a>(&'a watch::Sender<()>);

impl Ringing<'_> {
    /// Nothing was published.
    fn forget(self) {
        std::mem::forget(self);
    }
}

impl Drop for Ringing<'_> {
    fn drop(&mut self) {
        self.0.send_replace(());
    }
}

impl<T: Member, R: Registry<T>> Registry<T> for Watched<R> {
    fn register(&self, member: T) -> Registration<T> {
        let ringing = Ringing(&self.bell);
        let registration = self.registry.register(member);
        if matches!(registration.outcome(), Outcome::Unchanged) {
            ringing.forget(); // or the heartbeats of members would wake everybody
        }
        registration
    }

    fn deregister(&self, id: &T::Id) -> Option<Arc<T>> {
        let _ringing = Ringing(&self.bell);
        self.registry.deregister(id)
    }

    fn revoke(&self, token: &Token) -> Result<Arc<T>, Stale> {
        let _ringing = Ringing(&self.bell);
        self.registry.revoke(token)
    }

    fn replace_all(&self, members: Vec<T>) -> Changes {
        let ringing = Ringing(&self.bell);
        let changes = self.registry.replace_all(members);
        if changes.is_empty() {
            ringing.forget();
        }
        changes
    }

    fn snapshot(&self) -> Snapshot<T> {
        self.registry.snapshot()
    }

    fn next(&self) -> Result<Arc<T>, NoBackends> {
        self.registry.next()
    }
}

/// Waits for the changes of a [`Watched`] registry.
#[derive(Debug)]
pub struct Watcher<R> {
    watched: Arc<Watched<R>>,
    bell: watch::Receiver<()>,
    seen: u64,
}

impl<R> Watcher<R> {
    /// Waits until the version is another than the one seen last, and returns that list. At once if it is already.
    ///
    /// Versions that were replaced before anybody looked are skipped; the last one never is. May be cancelled: a change
    /// that was not returned is still news. Keeps no list while it waits.
    pub async fn changed<T: Member>(&mut self) -> Snapshot<T>
    where
        R: Registry<T>,
    {
        loop {
            // In this order: a change after the look rings after this, so it ends the wait.
            self.bell.borrow_and_update();
            if let Some(news) = self.news() {
                return news;
            }
            // We hold the registry, so the bell is not gone.
            let _ = self.bell.changed().await;
        }
    }

    /// The list, if it is another than the one seen last. A function of its own, so that nobody who waits keeps a list.
    fn news<T: Member>(&mut self) -> Option<Snapshot<T>>
    where
        R: Registry<T>,
    {
        let snapshot = self.watched.snapshot();
        (snapshot.version() != self.seen).then(|| {
            self.seen = snapshot.version();
            snapshot
        })
    }
}
