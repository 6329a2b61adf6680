//! All services of a directory at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use snapring::{Backend, Directory, PickError, Registry};
use snapring_control::{Delta, DirectoryFeed, DirectoryUpdate, OnEmpty, OnMissing, Outcome, Rejected, Sink};

type Services = BTreeMap<String, Vec<Backend>>;

fn backends(ids: &[&str]) -> Vec<Backend> {
    ids.iter().map(|id| Backend::new(*id, "x")).collect()
}

fn list(version: u64, services: &[(&str, &[&str])]) -> DirectoryUpdate<Backend> {
    let services = services.iter().map(|(name, ids)| ((*name).to_owned(), backends(ids))).collect();
    DirectoryUpdate::List { version, services }
}

fn delta(base: u64, version: u64, name: &str, added: &[&str], removed: &[&str]) -> DirectoryUpdate<Backend> {
    let removed = removed.iter().map(|id| (*id).to_owned()).collect();
    let services = BTreeMap::from([(name.to_owned(), Delta { added: backends(added), removed })]);
    DirectoryUpdate::Delta { base, version, services, gone: Vec::new() }
}

fn gone(base: u64, version: u64, names: &[&str]) -> DirectoryUpdate<Backend> {
    let gone = names.iter().map(|name| (*name).to_owned()).collect();
    DirectoryUpdate::Delta { base, version, services: BTreeMap::new(), gone }
}

fn feed(on_empty: OnEmpty, on_missing: OnMissing) -> DirectoryFeed<Backend> {
    DirectoryFeed::new(Arc::new(Directory::new()), on_empty, on_missing)
}

fn held(feed: &DirectoryFeed<Backend>) -> BTreeMap<String, Vec<String>> {
    let services = feed.directory().services().into_iter();
    let ids = |service: &snapring::Service| service.snapshot().iter().map(|member| member.id().to_owned()).collect();
    services.map(|service| (service.name().to_owned(), ids(&service))).collect()
}

fn expected(services: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
    let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    services.iter().map(|(name, ids)| ((*name).to_owned(), owned(ids))).collect()
}

#[test]
fn lists_deltas_and_versions() {
    let mut feed = feed(OnEmpty::Keep, OnMissing::Keep);
    feed.apply(list(1, &[("web", &["a", "b"]), ("db", &["x"])])).unwrap();
    feed.apply(delta(1, 2, "web", &["c"], &["a"])).unwrap();
    assert_eq!(held(&feed), expected(&[("web", &["b", "c"]), ("db", &["x"])]));
    feed.apply(delta(2, 3, "new", &["n"], &[])).unwrap();
    let all = expected(&[("web", &["b", "c"]), ("db", &["x"]), ("new", &["n"])]);
    assert_eq!(held(&feed), all);

    assert_eq!(feed.apply(list(3, &[])), Err(Rejected::NotNewer { present: 3, offered: 3 }));
    assert_eq!(feed.apply(delta(2, 4, "web", &[], &["b"])), Err(Rejected::WrongBase { present: Some(3), base: 2 }));
    assert_eq!((held(&feed), feed.version()), (all, Some(3)));
    let other = feed.apply(list(9, &[("web", &["c", "b"]), ("db", &["x"]), ("new", &["n"])])).unwrap();
    assert!(other.services.values().all(|outcome| outcome.changes().unwrap().is_empty()), "equal, so silent");
}

#[test]
fn services_that_are_missing() {
    let both: &[(&str, &[&str])] = &[("web", &["a"]), ("db", &["x"])];
    let one: &[(&str, &[&str])] = &[("web", &["a"])];

    let mut keep = feed(OnEmpty::Accept, OnMissing::default());
    keep.apply(list(1, both)).unwrap();
    let outcome = keep.apply(list(2, one)).unwrap();
    assert_eq!(outcome.missing, ["db"]);
    assert_eq!(held(&keep), expected(both));
    keep.apply(delta(2, 3, "db", &["y"], &[])).unwrap();
    assert_eq!(held(&keep), expected(&[("web", &["a"]), ("db", &["y"])]), "it began anew at the source");

    let mut empty = feed(OnEmpty::AcceptAfter(2), OnMissing::Empty);
    empty.apply(list(1, both)).unwrap();
    let outcome = empty.apply(list(2, one)).unwrap();
    assert_eq!(outcome.services["db"], Outcome::Kept { in_a_row: 1 });
    assert!(empty.awaits_confirmation());
    assert_eq!(held(&empty), expected(both));
    empty.apply(list(3, one)).unwrap();
    assert_eq!(held(&empty), expected(&[("web", &["a"]), ("db", &[])]));
    assert_eq!(empty.directory().pick("db"), Err(PickError::NoBackends));

    let mut remove = feed(OnEmpty::Keep, OnMissing::Remove);
    remove.directory().service("other people's");
    remove.apply(list(1, both)).unwrap();
    remove.apply(list(2, one)).unwrap();
    assert_eq!(remove.directory().pick("db"), Err(PickError::UnknownService));
    assert!(remove.directory().get("other people's").is_some(), "it is none of ours");
    remove.apply(list(3, both)).unwrap();
    let outcome = remove.apply(gone(3, 4, &["db", "db", "never there"])).unwrap();
    assert_eq!(outcome.missing, ["db"]);
    assert_eq!(remove.directory().pick("db"), Err(PickError::UnknownService));
}

#[test]
fn a_missing_service_that_is_kept_is_no_empty_list() {
    let both: &[(&str, &[&str])] = &[("web", &["a"]), ("db", &["x"])];
    let mut feed = feed(OnEmpty::AcceptAfter(2), OnMissing::Keep);
    feed.apply(list(1, both)).unwrap();
    for version in 2..5 {
        feed.apply(list(version, &both[..1])).unwrap();
        assert!(!feed.awaits_confirmation(), "nothing is to be confirmed");
    }
    let outcome = feed.apply(list(5, &[both[0], ("db", &[])])).unwrap();
    assert_eq!(outcome.services["db"], Outcome::Kept { in_a_row: 1 }, "its first empty list");
    assert_eq!(held(&feed), expected(both));
    feed.apply(list(6, &both[..1])).unwrap();
    let outcome = feed.apply(list(7, &[both[0], ("db", &[])])).unwrap();
    assert_eq!(outcome.services["db"], Outcome::Kept { in_a_row: 1 }, "that was no row");
    feed.apply(list(8, &[both[0], ("db", &[])])).unwrap();
    assert_eq!(held(&feed), expected(&[("web", &["a"]), ("db", &[])]));
}

#[test]
fn a_list_without_services_is_held_back_as_an_empty_one() {
    let both: &[(&str, &[&str])] = &[("web", &["a"]), ("db", &["x"])];
    let mut feed = feed(OnEmpty::AcceptAfter(2), OnMissing::Remove);
    assert_eq!(feed.apply(list(0, &[])).unwrap().kept, None, "nothing to lose yet");
    feed.apply(list(1, both)).unwrap();
    let outcome = feed.apply(list(2, &[])).unwrap();
    assert_eq!((outcome.kept, outcome.missing.len()), (Some(1), 2));
    assert_eq!(held(&feed), expected(both));
    assert!(feed.awaits_confirmation());
    feed.apply(list(3, &[])).unwrap();
    assert_eq!(held(&feed), expected(&[]));

    feed.apply(list(4, both)).unwrap();
    feed.apply(list(5, &[])).unwrap();
    feed.apply(delta(5, 6, "web", &["b"], &[])).unwrap();
    assert_eq!(held(&feed), expected(&[("web", &["b"])]), "what a delta says begins at the empty list");
}

#[test]
fn a_service_keeps_its_strategy_s_memory() {
    let mut feed = feed(OnEmpty::Keep, OnMissing::Keep);
    feed.apply(list(0, &[("web", &["a", "b", "c"])])).unwrap();
    for round in 0..40 {
        let mut picked = Vec::new();
        for pick in 0..3 {
            picked.push(feed.directory().pick("web").unwrap().id().to_owned());
            feed.apply(list(1 + round * 3 + pick, &[("web", &["a", "b", "c"])])).unwrap();
        }
        picked.sort();
        assert_eq!(picked, ["a", "b", "c"]);
    }
}

fn updates() -> impl Strategy<Value = Vec<DirectoryUpdate<Backend>>> {
    let name = || (0..3_u8).prop_map(|name| format!("s{name}"));
    let ids = || proptest::collection::vec((0..4_u8).prop_map(|id| id.to_string()), 0..4);
    let members = move || ids().prop_map(|ids| ids.iter().map(|id| Backend::new(id, "x")).collect::<Vec<_>>());
    let lists = proptest::collection::btree_map(name(), members(), 0..3);
    let list = (0..20_u64, lists).prop_map(|(version, services)| DirectoryUpdate::List { version, services });
    let change = (members(), ids()).prop_map(|(added, removed)| Delta { added, removed });
    let deltas = proptest::collection::btree_map(name(), change, 0..3);
    let gone = proptest::collection::vec(name(), 0..2);
    let delta = (0..20_u64, 0..4_u64, deltas, gone).prop_map(|(base, more, services, gone)| DirectoryUpdate::Delta {
        base,
        version: base + more,
        services,
        gone,
    });
    proptest::collection::vec(prop_oneof![list, delta], 0..40)
}

/// With the policies that believe everything, the directory is what the source says.
fn model(state: &mut (Option<u64>, Services), update: &DirectoryUpdate<Backend>) -> bool {
    let (version, base) = match update {
        DirectoryUpdate::List { version, .. } => (*version, None),
        DirectoryUpdate::Delta { base, version, .. } => (*version, Some(*base)),
    };
    if state.0.is_some_and(|present| version <= present) || (base.is_some() && base != state.0) {
        return false;
    }
    state.0 = Some(version);
    let mut next = match update {
        DirectoryUpdate::List { services, .. } => services.clone(),
        DirectoryUpdate::Delta { services, gone, .. } => {
            let mut next = state.1.clone();
            next.retain(|name, _| !gone.contains(name) || services.contains_key(name));
            for (name, delta) in services {
                let list = next.entry(name.clone()).or_default();
                list.retain(|member| !delta.removed.iter().any(|id| id == member.id()));
                list.extend(delta.added.iter().cloned());
            }
            next
        }
    };
    for list in next.values_mut() {
        list.sort_by(|a, b| a.id().cmp(b.id()));
        list.dedup();
    }
    state.1 = next;
    true
}

proptest! {
    #[test]
    fn any_sequence_of_updates_leaves_the_lists_of_the_model(updates in updates()) {
        let mut feed = feed(OnEmpty::Accept, OnMissing::Remove);
        let mut state = (None, Services::new());
        for update in updates {
            let taken = model(&mut state, &update);
            prop_assert_eq!(feed.apply(update).is_ok(), taken);
            let mut now = held(&feed);
            now.values_mut().for_each(|ids| ids.sort());
            let ids = |list: &Vec<Backend>| list.iter().map(|member| member.id().to_owned()).collect::<Vec<_>>();
            let modelled: BTreeMap<_, _> = state.1.iter().map(|(name, list)| (name.clone(), ids(list))).collect();
            prop_assert_eq!(now, modelled);
        }
    }
}
