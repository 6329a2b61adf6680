//! The poller and an agent that answers.

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{Seen, Server, entry, ok, passing, reports};
use snapring::{Directory, Registry, Service};
use snapring_control::consul::{Accept, Instance, PollError, Poller, Status};
use snapring_control::{DirectoryFeed, Feed, OnEmpty, OnMissing, Outcome};

fn web() -> Service<Instance> {
    Directory::new().service("web")
}

fn ids(service: &Service<Instance>) -> Vec<String> {
    service.snapshot().iter().map(|instance| instance.id.service.clone()).collect()
}

#[test]
fn blocking_queries_wait_beyond_the_last_index() {
    let server = Server::start(|number, _| match number {
        0 => ok(5, &passing(&["a"])),
        1 => ok(9, &passing(&["a", "b"])),
        2 => ok(9, &passing(&["a", "b"])),
        3 => ok(4, &passing(&["b"])), // restored from a backup
        4 => ok(4, &passing(&["b"])),
        5 => ok(0, &passing(&["b", "c"])),
        _ => vec![common::Step::Hang],
    });
    let (service, (seen, report)) = (web(), reports());
    let mut options = server.options();
    options.wait = Duration::from_secs(100);
    let feed = Feed::new(service.clone(), OnEmpty::Keep);
    let poller = Poller::service(options, "web", Accept::Passing, feed, report).unwrap();
    server.wait_for_requests(7);
    seen.wait_taken(6);
    assert!(poller.last_error().is_none());
    assert_eq!(ids(&service), ["b", "c"]);
    let plain = "/v1/health/service/web?passing";
    let beyond = |index: u64| format!("{plain}&index={index}&wait=100000ms");
    let expected = [plain.into(), beyond(5), beyond(9), beyond(9), plain.into(), beyond(4), plain.into()];
    assert_eq!(server.targets()[..7], expected);
    let silent: Vec<_> = seen.get(|reports| reports.taken.iter().map(|o| o.changes().unwrap().is_empty()).collect());
    assert_eq!(silent, [false, false, true, false, true, false]);
}

#[test]
fn names_are_encoded_and_tokens_sent() {
    let server = Server::start(|_, _| ok(1, "[]"));
    let mut options = server.options();
    options.set_token("secret");
    assert!(!format!("{options:?}").contains("secret"));
    let (seen, report) = reports();
    let feed = Feed::new(web(), OnEmpty::Keep);
    let _poller = Poller::service(options, "a b/../ü?x=1&passing", Accept::All, feed, report).unwrap();
    seen.wait_taken(1);
    server.requests.get(|requests| {
        assert_eq!(requests[0].target, "/v1/health/service/a%20b%2F%2E%2E%2F%C3%BC%3Fx%3D1%26passing");
        assert!(requests[0].head.to_lowercase().contains("x-consul-token: secret\r\n"));
    });
}

#[test]
fn who_is_accepted() {
    let body = format!("[{},{},{}]", entry("p", "passing"), entry("w", "warning"), entry("c", "critical"));
    for (accept, expected) in
        [(Accept::Passing, &["p"][..]), (Accept::Warning, &["p", "w"]), (Accept::All, &["p", "w", "c"])]
    {
        let body = body.clone();
        let server = Server::start(move |_, _| ok(1, &body));
        let (service, (seen, report)) = (web(), reports());
        let feed = Feed::new(service.clone(), OnEmpty::Keep);
        let _poller = Poller::service(server.options(), "web", accept, feed, report).unwrap();
        seen.wait_taken(1);
        assert_eq!(ids(&service), expected);
        assert_eq!(service.snapshot()[0].status, Status::Passing);
    }
}

#[test]
fn an_empty_list_is_asked_for_again_until_it_is_confirmed() {
    let server = Server::start(|number, _| match number {
        0 => ok(1, &passing(&["a"])),
        1..=3 => ok(2, "[]"),
        _ => vec![common::Step::Hang],
    });
    let (service, (seen, report)) = (web(), reports());
    let feed = Feed::new(service.clone(), OnEmpty::AcceptAfter(3));
    let _poller = Poller::service(server.options(), "web", Accept::Passing, feed, report).unwrap();
    server.wait_for_requests(5);
    assert!(ids(&service).is_empty());
    let kept = seen.get(|reports| [reports.taken[1], reports.taken[2]]);
    assert_eq!(kept, [Outcome::Kept { in_a_row: 1 }, Outcome::Kept { in_a_row: 2 }]);
    let blocking: Vec<_> = server.targets()[..5].iter().map(|target| target.contains("index=")).collect();
    assert_eq!(blocking, [false, true, false, false, true]);
}

#[test]
fn all_services_of_an_agent() {
    let server = Server::start(|number, _| match number {
        0 => ok(
            0,
            r#"{"w":{"ID":"w","Service":"web","Address":"","Port":1},"d":{"ID":"d","Service":"db","Address":"x","Port":2}}"#,
        ),
        _ => ok(0, r#"{"w":{"ID":"w","Service":"web","Address":"","Port":1}}"#),
    });
    let directory = Arc::new(Directory::<Instance>::new());
    let feed = DirectoryFeed::new(directory.clone(), OnEmpty::Keep, OnMissing::Remove);
    let (seen, report) = reports();
    let _poller = Poller::agent(server.options(), feed, report).unwrap();
    seen.wait_taken(3);
    assert_eq!(directory.pick("web").unwrap().authority(), "127.0.0.1:1");
    assert!(directory.get("db").is_none());
    assert!(server.targets().iter().all(|target| target == "/v1/agent/services"));
    seen.get(|reports| assert_eq!(reports.taken[1].missing, ["db"]));
}

#[test]
fn a_hundred_thousand_instances() {
    let names: Vec<_> = (0..100_000).map(|n| format!("i{n}")).collect();
    let body = passing(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let server = Server::start(move |number, _| if number == 0 { ok(1, &body) } else { vec![common::Step::Hang] });
    let (service, (seen, report)) = (web(), reports());
    let mut options = server.options();
    options.max_body = 1 << 30;
    let feed = Feed::new(service.clone(), OnEmpty::Keep);
    let _poller = Poller::service(options, "web", Accept::Passing, feed, report).unwrap();
    seen.wait_taken(1);
    assert_eq!(ids(&service), names);
}

#[test]
fn a_failed_answer_does_not_move_the_index() {
    let server = Server::start(|number, _| match number {
        0 => ok(5, &passing(&["a"])),
        1 => ok(6, "[{}]"),
        _ => vec![common::Step::Hang],
    });
    let (seen, report) = reports();
    let feed = Feed::new(web(), OnEmpty::Keep);
    let poller = Poller::service(server.options(), "web", Accept::Passing, feed, report).unwrap();
    server.wait_for_requests(3);
    assert!(server.targets()[2].contains("index=5&"), "or the change would be missed");
    assert!(matches!(&*seen.first_failure(), PollError::Field(error) if error.path() == "[0].Node"));
    assert!(poller.last_error().is_some());
}

#[test]
fn a_panic_of_the_callback_ends_the_poller_and_is_told() {
    let server = Server::start(|_, _| ok(1, &passing(&["a"])));
    let service = web();
    let dropped = Seen::new(false);
    struct Bell(Seen<bool>);
    impl Drop for Bell {
        fn drop(&mut self) {
            self.0.change(|dropped| *dropped = true);
        }
    }
    let bell = Bell(dropped.clone());
    let feed = Feed::new(service.clone(), OnEmpty::Keep);
    let report = move |_| {
        let _bell = &bell;
        panic!("as asked")
    };
    let poller = Poller::service(server.options(), "web", Accept::Passing, feed, report).unwrap();
    dropped.eventually("the end of the thread", |dropped| dropped.then_some(()));
    assert!(matches!(poller.last_error().as_deref(), Some(PollError::Panicked)));
    assert_eq!(ids(&service), ["a"]);
}
