//! What recorded data say about a claim.

use std::fmt;

use super::Claim;
use crate::bootstrap::{Estimate, MIN_ROUNDS};
use crate::quantity::Series;
use crate::run::{Run, newest};

/// A claim needs so many rounds that nobody disturbed.
const MIN_QUIET: usize = 10;

/// A run is refused if more of its windows than this were disturbed, however many are left.
const MIN_QUIET_SHARE: f64 = 0.5;

/// Where whole processes are measured and the worst counts, so many rounds are enough.
const MIN_WORST: usize = 3;

/// How it looks for a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The whole interval is within the bounds.
    Holds,
    /// The whole interval is outside of a bound.
    Fails,
    /// A bound is within the interval: not shown.
    Undecided,
    /// The data are not good enough to say anything, and why.
    Refused(String),
    /// Nothing has been recorded yet.
    NoRun,
    /// No run is of a machine that it applies to, and why not.
    OutOfScope(String),
}

impl Verdict {
    /// Whether somebody has to do something about it.
    pub fn is_bad(&self) -> bool {
        matches!(self, Self::Fails | Self::Undecided | Self::Refused(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::Fails => f.write_str("does not hold"),
            Self::Undecided => f.write_str("undecided: a bound is within the interval"),
            Self::Refused(why) => write!(f, "refused: {why}"),
            Self::NoRun => f.write_str("no recorded run yet"),
            Self::OutOfScope(why) => write!(f, "not in scope: {why}"),
        }
    }
}

/// A verdict, and what it rests on.
#[derive(Clone, Debug)]
pub struct Evaluation<'a> {
    /// What was found.
    pub verdict: Verdict,
    /// The value that is compared with the bounds.
    pub estimate: Option<Estimate>,
    /// The medians of what is measured, and of what it is divided by.
    pub parts: (Option<f64>, Option<f64>),
    /// How many rounds were left out because they were disturbed.
    pub disturbed: usize,
    /// Whose data it is.
    pub run: Option<&'a Run>,
}

/// Evaluates a claim against the newest run of each machine that it applies to, or against the one that it names. At least
/// one evaluation.
pub fn evaluate<'a>(claim: &Claim, runs: &'a [Run]) -> Vec<Evaluation<'a>> {
    let of_all = match &claim.scope.run {
        Some(name) => runs.iter().filter(|run| run.name == *name).collect(),
        None => newest(runs),
    };
    let applies = |run: &&&Run| claim.scope.misses(&run.machine).is_empty();
    let found: Vec<_> = of_all.iter().filter(applies).map(|run| evaluate_in(claim, run)).collect();
    if !found.is_empty() {
        return found;
    }
    let none = match (runs.is_empty(), of_all.first()) {
        (true, _) => Verdict::NoRun,
        (false, Some(run)) => Verdict::OutOfScope(claim.scope.misses(&run.machine).join(", ")),
        (false, None) => Verdict::OutOfScope("no such run".into()),
    };
    vec![nothing(none, None)]
}

/// The verdict of all machines together: a claim holds if it holds on each of them.
pub fn overall(evaluations: &[Evaluation<'_>]) -> Verdict {
    let mut verdicts = evaluations.iter().map(|evaluation| &evaluation.verdict);
    let first = verdicts.clone().next().cloned().unwrap_or(Verdict::NoRun);
    verdicts.find(|verdict| verdict.is_bad()).cloned().unwrap_or(first)
}

/// Evaluates a claim against one run.
pub fn evaluate_in<'a>(claim: &Claim, run: &'a Run) -> Evaluation<'a> {
    let misses = claim.scope.misses(&run.machine);
    if !misses.is_empty() {
        return nothing(Verdict::OutOfScope(misses.join(", ")), Some(run));
    }
    let of = claim.of.series(run);
    let over = claim.over.as_ref().map(|over| over.series(run));
    let series = over.as_ref().map_or_else(|| of.clone(), |over| of.over(over));
    let disturbed = series.all.len() - series.quiet.len();
    let medians = (middle(&of), over.as_ref().and_then(middle));
    let evaluation = |verdict, estimate| Evaluation { verdict, estimate, parts: medians, disturbed, run: Some(run) };

    let values: Vec<f64> = series.quiet.values().copied().collect();
    let estimate = if claim.worst {
        let worst = values.iter().copied().reduce(f64::max);
        worst.map(|value| Estimate { value, interval: None, rounds: values.len() })
    } else {
        Estimate::of(&values)
    };
    if let Some(why) = too_little(claim, run, &series) {
        return evaluation(Verdict::Refused(why), estimate);
    }
    let verdict = match estimate {
        Some(Estimate { value, .. }) if claim.worst => judge(claim, (value, value)),
        Some(Estimate { interval: Some(interval), .. }) => judge(claim, interval),
        _ => Verdict::Refused("too few rounds for an interval".into()),
    };
    evaluation(verdict, estimate)
}

fn nothing(verdict: Verdict, run: Option<&Run>) -> Evaluation<'_> {
    Evaluation { verdict, estimate: None, parts: (None, None), disturbed: 0, run }
}

fn middle(series: &Series) -> Option<f64> {
    crate::bootstrap::median(&mut series.quiet.values().copied().collect::<Vec<_>>())
}

fn judge(claim: &Claim, (low, high): (f64, f64)) -> Verdict {
    let (least, most) = (claim.at_least.unwrap_or(f64::NEG_INFINITY), claim.at_most.unwrap_or(f64::INFINITY));
    if least <= low && high <= most {
        Verdict::Holds
    } else if high < least || most < low {
        Verdict::Fails
    } else {
        Verdict::Undecided
    }
}

/// Why nothing can be claimed from this.
fn too_little(claim: &Claim, run: &Run, series: &Series) -> Option<String> {
    if series.all.is_empty() {
        return Some("it was not measured".into());
    }
    if run.seal.as_ref().is_some_and(|seal| seal.quick) {
        return Some("the run was only to show that it works".into());
    }
    let quiet = run.quiet_share().filter(|share| *share < MIN_QUIET_SHARE);
    if let Some(share) = quiet {
        return Some(format!("only {} of the windows of the run were not disturbed", crate::text::percent(share)));
    }
    let needed = match claim.of.target() {
        _ if claim.worst => MIN_WORST,
        "next" => MIN_QUIET,
        _ => MIN_ROUNDS,
    };
    let left = series.quiet.len();
    (left < needed).then(|| format!("{left} undisturbed rounds of {}, and {needed} are needed", series.all.len()))
}
