//! A run that was recorded: its samples, and where they come from.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use snapring_benches::machine::Machine;
use snapring_benches::{instructions, memory, results, tails, updates};

/// What `cargo record` measures, each in a folder of this name.
pub const TARGETS: [&str; 5] = ["next", "tails", "updates", "memory", "instructions"];

/// What is there only if the machine has a tool that it needs.
pub const OPTIONAL: &str = "instructions";

/// The file that is written last: without it, a run was broken off.
pub const SEAL: &str = "run.json";

/// What the seal says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seal {
    /// The command that made the run.
    pub command: String,
    /// A run that was only to show that it works. Nothing can be claimed from it.
    pub quick: bool,
    /// When it began.
    pub started: String,
    /// When it ended.
    pub finished: String,
}

/// Everything in the folder of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The name of its folder.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// Absent from what `cargo bench` saves.
    pub seal: Option<Seal>,
    /// Where it was measured, as the first target found it.
    pub machine: Machine,
    /// The same for each target.
    pub machines: BTreeMap<&'static str, Machine>,
    /// Windows of the target `next`.
    pub next: Vec<results::Sample>,
    /// Distributions of the target `tails`.
    pub tails: Vec<tails::Sample>,
    /// Calls of the target `updates`.
    pub updates: Vec<updates::Sample>,
    /// Processes of the target `memory`.
    pub memory: Vec<memory::Sample>,
    /// Contenders of the target `instructions`.
    pub instructions: Vec<instructions::Sample>,
}

impl Run {
    /// Reads a folder.
    ///
    /// # Errors
    ///
    /// If there is no run in it, if its parts do not belong together, or if it cannot be read.
    pub fn load(folder: &Path) -> Result<Self> {
        let mut machines = BTreeMap::new();
        for target in TARGETS {
            let file = folder.join(target).join("machine.json");
            if file.exists() {
                machines.insert(target, json::<Machine>(&file)?);
            }
        }
        let first = TARGETS.iter().find_map(|target| machines.get(target));
        let machine = first.with_context(|| format!("no run in {}", folder.display()))?.clone();
        for (target, other) in &machines {
            ensure!(
                identity(other) == identity(&machine),
                "{}: `{target}` was measured elsewhere, or with other code, than the rest",
                folder.display()
            );
        }
        let seal = folder.join(SEAL);
        Ok(Self {
            name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            folder: folder.to_owned(),
            seal: seal.exists().then(|| json(&seal)).transpose()?,
            next: samples(folder, "next")?,
            tails: samples(folder, "tails")?,
            updates: samples(folder, "updates")?,
            memory: samples(folder, "memory")?,
            instructions: samples(folder, OPTIONAL)?,
            machine,
            machines,
        })
    }

    /// All runs in the folder of results, the oldest first.
    ///
    /// # Errors
    ///
    /// If one of them was broken off, or cannot be read.
    pub fn recorded(results: &Path) -> Result<Vec<Self>> {
        let mut runs = Vec::new();
        for entry in fs::read_dir(results).with_context(|| format!("cannot read {}", results.display()))? {
            let entry = entry?;
            // A run's folder begins with its date. There are others beside them.
            let is_dated = entry.file_name().to_string_lossy().starts_with(|first: char| first.is_ascii_digit());
            let folder = entry.path();
            if !is_dated || !folder.is_dir() {
                continue;
            }
            if !folder.join(SEAL).exists() {
                bail!("{} was broken off: it has no {SEAL}. Remove it, and record again", folder.display());
            }
            runs.push(Self::load(&folder)?);
        }
        runs.sort_by(|a, b| (&a.machine.started, &a.name).cmp(&(&b.machine.started, &b.name)));
        Ok(runs)
    }

    /// What it was measured on, in two words.
    pub fn on(&self) -> String {
        let cpu = self.machine.cpu.as_deref().unwrap_or("unknown processor");
        let cpu = cpu.replace("(R)", "").replace(" Processor", "");
        format!("{cpu}, {} cores", self.machine.cores)
    }

    /// The share of the windows that nobody disturbed, among those in which nobody waits for a lock or for a core:
    /// there, a thread that is not running was kept from it by somebody else. `None` without such windows.
    pub fn quiet_share(&self) -> Option<f64> {
        let telling = |sample: &&results::Sample| !sample.oversubscribed && !crate::quantity::blocks(&sample.contender);
        let quiet = self.next.iter().filter(telling).filter(|sample| sample.is_undisturbed()).count();
        let all = self.next.iter().filter(telling).count();
        (all > 0).then(|| quiet as f64 / all as f64)
    }
}

/// The newest run of each machine, the newest first. Runs come in the order of [`Run::recorded`].
pub fn newest(runs: &[Run]) -> Vec<&Run> {
    let hardware = |run: &Run| (run.machine.cpu.clone(), run.machine.cpu_model.clone(), run.machine.cores);
    let mut newest: Vec<&Run> = Vec::new();
    for run in runs.iter().rev() {
        if !newest.iter().any(|newer| hardware(newer) == hardware(run)) {
            newest.push(run);
        }
    }
    newest
}

/// What must be the same for all parts of a run.
fn identity(machine: &Machine) -> impl PartialEq + use<> {
    let Machine { cpu, cpu_model, cores, kernel, rustc, build, commit, dirty, dependencies, .. } = machine.clone();
    (cpu, cpu_model, cores, kernel, rustc, build, commit, dirty, dependencies)
}

fn json<T: DeserializeOwned>(file: &Path) -> Result<T> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("cannot understand {}", file.display()))
}

fn samples<T: DeserializeOwned>(folder: &Path, target: &str) -> Result<Vec<T>> {
    let file = folder.join(target).join("samples.csv");
    if !file.exists() {
        return Ok(Vec::new());
    }
    let mut reader = csv::Reader::from_path(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let samples = reader.deserialize().collect::<Result<_, _>>();
    samples.with_context(|| format!("cannot understand {}", file.display()))
}
