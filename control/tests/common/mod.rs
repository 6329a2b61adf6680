//! An HTTP server that misbehaves as it is told, and patience.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use snapring_control::consul::{Options, PollError, Report};

/// Long enough for anything that happens at all, on any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A value that others wait for.
pub(crate) struct Seen<T>(Arc<(Mutex<T>, Condvar)>);

impl<T> Clone for Seen<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Seen<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new((Mutex::new(value), Condvar::new())))
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.0.0.lock().unwrap());
        self.0.1.notify_all();
    }

    /// Waits until this is so, and says what it was asked for.
    pub(crate) fn eventually<R>(&self, what: &str, mut ready: impl FnMut(&mut T) -> Option<R>) -> R {
        let mut result = None;
        let wait = |value: &mut T| {
            result = ready(value);
            result.is_none()
        };
        drop(self.0.1.wait_timeout_while(self.0.0.lock().unwrap(), PATIENCE, wait).unwrap());
        result.unwrap_or_else(|| panic!("never: {what}"))
    }

    pub(crate) fn get<R>(&self, get: impl FnOnce(&T) -> R) -> R {
        get(&self.0.0.lock().unwrap())
    }
}

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    /// Nothing, until the client is gone.
    Hang,
    /// Sends no more, but goes on listening.
    HalfClose,
}

pub(crate) fn send(text: impl AsRef<[u8]>) -> Step {
    Step::Send(text.as_ref().to_vec())
}

/// A whole answer.
pub(crate) fn ok(index: u64, body: &str) -> Vec<Step> {
    let length = body.len();
    vec![send(format!("HTTP/1.1 200 OK\r\nX-Consul-Index: {index}\r\nContent-Length: {length}\r\n\r\n{body}"))]
}

pub(crate) struct Request {
    /// Path and query string.
    pub(crate) target: String,
    pub(crate) head: String,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) requests: Seen<Vec<Request>>,
    /// How many clients were gone while the server did nothing.
    pub(crate) gone: Seen<usize>,
    over: Seen<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers the n-th request, counted from 0, with these steps, and then closes the connection.
    pub(crate) fn start(answer: impl Fn(usize, &str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, gone, over) = (Seen::new(Vec::new()), Seen::new(0), Seen::new(false));
        let (to, left, end, answer) = (requests.clone(), gone.clone(), over.clone(), Arc::new(answer));
        let serve = move || {
            for stream in listener.incoming() {
                if end.get(|over| *over) {
                    return;
                }
                let (to, left, answer) = (to.clone(), left.clone(), answer.clone());
                thread::spawn(move || drop(serve(&stream.unwrap(), &to, &left, &*answer)));
            }
        };
        Self { address, requests, gone, over, thread: Some(thread::spawn(serve)) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Quick to ask again, slow to give up.
    pub(crate) fn options(&self) -> Options {
        let mut options = Options::new(self.url());
        options.interval = Duration::from_millis(1);
        options.backoff_first = Duration::from_millis(1);
        options.backoff_most = Duration::from_millis(5);
        (options.connect_timeout, options.read_timeout, options.overall_timeout) = (PATIENCE, PATIENCE, PATIENCE);
        options
    }

    pub(crate) fn wait_for_requests(&self, count: usize) {
        self.requests.eventually("so many requests", |requests| (requests.len() >= count).then_some(()));
    }

    pub(crate) fn targets(&self) -> Vec<String> {
        self.requests.get(|requests| requests.iter().map(|request| request.target.clone()).collect())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.change(|over| *over = true);
        drop(TcpStream::connect(self.address)); // wakes the listener
        self.thread.take().unwrap().join().unwrap();
    }
}

type Answering = dyn Fn(usize, &str) -> Vec<Step> + Send + Sync;

fn serve(
    stream: &TcpStream,
    requests: &Seen<Vec<Request>>,
    gone: &Seen<usize>,
    answer: &Answering,
) -> std::io::Result<()> {
    let mut head = String::new();
    let mut reader = BufReader::new(stream);
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut number = 0;
    requests.change(|requests| {
        number = requests.len();
        requests.push(Request { target: target.clone(), head });
    });
    for step in answer(number, &target) {
        match step {
            Step::Send(bytes) => (&*stream).write_all(&bytes)?,
            Step::HalfClose => stream.shutdown(Shutdown::Write)?,
            Step::Hang => {
                // Ends with the client's connection.
                drop((&*stream).read(&mut [0; 1]));
                gone.change(|gone| *gone += 1);
            }
        }
    }
    Ok(())
}

/// What a poller has reported.
pub(crate) struct Reports<O> {
    pub(crate) taken: Vec<O>,
    pub(crate) failed: Vec<Arc<PollError>>,
}

pub(crate) fn reports<O: Send + 'static>() -> (Seen<Reports<O>>, impl FnMut(Report<O>) + Send + 'static) {
    let seen = Seen::new(Reports { taken: Vec::new(), failed: Vec::new() });
    let to = seen.clone();
    let report = move |report| {
        to.change(|reports: &mut Reports<O>| match report {
            Report::Taken(outcome) => reports.taken.push(outcome),
            Report::Failed(error, _) => reports.failed.push(error),
        });
    };
    (seen, report)
}

impl<O> Seen<Reports<O>> {
    pub(crate) fn wait_taken(&self, count: usize) {
        self.eventually("so many answers taken", |reports| (reports.taken.len() >= count).then_some(()));
    }

    pub(crate) fn first_failure(&self) -> Arc<PollError> {
        self.eventually("a failure", |reports| reports.failed.first().cloned())
    }
}

/// An instance as `/v1/health/service` has it.
pub(crate) fn entry(id: &str, status: &str) -> String {
    format!(
        r#"{{"Node":{{"Node":"n","Address":"10.0.0.9"}},
            "Service":{{"ID":"{id}","Service":"web","Address":"10.0.0.1","Port":80}},
            "Checks":[{{"CheckID":"c","Status":"{status}"}}]}}"#
    )
}

pub(crate) fn passing(ids: &[&str]) -> String {
    let entries: Vec<_> = ids.iter().map(|id| entry(id, "passing")).collect();
    format!("[{}]", entries.join(","))
}
