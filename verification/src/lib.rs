//! Checks registries, ours or yours: scenarios as data, one specification, and runners for loom, shuttle and real
//! threads.
//!
//! A [`Scenario`] says which members a registry begins with and what each thread does. An [execution](execute) runs it
//! once and records a history of calls and returns. The history must be **linearizable** against the [`Ring`](spec)
//! specification. The [runners](runner) repeat that: loom over all interleavings and stale reads up to a preemption
//! bound, shuttle over all interleavings or a sample, real threads as they come. Each run ends in a [`Row`]: how many
//! executions there were, and whether that was everything.
//!
//! To check a registry of your own, see the [`kit`]. The [`specimens`] are broken ones: what the checkers must find.

pub mod bag;
pub mod catalog;
pub mod cells;
pub mod counterexample;
pub mod enumerated;
pub mod execute;
pub mod handles;
pub mod history;
pub mod kit;
pub mod leases;
#[cfg(feature = "shuttle")]
pub mod one_step;
#[cfg(any(feature = "loom", feature = "shuttle"))]
mod other_swap;
pub mod report;
pub mod rule;
pub mod runner;
pub mod scenario;
pub mod sequence;
pub mod spec;
pub mod specimens;
#[cfg(feature = "loom")]
pub mod stale;
#[cfg(feature = "loom")]
pub mod stock;
pub mod strategies;
pub mod subject;
pub mod subjects;
pub mod suite;
pub mod threads;
pub mod trace;

pub use counterexample::Counterexample;
pub use report::{Row, Verdict};
pub use rule::Rule;
pub use scenario::{Answer, Op, Probe, Scenario};
pub use subject::{Maker, Subject};
pub use threads::Threads;

#[doc(no_inline)]
pub use snapring::Std;
#[cfg(feature = "loom")]
#[doc(no_inline)]
pub use snapring::platform::Loom;
#[cfg(feature = "shuttle")]
#[doc(no_inline)]
pub use snapring::platform::Shuttle;
