//! A page for each specimen, `results/counterexamples/<name>.md`, with the execution that killed it.

use std::fmt::Write;

use super::table::{Specimen, specimens};
use crate::report::lines;
use crate::{Counterexample, Row};

/// The page of a specimen, out of the run that killed it.
pub fn page(specimen: &Specimen, row: &Row, failed: &Counterexample) -> String {
    let Specimen { name, mistake, class, system, .. } = specimen;
    let system = if system.is_empty() { String::new() } else { format!(", system {system}") };
    let mut page = format!("# {name}\n\n{mistake} (class {class}{system}).\n\n");
    let Row { checker, scenario, executions, .. } = row;
    let first = failed.first;
    write!(
        page,
        "Scenario \"{scenario}\", explored by {checker}: execution {first} failed first; the one below is the shortest among \
         {executions}.\n\n{failed}\n```\ncargo test -p snapring-verification --features {} --test specimens -- --replay {name}\n```\n",
        if failed.schedule.is_empty() { "loom" } else { "shuttle" }
    )
    .expect("a string takes everything");
    page
}

/// The page that lists the others.
pub fn index() -> String {
    let rows = specimens().into_iter().map(|it| {
        [
            format!("[{0}]({0}.md)", it.name),
            it.class.into(),
            it.system.into(),
            it.mistake.into(),
            it.scenario.name,
            it.sign.into(),
        ]
    });
    let table = lines(&["specimen", "class", "system", "mistake", "scenario", "sign"], rows);
    format!(
        "# Counterexamples\n\nBroken versions, each with the shortest execution found that shows its mistake. All of this is \
         generated and compared by `verification/tests/specimens.rs`.\n\n{table}\n"
    )
}
