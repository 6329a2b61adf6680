//! K28: user code is called under the registry's lock and calls the registry (apache/dubbo-go, yarpc/yarpc-go). Here it
//! may: `id`, `==`, `Hash` and `Drop` of members, strategies, filters.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;

use snapring::strategy::RoundRobin;
use snapring::{Balancer, HandleRegistry, NoBackends, Outcome, Registry, Snapshot, Start, Strategy};

use crate::common::hooked::{EVENTS, Event, Hooked, Script, be_quiet, names};
use crate::common::{Crew, Kind, Shared, meet, on_every_registry, within};

on_every_registry!(
    user_code_may_do_everything,
    user_code_may_wait_for_another_thread,
    members_of_lists_that_waited_for_readers,
    two_registries_call_each_other,
    strategies_and_filters_may_do_everything,
);

/// Every kind of call, with an id that nobody else uses; nothing is different afterwards.
fn everything(registry: &Shared<Hooked>, script: &Script, unique: u64) {
    let token = registry.register(script.member(unique, 0)).into_parts().0;
    assert!(registry.next().is_ok());
    assert!(registry.snapshot().get(&script.name(unique)).is_some());
    registry.register(script.member(unique, 1));
    assert!(registry.revoke(&token).is_err());
    assert!(registry.deregister(&script.name(unique)).is_some());
    let same = registry.snapshot().iter().map(|member| script.member(member.name.name, member.contents)).collect();
    registry.replace_all(same);
    registry.collect();
}

/// The same calls, as the one on trial.
fn provoke(kind: Kind, on_event: impl Fn(&Shared<Hooked>, &Script, u64) + Send + Sync + 'static) {
    within(move || {
        let script = Script::default();
        let registry = kind.of(vec![script.member(0, 0), script.member(1, 0)]);
        let unique = AtomicU64::new(1000);
        let (hook_registry, hook_script) = (Arc::clone(&registry), script.clone());
        script.each(move |_| on_event(&hook_registry, &hook_script, unique.fetch_add(1, SeqCst)));

        assert_eq!(registry.register(script.member(2, 0)).outcome(), &Outcome::Added);
        let token = registry.register(script.member(3, 0)).into_parts().0;
        assert_eq!(registry.register(script.member(1, 0)).outcome(), &Outcome::Unchanged);
        assert!(matches!(registry.register(script.member(1, 1)).outcome(), Outcome::Replaced(_)));
        assert!(registry.deregister(&script.name(0)).is_some());
        assert!(registry.deregister(&script.name(77)).is_none());
        assert_eq!(names(&registry), [(1, 1), (2, 0), (3, 0)]);
        assert!(registry.revoke(&token).is_ok());
        let list = (0..60).map(|number| script.member(number % 50, 2)).collect();
        assert_eq!(registry.replace_all(list).after(), 50);
        assert!(registry.snapshot().get(&script.name(49)).is_some(), "by the index of a long list");
        let strategy = RoundRobin::new();
        for number in [1, 2, 0] {
            assert_eq!(strategy.route(&registry.snapshot()).unwrap().name.name, number);
            registry.register(script.member(number, 3));
        }
        registry.replace_all(Vec::new());
        registry.register(script.member(0, 0));
        registry.deregister(&script.name(0));
        registry.collect();
        drop(strategy);
        assert!(names(&registry).is_empty());

        for event in EVENTS {
            assert!(script.runs(event) > 0, "{event:?} never happened");
        }
        script.quiet();
        drop(registry);
        assert_eq!(script.holders(), 0);
    });
}

fn user_code_may_do_everything(kind: Kind) {
    provoke(kind, |registry, script, unique| {
        let before = names(registry);
        everything(registry, script, unique);
        assert_eq!(names(registry), before);
    });
}

/// No lock at all is held: a recursive one, or the shared half of one, would let the thread itself through.
fn user_code_may_wait_for_another_thread(kind: Kind) {
    provoke(kind, |registry, script, unique| {
        thread::scope(|scope| {
            scope.spawn(|| {
                be_quiet();
                registry.register(script.member(unique, 0));
                assert!(registry.next().is_ok());
                assert!(registry.deregister(&script.name(unique)).is_some());
            });
        });
    });
}

/// A list that a reader was looking at is dropped by a later change, and its members with it, which then do everything.
fn members_of_lists_that_waited_for_readers(kind: Kind) {
    within(move || {
        let script = Script::default();
        let registry = kind.of(vec![script.member(0, 0), script.member(1, 0)]);
        let unique = AtomicU64::new(1000);
        let (hook_registry, hook_script) = (Arc::clone(&registry), script.clone());
        script.each(move |event| {
            if event == Event::Drop {
                let unique = unique.fetch_add(1, SeqCst);
                hook_registry.register(hook_script.member(unique, 0));
                hook_registry.deregister(&hook_script.name(unique));
                assert!(hook_registry.next().is_ok() && hook_registry.snapshot().len() >= 2);
                hook_registry.collect();
            }
        });
        let read = |_: &mut (), _| assert!(registry.next().is_ok());
        let change = |_, round| {
            let stalled = crossbeam_epoch::pin();
            registry.replace_all(vec![script.member(0, round), script.member(1, round)]);
            drop(stalled);
            (0..4).for_each(|_| crossbeam_epoch::pin().flush());
            registry.register(script.member(0, round + 1));
        };
        meet(Crew { threads: 2, steps: 1000 }, read, Crew { threads: 1, steps: 2000 }, change);
        assert!(script.runs(Event::Drop) > 1000);
        script.quiet();
        drop(registry);
        assert_eq!(script.holders(), 0);
    });
}

/// powsybl/powsybl-core: locks taken in opposite order by way of callbacks.
fn two_registries_call_each_other(kind: Kind) {
    within(move || {
        let scripts = [Script::default(), Script::default()];
        let registries = [0, 1].map(|which| kind.of(vec![scripts[which].member(0, 0)]));
        for which in 0..2 {
            let (other, script, unique) =
                (Arc::clone(&registries[1 - which]), scripts[1 - which].clone(), AtomicU64::new(9));
            scripts[which].each(move |_| everything(&other, &script, unique.fetch_add(1, SeqCst)));
        }
        thread::scope(|scope| {
            for which in 0..2 {
                let (registry, script) = (&registries[which], &scripts[which]);
                scope.spawn(move || {
                    for round in 0..100 {
                        registry.register(script.member(1, round));
                        registry.next().unwrap();
                        registry.deregister(&script.name(1));
                    }
                });
            }
        });
        scripts.iter().for_each(Script::quiet);
        assert!(registries.iter().all(|registry| names(registry)[0] == (0, 0)));
    });
}

/// Handles may be made, used and dropped there too.
#[test]
fn handles_inside_of_user_code() {
    within(|| {
        let script = Script::default();
        let registry = Arc::new(HandleRegistry::with_start(vec![script.member(0, 0)], Start::default()));
        let hook_registry = Arc::clone(&registry);
        script.each(move |_| {
            let (mut handle, mut leased) = (hook_registry.handle(), hook_registry.leased(3));
            assert!(handle.next().is_ok() && leased.next().is_ok());
        });
        let mut handle = registry.handle();
        for round in 0..50 {
            registry.register(script.member(1, round));
            registry.replace_all(vec![script.member(0, round), script.member(2, round)]);
            assert!(handle.next().is_ok());
        }
        assert!(EVENTS.into_iter().all(|event| script.runs(event) > 0));
        script.quiet();
    });
}

struct Meddler(Shared<Hooked>, Script);

impl Strategy<Hooked> for Meddler {
    fn route(&self, nodes: &Snapshot<Hooked>) -> Result<Arc<Hooked>, NoBackends> {
        everything(&self.0, &self.1, 50);
        self.0.replace_all(vec![self.1.member(60, 0)]);
        let given = nodes.filter(|_| {
            everything(&self.0, &self.1, 70);
            true
        });
        assert_eq!(given.len(), nodes.len());
        assert_eq!(nodes.len(), 2, "what it was given stays as it is");
        nodes.first().cloned().ok_or(NoBackends)
    }
}

fn strategies_and_filters_may_do_everything(kind: Kind) {
    within(move || {
        let script = Script::default();
        let registry = kind.of(vec![script.member(0, 0), script.member(1, 0)]);
        let balancer = Balancer::new(Arc::clone(&registry), Meddler(Arc::clone(&registry), script.clone()));
        assert_eq!(balancer.route().unwrap().name.name, 0);
        assert_eq!(names(&registry), [(60, 0)]);
    });
}
