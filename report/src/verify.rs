//! Runs the whole verification, and makes the manifest of what it showed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use snapring_benches::machine::{self, Machine, root};
use snapring_benches::window::Cores;

use crate::claims::target_folder;
use crate::verification::{About, MANIFEST, Manifest};

/// The suites whose rows make the manifest, each saved under its name.
const SUITES: [&str; 4] = ["models", "orderings", "specimens", "arc_swap"];

/// What has a version that matters.
const VERSIONS: [&str; 5] = ["arc-swap", "crossbeam-epoch", "loom", "proptest", "shuttle"];

/// Runs every suite, some ten minutes on two cores, and writes the manifest into this folder.
///
/// # Errors
///
/// If a check fails: then there is no manifest.
pub fn verify(results: &Path) -> Result<PathBuf> {
    let machine = Machine::describe("verify", &Cores::available(), Duration::ZERO);
    let saved = target_folder()?.join("tmp");
    let cargo = || Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for suite in SUITES {
        eprintln!("── {suite}");
        let mut test = cargo();
        test.current_dir(root()).args([
            "test",
            "--package",
            "snapring-verification",
            "--all-features",
            "--test",
            suite,
        ]);
        if suite == "arc_swap" {
            test.args(["--", "--include-ignored"]); // with its controls
        }
        ensure!(test.status().context("cannot start cargo")?.success(), "`{suite}` failed");
    }
    let manifest = Manifest {
        about: About {
            command: "cargo verify".into(),
            started: machine.started,
            finished: machine::now(),
            commit: machine.commit,
            dirty: machine.dirty,
            rustc: machine.rustc,
            target: machine.build.get("target").cloned().unwrap_or_default(),
            cores: machine.cores,
            versions: VERSIONS.iter().map(|name| (name.to_string(), machine::version(name))).collect(),
        },
        models: rows(&saved, SUITES[0])?,
        orderings: rows(&saved, SUITES[1])?,
        specimens: rows(&saved, SUITES[2])?,
        arc_swap: rows(&saved, SUITES[3])?,
    };
    let file = results.join(MANIFEST);
    let json = serde_json::to_string_pretty(&manifest)? + "\n";
    fs::write(&file, json).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

fn rows<R: DeserializeOwned>(saved: &Path, suite: &str) -> Result<Vec<R>> {
    let file = saved.join(suite).with_extension("json");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot understand {}", file.display()))
}
