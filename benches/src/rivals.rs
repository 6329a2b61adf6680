//! What people write without this crate.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use snapring::Backend;

use crate::adapters::{Contender, Picker};
use crate::window::Padded;

/// A vector behind an `ArcSwap` and a shared counter, `counter % n`: the usual way. It is no exact ring, since the
/// counter and the list are read one after the other, and a change moves the rotation.
///
/// The guard lends the member, so no reference count is paid for.
#[derive(Debug)]
pub struct ArcSwapAndCounter {
    list: ArcSwap<Vec<Arc<Backend>>>,
    count: Padded<AtomicUsize>,
    writing: Mutex<()>,
}

impl ArcSwapAndCounter {
    /// Copy, modify, store.
    fn change(&self, change: impl FnOnce(&mut Vec<Arc<Backend>>)) {
        let _alone = self.writing.lock().expect("no change panics");
        let mut list = Vec::clone(&self.list.load());
        change(&mut list);
        self.list.store(Arc::new(list));
    }

    #[inline]
    fn with_next<R>(&self, look: impl FnOnce(Option<&Arc<Backend>>) -> R) -> R {
        let list = self.list.load();
        let turn = self.count.0.fetch_add(1, Ordering::Relaxed);
        look(turn.checked_rem(list.len()).and_then(|at| list.get(at)))
    }
}

impl Contender for ArcSwapAndCounter {
    type Picker<'a> = &'a Self;

    fn new(members: Vec<Backend>) -> Self {
        let list = members.into_iter().map(Arc::new).collect();
        Self { list: ArcSwap::from_pointee(list), count: Padded(AtomicUsize::new(0)), writing: Mutex::new(()) }
    }

    fn picker(&self, _thread: usize) -> &Self {
        self
    }

    fn add(&self, member: Backend) {
        self.change(|list| list.push(Arc::new(member)));
    }

    fn remove(&self, id: &str) {
        self.change(|list| list.retain(|member| member.id() != id));
    }
}

impl Picker for &ArcSwapAndCounter {
    #[inline]
    fn pick(&mut self) {
        self.with_next(|member| {
            black_box(member);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::backends;

    #[test]
    fn it_takes_turns_and_follows_changes() {
        let rival = ArcSwapAndCounter::new(backends(2));
        let next = || rival.with_next(|member| member.map(|member| member.id().to_owned()));
        assert_eq!([next(), next(), next()].map(Option::unwrap), ["b0", "b1", "b0"]);
        rival.remove("b0");
        assert_eq!(next().unwrap(), "b1");
        rival.remove("b1");
        assert_eq!(next(), None);
        rival.add(Backend::new("new", ""));
        assert_eq!(next().unwrap(), "new");
    }
}
