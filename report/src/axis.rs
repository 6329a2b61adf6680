//! An axis: a range, a scale, and where its ticks are.

use crate::text::digits;

/// How values are spread over it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Log,
}

/// An axis with its ticks.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// Where it begins and ends.
    pub range: (f64, f64),
    /// Values with a line and a text.
    pub ticks: Vec<(f64, String)>,
    scale: Scale,
}

impl Axis {
    /// Exactly these values have a tick, in steps that look equal if they are equal ratios.
    pub fn of_counts(label: &str, counts: &[usize]) -> Self {
        let ticks: Vec<_> = counts.iter().map(|&count| (count as f64, crate::text::thousands(count as f64))).collect();
        let (first, last) = (ticks.first().map_or(1.0, |tick| tick.0), ticks.last().map_or(2.0, |tick| tick.0));
        let margin = (last / first).max(2.0).powf(0.04);
        Self { label: label.into(), range: (first / margin, last * margin), ticks, scale: Scale::Log }
    }

    /// Named places, one beside the other.
    pub fn of_names(label: &str, names: &[&str]) -> Self {
        let ticks: Vec<_> = names.iter().enumerate().map(|(at, name)| (at as f64, name.to_string())).collect();
        Self { label: label.into(), range: (-0.2, names.len() as f64 - 0.8), ticks, scale: Scale::Linear }
    }

    /// From 0 to the largest value, which is above it.
    pub fn linear(label: &str, most: f64) -> Self {
        let rough = most / 6.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let ticks = (0..).map(|at| f64::from(at) * step).take_while(|at| *at <= most * 1.0001);
        let ticks = ticks.map(|at| (at, plain(at))).collect();
        Self { label: label.into(), range: (0.0, most * 1.02), ticks, scale: Scale::Linear }
    }

    /// All values, in equal ratios, with ticks at 1, 2 and 5 or, over many decades, at 1 alone.
    pub fn log(label: &str, values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<_> = values.filter(|value| *value > 0.0).collect();
        let low = values.iter().copied().reduce(f64::min).unwrap_or(1.0) / 1.15;
        let high = values.iter().copied().reduce(f64::max).unwrap_or(10.0) * 1.15;
        let steps: &[f64] = if high / low > 500.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let ticks = decades.flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
        let ticks = ticks.filter(|at| (low..=high).contains(at)).map(|at| (at, plain(at))).collect();
        Self { label: label.into(), range: (low, high), ticks, scale: Scale::Log }
    }

    /// Where a value is, from 0 at the beginning to 1 at the end.
    pub fn place(&self, value: f64) -> f64 {
        let (first, last) = self.range;
        match self.scale {
            Scale::Linear => (value - first) / (last - first),
            Scale::Log => (value / first).ln() / (last / first).ln(),
        }
    }
}

/// Without decimals that say nothing.
fn plain(value: f64) -> String {
    if value >= 1.0 || value == 0.0 { crate::text::thousands(value) } else { digits(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_not_too_many() {
        assert_eq!(texts(&Axis::log("", [1.0, 40.0].into_iter())), ["1", "2", "5", "10", "20"]);
        assert_eq!(texts(&Axis::log("", [3.0, 90_000.0].into_iter())), ["10", "100", "1,000", "10,000", "100,000"]);
        assert_eq!(texts(&Axis::linear("", 412.0)), ["0", "100", "200", "300", "400"]);
    }

    #[test]
    fn places_go_from_0_to_1() {
        let axis = Axis { range: (1.0, 100.0), ..Axis::log("", [1.0].into_iter()) };
        assert_eq!([1.0, 10.0, 100.0].map(|value| axis.place(value)), [0.0, 0.5, 1.0]);
    }
}
