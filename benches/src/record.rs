//! The folder of a run: raw samples, machine, tables. Never overwritten, so that what was cited stays.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::machine::{Machine, root};

/// An open folder.
#[derive(Debug)]
pub struct Record {
    folder: PathBuf,
    samples: csv::Writer<File>,
}

impl Record {
    /// Makes the folder of a bench target, in this one, or in one that is named by the time.
    ///
    /// # Errors
    ///
    /// If it exists, or cannot be made.
    pub fn create(out: Option<&Path>, bench: &str) -> Result<Self> {
        let run = match out {
            Some(out) => root().join(out),
            None => {
                target()?.join("snapring-bench").join(jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%SZ").to_string())
            }
        };
        fs::create_dir_all(&run).with_context(|| format!("cannot make {}", run.display()))?;
        let folder = run.join(bench);
        fs::create_dir(&folder)
            .with_context(|| format!("cannot make {} (a recorded run is never overwritten)", folder.display()))?;
        let samples = csv::Writer::from_path(folder.join("samples.csv"))?;
        Ok(Self { folder, samples })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a line to `samples.csv`.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn sample(&mut self, sample: &impl Serialize) -> Result<()> {
        Ok(self.samples.serialize(sample)?)
    }

    /// Writes out the samples so far, and `machine.json`, so that a run that is broken off is not lost.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn save(&mut self, machine: &Machine) -> Result<()> {
        self.samples.flush()?;
        let text = serde_json::to_string_pretty(machine)?;
        Ok(fs::write(self.folder.join("machine.json"), text + "\n")?)
    }

    /// Writes `table.txt`.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn table(&self, text: &str) -> Result<()> {
        Ok(fs::write(self.folder.join("table.txt"), text)?)
    }
}

/// Cargo's target folder, wherever it is: this binary lies in `<target>/<profile>/deps`.
fn target() -> Result<PathBuf> {
    let binary = env::current_exe().context("cannot find this binary")?;
    Ok(binary.ancestors().nth(3).context("this binary is not in a target folder; use --out")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_not_overwritten() {
        let folder = target().unwrap().join("snapring-bench-test").join(std::process::id().to_string());
        let record = Record::create(Some(&folder), "next").unwrap();
        record.table("first").unwrap();
        assert!(Record::create(Some(&folder), "next").is_err());
        assert_eq!(fs::read_to_string(folder.join("next/table.txt")).unwrap(), "first");
        assert!(Record::create(Some(&folder), "tails").is_ok(), "another target of the same run");
        fs::remove_dir_all(folder).unwrap();
    }
}
