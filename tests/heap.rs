//! Services and members, made, used and removed by the ten thousand: the heap returns to where it was.
//!
//! A test binary of its own: the allocator counts what the whole process has, so nothing else may run beside it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

use snapring::strategy::RoundRobin;
use snapring::{Backend, Directory, EpochRegistry, HandleRegistry, MutexRegistry, Registry};

/// Counts the bytes that are allocated.
struct Counting;

static BYTES: AtomicIsize = AtomicIsize::new(0);

// SAFETY: hands every call on to the system's allocator, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as isize, Relaxed);
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

#[test]
fn the_heap_returns_to_where_it_was() {
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
