//! The guides: a chapter for each question that comes up when one adopts this crate.
//!
//! 1. [Choosing a registry](choosing)
//! 2. [The exact ring](ring), with pictures
//! 3. [Memory orderings](orderings)
//! 4. [Reclamation and memory](memory): when a removed member's `Drop` runs, and what keeps it
//! 5. [Verification and its limits](verification)
//! 6. [Performance](performance)
//! 7. [Migrating](migrating) from what you have
//! 8. [Async servers](async_servers)
//!
//! There is no code here. The examples are tests.

#[doc = include_str!("guide/choosing.md")]
pub mod choosing {}

#[doc = include_str!("guide/ring.md")]
pub mod ring {}

#[doc = include_str!("guide/orderings.md")]
pub mod orderings {}

#[doc = include_str!("guide/memory.md")]
pub mod memory {}

#[doc = include_str!("guide/verification.md")]
pub mod verification {}

#[doc = include_str!("guide/performance.md")]
pub mod performance {}

#[doc = include_str!("guide/migrating.md")]
pub mod migrating {}

#[doc = include_str!("guide/async_servers.md")]
pub mod async_servers {}
