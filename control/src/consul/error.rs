//! What can be wrong with an answer.

use std::error::Error;
use std::fmt;
use std::io;

use crate::Rejected;

/// Why there is no new list. The last good one stays.
#[derive(Debug)]
#[non_exhaustive]
pub enum PollError {
    /// It took too long: this is what was being waited for.
    Timeout(String),
    /// There was no connection, or it broke, before the answer was complete.
    Connection(io::Error),
    /// The other side does not speak HTTP, or the address is none.
    Http(String),
    /// The answer has a status other than 200. Redirects are not followed.
    Status(u16),
    /// The body is longer than [`max_body`](super::Options::max_body), which is this many bytes.
    TooLarge(u64),
    /// The header `X-Consul-Index` is no number.
    Index(String),
    /// The body is no JSON, or not all of it.
    Json(serde_json::Error),
    /// A field is not what the API documents.
    Field(FieldError),
    /// The sink did not take the list.
    Rejected(Rejected),
    /// The sink or the callback panicked, and the poller has ended.
    Panicked,
}

impl fmt::Display for PollError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(what) => write!(f, "timeout: {what}"),
            Self::Connection(error) => write!(f, "the connection failed: {error}"),
            Self::Http(error) => write!(f, "HTTP: {error}"),
            Self::Status(status) => write!(f, "the status is {status}, not 200"),
            Self::TooLarge(limit) => write!(f, "the body is longer than {limit} bytes"),
            Self::Index(value) => write!(f, "X-Consul-Index is no number: {value:?}"),
            Self::Json(error) => write!(f, "the body is no JSON: {error}"),
            Self::Field(error) => error.fmt(f),
            Self::Rejected(error) => error.fmt(f),
            Self::Panicked => f.write_str("the sink or the callback panicked"),
        }
    }
}

impl Error for PollError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Connection(error) => Some(error),
            Self::Json(error) => Some(error),
            _ => None,
        }
    }
}

impl From<FieldError> for PollError {
    fn from(error: FieldError) -> Self {
        Self::Field(error)
    }
}

impl From<Rejected> for PollError {
    fn from(error: Rejected) -> Self {
        Self::Rejected(error)
    }
}

/// A field that is not what the API documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    pub(super) path: String,
    pub(super) problem: Problem,
}

impl FieldError {
    pub(super) fn at(path: &str, problem: Problem) -> Self {
        Self { path: path.to_owned(), problem }
    }

    /// Seen from the object that has the object with the field. Paths are made only when something is wrong.
    pub(super) fn within(self, outer: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{outer}{dot}{}", self.path), ..self }
    }

    /// Which field of which entry, like `[3].Service.Port`; for the services of an agent `["web-1"].Port`. Empty for the
    /// whole document.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong with it.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the document" } else { &self.path };
        write!(f, "{path} {}", self.problem)
    }
}

impl Error for FieldError {}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It is not there.
    Missing,
    /// It has another type.
    WrongType {
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// It is a number, but not a possible one.
    OutOfRange {
        /// The number.
        value: String,
        /// The highest possible one; the lowest is 0.
        most: u64,
    },
    /// It is a text, but none of those documented.
    Unknown(String),
    /// It is empty, and so is what would stand in for it.
    Empty,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("is missing"),
            Self::WrongType { expected, found } => write!(f, "should be {expected}, not {found}"),
            Self::OutOfRange { value, most } => write!(f, "should be an integer from 0 to {most}, not {value}"),
            Self::Unknown(value) => write!(f, "is {value:?}, which is not documented"),
            Self::Empty => f.write_str("is empty, and so is the address of the node"),
        }
    }
}
