//! A claim as one cites it: the sentence, the figures, and where they come from.

use std::fmt::Write as _;

use anyhow::Result;
use snapring_benches::machine::Machine;

use super::{Claim, Evaluation, overall};
use crate::bootstrap::CONFIDENCE;
use crate::quantity::Quantity;
use crate::text::{digits, estimate, percent, time};

/// Everything that a reader needs to believe it, or to doubt it.
///
/// # Errors
///
/// If the claim's sentence is wrong.
pub fn citation(claim: &Claim, evaluations: &[Evaluation<'_>]) -> Result<String> {
    let mut text = format!("{}: {}\n", claim.id, claim.statement()?);
    writeln!(text, "  Verdict: {}.", overall(evaluations))?;
    writeln!(text, "  Scope: {}.", claim.scope.words())?;
    for evaluation in evaluations {
        if let Some(run) = evaluation.run {
            let verdict = if evaluations.len() > 1 { format!(": {}", evaluation.verdict) } else { String::new() };
            writeln!(text, "  Machine: {}{verdict}.", machine(&run.machine))?;
        }
        if let Some(figures) = figures(claim, evaluation) {
            writeln!(text, "  Figures: {figures}.")?;
        }
        if let Some(run) = evaluation.run {
            writeln!(text, "  Versions: {}.", versions(&run.machine))?;
            let (name, target) = (&run.name, claim.of.target());
            writeln!(text, "  Data: {name}/{target}/samples.csv, measured {}.", run.machine.started)?;
        }
    }
    writeln!(text, "  Measure it here: cargo claims --fresh {}", claim.id)?;
    Ok(text)
}

/// The value, its interval, and the two medians that it comes from.
pub fn figures(claim: &Claim, evaluation: &Evaluation<'_>) -> Option<String> {
    let found = evaluation.estimate?;
    let said = |quantity: &Quantity, value: f64| match quantity.unit() {
        "ns" => time(value),
        unit => format!("{} {unit}", digits(value)),
    };
    let mut text = match (&claim.over, claim.worst) {
        (Some(_), _) => format!("ratio {}", estimate(&found)),
        (None, true) => format!("at most {}", said(&claim.of, found.value)),
        (None, false) => match found.interval {
            Some((low, high)) => {
                format!("{} [{}–{}]", said(&claim.of, found.value), said(&claim.of, low), said(&claim.of, high))
            }
            None => said(&claim.of, found.value),
        },
    };
    let confidence = found.interval.map_or_else(String::new, |_| format!(" ({} interval)", percent(CONFIDENCE)));
    write!(text, "{confidence}, {} rounds", found.rounds).ok()?;
    if evaluation.disturbed > 0 {
        write!(text, ", {} disturbed left out", evaluation.disturbed).ok()?;
    }
    if let (Some(over), (Some(of), Some(base))) = (&claim.over, evaluation.parts) {
        write!(text, "; {}: {}; {over}: {}", claim.of, said(&claim.of, of), said(over, base)).ok()?;
    }
    Some(text)
}

/// The machine in one line.
fn machine(machine: &Machine) -> String {
    let known = |part: &Option<String>| part.clone().unwrap_or_else(|| "unknown".into());
    let mut text = format!("{} ({}), {} cores", known(&machine.cpu), known(&machine.cpu_model), machine.cores);
    if let Some(hints) = &machine.virtualisation {
        text += &format!(", virtual ({hints})");
    }
    text + &format!(", {}", known(&machine.kernel))
}

/// Compiler, commit and dependencies in one line.
pub fn versions(machine: &Machine) -> String {
    let commit = machine.commit.as_deref().unwrap_or("unknown");
    let dirty = if machine.dirty == Some(true) { " with uncommitted changes" } else { "" };
    let mut text = format!("commit {commit}{dirty}, {}", machine.rustc);
    for (name, version) in &machine.dependencies {
        if let Some(version) = version {
            text += &format!(", {name} {version}");
        }
    }
    text
}
