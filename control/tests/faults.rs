//! The poller and an agent that misbehaves: a typed error, and the last good list stays.

mod common;

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use common::Step::{HalfClose, Hang};
use common::{PATIENCE, Seen, Server, Step, ok, passing, reports, send};
use snapring::{Directory, Registry, Service};
use snapring_control::consul::{Accept, Instance, Options, PollError, Poller, Report};
use snapring_control::{Feed, OnEmpty};

fn web() -> Service<Instance> {
    Directory::new().service("web")
}

fn ids(service: &Service<Instance>) -> Vec<String> {
    service.snapshot().iter().map(|instance| instance.id.service.clone()).collect()
}

/// Good answers until one was taken, then this one until it has failed, then other good ones. However slow the machine
/// is, a failure in between is one of this answer. Says what it was, if everything else went well.
fn fault(change: impl FnOnce(&mut Options), steps: Vec<Step>) -> Arc<PollError> {
    let faulty = Seen::new((false, None::<Arc<PollError>>));
    let now = faulty.clone();
    let server = Server::start(move |_, _| match now.get(Clone::clone) {
        (false, _) => ok(1, &passing(&["a"])),
        (true, None) => steps.clone(),
        (true, Some(_)) => ok(2, &passing(&["a", "b"])),
    });
    let mut options = server.options();
    change(&mut options);
    let (service, told) = (web(), faulty.clone());
    let there = service.clone();
    let report = move |report| {
        told.change(|(taken, error)| match report {
            Report::Taken(_) => *taken = true,
            Report::Failed(failed, _) if *taken && error.is_none() => {
                assert_eq!(ids(&there), ["a"], "the last good list stays");
                *error = Some(failed);
            }
            Report::Failed(..) => {}
        });
    };
    let both = Seen::new(false);
    let (ring, watched) = (both.clone(), service.clone());
    let report = move |told| {
        report(told);
        ring.change(|both| *both = ids(&watched) == ["a", "b"]);
    };
    let feed = Feed::new(service, OnEmpty::Keep);
    let poller = Poller::service(options, "web", Accept::Passing, feed, report).unwrap();
    both.eventually("recovery", |both| both.then_some(()));
    let error = faulty.eventually("a failure", |(_, error)| error.clone());
    assert!(poller.last_error().is_none_or(|last| !matches!(*last, PollError::Panicked)));
    assert!(!error.to_string().is_empty());
    error
}

fn head(headers: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{headers}\r\n")
}

macro_rules! assert_fault {
    ($pattern:pat, $($fault:tt)*) => {
        let error = fault($($fault)*);
        assert!(matches!(&*error, $pattern), "{error:?}");
    };
}

#[test]
fn statuses_and_redirects() {
    for status in [500, 503, 404, 403, 204, 201, 429] {
        let answer = format!("HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n");
        let error = fault(|_| {}, vec![send(answer)]);
        assert!(matches!(&*error, PollError::Status(found) if *found == status), "{error:?}");
    }
    for location in ["/elsewhere", "http://127.0.0.1:1/"] {
        let answer = format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        assert_fault!(PollError::Status(302), |_| {}, vec![send(answer)]);
    }
}

#[test]
fn bodies_that_are_no_documents() {
    let with = |body: &str| vec![send(format!("{}{body}", head(&format!("Content-Length: {}\r\n", body.len()))))];
    assert_fault!(PollError::Json(_), |_| {}, with("<html>"));
    assert_fault!(PollError::Json(_), |_| {}, with(""));
    assert_fault!(PollError::Json(_), |_| {}, with("[] []"));
    assert_fault!(PollError::Field(_), |_| {}, with("null"));
    assert_fault!(PollError::Field(_), |_| {}, with(r#"[{"Node":7}]"#));
}

#[test]
fn bodies_that_are_cut() {
    let body = passing(&["x", "y"]);
    let length = body.len();
    let half = &body[..length / 2];
    // Early close, too long a length, half closed.
    let promised = format!("{}{half}", head(&format!("Content-Length: {length}\r\n")));
    assert_fault!(PollError::Connection(_), |_| {}, vec![send(&promised)]);
    assert_fault!(PollError::Connection(_), |_| {}, vec![send(&promised), HalfClose, Hang]);
    // Too short a length.
    let short = format!("{}{body}", head(&format!("Content-Length: {}\r\n", length - 1)));
    assert_fault!(PollError::Json(_), |_| {}, vec![send(short)]);
    // Until the end of the connection, which comes early.
    assert_fault!(PollError::Json(_), |_| {}, vec![send(format!("{}{half}", head("")))]);
    // A chunk that is missing.
    let chunked = format!("{}{:x}\r\n{half}\r\n", head("Transfer-Encoding: chunked\r\n"), half.len());
    assert_fault!(PollError::Connection(_) | PollError::Http(_), |_| {}, vec![send(chunked)]);
}

#[test]
fn what_is_no_http() {
    assert_fault!(PollError::Http(_) | PollError::Connection(_), |_| {}, vec![send("\0\u{1}garbage\r\n\r\n")]);
    assert_fault!(PollError::Connection(_), |_| {}, vec![]);
    assert_fault!(PollError::Connection(_), |_| {}, vec![send("HTTP/1.1 20")]);
    let headers = "X-Padding: 0123456789\r\n".repeat(100_000);
    assert_fault!(PollError::Http(_), |_| {}, vec![send(head(&headers))]);
    let length = head("Content-Length: many\r\n");
    assert_fault!(PollError::Http(_) | PollError::Json(_) | PollError::Connection(_), |_| {}, vec![send(length)]);
    let index = format!("{}[]", head("X-Consul-Index: soon\r\nContent-Length: 2\r\n"));
    assert_fault!(PollError::Index(_), |_| {}, vec![send(index)]);
}

#[test]
fn bodies_that_are_too_large() {
    let limit = |options: &mut Options| options.max_body = 10_000;
    let padding = " ".repeat(1_000_000);
    let with = |headers: &str| vec![send(format!("{}[]{padding}", head(headers)))];
    assert_fault!(PollError::TooLarge(10_000), limit, with("Content-Length: 1000002\r\n"));
    assert_fault!(PollError::TooLarge(10_000), limit, with(""));
    let mut endless = vec![send(head("Transfer-Encoding: chunked\r\n"))];
    endless.extend((0..1000).map(|_| send(format!("3e8\r\n{}\r\n", " ".repeat(1000)))));
    assert_fault!(PollError::TooLarge(10_000), limit, endless);
}

#[test]
fn whoever_is_too_slow() {
    let quick = |options: &mut Options| {
        options.wait = Duration::ZERO;
        options.read_timeout = Duration::from_millis(200);
    };
    assert_fault!(PollError::Timeout(_), quick, vec![Hang]);
    assert_fault!(PollError::Timeout(_), quick, vec![send("HTTP/1.1 200 OK\r\nX-"), Hang]);
    assert_fault!(PollError::Timeout(_), quick, vec![send(head("Content-Length: 9\r\n")), send("[{"), Hang]);
    let overall = |options: &mut Options| {
        options.wait = Duration::ZERO;
        options.overall_timeout = Duration::from_millis(200);
    };
    assert_fault!(PollError::Timeout(_), overall, vec![send(head("Content-Length: 9\r\n")), send("[{"), Hang]);
}

#[test]
fn chunked_bodies_are_read() {
    let body = passing(&["a", "b"]);
    let (first, second) = body.split_at(30);
    let chunks = format!("{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n", first.len(), second.len());
    let answer = format!("{}{chunks}", head("Transfer-Encoding: chunked\r\nX-Consul-Index: 3\r\n"));
    let server = Server::start(move |_, _| vec![send(&answer)]);
    let (service, (seen, report)) = (web(), reports());
    let feed = Feed::new(service.clone(), OnEmpty::Keep);
    let _poller = Poller::service(server.options(), "web", Accept::Passing, feed, report).unwrap();
    seen.wait_taken(1);
    assert_eq!(ids(&service), ["a", "b"]);
}

#[test]
fn nobody_there_and_no_address_at_all() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for url in [format!("http://{free}"), "http://host.invalid".into(), "no url".into(), "https://h".into(), "".into()]
    {
        let mut options = Options::new(&url);
        options.backoff_most = Duration::from_millis(1);
        let (seen, report) = reports();
        let poller = Poller::service(options, "web", Accept::Passing, Feed::new(web(), OnEmpty::Keep), report).unwrap();
        let error = seen.first_failure();
        assert!(!matches!(*error, PollError::Panicked), "{url}: {error:?}");
        drop(poller);
    }
}

/// Dropping the poller returns long before any timeout: those of these options are an hour.
#[test]
fn stops_at_once_whatever_it_waits_for() {
    let hour = Duration::from_secs(3600);
    let slow = [
        vec![Hang],
        vec![send("HTTP/1.1 200 OK\r\n"), Hang],
        vec![send(head("Content-Length: 9\r\n")), Hang],
        ok(1, "[]"),                                               // the next question is an hour away
        vec![send("HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n")], // so is the next attempt
    ];
    for steps in slow {
        let hangs = matches!(steps.last(), Some(Hang));
        let server = Server::start(move |_, _| steps.clone());
        let mut options = server.options();
        (options.wait, options.interval, options.read_timeout, options.overall_timeout) = (hour, hour, hour, hour);
        (options.backoff_first, options.backoff_most) = (hour, hour);
        let (seen, report) = reports();
        let feed = Feed::new(web(), OnEmpty::Keep);
        let poller = Poller::service(options, "web", Accept::Passing, feed, report).unwrap();
        server.wait_for_requests(1);
        if !hangs {
            seen.eventually("an answer", |seen| (seen.taken.len() + seen.failed.len() > 0).then_some(()));
        }
        let (done, stopped) = channel();
        thread::spawn(move || {
            drop(poller);
            done.send(()).unwrap();
        });
        stopped.recv_timeout(PATIENCE).expect("it stops at once");
        if hangs {
            server.gone.eventually("the end of the question", |gone| (*gone > 0).then_some(()));
        }
    }
}

#[test]
fn nothing_is_fed_after_it_was_dropped() {
    let server = Server::start(|number, _| ok(number as u64 + 1, &passing(&["a"])));
    let (seen, mut report) = reports();
    let alive = Arc::new(());
    let held = alive.clone();
    let report = move |told| {
        let _held = &held;
        report(told);
    };
    let feed = Feed::new(web(), OnEmpty::Keep);
    let poller = Poller::service(server.options(), "web", Accept::Passing, feed, report).unwrap();
    seen.wait_taken(3);
    drop(poller);
    assert_eq!(Arc::strong_count(&alive), 1, "the thread has ended");
}

#[test]
fn a_callback_may_drop_its_poller_and_is_then_the_last() {
    let server = Server::start(|number, _| ok(number as u64 + 1, &passing(&["a"])));
    let service = web();
    let slot = Seen::new(None::<Poller>);
    let dropped = Seen::new(0);
    let ended = Seen::new(false);
    struct Bell(Seen<bool>);
    impl Drop for Bell {
        fn drop(&mut self) {
            self.0.change(|ended| *ended = true);
        }
    }
    let (inside, count, bell) = (slot.clone(), dropped.clone(), Bell(ended.clone()));
    let report = move |_: Report<_>| {
        let _bell = &bell;
        drop(inside.eventually("the poller", Option::take));
        count.change(|dropped| *dropped += 1);
    };
    let feed = Feed::new(service.clone(), OnEmpty::Keep);
    let poller = Poller::service(server.options(), "web", Accept::Passing, feed, report).unwrap();
    slot.change(|slot| *slot = Some(poller));
    ended.eventually("the end of the thread", |ended| ended.then_some(()));
    assert_eq!((dropped.get(|dropped| *dropped), ids(&service)), (1, vec!["a".to_owned()]));
}
