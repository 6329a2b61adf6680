//! Two experiments on mistakes that no test of distribution shows.
//!
//! - [`reshuffle`]: what one registration, or one removal, does to a rotation over a list in hash order, in sorted order,
//!   in insertion order, with a plain counter, and to the exact ring.
//! - [`lifetime`]: what becomes of a strategy with a memory that is made anew for each call, or for each window of calls.
//!
//! Both use fixed seeds and no clock, so they give the same figures everywhere; a test compares them with what is
//! committed in `results/experiments/`. `cargo experiments` writes them.

pub mod hash_order;
pub mod lifetime;
pub mod page;
pub mod reshuffle;
