//! One fault of a backend each: what the client is told, and that the proxy goes on. Bad backends are bare sockets; none
//! of them is "slow": one that must be waited for never answers.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use common::{count, demo, deregister, eventually, get, ids, nobody, once, options, proxy, raw, register, say, status};
use hyper::Method;
use snapring_proxy::Options;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// So that a test may let a backend refuse as often as it likes.
fn never_out_of_order() -> Options {
    Options { threshold: u32::MAX, ..options() }
}

#[tokio::test]
async fn nobody_registered_is_503_with_a_reason() {
    let proxy = proxy(options(), &[]).await;
    let answer = get(proxy.address(), "/").await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.headers["retry-after"], "1");
    assert_eq!(answer.json()["reason"], "no backend is in the rotation");

    let b1 = demo("b1").await;
    register(proxy.admin(), "b1", b1.address()).await;
    assert_eq!(get(proxy.address(), "/").await.text(), "b1", "the first after empty serves at once");
    assert_eq!(deregister(proxy.admin(), "b1").await, 200);
    assert_eq!(get(proxy.address(), "/").await.status, 503, "the last one leaves too");
}

#[tokio::test]
async fn a_refused_request_goes_to_another_backend_whatever_its_method() {
    let (b1, (_held, refusing)) = (demo("b1").await, nobody());
    let proxy = proxy(never_out_of_order(), &[("a", refusing), ("b1", b1.address())]).await;
    for method in [Method::GET, Method::POST, Method::PATCH, Method::DELETE] {
        for _ in 0..2 {
            let answer = once(proxy.address(), method.clone(), "/echo", "the body").await.unwrap();
            assert_eq!((answer.status.as_u16(), answer.text()), (200, "the body"), "{method}");
        }
    }
    let status = status(&proxy).await;
    assert_eq!((count(&status, "a", "picks"), count(&status, "a", "failed")), (4, 4));
    assert_eq!((count(&status, "b1", "picks"), count(&status, "b1", "taken_over")), (4, 4));
}

#[tokio::test]
async fn when_all_fail_each_was_tried_once() {
    let ((_a, a), (_b, b), (_c, c)) = (nobody(), nobody(), nobody());
    let proxy = proxy(never_out_of_order(), &[("a", a), ("b", b), ("c", c)]).await;
    let answer = get(proxy.address(), "/").await;
    assert_eq!(answer.status, 502);
    let tried = answer.json()["tried"].as_array().unwrap().clone();
    let mut backends: Vec<_> = tried.iter().map(|one| one["backend"].as_str().unwrap()).collect();
    assert_eq!(backends[0], "a");
    backends.sort();
    assert_eq!(backends, ["a", "b", "c"]);
    assert!(tried.iter().all(|one| one["cause"] == "refused"), "{tried:?}");
}

#[tokio::test]
async fn what_was_sent_is_repeated_only_if_it_may_be() {
    let hits = Arc::new(AtomicUsize::new(0));
    let seen = hits.clone();
    // Reads the request and closes without a word.
    let closing = raw(move |stream, _| {
        seen.fetch_add(1, SeqCst);
        async move { drop(stream) }
    });
    let (b1, closing) = (demo("b1").await, closing.await);
    let proxy = proxy(options(), &[("bad", closing), ("b1", b1.address())]).await;

    // Each of these has its turn at the bad one.
    let answer = once(proxy.address(), Method::PUT, "/echo", "small").await.unwrap();
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "small"));
    assert_eq!(get(proxy.address(), "/").await.text(), "b1");

    let answer = once(proxy.address(), Method::POST, "/echo", "once only").await.unwrap();
    assert_eq!(answer.status, 502);
    assert!(answer.text().contains("must not be repeated"), "{}", answer.text());
    assert_eq!(get(proxy.address(), "/").await.text(), "b1");
    assert_eq!(hits.load(SeqCst), 2);
    assert_eq!(ids(&status(&proxy).await["ring"]), ["bad", "b1"], "it lets us in, so it stays");
}

#[tokio::test]
async fn a_backend_that_breaks_off_in_its_answer_breaks_the_answer() {
    let breaking = raw(|stream, _| say(stream, b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this")).await;
    let b1 = demo("b1").await;
    let proxy = proxy(options(), &[("bad", breaking), ("b1", b1.address())]).await;
    let broken = once(proxy.address(), Method::GET, "/", "").await;
    assert!(broken.is_err(), "half an answer must not look whole: {broken:?}");
    assert_eq!(get(proxy.address(), "/").await.text(), "b1");
    eventually("nothing is under way", || async { count(&status(&proxy).await, "bad", "in_flight") == 0 }).await;
}

#[tokio::test]
async fn an_answer_that_stands_still_is_given_up() {
    let stuck = raw(|mut stream: TcpStream, _| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this").await;
        std::future::pending::<()>().await;
    });
    let options = Options { stall_timeout: Duration::from_millis(50), ..options() };
    let proxy = proxy(options, &[("bad", stuck.await)]).await;
    assert!(once(proxy.address(), Method::GET, "/", "").await.is_err());
}

#[tokio::test]
async fn a_backend_that_does_not_answer_times_out() {
    let silent = raw(|stream, _| async move {
        std::future::pending::<()>().await;
        drop(stream);
    });
    let silent = silent.await;
    let options = Options { answer_timeout: Duration::from_millis(50), ..options() };
    let proxy = proxy(options, &[("silent", silent)]).await;
    let answer = get(proxy.address(), "/").await;
    assert_eq!(answer.status, 504);
    assert_eq!(answer.json()["tried"][0]["cause"], "timed-out");
}

#[tokio::test]
async fn the_deadline_is_for_all_attempts_together() {
    let silent = raw(|stream, _| async move {
        std::future::pending::<()>().await;
        drop(stream);
    });
    let silent = silent.await;
    let options = Options { deadline: Duration::from_millis(50), ..options() };
    let proxy = proxy(options, &[("a", silent), ("b", silent)]).await;
    let answer = get(proxy.address(), "/").await;
    assert_eq!((answer.status.as_u16(), answer.json()["tried"].as_array().unwrap().len()), (504, 1));
}

#[tokio::test]
async fn nonsense_is_not_passed_on() {
    for nonsense in [
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
        "HTTP/1.1 999999 ?\r\n\r\n",
    ] {
        let bad = raw(move |stream, _| say(stream, nonsense.as_bytes())).await;
        let proxy = proxy(options(), &[("bad", bad)]).await;
        let answer = get(proxy.address(), "/").await;
        assert_eq!(answer.status, 502, "{nonsense}");
        assert_eq!(answer.json()["tried"][0]["cause"], "nonsense", "{nonsense}");
    }
}

#[tokio::test]
async fn a_late_failure_does_not_remove_a_successor() {
    let (b1, (_held, refusing)) = (demo("b1").await, nobody());
    // Probes every 5 to 20 ms would bring nobody back here: it refuses for ever.
    let proxy = proxy(Options { threshold: 1, ..options() }, &[("x", refusing)]).await;
    assert_eq!(get(proxy.address(), "/").await.status, 502);
    assert_eq!(ids(&status(&proxy).await["out_of_order"]), ["x"]);
    assert_eq!(get(proxy.address(), "/").await.status, 503);

    // The id moves to a good address while the old one is being probed.
    register(proxy.admin(), "x", b1.address()).await;
    assert_eq!(get(proxy.address(), "/").await.text(), "b1");
    let now = status(&proxy).await;
    assert_eq!((ids(&now["ring"]), ids(&now["out_of_order"])), (vec!["x"], vec![]));
    eventually("the probe of the old one ended", || async { proxy.tasks() == 2 }).await;
}

#[tokio::test]
async fn one_that_is_out_of_order_stays_out_until_it_answers() {
    let ((held, address), b1) = (nobody(), demo("b1").await);
    let proxy = proxy(Options { threshold: 2, ..options() }, &[("x", address), ("b1", b1.address())]).await;
    for _ in 0..4 {
        assert_eq!(get(proxy.address(), "/").await.text(), "b1");
    }
    assert_eq!(ids(&status(&proxy).await["out_of_order"]), ["x"]);
    // Saying the same again changes nothing.
    let body = serde_json::json!({ "id": "x", "address": address.to_string() });
    let answer = once(proxy.admin(), Method::POST, "/backends", body.to_string()).await.unwrap();
    assert_eq!(answer.json()["outcome"], "out-of-order");
    let answer = once(proxy.admin(), Method::PUT, "/backends", serde_json::json!([body]).to_string()).await.unwrap();
    assert_eq!(answer.json()["removed"], 1);
    let now = status(&proxy).await;
    assert_eq!((ids(&now["ring"]), ids(&now["out_of_order"])), (vec![], vec!["x"]));

    let listener = held.listen(16).unwrap();
    eventually("it is back", || async { ids(&status(&proxy).await["ring"]) == ["x"] }).await;
    drop(listener);
}
