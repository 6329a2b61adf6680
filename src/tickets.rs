//! Tickets for handles: the ring's word, without links, and nothing to pin.
//!
//! The word and its tickets are those of the [ring](crate::ring). What differs is how a pick finds the list of a ticket
//! that is of another version than the one it knows, and when that list may go. In the ring it follows links, and a
//! reader that stops keeps all later lists. Here **the ticket is the reference**:
//!
//! - A *directory* holds every version of which a ticket may still be unserved, and the newest. A change stores it
//!   before it closes the old version, so before there is any ticket of the new one.
//! - The word counts the tickets *issued* in a version. Every handle says on a line of its own, with one plain store, how
//!   many it has *served* in its version: has found the list of. When a version is over and served equals issued, no
//!   ticket of it is on its way any more, and it leaves the directory.
//! - A handle owns the version that it served last. A version that has left the directory and that no handle owns is
//!   dropped, by a writer.
//!
//! So a handle that sleeps outside of `next` keeps one list, whatever happens meanwhile, and a fast path needs no
//! fence, no reference count and no flag.
//!
//! How issued is known: whoever moves the word on records at which count it did; where the version began follows from
//! where its predecessor ended; laps that were taken out are counted.

mod directory;
mod handles;
mod ledger;
mod rest;
mod run;
mod version;

pub(crate) use directory::Tickets;
pub use handles::{Handle, LeasedHandle};
