//! Samples, one for each window, and what a run says when all of them are in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::adapters::{Entry, FLOOR};
use crate::packed::rounded;
use crate::plan::{Case, Writer};
use crate::stats::{Ratio, Spread};
use crate::window::Window;

/// A window counts as preempted if one of its threads was off the processor for more than this share of it.
pub const PREEMPTED: f64 = 0.02;

/// One window, as it is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Seconds since the run began.
    pub at_s: f64,
    /// Windows of one round are compared with each other, and with no others.
    pub round: usize,
    /// Whose window it was.
    pub contender: String,
    /// How many members.
    pub n: usize,
    /// Who changed them: `none`, updates a second, or `flat`.
    pub writer: Writer,
    /// How many threads picked.
    pub threads: usize,
    /// Whether more threads wanted to run than there are cores.
    pub oversubscribed: bool,
    /// Wall time × threads ÷ picks.
    pub ns_per_pick: f64,
    /// How many picks were counted.
    pub picks: u64,
    /// The share of its time that the most hindered thread was off the processor.
    pub off_cpu: Option<f64>,
    /// Whether that is more than [`PREEMPTED`].
    pub preempted: Option<bool>,
    /// How many updates were counted.
    pub updates: Option<u64>,
    /// How many that is a second.
    pub updates_per_s: Option<f64>,
}

impl Sample {
    /// What this window yielded.
    pub fn new(at_s: f64, round: usize, contender: &str, case: Case, cores: usize, window: &Window) -> Self {
        let off_cpu = window.off_cpu().map(|share| rounded(share, 5));
        Self {
            at_s: rounded(at_s, 3),
            round,
            contender: contender.to_owned(),
            n: case.n,
            writer: case.writer,
            threads: case.threads,
            oversubscribed: case.oversubscribed(cores),
            ns_per_pick: rounded(window.ns_per_pick(), 4),
            picks: window.picks(),
            off_cpu,
            preempted: off_cpu.map(|share| share > PREEMPTED),
            updates: window.written.map(|written| written.updates),
            updates_per_s: window.written.map(|written| rounded(written.per_second(), 1)),
        }
    }

    /// The situation that it was measured in.
    pub fn case(&self) -> Case {
        Case { n: self.n, writer: self.writer, threads: self.threads }
    }

    /// Threads that have to share cores are preempted by each other: that belongs to the case and is no disturbance.
    pub fn is_undisturbed(&self) -> bool {
        self.oversubscribed || self.preempted != Some(true)
    }
}

/// What all rounds together say about a contender in a case.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Nanoseconds per pick.
    pub ns: Spread,
    /// Compared with the floor, for as many threads and members, without a writer.
    pub to_floor: Option<Ratio>,
    /// Updates a second that the writer achieved.
    pub updates: Option<f64>,
    /// How many windows were preempted.
    pub preempted: usize,
    /// How many there were.
    pub windows: usize,
}

/// A contender compared with a partner. Neither of the two ever waits for anybody, so unless threads have to share cores
/// anyway, a preempted window is a disturbed one: rounds without any are what counts, if there are enough of them for an
/// interval.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The contender's time / the partner's.
    pub ratio: Ratio,
    /// There were not enough, so disturbed rounds are in that ratio, too.
    pub disturbed: bool,
}

/// All samples of a run.
#[derive(Clone, Debug, Default)]
pub struct Results {
    samples: Vec<Sample>,
}

impl Results {
    /// One more.
    pub fn push(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    /// What a table says about this contender in this case; `None` if it did not take part.
    pub fn row(&self, entry: &Entry, case: Case) -> Option<Row> {
        let all = |_: &Sample| true;
        let own = self.times(entry.name, case, all);
        Some(Row {
            ns: Spread::of(own.values().copied())?,
            to_floor: Ratio::of(&own, &self.times(FLOOR, case.unchanging(), all)),
            updates: Spread::of(self.of(entry.name, case).filter_map(|sample| sample.updates_per_s))
                .map(|rate| rate.median),
            preempted: self.of(entry.name, case).filter(|sample| sample.preempted == Some(true)).count(),
            windows: own.len(),
        })
    }

    /// How this contender compares with that partner in this case; `None` if one of them did not take part.
    pub fn pair(&self, entry: &Entry, partner: &Entry, case: Case) -> Option<Pair> {
        let partners_case = entry.partners_case(partner, case)?;
        let ratio = |which: fn(&Sample) -> bool| {
            Ratio::of(&self.times(entry.name, case, which), &self.times(partner.name, partners_case, which))
        };
        let quiet = ratio(Sample::is_undisturbed).filter(|ratio| ratio.interval.is_some());
        Some(Pair { ratio: quiet.or_else(|| ratio(|_| true))?, disturbed: quiet.is_none() })
    }

    fn of<'a>(&'a self, contender: &str, case: Case) -> impl Iterator<Item = &'a Sample> {
        self.samples.iter().filter(move |sample| sample.case() == case && sample.contender == contender)
    }

    /// Nanoseconds per pick, by round.
    fn times(&self, contender: &str, case: Case, which: fn(&Sample) -> bool) -> BTreeMap<usize, f64> {
        let samples = self.of(contender, case).filter(|sample| which(sample));
        samples.map(|sample| (sample.round, sample.ns_per_pick)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::Lapse;
    use crate::writer::Written;

    fn window(ns: u64, cpu: f64, updates: Option<u64>) -> Window {
        let wall = Duration::from_nanos(ns * 1_000);
        let lapse = Lapse { wall, cpu: Some(wall.mul_f64(cpu)) };
        let written = updates.map(|updates| Written { updates, wall: Duration::from_secs(1) });
        Window { threads: vec![(1_000, lapse)], written }
    }

    fn entry(name: &str) -> &'static Entry {
        Entry::named(name).unwrap()
    }

    #[test]
    fn rows_compare_with_the_right_partners() {
        let quiet = Case { n: 16, writer: Writer::None, threads: 1 };
        let busy = Case { writer: Writer::Flat, ..quiet };
        let mut results = Results::default();
        for (round, slow) in [1, 3, 2].into_iter().enumerate() {
            let mut push = |name, case, window| results.push(Sample::new(0.0, round, name, case, 2, &window));
            push("epoch", busy, window(60 * slow, 0.5, Some(100)));
            push("plain epoch", busy, window(50 * slow, 1.0, Some(200)));
            push("epoch", quiet, window(22 * slow, 1.0, None));
            push("plain epoch", quiet, window(20 * slow, 1.0, None));
            push("leased 256", busy, window(3 * slow, 1.0, Some(100)));
            push("leased 256", quiet, window(2 * slow, 1.0, None));
            push("floor borrow", quiet, window(slow, 1.0, None));
            push(FLOOR, quiet, window(10 * slow, 1.0, None));
        }
        let row = results.row(entry("epoch"), busy).unwrap();
        assert_eq!(row.ns.median, 120.0);
        assert_eq!(row.to_floor.unwrap().median, 6.0, "the floor, which has no writer");
        assert_eq!(row.updates, Some(100.0));
        assert_eq!((row.preempted, row.windows), (3, 3));

        let row = results.row(entry("plain epoch"), quiet).unwrap();
        assert_eq!((row.updates, row.preempted), (None, 0));
        assert!(results.row(entry("mutex"), quiet).is_none());

        let pair = results.pair(entry("epoch"), entry("plain epoch"), busy).unwrap();
        assert_eq!(pair.ratio.median, 1.2, "the plain one with the same writer");
        assert!(pair.disturbed, "three rounds are too few to be choosy");
        let leased = |partner, case| results.pair(entry("leased 256"), entry(partner), case);
        assert_eq!(leased("floor borrow", busy).unwrap().ratio.median, 3.0, "the floor has no writer");
        assert_eq!(leased("leased 256", busy).unwrap().ratio.median, 1.5, "what the writer costs");
        assert!(leased("leased 256", quiet).is_none());
        assert!(leased("arc-swap + counter", busy).is_none(), "it did not take part");
    }

    #[test]
    fn disturbed_rounds_do_not_count_if_there_are_others() {
        let case = Case { n: 16, writer: Writer::None, threads: 2 };
        let results = |cores| {
            let mut results = Results::default();
            for round in 0..16 {
                let mut push = |name, window| results.push(Sample::new(0.0, round, name, case, cores, &window));
                let hit = round >= 6;
                push("epoch", if hit { window(90, 0.5, None) } else { window(22, 1.0, None) });
                push("plain epoch", window(20, 1.0, None));
            }
            results
        };
        let pair = |cores| results(cores).pair(entry("epoch"), entry("plain epoch"), case).unwrap();
        assert_eq!((pair(2).ratio.median, pair(2).disturbed), (1.1, false));
        assert_eq!(pair(1).ratio.median, 4.5, "with one core for two threads, that is how it is");
        let row = results(2).row(entry("epoch"), case).unwrap();
        assert_eq!(row.ns.median, 90.0, "nothing is left out of this one");
    }
}
