//! [`Counted`]: a member that a [`Census`] counts.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use snapring::Member;

/// Counts the members it makes, and those that are gone.
#[derive(Clone, Default)]
pub struct Census(Arc<Counts>);

#[derive(Default)]
struct Counts {
    created: AtomicU64,
    dropped: AtomicU64,
}

impl Census {
    pub fn new() -> Self {
        Self::default()
    }

    /// A member with this id and these contents.
    pub fn member(&self, number: u64, contents: u64) -> Counted {
        let serial = self.0.created.fetch_add(1, SeqCst);
        Counted { number, contents, serial, census: self.clone() }
    }

    /// Members `0..n`, all of the same contents.
    pub fn members(&self, n: u64) -> Vec<Counted> {
        (0..n).map(|number| self.member(number, 0)).collect()
    }

    pub fn created(&self) -> u64 {
        self.0.created.load(SeqCst)
    }

    /// How many are alive now.
    pub fn live(&self) -> u64 {
        let dropped = self.0.dropped.load(SeqCst); // first: what is dropped was created
        self.created() - dropped
    }
}

/// A member. Its serial is which of those with the same id and contents this is; it is not compared.
pub struct Counted {
    pub number: u64,
    pub contents: u64,
    pub serial: u64,
    census: Census,
}

impl Member for Counted {
    type Id = u64;

    fn id(&self) -> &u64 {
        &self.number
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        (self.number, self.contents) == (other.number, other.contents)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.census.0.dropped.fetch_add(1, SeqCst);
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}#{}", self.number, self.contents, self.serial)
    }
}
