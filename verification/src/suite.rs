//! A set of runs as a test binary: each run is a test, and the rows make a table that nobody typed.
//!
//! The numbers of executions of deterministic runs are compared with a file: a model that suddenly explores less is a
//! model that has stopped looking.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::Verdict;
use crate::report::{self, Row};

/// Set this variable to write the numbers of executions instead of comparing them.
pub const BLESS: &str = "SNAPRING_BLESS";

/// Runs to be made.
pub struct Suite {
    name: &'static str,
    expected: PathBuf,
    trials: Vec<Trial>,
    rows: Arc<Mutex<Vec<Row>>>,
}

/// What a run must show.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// At least so many executions.
    pub executions: usize,
    /// In at least so many of them something was reclaimed.
    pub reclaimed: usize,
    /// The number of executions is the same each time, and is compared.
    pub deterministic: bool,
    /// Part of the long runs, see `--ignored`.
    pub long: bool,
}

impl Suite {
    /// A suite whose expected numbers are in this folder, in `<name>.json`.
    pub fn new(name: &'static str, folder: &str) -> Self {
        let expected = Path::new(folder).join(format!("{name}.json"));
        Self { name, expected, trials: Vec::new(), rows: Arc::default() }
    }

    /// Adds a run. It fails if an execution fails or if it shows less than is demanded.
    pub fn add(&mut self, name: String, demand: Demand, run: impl FnOnce() -> Row + Send + 'static) {
        let rows = self.rows.clone();
        let expected = self.expected.clone();
        let trial = Trial::test(name, move || {
            let row = run();
            let verdict = judge(&row, demand, &expected);
            rows.lock().unwrap().push(row);
            verdict
        });
        self.trials.push(trial.with_ignored_flag(demand.long));
    }

    /// Adds a run that must fail, since what it looks at is known to be wrong.
    pub fn add_control(&mut self, name: String, long: bool, run: impl FnOnce() -> Row + Send + 'static) {
        let rows = self.rows.clone();
        let trial = Trial::test(name, move || {
            let row = run();
            let (verdict, executions) = (row.verdict, row.executions);
            rows.lock().unwrap().push(row);
            if verdict == Verdict::Failed {
                return Ok(());
            }
            Err(format!("the known bug was not found in {executions} executions: {verdict}").into())
        });
        self.trials.push(trial.with_ignored_flag(long));
    }

    /// Runs what the command line selects, prints the table, and saves it in this folder.
    pub fn run(self, folder: &str) -> ExitCode {
        let arguments = Arguments::from_args();
        let conclusion = libtest_mimic::run(&arguments, self.trials);
        let mut rows = self.rows.lock().unwrap();
        rows.sort_by_cached_key(Row::key); // they came as they ended
        if !rows.is_empty() {
            println!("{}\n", report::table(&rows));
            report::save(folder, self.name, &rows);
        }
        if std::env::var_os(BLESS).is_some() {
            bless(&rows, &self.expected);
        }
        conclusion.exit_code()
    }
}

fn judge(row: &Row, demand: Demand, expected: &Path) -> Result<(), Failed> {
    if let Some(failed) = &row.failure {
        return Err(format!("execution {} failed\n\n{failed}", failed.first).into());
    }
    if row.executions < demand.executions {
        return Err(format!("only {} executions, at least {} are demanded", row.executions, demand.executions).into());
    }
    if row.reclaimed < demand.reclaimed {
        return Err(format!(
            "something was reclaimed in only {} of {} executions, at least {} are demanded",
            row.reclaimed, row.executions, demand.reclaimed
        )
        .into());
    }
    if !demand.deterministic || std::env::var_os(BLESS).is_some() {
        return Ok(());
    }
    match load(expected).get(&row.key()) {
        Some(executions) if *executions == row.executions => Ok(()),
        Some(executions) => Err(format!(
            "{} executions, but {executions} are on record. If the code under test changed, run with {BLESS}=1 and look at \
             the difference in {}",
            row.executions,
            expected.display()
        )
        .into()),
        None => Err(format!("no number is on record for `{}`; run with {BLESS}=1", row.key()).into()),
    }
}

fn load(expected: &Path) -> BTreeMap<String, usize> {
    let Ok(text) = std::fs::read_to_string(expected) else { return BTreeMap::new() };
    serde_json::from_str(&text).unwrap_or_default()
}

/// Writes the numbers of the rows that were run; the others stay.
fn bless(rows: &[Row], expected: &Path) {
    let mut numbers = load(expected);
    let repeatable = |row: &&Row| !matches!(row.verdict, Verdict::Sampled | Verdict::Failed);
    numbers.extend(rows.iter().filter(repeatable).map(|row| (row.key(), row.executions)));
    let json = serde_json::to_string_pretty(&numbers).expect("a map of numbers");
    std::fs::write(expected, json + "\n").expect("the expected numbers can be written");
}

impl std::fmt::Debug for Suite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Suite").field("name", &self.name).field("trials", &self.trials.len()).finish_non_exhaustive()
    }
}
