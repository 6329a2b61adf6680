//! What a [`Router`](crate::Router) answers.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteError<K, E> {
    /// Nobody is registered.
    NoBackends,
    /// Everybody who is registered failed to become ready.
    NobodyReady,
    /// The service under this key took the request and failed.
    Service(K, E),
}

impl<K: fmt::Debug, E> fmt::Display for RouteError<K, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBackends => snapring::NoBackends.fmt(f),
            Self::NobodyReady => f.write_str("every service that is registered failed to become ready"),
            Self::Service(key, _) => write!(f, "the service {key:?} failed"),
        }
    }
}

impl<K: fmt::Debug, E: Error + 'static> Error for RouteError<K, E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Service(_, error) => Some(error),
            _ => None,
        }
    }
}

pin_project! {
    /// The answer of a [`Router`](crate::Router), when it comes.
    #[derive(Debug)]
    pub struct ResponseFuture<K, F> {
        #[pin]
        answer: Answer<K, F>,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = Projected]
    enum Answer<K, F> {
        Coming { #[pin] future: F, key: Option<K> },
        Nobody { registered: bool },
    }
}

impl<K, F> ResponseFuture<K, F> {
    pub(crate) fn of(key: K, future: F) -> Self {
        Self { answer: Answer::Coming { future, key: Some(key) } }
    }

    pub(crate) fn nobody(registered: bool) -> Self {
        Self { answer: Answer::Nobody { registered } }
    }
}

impl<K, F, T, E> Future for ResponseFuture<K, F>
where
    F: Future<Output = Result<T, E>>,
{
    type Output = Result<T, RouteError<K, E>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().answer.project() {
            Projected::Coming { future, key } => future.poll(cx).map_err(|error| {
                RouteError::Service(key.take().expect("a future is not polled after it is done"), error)
            }),
            Projected::Nobody { registered: true } => Poll::Ready(Err(RouteError::NobodyReady)),
            Projected::Nobody { registered: false } => Poll::Ready(Err(RouteError::NoBackends)),
        }
    }
}
