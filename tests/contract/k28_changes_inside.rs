//! K28: what a change finds when its own call of user code has changed the list meanwhile.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use snapring::strategy::RoundRobin;
use snapring::{Outcome, Registry, Snapshot, Strategy};

use crate::common::hooked::{Event, Hooked, Script, names};
use crate::common::{Kind, Shared, on_every_registry, within};

on_every_registry!(
    the_member_under_comparison_is_replaced,
    the_member_under_comparison_is_removed,
    an_equal_member_arrives_during_the_comparison,
    the_list_changes_under_a_replacement,
    a_strategy_is_asked_while_it_thinks,
);

/// A registry of member 0, and one thing that happens the first time that an event does.
fn once(
    kind: Kind,
    when: Event,
    what: impl Fn(&Shared<Hooked>, &Script) + Send + Sync + 'static,
    call: impl FnOnce(&Shared<Hooked>, &Script) + Send + 'static,
) {
    within(move || {
        let script = Script::default();
        let registry = kind.of(vec![script.member(0, 0), script.member(1, 0)]);
        let done = AtomicBool::new(false);
        let (hook_registry, hook_script) = (Arc::clone(&registry), script.clone());
        script.each(move |event| {
            if event == when && !done.swap(true, SeqCst) {
                what(&hook_registry, &hook_script);
            }
        });
        call(&registry, &script);
        script.quiet();
    });
}

fn the_member_under_comparison_is_replaced(kind: Kind) {
    let replace = |registry: &Shared<Hooked>, script: &Script| drop(registry.register(script.member(0, 5)));
    once(kind, Event::SameContents, replace, |registry, script| {
        let registration = registry.register(script.member(0, 1));
        let Outcome::Replaced(old) = registration.outcome() else { panic!("{registration:?}") };
        assert_eq!(old.contents, 5, "what was there at last");
        assert_eq!(names(registry), [(0, 1), (1, 0)]);
    });
    once(kind, Event::SameId, replace, |registry, script| {
        assert_eq!(registry.deregister(&script.name(0)).unwrap().contents, 5);
        assert_eq!(names(registry), [(1, 0)]);
    });
    once(kind, Event::SameContents, replace, |registry, script| {
        let changes = registry.replace_all(vec![script.member(0, 5), script.member(1, 0)]);
        assert!(changes.is_empty(), "by then they are equal: {changes:?}");
    });
}

fn the_member_under_comparison_is_removed(kind: Kind) {
    let remove = |registry: &Shared<Hooked>, script: &Script| drop(registry.deregister(&script.name(0)));
    once(kind, Event::SameContents, remove, |registry, script| {
        assert_eq!(registry.register(script.member(0, 1)).outcome(), &Outcome::Added);
        assert_eq!(names(registry), [(1, 0), (0, 1)]);
    });
    once(kind, Event::SameId, remove, |registry, script| {
        assert!(registry.deregister(&script.name(0)).is_none());
        assert_eq!(names(registry), [(1, 0)]);
    });
    once(kind, Event::SameId, remove, |registry, script| {
        let changes = registry.replace_all(vec![script.member(0, 1), script.member(1, 0)]);
        assert_eq!((changes.added(), changes.unchanged(), changes.replaced()), (1, 1, 0));
        assert_eq!(names(registry), [(1, 0), (0, 1)]);
    });
}

fn an_equal_member_arrives_during_the_comparison(kind: Kind) {
    let arrive = |registry: &Shared<Hooked>, script: &Script| drop(registry.register(script.member(0, 1)));
    once(kind, Event::SameId, arrive, |registry, script| {
        let version = registry.snapshot().version();
        let registration = registry.register(script.member(0, 1));
        assert!(matches!(registration.outcome(), Outcome::Unchanged | Outcome::Replaced(_)), "{registration:?}");
        assert_eq!(names(registry), [(0, 1), (1, 0)]);
        let publications = if registration.outcome() == &Outcome::Unchanged { 1 } else { 2 };
        assert_eq!(registry.snapshot().version(), version + publications);
    });
    once(
        kind,
        Event::Hash,
        |registry, script| drop(registry.register(script.member(9, 0))),
        |registry, script| {
            let registration = registry.register(script.member(9, 0));
            assert_eq!(registration.outcome(), &Outcome::Unchanged, "the other one came first");
            assert!(registry.revoke(registration.token()).is_err());
            assert_eq!(names(registry), [(0, 0), (1, 0), (9, 0)]);
        },
    );
}

fn the_list_changes_under_a_replacement(kind: Kind) {
    let arrive = |registry: &Shared<Hooked>, script: &Script| drop(registry.register(script.member(7, 0)));
    for event in [Event::Id, Event::Hash, Event::SameId, Event::SameContents] {
        once(kind, event, arrive, |registry, script| {
            let changes = registry.replace_all(vec![script.member(8, 0), script.member(1, 1)]);
            assert_eq!(names(registry), [(1, 1), (8, 0)]);
            assert_eq!((changes.removed(), changes.replaced(), changes.added()), (2, 1, 1), "7 was there, and left");
        });
        once(kind, event, arrive, |registry, script| {
            let changes = registry.replace_all(vec![script.member(7, 0), script.member(1, 1)]);
            assert_eq!(names(registry), [(1, 1), (7, 0)]);
            assert_eq!((changes.removed(), changes.replaced(), changes.unchanged()), (1, 1, 1));
        });
    }
}

/// By the ids that it asks, for the same list: both have their turn, one after the other.
fn asked_while_it_thinks(script: &Script, strategy: &Arc<RoundRobin<Hooked>>, list: &Snapshot<Hooked>) -> [u64; 2] {
    let inner = Arc::new(Mutex::new(None));
    let (hook_strategy, hook_list, hook_inner) = (Arc::clone(strategy), list.clone(), Arc::clone(&inner));
    script.each(move |_| {
        let mut inner = hook_inner.lock().unwrap();
        inner.get_or_insert_with(|| hook_strategy.route(&hook_list).unwrap().name.name);
    });
    let outer = strategy.route(list).unwrap().name.name;
    script.quiet();
    let inner = inner.lock().unwrap().expect("it asks for ids");
    [inner, outer]
}

fn a_strategy_is_asked_while_it_thinks(kind: Kind) {
    within(move || {
        let script = Script::default();
        let strategy = Arc::new(RoundRobin::new());
        let strangers =
            |names: [u64; 3]| Snapshot::from_members(names.map(|name| Arc::new(script.member(name, 0))).into());
        assert_eq!(strategy.route(&strangers([7, 8, 9])).unwrap().name.name, 7);
        let new = strangers([0, 1, 2]);
        assert_eq!(asked_while_it_thinks(&script, &strategy, &new), [0, 1], "a set that is new to it");
        assert_eq!(strategy.route(&new).unwrap().name.name, 2);

        let registry = kind.of((0..4).map(|name| script.member(name, 0)).collect());
        assert_eq!(strategy.route(&registry.snapshot()).unwrap().name.name, 0);
        registry.register(script.member(3, 1));
        assert_eq!(asked_while_it_thinks(&script, &strategy, &registry.snapshot()), [1, 2], "a later list of a set");
        assert_eq!(strategy.route(&registry.snapshot()).unwrap().name.name, 3);
        registry.deregister(&script.name(3));
        assert_eq!(
            asked_while_it_thinks(&script, &strategy, &registry.snapshot()),
            [0, 1],
            "whoever was served has left"
        );
    });
}
