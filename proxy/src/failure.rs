//! What can go wrong: with one attempt ([`Cause`]), with a request ([`Failure`]), and what the client is told.

use std::error::Error;
use std::io;

use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::json;

use crate::body::{Answer, whole};

/// Why one attempt at one backend failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Cause {
    /// The connection could not be opened.
    Refused,
    /// The connection could not be opened for a reason on our side: no more ports, no more files.
    Exhausted,
    /// The connection closed before anything was sent.
    Unsent,
    /// The connection broke after the request was sent.
    Broke,
    /// The answer is not HTTP/1.1, or not an answer to what was asked.
    Nonsense,
    /// The answer did not come in time.
    TimedOut,
}

impl Cause {
    pub(crate) fn of(error: &hyper_util::client::legacy::Error) -> Self {
        let chain = || std::iter::successors(error.source(), |error| (*error).source());
        if error.is_connect() {
            let ours = chain().filter_map(|error| error.downcast_ref::<io::Error>()).any(is_ours);
            return if ours { Self::Exhausted } else { Self::Refused };
        }
        match chain().find_map(|error| error.downcast_ref::<hyper::Error>()) {
            Some(error) if error.is_canceled() || error.is_closed() => Self::Unsent,
            Some(error) if error.is_parse() => Self::Nonsense,
            _ => Self::Broke,
        }
    }

    /// Whether the backend has seen nothing of the request, so that it may go to another one whatever it asks for.
    pub(crate) fn is_before_sending(self) -> bool {
        matches!(self, Self::Refused | Self::Exhausted | Self::Unsent)
    }
}

/// A lack of ports or files must not be counted against every backend in turn.
fn is_ours(error: &io::Error) -> bool {
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    error.kind() == io::ErrorKind::AddrNotAvailable || matches!(error.raw_os_error(), Some(ENFILE | EMFILE))
}

/// One attempt that failed.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Tried {
    pub(crate) backend: String,
    pub(crate) cause: Cause,
}

/// Why a request has no answer from a backend.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nobody is in the rotation.
    NoBackends,
    /// Everybody who is was tried.
    AllFailed(Vec<Tried>),
    /// A backend may have acted on the request, so it must not be sent to another.
    NotRepeatable(Vec<Tried>),
    /// The time for all attempts is over.
    Late(Vec<Tried>),
    /// The client stopped in the middle of its body.
    ClientStalled,
    /// The client broke off in the middle of its body.
    ClientBroke,
    /// We do not do that.
    Unsupported(&'static str),
    /// The target is no path.
    BadTarget,
}

impl Failure {
    fn status(&self) -> StatusCode {
        let last = |tried: &[Tried]| match tried.last() {
            Some(Tried { cause: Cause::TimedOut, .. }) => StatusCode::GATEWAY_TIMEOUT,
            _ => StatusCode::BAD_GATEWAY,
        };
        match self {
            Self::NoBackends => StatusCode::SERVICE_UNAVAILABLE,
            Self::AllFailed(tried) | Self::NotRepeatable(tried) => last(tried),
            Self::Late(_) => StatusCode::GATEWAY_TIMEOUT,
            Self::ClientStalled => StatusCode::REQUEST_TIMEOUT,
            Self::ClientBroke | Self::BadTarget => StatusCode::BAD_REQUEST,
            Self::Unsupported(_) => StatusCode::NOT_IMPLEMENTED,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::NoBackends => "no backend is in the rotation",
            Self::AllFailed(_) => "every backend in the rotation was tried once, and failed",
            Self::NotRepeatable(_) => {
                "the backend failed after it may have acted on the request, which must not be repeated"
            }
            Self::Late(_) => "the time for all attempts is over",
            Self::ClientStalled => "the body of the request stopped coming",
            Self::ClientBroke => "the body of the request broke off",
            Self::Unsupported(what) => what,
            Self::BadTarget => "the target of the request is no path",
        }
    }

    fn tried(&self) -> &[Tried] {
        match self {
            Self::AllFailed(tried) | Self::NotRepeatable(tried) | Self::Late(tried) => tried,
            _ => &[],
        }
    }

    /// Status, reason, and which backends were tried; their addresses are nobody's business.
    pub(crate) fn into_response(self) -> Response<Answer> {
        let status = self.status();
        let mut response = json_response(status, &json!({ "reason": self.reason(), "tried": self.tried() }));
        let headers = response.headers_mut();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if matches!(self, Self::ClientStalled | Self::ClientBroke) {
            // The rest of the body may still come, and must not be taken for the next request.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// An answer of our own.
pub(crate) fn json_response(status: StatusCode, body: &impl serde::Serialize) -> Response<Answer> {
    let body = serde_json::to_vec(body).unwrap_or_default(); // plain data with string keys always has a text
    let mut response = Response::new(whole(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
