//! The exact ring, through handles.

use super::*;

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
