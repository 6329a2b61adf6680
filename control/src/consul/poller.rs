//! [`Poller`]: a thread that asks Consul and feeds a sink.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ureq::Agent;

use super::error::PollError;
use super::index::Index;
use super::instance::{Instance, Status};
use super::options::{Accept, Options};
use super::pace::{Backoff, Bucket};
use super::parse::{parse_agent, parse_health};
use super::query::{Answer, Question, agent, ask, health_path};
use crate::{DirectoryUpdate, Sink, Update};

/// What a poller tells its callback, after each question.
#[derive(Debug)]
pub enum Report<O> {
    /// The sink has taken the answer. This is what it said.
    Taken(O),
    /// There is no new list. The poller asks again after this time.
    Failed(Arc<PollError>, Duration),
}

/// Asks Consul in a thread of its own, until it is dropped.
///
/// The list that a sink has stays while answers fail. Versions are the poller's own: one more than the last that the sink
/// took, for each answer. An empty list that waits for confirmation ([`OnEmpty::AcceptAfter`](crate::OnEmpty)) is asked
/// for again after the interval.
///
/// **Dropping** it ends the question under way and waits for the thread: for a callback or a change of the registry that
/// is running, for nothing else. After that nothing is fed or reported. Only a search for an address or a connection
/// that is being opened goes on, in a thread that does nothing else, for [`connect_timeout`](Options::connect_timeout)
/// each at most, and for as long as the system's search for an address takes. Dropped by its own callback, it does not
/// wait; then the callback is the last.
///
/// **User code** (the sink, the callback, the members) runs on this thread, under no lock. If it panics, the poller ends
/// and says so by [`last_error`](Self::last_error).
pub struct Poller {
    shared: Arc<Shared>,
    agent: Agent,
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    stopped: AtomicBool,
    last_error: Mutex<Option<Arc<PollError>>>,
}

enum Message {
    Answer(Result<Answer, PollError>),
    Stop,
}

impl Poller {
    /// Feeds the instances of this service, with blocking queries.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn service<S, F>(options: Options, service: &str, accept: Accept, sink: S, report: F) -> io::Result<Self>
    where
        S: Sink<Update = Update<Instance>> + Send + 'static,
        F: FnMut(Report<S::Outcome>) + Send + 'static,
    {
        let flag = if accept == Accept::Passing { "passing" } else { "" };
        let question = Question { path: health_path(service), flag, blocking: true };
        let worst = match accept {
            Accept::Passing => Status::Passing,
            Accept::Warning => Status::Warning,
            Accept::All => Status::Critical,
        };
        let read = move |body: &[u8], version| {
            let mut members = parse_health(body)?;
            members.retain(|instance| instance.status <= worst);
            Ok(Update::List { version, members })
        };
        Self::start(options, question, read, sink, report)
    }

    /// Feeds all services that are registered with the agent, at the interval: this list has no blocking queries.
    ///
    /// Instances without an address of their own are at the host of the agent's URL.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn agent<S, F>(options: Options, sink: S, report: F) -> io::Result<Self>
    where
        S: Sink<Update = DirectoryUpdate<Instance>> + Send + 'static,
        F: FnMut(Report<S::Outcome>) + Send + 'static,
    {
        let question = Question { path: "/v1/agent/services".to_owned(), flag: "", blocking: false };
        let uri = options.url.parse::<ureq::http::Uri>().ok();
        let host = uri.as_ref().and_then(ureq::http::Uri::host).unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let read = move |body: &[u8], version| {
            let services: BTreeMap<_, _> = parse_agent(body, &host)?;
            Ok(DirectoryUpdate::List { version, services })
        };
        Self::start(options, question, read, sink, report)
    }

    fn start<S, F, U>(options: Options, question: Question, read: U, sink: S, report: F) -> io::Result<Self>
    where
        S: Sink + Send + 'static,
        F: FnMut(Report<S::Outcome>) + Send + 'static,
        U: Fn(&[u8], u64) -> Result<S::Update, PollError> + Send + 'static,
    {
        let shared = Arc::new(Shared { stopped: AtomicBool::new(false), last_error: Mutex::new(None) });
        let agent = agent(&options);
        let (sender, messages) = channel();
        let asking = Asking { agent: agent.clone(), options: Arc::new(options), question: Arc::new(question), sender };
        let (messages_to, of_worker) = (asking.sender.clone(), shared.clone());
        let run = move || {
            let mut worker = Worker { shared: of_worker, asking, messages, read, sink, report };
            if catch_unwind(AssertUnwindSafe(|| worker.run())).is_err() {
                worker.shared.set(Some(Arc::new(PollError::Panicked)));
            }
        };
        let thread = thread::Builder::new().name("snapring-consul".to_owned()).spawn(run)?;
        Ok(Self { shared, agent, messages: messages_to, thread: Some(thread) })
    }

    /// Why the last question failed. `None` after one that did not, and before the first.
    pub fn last_error(&self) -> Option<Arc<PollError>> {
        self.shared.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        self.shared.stopped.store(true, SeqCst);
        // If the thread has ended, nobody needs to be told.
        drop(self.messages.send(Message::Stop));
        self.agent.clone().shutdown();
        if let Some(thread) = self.thread.take().filter(|thread| thread.thread().id() != thread::current().id()) {
            drop(thread.join());
        }
    }
}

impl fmt::Debug for Poller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poller").field("last_error", &self.last_error()).finish_non_exhaustive()
    }
}

impl Shared {
    fn set(&self, error: Option<Arc<PollError>>) {
        let mut last = self.last_error.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = std::mem::replace(&mut *last, error);
        drop(last);
        drop(earlier);
    }
}

/// All that a thread needs to ask. It has nothing of the user's.
#[derive(Clone)]
struct Asking {
    agent: Agent,
    options: Arc<Options>,
    question: Arc<Question>,
    sender: Sender<Message>,
}

impl Asking {
    /// Asks in a thread of its own, so that whoever waits for the answer can be stopped, whatever this waits for.
    fn start(&self, index: Option<u64>) -> io::Result<()> {
        let Self { agent, options, question, sender } = self.clone();
        let run = move || {
            let asked = catch_unwind(AssertUnwindSafe(|| ask(&agent, &options, &question, index)));
            let answer = asked.unwrap_or_else(|_| Err(PollError::Http("the HTTP client panicked".to_owned())));
            drop(sender.send(Message::Answer(answer))); // nobody waits any more
        };
        thread::Builder::new().name("snapring-consul-ask".to_owned()).spawn(run).map(drop)
    }
}

struct Worker<S, F, U> {
    shared: Arc<Shared>,
    asking: Asking,
    messages: Receiver<Message>,
    read: U,
    sink: S,
    report: F,
}

impl<S, F, U> Worker<S, F, U>
where
    S: Sink,
    F: FnMut(Report<S::Outcome>),
    U: Fn(&[u8], u64) -> Result<S::Update, PollError>,
{
    fn run(&mut self) {
        let options = self.asking.options.clone();
        let mut index = Index::default();
        let mut backoff = Backoff::new(options.backoff_first, options.backoff_most);
        let mut bucket = Bucket::new(options.interval, Instant::now());
        loop {
            let answer = match self.asking.start(index.to_ask()) {
                Err(error) => Err(PollError::Connection(error)),
                Ok(()) => match self.messages.recv() {
                    Ok(Message::Answer(answer)) => answer,
                    Ok(Message::Stop) | Err(_) => return,
                },
            };
            if self.shared.stopped.load(SeqCst) {
                return;
            }
            // The index moves on only with an answer that was taken: the next question would wait for another change.
            let taken = answer.and_then(|answer| Ok((answer.index, self.take(&answer)?)));
            let pause = match taken {
                Ok((answered, outcome)) => {
                    backoff.succeeded();
                    self.shared.set(None);
                    (self.report)(Report::Taken(outcome));
                    let again = self.sink.awaits_confirmation();
                    index =
                        if again || !self.asking.question.blocking { Index::default() } else { index.after(answered) };
                    let pause = bucket.take(Instant::now());
                    if index.to_ask().is_some() { pause } else { options.interval }
                }
                Err(error) => {
                    let (error, pause) = (Arc::new(error), backoff.failed());
                    self.shared.set(Some(error.clone()));
                    (self.report)(Report::Failed(error, pause));
                    pause
                }
            };
            // Nobody else sends now: no question is under way.
            if !matches!(self.messages.recv_timeout(pause), Err(RecvTimeoutError::Timeout)) {
                return;
            }
        }
    }

    fn take(&mut self, answer: &Answer) -> Result<S::Outcome, PollError> {
        let version = self.sink.version().map_or(1, |version| version.saturating_add(1));
        let update = (self.read)(&answer.body, version)?;
        Ok(self.sink.apply(update)?)
    }
}
