//! A quantity: something that each round of a run measured once. Claims, tables, plots and comparisons are made of these.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use snapring_benches::adapters::Entry;
use snapring_benches::packed::Packed;
use snapring_benches::plan::Writer;

use crate::bootstrap::median;
use crate::run::Run;
use crate::text::{call, thousands, threads, under};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Quantity {
    /// Nanoseconds per pick.
    Next {
        /// Which contender.
        who: String,
        /// How many members.
        n: usize,
        /// How many threads pick.
        threads: usize,
        /// Who changes the list.
        writer: Writer,
    },
    /// Nanoseconds that a pick does not exceed with this share of all picks, while the list changes.
    Tail {
        /// Which contender.
        who: String,
        /// How many members.
        n: usize,
        /// Of all picks; 1 is the slowest.
        share: f64,
    },
    /// Nanoseconds for a change: the median of the calls of a round.
    Update {
        /// Which registry.
        who: String,
        /// How many members.
        n: usize,
        /// Which call.
        call: String,
    },
    /// The most lists that were alive.
    Lists {
        /// Whose.
        who: String,
        /// What readers did meanwhile.
        situation: String,
    },
}

/// The values of a quantity by round, and which of them were disturbed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// All of them.
    pub all: BTreeMap<usize, f64>,
    /// Those that nobody disturbed, as far as one can tell.
    pub quiet: BTreeMap<usize, f64>,
}

/// Whether this contender lets its threads wait for each other: then a thread that was not running may have waited.
pub fn blocks(contender: &str) -> bool {
    Entry::named(contender).is_some_and(|entry| entry.blocks)
}

impl Quantity {
    /// Whose quantity it is.
    pub fn who(&self) -> &str {
        match self {
            Self::Next { who, .. } | Self::Tail { who, .. } | Self::Update { who, .. } | Self::Lists { who, .. } => who,
        }
    }

    /// Which target measures it.
    pub fn target(&self) -> &'static str {
        match self {
            Self::Next { .. } => "next",
            Self::Tail { .. } => "tails",
            Self::Update { .. } => "updates",
            Self::Lists { .. } => "memory",
        }
    }

    /// What the values are in.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Lists { .. } => "lists",
            _ => "ns",
        }
    }

    /// Where it was measured, in words.
    pub fn place(&self) -> String {
        match self {
            Self::Next { n, threads: count, writer, .. } => {
                format!("n = {}, {}, {}", thousands(*n as f64), threads(*count), under(*writer))
            }
            Self::Tail { n, share, .. } => format!("n = {}, p{}", thousands(*n as f64), share * 100.0),
            Self::Update { n, call: which, .. } => format!("n = {}, {}", thousands(*n as f64), call(which)),
            Self::Lists { situation, .. } => situation.clone(),
        }
    }

    /// What this run measured.
    pub fn series(&self, run: &Run) -> Series {
        match self {
            Self::Next { who, n, threads, writer } => {
                let own = run.next.iter().filter(|sample| {
                    sample.contender == *who && (sample.n, sample.threads, sample.writer) == (*n, *threads, *writer)
                });
                let mut series = Series::default();
                for sample in own {
                    series.all.insert(sample.round, sample.ns_per_pick);
                    if sample.is_undisturbed() || blocks(who) {
                        series.quiet.insert(sample.round, sample.ns_per_pick);
                    }
                }
                series
            }
            Self::Tail { who, n, share } => Series::quiet(
                run.tails
                    .iter()
                    .filter(|sample| sample.contender == *who && sample.n == *n && !sample.preempted)
                    .filter_map(|sample| Some((sample.round, percentile(&sample.times, *share)?))),
            ),
            Self::Update { who, n, call } => {
                let own = run.updates.iter().filter(|sample| {
                    (sample.registry.as_str(), sample.n, sample.call.as_str()) == (who.as_str(), *n, call.as_str())
                });
                let middle = |times: &Packed<u64>| median(&mut times.0.iter().map(|ns| *ns as f64).collect::<Vec<_>>());
                Series::quiet(own.filter_map(|sample| Some((sample.round, middle(&sample.ns)?))))
            }
            Self::Lists { who, situation } => {
                let own = run.memory.iter().filter(|sample| sample.subject == *who && sample.situation == *situation);
                // A stalled reader that always blocks the writer, or none that could be stalled, says nothing.
                let telling = own.filter(|sample| sample.peak > 0);
                Series::quiet(telling.map(|sample| (sample.round, sample.peak as f64)))
            }
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.who(), self.place())
    }
}

impl Series {
    fn quiet(values: impl Iterator<Item = (usize, f64)>) -> Self {
        let all: BTreeMap<_, _> = values.collect();
        Self { quiet: all.clone(), all }
    }

    /// This one / another, in the rounds that both have.
    pub fn over(&self, base: &Self) -> Self {
        let divided = |one: &BTreeMap<usize, f64>, other: &BTreeMap<usize, f64>| {
            one.iter().filter_map(|(round, value)| Some((*round, value / other.get(round)?))).collect()
        };
        Self { all: divided(&self.all, &base.all), quiet: divided(&self.quiet, &base.quiet) }
    }
}

/// The time that this share of the picks did not exceed.
pub fn percentile(times: &Packed<(u64, u64)>, share: f64) -> Option<f64> {
    let all: u64 = times.0.iter().map(|(_, picks)| picks).sum();
    let wanted = ((share * all as f64).ceil() as u64).max(1);
    let mut sum = 0;
    let reached = times.0.iter().find(|(_, picks)| {
        sum += picks;
        sum >= wanted
    });
    reached.or(times.0.last()).map(|(ns, _)| *ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_pick() {
        let times = Packed(vec![(10, 98), (20, 1), (5_000, 1)]);
        assert_eq!([0.5, 0.98, 0.99, 1.0].map(|share| percentile(&times, share).unwrap()), [10.0, 10.0, 20.0, 5_000.0]);
        assert_eq!(percentile(&Packed(Vec::new()), 0.5), None);
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        let series = |values: &[(usize, f64)]| Series::quiet(values.iter().copied());
        let ratio = series(&[(0, 2.0), (1, 20.0), (3, 7.0)]).over(&series(&[(0, 1.0), (1, 10.0), (2, 5.0)]));
        assert_eq!(ratio, series(&[(0, 2.0), (1, 2.0)]));
    }

    #[test]
    fn locks_block() {
        assert!(blocks("mutex") && blocks("rwlock") && !blocks("epoch") && !blocks("nobody"));
    }
}
