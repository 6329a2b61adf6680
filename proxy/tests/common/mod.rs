//! What the tests share: a proxy on a free port, a client, and patience.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::HeaderMap;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use snapring::Backend;
use snapring_proxy::demo::DemoBackend;
use snapring_proxy::{Options, Proxy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) type Error = Box<dyn std::error::Error + Send + Sync>;

/// Any free port of this machine.
pub(crate) fn anywhere() -> SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

/// Quick to notice things, slow to give up.
pub(crate) fn options() -> Options {
    Options {
        probe_first: Duration::from_millis(5),
        probe_most: Duration::from_millis(20),
        answer_timeout: Duration::from_secs(60),
        deadline: Duration::from_secs(120),
        ..Options::default()
    }
}

pub(crate) async fn proxy(options: Options, backends: &[(&str, SocketAddr)]) -> Proxy {
    let backends: Vec<_> = backends.iter().map(|(id, address)| Backend::new(*id, address.to_string())).collect();
    Proxy::start(options, anywhere(), anywhere(), backends).await.unwrap()
}

pub(crate) async fn demo(name: &str) -> DemoBackend {
    DemoBackend::start(name, anywhere()).await.unwrap()
}

/// An address where nobody listens. Holding the socket keeps others from it.
pub(crate) fn nobody() -> (tokio::net::TcpSocket, SocketAddr) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(anywhere()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

/// One client connection.
pub(crate) struct Client(http1::SendRequest<Full<Bytes>>);

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Client {
    pub(crate) async fn new(address: SocketAddr) -> Result<Self, Error> {
        let (sender, connection) = http1::handshake(TokioIo::new(TcpStream::connect(address).await?)).await?;
        tokio::spawn(connection);
        Ok(Self(sender))
    }

    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>) -> Result<Answer, Error> {
        self.0.ready().await?;
        let (head, body) = self.0.send_request(request).await?.into_parts();
        Ok(Answer { status: head.status, headers: head.headers, body: body.collect().await?.to_bytes() })
    }
}

pub(crate) fn request(method: Method, path: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    let request = Request::builder().method(method).uri(path).header("host", "test.example");
    request.body(Full::new(body.into())).unwrap()
}

/// One request on a connection of its own.
pub(crate) async fn once(
    address: SocketAddr,
    method: Method,
    path: &str,
    body: impl Into<Bytes>,
) -> Result<Answer, Error> {
    Client::new(address).await?.send(request(method, path, body)).await
}

pub(crate) async fn get(address: SocketAddr, path: &str) -> Answer {
    once(address, Method::GET, path, "").await.unwrap()
}

pub(crate) async fn status(proxy: &Proxy) -> Value {
    get(proxy.admin(), "/status").await.json()
}

/// Registers, and says that it worked.
pub(crate) async fn register(admin: SocketAddr, id: &str, address: SocketAddr) {
    let body = serde_json::json!({ "id": id, "address": address.to_string() }).to_string();
    let answer = once(admin, Method::POST, "/backends", body).await.unwrap();
    assert!(answer.status.is_success(), "{answer:?}");
}

pub(crate) async fn deregister(admin: SocketAddr, id: &str) -> StatusCode {
    once(admin, Method::DELETE, &format!("/backends/{id}"), "").await.unwrap().status
}

/// The ids of a list of the status.
pub(crate) fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|line| line["id"].as_str().unwrap()).collect()
}

/// A count of one backend in the ring.
pub(crate) fn count(status: &Value, id: &str, what: &str) -> u64 {
    let ring = status["ring"].as_array().unwrap();
    let line = ring.iter().find(|line| line["id"] == id).unwrap_or_else(|| panic!("{id} is not in {status}"));
    line[what].as_u64().unwrap()
}

/// Waits until something is so. The deadline is there to fail, never to pass.
pub(crate) async fn eventually<F: Future<Output = bool>>(what: &str, mut is_so: impl FnMut() -> F) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so().await {
        assert!(Instant::now() < deadline, "not so after a minute: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A backend that does with each connection whatever `serve` does, after the head of a request has arrived.
pub(crate) async fn raw<F>(serve: impl Fn(TcpStream, String) -> F + Send + Sync + Clone + 'static) -> SocketAddr
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind(anywhere()).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let serve = serve.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    match stream.read_u8().await {
                        Ok(byte) => head.push(byte),
                        Err(_) => return,
                    }
                }
                serve(stream, String::from_utf8(head).unwrap()).await;
            });
        }
    });
    address
}

/// Says something and closes.
pub(crate) async fn say(mut stream: TcpStream, what: &[u8]) {
    let _ = stream.write_all(what).await;
    let _ = stream.shutdown().await;
}

/// Sends bytes as they are, and reads until the other side closes.
pub(crate) async fn raw_exchange(address: SocketAddr, bytes: &[u8], then_close: bool) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    if then_close {
        stream.shutdown().await.unwrap();
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await; // a reset ends it too
    String::from_utf8_lossy(&answer).into_owned()
}
