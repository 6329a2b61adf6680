//! Stopping: requests finish, new ones are turned away, and there is an end to patience.

mod common;

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use common::{Client, demo, eventually, get, once, options, proxy, raw, request, say};
use hyper::Method;
use snapring_proxy::Options;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

#[tokio::test]
async fn a_request_under_way_finishes_and_no_other_begins() {
    let (arrived, gate) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (arriving, waiting) = (arrived.clone(), gate.clone());
    let gated = raw(move |stream, _| {
        let (arriving, waiting) = (arriving.clone(), waiting.clone());
        async move {
            arriving.add_permits(1);
            let _ = waiting.acquire().await;
            say(stream, b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone").await;
        }
    });
    let proxy = proxy(options(), &[("gated", gated.await)]).await;
    let address = proxy.address();
    let request = tokio::spawn(once(address, Method::POST, "/", "a body"));
    let _arrived = arrived.acquire().await.unwrap();

    let draining = tokio::spawn(proxy.drain());
    eventually("nobody listens", || async { TcpStream::connect(address).await.is_err() }).await;
    assert!(!draining.is_finished(), "it waits for the request");
    gate.add_permits(1);
    assert_eq!(request.await.unwrap().unwrap().text(), "done");
    assert!(draining.await.unwrap());
}

#[tokio::test]
async fn idle_connections_do_not_keep_it() {
    let b1 = demo("b1").await;
    let proxy = proxy(options(), &[("b1", b1.address())]).await;
    let mut client = Client::new(proxy.address()).await.unwrap();
    assert_eq!(client.send(request(Method::GET, "/", "")).await.unwrap().text(), "b1");
    assert!(proxy.drain().await);
    assert!(client.send(request(Method::GET, "/", "")).await.is_err());
}

#[tokio::test]
async fn patience_ends() {
    let arrived = Arc::new(Semaphore::new(0));
    let arriving = arrived.clone();
    let silent = raw(move |stream, _| {
        arriving.add_permits(1);
        async move {
            std::future::pending::<()>().await;
            drop(stream);
        }
    });
    let options = Options { drain_timeout: Duration::from_millis(20), ..options() };
    let proxy = proxy(options, &[("silent", silent.await)]).await;
    let request = tokio::spawn(once(proxy.address(), Method::GET, "/", ""));
    let _arrived = arrived.acquire().await.unwrap();
    assert!(!proxy.drain().await);
    assert!(request.await.unwrap().is_err());
}

/// The command itself: it starts with three backends, and SIGTERM ends it in good order.
#[cfg(unix)]
#[tokio::test]
async fn the_demo_starts_and_stops() {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_snapring-proxy"));
    command.args(["--demo", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--registry", "arc-swap"]);
    let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut address = async || {
        let line = lines.next_line().await.unwrap().expect("a line for each listener");
        let (_, rest) = line.split_once("http://").unwrap();
        rest.split('/').next().unwrap().parse().unwrap()
    };
    let (requests, admin) = (address().await, address().await);
    for name in ["b1", "b2", "b3", "b1"] {
        assert_eq!(get(requests, "/").await.text(), name);
    }
    assert_eq!(get(admin, "/status").await.json()["registry"], "arc-swap");

    let pid = child.id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(child.wait().await.unwrap().success());
}
