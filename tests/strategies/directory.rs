//! [`Directory`]: services apart from each other.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;

use snapring::strategy::RoundRobin;
use snapring::{Backend, Directory, NoBackends, PickError, Registry, Snapshot, Strategy};

use crate::{backends, number};

#[test]
fn unknown_and_empty_are_different() {
    let directory = Directory::<Backend>::new();
    assert_eq!(directory.pick("products"), Err(PickError::UnknownService));
    directory.service("products");
    assert_eq!(directory.pick("products"), Err(PickError::NoBackends));
    assert_ne!(PickError::UnknownService.to_string(), PickError::NoBackends.to_string());
    assert_eq!(PickError::NoBackends.to_string(), NoBackends.to_string());
    assert!(PickError::NoBackends.to_string().contains("backends"));
    assert!(PickError::UnknownService.to_string().contains("service"));
}

/// Names are names, whatever is in them.
#[test]
fn names_are_compared_byte_for_byte() {
    let directory = Directory::<Backend>::new();
    let names = ["", " ", "a", "A", "a ", "ä", "a\u{308}", "a/b", "\0"];
    for (at, name) in names.iter().enumerate() {
        directory.service(name).register(Backend::new(at.to_string(), ""));
    }
    for (at, name) in names.iter().enumerate() {
        assert_eq!(number(&directory.pick(name).unwrap()), at);
        assert_eq!(directory.service(name).name(), *name);
    }
    assert_eq!(directory.services().len(), names.len());
}

#[test]
fn a_service_is_a_registry() {
    let directory = Directory::<Backend>::new();
    let service = directory.service("products");
    let as_registry: &dyn Registry<Backend> = &service;
    let derefs: &dyn Registry<Backend> = &*service;
    let registration = as_registry.register(Backend::new("0", ""));
    assert_eq!(derefs.snapshot().len(), 1);
    assert_eq!(directory.service("products").next().unwrap().id(), "0");
    assert!(service.revoke(registration.token()).is_ok());
    assert_eq!(service.pick(), Err(NoBackends));
}

/// spring-cloud/spring-cloud-commons: two services called in turn, and one of two instances was never used.
#[test]
fn interleaved_picks_are_even_within_each_service() {
    for directory in [Directory::<Backend>::new(), Directory::with_strategy(RoundRobin::new)] {
        let sizes = [1, 2, 3, 7];
        for n in sizes {
            directory.service(&n.to_string()).replace_all(backends(n));
        }
        const ROUNDS: usize = 42 * 5;
        let mut counts = BTreeMap::<_, usize>::new();
        for _ in 0..ROUNDS {
            for n in sizes {
                let pick = directory.pick(&n.to_string()).unwrap();
                *counts.entry((n, number(&pick))).or_default() += 1;
            }
        }
        assert_eq!(counts.len(), sizes.iter().sum::<usize>());
        assert!(counts.iter().all(|((n, _), count)| *count == ROUNDS / n), "{counts:?}");
    }
}

#[test]
fn threads_that_make_one_service_get_the_same() {
    const THREADS: usize = 8;
    for _ in 0..50 {
        let directory = Directory::<Backend>::new();
        let start = Barrier::new(THREADS);
        thread::scope(|scope| {
            for id in 0..THREADS {
                let (directory, start) = (&directory, &start);
                scope.spawn(move || {
                    start.wait();
                    directory.service("products").register(Backend::new(id.to_string(), ""));
                });
            }
        });
        assert_eq!(directory.service("products").snapshot().len(), THREADS);
    }
}

#[test]
fn services_that_are_made_at_once_are_all_there() {
    const THREADS: usize = 8;
    const EACH: usize = 200;
    let directory = Directory::<Backend>::new();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let directory = &directory;
            scope.spawn(move || {
                for service in 0..EACH {
                    directory.service(&format!("{thread}-{service}"));
                }
                for service in (0..EACH).step_by(2) {
                    assert!(directory.remove(&format!("{thread}-{service}")).is_some());
                }
            });
        }
    });
    assert_eq!(directory.services().len(), THREADS * EACH / 2);
}

#[test]
fn removal_frees_everything() {
    struct Watched(#[expect(dead_code, reason = "dropped with the strategy")] Arc<()>);

    impl Strategy<Backend> for Watched {
        fn route(&self, nodes: &Snapshot<Backend>) -> Result<Arc<Backend>, NoBackends> {
            nodes.first().cloned().ok_or(NoBackends)
        }
    }

    let watched = Arc::new(());
    let of_factory = watched.clone();
    let directory = Directory::<Backend>::with_strategy(move || Watched(of_factory.clone()));
    directory.service("products").replace_all(backends(3));
    let member = Arc::downgrade(&directory.pick("products").unwrap());
    assert_eq!(Arc::strong_count(&watched), 3);

    assert!(directory.remove("products").is_some());
    assert!(member.upgrade().is_none());
    assert_eq!(Arc::strong_count(&watched), 2, "the factory's and ours");
    assert!(directory.remove("products").is_none());
    assert_eq!(directory.pick("products"), Err(PickError::UnknownService));
}

#[test]
fn a_removed_service_goes_on_for_who_holds_it() {
    let directory = Directory::<Backend>::new();
    let held = directory.service("products");
    directory.remove("products");
    held.register(Backend::new("0", ""));
    assert!(held.pick().is_ok());
    assert_eq!(directory.service("products").pick(), Err(NoBackends), "a new one");
}

/// A strategy that is stuck, or that panics, is its own service's matter.
#[test]
fn services_do_not_wait_for_each_other() {
    struct Moody(mpsc::SyncSender<()>, Arc<Barrier>);

    impl Strategy<Backend> for Moody {
        fn route(&self, nodes: &Snapshot<Backend>) -> Result<Arc<Backend>, NoBackends> {
            match nodes.first().map(|node| node.id()) {
                Some("stuck") => {
                    self.0.send(()).unwrap();
                    self.1.wait();
                }
                Some("panics") => panic!("by a strategy"),
                _ => (),
            }
            nodes.first().cloned().ok_or(NoBackends)
        }
    }

    let (sender, is_stuck) = mpsc::sync_channel(1);
    let go_on = Arc::new(Barrier::new(2));
    let of_factory = go_on.clone();
    let directory = Directory::<Backend>::with_strategy(move || Moody(sender.clone(), of_factory.clone()));
    directory.service("stuck").register(Backend::new("stuck", ""));
    directory.service("panics").register(Backend::new("panics", ""));
    thread::scope(|scope| {
        let stuck = scope.spawn(|| directory.pick("stuck"));
        is_stuck.recv().unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| directory.pick("panics"))).is_err());
        for other in 0..1_000 {
            directory.service(&format!("other {other}")).register(Backend::new("0", ""));
            assert!(directory.pick(&format!("other {other}")).is_ok());
        }
        directory.remove("stuck");
        go_on.wait();
        assert!(stuck.join().unwrap().is_ok());
    });
    directory.service("panics").replace_all(backends(1));
    assert!(directory.pick("panics").is_ok());
}

#[test]
fn a_factory_that_panics_or_comes_back_does_no_harm() {
    let made = Arc::new(AtomicUsize::new(0));
    let counted = made.clone();
    let directory = Directory::<Backend>::with_strategy(move || {
        assert_ne!(counted.fetch_add(1, Ordering::Relaxed), 0, "the first one");
        RoundRobin::new()
    });
    assert!(catch_unwind(AssertUnwindSafe(|| directory.service("products"))).is_err());
    assert_eq!(directory.pick("products"), Err(PickError::UnknownService));
    directory.service("products").register(Backend::new("0", ""));
    assert!(directory.pick("products").is_ok());
    assert_eq!(made.load(Ordering::Relaxed), 2);
}
