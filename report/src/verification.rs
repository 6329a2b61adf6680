//! What was verified, from the manifest that the verification package writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::markdown::table;
use crate::text::thousands;

/// The manifest's file in the folder of results.
pub const MANIFEST: &str = "verification.json";

/// One check.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// What was checked.
    #[serde(alias = "subject")]
    pub registry: String,
    /// What was done to it.
    pub scenario: String,
    /// Who looked.
    pub checker: String,
    /// How many executions there were.
    pub executions: u64,
    /// How far it went: a word, or a word with a number.
    pub verdict: Value,
}

/// A list of rows, or an object that has one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Manifest {
    Rows(Vec<Row>),
    Object { rows: Vec<Row> },
}

/// Reads the manifest; nothing, if there is none.
///
/// # Errors
///
/// If it cannot be understood.
pub fn load(results: &Path) -> Result<Vec<Row>> {
    let file = results.join(MANIFEST);
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let manifest = serde_json::from_str(&text).with_context(|| format!("cannot understand {}", file.display()))?;
    let (Manifest::Rows(rows) | Manifest::Object { rows }) = manifest;
    Ok(rows)
}

/// One line for each registry and checker; each check has its own in the manifest.
pub fn section(rows: &[Row]) -> String {
    if rows.is_empty() {
        return "No manifest has been recorded yet. `cargo test --features loom` checks every registry and prints what was \
                explored.\n\n"
            .into();
    }
    let mut groups = BTreeMap::<(&str, &str), Vec<&Row>>::new();
    for row in rows {
        groups.entry((&row.registry, &row.checker)).or_default().push(row);
    }
    let lines: Vec<_> = groups
        .iter()
        .map(|((registry, checker), rows)| {
            let mut verdicts = BTreeMap::<String, usize>::new();
            for row in rows {
                *verdicts.entry(verdict(&row.verdict)).or_default() += 1;
            }
            let verdicts: Vec<_> = verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
            vec![
                registry.to_string(),
                checker.to_string(),
                verdicts.join(", "),
                thousands(rows.len() as f64),
                thousands(rows.iter().map(|row| row.executions as f64).sum()),
            ]
        })
        .collect();
    let mut text = table(&["", "checker", "how far", "scenarios", "executions"], 3, &lines);
    text += &format!(
        "Each check has a line in [{MANIFEST}]({MANIFEST}). *Complete*: every execution that the checker knows of. \
         *Bounded*: every one with at most so many preemptions. *Sampled* and *truncated*: some, all of them right. \
         [What that means, and where it ends](../verification/README.md).\n\n"
    );
    text
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

    #[test]
    fn both_kinds_of_manifest_are_understood() {
        let row = r#"{"subject": "epoch", "scenario": "s", "checker": "loom", "executions": 1200, "verdict": {"bounded": 3}}"#;
        let other = row.replace("subject", "registry").replace(r#"{"bounded": 3}"#, "\"complete\"");
        let folder = tempfile::tempdir().unwrap();
        for text in [format!("[{row}, {other}]"), format!("{{\"rows\": [{row}, {other}]}}")] {
            fs::write(folder.path().join(MANIFEST), text).unwrap();
            let text = section(&load(folder.path()).unwrap());
            assert!(text.contains("| epoch | loom | 1 bounded (3), 1 complete | 2 | 2,400 |"), "{text}");
        }
    }

    #[test]
    fn no_manifest_is_said() {
        assert!(load(Path::new("nowhere")).unwrap().is_empty());
        assert!(section(&[]).contains("No manifest"));
    }
}
