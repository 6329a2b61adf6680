//! What changed from one run to another, beyond noise.
//!
//! Two runs are two states of a machine, so no time of one is compared with a time of the other. Each run says how its
//! contenders compare with a *reference* that was measured beside them: for picks the floors, for changes and tails a
//! contender that is named. What is compared are those ratios: if one of them moved, and the interval of the quotient
//! does not hold 1, something other than the machine did it. If all of them moved alike, the reference did.
//!
//! There are several floors because a hypervisor may move the cores of a machine apart, and then all that is shared costs
//! more, and nothing else does. So a pick has changed only if it has against each floor, private or shared.
//!
//! Hundreds of intervals of 95 % would cry wolf a dozen times, so the confidence grows with the number of comparisons.

use std::collections::BTreeMap;

use snapring_benches::adapters::FLOOR;
use snapring_benches::plan::Writer;

use crate::bootstrap::{MIN_ROUNDS, median};
use crate::quantity::Quantity;
use crate::run::Run;

/// A change that is smaller than this is not worth a look, however sure it is.
pub const SMALLEST: f64 = 0.05;

/// What picks are compared with, in their own run: a turn and a member of one's own, a shared counter, shared members.
const FLOORS: [&str; 3] = [FLOOR, "floor shared ticket", "floor shared clone"];

/// What changes and tails are compared with.
const REFERENCE: [(&str, &str); 2] = [("updates", "mutex"), ("tails", "nothing")];

/// How a quantity moved.
#[derive(Clone, Debug)]
pub struct Change {
    /// What.
    pub quantity: Quantity,
    /// Its ratio to the reference in the first run.
    pub before: f64,
    /// The same in the second run.
    pub after: f64,
    /// After / before.
    pub factor: f64,
    /// Holds the true factor, allowing for how many there are.
    pub interval: (f64, f64),
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// More time, or more lists.
    Worse,
    /// Less.
    Better,
    /// Within noise, or too little to matter.
    Same,
}

impl Change {
    /// Which way it moved, if it did.
    pub fn direction(&self) -> Direction {
        match self.interval {
            (low, _) if low > 1.0 && self.factor >= 1.0 + SMALLEST => Direction::Worse,
            (_, high) if high < 1.0 && self.factor <= 1.0 / (1.0 + SMALLEST) => Direction::Better,
            _ => Direction::Same,
        }
    }
}

/// The logarithms of the ratios of each round, in the first run and in the second.
type Logs = (Vec<f64>, Vec<f64>);

/// Everything that both runs measured, often enough without being disturbed.
pub fn compare(before: &Run, after: &Run) -> Vec<Change> {
    let pairs: Vec<_> = quantities(before)
        .into_iter()
        .map(|quantity| {
            let references = references(&quantity).into_iter();
            let logs: Vec<_> = references
                .filter_map(|reference| {
                    let reference = reference.as_ref();
                    Some((logs(&quantity, reference, before)?, logs(&quantity, reference, after)?))
                })
                .collect();
            (quantity, logs)
        })
        .filter(|(_, logs)| !logs.is_empty())
        .collect();
    let confidence = 1.0 - 0.05 / pairs.len().max(1) as f64;
    let least = |(quantity, logs): (Quantity, Vec<Logs>)| {
        let changes = logs.iter().filter_map(|(before, after)| change(quantity.clone(), before, after, confidence));
        // Against one reference it may have moved further than against another: the least counts, and all intervals do.
        changes.reduce(|a, b| {
            let interval = (a.interval.0.min(b.interval.0), a.interval.1.max(b.interval.1));
            let least = if a.factor.ln().abs() <= b.factor.ln().abs() { a } else { b };
            Change { interval, ..least }
        })
    };
    pairs.into_iter().filter_map(least).collect()
}

/// The ratios of the rounds to a reference, as logarithms; `None` if there are too few.
fn logs(quantity: &Quantity, reference: Option<&Quantity>, run: &Run) -> Option<Vec<f64>> {
    let series = quantity.series(run);
    let series = reference.map_or_else(|| series.clone(), |reference| series.over(&reference.series(run)));
    let logs: Vec<f64> = series.quiet.into_values().map(f64::ln).collect();
    (logs.len() >= MIN_ROUNDS).then_some(logs)
}

/// The difference of two medians of logarithms, and its interval.
fn change(quantity: Quantity, before: &[f64], after: &[f64], confidence: f64) -> Option<Change> {
    let middle = |values: &[f64]| median(&mut values.to_vec());
    let (low, high) = difference(before, after, confidence)?;
    let (before, after) = (middle(before)?, middle(after)?);
    Some(Change {
        quantity,
        before: before.exp(),
        after: after.exp(),
        factor: (after - before).exp(),
        interval: (low.exp(), high.exp()),
    })
}

/// Medians of resampled rounds are about normal, so few draws give their spread, and the confidence may be high.
fn difference(before: &[f64], after: &[f64], confidence: f64) -> Option<(f64, f64)> {
    const RESAMPLES: usize = 400;
    let mut random = fastrand::Rng::with_seed(1);
    let mut drawn = |values: &[f64]| {
        let mut sample: Vec<_> = values.iter().map(|_| values[random.usize(..values.len())]).collect();
        median(&mut sample)
    };
    let differences: Option<Vec<f64>> = (0..RESAMPLES).map(|_| Some(drawn(after)? - drawn(before)?)).collect();
    let differences = differences?;
    let mean = differences.iter().sum::<f64>() / RESAMPLES as f64;
    let variance = differences.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (RESAMPLES - 1) as f64;
    let centre = median(&mut after.to_vec())? - median(&mut before.to_vec())?;
    let reach = deviations(confidence) * variance.sqrt();
    Some((centre - reach, centre + reach))
}

/// How many standard deviations hold this share of a normal distribution: Hastings' approximation, good to 0.0005.
fn deviations(confidence: f64) -> f64 {
    let t = (-2.0 * ((1.0 - confidence) / 2.0).ln()).sqrt();
    t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1.0 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t)
}

/// What it is compared with in its own run, each by itself. Lists are counted: they need nothing.
fn references(quantity: &Quantity) -> Vec<Option<Quantity>> {
    let named = |target: &str| REFERENCE.iter().find(|(name, _)| *name == target).map(|(_, who)| who.to_string());
    let references: Vec<_> = match quantity {
        Quantity::Lists { .. } => return vec![None],
        Quantity::Next { n, threads, .. } => FLOORS
            .iter()
            .map(|who| Quantity::Next { who: who.to_string(), n: *n, threads: *threads, writer: Writer::None })
            .collect(),
        Quantity::Update { n, call, .. } => {
            named("updates").map(|who| Quantity::Update { who, n: *n, call: call.clone() }).into_iter().collect()
        }
        Quantity::Tail { n, share, .. } => {
            named("tails").map(|who| Quantity::Tail { who, n: *n, share: *share }).into_iter().collect()
        }
    };
    references.into_iter().filter(|reference| reference != quantity).map(Some).collect()
}

/// Everything that a run measured, once.
fn quantities(run: &Run) -> Vec<Quantity> {
    let mut found = BTreeMap::new();
    let mut add = |quantity: Quantity| {
        found.insert((quantity.target(), quantity.to_string()), quantity);
    };
    for sample in &run.next {
        let (n, threads, writer) = (sample.n, sample.threads, sample.writer);
        add(Quantity::Next { who: sample.contender.clone(), n, threads, writer });
    }
    for sample in &run.tails {
        for share in [0.5, 0.999] {
            add(Quantity::Tail { who: sample.contender.clone(), n: sample.n, share });
        }
    }
    for sample in &run.updates {
        add(Quantity::Update { who: sample.registry.clone(), n: sample.n, call: sample.call.clone() });
    }
    for sample in &run.memory {
        add(Quantity::Lists { who: sample.subject.clone(), situation: sample.situation.clone() });
    }
    found.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_of_the_tables() {
        for (confidence, expected) in [(0.95, 1.960), (0.99, 2.576), (0.999, 3.291), (0.9999, 3.891)] {
            assert!((deviations(confidence) - expected).abs() < 0.001, "{confidence}");
        }
    }

    #[test]
    fn noise_is_no_change_and_a_change_is() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut noisy = |centre: f64| (0..40).map(|_| centre + 0.1 * (random.f64() - 0.5)).collect::<Vec<_>>();
        let quantity = Quantity::Lists { who: "a".into(), situation: "b".into() };
        let (before, same, slower) = (noisy(1.0), noisy(1.0), noisy(1.2));
        let direction = |after: &[f64]| change(quantity.clone(), &before, after, 0.9995).unwrap().direction();
        assert_eq!(direction(&same), Direction::Same);
        assert_eq!(direction(&slower), Direction::Worse);
        assert_eq!(change(quantity.clone(), &slower, &before, 0.9995).unwrap().direction(), Direction::Better);
        let wide: Vec<f64> = (0..9).map(|at| f64::from(at) / 10.0).collect();
        let wide_and_later: Vec<f64> = wide.iter().map(|value| value + 0.1).collect();
        let change = change(quantity, &wide, &wide_and_later, 0.95).unwrap();
        assert!(change.factor > 1.0 + SMALLEST && change.direction() == Direction::Same, "{change:?}");
    }
}
