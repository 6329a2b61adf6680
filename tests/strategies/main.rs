//! Strategies, plans and the directory, over the public surface only.

#![allow(unreachable_pub, reason = "nobody compiles against a test")]

mod directory;
mod panics;
mod plan;
mod round_robin_start;
mod shuffle_bag;
mod weighted;

use std::sync::Arc;

use snapring::{Backend, Snapshot};

/// Backends called `0`, `1`, … .
pub fn backends(n: usize) -> Vec<Backend> {
    (0..n).map(|id| Backend::new(id.to_string(), "")).collect()
}

/// The same, as a list.
pub fn list(n: usize) -> Snapshot<Backend> {
    Snapshot::from_members(backends(n).into_iter().map(Arc::new).collect())
}

/// The number in a backend's id.
pub fn number(backend: &Backend) -> usize {
    backend.id().parse().expect("a number")
}
