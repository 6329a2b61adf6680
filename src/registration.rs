//! What the changes of a registry answer: [`Registration`], [`Outcome`], [`Token`], [`Changes`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What [`register`](crate::Registry::register) did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// The id was new: the member waits at the end of the list.
    Added,
    /// An equal member was registered already: nothing was published.
    Unchanged,
    /// The id was registered with other contents: this is the member that was replaced, in place.
    Replaced(Arc<T>),
}

/// The right to take back one registration, and nothing that came after it.
///
/// A deregistration by id removes whoever holds the id *now*, which may be somebody's successor. A token removes only
/// what its own registration put there, see [`revoke`](crate::Registry::revoke). It is plain data: it may be cloned,
/// and dropping it does nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    pub(crate) serial: u64,
    pub(crate) hash: u64,
}

/// Serials are unique in the process, so a token of another registry is nobody here. 0 is never issued.
static SERIALS: AtomicU64 = AtomicU64::new(1);

impl Token {
    /// Relaxed: only uniqueness matters, and a read-modify-write gives it; no data is handed over.
    pub(crate) fn issue(hash: u64) -> Self {
        Self { serial: SERIALS.fetch_add(1, Ordering::Relaxed), hash }
    }

    /// The token of a registration that changed nothing.
    pub(crate) const fn null() -> Self {
        Self { serial: 0, hash: 0 }
    }
}

/// The answer of [`register`](crate::Registry::register). Dropping it does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration<T> {
    token: Token,
    outcome: Outcome<T>,
}

impl<T> Registration<T> {
    pub(crate) fn new(token: Token, outcome: Outcome<T>) -> Self {
        Self { token, outcome }
    }

    /// The token that [`revoke`](crate::Registry::revoke)s this registration. After [`Outcome::Unchanged`] it revokes
    /// nothing, so that the second to register a member cannot remove the first one's.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// What happened.
    pub fn outcome(&self) -> &Outcome<T> {
        &self.outcome
    }

    /// Both parts, owned.
    pub fn into_parts(self) -> (Token, Outcome<T>) {
        (self.token, self.outcome)
    }
}

/// How many members a [`replace_all`](crate::Registry::replace_all) added, removed, replaced and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Changes {
    pub(crate) added: usize,
    pub(crate) removed: usize,
    pub(crate) replaced: usize,
    pub(crate) unchanged: usize,
}

impl Changes {
    /// Members whose id was not there before.
    pub fn added(&self) -> usize {
        self.added
    }

    /// Members whose id is not there any more.
    pub fn removed(&self) -> usize {
        self.removed
    }

    /// Members that were replaced in place by others of the same id.
    pub fn replaced(&self) -> usize {
        self.replaced
    }

    /// Members that stayed as they were.
    pub fn unchanged(&self) -> usize {
        self.unchanged
    }

    /// The length of the list before.
    pub fn before(&self) -> usize {
        self.removed + self.replaced + self.unchanged
    }

    /// The length of the list after.
    pub fn after(&self) -> usize {
        self.added + self.replaced + self.unchanged
    }

    /// Whether nothing changed, in which case nothing was published.
    pub fn is_empty(&self) -> bool {
        self.added + self.removed + self.replaced == 0
    }
}
