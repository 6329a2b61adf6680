//! A list in chunks: what is appended to shares all but the last chunk with the list it came from.
//!
//! Appending costs n/64 reference counts and one chunk instead of n reference counts; replacing costs one chunk. Removing
//! closes the gap, so it copies the chunks behind it. Reading costs one more hop than a slice.

use std::sync::{Arc, OnceLock};

use crate::Member;
use crate::list::{List, Origin, Sequence};
use crate::platform::{Platform, Shared, Witness};

const CHUNK: usize = 64;

/// Members in order. Each has a *place*, a number that it keeps as long as it is registered, replacement included.
/// Places grow along the list, so a member can be found again in any later list.
pub(crate) struct Chunks<T: Member, P: Platform> {
    /// All but the last one are full.
    chunks: Box<[Chunk<T>]>,
    len: usize,
    next_place: u64,
    version: u64,
    origin: Origin,
    /// The same as a slice, made when somebody asks for a snapshot.
    flat: OnceLock<P::Arc<List<T, P>>>,
    witness: P::Witness,
}

pub(crate) type Chunk<T> = Arc<Part<T>>;

/// Up to 64 members and their places, behind one reference count. Members apart from places, so that who reads members
/// reads nothing else; in an array, so that they are one hop away.
pub(crate) struct Part<T> {
    members: [Option<Arc<T>>; CHUNK],
    places: [u64; CHUNK],
    len: usize,
}

impl<T> Part<T> {
    fn of(items: impl Iterator<Item = (Arc<T>, u64)>) -> Self {
        let mut part = Self { members: [const { None }; CHUNK], places: [0; CHUNK], len: 0 };
        for (member, place) in items.take(CHUNK) {
            part.members[part.len] = Some(member);
            part.places[part.len] = place;
            part.len += 1;
        }
        part
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The members: all of these are `Some`.
    pub(crate) fn slots(&self) -> &[Option<Arc<T>>] {
        &self.members[..self.len]
    }

    fn members(&self) -> impl Iterator<Item = &Arc<T>> {
        self.slots().iter().flatten()
    }

    fn places(&self) -> &[u64] {
        &self.places[..self.len]
    }

    fn items(&self) -> impl Iterator<Item = (Arc<T>, u64)> {
        self.members().cloned().zip(self.places.iter().copied())
    }
}

impl<T: Member, P: Platform> Chunks<T, P> {
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The member at this position.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&Arc<T>> {
        self.witness.touch();
        self.chunks.get(at / CHUNK)?.members[at % CHUNK].as_ref()
    }

    /// The chunk of this position, and where in it that is.
    #[inline]
    pub(crate) fn chunk(&self, at: usize) -> Option<(&Chunk<T>, usize)> {
        Some((self.chunks.get(at / CHUNK)?, at % CHUNK))
    }

    /// Tells the model checker that the list is being read.
    #[inline]
    pub(crate) fn touch(&self) {
        self.witness.touch();
    }

    /// The place of the member at this position.
    pub(crate) fn place(&self, at: usize) -> u64 {
        self.chunks[at / CHUNK].places()[at % CHUNK]
    }

    /// How many members have a lower place: the position of the one that has this place, if it is there.
    pub(crate) fn below(&self, place: u64) -> usize {
        let full = self.chunks.partition_point(|chunk| chunk.places().last().is_some_and(|last| *last < place));
        let rest = self.chunks.get(full).map_or(0, |chunk| chunk.places().partition_point(|other| *other < place));
        (full * CHUNK + rest).min(self.len) // the last chunk may not be full
    }

    /// As a slice. The first call copies the list, O(n); nobody waits for it.
    pub(crate) fn flat(&self) -> P::Arc<List<T, P>> {
        if let Some(flat) = self.flat.get() {
            return flat.clone();
        }
        self.witness.touch();
        let (members, places) = self.chunks.iter().flat_map(|chunk| chunk.items()).unzip();
        let flat = List::with_places(members, places, self.next_place, self.version, self.origin);
        let flat = P::Arc::new(flat);
        self.flat.get_or_init(|| flat).clone()
    }

    /// The next version: the first `kept` chunks, and then these members.
    fn with_tail(&self, kept: usize, tail: impl IntoIterator<Item = (Arc<T>, u64)>, next_place: u64) -> Self {
        let mut tail = tail.into_iter().peekable();
        let mut chunks = Vec::with_capacity(self.chunks.len() + 1);
        chunks.extend_from_slice(&self.chunks[..kept]);
        let mut len = kept * CHUNK;
        while tail.peek().is_some() {
            let chunk = Arc::new(Part::of(&mut tail));
            len += chunk.len();
            chunks.push(chunk);
        }
        self.next(chunks.into(), len, next_place)
    }

    fn next(&self, chunks: Box<[Chunk<T>]>, len: usize, next_place: u64) -> Self {
        Self {
            chunks,
            len,
            next_place,
            version: self.version.wrapping_add(1),
            origin: self.origin,
            flat: OnceLock::new(),
            witness: P::Witness::new(),
        }
    }
}

impl<T: Member, P: Platform> Sequence<T> for Chunks<T, P> {
    fn of(members: Vec<Arc<T>>, version: u64, origin: Origin) -> Self {
        let (flat, witness) = (OnceLock::new(), P::Witness::new());
        let version = version.wrapping_sub(1);
        let empty = Self { chunks: Box::default(), len: 0, next_place: 0, version, origin, flat, witness };
        empty.rebuilt(members, &[])
    }

    fn len(&self) -> usize {
        self.len
    }

    fn version(&self) -> u64 {
        self.version
    }

    fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.witness.touch();
        self.chunks.iter().flat_map(|chunk| chunk.members())
    }

    fn appended(&self, member: Arc<T>) -> Self {
        let full = self.len / CHUNK;
        let tail = self.chunks[full..].iter().flat_map(|chunk| chunk.items());
        self.with_tail(full, tail.chain([(member, self.next_place)]), self.next_place + 1)
    }

    fn replaced(&self, at: usize, member: Arc<T>) -> Self {
        let mut chunks = self.chunks.clone();
        let old = &chunks[at / CHUNK];
        let mut part = Part { members: old.members.clone(), ..**old };
        part.members[at % CHUNK] = Some(member);
        chunks[at / CHUNK] = Arc::new(part);
        self.next(chunks, self.len, self.next_place)
    }

    fn removed(&self, at: usize) -> Self {
        let kept = at / CHUNK;
        let tail = self.chunks[kept..].iter().flat_map(|chunk| chunk.items());
        let tail = tail.enumerate().filter(|(offset, _)| *offset != at % CHUNK).map(|(_, item)| item);
        self.with_tail(kept, tail, self.next_place)
    }

    fn rebuilt(&self, members: Vec<Arc<T>>, survivors: &[u32]) -> Self {
        let old = survivors.iter().map(|at| self.place(*at as usize));
        let added = members.len() - survivors.len();
        let new = self.next_place..self.next_place + added as u64;
        let end = new.end;
        self.with_tail(0, members.into_iter().zip(old.chain(new)), end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Std};

    type Listed = Chunks<Backend, Std>;

    fn backend(id: usize) -> Arc<Backend> {
        Arc::new(Backend::new(id.to_string(), ""))
    }

    fn of(n: usize) -> Listed {
        (0..n).fold(Listed::of(Vec::new(), 0, Origin::NONE), |list, id| list.appended(backend(id)))
    }

    fn ids(list: &Listed) -> Vec<String> {
        let by_position: Vec<_> = (0..list.len()).map(|at| list.get(at).unwrap().id().to_owned()).collect();
        let iterated: Vec<_> = list.iter().map(|member| member.id().to_owned()).collect();
        assert_eq!(by_position, iterated);
        assert!(list.get(list.len()).is_none());
        by_position
    }

    #[test]
    fn it_is_a_list_whatever_its_length() {
        for n in [0, 1, 63, 64, 65, 128, 200] {
            let list = of(n);
            let expected: Vec<_> = (0..n).map(|id| id.to_string()).collect();
            assert_eq!(ids(&list), expected);
            assert_eq!(list.version(), n as u64);
            for at in [0, n / 2, n.saturating_sub(1)] {
                if at < n {
                    let mut without = expected.clone();
                    without.remove(at);
                    assert_eq!(ids(&list.removed(at)), without);
                    let mut with = expected.clone();
                    with[at] = "x".into();
                    let replaced = list.replaced(at, Arc::new(Backend::new("x", "")));
                    assert_eq!(ids(&replaced), with);
                    assert_eq!(replaced.version(), n as u64 + 1);
                }
            }
            assert_eq!(ids(&list), expected, "the old list does not change");
        }
    }

    #[test]
    fn places_find_a_member_again() {
        let list = of(200);
        let place = list.place(150);
        let later = list.removed(3).removed(10).appended(backend(1000));
        assert_eq!(later.below(place), 148);
        assert_eq!(later.get(148).unwrap().id(), "150");
        assert_eq!(later.below(list.place(3)), 3, "who is gone: where it was");
        assert_eq!(later.below(u64::MAX), later.len());
        let survivors: Vec<_> = (100..199).collect();
        let members: Vec<_> = survivors.iter().map(|at| later.get(*at as usize).unwrap().clone()).collect();
        let rebuilt = later.rebuilt(members, &survivors);
        assert_eq!(rebuilt.get(rebuilt.below(place)).unwrap().id(), "150");
    }
}
