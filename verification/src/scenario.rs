//! What is done: [`Scenario`], and the words it is written in.

use std::fmt;

use snapring::{Member, Start};

/// A member to check with: an id, and contents that may differ. Shown as `1`, `1'`, `1''`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Probe {
    /// Who.
    pub id: u8,
    /// With which contents.
    pub contents: u8,
}

impl Member for Probe {
    type Id = u8;

    fn id(&self) -> &u8 {
        &self.id
    }
}

impl From<u8> for Probe {
    fn from(id: u8) -> Self {
        Self { id, contents: 0 }
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.id, "'".repeat(self.contents.into()))
    }
}

/// One operation.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Register a member.
    Register(Probe),
    /// Deregister an id.
    Deregister(u8),
    /// Remove what the registration of this very member put there, and nobody who came after it.
    Revoke(Probe),
    /// Replace the list.
    ReplaceAll(Vec<Probe>),
    /// Pick.
    Next,
    /// Look.
    Snapshot,
    /// Drop the thread's handle and make a new one. Nothing, where there are no handles.
    Renew,
    /// Something that only this subject does, with no effect on the ring.
    Own(&'static str),
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(member) => write!(f, "register({member:?})"),
            Self::Deregister(id) => write!(f, "deregister({id})"),
            Self::Revoke(member) => write!(f, "revoke({member:?})"),
            Self::ReplaceAll(members) => write!(f, "replace_all({members:?})"),
            Self::Next => f.write_str("next()"),
            Self::Snapshot => f.write_str("snapshot()"),
            Self::Renew => f.write_str("renew the handle"),
            Self::Own(name) => f.write_str(name),
        }
    }
}

/// What an operation answered.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The id was new.
    Added,
    /// An equal member was there.
    Unchanged,
    /// This member was replaced.
    Replaced(Probe),
    /// This member, if any, was removed.
    Removed(Option<Probe>),
    /// How many were added, removed, replaced and kept.
    Changed([usize; 4]),
    /// This member, if any, was picked.
    Picked(Option<Probe>),
    /// These members were there.
    Listed(Vec<Probe>),
    /// A number.
    Count(u64),
    /// It is done.
    Done,
    /// It panicked.
    Panicked(String),
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added => f.write_str("added"),
            Self::Unchanged => f.write_str("unchanged"),
            Self::Replaced(old) => write!(f, "replaced {old:?}"),
            Self::Removed(Some(old)) => write!(f, "removed {old:?}"),
            Self::Removed(None) => f.write_str("nobody"),
            Self::Changed([added, removed, replaced, kept]) => write!(f, "+{added} -{removed} ~{replaced} ={kept}"),
            Self::Picked(Some(pick)) => write!(f, "{pick:?}"),
            Self::Picked(None) => f.write_str("no backends"),
            Self::Listed(members) => write!(f, "{members:?}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Done => f.write_str("done"),
            Self::Panicked(message) => write!(f, "panic: {message}"),
        }
    }
}

/// A registry to begin with, and what each thread does to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// What it is called: the race that it would catch.
    pub name: String,
    /// The members at the beginning.
    pub members: Vec<Probe>,
    /// The counters at the beginning.
    pub start: Start,
    /// The programs, one thread each.
    pub threads: Vec<Vec<Op>>,
}

impl Scenario {
    /// A scenario with tiny counters, so that their wraps are near: 4 bits of count, of which a lap takes at most 8, and
    /// the last version before the packed field wraps.
    pub fn new(name: &str, members: &[u8], threads: &[&[Op]]) -> Self {
        Self {
            name: name.into(),
            members: members.iter().copied().map(Probe::from).collect(),
            start: Start { version: u64::MAX, count: 0, count_bits: 4 },
            threads: threads.iter().map(|ops| ops.to_vec()).collect(),
        }
    }

    /// The same with this many picks before.
    pub fn after(mut self, count: u64) -> Self {
        self.start.count = count;
        self
    }

    /// How many operations the threads do together.
    pub fn operations(&self) -> usize {
        self.threads.iter().map(Vec::len).sum()
    }

    /// What is done when all threads have ended: enough picks to see the whole ring, and a look.
    pub fn closing(&self) -> Vec<Op> {
        let most = self.members.len() + self.operations();
        let picks = most.min(4);
        std::iter::repeat_n(Op::Next, picks).chain([Op::Snapshot]).collect()
    }

    /// Whether a thread changes anything.
    pub fn changes(&self) -> bool {
        self.threads.iter().flatten().any(|op| !matches!(op, Op::Next | Op::Snapshot | Op::Renew | Op::Own(_)))
    }

    /// Whether a thread looks while others work.
    pub fn looks(&self) -> bool {
        self.threads.iter().flatten().any(|op| *op == Op::Snapshot)
    }
}
