//! What handles keep alive, and who drops it.

use super::*;

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
