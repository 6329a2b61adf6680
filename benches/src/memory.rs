//! The bench target `memory`: how many lists are alive at once while a flat-out writer replaces them.
//!
//! Every update replaces one member, in place, by a fresh one that is counted when it is made and when it is dropped.
//! Each list has exactly one fresh member and no two lists have the same, so live fresh members are live lists (a pick in
//! somebody's hand may count as one more). Nothing has to be built into the registries for that.
//!
//! Each implementation in each situation is a process of its own: this binary starts itself. So nobody's garbage is
//! counted, or cleared away, by somebody else, and the system's figure for the most memory used is that of one of them.

mod situations;
mod stage;
mod subjects;
mod table;

use std::env;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::args::Args;
use crate::machine::Machine;
use crate::packed::Packed;
use crate::progress::Progress;
use crate::record::Record;
use crate::window::Cores;
use situations::SITUATIONS;
use subjects::SUBJECTS;

/// Which part a process of its own plays: subject and situation by number, and milliseconds.
const PART: &str = "SNAPRING_MEMORY_PART";

/// What a process reports.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Outcome {
    peak: i64,
    left: i64,
    updates: u64,
    seconds: f64,
    kib: Option<u64>,
    stalls: u32,
    blocked: u32,
    median: i64,
    timeline: Packed<(u64, u64)>,
}

/// One process, as it is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Which round it belongs to.
    pub round: usize,
    /// Whose lists were counted.
    pub subject: String,
    /// What readers did meanwhile.
    pub situation: String,
    /// The most lists that were alive after an update.
    pub peak: i64,
    /// Those alive after one more update, when all readers are gone.
    pub left: i64,
    /// How many updates there were.
    pub updates: u64,
    /// In how many seconds.
    pub seconds: f64,
    /// How much the most memory used grew, in KiB; where the system tells.
    pub kib: Option<u64>,
    /// How many stalls there were.
    pub stalls: u32,
    /// In how many of them the writer could not publish a list.
    pub blocked: u32,
    /// The most lists in the median stall that did not block the writer.
    pub median: i64,
    /// Microseconds since the beginning, and how many lists were alive then.
    pub timeline: Packed<(u64, u64)>,
}

impl Sample {
    fn new(round: usize, subject: &str, situation: &str, outcome: Outcome) -> Self {
        let Outcome { peak, left, updates, seconds, kib, stalls, blocked, median, timeline } = outcome;
        let (subject, situation) = (subject.to_owned(), situation.to_owned());
        Self { round, subject, situation, peak, left, updates, seconds, kib, stalls, blocked, median, timeline }
    }
}

/// Measures, prints and saves.
///
/// # Errors
///
/// If a process fails, or the results cannot be saved.
pub fn run(args: &Args) -> Result<()> {
    if let Ok(part) = env::var(PART) {
        return play(&part);
    }
    let chosen: Vec<_> = (0..SUBJECTS.len()).filter(|at| args.wants(SUBJECTS[*at].0)).collect();
    if chosen.is_empty() {
        return Ok(()); // the words may be meant for another target
    }
    let (length, rounds) = (args.window_or(400), args.rounds_or(1));
    let mut machine = Machine::describe("memory", &Cores::available(), length);
    let mut record = Record::create(args.out.as_deref(), "memory")?;
    let mut progress = Progress::new(rounds * chosen.len() * SITUATIONS.len());
    let mut samples = Vec::new();
    for round in 0..rounds {
        for &subject in &chosen {
            for (at, (situation, _)) in SITUATIONS.into_iter().enumerate() {
                let name = SUBJECTS[subject].0;
                progress.begin(|| format!("{name}, {situation}"));
                let sample = Sample::new(round, name, situation, in_a_process(subject, at, length)?);
                record.sample(&sample)?;
                samples.push(sample);
                progress.advance();
            }
        }
        machine.finish(round + 1);
        record.save(&machine)?;
    }
    progress.finish();
    let names: Vec<_> = chosen.iter().map(|&subject| SUBJECTS[subject].0).collect();
    let text = table::report(&names, &samples);
    record.table(&text)?;
    print!("{text}");
    println!("Figures, machine and this text: {}", record.folder().display());
    Ok(())
}

fn in_a_process(subject: usize, situation: usize, length: Duration) -> Result<Outcome> {
    let output = Command::new(env::current_exe()?)
        .env(PART, format!("{subject} {situation} {}", length.as_millis()))
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start this binary again")?;
    ensure!(output.status.success(), "a process of {} failed: {}", SUBJECTS[subject].0, output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// In a process of one's own.
fn play(part: &str) -> Result<()> {
    let numbers = part.split(' ').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let [subject, situation, length] = numbers[..] else { anyhow::bail!("three numbers") };
    let subject = SUBJECTS[subject].1();
    let outcome = stage::measure(&*subject, SITUATIONS[situation].1, Duration::from_millis(length as u64));
    println!("{}", serde_json::to_string(&outcome)?);
    Ok(())
}
