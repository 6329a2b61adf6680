//! [`Snapshot`]: one immutable list, shared.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::list::List;
use crate::platform::{Platform, Shared, Std};
use crate::{Member, list};

/// One immutable, ordered, versioned list of members: what a registry held at one moment.
///
/// It never changes under its holder, so its length and its elements always fit together. It derefs to a slice of
/// `Arc<T>`, in registration order. Cloning it is one reference count; holding it keeps this one list and its members
/// alive, never a later list.
///
/// ```
/// use snapring::{Backend, MutexRegistry, Registry};
///
/// let registry = MutexRegistry::<Backend>::new();
/// registry.register(Backend::new("a", "10.0.0.1:80"));
/// let before = registry.snapshot();
/// registry.register(Backend::new("b", "10.0.0.2:80"));
///
/// assert_eq!(before.len(), 1);
/// assert!(registry.snapshot().version() > before.version());
/// assert!(registry.snapshot().get("b").is_some());
/// ```
pub struct Snapshot<T: Member, P: Platform = Std> {
    list: P::Arc<List<T, P>>,
}

impl<T: Member> Snapshot<T> {
    /// A list made by hand, of version 0: for tests, and for strategies over lists that come from elsewhere.
    ///
    /// The members are taken as given, in order; an id that occurs twice stays twice.
    pub fn from_members(members: Vec<Arc<T>>) -> Self {
        Self::on_platform(members)
    }
}

impl<T: Member, P: Platform> Snapshot<T, P> {
    /// [`from_members`](Snapshot::from_members) on any platform.
    pub fn on_platform(members: Vec<Arc<T>>) -> Self {
        Self::from_list(P::Arc::new(List::by_hand(members)))
    }

    pub(crate) fn from_list(list: P::Arc<List<T, P>>) -> Self {
        Self { list }
    }

    /// The version: 0 for a registry's first list, and one more with each publication (after 2⁶⁴ it starts over). A
    /// change that changes nothing publishes nothing. A filtered list has the version of the list it came from.
    pub fn version(&self) -> u64 {
        self.list.version()
    }

    /// The member with this id.
    ///
    /// In a short list a scan; in a longer one (more than 32) the first call on a list builds an index, O(n), and the
    /// calls after that are O(1). Runs your `id`, `Hash` and `Eq`, and hands on their panic.
    pub fn get(&self, id: &T::Id) -> Option<&Arc<T>> {
        self.list.position(id).map(|position| &self[position])
    }

    /// The members that satisfy `keep`, in the same order: filter first, then pick, and every eligible member gets the
    /// same share. O(n). `keep` runs under no lock.
    pub fn filter(&self, keep: impl FnMut(&Arc<T>) -> bool) -> Self {
        Self::from_list(P::Arc::new(self.list.filtered(keep)))
    }

    /// Whether both are the very same list.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.list.ptr_eq(&other.list)
    }

    /// A number that no other list of the process has.
    pub(crate) fn identity(&self) -> u64 {
        self.list.identity()
    }

    /// Whether this is an older list than one of that version of the same registry. Versions wrap.
    pub(crate) fn is_older_than(&self, version: u64) -> bool {
        (self.version().wrapping_sub(version) as i64) < 0
    }

    pub(crate) fn position(&self, id: &T::Id) -> Option<usize> {
        self.list.position(id)
    }

    /// For each member a number that it keeps as long as it is registered.
    pub(crate) fn places(&self) -> &[u64] {
        self.list.places()
    }

    pub(crate) fn origin(&self) -> list::Origin {
        self.list.origin()
    }
}

impl<T: Member, P: Platform> Deref for Snapshot<T, P> {
    type Target = [Arc<T>];

    fn deref(&self) -> &[Arc<T>] {
        self.list.members()
    }
}

impl<'a, T: Member, P: Platform> IntoIterator for &'a Snapshot<T, P> {
    type Item = &'a Arc<T>;
    type IntoIter = std::slice::Iter<'a, Arc<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Member, P: Platform> Clone for Snapshot<T, P> {
    fn clone(&self) -> Self {
        Self { list: self.list.clone() }
    }
}

impl<T: Member + fmt::Debug, P: Platform> fmt::Debug for Snapshot<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("version", &self.version()).field("members", &&self[..]).finish()
    }
}
