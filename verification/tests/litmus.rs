//! What stock loom misses and our platform finds: small programs, and the set of outcomes that each finds.
//!
//! If a new version of loom finds more by itself, a test here fails, and the platform may become simpler.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use std::sync::{Arc, Mutex};

use loom::sync::atomic as stock;
use snapring::platform::loom::U64;
use snapring::platform::{AtomicU64, Loom, Platform};

/// Either kind of atomic.
trait Atomic: Send + Sync + 'static {
    fn new() -> Self;
    fn load(&self, order: Ordering) -> u64;
    fn store(&self, value: u64, order: Ordering);
    fn exchange(&self, from: u64, to: u64) -> Result<u64, u64>;
    fn fence();
}

impl Atomic for stock::AtomicU64 {
    fn new() -> Self {
        Self::new(0)
    }
    fn load(&self, order: Ordering) -> u64 {
        self.load(order)
    }
    fn store(&self, value: u64, order: Ordering) {
        self.store(value, order);
    }
    fn exchange(&self, from: u64, to: u64) -> Result<u64, u64> {
        self.compare_exchange(from, to, SeqCst, Relaxed)
    }
    fn fence() {
        stock::fence(SeqCst);
    }
}

impl Atomic for U64 {
    fn new() -> Self {
        AtomicU64::new(0)
    }
    fn load(&self, order: Ordering) -> u64 {
        AtomicU64::load(self, order)
    }
    fn store(&self, value: u64, order: Ordering) {
        AtomicU64::store(self, value, order);
    }
    fn exchange(&self, from: u64, to: u64) -> Result<u64, u64> {
        self.compare_exchange(from, to, SeqCst, Relaxed)
    }
    fn fence() {
        Loom::fence(SeqCst);
    }
}

type Outcomes = BTreeSet<Vec<u64>>;

/// All outcomes of a program, and how many executions it took.
fn explore(program: impl Fn() -> Vec<u64> + Send + Sync + 'static) -> (Outcomes, usize) {
    let seen: Arc<Mutex<(Outcomes, usize)>> = Arc::default();
    let in_model = seen.clone();
    let mut builder = loom::model::Builder::new();
    (builder.preemption_bound, builder.max_permutations, builder.max_duration) = (None, None, None);
    builder.check(move || {
        let outcome = program();
        let mut seen = in_model.lock().unwrap();
        seen.0.insert(outcome);
        seen.1 += 1;
    });
    let seen = seen.lock().unwrap();
    (seen.0.clone(), seen.1)
}

/// loom's issue 392: `load; store` in one thread hides its load, so another thread's store is never tried before it.
fn load_then_store<A: Atomic>() -> Vec<u64> {
    let x = Arc::new(A::new());
    let y = x.clone();
    let thread = loom::thread::spawn(move || {
        let seen = y.load(Relaxed);
        y.store(1, Relaxed);
        seen
    });
    let seen = x.load(Relaxed);
    x.store(2, Relaxed);
    vec![thread.join().unwrap(), seen]
}

/// loom's issue 166: a value that is visible for a moment only.
fn passing_value<A: Atomic>() -> Vec<u64> {
    let (key, value) = (Arc::new(A::new()), Arc::new(A::new()));
    let (their_key, their_value) = (key.clone(), value.clone());
    let writer = loom::thread::spawn(move || {
        their_key.store(1, SeqCst);
        their_value.store(1, SeqCst);
        their_value.store(0, SeqCst);
        their_key.load(SeqCst);
        their_key.store(0, SeqCst);
    });
    let seen = vec![value.load(SeqCst), key.load(SeqCst)];
    writer.join().unwrap();
    seen
}

/// A version that is loaded and stored under a lock, and read outside of it, as in a cached handle.
fn version_under_lock<A: Atomic>() -> Vec<u64> {
    let (version, guarded) = (Arc::new(A::new()), Arc::new(loom::sync::Mutex::new(0)));
    let (their_version, their_guarded) = (version.clone(), guarded.clone());
    let writer = loom::thread::spawn(move || {
        for _ in 0..2 {
            let mut guarded = their_guarded.lock().unwrap();
            *guarded += 1;
            let old = their_version.load(Relaxed);
            their_version.store(old + 1, Release);
        }
    });
    let mut seen = vec![version.load(Acquire)];
    if seen[0] != 0 {
        seen.push(*guarded.lock().unwrap());
        seen.push(version.load(Relaxed));
    }
    writer.join().unwrap();
    seen
}

/// Two threads that load and store: the lost update.
fn lost_update<A: Atomic>() -> Vec<u64> {
    let x = Arc::new(A::new());
    let y = x.clone();
    let add = |x: &A| x.store(x.load(Acquire) + 1, Release);
    let thread = loom::thread::spawn(move || add(&y));
    add(&x);
    thread.join().unwrap();
    vec![x.load(Acquire)]
}

/// A failing `compare_exchange` may read an old value, as a load may.
fn stale_failure<A: Atomic>() -> Vec<u64> {
    let (x, flag) = (Arc::new(A::new()), Arc::new(A::new()));
    let (their_x, their_flag) = (x.clone(), flag.clone());
    let writer = loom::thread::spawn(move || {
        their_x.store(1, Relaxed);
        their_flag.store(1, Relaxed);
    });
    let seen = vec![flag.load(Relaxed), x.exchange(9, 10).unwrap_err()];
    writer.join().unwrap();
    seen
}

/// Store buffering with fences: they forbid that both threads read the old value.
fn fenced_store_buffering<A: Atomic>() -> Vec<u64> {
    let (x, y) = (Arc::new(A::new()), Arc::new(A::new()));
    let (their_x, their_y) = (x.clone(), y.clone());
    let thread = loom::thread::spawn(move || {
        their_x.store(1, Relaxed);
        A::fence();
        their_y.load(Relaxed)
    });
    y.store(1, Relaxed);
    A::fence();
    let seen = x.load(Relaxed);
    vec![thread.join().unwrap(), seen]
}

fn outcomes(of: &[&[u64]]) -> Outcomes {
    of.iter().map(|outcome| outcome.to_vec()).collect()
}

/// Both find these outcomes, ours finds those beside, and neither finds any other.
macro_rules! litmus {
    ($($program:ident: stock [$($stock:expr),*], missed [$($missed:expr),*];)*) => {$(
        #[test]
        fn $program() {
            let (by_stock, stock_executions) = super::explore(super::$program::<loom::sync::atomic::AtomicU64>);
            let (by_ours, our_executions) = super::explore(super::$program::<snapring::platform::loom::U64>);
            println!("stock: {stock_executions} executions, {by_stock:?}\nours: {our_executions} executions, {by_ours:?}");
            let stock = super::outcomes(&[$(&$stock),*]);
            let missed = super::outcomes(&[$(&$missed),*]);
            assert_eq!(by_stock, stock, "stock loom");
            assert_eq!(by_ours, stock.union(&missed).cloned().collect(), "with the companion");
        }
    )*};
}

mod programs {
    litmus! {
        load_then_store: stock [[0, 0], [2, 0]], missed [[0, 1]];
        passing_value: stock [[0, 0], [0, 1], [1, 1]], missed [[1, 0]];
        version_under_lock: stock [[0]], missed [[1, 1, 1], [1, 1, 2], [1, 2, 2], [2, 2, 2]];
        stale_failure: stock [[0, 0], [0, 1], [1, 1]], missed [[1, 0]];
        lost_update: stock [[1], [2]], missed [];
        fenced_store_buffering: stock [[0, 1], [1, 0], [1, 1]], missed [];
    }
}
