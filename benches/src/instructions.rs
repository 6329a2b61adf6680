//! The bench target `instructions`: how many instructions a pick takes one thread, counted by valgrind's callgrind.
//!
//! Nothing is measured in time, so nothing is noisy: the count is the same whenever the same binary does the same. Each
//! contender is run twice, in processes of their own, the second time with twice as many picks; what the second has more,
//! it has because of the picks. The loop around them, and what black boxes cost, is part of it for everybody alike.

use std::env;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::adapters::{CONTENDERS, Contender, Entry, Picker, backends};
use crate::args::Args;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::record::Record;
use crate::table::{digits, empty, section};
use crate::window::Cores;

/// Which part a process of its own plays: the contender's name, and how often it picks.
const PART: &str = "SNAPRING_INSTRUCTIONS_PART";

/// Picks of the shorter run: many rounds of the list, and several leases.
const PICKS: u64 = 4_096;

/// How long the list is.
const N: usize = 16;

/// One contender, as it is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Who was counted.
    pub contender: String,
    /// How long the list was.
    pub n: usize,
    /// How many picks lie between the two counts.
    pub picks: u64,
    /// How many instructions.
    pub instructions: u64,
}

/// Counts, prints and saves. Without valgrind it says so, and does nothing.
///
/// # Errors
///
/// If a process fails, or the results cannot be saved.
pub fn run(args: &Args) -> Result<()> {
    if let Ok(part) = env::var(PART) {
        return play(&part);
    }
    let few = ["epoch", "handle"];
    let wanted = |entry: &&Entry| match args.is_quick() {
        true => few.contains(&entry.name),
        false => args.wants(entry.name) && (args.full || !entry.rival),
    };
    let chosen: Vec<_> = CONTENDERS.iter().filter(wanted).collect();
    if chosen.is_empty() {
        return Ok(()); // the words may be meant for another target
    }
    let Some(version) = valgrind() else {
        println!("Instructions are not counted: there is no valgrind here.");
        return Ok(());
    };
    let mut machine = Machine::describe("instructions", &Cores::available(), args.window());
    let mut record = Record::create(args.out.as_deref(), "instructions")?;
    let mut progress = Progress::new(chosen.len());
    let mut table = empty(&["".to_owned(), "instructions per pick".to_owned()], 1);
    for entry in chosen {
        progress.begin(|| entry.name.to_owned());
        let instructions = count(entry.name, 2 * PICKS)?.saturating_sub(count(entry.name, PICKS)?);
        record.sample(&Sample { contender: entry.name.to_owned(), n: N, picks: PICKS, instructions })?;
        table.add_row([entry.name.to_owned(), digits(instructions as f64 / PICKS as f64)]);
        progress.advance();
    }
    progress.finish();
    machine.finish(1);
    record.save(&machine)?;
    let mut text = String::new();
    section(&mut text, &format!("Instructions per pick: one thread, n = {N}, no writer"), &table);
    record.table(&text)?;
    print!("{text}");
    println!("Counted by callgrind of {version}. Figures, machine and this text: {}", record.folder().display());
    Ok(())
}

/// Its version, if it is there.
fn valgrind() -> Option<String> {
    let output = Command::new("valgrind").arg("--version").output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// All instructions of a process that picks so often.
fn count(name: &str, picks: u64) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe()?)
        .env(PART, format!("{picks} {name}"))
        .output()
        .context("cannot start valgrind")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} under valgrind failed: {}\n{said}", output.status);
    collected(&said).with_context(|| format!("valgrind did not say how many instructions there were:\n{said}"))
}

/// The number in callgrind's last words, `==1234== Collected : 567`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().rev().find_map(|line| line.split_once("Collected :"))?;
    line.1.trim().parse().ok()
}

/// In a process of one's own.
fn play(part: &str) -> Result<()> {
    let (picks, name) = part.split_once(' ').context("a number and a name")?;
    let entry = Entry::named(name).with_context(|| format!("nobody is called {name}"))?;
    (entry.repeat)(N, picks.parse()?);
    Ok(())
}

/// Picks so often from so many members.
pub fn repeat<C: Contender>(n: usize, picks: u64) {
    let contender = C::new(backends(n));
    let mut picker = contender.picker(0);
    for _ in 0..picks {
        picker.pick();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_understood() {
        assert_eq!(collected("==1== Events    : Ir\n==1== Collected : 1234\n==1==\n"), Some(1234));
        assert_eq!(collected("==1== no\n"), None);
    }
}
