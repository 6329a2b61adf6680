//! Who is looked at, and a member that is counted while it lives.

use std::sync::atomic::{AtomicI64, Ordering};

use snapring::{ArcSwapRegistry, EpochRegistry, HandleRegistry, Member, MutexRegistry, Registry, RwLockRegistry};

/// Makes a subject.
pub(super) type Make = fn() -> Box<dyn Subject>;

/// All subjects, in the order of the tables.
pub(super) const SUBJECTS: &[(&str, Make)] = &[
    ("mutex", || Box::new(Shared(MutexRegistry::<Counted>::new()))),
    ("rwlock", || Box::new(Shared(RwLockRegistry::<Counted>::new()))),
    ("epoch", || Box::new(Shared(EpochRegistry::<Counted>::new()))),
    ("arc-swap", || Box::new(Shared(ArcSwapRegistry::<Counted>::new()))),
    ("handle registry", || Box::new(Shared(HandleRegistry::<Counted>::new()))),
    ("handle", || Box::new(Exact(HandleRegistry::new()))),
    ("leased 256", || Box::new(Leased(HandleRegistry::new()))),
];

/// A registry, and how a thread picks from it.
pub(super) trait Subject: Sync {
    fn registry(&self) -> &dyn Registry<Counted>;

    /// Made on the thread that picks.
    fn reader(&self) -> Box<dyn FnMut() + '_>;
}

struct Shared<R>(R);

impl<R: Registry<Counted>> Subject for Shared<R> {
    fn registry(&self) -> &dyn Registry<Counted> {
        &self.0
    }

    fn reader(&self) -> Box<dyn FnMut() + '_> {
        Box::new(|| {
            self.0.next().ok();
        })
    }
}

struct Exact(HandleRegistry<Counted>);

impl Subject for Exact {
    fn registry(&self) -> &dyn Registry<Counted> {
        &self.0
    }

    fn reader(&self) -> Box<dyn FnMut() + '_> {
        let mut handle = self.0.handle();
        Box::new(move || {
            handle.next().ok();
        })
    }
}

struct Leased(HandleRegistry<Counted>);

impl Subject for Leased {
    fn registry(&self) -> &dyn Registry<Counted> {
        &self.0
    }

    fn reader(&self) -> Box<dyn FnMut() + '_> {
        let mut handle = self.0.leased(256);
        Box::new(move || {
            handle.next().ok();
        })
    }
}

/// Members that stay.
pub(super) const N: u32 = 256;

/// Fresh members that are alive.
static LIVE: AtomicI64 = AtomicI64::new(0);

/// How many lists are alive: each has one fresh member of its own.
pub(super) fn live() -> i64 {
    LIVE.load(Ordering::Relaxed)
}

/// A member that stays, or a fresh one.
#[derive(Debug, PartialEq)]
pub(super) struct Counted {
    id: u32,
    revision: Option<u64>,
}

impl Counted {
    /// The list to begin with: those that stay, and the first fresh one.
    pub(super) fn first_list() -> Vec<Self> {
        let that_stays = |id| Self { id, revision: None };
        (0..N).map(that_stays).chain([Self::fresh(0)]).collect()
    }

    pub(super) fn fresh(revision: u64) -> Self {
        LIVE.fetch_add(1, Ordering::Relaxed);
        Self { id: N, revision: Some(revision) }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if self.revision.is_some() {
            LIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Member for Counted {
    type Id = u32;

    fn id(&self) -> &u32 {
        &self.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_lists_are_counted_exactly() {
        let registry = MutexRegistry::<Counted>::new();
        registry.replace_all(Counted::first_list());
        assert_eq!(live(), 1);
        let held: Vec<_> = (1..4)
            .map(|revision| {
                let snapshot = registry.snapshot();
                registry.register(Counted::fresh(revision));
                snapshot
            })
            .collect();
        assert_eq!(live(), 4, "three held, and the one that is registered");
        drop(held);
        assert_eq!(live(), 1);
    }
}
