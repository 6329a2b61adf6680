//! Where handles may be made, live, and die.

use super::*;

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
