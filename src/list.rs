//! The immutable list behind every snapshot, and what the roster needs of a list.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use hashbrown::HashTable;

use crate::Member;
use crate::platform::{Platform, Witness};

/// Lists up to this length are scanned for an id; the index of a longer one pays for itself from the second look.
const SCANNED: usize = 32;

/// Which registry a list came from: lists of two registries are never candidates of one rotation, even if the same ids
/// occur in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    registry: u64,
    /// Whether the list is all that the registry had.
    whole: bool,
}

impl Origin {
    /// Lists made by hand.
    pub(crate) const NONE: Self = Self { registry: 0, whole: false };

    /// Relaxed: only uniqueness matters.
    pub(crate) fn next() -> Self {
        static ORIGINS: AtomicU64 = AtomicU64::new(1);
        Self { registry: ORIGINS.fetch_add(1, Ordering::Relaxed), whole: true }
    }

    /// Of a list with some of the members.
    pub(crate) fn filtered(self) -> Self {
        Self { whole: false, ..self }
    }

    /// Whether lists of these origins may be of one candidate set: if there are members in both, unless that is sure.
    pub(crate) fn is_kin(self, other: Self, overlap: impl FnOnce() -> bool) -> bool {
        self.registry == other.registry && (self.whole && other.whole || overlap())
    }
}

/// An immutable list that changes by making another one.
pub(crate) trait Sequence<T: Member>: Send + Sync + Sized + 'static {
    /// A list of these members.
    fn of(members: Vec<Arc<T>>, version: u64, origin: Origin) -> Self;
    fn len(&self) -> usize;
    fn iter(&self) -> impl Iterator<Item = &Arc<T>>;
    /// The next version, with one more at the end.
    fn appended(&self, member: Arc<T>) -> Self;
    /// The next version, with another member in this place.
    fn replaced(&self, at: usize, member: Arc<T>) -> Self;
    /// The next version, without the member at this place.
    fn removed(&self, at: usize) -> Self;
    /// The next version, of these members. The first ones are survivors, which were at these places.
    fn rebuilt(&self, members: Vec<Arc<T>>, survivors: &[u32]) -> Self;
}

impl<T: Member, P: Platform> Sequence<T> for List<T, P> {
    fn of(members: Vec<Arc<T>>, version: u64, origin: Origin) -> Self {
        Self::new(members, version, origin)
    }

    fn len(&self) -> usize {
        self.members().len()
    }

    fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.members().iter()
    }

    fn appended(&self, member: Arc<T>) -> Self {
        self.next(self.members(), Some(member), &[])
    }

    fn replaced(&self, at: usize, member: Arc<T>) -> Self {
        self.next(&self.members()[..at], Some(member), &self.members()[at + 1..])
    }

    fn removed(&self, at: usize) -> Self {
        self.next(&self.members()[..at], None, &self.members()[at + 1..])
    }

    fn rebuilt(&self, members: Vec<Arc<T>>, _survivors: &[u32]) -> Self {
        Self::new(members, self.version.wrapping_add(1), self.origin)
    }
}

/// Members in order, with the version that published them.
pub(crate) struct List<T: Member, P: Platform> {
    members: Box<[Arc<T>]>,
    version: u64,
    origin: Origin,
    /// Which list this is: given when somebody asks, 0 until then.
    identity: AtomicU64,
    /// Positions by id, made when somebody asks. Built outside of it and then set, so that no user code runs inside.
    index: OnceLock<Index>,
    witness: P::Witness,
}

struct Index {
    positions: HashTable<u32>,
    hasher: RandomState,
}

impl<T: Member, P: Platform> List<T, P> {
    pub(crate) fn new(members: Vec<Arc<T>>, version: u64, origin: Origin) -> Self {
        let members = members.into_boxed_slice();
        let (identity, index) = (AtomicU64::new(0), OnceLock::new());
        Self { members, version, origin, identity, index, witness: P::Witness::new() }
    }

    fn next(&self, before: &[Arc<T>], between: Option<Arc<T>>, behind: &[Arc<T>]) -> Self {
        let mut members = Vec::with_capacity(before.len() + 1 + behind.len());
        members.extend_from_slice(before);
        members.extend(between);
        members.extend_from_slice(behind);
        Self::new(members, self.version.wrapping_add(1), self.origin)
    }

    #[inline]
    pub(crate) fn members(&self) -> &[Arc<T>] {
        self.witness.touch();
        &self.members
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn origin(&self) -> Origin {
        self.origin
    }

    /// A number that no other list of the process has, for who wants to know this one again without keeping it.
    ///
    /// Relaxed: the number is all that is handed over, and every caller gets the one that was stored first.
    pub(crate) fn identity(&self) -> u64 {
        static IDENTITIES: AtomicU64 = AtomicU64::new(1);
        match self.identity.load(Ordering::Relaxed) {
            0 => {
                let new = IDENTITIES.fetch_add(1, Ordering::Relaxed);
                let stored = self.identity.compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed);
                stored.map_or_else(|earlier| earlier, |_| new)
            }
            known => known,
        }
    }

    /// Where the (first) member with this id is.
    pub(crate) fn position(&self, id: &T::Id) -> Option<usize> {
        let members = self.members();
        if members.len() <= SCANNED {
            return members.iter().position(|member| member.id() == id);
        }
        let index = match self.index.get() {
            Some(index) => index,
            None => {
                let index = self.build();
                self.index.get_or_init(|| index)
            }
        };
        let hash = index.hasher.hash_one(id);
        index.positions.find(hash, |&at| members[at as usize].id() == id).map(|&at| at as usize)
    }

    fn build(&self) -> Index {
        let members = self.members();
        let hasher = RandomState::new();
        let hash = |at: u32| hasher.hash_one(members[at as usize].id());
        let mut positions = HashTable::with_capacity(members.len());
        for at in 0..members.len() as u32 {
            let id = members[at as usize].id();
            positions
                .entry(hash(at), |&other: &u32| members[other as usize].id() == id, |&other| hash(other))
                .or_insert(at);
        }
        Index { positions, hasher }
    }
}
