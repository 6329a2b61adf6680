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
    fn version(&self) -> u64;
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
        Self::first(members, version, origin)
    }

    fn len(&self) -> usize {
        self.members().len()
    }

    fn version(&self) -> u64 {
        self.version
    }

    fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.members().iter()
    }

    fn appended(&self, member: Arc<T>) -> Self {
        self.spliced(self.len(), self.len(), Some((member, self.next_place)), self.next_place + 1)
    }

    fn replaced(&self, at: usize, member: Arc<T>) -> Self {
        self.spliced(at, at + 1, Some((member, self.places[at])), self.next_place)
    }

    fn removed(&self, at: usize) -> Self {
        self.spliced(at, at + 1, None, self.next_place)
    }

    fn rebuilt(&self, members: Vec<Arc<T>>, survivors: &[u32]) -> Self {
        let next_place = self.next_place + (members.len() - survivors.len()) as u64;
        let old = survivors.iter().map(|at| self.places[*at as usize]);
        let places = old.chain(self.next_place..next_place).collect();
        Self::with_places(members, places, next_place, self.version.wrapping_add(1), self.origin)
    }
}

/// Members in order, with the version that published them.
pub(crate) struct List<T: Member, P: Platform> {
    members: Box<[Arc<T>]>,
    /// For each member a number that it keeps as long as it is registered, replacement included, and that nobody else of
    /// this origin has. In a list made by hand it means nothing, and is 0.
    places: Box<[u64]>,
    next_place: u64,
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
    /// A first list: everybody has just come.
    fn first(members: Vec<Arc<T>>, version: u64, origin: Origin) -> Self {
        let n = members.len() as u64;
        Self::with_places(members, (0..n).collect(), n, version, origin)
    }

    /// A list that nobody keeps.
    pub(crate) fn by_hand(members: Vec<Arc<T>>) -> Self {
        let places = vec![0; members.len()];
        Self::with_places(members, places, 0, 0, Origin::NONE)
    }

    /// A list of these members, which have these places.
    pub(crate) fn with_places(
        members: Vec<Arc<T>>,
        places: Vec<u64>,
        next_place: u64,
        version: u64,
        origin: Origin,
    ) -> Self {
        let (members, places) = (members.into_boxed_slice(), places.into_boxed_slice());
        let (identity, index) = (AtomicU64::new(0), OnceLock::new());
        Self { members, places, next_place, version, origin, identity, index, witness: P::Witness::new() }
    }

    /// The members that satisfy `keep`.
    pub(crate) fn filtered(&self, mut keep: impl FnMut(&Arc<T>) -> bool) -> Self {
        let kept = self.members().iter().zip(&self.places).filter(|(member, _)| keep(member));
        let (members, places) = kept.map(|(member, place)| (member.clone(), place)).unzip();
        Self::with_places(members, places, self.next_place, self.version, self.origin.filtered())
    }

    /// The next version: the members before `from`, perhaps one in between, and those from `to` on.
    fn spliced(&self, from: usize, to: usize, between: Option<(Arc<T>, u64)>, next_place: u64) -> Self {
        let room = from + 1 + self.len() - to;
        let (mut members, mut places) = (Vec::with_capacity(room), Vec::with_capacity(room));
        members.extend_from_slice(&self.members()[..from]);
        places.extend_from_slice(&self.places[..from]);
        if let Some((member, place)) = between {
            members.push(member);
            places.push(place);
        }
        members.extend_from_slice(&self.members()[to..]);
        places.extend_from_slice(&self.places[to..]);
        Self::with_places(members, places, next_place, self.version.wrapping_add(1), self.origin)
    }

    /// The places of the members.
    pub(crate) fn places(&self) -> &[u64] {
        &self.places
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
