//! The ledger of memory orderings: every ordering in this crate, by name, with its partner and the argument for it.
//!
//! The code never writes an [`Ordering`] in place; it names a [`Site`] of this file. Under loom each site can be
//! weakened on its own ([`platform::loom::weakened`](crate::platform)), and `verification/tests/orderings.rs` demands
//! that a model then fails. A site that survives is on a list there, and says here why it stays.
//!
//! Those are the ones by which a handle accounts for its tickets. Too weak, they could let a writer strike a version from
//! the directory a moment early. That takes a load that is satisfied after a later store of the same thread, which no
//! model of loom shows, or sums over more tickets than a model has threads for.
//!
//! Locks need no entry: what happens under a lock is ordered by it. The one word that all pickers share, the *ticket
//! word*, is only ever changed by read-modify-writes; each continues the release sequence of the one before, so a
//! release on it reaches every later acquire, whoever wrote in between.

use std::sync::atomic::Ordering;

/// One place in the code where an ordering matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// How the manifest calls it.
    pub name: &'static str,
    /// What the code uses.
    pub ordering: Ordering,
    /// The sites at the other end.
    pub partner: &'static str,
    /// Why this is enough, and what goes wrong with less.
    pub argument: &'static str,
}

macro_rules! ledger {
    ($($name:ident: $ordering:ident, with $partner:literal, $argument:literal;)*) => {
        $(
            #[doc = concat!("`", stringify!($ordering), "`, with ", $partner, ". ", $argument)]
            pub const $name: Site = Site {
                name: stringify!($name),
                ordering: Ordering::$ordering,
                partner: $partner,
                argument: $argument,
            };
        )*
        /// All of them.
        pub const LEDGER: &[Site] = &[$($name),*];
    };
}

ledger! {
    TICKET_TAKE: Acquire, with "TICKET_CLOSE",
        "A pick's `fetch_add` on the ticket word. If its ticket belongs to a later version than its node, the word went \
         through that version's close, so everything the writer wrote before closing (the link, the node and the list \
         behind it) happened before the pick walks there. Relaxed, the walk meets a link that is not set yet.";
    TICKET_CLOSE: Release, with "TICKET_TAKE, TICKET_READ",
        "The writer's `fetch_or` that closes a version, after it linked the successor. Whoever sees the closing bit or \
         a later version reads from the release sequence that this heads. Relaxed, the walk meets a link that is not \
         set yet.";
    TICKET_MOVE: Relaxed, with "none",
        "The `compare_exchange` that moves the word to the next version, by the writer or a helping pick. It hands over \
         nothing of its own: the close before it was a release, and a read-modify-write continues that sequence. Its \
         failure only says that the count grew or that somebody else moved the word.";
    TICKET_PEEK: Relaxed, with "none",
        "Loads of the ticket word that only feed a `compare_exchange` on it, which checks the value.";
    TICKET_FOLD: Relaxed, with "none",
        "The `compare_exchange` that takes whole laps out of a count. It changes no version and hands over nothing.";
    TICKET_READ: Acquire, with "TICKET_CLOSE",
        "A snapshot's load of the ticket word, which says at which version to stop; otherwise as TICKET_TAKE.";
    LINK_SET: Relaxed, with "none",
        "The store of a node's link to its successor. Published by TICKET_CLOSE, which comes after it: nobody follows a \
         link without having acquired the close of that version.";
    LINK_FOLLOW: Relaxed, with "none",
        "The load of a link by somebody whose ticket is of a later version. The acquire that yielded the ticket ordered \
         the store before this load.";
    CELL_LOAD: Acquire, with "CELL_SWAP",
        "The epoch registry's load of the current node. It makes the node's fields visible, and it orders the load \
         before the ticket: a relaxed load could be satisfied after the pick's `fetch_add` and yield a node that is \
         newer than the ticket, which no link leads back from.";
    CELL_SWAP: Release, with "CELL_LOAD",
        "The store of the new current node, after the word has moved to its version.";
    RETIRED_FREE: Release, with "RETIRED_CHECK",
        "Set by the collector once every reader that could hold the node has unpinned. What those readers did happened \
         before; relaxed, freeing the node races with their reads.";
    RETIRED_CHECK: Acquire, with "RETIRED_FREE",
        "The writer's look at that flag, before it frees the node.";
    ISSUE_TAKE: Acquire, with "ISSUE_CLOSE",
        "A handle's `fetch_add` on the ticket word. If its ticket is of a version that the handle does not know, the word \
         went through the close of the one before, so the directory that lists the version was stored before.";
    ISSUE_CLOSE: Release, with "ISSUE_TAKE, ISSUE_READ",
        "The writer's `fetch_or` that closes a version, after it stored the directory that lists the next one.";
    ISSUE_READ: Acquire, with "ISSUE_CLOSE",
        "A look at the word by a handle that has no ticket, to learn which version is current.";
    ISSUE_MOVE: Acquire, with "ISSUE_FOLD",
        "The `compare_exchange` that moves the word on. Who records the end of a version must have seen the laps that were \
         taken out of it, or the account is too small for a moment (argued). It releases nothing of its own: it continues the \
         release sequence of the close.";
    ISSUE_FOLD: Release, with "ISSUE_MOVE",
        "The `compare_exchange` that takes a lap out, after the lap was added to the account (argued).";
    OVER_TELL: Relaxed, with "none",
        "The writer's flag for leases, set before the change returns. Who begins a pick after that return sees it, since it \
         happened before; who sees it earlier does no harm. What a lease does about it goes through the word.";
    OVER_READ: Relaxed, with "none",
        "A lease's look at the flag before each pick. It only says to look at the word, which is an acquire.";
    END_TELL: Release, with "END_READ",
        "Records where a version ended. Laps that were taken out of it are in the account by then (argued).";
    END_READ: Acquire, with "END_TELL",
        "The writer's look at the end of a version, before it adds up the laps (argued).";
    SERVED_TELL: Release, with "SERVED_READ",
        "A pick without a handle, or a handle that moves on, adds to a version's account after it found the version in \
         the directory. When the writer has seen the sum, it may store a directory without it (argued).";
    SERVED_READ: Acquire, with "SERVED_TELL",
        "The writer's look at that account, before it looks at the lines (argued).";
    LINE_SERVED: Release, with "LINE_READ",
        "A handle's store of what it has served, after it found the version; and of the version that its line is of, \
         after it set the count to zero (argued).";
    LINE_READ: Acquire, with "LINE_SERVED",
        "The writer's look at a line: version, count, version again. If the count is of a later version, the second look \
         must not find the first one (argued).";
    LINE_MOVE: Relaxed, with "none",
        "A handle that moves on sets its line to no version, and its count to zero. The first is published by SERVED_TELL \
         and by every later LINE_SERVED; a zero that is seen too late or too early adds nothing.";
    COUNT_TAKE: Relaxed, with "none",
        "A pick's `fetch_add` on a count that a lock guards against change (RwLock), or that is not tied to a list at \
         all (the plain baseline). Only its atomicity is needed.";
}
