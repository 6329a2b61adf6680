//! How numbers and cases are said.

use snapring_benches::plan::Writer;

use crate::bootstrap::Estimate;

/// Three digits are more than a timing deserves.
pub fn digits(value: f64) -> String {
    match value.abs() {
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => thousands(value),
    }
}

/// A whole number, in groups of three digits.
pub fn thousands(value: f64) -> String {
    let number = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (at, digit) in number.chars().enumerate() {
        if at > 0 && (number.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 { format!("-{text}") } else { text }
}

/// A bound, as it was written.
pub fn bound(value: f64) -> String {
    if value.fract() == 0.0 { thousands(value) } else { value.to_string() }
}

/// A time with the unit that suits it.
pub fn time(ns: f64) -> String {
    match ns {
        ..999.5 => format!("{} ns", digits(ns)),
        ..999_500.0 => format!("{} µs", digits(ns / 1e3)),
        _ => format!("{} ms", digits(ns / 1e6)),
    }
}

/// A bound that is a time, as it was written.
pub fn time_bound(ns: f64) -> String {
    match ns {
        ..1e3 => format!("{} ns", bound(ns)),
        ..1e6 => format!("{} µs", bound(ns / 1e3)),
        _ => format!("{} ms", bound(ns / 1e6)),
    }
}

/// A value with its interval.
pub fn estimate(estimate: &Estimate) -> String {
    match estimate.interval {
        Some((low, high)) => format!("{} [{}–{}]", digits(estimate.value), digits(low), digits(high)),
        None => format!("{} [?]", digits(estimate.value)),
    }
}

/// So many threads.
pub fn threads(count: usize) -> String {
    if count == 1 { "1 thread".into() } else { format!("{count} threads") }
}

/// Who changes the list.
pub fn under(writer: Writer) -> String {
    match writer {
        Writer::None => "no writer".into(),
        Writer::Paced(rate) => format!("{} updates a second", thousands(f64::from(rate))),
        Writer::Flat => "a flat-out writer".into(),
    }
}

/// A call, as a thing.
pub fn call(call: &str) -> String {
    match call {
        "register a new id" => "registering a new member".into(),
        "deregister a random one" => "deregistering any member".into(),
        "register an equal one again" => "registering an equal member again".into(),
        other => other.into(),
    }
}

/// A whole percentage.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_short() {
        assert_eq!([1.0, 999.0, 1_000.0, 1_234_567.0].map(thousands), ["1", "999", "1,000", "1,234,567"]);
        assert_eq!([0.731, 9.999, 12.34, 99.99, 1234.5].map(digits), ["0.73", "10.0", "12.3", "100", "1,234"]);
        assert_eq!([12.0, 1_500.0, 2_000_000.0].map(time), ["12.0 ns", "1.50 µs", "2.00 ms"]);
        assert_eq!([1.1, 15.0, 1000.0].map(bound), ["1.1", "15", "1,000"]);
        assert_eq!([900.0, 1_500.0, 2e6].map(time_bound), ["900 ns", "1.5 µs", "2 ms"]);
    }

    #[test]
    fn too_few_rounds_are_not_hidden() {
        assert_eq!(estimate(&Estimate { value: 1.0, interval: None, rounds: 2 }), "1.00 [?]");
        assert_eq!(estimate(&Estimate { value: 1.0, interval: Some((0.5, 2.0)), rounds: 9 }), "1.00 [0.50–2.00]");
    }
}
