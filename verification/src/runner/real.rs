//! Real threads: whatever the machine does, many times.

use std::time::Instant;

use snapring::Std;

use super::{Goal, Seen};
use crate::{Maker, Row, Scenario, Subject, Verdict, execute::execute};

/// Runs a scenario this many times, or until it fails.
pub fn run<S: Subject>(subject: &str, scenario: &Scenario, make: Maker<S>, times: usize) -> Row {
    let (seen, begun) = (Seen::new::<S>(scenario, Goal::First), Instant::now());
    for _ in 0..times {
        if seen.judge(execute::<Std, S>(scenario, make, &seen.begin(), || ()), false).is_err() {
            break;
        }
    }
    seen.row(subject, "real threads", |_| Verdict::Sampled, begun.elapsed().as_secs_f64())
}
