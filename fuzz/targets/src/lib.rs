//! What is fuzzed. Each function takes any bytes, and panics if it finds something wrong.
//!
//! They are here and not with the fuzzer so that the corpus is replayed by an ordinary test, with an ordinary compiler.

mod consul;
mod operations;

pub use consul::{agent, health};
pub use operations::operations;
