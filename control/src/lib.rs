#![doc = include_str!("../README.md")]

pub mod consul;

mod directory;
mod feed;
mod sink;
mod update;

pub use directory::{DirectoryFeed, DirectoryOutcome, OnMissing};
pub use feed::{Feed, OnEmpty, Outcome};
pub use sink::{Rejected, Sink};
pub use update::{Delta, DirectoryUpdate, Update};
