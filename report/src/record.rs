//! Records a run: everything that the report rests on, in one new folder.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use snapring_benches::machine::{Machine, root};
use snapring_benches::window::Cores;

use crate::run::{OPTIONAL, Run, SEAL, Seal, TARGETS};

/// What each target is asked for. Enough rounds for intervals; some ten minutes on two cores.
const FULL: [(&str, &[&str]); 5] = [
    ("next", &["--full", "--window-ms", "15", "--seconds", "240"]),
    ("tails", &["--rounds", "12"]),
    ("updates", &["--rounds", "12"]),
    ("memory", &["--rounds", "6"]),
    ("instructions", &["--full"]),
];

/// The same in seconds, to see that it works: a few short rounds.
const QUICK: [(&str, &[&str]); 5] = [
    ("next", &["--full", "--window-ms", "2", "--rounds", "12"]),
    ("tails", &["--window-ms", "40", "--rounds", "6"]),
    ("updates", &["--rounds", "6", "--sizes", "16,256,4096"]),
    ("memory", &["--window-ms", "40", "--rounds", "3"]),
    ("instructions", &["--quick"]),
];

/// Measures all targets, one after the other, and seals the folder.
///
/// # Errors
///
/// If the folder exists, or a target fails. What was measured until then is left there, without a seal.
pub fn record(parent: &Path, quick: bool) -> Result<Run> {
    let machine = Machine::describe("next", &Cores::available(), Duration::ZERO);
    let folder = root().join(parent).join(name(&machine, quick));
    fs::create_dir_all(root().join(parent)).with_context(|| format!("cannot make {}", parent.display()))?;
    fs::create_dir(&folder)
        .with_context(|| format!("cannot make {} (a recorded run is never overwritten)", folder.display()))?;
    // Relative, where it can be: it becomes part of the command that is recorded.
    let out = folder.strip_prefix(root()).unwrap_or(&folder);
    for (target, arguments) in if quick { QUICK } else { FULL } {
        eprintln!("── {target}");
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .current_dir(root())
            .args(["bench", "--package", "snapring-benches", "--bench", target, "--"])
            .args(arguments)
            .arg("--out")
            .arg(out)
            .status();
        ensure!(status.context("cannot start cargo")?.success(), "`{target}` failed");
    }
    let run = Run::load(&folder)?; // and so it is one run
    ensure!(
        TARGETS.iter().all(|target| *target == OPTIONAL || run.machines.contains_key(target)),
        "a target left nothing"
    );
    let seal = Seal {
        command: format!("cargo record{}", if quick { " --quick" } else { "" }),
        quick,
        started: machine.started,
        finished: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };
    fs::write(folder.join(SEAL), serde_json::to_string_pretty(&seal)? + "\n")?;
    Run::load(&folder)
}

/// Where quick runs go, if nothing else is said: nobody should commit one by accident.
///
/// # Errors
///
/// If the target folder is not known.
pub fn quick_folder() -> Result<PathBuf> {
    Ok(crate::claims::target_folder()?.join("snapring-quick"))
}

/// `<date>-<processor>-<cores>c-<commit>`, so that the folders of one machine stand together, by day.
pub fn name(machine: &Machine, quick: bool) -> String {
    let date = machine.started.split('T').next().unwrap_or_default();
    let commit = machine.commit.as_deref().map_or("unknown", |commit| &commit[..commit.len().min(8)]);
    let dirty = if machine.dirty == Some(false) { "" } else { "-dirty" };
    let quick = if quick { "-quick" } else { "" };
    format!("{date}-{}-{}c-{commit}{dirty}{quick}", slug(machine.cpu.as_deref().unwrap_or("unknown")), machine.cores)
}

/// A processor's name without trade marks, clock rates and words that every name has.
fn slug(cpu: &str) -> String {
    let cpu = cpu.split('@').next().unwrap_or_default().to_lowercase().replace("(r)", " ").replace("(tm)", " ");
    let says_nothing = |word: &&str| ["cpu", "processor"].contains(word) || word.ends_with("-core");
    let words: Vec<_> = cpu
        .split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-')
        .filter(|word| !word.is_empty() && !says_nothing(word))
        .collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_have_short_names() {
        assert_eq!(slug("Intel(R) Xeon(R) Processor"), "intel-xeon");
        assert_eq!(slug("Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz"), "intel-xeon-platinum-8481c");
        assert_eq!(slug("AMD EPYC 7763 64-Core Processor"), "amd-epyc-7763");
    }

    #[test]
    fn a_folder_says_when_where_and_what() {
        let mut machine = Machine::describe("next", &Cores::available(), Duration::ZERO);
        machine.started = "2030-01-02T03:04:05Z".into();
        machine.cpu = Some("AMD EPYC 7763 64-Core Processor".into());
        machine.cores = 4;
        machine.commit = Some("0123456789abcdef".into());
        machine.dirty = Some(false);
        assert_eq!(name(&machine, false), "2030-01-02-amd-epyc-7763-4c-01234567");
        machine.dirty = Some(true);
        assert_eq!(name(&machine, true), "2030-01-02-amd-epyc-7763-4c-01234567-dirty-quick");
    }
}
