#![doc = include_str!("../README.md")]

pub mod consul;

mod directory;
mod feed;
mod sink;

pub use directory::{DirectoryFeed, DirectoryOutcome, DirectoryUpdate, OnMissing};
pub use feed::{Delta, Feed, OnEmpty, Outcome, Update};
pub use sink::{Rejected, Sink};
