//! Versions, deltas, empty lists.

use snapring::{Backend, Directory, Registry, Service};
use snapring_control::{Delta, Feed, OnEmpty, Outcome, Rejected, Sink, Update};

fn backend(id: &str, address: &str) -> Backend {
    Backend::new(id, address)
}

fn backends(ids: &[&str]) -> Vec<Backend> {
    ids.iter().map(|id| backend(id, "x")).collect()
}

fn list(version: u64, ids: &[&str]) -> Update<Backend> {
    Update::List { version, members: backends(ids) }
}

fn delta(base: u64, version: u64, added: &[&str], removed: &[&str]) -> Update<Backend> {
    let removed = removed.iter().map(|id| (*id).to_owned()).collect();
    Update::Delta { base, version, delta: Delta { added: backends(added), removed } }
}

fn feed(on_empty: OnEmpty) -> Feed<Backend> {
    Feed::new(Directory::new().service("web"), on_empty)
}

fn ids(service: &Service) -> Vec<String> {
    service.snapshot().iter().map(|member| member.id().to_owned()).collect()
}

#[test]
fn old_and_equal_versions_are_rejected_and_change_nothing() {
    let mut feed = feed(OnEmpty::Accept);
    feed.apply(list(5, &["a", "b"])).unwrap();
    let before = feed.registry().snapshot().version();
    for (version, update) in [(4, list(4, &["c"])), (5, list(5, &["c"])), (0, list(0, &[]))] {
        assert_eq!(feed.apply(update), Err(Rejected::NotNewer { present: 5, offered: version }));
    }
    assert_eq!(feed.apply(delta(4, 5, &["c"], &[])), Err(Rejected::NotNewer { present: 5, offered: 5 }));
    assert_eq!(feed.registry().snapshot().version(), before);
    assert_eq!(ids(feed.registry()), ["a", "b"]);
    assert_eq!(feed.version(), Some(5));
    feed.apply(list(u64::MAX, &["c"])).unwrap();
    assert!(feed.apply(list(u64::MAX, &["d"])).is_err());
    feed.forget_version();
    feed.apply(list(0, &["d"])).unwrap();
    assert_eq!(ids(feed.registry()), ["d"]);
}

#[test]
fn deltas_for_another_list_are_rejected() {
    let mut feed = feed(OnEmpty::Accept);
    let early = feed.apply(delta(0, 1, &["a"], &[]));
    assert_eq!(early, Err(Rejected::WrongBase { present: None, base: 0 }));
    feed.apply(list(3, &["a"])).unwrap();
    for base in [2, 4] {
        let wrong = feed.apply(delta(base, 9, &["b"], &["a"]));
        assert_eq!(wrong, Err(Rejected::WrongBase { present: Some(3), base }));
    }
    assert_eq!(ids(feed.registry()), ["a"]);
    feed.apply(delta(3, 9, &["b"], &["a"])).unwrap();
    assert_eq!(ids(feed.registry()), ["b"]);
}

#[test]
fn a_delta_is_one_publication_and_leaves_the_others_in_their_places() {
    let mut feed = feed(OnEmpty::Accept);
    feed.apply(list(1, &["a", "b", "c", "d"])).unwrap();
    let before = feed.registry().snapshot().version();
    let Outcome::Taken(changes) = feed.apply(delta(1, 2, &["b", "e"], &["a", "b", "nobody"])).unwrap() else {
        panic!()
    };
    assert_eq!(ids(feed.registry()), ["b", "c", "d", "e"], "who left and joined at once stays in place");
    assert_eq!((changes.added(), changes.removed(), changes.replaced(), changes.unchanged()), (1, 1, 0, 3));
    assert_eq!(feed.registry().snapshot().version(), before + 1);
}

#[test]
fn an_equal_list_is_silent_and_strategies_lose_nothing() {
    let mut feed = feed(OnEmpty::Keep);
    feed.apply(list(1, &["a", "b", "c", "d"])).unwrap();
    for round in 0..50 {
        let before = feed.registry().snapshot().version();
        // The bag picks everybody once before anybody twice, although the list comes again between the picks.
        let mut picked = Vec::new();
        for pick in 0..4 {
            picked.push(feed.registry().pick().unwrap().id().to_owned());
            let ids: &[_] = if pick % 2 == 0 { &["a", "b", "c", "d"] } else { &["d", "c", "b", "a"] };
            let outcome = feed.apply(list(2 + round * 4 + pick, ids)).unwrap();
            assert!(outcome.changes().unwrap().is_empty());
        }
        picked.sort();
        assert_eq!(picked, ["a", "b", "c", "d"]);
        assert_eq!(feed.registry().snapshot().version(), before);
    }
    let unchanged = feed.apply(delta(201, 202, &["a"], &["nobody"])).unwrap();
    assert!(unchanged.changes().unwrap().is_empty());
}

#[test]
fn an_empty_list_is_kept_out_until_the_policy_believes_it() {
    let mut keep = feed(OnEmpty::default());
    keep.apply(list(1, &["a"])).unwrap();
    for version in 2..100 {
        assert_eq!(keep.apply(list(version, &[])), Ok(Outcome::Kept { in_a_row: version as u32 - 1 }));
    }
    assert_eq!(ids(keep.registry()), ["a"]);
    assert!(!keep.awaits_confirmation(), "it would never be believed");

    let mut accept = feed(OnEmpty::Accept);
    accept.apply(list(1, &["a"])).unwrap();
    assert_eq!(accept.apply(list(2, &[])).unwrap().changes().unwrap().removed(), 1);
    assert!(ids(accept.registry()).is_empty());

    let mut after = feed(OnEmpty::AcceptAfter(3));
    after.apply(list(1, &["a"])).unwrap();
    assert_eq!(after.apply(list(2, &[])), Ok(Outcome::Kept { in_a_row: 1 }));
    assert_eq!(after.apply(list(3, &[])), Ok(Outcome::Kept { in_a_row: 2 }));
    assert!(after.awaits_confirmation());
    after.apply(list(4, &["a"])).unwrap(); // not consecutive
    assert!(!after.awaits_confirmation());
    assert_eq!(after.apply(list(5, &[])), Ok(Outcome::Kept { in_a_row: 1 }));
    assert_eq!(after.apply(delta(5, 6, &[], &["a"])), Ok(Outcome::Kept { in_a_row: 2 }), "a delta confirms it too");
    assert_eq!(after.apply(list(7, &[])).unwrap().changes().unwrap().removed(), 1);
    assert!(ids(after.registry()).is_empty());
    assert!(after.apply(list(8, &[])).unwrap().changes().unwrap().is_empty(), "empty it is already");
}

#[test]
fn an_empty_list_that_is_kept_out_still_counts_as_the_source_s() {
    let mut feed = feed(OnEmpty::Keep);
    feed.apply(list(1, &["a", "b"])).unwrap();
    assert_eq!(feed.apply(delta(1, 2, &[], &["a", "b"])), Ok(Outcome::Kept { in_a_row: 1 }));
    assert!(feed.apply(list(2, &["old"])).is_err());
    feed.apply(delta(2, 3, &["c"], &[])).unwrap();
    assert_eq!(ids(feed.registry()), ["c"], "not those of before");
}

#[test]
fn a_first_list_that_is_empty_is_taken() {
    let mut feed = feed(OnEmpty::Keep);
    assert!(feed.apply(list(1, &[])).unwrap().changes().is_some());
}

#[test]
fn repeated_and_odd_ids() {
    let mut feed = feed(OnEmpty::Keep);
    let members = vec![backend("a", "1"), backend("b", "1"), backend("a", "2")];
    feed.apply(Update::List { version: 1, members }).unwrap();
    assert_eq!(ids(feed.registry()), ["a", "b"]);
    assert_eq!(feed.registry().snapshot()[0].address(), "2", "the last contents");

    let odd = ["", " ", "a ", "A", "\0", "\u{301}e", "é", "😀", "a/b", "\r\n", "a\u{0}b"];
    feed.apply(list(2, &odd)).unwrap();
    assert_eq!(ids(feed.registry()), odd, "each is another");
    feed.apply(delta(2, 3, &[], &["A", "", "\0"])).unwrap();
    assert_eq!(ids(feed.registry()).len(), odd.len() - 3);
}

#[test]
fn a_hundred_thousand_members() {
    let mut feed = feed(OnEmpty::Keep);
    let members: Vec<_> = (0..100_000).map(|n| backend(&format!("m{n}"), "x")).collect();
    feed.apply(Update::List { version: 1, members: members.clone() }).unwrap();
    let again = feed.apply(Update::List { version: 2, members }).unwrap();
    assert_eq!(again.changes().unwrap().unchanged(), 100_000);
    assert!(again.changes().unwrap().is_empty());
    let removed = (0..100_000).step_by(2).map(|n| format!("m{n}")).collect();
    let added = (0..1000).map(|n| backend(&format!("new{n}"), "x")).collect();
    let outcome = feed.apply(Update::Delta { base: 2, version: 3, delta: Delta { added, removed } }).unwrap();
    let changes = outcome.changes().unwrap();
    assert_eq!((changes.added(), changes.removed(), changes.unchanged()), (1000, 50_000, 50_000));
    let snapshot = feed.registry().snapshot();
    assert_eq!((snapshot[0].id(), snapshot[50_000].id(), snapshot.len()), ("m1", "new0", 51_000));
}

#[test]
fn a_whole_list_repairs_what_others_changed() {
    let mut feed = feed(OnEmpty::Keep);
    feed.apply(list(1, &["a", "b"])).unwrap();
    feed.registry().deregister("a");
    feed.registry().register(backend("stranger", "x"));
    feed.apply(list(2, &["a", "b"])).unwrap();
    assert_eq!(ids(feed.registry()), ["b", "a"]);
}

#[test]
fn of_two_threads_the_newest_version_wins() {
    let feed = std::sync::Mutex::new(feed(OnEmpty::Keep));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let feed = &feed;
            scope.spawn(move || {
                for version in (1 + thread..=400).step_by(4) {
                    let _ = feed.lock().unwrap().apply(list(version, &[&format!("v{version}")]));
                }
            });
        }
    });
    assert_eq!(ids(feed.into_inner().unwrap().registry()), ["v400"]);
}

#[derive(Clone, PartialEq, Debug)]
struct Touchy(&'static str);

impl snapring::Member for Touchy {
    type Id = str;

    fn id(&self) -> &str {
        assert_ne!(self.0, "panic", "as asked");
        self.0
    }
}

#[test]
fn a_panic_of_a_member_leaves_version_and_list() {
    let registry = snapring::MutexRegistry::<Touchy>::new();
    let mut feed = Feed::new(&registry, OnEmpty::Keep);
    feed.apply(Update::List { version: 1, members: vec![Touchy("a")] }).unwrap();
    let bad = Update::List { version: 2, members: vec![Touchy("b"), Touchy("panic")] };
    let applied = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| feed.apply(bad)));
    assert!(applied.is_err());
    assert_eq!((feed.version(), registry.snapshot().len()), (Some(1), 1));
    feed.apply(Update::List { version: 2, members: vec![Touchy("b")] }).unwrap();
    assert_eq!(*registry.snapshot()[0], Touchy("b"));
}
