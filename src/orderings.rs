//! The ledger of memory orderings: every ordering in this crate, by name, with its partner and the argument for it.
//!
//! The code never writes an [`Ordering`] in place; it names a [`Site`] of this file. Under loom each site can be
//! weakened on its own ([`platform::loom::weakened`](crate::platform)), and `verification/tests/orderings.rs` demands
//! that a model then fails. A site that survives says here why it stays, or stays weak.
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
    COUNT_TAKE: Relaxed, with "none",
        "A pick's `fetch_add` on a count that a lock guards against change (RwLock), or that is not tied to a list at \
         all (the plain baseline). Only its atomicity is needed.";
}
