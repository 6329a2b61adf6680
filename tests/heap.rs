//! The heap: picks leave it alone; and after services and members have been made, used and removed by the ten thousand, it
//! is where it was.
//!
//! A test binary of its own: the allocator counts what the whole process has, so nothing else may run beside it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};
use std::thread;

use snapring::strategy::RoundRobin;
use snapring::{
    ArcSwapRegistry, Backend, Directory, EpochRegistry, HandleRegistry, MutexRegistry, Registry, RwLockRegistry,
};

/// Counts the bytes that are allocated, and how often a thread allocates.
struct Counting;

static BYTES: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: hands every call on to the system's allocator, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as isize, Relaxed);
        CALLS.set(CALLS.get() + 1);
        // SAFETY: as the caller promises us.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as isize, Relaxed);
        // SAFETY: as the caller promises us.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What work leaves behind. The first time may fill caches of this thread's, the second must not grow.
fn left_by(work: impl Fn()) -> isize {
    work();
    let before = BYTES.load(Relaxed);
    work();
    BYTES.load(Relaxed) - before
}

fn backend(id: usize) -> Backend {
    Backend::new(id.to_string(), "10.0.0.1:80")
}

fn churn(registry: &impl Registry<Backend>, collect: impl Fn()) {
    for id in 0..10_000 {
        registry.register(backend(id));
        registry.next().unwrap();
        if id >= 8 {
            registry.deregister(&(id - 8).to_string());
        }
    }
    registry.replace_all(Vec::new());
    collect();
}

/// One test: nothing may run beside either half.
#[test]
fn picks_allocate_nothing_and_all_is_given_back() {
    picks_allocate_nothing();
    all_is_given_back();
}

/// But for a thread's first one: crossbeam-epoch and arc-swap then make a record for the thread.
fn picks_allocate_nothing() {
    fn check(what: &str, mut pick: impl FnMut() + Send) {
        let counted = move || {
            pick();
            let before = CALLS.get();
            (0..10_000).for_each(|_| pick());
            CALLS.get() - before
        };
        let calls = thread::scope(|scope| scope.spawn(counted).join().unwrap());
        assert_eq!(calls, 0, "{what}");
    }
    fn of(what: &str, registry: impl Registry<Backend>) {
        registry.replace_all((0..5).map(backend).collect());
        check(what, || drop(registry.next().unwrap()));
    }
    of("mutex", MutexRegistry::new());
    of("rwlock", RwLockRegistry::new());
    of("epoch", EpochRegistry::new());
    of("arc-swap", ArcSwapRegistry::new());
    let handles = HandleRegistry::new();
    handles.replace_all((0..5).map(backend).collect());
    let (mut exact, mut leased) = (handles.handle(), handles.leased(64));
    check("handle", || _ = exact.next().unwrap());
    check("leased handle", || _ = leased.next().unwrap());
    of("handle registry", handles);
}

fn all_is_given_back() {
    let bags = Directory::<Backend>::new();
    let rotations = Directory::<Backend>::with_strategy(RoundRobin::new);
    for directory in [&bags, &rotations] {
        let left = left_by(|| {
            let name = |service: usize| format!("service {service}");
            for service in 0..10_000 {
                directory.service(&name(service)).replace_all(vec![backend(0), backend(1)]);
                directory.pick(&name(service)).unwrap();
            }
            for service in 0..10_000 {
                directory.remove(&name(service)).unwrap();
            }
        });
        assert_eq!(left, 0, "services");

        let left = left_by(|| {
            churn(&directory.service("members"), || ());
            directory.remove("members");
        });
        assert_eq!(left, 0, "members of a service");
    }

    // A registry's table of ids keeps the room that it once needed, and an empty list is remembered.
    let small = 4_096;
    let mutex = MutexRegistry::<Backend>::new();
    assert!(left_by(|| churn(&mutex, || ())) <= small);
    let handles = HandleRegistry::<Backend>::new();
    assert!(left_by(|| churn(&handles, || handles.collect())) <= small);
    let epoch = EpochRegistry::<Backend>::new();
    let settle = || (0..64).for_each(|_| epoch.collect());
    assert!(left_by(|| churn(&epoch, settle)) <= small);
}
