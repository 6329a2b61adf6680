//! What was verified, from the manifest that [`verify`](crate::verify) writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::markdown::{link, table};
use crate::text::thousands;

/// The manifest's file in the folder of results.
pub const MANIFEST: &str = "verification.json";

/// The same as tables.
pub const PAGE: &str = "verification.md";

/// What one run of the whole verification showed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// Where, when and of what.
    pub about: About,
    /// Every subject in every scenario under every checker.
    pub models: Vec<Row>,
    /// Every ordering, weakened.
    pub orderings: Vec<Weakened>,
    /// Every broken version.
    pub specimens: Vec<Killed>,
    /// arc-swap's algorithm, and earlier versions of it that must fail.
    #[serde(default)]
    pub arc_swap: Vec<Row>,
}

/// Where, when and of what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct About {
    /// The command that does it again.
    pub command: String,
    /// When it began.
    pub started: String,
    /// When it ended.
    pub finished: String,
    /// The commit.
    pub commit: Option<String>,
    /// Whether there were uncommitted changes.
    pub dirty: Option<bool>,
    /// The compiler.
    pub rustc: String,
    /// What it compiled for: real threads have that processor's orderings.
    pub target: String,
    /// How many cores the real threads had.
    pub cores: usize,
    /// Versions of the checkers, and of what was checked.
    pub versions: BTreeMap<String, Option<String>>,
}

/// One check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// What was checked.
    pub subject: String,
    /// What was done to it.
    pub scenario: String,
    /// Who looked.
    pub checker: String,
    /// How many threads.
    pub threads: u64,
    /// How many operations they did together.
    pub operations: u64,
    /// How many executions there were.
    pub executions: u64,
    /// How many different histories.
    pub histories: u64,
    /// In how many executions something was reclaimed meanwhile.
    pub reclaimed: u64,
    /// How far it went: a word, or a word with a number.
    pub verdict: Value,
    /// How long it took.
    pub seconds: f64,
}

/// What became of an ordering.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Weakened {
    /// The ledger's name.
    pub name: String,
    /// What the code uses.
    pub is: String,
    /// What it was weakened to.
    pub weakened_to: String,
    /// The other end.
    pub partner: String,
    /// The first model that failed; nobody, if the ledger's argument is all that there is.
    pub killed_by: Option<Killer>,
}

/// A model that failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Killer {
    /// What was checked.
    pub subject: String,
    /// What was done to it.
    pub scenario: String,
    /// Who looked.
    pub checker: String,
    /// How many executions it took.
    pub executions: u64,
    /// What was seen.
    pub because: String,
}

/// A broken version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Killed {
    /// Its name, and that of its counterexample.
    pub name: String,
    /// The class of mistakes.
    pub class: String,
    /// The run that found it.
    pub row: Row,
    /// How many executions it took.
    pub first: u64,
    /// How often the shortest failing one goes from one thread to another.
    pub switches: u64,
}

impl Row {
    /// What the expected numbers call it.
    pub fn key(&self) -> String {
        format!("{} | {} | {}", self.subject, self.scenario, self.checker)
    }
}

/// Reads the manifest; nothing, if there is none.
///
/// # Errors
///
/// If it cannot be understood.
pub fn load(results: &Path) -> Result<Option<Manifest>> {
    let file = results.join(MANIFEST);
    if !file.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Some(serde_json::from_str(&text).with_context(|| format!("cannot understand {}", file.display()))?))
}

/// The report's section: one line for each subject and checker.
pub fn section(manifest: Option<&Manifest>) -> String {
    let Some(Manifest { models, orderings, specimens, .. }) = manifest else {
        return "No manifest has been recorded yet. `cargo test --features loom` checks every registry and prints what was \
                explored; `cargo verify` records it.\n\n"
            .into();
    };
    let mut groups = BTreeMap::<(&str, &str), Vec<&Row>>::new();
    for row in models {
        groups.entry((&row.subject, &row.checker)).or_default().push(row);
    }
    let lines: Vec<_> = groups
        .iter()
        .map(|((subject, checker), rows)| {
            let mut verdicts = BTreeMap::<String, usize>::new();
            for row in rows {
                *verdicts.entry(verdict(&row.verdict)).or_default() += 1;
            }
            let verdicts: Vec<_> = verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
            vec![
                subject.to_string(),
                checker.to_string(),
                verdicts.join(", "),
                thousands(rows.len() as f64),
                thousands(rows.iter().map(|row| row.executions as f64).sum()),
            ]
        })
        .collect();
    let killed = orderings.iter().filter(|ordering| ordering.killed_by.is_some()).count();
    let mut broken: Vec<_> = specimens.iter().map(|killed| &killed.name).collect();
    broken.sort();
    broken.dedup();
    let mut text = table(&["", "checker", "how far", "scenarios", "executions"], 3, &lines);
    text += &format!(
        "*Complete*: every execution that the checker knows of. *Bounded*: every one with at most so many preemptions. \
         *Sampled* and *truncated*: some, all of them right. Of {} orderings stronger than relaxed, each weakened in turn, \
         {killed} were missed by a model at once; the others are argued. {} broken versions were \
         [found](counterexamples/README.md).\n\n\
         [Every check, ordering and broken version]({PAGE}), [as data]({MANIFEST}). \
         [What that means, and where it ends](../verification/README.md).\n\n",
        orderings.len(),
        broken.len(),
    );
    text
}

const HEAD: &str = "\
# Verification\n\n\
*Generated by `cargo results` from `verification.json`, which `cargo verify` writes: change nothing here by hand.*\n\n";

const ASSUMED: &str = "\
- **loom**: every interleaving and every value that a load may read, within the bound of the row, as far as loom's model of \
the memory goes; [litmus programs](../verification/tests/litmus.rs) show what was added to it and what it still lacks. \
Memory reclamation by crossbeam-epoch and arc-swap is modelled by its contract; arc-swap's own algorithm is looked at \
below, crossbeam-epoch's by the `epoch` suite.\n\
- **shuttle**: every interleaving of sequentially consistent steps (depth first), or a sample of them (random, PCT).\n\
- **threads**: whatever this machine happened to do.\n\
- **All**: the scenarios of the [catalogue](../verification/src/catalog.rs), whose histories are compared with the \
specification; nothing is said about larger programs than these.\n\n";

const ARC_SWAP: &str = "\
The published source of arc-swap, its atomics mechanically replaced by loom's and its fast slots cut to one: not the shipped \
binary. Versions with a known bug are controls, and must fail.\n\n";

/// All of it, as tables.
pub fn page(manifest: &Manifest) -> String {
    let Manifest { about, models, orderings, specimens, arc_swap } = manifest;
    let mut text = format!("{HEAD}## What was run\n\n{}## What is assumed\n\n{ASSUMED}", provenance(about));
    text += "## Models\n\n";
    let mut subjects = BTreeMap::<&str, Vec<&Row>>::new();
    for row in models {
        subjects.entry(&row.subject).or_default().push(row);
    }
    for (subject, rows) in subjects {
        text += &format!("### {subject}\n\n{}", checks(&rows));
    }
    text += &format!("## arc-swap's algorithm\n\n{ARC_SWAP}{}", versions(arc_swap));
    text += &format!("## Orderings\n\n{}", weakened(orderings));
    text += &format!("## Broken versions\n\n{}", broken(specimens));
    text
}

fn provenance(about: &About) -> String {
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".into());
    let dirty = if about.dirty == Some(false) { "" } else { ", with changes" };
    let versions: Vec<_> = about.versions.iter().map(|(name, version)| format!("{name} {}", known(version))).collect();
    let rows = [
        ("command", format!("`{}`", about.command)),
        ("from, to", format!("{}, {}", about.started, about.finished)),
        ("commit", known(&about.commit) + dirty),
        ("compiler", format!("{}, for {}", about.rustc, about.target)),
        ("cores", about.cores.to_string()),
        ("versions", versions.join(", ")),
    ];
    table(&["", ""], 2, &rows.map(|(name, value)| vec![name.to_owned(), value]))
}

fn checks(rows: &[&Row]) -> String {
    let lines: Vec<_> = rows
        .iter()
        .map(|row| {
            let numbers = [row.threads, row.operations, row.executions, row.histories, row.reclaimed];
            let mut line = vec![row.checker.clone(), row.scenario.clone(), verdict(&row.verdict)];
            line.extend(numbers.map(|number| thousands(number as f64)));
            line.push(format!("{:.2}", row.seconds));
            line
        })
        .collect();
    let header =
        ["checker", "scenario", "how far", "threads", "operations", "executions", "histories", "reclaimed", "s"];
    table(&header, 3, &lines)
}

fn versions(rows: &[Row]) -> String {
    let lines: Vec<_> = rows
        .iter()
        .map(|row| {
            let failed = row.verdict == "failed";
            let verdict = if failed { "fails, as it must".into() } else { verdict(&row.verdict) };
            let numbers = [row.threads, row.operations, row.executions].map(|number| thousands(number as f64));
            let mut line = vec![row.subject.clone(), row.scenario.clone(), verdict];
            line.extend(numbers);
            line.push(format!("{:.2}", row.seconds));
            line
        })
        .collect();
    table(&["version", "scenario", "how far", "threads", "operations", "executions", "s"], 3, &lines)
}

fn weakened(orderings: &[Weakened]) -> String {
    let lines: Vec<_> = orderings
        .iter()
        .map(|it| {
            let mut line = vec![it.name.clone(), it.partner.clone(), format!("{} to {}", it.is, it.weakened_to)];
            line.extend(match &it.killed_by {
                Some(killer) => [
                    format!("{}, {}", killer.checker, killer.subject),
                    killer.scenario.clone(),
                    killer.because.clone(),
                    thousands(killer.executions as f64),
                ],
                None => ["nobody: argued in the ledger".into(), String::new(), String::new(), String::new()],
            });
            line
        })
        .collect();
    table(&["ordering", "with", "weakened from", "killed by", "scenario", "because", "executions"], 6, &lines)
}

fn broken(specimens: &[Killed]) -> String {
    let lines: Vec<_> = specimens
        .iter()
        .map(|it| {
            vec![
                link(&it.name, &format!("counterexamples/{}.md", it.name)),
                it.class.clone(),
                it.row.checker.clone(),
                it.row.scenario.clone(),
                thousands(it.first as f64),
                it.switches.to_string(),
            ]
        })
        .collect();
    table(&["broken version", "class", "killed by", "scenario", "executions", "switches of thread"], 4, &lines)
}

fn verdict(verdict: &Value) -> String {
    match verdict {
        Value::String(word) => word.clone(),
        Value::Object(fields) => {
            fields.iter().map(|(word, value)| format!("{word} ({value})")).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let row = |subject: &str, verdict: Value| {
            serde_json::json!({
                "subject": subject, "scenario": "s", "checker": "loom", "threads": 2, "operations": 3,
                "executions": 1200, "histories": 4, "reclaimed": 0, "verdict": verdict, "seconds": 0.5,
            })
        };
        let about = serde_json::json!({
            "command": "cargo verify", "started": "then", "finished": "now", "commit": null, "dirty": false,
            "rustc": "rustc 1", "target": "x", "cores": 2, "versions": {"loom": "0.7"},
        });
        let killer = serde_json::json!({
            "subject": "epoch", "scenario": "s", "checker": "loom", "executions": 7, "because": "a|b",
        });
        let ordering = |name: &str, killed_by: Value| {
            serde_json::json!({
                "name": name, "is": "Acquire", "weakened_to": "Relaxed", "partner": "p", "killed_by": killed_by,
            })
        };
        let json = serde_json::json!({
            "about": about,
            "models": [row("epoch", serde_json::json!({"bounded": 3})), row("epoch", "complete".into())],
            "orderings": [ordering("ONE", killer), ordering("TWO", Value::Null)],
            "specimens": [
                {"name": "wrong", "class": "K01", "row": row("wrong", "failed".into()), "first": 5, "switches": 2}
            ],
        });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn the_section_counts() {
        let text = section(Some(&manifest()));
        assert!(text.contains("| epoch | loom | 1 bounded (3), 1 complete | 2 | 2,400 |"), "{text}");
        assert!(text.contains("Of 2 orderings"), "{text}");
        assert!(text.contains("1 were missed"), "{text}");
        assert!(text.contains("1 broken versions"), "{text}");
        assert!(section(None).contains("No manifest"));
    }

    #[test]
    fn the_page_has_a_line_for_each() {
        let text = page(&manifest());
        for line in [
            "| loom | s | bounded (3) | 2 | 3 | 1,200 | 4 | 0 | 0.50 |",
            "| ONE | p | Acquire to Relaxed | loom, epoch | s | a\\|b | 7 |",
            "| TWO | p | Acquire to Relaxed | nobody: argued in the ledger |  |  |  |",
            "| [wrong](counterexamples/wrong.md) | K01 | loom | s | 5 | 2 |",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn what_is_saved_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(load(folder.path()).unwrap().is_none());
        fs::write(folder.path().join(MANIFEST), serde_json::to_string(&manifest()).unwrap()).unwrap();
        assert_eq!(load(folder.path()).unwrap().unwrap().models.len(), 2);
        fs::write(folder.path().join(MANIFEST), "[]").unwrap();
        assert!(load(folder.path()).is_err());
    }
}
