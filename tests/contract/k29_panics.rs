//! K29: a panic in user code poisons the registry for everybody (deadpool-rs/deadpool, denoland/deno). Here it reaches the
//! caller it happened in, and nothing has happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;

use snapring::strategy::RoundRobin;
use snapring::{Balancer, Member, NoBackends, Outcome, Registry, Snapshot, Strategy};

use crate::common::hooked::{Event, Hooked, Script};
use crate::common::{Census, Counted, Kind, Shared, caught, eventually, on_every_registry};

on_every_registry!(
    a_panic_at_any_call_of_user_code,
    a_panic_while_a_registry_is_made,
    a_panic_inside_round_robin,
    a_panic_in_drop_comes_after_the_change,
    memory_stays_flat_after_a_panic_in_drop,
    a_panic_in_drop_when_the_registry_goes,
    a_panic_in_drop_reaches_no_other_registry,
    a_panic_in_a_strategy_or_a_filter,
    others_go_on_meanwhile,
);

/// Has the `nth` piece of user code panic (`Drop` aside); false if there were not so many.
fn panics(script: &Script, nth: usize, call: impl FnOnce()) -> bool {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    script.each(move |event| {
        if event != Event::Drop && counter.fetch_add(1, SeqCst) == nth {
            panic!("user code");
        }
    });
    let panicked = caught(call).is_err();
    script.quiet();
    assert_eq!(panicked, calls.load(SeqCst) > nth, "a panic reaches the caller, and is the last that is called");
    panicked
}

fn due(registry: &Shared<Hooked>, times: usize) -> Vec<u64> {
    (0..times).map(|_| registry.next().unwrap().name.name).collect()
}

type Call = fn(&Shared<Hooked>, &Script);

const CALLS: [(&str, Call); 8] = [
    ("register a new one", |registry, script| drop(registry.register(script.member(9, 0)))),
    ("register an equal one", |registry, script| drop(registry.register(script.member(1, 0)))),
    ("register a changed one", |registry, script| drop(registry.register(script.member(1, 1)))),
    ("deregister", |registry, script| drop(registry.deregister(&script.name(1)))),
    ("deregister nobody", |registry, script| drop(registry.deregister(&script.name(9)))),
    ("replace all", |registry, script| {
        let list = [(9, 0), (1, 1), (0, 0), (9, 1), (2, 0), (1, 2)];
        registry.replace_all(list.into_iter().map(|(name, contents)| script.member(name, contents)).collect());
    }),
    ("look for one", |registry, script| drop(registry.snapshot().get(&script.name(2)).cloned())),
    ("filter", |registry, _| drop(registry.snapshot().filter(|member| *member.id() == member.name))),
];

fn a_panic_at_any_call_of_user_code(kind: Kind) {
    for n in [3, 40] {
        for (what, call) in CALLS {
            let mut nth = 0;
            loop {
                let script = Script::default();
                let registry = kind.of((0..n).map(|name| script.member(name, 0)).collect());
                assert_eq!(due(&registry, 1), [0]);
                let before = registry.snapshot();
                if !panics(&script, nth, || call(&registry, &script)) {
                    break;
                }
                let after = registry.snapshot();
                let same = (before.version(), before.as_ptr()) == (after.version(), after.as_ptr());
                assert!(same, "{what}: changed by a panic in call {nth}");
                assert_eq!(due(&registry, n as usize), (1..n).chain([0]).collect::<Vec<_>>(), "{what}, call {nth}");
                call(&registry, &script); // once more, without a panic
                registry.register(script.member(50, 0));
                assert!(registry.deregister(&script.name(50)).is_some());
                drop((before, after, registry));
                assert_eq!(script.holders(), 0, "{what}: leaked by a panic in call {nth}");
                nth += 1;
            }
            assert!(nth > 0, "{what}: no user code was called");
        }
    }
}

fn a_panic_while_a_registry_is_made(kind: Kind) {
    let mut nth = 0;
    let script = Script::default();
    while panics(&script, nth, || drop(kind.of([0, 1, 0, 2].map(|name| script.member(name, 0)).into()))) {
        assert_eq!(script.holders(), 0);
        nth += 1;
    }
    assert!(nth >= 8, "an id and a hash for each");
}

/// It goes on where it was, as if the call had not been.
fn a_panic_inside_round_robin(kind: Kind) {
    for n in [3, 40] {
        let mut nth = 0;
        loop {
            let script = Script::default();
            let registry = kind.of((0..n).map(|name| script.member(name, 0)).collect());
            let strategy = RoundRobin::new();
            let route = || strategy.route(&registry.snapshot()).unwrap().name.name;
            assert_eq!((route(), route()), (0, 1));
            registry.register(script.member(0, 1)); // another list, so that it has to look for whom it served
            if !panics(&script, nth, || _ = route()) {
                break;
            }
            assert_eq!(route(), 2, "call {nth}");
            assert_eq!(route(), 3 % n);
            nth += 1;
        }
        assert!(nth > 0);
    }
}

/// `Drop` runs behind the change, in whichever call lets go last: the change has been made.
fn a_panic_in_drop_comes_after_the_change(kind: Kind) {
    let script = Script::default();
    let registry = kind.of((0..3).map(|name| script.member(name, 0)).collect());
    let went_off = bomb(&script);
    let mut panics = 0;
    let mut last = 0;
    eventually("the member is dropped", || {
        last += 1;
        let replace = || registry.replace_all((5..8).map(|name| script.member(name, last)).collect());
        panics += usize::from(caught(replace).is_err());
        let now: Vec<_> = registry.snapshot().iter().map(|member| (member.name.name, member.contents)).collect();
        assert_eq!(now, [(5, last), (6, last), (7, last)], "what was published stays published");
        went_off.load(SeqCst)
    });
    script.quiet();
    assert_eq!(panics, 1, "it reached one caller");
    assert_eq!(due(&registry, 3).len(), 3);
    assert_eq!(registry.register(script.member(9, 0)).outcome(), &Outcome::Added);
    drop(registry);
    assert_eq!(script.holders(), 0, "one panic keeps nothing else from being dropped");
}

fn bomb(script: &Script) -> Arc<AtomicBool> {
    let went_off = Arc::new(AtomicBool::new(false));
    let armed = Arc::clone(&went_off);
    script.each(move |event| {
        if event == Event::Drop && !armed.swap(true, SeqCst) {
            panic!("drop");
        }
    });
    went_off
}

fn memory_stays_flat_after_a_panic_in_drop(kind: Kind) {
    let script = Script::default();
    let registry = kind.of(vec![script.member(0, 0)]);
    for round in 0..40 {
        // A reader stays a while, and the lists that waited for it are free when the next change comes.
        let stalled = crossbeam_epoch::pin();
        registry.replace_all(vec![script.member(1, round)]);
        drop(stalled);
        (0..8).for_each(|_| crossbeam_epoch::pin().flush());

        let went_off = bomb(&script);
        let mut contents = 0;
        eventually("the member is dropped", || {
            contents += 1;
            let replace = || registry.replace_all(vec![script.member(2, contents)]);
            let _ = caught(replace);
            went_off.load(SeqCst)
        });
        script.quiet();
        for contents in 0..10 {
            registry.replace_all(vec![script.member(3, contents)]);
        }
        eventually("the lists behind it are freed", || {
            registry.collect();
            script.holders() == 1
        });
        assert_eq!(due(&registry, 2), [3, 3], "round {round}");
    }
}

/// A registry that goes takes everybody along, even if one objects.
fn a_panic_in_drop_when_the_registry_goes(kind: Kind) {
    let script = Script::default();
    let registry = kind.of((0..5).map(|name| script.member(name, 0)).collect());
    bomb(&script);
    assert!(caught(|| drop(registry)).is_err());
    script.quiet();
    assert_eq!(script.holders(), 0);
}

/// crossbeam-rs/crossbeam-epoch: a deferred destructor panics inside of an unrelated call.
fn a_panic_in_drop_reaches_no_other_registry(kind: Kind) {
    let (script, calm) = (Script::default(), Script::default());
    let (registry, other) = (kind.of(vec![script.member(0, 0)]), kind.of(vec![calm.member(0, 0)]));
    let stalled = crossbeam_epoch::pin(); // so that the list waits, if it ever does
    let went_off = bomb(&script);
    let _ = caught(|| registry.replace_all(vec![script.member(1, 0)]));
    drop(stalled);
    let before = went_off.load(SeqCst);
    for round in 0..100 {
        other.register(calm.member(1, round));
        assert!(other.next().is_ok() && other.snapshot().len() == 2);
        other.collect();
        crossbeam_epoch::pin().flush();
    }
    assert_eq!(went_off.load(SeqCst), before, "dropped by a call of another registry");
    eventually("it is dropped by its own", || {
        let _ = caught(|| registry.collect());
        went_off.load(SeqCst)
    });
    script.quiet();
}

/// Panics when the member 1 is due.
struct Fragile(RoundRobin<Counted>);

impl Strategy<Counted> for Fragile {
    fn route(&self, nodes: &Snapshot<Counted>) -> Result<Arc<Counted>, NoBackends> {
        let pick = self.0.route(nodes)?;
        assert_ne!(pick.number, 1, "user code");
        Ok(pick)
    }
}

fn a_panic_in_a_strategy_or_a_filter(kind: Kind) {
    let census = Census::new();
    let balancer = Balancer::new(kind.of(census.members(3)), Fragile(RoundRobin::new()));
    for _ in 0..5 {
        assert_eq!(balancer.route().unwrap().number, 0);
        assert!(caught(|| balancer.route()).is_err());
        assert_eq!(balancer.route().unwrap().number, 2);
    }
    let snapshot = balancer.registry().snapshot();
    let filter = || drop(snapshot.filter(|member| member.number / member.contents == 0));
    assert!(caught(filter).is_err(), "a division by zero");
    assert_eq!(snapshot.filter(|_| true).len(), 3);
    drop((snapshot, balancer));
    assert_eq!(census.live(), 0);
}

/// marmot-protocol/mdk: one panic kills the tasks of others. One thread's members panic; another's do not notice.
fn others_go_on_meanwhile(kind: Kind) {
    let script = Script::default();
    let registry = kind.of((0..3).map(|name| script.member(name, 0)).collect());
    thread::scope(|scope| {
        let (registry, script) = (&registry, &script);
        let panicking = scope.spawn(move || {
            let me = thread::current().id();
            script.each(move |event| {
                if event == Event::SameContents && thread::current().id() == me {
                    panic!("user code");
                }
            });
            for _ in 0..200 {
                let register = || drop(registry.register(script.member(1, 1)));
                assert!(caught(register).is_err());
            }
        });
        for round in 0..2000 {
            assert_eq!(due(registry, 3), [0, 1, 2]);
            registry.register(script.member(2, round));
        }
        panicking.join().unwrap();
    });
    script.quiet();
    assert_eq!(registry.snapshot()[1].contents, 0);
}
