//! Medians, quartiles, and an interval for a median.
//!
//! Timings have a long tail on one side, so nothing here assumes a normal distribution, and nothing is thrown away.
//! The interval is the classical one from order statistics: it needs no random resampling, so the same samples always
//! give the same interval.

use std::collections::BTreeMap;

/// The middle of some values, and how far the middle half of them reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Half of the values are below.
    pub median: f64,
    /// A quarter of the values is below.
    pub low: f64,
    /// A quarter of the values is above.
    pub high: f64,
}

/// How two contenders compare, round by round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The median of the rounds' ratios.
    pub median: f64,
    /// Holds the true median with a confidence of [`CONFIDENCE`]; `None` if there are too few rounds to say.
    pub interval: Option<(f64, f64)>,
}

/// How sure an interval is.
pub const CONFIDENCE: f64 = 0.95;

impl Spread {
    /// Of these values; `None` if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values = sorted(values);
        let at = |share| quantile(&values, share);
        Some(Self { median: at(0.5)?, low: at(0.25)?, high: at(0.75)? })
    }
}

impl Ratio {
    /// Of two series by round. Rounds that only one of them has do not count.
    pub fn of(series: &BTreeMap<usize, f64>, base: &BTreeMap<usize, f64>) -> Option<Self> {
        let ratios = sorted(series.iter().filter_map(|(round, value)| base.get(round).map(|base| value / base)));
        Some(Self { median: quantile(&ratios, 0.5)?, interval: median_interval(&ratios, CONFIDENCE) })
    }
}

fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The value that this share of the sorted values is below; between two of them in proportion.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = sorted[(below + 1).min(sorted.len() - 1)];
    Some(sorted[below] + part * (above - sorted[below]))
}

/// Each value is above the true median with probability ½, so the number of values that are above it is binomial. That
/// says how many values may be cut off at either end for the median to be between the rest with this confidence.
fn median_interval(sorted: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let n = sorted.len();
    let mut ln_term = -(n as f64) * std::f64::consts::LN_2; // of: exactly 0 of n are above
    let (mut cut, mut tail) = (0, ln_term.exp());
    while cut < n && tail <= (1.0 - confidence) / 2.0 {
        ln_term += ((n - cut) as f64 / (cut + 1) as f64).ln();
        cut += 1;
        tail += ln_term.exp();
    }
    let low = cut.checked_sub(1)?;
    Some((sorted[low], sorted[n - 1 - low]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ascending(n: usize) -> Vec<f64> {
        (1..=n).map(|value| value as f64).collect()
    }

    fn series(values: &[(usize, f64)]) -> BTreeMap<usize, f64> {
        values.iter().copied().collect()
    }

    #[test]
    fn a_median_is_in_the_middle_whatever_the_order() {
        assert_eq!(Spread::of([3.0, 1.0, 2.0]).unwrap().median, 2.0);
        assert_eq!(Spread::of([4.0, 1.0, 3.0, 2.0]).unwrap().median, 2.5);
        assert_eq!(Spread::of([1.0, 2.0, 1e9]).unwrap().median, 2.0, "an outlier moves nothing");
        assert_eq!(Spread::of([7.0]), Some(Spread { median: 7.0, low: 7.0, high: 7.0 }));
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn quartiles_hold_the_middle_half() {
        let spread = Spread::of(ascending(9).into_iter().rev()).unwrap();
        assert_eq!((spread.low, spread.median, spread.high), (3.0, 5.0, 7.0));
        assert_eq!(Spread::of([0.0, 1.0]).unwrap().low, 0.25);
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        // Ranks of the 95 % interval for a median, as in any table of it.
        for (n, low, high) in [(6, 1.0, 6.0), (9, 2.0, 8.0), (10, 2.0, 9.0), (20, 6.0, 15.0), (25, 8.0, 18.0)] {
            assert_eq!(median_interval(&ascending(n), 0.95), Some((low, high)), "n = {n}");
        }
        for n in 0..6 {
            assert_eq!(median_interval(&ascending(n), 0.95), None, "{n} values cannot tell");
        }
    }

    #[test]
    fn intervals_of_many_values_do_not_underflow() {
        let (low, high) = median_interval(&ascending(4001), 0.95).unwrap();
        let half_width = 1.96 * 4001f64.sqrt() / 2.0;
        assert!((2001.0 - low - half_width).abs() < 2.0, "{low}");
        assert_eq!(2001.0 - low, high - 2001.0);
    }

    #[test]
    fn intervals_hold_the_true_median_as_often_as_they_say() {
        let mut random = fastrand::Rng::with_seed(7);
        let trials = 4_000;
        let hits = (0..trials)
            .filter(|_| {
                let values = sorted((0..15).map(|_| random.f64().powi(3))); // skewed; the true median is 1/8
                median_interval(&values, 0.95).is_some_and(|(low, high)| (low..=high).contains(&0.125))
            })
            .count();
        let coverage = hits as f64 / trials as f64;
        assert!((0.95..0.98).contains(&coverage), "{coverage}"); // 0.965 by theory
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        // The machine gets ten times slower from round to round; the ratio is 2 all the same.
        let base = series(&[(0, 1.0), (1, 10.0), (2, 100.0)]);
        let twice = series(&[(0, 2.0), (1, 20.0), (2, 200.0)]);
        assert_eq!(Ratio::of(&twice, &base), Some(Ratio { median: 2.0, interval: None }));
    }

    #[test]
    fn rounds_without_a_partner_do_not_count() {
        let base = series(&[(1, 4.0), (2, 5.0)]);
        let other = series(&[(0, 100.0), (1, 8.0)]);
        assert_eq!(Ratio::of(&other, &base).unwrap().median, 2.0);
        assert_eq!(Ratio::of(&other, &series(&[])), None);
    }
}
