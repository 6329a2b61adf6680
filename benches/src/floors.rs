//! What no registry can beat: a list of one's own, and a turn that nobody else counts.
//!
//! A slice and a local counter that wraps by comparison is as little as taking turns can cost. What is done with the
//! member differs: registries hand out clones, so the floor to compare them with clones as well.

use std::fmt::Debug;
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use snapring::Backend;

use crate::adapters::{Contender, Picker};
use crate::window::Padded;

/// How a floor picks.
pub trait Manner: Debug + Send + Sync + 'static {
    /// Whether all threads have the same members, or each its own.
    const SHARED: bool;

    /// What is done with the member whose turn it is.
    fn take(member: &Arc<Backend>);
}

/// Clones members that all threads share: what their reference counts cost, without any shared counter.
#[derive(Debug)]
pub enum CloneShared {}

/// Clones members of one's own: two locked instructions, and no line of memory is shared.
#[derive(Debug)]
pub enum CloneOwn {}

/// Borrows members of one's own: no locked instruction at all.
#[derive(Debug)]
pub enum BorrowOwn {}

impl Manner for CloneShared {
    const SHARED: bool = true;

    #[inline]
    fn take(member: &Arc<Backend>) {
        drop(black_box(member.clone()));
    }
}

impl Manner for CloneOwn {
    const SHARED: bool = false;

    #[inline]
    fn take(member: &Arc<Backend>) {
        drop(black_box(member.clone()));
    }
}

impl Manner for BorrowOwn {
    const SHARED: bool = false;

    #[inline]
    fn take(member: &Arc<Backend>) {
        black_box(member);
    }
}

/// A contender whose list never changes and whose threads take turns on their own.
#[derive(Debug)]
pub struct Floor<M> {
    members: Vec<Arc<Backend>>,
    manner: PhantomData<M>,
}

impl<M: Manner> Contender for Floor<M> {
    type Picker<'a> = Turns<M>;

    fn new(members: Vec<Backend>) -> Self {
        Self { members: members.into_iter().map(Arc::new).collect(), manner: PhantomData }
    }

    fn picker(&self, thread: usize) -> Turns<M> {
        let own = |member: &Arc<Backend>| Arc::new(Backend::clone(member));
        let members: Vec<_> = if M::SHARED { self.members.clone() } else { self.members.iter().map(own).collect() };
        let due = thread * 7919 % members.len(); // not in step with the others
        Turns { members, due, manner: PhantomData }
    }

    fn add(&self, _member: Backend) {}

    fn remove(&self, _id: &str) {}
}

/// One thread's list and turn.
#[derive(Debug)]
pub struct Turns<M> {
    members: Vec<Arc<Backend>>,
    due: usize,
    manner: PhantomData<M>,
}

impl<M> Turns<M> {
    #[inline]
    fn next(&mut self) -> &Arc<Backend> {
        let pick = &self.members[self.due];
        self.due = if self.due + 1 == self.members.len() { 0 } else { self.due + 1 };
        pick
    }
}

impl<M: Manner> Picker for Turns<M> {
    #[inline]
    fn pick(&mut self) {
        M::take(self.next());
    }
}

/// Takes a shared ticket and lends a member of one's own list: what taking turns exactly, over a list that never
/// changes, cannot cost less than.
#[derive(Debug)]
pub struct SharedTicket {
    members: Vec<Arc<Backend>>,
    count: Padded<AtomicUsize>,
}

impl Contender for SharedTicket {
    type Picker<'a> = Ticketed<'a>;

    fn new(members: Vec<Backend>) -> Self {
        Self { members: members.into_iter().map(Arc::new).collect(), count: Padded(AtomicUsize::new(0)) }
    }

    fn picker(&self, _thread: usize) -> Ticketed<'_> {
        Ticketed { members: self.members.clone(), count: &self.count.0 }
    }

    fn add(&self, _member: Backend) {}

    fn remove(&self, _id: &str) {}
}

/// One thread's list, and the count that all threads share.
#[derive(Debug)]
pub struct Ticketed<'a> {
    members: Vec<Arc<Backend>>,
    count: &'a AtomicUsize,
}

impl Picker for Ticketed<'_> {
    #[inline]
    fn pick(&mut self) {
        let ticket = self.count.fetch_add(1, Ordering::Relaxed);
        black_box(&self.members[ticket % self.members.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::backends;

    #[test]
    fn turns_go_over_all_members() {
        let floor = Floor::<BorrowOwn>::new(backends(3));
        let mut turns = floor.picker(0);
        let picks: Vec<_> = (0..4).map(|_| turns.next().id().to_owned()).collect();
        assert_eq!(picks, ["b0", "b1", "b2", "b0"]);
    }

    #[test]
    fn threads_share_members_or_not() {
        let (shared, own) = (Floor::<CloneShared>::new(backends(1)), Floor::<CloneOwn>::new(backends(1)));
        assert!(Arc::ptr_eq(shared.picker(0).next(), shared.picker(1).next()));
        assert!(!Arc::ptr_eq(own.picker(0).next(), own.picker(1).next()));
    }
}
