//! The things that can be wrong.

use std::error::Error;
use std::fmt;

/// There is nobody to pick: no backends are registered, or none was in the list given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoBackends;

impl fmt::Display for NoBackends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no backends are registered")
    }
}

impl Error for NoBackends {}

/// The token no longer stands for a registration: the member was removed or replaced since, the registration changed
/// nothing in the first place, or the token comes from another registry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stale;

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the token is stale: this registration is not, or is no longer, the current one")
    }
}

impl Error for Stale {}

/// Why a [`Directory`](crate::Directory) has nobody to pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PickError {
    /// No service of this name is known.
    UnknownService,
    /// The service is known, and no backends are registered with it.
    NoBackends,
}

impl fmt::Display for PickError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownService => f.write_str("no service of this name is known"),
            Self::NoBackends => NoBackends.fmt(f),
        }
    }
}

impl Error for PickError {}

impl From<NoBackends> for PickError {
    fn from(_: NoBackends) -> Self {
        Self::NoBackends
    }
}
