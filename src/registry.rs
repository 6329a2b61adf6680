//! The [`Registry`] trait and its implementations.
//!
//! [`roster`] is what all of them share: who is registered, how a change is made without running user code under a
//! lock. What differs is the [`Rotation`](rotation::Rotation): how pickers reach the list and take turns.

use std::sync::Arc;

use crate::platform::{Platform, Std};
use crate::{Changes, Member, NoBackends, Registration, Snapshot, Stale, Token};

pub(crate) mod roster;
pub(crate) mod rotation;

pub(crate) mod arc_swap;
pub(crate) mod epoch;
pub(crate) mod handle;
pub(crate) mod mutex;
pub(crate) mod rwlock;

/// A list of members that many threads read on every request while a few threads change it.
///
/// # The contract of `next`: an exact ring
///
/// A registry is an ordered list and a cursor. [`next`](Self::next) returns the member at the cursor and moves on, after
/// the last to the first. Every implementation is linearizable against that: each call takes effect at one moment
/// between its beginning and its end, across all changes and any wrap of a counter.
///
/// | change | effect on the list | who is due next |
/// |---|---|---|
/// | register a new id | appended | unchanged; the new one if the list was empty |
/// | register an equal member | none, nothing is published | unchanged |
/// | register other contents for an id | replaced in place | unchanged |
/// | deregister | the gap closes | unchanged; the successor if the one due left; after the last, the first |
/// | `replace_all` | survivors in their order, then the new ones | the one due, or its first surviving successor |
///
/// Only `next` moves the cursor. [`snapshot`](Self::snapshot) is linearizable with the changes and the picks that
/// *happened before* it (that is, whose end reached the calling thread through any synchronisation).
///
/// # User code
///
/// Nothing of yours (`id`, `==`, `Hash`, `Drop`) ever runs under a lock of the registry. A change looks at the list,
/// calls your code without a lock, and then applies the result if nobody changed a member of that id meanwhile; else it
/// looks again. A member's `Drop` runs on the thread that lets go of it last: whoever holds a pick or a snapshot, else a
/// thread that changes or drops the registry, see each implementation. A panic of your code reaches the caller it
/// happened in and leaves the registry as it was before the step.
///
/// # Progress
///
/// Changes exclude each other with a lock that is held for one copy of the list, O(n) without user code; a change
/// retries only when another one has changed a member of the same id in between. What `next` does about it is stated
/// for each implementation.
///
/// # Using it as an object
///
/// The trait is object safe, and `&R`, `Box<R>` and `Arc<R>` are registries if `R` is one:
///
/// ```
/// use std::sync::Arc;
/// use snapring::{ArcSwapRegistry, Backend, NoBackends, Registry};
///
/// let registry: Arc<dyn Registry<Backend>> = Arc::new(ArcSwapRegistry::<Backend>::new());
/// assert_eq!(registry.next(), Err(NoBackends));
/// registry.register(Backend::new("a", "10.0.0.1:80"));
/// registry.register(Backend::new("b", "10.0.0.2:80"));
/// let picks: Vec<_> = (0..3).map(|_| registry.next().unwrap().id().to_owned()).collect();
/// assert_eq!(picks, ["a", "b", "a"]);
/// ```
#[allow(clippy::should_implement_trait, reason = "the field calls it next; a registry is no iterator, it never ends")]
pub trait Registry<T: Member, P: Platform = Std>: Send + Sync {
    /// Registers a member: adds it at the end, replaces the one with the same id in place, or finds an equal one and
    /// does nothing.
    ///
    /// The token of the answer revokes this registration; after [`Outcome::Unchanged`](crate::Outcome::Unchanged) it
    /// revokes nothing. O(n) for the copy of the list, O(1) if nothing changes.
    ///
    /// # Panics
    ///
    /// If the registry is full, before anything changed: at 2²⁷ (134,217,728) members.
    fn register(&self, member: T) -> Registration<T>;

    /// Removes whoever holds this id now, and returns it; `None` if nobody does.
    ///
    /// No `next` that begins after this returned hands it out. O(n).
    fn deregister(&self, id: &T::Id) -> Option<Arc<T>>;

    /// Removes what the registration with this token put there, and nothing that came later. O(n).
    ///
    /// # Errors
    ///
    /// [`Stale`] if that member was removed or replaced since, if the registration changed nothing, or if the token
    /// comes from another registry.
    fn revoke(&self, token: &Token) -> Result<Arc<T>, Stale>;

    /// Makes this the list, in one publication: survivors stay in their old order, then come the new ones as given.
    ///
    /// Equal survivors keep their tokens. If an id occurs several times, it counts once, at its first place with its
    /// last contents. If nothing changes, nothing is published. An empty list really empties the registry. O(n + m).
    ///
    /// # Panics
    ///
    /// As [`register`](Self::register).
    fn replace_all(&self, members: Vec<T>) -> Changes;

    /// The list as it is now. It never changes, and it costs one reference count to take and one list to hold.
    fn snapshot(&self) -> Snapshot<T, P>;

    /// The member whose turn it is, see [the contract](Self#the-contract-of-next-an-exact-ring).
    ///
    /// # Errors
    ///
    /// [`NoBackends`] if nobody is registered.
    fn next(&self) -> Result<Arc<T>, NoBackends>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<T: Member, P: Platform, R: Registry<T, P> + ?Sized> Registry<T, P> for $pointer {
            fn register(&self, member: T) -> Registration<T> { (**self).register(member) }
            fn deregister(&self, id: &T::Id) -> Option<Arc<T>> { (**self).deregister(id) }
            fn revoke(&self, token: &Token) -> Result<Arc<T>, Stale> { (**self).revoke(token) }
            fn replace_all(&self, members: Vec<T>) -> Changes { (**self).replace_all(members) }
            fn snapshot(&self) -> Snapshot<T, P> { (**self).snapshot() }
            #[inline]
            fn next(&self) -> Result<Arc<T>, NoBackends> { (**self).next() }
        }
    )*};
}

forward!(&R, Box<R>, Arc<R>);

/// Where a registry begins: for tests near a wrap, and for clients that should not all start at the same member.
///
/// ```
/// use snapring::{Backend, MutexRegistry, Registry, Start};
///
/// let members = vec![Backend::new("a", "10.0.0.1:80"), Backend::new("b", "10.0.0.2:80")];
/// let registry = MutexRegistry::with_start(members, Start { count: 1, ..Start::default() });
/// assert_eq!(registry.next().unwrap().id(), "b");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The version of the first list.
    pub version: u64,
    /// How many picks there have been already: the first one is for the member at `count % n`. A registry that keeps
    /// a count starts with it, reduced by whole laps if it does not fit.
    pub count: u64,
    /// How many bits of the ticket word hold the count; the rest, but for one, hold the version. At least 2, at most 28
    /// (other values are clamped). The default of 28 leaves 35 bits for the version. A registry holds at most
    /// 2^(bits − 1) members.
    pub count_bits: u32,
}

impl Default for Start {
    fn default() -> Self {
        Self { version: 0, count: 0, count_bits: Self::COUNT_BITS }
    }
}

impl Start {
    pub(crate) const COUNT_BITS: u32 = 28;

    pub(crate) fn bits(&self) -> u32 {
        self.count_bits.clamp(2, Self::COUNT_BITS)
    }

    /// How many members fit: the highest count, rounded down to a power of two, leaves as many again for picks that
    /// took a ticket and have not folded the count yet.
    pub(crate) fn capacity(&self) -> usize {
        1 << (self.bits() - 1)
    }
}

/// A registry is a roster over some rotation, under its own name.
macro_rules! registry {
    ($(#[$attribute:meta])* $name:ident<T, P $(, $extra:ident: $bound:path)?> over $rotation:ty) => {
        $(#[$attribute])*
        pub struct $name<T: $crate::Member, $($extra: $bound,)? P: $crate::platform::Platform = $crate::platform::Std> {
            roster: $crate::registry::roster::Roster<T, P, $rotation>,
        }

        impl<T: $crate::Member $(, $extra: $bound)?> $name<T, $($extra)?> {
            /// An empty registry of version 0.
            pub fn new() -> Self {
                Self::on_platform()
            }

            /// A registry of these members (as by [`replace_all`](crate::Registry::replace_all)) that begins where
            /// `start` says.
            ///
            /// # Panics
            ///
            /// If there are more members than fit, see [`Start::count_bits`](crate::Start).
            pub fn with_start(members: Vec<T>, start: $crate::Start) -> Self {
                Self::on_platform_with_start(members, start)
            }
        }

        impl<T: $crate::Member, $($extra: $bound,)? P: $crate::platform::Platform> $name<T, $($extra,)? P> {
            /// An empty registry on any platform.
            pub fn on_platform() -> Self {
                Self::on_platform_with_start(Vec::new(), $crate::Start::default())
            }

            /// [`with_start`](Self::with_start) on any platform.
            ///
            /// # Panics
            ///
            /// As [`with_start`](Self::with_start).
            pub fn on_platform_with_start(members: Vec<T>, start: $crate::Start) -> Self {
                Self { roster: $crate::registry::roster::Roster::new(members, start) }
            }
        }

        impl<T: $crate::Member, $($extra: $bound,)? P: $crate::platform::Platform> $crate::Registry<T, P>
            for $name<T, $($extra,)? P>
        {
            fn register(&self, member: T) -> $crate::Registration<T> {
                self.roster.register(member)
            }

            fn deregister(&self, id: &T::Id) -> Option<::std::sync::Arc<T>> {
                self.roster.deregister(id)
            }

            fn revoke(&self, token: &$crate::Token) -> Result<::std::sync::Arc<T>, $crate::Stale> {
                self.roster.revoke(token)
            }

            fn replace_all(&self, members: Vec<T>) -> $crate::Changes {
                self.roster.replace_all(members)
            }

            fn snapshot(&self) -> $crate::Snapshot<T, P> {
                self.roster.snapshot()
            }

            #[inline]
            fn next(&self) -> Result<::std::sync::Arc<T>, $crate::NoBackends> {
                self.roster.next()
            }
        }

        impl<T: $crate::Member $(, $extra: $bound)?> Default for $name<T, $($extra)?> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<T: $crate::Member, $($extra: $bound,)? P: $crate::platform::Platform> ::std::fmt::Debug
            for $name<T, $($extra,)? P>
        {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let snapshot = self.roster.snapshot();
                f.debug_struct(stringify!($name))
                    .field("version", &snapshot.version())
                    .field("members", &snapshot.len())
                    .finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use registry;
