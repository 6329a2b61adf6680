//! What a pick costs, measured so that the answer can be compared.
//!
//! Timing a lock-free read in a shared virtual machine gives another number every minute. What survives is the *ratio*
//! of two implementations that were measured right after one another, many times, in one run. Everything here serves
//! that ratio:
//!
//! - [`adapters`]: what is compared, each behind the trait [`Contender`](adapters::Contender). Add yours there.
//!   [`handles`] are those with a handle for each thread, [`rivals`] is what people write without this crate, [`floors`]
//!   are what no registry can beat.
//! - [`plan`]: which cases there are, and the interleaved order in which they are measured.
//! - [`window`]: one measurement, with [`writer`] beside it and [`clock`] watching whether the threads really ran.
//! - [`stats`] and [`results`]: medians, intervals, and ratios paired round by round.
//! - [`table`], [`record`], [`packed`], [`machine`], [`progress`], [`args`]: what a person sees, keeps and types.
//! - [`grid`]: all of it together, the bench target `next`. The bench target `micro` takes the adapters to criterion.
//! - [`updates`], [`tails`], [`memory`], [`instructions`]: the bench targets of these names, each a question that a mean cannot answer.
//!   [`stall`] stops a thread wherever it is.

pub mod adapters;
pub mod args;
pub mod clock;
pub mod floors;
pub mod grid;
pub mod handles;
pub mod instructions;
pub mod machine;
pub mod memory;
pub mod packed;
pub mod plan;
pub mod progress;
pub mod record;
pub mod results;
pub mod rivals;
pub mod stall;
pub mod stats;
pub mod table;
pub mod tails;
pub mod updates;
pub mod window;
pub mod writer;
