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
//! # How it is built
//!
//! [`registry`](Registry) says what is promised, [`ring`] how it is done without a lock, [`orderings`] why each memory
//! ordering is enough, [`platform`] how the same code runs under loom and shuttle, [`baseline`] what all of this is
//! compared with.
//!
//! # Features
//!
//! `loom` and `shuttle` add a [`platform`] each, for model checking. They change nothing else.

pub mod balancer;
pub mod baseline;
pub mod orderings;
pub mod platform;
pub mod ring;
pub mod strategy;

mod backend;
mod chance;
mod chunks;
mod directory;
mod error;
mod list;
mod plan;
mod registration;
mod registry;
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
