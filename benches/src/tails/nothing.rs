//! What timing itself costs, and what the machine does meanwhile: the line that no other can be better than.

use std::hint::black_box;

use snapring::{Backend, HandleRegistry, Registry};

use crate::adapters::{Contender, Picker};

/// A list that changes and that nobody picks from.
pub(super) struct Nothing(HandleRegistry<Backend>);

impl Contender for Nothing {
    type Picker<'a> = NoPick;

    fn new(members: Vec<Backend>) -> Self {
        let registry = HandleRegistry::new();
        registry.replace_all(members);
        Self(registry)
    }

    fn picker(&self, _thread: usize) -> NoPick {
        NoPick
    }

    fn add(&self, member: Backend) {
        self.0.register(member);
    }

    fn remove(&self, id: &str) {
        self.0.deregister(id);
    }
}

pub(super) struct NoPick;

impl Picker for NoPick {
    fn pick(&mut self) {
        black_box(());
    }
}
