//! **snapring**: a list of backends that many threads read on every request while a few threads change it.
//!
//! ```
//! use snapring::{ArcSwapRegistry, Backend, Registry};
//!
//! let registry = ArcSwapRegistry::<Backend>::new();
//! let first = registry.register(Backend::new("b1", "10.0.0.1:80"));
//! registry.register(Backend::new("b2", "10.0.0.2:80"));
//!
//! assert_eq!(registry.next()?.id(), "b1"); // every thread, every request
//! registry.register(Backend::new("b3", "10.0.0.3:80")); // any thread, at any time
//! assert_eq!(registry.next()?.id(), "b2"); // the rotation goes on where it was
//! assert_eq!(registry.next()?.id(), "b3");
//!
//! registry.revoke(first.token()).expect("nobody replaced b1 meanwhile");
//! assert_eq!(registry.snapshot().len(), 2);
//! # Ok::<(), snapring::NoBackends>(())
//! ```
//!
//! # Which registry
//!
//! All keep the same [contract](Registry#the-contract-of-next-an-exact-ring): `next` is an **exact ring**, linearizable
//! across every change.
//!
//! | registry | `next` | a replaced list goes | a stalled `next` keeps |
//! |---|---|---|---|
//! | [`MutexRegistry`] | blocking | with the change | the lock |
//! | [`RwLockRegistry`] | blocking, picks side by side | with the change | the lock |
//! | [`EpochRegistry`] | wait-free | with a change, when the epoch has advanced | every list replaced meanwhile |
//! | [`ArcSwapRegistry`] | lock-free | with the change, or the next one | every list replaced meanwhile |
//! | [`HandleRegistry`] | wait-free, by handles | with a change, when no handle has it | at most three lists |
//!
//! [`HandleRegistry`] is the fastest by far, for threads that can keep a [`Handle`] (exact) or a [`LeasedHandle`]
//! (turns by the lease, at a small multiple of the cost of a local array).
//!
//! Or let the registry own the set and a [`Strategy`] choose: [`Balancer`] hands it one immutable [`Snapshot`] per call.
//! The ready ones [take turns](strategy::RoundRobin), choose [at random, but nobody twice before everybody
//! once](strategy::ShuffleBag), or by [weight](strategy::Weighted). A [`Directory`] has many services, each with a registry
//! and a strategy of its own; a [`Plan`] says whom to try for one request.
//!
//! # Guides
//!
//! [`guide`] has a chapter for each question that comes up: which registry, what the ring promises, when memory goes,
//! what was verified, what costs what, how to migrate, how to use it in an async server.
//!
//! # How it is built
//!
//! [`registry`](Registry) says what is promised, [`ring`] how it is done without a lock, [`orderings`] why each memory
//! ordering is enough, [`platform`] how the same code runs under loom and shuttle, [`baseline`] what all of this is
//! compared with.
//!
//! # Features
//!
//! All are off by default, and each only adds something.
//!
//! - `tracing`: every change that publishes a list is an event at debug level, with target `snapring` and the fields
//!   `version`, `n` (the length of the list), and `id`; for `replace_all` the numbers `added`, `removed` and `replaced`
//!   instead of an id. Emitted by the thread that made the change, under no lock; events of two threads may come in
//!   another order than their versions. If a member's `Drop` panics in a change, that change has no event.
//! - `serde`: [`Snapshot`] and [`Backend`] implement `Serialize`. A snapshot is the sequence of its members.
//! - `loom` and `shuttle` add a [`platform`] each, for model checking.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod balancer;
pub mod baseline;
pub mod guide;
pub mod orderings;
pub mod platform;
pub mod ring;
pub mod strategy;

mod backend;
mod chance;
mod chunks;
mod directory;
mod error;
mod events;
mod list;
mod plan;
mod registration;
mod registry;
#[cfg(feature = "serde")]
mod serialize;
mod snapshot;
mod tickets;

pub use backend::{Backend, Member};
pub use balancer::Balancer;
pub use directory::{Directory, Service};
pub use error::{NoBackends, PickError, Stale};
pub use plan::Plan;
pub use platform::{Platform, Std};
pub use registration::{Changes, Outcome, Registration, Token};
pub use registry::arc_swap::ArcSwapRegistry;
pub use registry::epoch::EpochRegistry;
pub use registry::handle::HandleRegistry;
pub use registry::mutex::MutexRegistry;
pub use registry::rwlock::RwLockRegistry;
pub use registry::{Registry, Start};
pub use snapshot::Snapshot;
pub use strategy::Strategy;
pub use tickets::{Handle, LeasedHandle};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
