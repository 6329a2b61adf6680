//! [`Feed`]: from versioned updates into the registry of one service.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use snapring::{Changes, Member, Registry, Service};

use crate::sink::{Rejected, Sink, check};
use crate::update::{Delta, Update};

/// What to do with a list that is empty while the present one is not: it may be the truth, or an outage of the source.
///
/// It makes no difference whether the list came as such or is what a delta leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnEmpty {
    /// Keep the present list until one comes that is not empty.
    #[default]
    Keep,
    /// Believe it.
    Accept,
    /// Believe it when this many in a row have been empty. 0 and 1 are as [`Accept`](Self::Accept).
    AcceptAfter(u32),
}

/// What an update did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The registry has this list. If [`Changes::is_empty`], it had it before, and nothing was published.
    Taken(Changes),
    /// The list was empty, and the registry keeps the one it has. The version is taken all the same, so that what is
    /// older is still rejected, and a delta that follows starts from the empty list, as the source does.
    Kept {
        /// How many in a row have been empty.
        in_a_row: u32,
    },
}

impl Outcome {
    /// What changed, if the update was not held back.
    pub fn changes(&self) -> Option<&Changes> {
        match self {
            Self::Taken(changes) => Some(changes),
            Self::Kept { .. } => None,
        }
    }
}

/// Feeds one registry: that of a [service](snapring::Directory::service), or any other.
///
/// A list is published in one step, as by [`replace_all`](Registry::replace_all), also when it came as a delta: nobody
/// sees half of it, members that stay keep their order and what strategies know of them, and a list that is equal to the
/// present one publishes nothing.
///
/// A delta changes what is in the registry now. Changes that others made there stay until the next whole list, which
/// repairs everything.
///
/// **Cost.** O(n + m) for a list of m into a list of n, also for a delta. **Progress.** As `replace_all`. **Panics** of a
/// member's `clone`, `id`, `==`, `Hash` or `Drop` reach the caller; one before the publication leaves everything as it
/// was, so that the update can be applied again.
///
/// ```
/// use snapring::{Backend, Directory, Registry};
/// use snapring_control::{Feed, OnEmpty, Rejected, Sink, Update};
///
/// let directory = Directory::<Backend>::new();
/// let mut feed = Feed::new(directory.service("products"), OnEmpty::Keep);
/// let members = vec![Backend::new("p1", "10.0.0.1:80")];
/// feed.apply(Update::List { version: 7, members }).unwrap();
///
/// let late = Update::List { version: 6, members: Vec::new() };
/// assert_eq!(feed.apply(late), Err(Rejected::NotNewer { present: 7, offered: 6 }));
/// assert_eq!(directory.pick("products").unwrap().id(), "p1");
/// ```
pub struct Feed<T: Member, R = Service<T>> {
    registry: R,
    version: Option<u64>,
    pub(crate) guard: EmptyGuard,
    member: PhantomData<fn(T)>,
}

impl<T: Member, R: Registry<T>> Feed<T, R> {
    /// Feeds this registry, which stays as it is until the first update.
    pub fn new(registry: R, on_empty: OnEmpty) -> Self {
        Self { registry, version: None, guard: EmptyGuard::new(on_empty), member: PhantomData }
    }

    /// The registry.
    pub fn registry(&self) -> &R {
        &self.registry
    }

    /// Forgets the version: the next list may have any. For a control plane that begins anew; the list stays.
    pub fn forget_version(&mut self) {
        self.version = None;
    }

    /// Publishes what the source's list is now.
    pub(crate) fn take(&mut self, members: Vec<T>) -> Outcome {
        let guard = self.guard.next(members.is_empty(), || self.registry.snapshot().is_empty());
        let outcome = match guard.in_a_row() {
            0 => Outcome::Taken(self.registry.replace_all(members)),
            in_a_row => Outcome::Kept { in_a_row },
        };
        self.guard = guard;
        outcome
    }

    /// The source's list after this delta.
    pub(crate) fn after(&self, delta: Delta<T>) -> Vec<T>
    where
        T: Clone,
    {
        if self.guard.holds() {
            return delta.added;
        }
        let removed: HashSet<&T::Id> = delta.removed.iter().map(Borrow::borrow).collect();
        let present = self.registry.snapshot();
        let stay = present.iter().filter(|member| !removed.contains(member.id()));
        stay.map(|member| T::clone(member)).chain(delta.added).collect()
    }
}

impl<T: Member + Clone, R: Registry<T>> Sink for Feed<T, R> {
    type Update = Update<T>;
    type Outcome = Outcome;

    fn version(&self) -> Option<u64> {
        self.version
    }

    fn apply(&mut self, update: Update<T>) -> Result<Outcome, Rejected> {
        let (version, members) = match update {
            Update::List { version, members } => {
                check(self.version, version, None)?;
                (version, members)
            }
            Update::Delta { base, version, delta } => {
                check(self.version, version, Some(base))?;
                (version, self.after(delta))
            }
        };
        let outcome = self.take(members);
        self.version = Some(version); // not before: user code may have panicked
        Ok(outcome)
    }

    fn awaits_confirmation(&self) -> bool {
        self.guard.awaits_confirmation()
    }
}

impl<T: Member, R: fmt::Debug> fmt::Debug for Feed<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed")
            .field("registry", &self.registry)
            .field("version", &self.version)
            .field("guard", &self.guard)
            .finish()
    }
}

/// Counts lists that are empty although the present one is not, and decides when to believe them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmptyGuard {
    policy: OnEmpty,
    in_a_row: u32,
    /// The source no longer has the service, and its list is kept. No empty list: it counts for none of a row.
    gone: bool,
}

impl EmptyGuard {
    pub(crate) fn new(policy: OnEmpty) -> Self {
        Self { policy, in_a_row: 0, gone: false }
    }

    /// How many empty lists in a row are held back, with the one that comes now: 0 if that one is to be published.
    #[must_use]
    pub(crate) fn next(self, empty: bool, present_is_empty: impl FnOnce() -> bool) -> Self {
        let published = Self::new(self.policy);
        if !empty || present_is_empty() {
            return published;
        }
        let held = Self { in_a_row: self.in_a_row.saturating_add(1), ..published };
        match self.policy {
            OnEmpty::Keep => held,
            OnEmpty::AcceptAfter(enough) if held.in_a_row < enough => held,
            OnEmpty::AcceptAfter(_) | OnEmpty::Accept => published,
        }
    }

    /// The source no longer has the service, whose list is kept whatever the policy says.
    #[must_use]
    pub(crate) fn gone(self) -> Self {
        Self { gone: true, ..Self::new(self.policy) }
    }

    pub(crate) fn in_a_row(&self) -> u32 {
        self.in_a_row
    }

    /// Whether the source's list is empty, or none, and the registry has another.
    pub(crate) fn holds(&self) -> bool {
        self.gone || self.in_a_row > 0
    }

    pub(crate) fn awaits_confirmation(&self) -> bool {
        self.in_a_row > 0 && matches!(self.policy, OnEmpty::AcceptAfter(_))
    }
}
