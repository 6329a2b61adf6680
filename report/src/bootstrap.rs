//! Medians, and intervals for them by resampling.
//!
//! A round is what is drawn: windows of one round are neighbours in time and share whatever happened to the machine
//! then, so they stay together. The seed is fixed, so the same data always give the same interval.

/// A value, and between what it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The median of the rounds.
    pub value: f64,
    /// Holds the true median as often as the confidence says; `None` if there are too few rounds to say.
    pub interval: Option<(f64, f64)>,
    /// How many rounds there were.
    pub rounds: usize,
}

/// How sure an interval is, unless something else is said.
pub const CONFIDENCE: f64 = 0.95;

/// Fewer rounds than these cannot tell: the whole range would be too narrow for the confidence.
pub const MIN_ROUNDS: usize = 6;

const RESAMPLES: usize = 2_000;

impl Estimate {
    /// Of the values of some rounds; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        Self::with_confidence(values, CONFIDENCE)
    }

    /// The same, with another confidence.
    pub fn with_confidence(values: &[f64], confidence: f64) -> Option<Self> {
        let value = median(&mut values.to_vec())?;
        Some(Self { value, interval: interval(values, confidence, median), rounds: values.len() })
    }
}

/// The value in the middle. The values are put in another order.
pub fn median(values: &mut [f64]) -> Option<f64> {
    let half = values.len() / 2;
    let is_even = values.len() % 2 == 0;
    let upper = *(!values.is_empty()).then(|| values.select_nth_unstable_by(half, f64::total_cmp).1)?;
    if !is_even {
        return Some(upper);
    }
    let lower = values[..half].iter().copied().reduce(f64::max)?;
    Some((lower + upper) / 2.0)
}

/// The percentile interval of a statistic.
pub fn interval(values: &[f64], confidence: f64, statistic: impl Fn(&mut [f64]) -> Option<f64>) -> Option<(f64, f64)> {
    if values.len() < MIN_ROUNDS {
        return None;
    }
    let mut random = fastrand::Rng::with_seed(1);
    let mut drawn = vec![0.0; values.len()];
    let mut statistics = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        for place in &mut drawn {
            *place = values[random.usize(..values.len())];
        }
        statistics.push(statistic(&mut drawn)?);
    }
    statistics.sort_by(f64::total_cmp);
    let cut = ((1.0 - confidence) / 2.0 * RESAMPLES as f64) as usize;
    Some((statistics[cut], statistics[RESAMPLES - 1 - cut]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_in_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&mut [1.0, 2.0]), Some(1.5));
        assert_eq!(median(&mut []), None);
    }

    #[test]
    fn an_interval_needs_rounds_and_is_the_same_each_time() {
        let values: Vec<_> = (0..20).map(f64::from).collect();
        assert_eq!(Estimate::of(&values[..MIN_ROUNDS - 1]).unwrap().interval, None);
        let (once, again) = (Estimate::of(&values).unwrap(), Estimate::of(&values).unwrap());
        assert_eq!(once, again);
        let (low, high) = once.interval.unwrap();
        assert!(low < once.value && once.value < high && low > 2.0 && high < 17.0, "{once:?}");
    }

    #[test]
    fn intervals_hold_the_true_median_about_as_often_as_they_say() {
        let mut random = fastrand::Rng::with_seed(7);
        let trials = 400;
        let hits = (0..trials).filter(|_| {
            let values: Vec<_> = (0..25).map(|_| random.f64().powi(3)).collect(); // skewed; the true median is 1/8
            interval(&values, CONFIDENCE, median).is_some_and(|(low, high)| low <= 0.125 && 0.125 <= high)
        });
        let coverage = hits.count() as f64 / f64::from(trials);
        assert!((0.90..0.99).contains(&coverage), "{coverage}");
    }

    #[test]
    fn more_confidence_makes_a_wider_interval() {
        let values: Vec<_> = (0..40).map(f64::from).collect();
        let width = |confidence| {
            let (low, high) = Estimate::with_confidence(&values, confidence).unwrap().interval.unwrap();
            high - low
        };
        assert!(width(0.999) > width(0.9));
    }
}
