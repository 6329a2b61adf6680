//! [`HandleRegistry`] with a handle for each thread, which lends what it picks.

use std::hint::black_box;

use snapring::{Backend, Handle, HandleRegistry, LeasedHandle, Registry};

use crate::adapters::{Contender, Picker};

/// Picks through exact handles.
#[derive(Debug)]
pub struct Exact(HandleRegistry<Backend>);

/// Picks through handles that take `K` turns at a time.
#[derive(Debug)]
pub struct Leased<const K: usize>(HandleRegistry<Backend>);

fn registry(members: Vec<Backend>) -> HandleRegistry<Backend> {
    let registry = HandleRegistry::new();
    registry.replace_all(members);
    registry
}

impl Contender for Exact {
    type Picker<'a> = Handle<Backend>;

    fn new(members: Vec<Backend>) -> Self {
        Self(registry(members))
    }

    fn picker(&self, _thread: usize) -> Handle<Backend> {
        self.0.handle()
    }

    fn add(&self, member: Backend) {
        self.0.register(member);
    }

    fn remove(&self, id: &str) {
        self.0.deregister(id);
    }
}

impl<const K: usize> Contender for Leased<K> {
    type Picker<'a> = LeasedHandle<Backend>;

    fn new(members: Vec<Backend>) -> Self {
        Self(registry(members))
    }

    fn picker(&self, _thread: usize) -> LeasedHandle<Backend> {
        self.0.leased(K)
    }

    fn add(&self, member: Backend) {
        self.0.register(member);
    }

    fn remove(&self, id: &str) {
        self.0.deregister(id);
    }
}

impl Picker for Handle<Backend> {
    #[inline]
    fn pick(&mut self) {
        black_box(self.next()).ok();
    }
}

impl Picker for LeasedHandle<Backend> {
    #[inline]
    fn pick(&mut self) {
        black_box(self.next()).ok();
    }
}
