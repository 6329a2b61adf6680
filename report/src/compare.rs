//! What changed from one run to another, beyond noise.
//!
//! Two runs are two states of a machine, so no time of one is compared with a time of the other. Each run says how its
//! contenders compare with a *reference* that was measured beside them: for picks a floor, for changes and tails a
//! contender that is named. What is compared are those ratios: if one of them moved, and the interval of the quotient
//! does not hold 1, something other than the machine did it. If all of them moved alike, the reference did.
//!
//! Hundreds of intervals of 95 % would cry wolf a dozen times, so the confidence grows with the number of comparisons.

use std::collections::BTreeMap;

use snapring_benches::adapters::FLOOR;

use crate::bootstrap::{MIN_ROUNDS, median};
use crate::quantity::{Quantity, Series};
use crate::run::Run;

/// A change that is smaller than this is not worth a look, however sure it is.
pub const SMALLEST: f64 = 0.05;

/// What changes and tails are compared with, in their own run.
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

/// Everything that both runs measured.
pub fn compare(before: &Run, after: &Run) -> Vec<Change> {
    let pairs: Vec<_> = quantities(before)
        .into_iter()
        .filter_map(|quantity| {
            let values = |run: &Run| {
                let series = relative(&quantity, run)?;
                let rounds = if series.quiet.len() >= MIN_ROUNDS { series.quiet } else { series.all };
                let logs: Vec<f64> = rounds.into_values().map(f64::ln).collect();
                (logs.len() >= MIN_ROUNDS).then_some(logs)
            };
            let (before, after) = (values(before)?, values(after)?);
            Some((quantity, before, after))
        })
        .collect();
    let confidence = 1.0 - 0.05 / pairs.len().max(1) as f64;
    pairs.into_iter().filter_map(|(quantity, before, after)| change(quantity, &before, &after, confidence)).collect()
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

/// Compared with the reference of its own run. Lists are counted: they need none.
fn relative(quantity: &Quantity, run: &Run) -> Option<Series> {
    let series = quantity.series(run);
    let reference = match quantity {
        Quantity::Lists { .. } => return Some(series),
        Quantity::Next { n, threads, .. } => {
            let writer = snapring_benches::plan::Writer::None;
            Quantity::Next { who: FLOOR.into(), n: *n, threads: *threads, writer }
        }
        Quantity::Update { n, call, .. } => Quantity::Update { who: reference("updates")?, n: *n, call: call.clone() },
        Quantity::Tail { n, share, .. } => Quantity::Tail { who: reference("tails")?, n: *n, share: *share },
    };
    (reference != *quantity).then(|| series.over(&reference.series(run)))
}

fn reference(target: &str) -> Option<String> {
    REFERENCE.iter().find(|(name, _)| *name == target).map(|(_, who)| who.to_string())
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
    }
}
