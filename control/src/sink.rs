//! [`Sink`]: where a control plane's updates go, and [`Rejected`]: why one was not taken.

use std::error::Error;
use std::fmt;

/// Takes the updates of a control plane, in the order of their versions.
///
/// [`Feed`](crate::Feed) is the one for a service, [`DirectoryFeed`](crate::DirectoryFeed) the one for many. Checking a
/// version and publishing the list are one step, since `apply` has the sink for itself: two threads that feed one sink
/// share it behind a lock of their own, and the older of two updates is rejected, whoever computed it.
pub trait Sink {
    /// What comes in.
    type Update;
    /// What happened.
    type Outcome;

    /// The version of the last update taken. `None` before the first one.
    fn version(&self) -> Option<u64>;

    /// Takes an update, if its version is due.
    ///
    /// # Errors
    ///
    /// [`Rejected`], and then nothing has changed.
    fn apply(&mut self, update: Self::Update) -> Result<Self::Outcome, Rejected>;

    /// Whether an empty list is being held back until the source has confirmed it. A source that answers only when
    /// something changes should then be asked again.
    fn awaits_confirmation(&self) -> bool {
        false
    }
}

/// Why an update was not taken. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rejected {
    /// The update is not newer than what is there.
    NotNewer {
        /// The version of the last update taken.
        present: u64,
        /// The version of this one.
        offered: u64,
    },
    /// The delta was made for another list than the present one. Only a whole list helps.
    WrongBase {
        /// The version of the last update taken. `None` before the first one.
        present: Option<u64>,
        /// The version the delta was made for.
        base: u64,
    },
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNewer { present, offered } => {
                write!(f, "version {offered} is not newer than version {present}, which is there already")
            }
            Self::WrongBase { present: Some(present), base } => {
                write!(f, "the delta is for version {base}, and version {present} is there")
            }
            Self::WrongBase { present: None, base } => {
                write!(f, "the delta is for version {base}, and there is no list yet")
            }
        }
    }
}

impl Error for Rejected {}

/// Whether an update with this version, and this base if it is a delta, is due.
pub(crate) fn check(present: Option<u64>, version: u64, base: Option<u64>) -> Result<(), Rejected> {
    if let Some(present) = present.filter(|present| version <= *present) {
        return Err(Rejected::NotNewer { present, offered: version });
    }
    match base {
        Some(base) if present != Some(base) => Err(Rejected::WrongBase { present, base }),
        _ => Ok(()),
    }
}
