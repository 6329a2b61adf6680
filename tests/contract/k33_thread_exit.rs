//! K33: a registry is used when the thread's own variables are being destroyed, and what it needs of them is gone
//! (crossbeam-rs/crossbeam-epoch: a panic, and a second one that aborts).

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Barrier};
use std::thread;

use snapring::strategy::RoundRobin;
use snapring::{Balancer, Registry, Snapshot};

use crate::common::{Census, Counted, Kind, Shared, on_every_registry, picks, within};

on_every_registry!(
    used_when_a_thread_ends,
    used_when_a_thread_ends_for_the_first_time,
    used_before_and_when_a_thread_ends,
    used_when_many_threads_end_at_once,
    what_a_thread_held_is_freed_when_it_ends,
    a_registry_of_one_thread_goes_with_it,
);

/// Runs its job when it is dropped, and sends how that went.
struct AtExit(Option<Box<dyn FnOnce() -> Vec<u64>>>, Sender<Result<Vec<u64>, ()>>);

impl Drop for AtExit {
    fn drop(&mut self) {
        let job = self.0.take().expect("once");
        let _ = self.1.send(catch_unwind(AssertUnwindSafe(job)).map_err(drop));
    }
}

thread_local! {
    static AT_EXIT: RefCell<Option<AtExit>> = const { RefCell::new(None) };
    static EARLIER: RefCell<Option<AtExit>> = const { RefCell::new(None) };
}

/// Every kind of call. Returns the picks.
fn use_it(registry: &Shared<Counted>, census: &Census) -> Vec<u64> {
    let balancer = Balancer::new(registry, RoundRobin::new());
    let mut seen = vec![registry.next().unwrap().number];
    let token = registry.register(census.member(100, 0)).into_parts().0;
    seen.push(balancer.route().unwrap().number);
    registry.register(census.member(100, 1));
    assert!(registry.revoke(&token).is_err());
    registry.deregister(&100);
    registry.replace_all(census.members(3));
    registry.collect();
    assert_eq!(registry.snapshot().len(), 3);
    seen.push(registry.next().unwrap().number);
    seen
}

#[derive(Clone, Copy, PartialEq)]
enum First {
    /// The thread uses the registry before it sets the variable.
    Registry,
    /// The variable comes first, so that it goes first or last, whichever the platform does.
    Variable,
    /// The thread never uses it otherwise.
    Nothing,
}

fn at_exit(kind: Kind, first: First) {
    within(move || {
        let census = Census::new();
        let registry = kind.of(census.members(3));
        let (send, receive) = channel();
        let (thread_census, thread_registry) = (census.clone(), Arc::clone(&registry));
        thread::spawn(move || {
            let job = |registry: Shared<Counted>, census: Census| {
                let job = Box::new(move || use_it(&registry, &census));
                AtExit(Some(job), send.clone())
            };
            if first == First::Registry {
                use_it(&thread_registry, &thread_census);
            }
            AT_EXIT.set(Some(job(Arc::clone(&thread_registry), thread_census.clone())));
            if first == First::Variable {
                use_it(&thread_registry, &thread_census);
            }
            EARLIER.set(Some(job(thread_registry, thread_census)));
        })
        .join()
        .unwrap();
        let begin = if first == First::Nothing { 0 } else { 2 };
        for turn in [begin, begin + 2] {
            let seen = receive.recv().unwrap().expect("no panic");
            assert_eq!(seen, [turn % 3, 0, (turn + 1) % 3]);
        }
        assert_eq!(picks(&registry, 3).len(), 3);
        drop(registry);
        assert_eq!(census.live(), 0);
    });
}

fn used_when_a_thread_ends(kind: Kind) {
    at_exit(kind, First::Variable);
}

fn used_when_a_thread_ends_for_the_first_time(kind: Kind) {
    at_exit(kind, First::Nothing);
}

fn used_before_and_when_a_thread_ends(kind: Kind) {
    at_exit(kind, First::Registry);
}

fn used_when_many_threads_end_at_once(kind: Kind) {
    within(move || {
        const THREADS: usize = 8;
        let census = Census::new();
        for _ in 0..20 {
            let registry = kind.of(census.members(3));
            let (send, receive) = channel();
            let barrier = Arc::new(Barrier::new(THREADS));
            let threads: Vec<_> = (0..THREADS as u64)
                .map(|thread| {
                    let (registry, census, send) = (Arc::clone(&registry), census.clone(), send.clone());
                    let barrier = Arc::clone(&barrier);
                    thread::spawn(move || {
                        let job = Box::new(move || {
                            registry.register(census.member(10 + thread, 0));
                            (0..6).map(|_| registry.next().unwrap().number).collect()
                        });
                        AT_EXIT.set(Some(AtExit(Some(job), send)));
                        barrier.wait();
                    })
                })
                .collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            for _ in 0..THREADS {
                assert_eq!(receive.recv().unwrap().expect("no panic").len(), 6);
            }
            assert_eq!(registry.snapshot().len(), 3 + THREADS);
        }
        assert_eq!(census.live(), 0);
    });
}

thread_local! {
    static HELD: RefCell<Vec<(Snapshot<Counted>, Arc<Counted>)>> = const { RefCell::new(Vec::new()) };
    static OWN: RefCell<Option<Shared<Counted>>> = const { RefCell::new(None) };
}

fn what_a_thread_held_is_freed_when_it_ends(kind: Kind) {
    let census = Census::new();
    let registry = kind.of(census.members(3));
    for round in 0..50 {
        thread::scope(|scope| {
            let holder = scope.spawn(|| {
                for _ in 0..3 {
                    HELD.with_borrow_mut(|held| held.push((registry.snapshot(), registry.next().unwrap())));
                    registry.register(census.member(1, round));
                }
            });
            holder.join().unwrap();
        });
    }
    drop(registry);
    assert_eq!(census.live(), 0);
}

fn a_registry_of_one_thread_goes_with_it(kind: Kind) {
    let census = Census::new();
    for _ in 0..50 {
        let census = census.clone();
        let body = move || {
            let registry = kind.of(census.members(3));
            OWN.set(Some(Arc::clone(&registry)));
            registry.register(census.member(9, 0));
            assert_eq!(picks(&registry, 4), [0, 1, 2, 9]);
            registry.deregister(&0);
        };
        thread::spawn(body).join().unwrap();
    }
    assert_eq!((census.created(), census.live()), (200, 0));
}
