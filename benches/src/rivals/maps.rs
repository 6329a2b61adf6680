//! A concurrent map from places to members. There is no list: who picks while the last member moves into a gap may find a
//! place empty, and then takes another turn.

use std::fmt::Debug;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use snapring::Backend;

use crate::adapters::{Contender, Picker};
use crate::window::Padded;

/// A map that can be read and written through a shared reference.
pub trait Map: Default + Debug + Send + Sync {
    /// The member at this place, cloned.
    fn get(&self, place: usize) -> Option<Arc<Backend>>;

    /// Puts a member there.
    fn put(&self, place: usize, member: Arc<Backend>);

    /// Leaves the place empty.
    fn clear(&self, place: usize);
}

/// Places, how many there are, and a shared counter.
#[derive(Debug)]
pub struct Slots<M> {
    map: M,
    length: Padded<AtomicUsize>,
    count: Padded<AtomicUsize>,
    writing: Mutex<()>,
}

/// Slots in a `DashMap`.
pub type DashMapSlots = Slots<dashmap::DashMap<usize, Arc<Backend>>>;

/// Slots in a map of scc.
pub type SccSlots = Slots<scc::HashMap<usize, Arc<Backend>>>;

impl Map for dashmap::DashMap<usize, Arc<Backend>> {
    #[inline]
    fn get(&self, place: usize) -> Option<Arc<Backend>> {
        dashmap::DashMap::get(self, &place).map(|member| member.value().clone())
    }

    fn put(&self, place: usize, member: Arc<Backend>) {
        self.insert(place, member);
    }

    fn clear(&self, place: usize) {
        self.remove(&place);
    }
}

impl Map for scc::HashMap<usize, Arc<Backend>> {
    #[inline]
    fn get(&self, place: usize) -> Option<Arc<Backend>> {
        self.read_sync(&place, |_, member| member.clone())
    }

    fn put(&self, place: usize, member: Arc<Backend>) {
        self.upsert_sync(place, member);
    }

    fn clear(&self, place: usize) {
        self.remove_sync(&place);
    }
}

impl<M: Map> Slots<M> {
    #[inline]
    fn next(&self) -> Option<Arc<Backend>> {
        loop {
            let turn = self.count.0.fetch_add(1, Ordering::Relaxed);
            let place = turn.checked_rem(self.length.0.load(Ordering::Acquire))?;
            if let Some(member) = self.map.get(place) {
                return Some(member);
            }
        }
    }
}

impl<M: Map> Contender for Slots<M> {
    type Picker<'a>
        = &'a Self
    where
        Self: 'a;

    fn new(members: Vec<Backend>) -> Self {
        let map = M::default();
        let length = members.len();
        for (place, member) in members.into_iter().enumerate() {
            map.put(place, Arc::new(member));
        }
        let (length, count) = (Padded(AtomicUsize::new(length)), Padded(AtomicUsize::new(0)));
        Self { map, length, count, writing: Mutex::new(()) }
    }

    fn picker(&self, _thread: usize) -> &Self {
        self
    }

    fn add(&self, member: Backend) {
        let _alone = self.writing.lock().expect("no change panics");
        let length = self.length.0.load(Ordering::Relaxed);
        self.map.put(length, Arc::new(member));
        self.length.0.store(length + 1, Ordering::Release);
    }

    fn remove(&self, id: &str) {
        let _alone = self.writing.lock().expect("no change panics");
        let length = self.length.0.load(Ordering::Relaxed);
        let is_it = |place: &usize| self.map.get(*place).is_some_and(|member| member.id() == id);
        let Some(place) = (0..length).rev().find(is_it) else { return };
        let last = self.map.get(length - 1).expect("every place below the length has a member");
        self.length.0.store(length - 1, Ordering::Release);
        self.map.put(place, last);
        self.map.clear(length - 1);
    }
}

impl<M: Map> Picker for &Slots<M> {
    #[inline]
    fn pick(&mut self) {
        drop(black_box(self.next()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::backends;

    fn takes_turns_and_follows_changes<M: Map>() {
        let slots = Slots::<M>::new(backends(3));
        let next = || slots.next().map(|member| member.id().to_owned());
        assert_eq!([next(), next(), next(), next()].map(Option::unwrap), ["b0", "b1", "b2", "b0"]);
        slots.remove("b0");
        let mut both = [next().unwrap(), next().unwrap()];
        both.sort();
        assert_eq!(both, ["b1", "b2"]);
        slots.remove("b1");
        slots.remove("b2");
        assert_eq!(next(), None);
        slots.add(Backend::new("new", ""));
        assert_eq!(next().unwrap(), "new");
    }

    #[test]
    fn both_take_turns_and_follow_changes() {
        takes_turns_and_follows_changes::<dashmap::DashMap<usize, Arc<Backend>>>();
        takes_turns_and_follows_changes::<scc::HashMap<usize, Arc<Backend>>>();
    }
}
