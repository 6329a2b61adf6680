//! [`Options`]: whom to ask, how long to wait.

use std::fmt;
use std::time::Duration;

/// Whom to ask, and how long to wait.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The agent, like `http://127.0.0.1:8500`. TLS is not supported, and no proxy is used.
    pub url: String,
    /// How long the agent may hold a blocking query back. Consul allows 10 minutes at most.
    pub wait: Duration,
    /// Between questions that do not block, and at least between blocking ones that are answered at once all the time.
    pub interval: Duration,
    /// For finding the address and connecting to it, each.
    pub connect_timeout: Duration,
    /// For the head of an answer, beyond the time that a blocking query may wait; for all of its body; for sending.
    pub read_timeout: Duration,
    /// For all of a question, beyond the time that a blocking query may wait.
    pub overall_timeout: Duration,
    /// The most bytes of a body.
    pub max_body: u64,
    /// The first limit of the wait after a failure, doubled by each that follows.
    pub backoff_first: Duration,
    /// The last limit of the wait after a failure.
    pub backoff_most: Duration,
    pub(super) token: Option<Secret>,
}

impl Options {
    /// Asks the agent at this URL: waits of 5 minutes, an interval of 10 seconds, 2 seconds to connect, 10 to read, 30
    /// overall, bodies of 16 MiB, backoff from 0.5 to 30 seconds.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            wait: Duration::from_secs(300),
            interval: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(2),
            read_timeout: Duration::from_secs(10),
            overall_timeout: Duration::from_secs(30),
            max_body: 16 << 20,
            backoff_first: Duration::from_millis(500),
            backoff_most: Duration::from_secs(30),
            token: None,
        }
    }

    /// Sends this as `X-Consul-Token`. It is not shown by `Debug`.
    pub fn set_token(&mut self, token: impl Into<String>) {
        self.token = Some(Secret(token.into()));
    }

    /// How long a blocking query may take: Consul adds up to a sixteenth.
    pub(super) fn longest_wait(&self) -> Duration {
        self.wait.saturating_add(self.wait / 16)
    }
}

#[derive(Clone)]
pub(super) struct Secret(pub(super) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Which instances of a service are members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Accept {
    /// Those whose checks all pass. Consul filters (`?passing`).
    #[default]
    Passing,
    /// Those and the ones with warnings.
    Warning,
    /// All. Their [`weight`](super::Instance::weight) says which can be used.
    All,
}
