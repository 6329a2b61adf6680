//! What a control plane says: [`Update`] of one service, [`DirectoryUpdate`] of many.

use std::borrow::{Borrow, ToOwned};
use std::collections::BTreeMap;
use std::fmt;

use snapring::Member;

/// What joined and what left.
pub struct Delta<T: Member> {
    /// New members, and new contents of present ones.
    pub added: Vec<T>,
    /// The ids of members that left. An id that is nobody's is passed over. One that is in `added` too stays, in place.
    pub removed: Vec<<T::Id as ToOwned>::Owned>,
}

/// An update of the list of one service.
pub enum Update<T: Member> {
    /// The whole list. If an id occurs several times, it counts once, at its first place with its last contents.
    List {
        /// Must be greater than that of the last update taken.
        version: u64,
        /// Everybody.
        members: Vec<T>,
    },
    /// A change of the list.
    Delta {
        /// The version of the list it changes: that of the last update taken.
        base: u64,
        /// As for a list.
        version: u64,
        /// The change.
        delta: Delta<T>,
    },
}

/// An update of the services of a directory. One version is for all of them.
pub enum DirectoryUpdate<T: Member> {
    /// All services, each with its whole list.
    List {
        /// Must be greater than that of the last update taken.
        version: u64,
        /// By name.
        services: BTreeMap<String, Vec<T>>,
    },
    /// A change of some services.
    Delta {
        /// The version of the state it changes: that of the last update taken.
        base: u64,
        /// As for a list.
        version: u64,
        /// What joined and left, by the name of the service. One that is new here begins empty.
        services: BTreeMap<String, Delta<T>>,
        /// Services that are gone. One that is in `services` too is not.
        gone: Vec<String>,
    },
}

/// By hand: a derived one would not know that owned ids can be copied.
impl<T: Member + Clone> Clone for Delta<T> {
    fn clone(&self) -> Self {
        let removed = self.removed.iter().map(|id| Borrow::<T::Id>::borrow(id).to_owned()).collect();
        Self { added: self.added.clone(), removed }
    }
}

impl<T: Member + Clone> Clone for Update<T> {
    fn clone(&self) -> Self {
        match self {
            Self::List { version, members } => Self::List { version: *version, members: members.clone() },
            Self::Delta { base, version, delta } => {
                Self::Delta { base: *base, version: *version, delta: delta.clone() }
            }
        }
    }
}

impl<T: Member + Clone> Clone for DirectoryUpdate<T> {
    fn clone(&self) -> Self {
        match self {
            Self::List { version, services } => Self::List { version: *version, services: services.clone() },
            Self::Delta { base, version, services, gone } => {
                Self::Delta { base: *base, version: *version, services: services.clone(), gone: gone.clone() }
            }
        }
    }
}

impl<T: Member + fmt::Debug> fmt::Debug for Delta<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let removed: Vec<&T::Id> = self.removed.iter().map(Borrow::borrow).collect();
        f.debug_struct("Delta").field("added", &self.added).field("removed", &removed).finish()
    }
}

impl<T: Member + fmt::Debug> fmt::Debug for Update<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List { version, members } => {
                f.debug_struct("List").field("version", version).field("members", members).finish()
            }
            Self::Delta { base, version, delta } => {
                f.debug_struct("Delta").field("base", base).field("version", version).field("delta", delta).finish()
            }
        }
    }
}

impl<T: Member + fmt::Debug> fmt::Debug for DirectoryUpdate<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List { version, services } => {
                f.debug_struct("List").field("version", version).field("services", services).finish()
            }
            Self::Delta { base, version, services, gone } => f
                .debug_struct("Delta")
                .field("base", base)
                .field("version", version)
                .field("services", services)
                .field("gone", gone)
                .finish(),
        }
    }
}
