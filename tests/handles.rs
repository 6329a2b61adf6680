//! What handles promise beyond the contract: shares, memory, who drops what, and where they may live.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, ThreadId};

use snapring::{HandleRegistry, Member, NoBackends, Registry, Start};

/// A member that notes where it is dropped.
#[derive(Debug)]
struct Noted {
    id: u64,
    drops: Option<Arc<Mutex<Vec<ThreadId>>>>,
}

impl PartialEq for Noted {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Member for Noted {
    type Id = u64;

    fn id(&self) -> &u64 {
        &self.id
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        if let Some(drops) = &self.drops {
            drops.lock().unwrap().push(thread::current().id());
        }
    }
}

fn member(id: u64) -> Noted {
    Noted { id, drops: None }
}

fn of(n: u64) -> HandleRegistry<Noted> {
    HandleRegistry::with_start((0..n).map(member).collect(), Start::default())
}

fn spread(counts: &HashMap<u64, u64>, ids: impl Iterator<Item = u64> + Clone) -> u64 {
    let count = |id| counts.get(&id).copied().unwrap_or(0);
    let (most, least) = (ids.clone().map(count).max().unwrap(), ids.map(count).min().unwrap());
    most - least
}

#[test]
fn exact_handles_share_one_ring() {
    let registry = of(3);
    let (mut a, mut b) = (registry.handle(), registry.handle());
    let mut picks = Vec::new();
    for _ in 0..3 {
        picks.push(a.next().unwrap().id);
        picks.push(b.next().unwrap().id);
        picks.push(registry.next().unwrap().id);
    }
    assert_eq!(picks, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
}

/// In a ring, picks of two members that stay alternate, so their counts differ by at most one, whatever else changes.
#[test]
fn exact_handles_stay_exact_under_churn() {
    let registry = of(2);
    let (stop, counts) = (AtomicBool::new(false), Mutex::new(HashMap::<u64, u64>::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let (mut handle, mut own) = (registry.handle(), HashMap::<u64, u64>::new());
                for round in 0..40_000 {
                    if round % 1_000 == 0 {
                        handle = registry.handle();
                    }
                    *own.entry(handle.next().unwrap().id).or_default() += 1;
                }
                let mut counts = counts.lock().unwrap();
                own.into_iter().for_each(|(id, count)| *counts.entry(id).or_default() += count);
                stop.store(true, SeqCst);
            });
        }
        scope.spawn(|| {
            for id in (100..).take_while(|_| !stop.load(SeqCst)) {
                registry.register(member(id));
                registry.deregister(&id);
            }
        });
    });
    assert!(spread(&counts.lock().unwrap(), 0..2) <= 1);
}

/// Brute force: every way to interleave picks of two or three leases over a small unchanged list.
#[test]
fn leased_shares_are_within_h_times_n_minus_one_over_n_of_even() {
    for (n, handles, k) in [(2, 2, 2), (3, 2, 2), (3, 2, 4), (3, 3, 2), (4, 2, 3), (2, 3, 64)] {
        let picks = 7;
        for order in 0..(handles as u32).pow(picks) {
            let registry = of(n);
            let mut leases: Vec<_> = (0..handles).map(|_| registry.leased(k)).collect();
            let (mut counts, mut rest) = (HashMap::new(), order);
            for made in 1..=picks {
                let who = (rest % handles as u32) as usize;
                rest /= handles as u32;
                *counts.entry(leases[who].next().unwrap().id).or_insert(0u64) += 1;
                for id in 0..n {
                    let share = counts.get(&id).copied().unwrap_or(0) as f64;
                    let off = (share - f64::from(made) / n as f64).abs();
                    let bound = handles as f64 * (n - 1) as f64 / n as f64;
                    assert!(off <= bound + 1e-9, "n {n}, {handles} leases of {k}, order {order}: {off} > {bound}");
                }
            }
        }
    }
}

#[test]
fn one_lease_for_each_request_stays_even() {
    for k in [1, 2, 7, 64, 100_000] {
        let registry = of(5);
        let mut counts = HashMap::new();
        for _ in 0..1_000 {
            *counts.entry(registry.leased(k).next().unwrap().id).or_insert(0u64) += 1;
        }
        assert_eq!(spread(&counts, 0..5), 0, "k = {k}");
    }
}

/// From the start, members that stay differ by at most the number of leases, through any change.
#[test]
fn leases_drain_through_changes() {
    let (registry, leases) = (of(4), 3);
    let stop = AtomicBool::new(false);
    let counts = Mutex::new(HashMap::<u64, u64>::new());
    thread::scope(|scope| {
        for _ in 0..leases {
            scope.spawn(|| {
                let (mut lease, mut own) = (registry.leased(16), HashMap::<u64, u64>::new());
                for _ in 0..30_000 {
                    *own.entry(lease.next().unwrap().id).or_default() += 1;
                }
                let mut counts = counts.lock().unwrap();
                own.into_iter().for_each(|(id, count)| *counts.entry(id).or_default() += count);
                stop.store(true, SeqCst);
            });
        }
        scope.spawn(|| {
            for id in (100..).take_while(|_| !stop.load(SeqCst)) {
                registry.register(member(id));
                registry.deregister(&id);
            }
        });
    });
    let counts = counts.lock().unwrap();
    assert!(spread(&counts, 0..4) <= leases, "{counts:?}");
}

#[test]
fn who_left_is_never_handed_out_again() {
    let registry = of(2);
    let left = AtomicUsize::new(0); // everybody below has left
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for kind in 0..2 {
            let (registry, left, stop) = (&registry, &left, &stop);
            scope.spawn(move || {
                let (mut lease, mut handle) = (registry.leased(8), registry.handle());
                for _ in 0..40_000 {
                    let gone = left.load(SeqCst) as u64;
                    let id = if kind == 0 { lease.next().unwrap().id } else { handle.next().unwrap().id };
                    assert!(id < 2 || id >= gone, "{id} had left, as had everybody below {gone}");
                }
                stop.store(true, SeqCst);
            });
        }
        scope.spawn(|| {
            for id in (100..).take_while(|_| !stop.load(SeqCst)) {
                registry.register(member(id));
                registry.deregister(&id);
                left.store(id as usize + 1, SeqCst);
            }
        });
    });
}

#[test]
fn a_handle_that_sleeps_keeps_one_list_and_wakes_up_in_the_present() {
    let drops = Arc::new(Mutex::new(Vec::new()));
    let noted = |id| Noted { id, drops: Some(drops.clone()) };
    let registry = HandleRegistry::<Noted>::new();
    registry.register(noted(0));
    registry.register(noted(1));
    let (mut exact, mut leased) = (registry.handle(), registry.leased(64));
    exact.next().unwrap();
    leased.next().unwrap();
    for id in 2..10_000 {
        registry.register(noted(id));
        registry.deregister(&(id - 1));
        let alive = id as usize + 1 - drops.lock().unwrap().len();
        assert!(alive <= 2 + 2, "two are registered (0 and {id}), and the two handles know one that has left: {alive}");
    }
    let newest = 9_999;
    for _ in 0..4 {
        assert!([0, newest].contains(&exact.next().unwrap().id));
        assert!([0, newest].contains(&leased.next().unwrap().id));
    }
    registry.collect();
    assert_eq!(drops.lock().unwrap().len(), 9_998, "both handles have moved on, so all who left are gone");
    drop((exact, leased, registry));
    assert_eq!(drops.lock().unwrap().len(), 10_000);
}

/// Live lists ≤ living handles + held snapshots + 2, measured by members that left and that some list still has.
#[test]
fn live_lists_are_bounded_while_a_writer_churns() {
    let drops = Arc::new(Mutex::new(Vec::new()));
    let registry = HandleRegistry::<Noted>::new();
    registry.register(member(0));
    let _held = registry.snapshot();
    let (stop, handles) = (AtomicBool::new(false), 3);
    let peak = thread::scope(|scope| {
        for kind in 0..handles {
            let (registry, stop) = (&registry, &stop);
            scope.spawn(move || {
                let (mut exact, mut leased) = (registry.handle(), registry.leased(32));
                if kind == 0 {
                    drop(leased); // one that picks once and sleeps
                    exact.next().unwrap();
                    while !stop.load(SeqCst) {
                        thread::yield_now();
                    }
                    return;
                }
                while !stop.load(SeqCst) {
                    if kind == 1 {
                        exact.next().unwrap()
                    } else {
                        leased.next().unwrap()
                    };
                }
            });
        }
        let mut peak = 0;
        for id in 1..20_000u64 {
            registry.register(Noted { id, drops: Some(drops.clone()) });
            registry.deregister(&id);
            peak = peak.max(id as usize - drops.lock().unwrap().len());
        }
        stop.store(true, SeqCst);
        peak
    });
    // Two threads have two handles each, the sleeper has one, and one snapshot is held: eight, of which the newest has
    // nobody who left.
    assert!(peak <= 2 * (handles - 1) + 1 + 1 + 2, "{peak} lists with members who left were alive");
    registry.collect();
    assert_eq!(drops.lock().unwrap().len(), 19_999);
}

#[test]
fn picks_never_drop_a_list_or_a_member() {
    let drops = Arc::new(Mutex::new(Vec::new()));
    let registry = HandleRegistry::<Noted>::new();
    registry.register(member(0));
    let stop = AtomicBool::new(false);
    let pickers: Vec<ThreadId> = thread::scope(|scope| {
        let pickers: Vec<_> = (0..2)
            .map(|kind| {
                let (registry, stop) = (&registry, &stop);
                scope.spawn(move || {
                    let (mut exact, mut leased) = (registry.handle(), registry.leased(4));
                    while !stop.load(SeqCst) {
                        if kind == 0 {
                            exact.next().unwrap()
                        } else {
                            leased.next().unwrap()
                        };
                    }
                    thread::current().id()
                })
            })
            .collect();
        for id in 1..20_000 {
            registry.register(Noted { id, drops: Some(drops.clone()) });
            registry.deregister(&id);
        }
        stop.store(true, SeqCst);
        pickers.into_iter().map(|picker| picker.join().unwrap()).collect()
    });
    registry.collect();
    let drops = drops.lock().unwrap();
    assert_eq!(drops.len(), 19_999);
    assert!(drops.iter().all(|thread| !pickers.contains(thread)));
}

#[test]
fn handles_outlive_the_registry_and_go_on() {
    let drops = Arc::new(Mutex::new(Vec::new()));
    let registry = HandleRegistry::<Noted>::new();
    (0..2).for_each(|id| drop(registry.register(Noted { id, drops: Some(drops.clone()) })));
    let (mut exact, mut leased) = (registry.handle(), registry.leased(2));
    drop(registry);
    assert_eq!(drops.lock().unwrap().len(), 0);
    let ids: Vec<_> = (0..4).map(|_| exact.next().unwrap().id).collect();
    assert_eq!(ids, [0, 1, 0, 1]);
    assert_eq!(thread::spawn(move || leased.next().unwrap().id).join().unwrap(), 0);
    drop(exact);
    assert_eq!(drops.lock().unwrap().len(), 2);
}

#[test]
fn handles_may_live_and_die_in_thread_locals() {
    thread_local! {
        static KEPT: std::cell::RefCell<Option<Last>> = const { std::cell::RefCell::new(None) };
    }
    /// Picks, makes and drops handles while the thread's locals are destroyed.
    struct Last(Arc<HandleRegistry<Noted>>, snapring::LeasedHandle<Noted>);
    impl Drop for Last {
        fn drop(&mut self) {
            self.1.next().unwrap();
            self.0.handle().next().unwrap();
            self.0.register(member(9));
            self.1.next().unwrap();
        }
    }
    let registry = Arc::new(of(3));
    let inside = registry.clone();
    thread::spawn(move || {
        let lease = inside.leased(8);
        KEPT.set(Some(Last(inside, lease)));
    })
    .join()
    .unwrap();
    assert_eq!(registry.snapshot().len(), 4);
    assert!(registry.next().is_ok());
}

#[test]
fn nobody_is_an_answer_and_the_first_to_come_is_picked() {
    let registry = HandleRegistry::<Noted>::new();
    let (mut exact, mut leased) = (registry.handle(), registry.leased(usize::MAX));
    for _ in 0..1_000 {
        assert_eq!(exact.next().map(|member| member.id), Err(NoBackends));
        assert_eq!(leased.next().map(|member| member.id), Err(NoBackends));
    }
    registry.register(member(7));
    assert_eq!(exact.next().unwrap().id, 7);
    assert_eq!(leased.next().unwrap().id, 7);
    registry.deregister(&7);
    assert!(exact.next().is_err() && leased.next().is_err());
}

#[test]
fn any_size_of_lease_will_do() {
    for k in [0, 1, 5, 6, 7, 1 << 20, usize::MAX] {
        let registry = of(6);
        let mut lease = registry.leased(k);
        let ids: Vec<_> = (0..12).map(|_| lease.next().unwrap().id).collect();
        assert_eq!(ids, [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], "k = {k}");
    }
}

#[test]
fn counters_wrap_under_handles_as_elsewhere() {
    for n in [1, 2, 3, 5, 7] {
        let start = Start { version: u64::MAX - 3, count: 5, count_bits: 5 }; // laps of at most 16, leases of at most 4
        let registry = HandleRegistry::with_start((0..n).map(member).collect(), start);
        let (mut exact, mut due) = (registry.handle(), 5 % n);
        for round in 0..200u64 {
            assert_eq!(exact.next().unwrap().id, due, "n {n}, round {round}");
            due = (due + 1) % n;
            if round % 7 == 0 {
                registry.register(member(100));
                registry.deregister(&100);
            }
            if round % 3 == 0 {
                let size = n.min(4);
                let mut lease = registry.leased(size as usize);
                for _ in 0..size {
                    assert_eq!(lease.next().unwrap().id, due, "n {n}, round {round}, in a lease");
                    due = (due + 1) % n;
                }
            }
        }
    }
}

#[test]
fn many_handles_come_and_go_while_the_list_changes() {
    let registry = of(3);
    let barrier = Barrier::new(3);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                barrier.wait();
                for round in 0..5_000usize {
                    let mut lease = registry.leased(round % 9);
                    for _ in 0..round % 5 {
                        lease.next().unwrap();
                    }
                }
            });
        }
        barrier.wait();
        for id in 100..3_000 {
            registry.register(member(id));
            registry.replace_all((0..3).map(member).collect());
        }
    });
    // What the leases left over is delivered; then all is even again.
    let mut counts = HashMap::new();
    for _ in 0..3_000 {
        *counts.entry(registry.leased(3).next().unwrap().id).or_insert(0u64) += 1;
    }
    assert_eq!(counts.len(), 3);
}
