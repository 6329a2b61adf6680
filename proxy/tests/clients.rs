//! What clients send and how they behave, good or bad: what they are told, and that the proxy goes on.

mod common;

use std::time::Duration;

use common::{
    Client, count, demo, deregister, eventually, get, once, options, proxy, raw, raw_exchange, register, request, say,
    status,
};
use hyper::Method;
use snapring_proxy::Options;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn a_client_that_has_said_everything_may_close_its_side() {
    let b1 = demo("b1").await;
    let proxy = proxy(options(), &[("b1", b1.address())]).await;
    let answer = raw_exchange(proxy.address(), b"GET / HTTP/1.1\r\nhost: x\r\n\r\n", true).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nb1"), "{answer}");
}

#[tokio::test]
async fn a_client_that_stops_in_its_body_is_told_so() {
    // Waits for the whole body, as most do.
    let patient = raw(|stream, _| async move {
        std::future::pending::<()>().await;
        drop(stream);
    });
    let options =
        Options { stall_timeout: Duration::from_millis(50), answer_timeout: Duration::from_millis(50), ..options() };
    let proxy = proxy(options, &[("b1", patient.await)]).await;
    for head in ["POST / HTTP/1.1\r\ncontent-length: 99", "PUT / HTTP/1.1\r\ncontent-length: 99"] {
        let request = format!("{head}\r\nhost: x\r\n\r\nhello");
        let answer = raw_exchange(proxy.address(), request.as_bytes(), false).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{head}: {answer}");
        assert!(answer.contains("stopped coming"), "{answer}");
    }
    // The backend was not to blame.
    assert_eq!(count(&status(&proxy).await, "b1", "failed"), 0);
}

#[tokio::test]
async fn a_client_that_breaks_off_in_its_body_blames_nobody() {
    let b1 = demo("b1").await;
    let proxy = proxy(options(), &[("b1", b1.address())]).await;
    for method in ["POST", "PUT"] {
        let request = format!("{method} /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\nhello");
        raw_exchange(proxy.address(), request.as_bytes(), true).await;
    }
    eventually("both are over", || async { count(&status(&proxy).await, "b1", "in_flight") == 0 }).await;
    assert_eq!(count(&status(&proxy).await, "b1", "failed"), 0);
    assert_eq!(get(proxy.address(), "/").await.text(), "b1");
}

#[tokio::test]
async fn bodies_of_any_size_pass_through() {
    let b1 = demo("b1").await;
    let proxy = proxy(options(), &[("b1", b1.address())]).await;
    let big: Vec<u8> = (0..16 << 20_u32).map(|at: u32| (at ^ (at >> 8)) as u8).collect();
    for method in [Method::POST, Method::PUT] {
        let answer = once(proxy.address(), method, "/echo", big.clone()).await.unwrap();
        assert_eq!(answer.status, 200);
        assert!(answer.body == big, "{} bytes came back", answer.body.len());
    }
}

#[tokio::test]
async fn odd_requests_are_answered() {
    let b1 = demo("b1").await;
    let proxy = proxy(options(), &[("b1", b1.address())]).await;
    for (request, status) in [
        (&b"CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n"[..], "501 "),
        (b"GET http://other.example/path?q HTTP/1.1\r\nhost: x\r\n\r\n", "200 "),
        (b"GET / HTTP/1.0\r\n\r\n", "200 "),
        (b"OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n", ""),
        (b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab", "400 "),
        (b"GET / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", ""),
        (b"GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n", "200 "),
        (b"\x16\x03\x01\x02\x00", "400 "),
        (b"\r\n\r\n\r\n", ""),
        (b"", ""),
    ] {
        let answer = raw_exchange(proxy.address(), request, true).await;
        let text = String::from_utf8_lossy(request);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1."), "{text}: {answer}");
        assert!(answer.get(9..).unwrap_or("").starts_with(status), "{text}: {answer}");
    }
    assert_eq!(get(proxy.address(), "/").await.text(), "b1");
}

#[tokio::test]
async fn fields_of_the_connection_stay_and_the_client_is_named() {
    let b1 = demo("b1").await;
    let proxy = proxy(options(), &[("b1", b1.address())]).await;
    let mut request = request(Method::GET, "/headers", "");
    for (name, value) in [("connection", "x-mine"), ("x-mine", "1"), ("te", "gzip"), ("x-other", "2")] {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    let answer = Client::new(proxy.address()).await.unwrap().send(request).await.unwrap();
    let mut fields: Vec<_> = answer.text().lines().collect();
    fields.sort();
    assert_eq!(fields, ["host: test.example", "x-forwarded-for: 127.0.0.1", "x-forwarded-proto: http", "x-other: 2"]);
}

#[tokio::test]
async fn an_open_connection_is_used_again() {
    let b1 = demo("b1").await;
    let proxy = proxy(options(), &[("b1", b1.address())]).await;
    let mut client = Client::new(proxy.address()).await.unwrap();
    for _ in 0..20 {
        assert_eq!(client.send(request(Method::GET, "/", "")).await.unwrap().text(), "b1");
    }
    // A connection may still be on its way back to the pool when the next request comes, so: few, not one.
    assert!(b1.connections() < 20, "{} for 20 requests", b1.connections());
}

#[tokio::test]
async fn further_clients_wait_for_a_place() {
    let b1 = demo("b1").await;
    let proxy = proxy(Options { max_connections: 1, ..options() }, &[("b1", b1.address())]).await;
    let mut first = Client::new(proxy.address()).await.unwrap();
    assert_eq!(first.send(request(Method::GET, "/", "")).await.unwrap().status, 200);
    let mut second = TcpStream::connect(proxy.address()).await.unwrap();
    second.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    assert_eq!(first.send(request(Method::GET, "/", "")).await.unwrap().status, 200);
    assert_eq!(b1.requests(), 2, "the second client has no place yet");
    drop(first);
    let mut answer = String::new();
    second.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("b1"), "{answer}");
}

#[tokio::test]
async fn answers_of_every_kind_pass_through() {
    let old = raw(|stream, head| async move {
        assert!(head.starts_with("GET /old HTTP/1.1\r\n"), "{head}");
        say(stream, b"HTTP/1.0 200 OK\r\nx-kept: yes\r\n\r\nuntil it closes").await;
    });
    let old = old.await;
    let proxy = proxy(options(), &[("old", old)]).await;
    let answer = get(proxy.address(), "/old").await;
    assert_eq!((answer.text(), &answer.headers["x-kept"]), ("until it closes", &"yes".parse().unwrap()));
    let answer = raw_exchange(proxy.address(), b"GET /old HTTP/1.0\r\n\r\n", false).await;
    assert!(answer.ends_with("\r\n\r\nuntil it closes"), "no chunks for a client of 1.0: {answer}");
    assert_eq!(deregister(proxy.admin(), "old").await, 200);

    let b1 = demo("b1").await;
    register(proxy.admin(), "b1", b1.address()).await;
    let answer = once(proxy.address(), Method::HEAD, "/", "").await.unwrap();
    assert_eq!((answer.text(), &answer.headers["content-length"]), ("", &"2".parse().unwrap()));
    assert_eq!(get(proxy.address(), "/").await.text(), "b1");
}

#[tokio::test]
async fn a_client_that_does_not_read_is_given_up() {
    let endless = raw(|mut stream: TcpStream, _| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while stream.write_all(&[b'x'; 65536]).await.is_ok() {}
    });
    let options = Options { stall_timeout: Duration::from_millis(50), ..options() };
    let proxy = proxy(options, &[("endless", endless.await)]).await;
    let mut client = TcpStream::connect(proxy.address()).await.unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    eventually("it was served", || async { count(&status(&proxy).await, "endless", "answered") == 1 }).await;
    eventually("it is given up", || async { proxy.tasks() == 2 }).await;
    assert_eq!(count(&status(&proxy).await, "endless", "in_flight"), 0);
    drop(client);
}

#[tokio::test]
async fn a_client_that_says_nothing_is_given_up() {
    let proxy = proxy(Options { head_timeout: Duration::from_millis(50), ..options() }, &[]).await;
    for beginning in ["", "GET / HT"] {
        // Ends only because the other side ends it.
        let answer = raw_exchange(proxy.address(), beginning.as_bytes(), false).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
}
