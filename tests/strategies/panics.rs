//! A member's `Drop` panics while a strategy lets go of the last list that had it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use snapring::strategy::{RoundRobin, ShuffleBag};
use snapring::{Member, MutexRegistry, NoBackends, Registry, Snapshot, Strategy};

/// Counted while it lives. The one of id 1 panics when it goes.
struct Mortal(u8, Arc<AtomicI64>);

impl Mortal {
    fn new(id: u8, alive: &Arc<AtomicI64>) -> Self {
        alive.fetch_add(1, SeqCst);
        Self(id, alive.clone())
    }
}

impl Member for Mortal {
    type Id = u8;

    fn id(&self) -> &u8 {
        &self.0
    }
}

impl PartialEq for Mortal {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        self.1.fetch_sub(1, SeqCst);
        assert!(self.0 != 1, "planned");
    }
}

/// Whatever the trait itself does with the latest list.
struct First;

impl Strategy<Mortal> for First {
    fn route(&self, nodes: &Snapshot<Mortal>) -> Result<Arc<Mortal>, NoBackends> {
        nodes.first().cloned().ok_or(NoBackends)
    }
}

/// The list is replaced while the strategy has it, so it drops with the strategy's call (or with the next one, of a
/// strategy that keeps its last list), together with the member that is not returned.
fn nobody_is_leaked<S: Strategy<Mortal>>(strategy: S) {
    let alive = Arc::new(AtomicI64::new(0));
    let registry = MutexRegistry::new();
    let latest = || {
        registry.replace_all(vec![Mortal::new(0, &alive), Mortal::new(1, &alive)]);
        let nodes = registry.snapshot();
        registry.replace_all(Vec::new());
        nodes
    };
    let call = || catch_unwind(AssertUnwindSafe(|| drop(strategy.route_latest(&latest))));
    let panics = (0..8).filter(|_| call().is_err()).count();
    assert!(panics > 4, "{panics}");
    let _ = catch_unwind(AssertUnwindSafe(|| drop(strategy)));
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn a_result_is_not_leaked_by_a_panic_behind_it() {
    nobody_is_leaked(First);
    nobody_is_leaked(RoundRobin::<Mortal>::new());
    nobody_is_leaked(ShuffleBag::<Mortal>::new());
}
