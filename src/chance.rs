//! The source of chance, for strategies and plans.

use std::hash::{BuildHasher, RandomState};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// A generator of our own for each strategy, under the strategy's lock: nobody shares it unguarded, and no two start
/// alike. Fast and of good quality, but predictable to who watches: it spreads load and keeps no secrets.
#[derive(Clone, Debug)]
pub(crate) struct Chance(Xoshiro256PlusPlus);

impl Chance {
    /// Seeded by the operating system, by way of the standard library's hash keys: that cannot fail.
    pub(crate) fn new() -> Self {
        Self::seeded(RandomState::new().hash_one(0))
    }

    /// The same choices each time.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// One of the numbers below `bound`, which is not 0, each as likely as the others.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.random_range(0..bound)
    }
}
