//! What was checked, as data: one [`Row`] for each run.

use std::fmt;
use std::path::Path;

use comfy_table::{Cell, CellAlignment, Table, presets};
use serde::Serialize;

use crate::counterexample::Counterexample;

/// How far a run went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every execution that the checker knows of was explored.
    Complete,
    /// Every execution with at most this many preemptions was explored, and no other.
    Bounded(usize),
    /// The run was cut short at its limit of executions. What it saw was right.
    Truncated,
    /// A sample: random schedules, or real threads.
    Sampled,
    /// An execution failed.
    Failed,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete => f.write_str("complete"),
            Self::Bounded(bound) => write!(f, "bounded ({bound} preemptions)"),
            Self::Truncated => f.write_str("truncated"),
            Self::Sampled => f.write_str("sampled"),
            Self::Failed => f.write_str("FAILED"),
        }
    }
}

/// One run: a subject, a scenario and a checker.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was checked.
    pub subject: String,
    /// What was done to it.
    pub scenario: String,
    /// Who looked.
    pub checker: &'static str,
    /// How many threads.
    pub threads: usize,
    /// How many operations they did together.
    pub operations: usize,
    /// How many executions there were.
    pub executions: usize,
    /// How many different histories.
    pub histories: usize,
    /// In how many executions something was reclaimed while threads were running. Counted under loom only.
    pub reclaimed: usize,
    /// How far it went.
    pub verdict: Verdict,
    /// How long it took.
    pub seconds: f64,
    /// The execution that failed.
    #[serde(skip)]
    pub failure: Option<Counterexample>,
}

impl Row {
    /// What the manifest calls this run.
    pub fn key(&self) -> String {
        format!("{} | {} | {}", self.subject, self.scenario, self.checker)
    }
}

/// A table that lines up, and that a code host renders. Numbers go to the right.
pub fn lines<const N: usize>(header: &[&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(header);
    for row in rows {
        table.add_row(row.map(|text| {
            let number = text.parse::<f64>().is_ok();
            Cell::new(text).set_alignment(if number { CellAlignment::Right } else { CellAlignment::Left })
        }));
    }
    table.to_string()
}

/// The rows as a table, sorted by subject and checker.
pub fn table(rows: &[Row]) -> String {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.subject.clone(), row.checker, row.threads));
    lines(
        &["subject", "checker", "scenario", "threads", "ops", "executions", "histories", "reclaimed", "verdict", "s"],
        sorted.into_iter().map(|row| {
            [
                row.subject.clone(),
                row.checker.into(),
                row.scenario.clone(),
                row.threads.to_string(),
                row.operations.to_string(),
                row.executions.to_string(),
                row.histories.to_string(),
                row.reclaimed.to_string(),
                row.verdict.to_string(),
                format!("{:.2}", row.seconds),
            ]
        }),
    )
}

/// Saves what a suite found as `<folder>/<name>.json`, for the manifest.
pub fn save(folder: &str, name: &str, rows: &[impl Serialize]) {
    let file = Path::new(folder).join(name).with_extension("json");
    let json = serde_json::to_string_pretty(rows).expect("rows are plain data");
    match std::fs::write(&file, json) {
        Ok(()) => println!("{} rows, saved in {}", rows.len(), file.display()),
        Err(error) => println!("could not save the rows in {}: {error}", file.display()),
    }
}
