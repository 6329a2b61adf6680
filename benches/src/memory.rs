//! The bench target `memory`: how many lists are alive at once while a flat-out writer replaces them.
//!
//! Every update replaces one member, in place, by a fresh one that is counted when it is made and when it is dropped.
//! Each list has exactly one fresh member and no two lists have the same, so live fresh members are live lists (a pick in
//! somebody's hand may count as one more). Nothing has to be built into the registries for that.
//!
//! Each implementation in each situation is a process of its own: this binary starts itself. So nobody's garbage is
//! counted, or cleared away, by somebody else, and the system's figure for the most memory used is that of one of them.

use std::env;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use snapring::{ArcSwapRegistry, EpochRegistry, HandleRegistry, Member, MutexRegistry, Registry, RwLockRegistry};

use crate::args::Args;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::record::Record;
use crate::stall::Stoppable;
use crate::table::{empty, section};
use crate::window::Cores;

/// Which part a process of its own plays: subject and situation by number, and milliseconds.
const PART: &str = "SNAPRING_MEMORY_PART";

type Make = fn() -> Box<dyn Subject>;

const SUBJECTS: &[(&str, Make)] = &[
    ("mutex", || Box::new(Shared(MutexRegistry::<Counted>::new()))),
    ("rwlock", || Box::new(Shared(RwLockRegistry::<Counted>::new()))),
    ("epoch", || Box::new(Shared(EpochRegistry::<Counted>::new()))),
    ("arc-swap", || Box::new(Shared(ArcSwapRegistry::<Counted>::new()))),
    ("handle registry", || Box::new(Shared(HandleRegistry::<Counted>::new()))),
    ("handle", || Box::new(Exact(HandleRegistry::new()))),
    ("leased 256", || Box::new(Leased(HandleRegistry::new()))),
];

/// What readers do meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Situation {
    /// Pick all the time, on the cores that the writer leaves.
    Busy,
    /// As many again as there are cores: each is preempted now and then, inside a pick, too.
    Crowd,
    /// One picks once and then does something else, with its handle if it has one.
    Idle,
    /// One holds the first snapshot.
    Snapshot,
    /// One is stopped wherever it is, again and again; most of the time that is inside `next`.
    Stalled,
}

const SITUATIONS: [(&str, Situation); 5] = [
    ("busy readers", Situation::Busy),
    ("twice as many readers as cores", Situation::Crowd),
    ("a reader idle between picks", Situation::Idle),
    ("a held snapshot", Situation::Snapshot),
    ("a reader stalled anywhere in its loop", Situation::Stalled),
];

/// Members that stay.
const N: u32 = 256;

/// How often a reader is stalled in a process.
const STALLS: u32 = 24;

/// A writer that has published nothing for this long is blocked, and not only without a core.
const PATIENCE: Duration = Duration::from_millis(100);

/// What a process reports.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Outcome {
    /// The most lists that were alive after an update.
    peak: i64,
    /// Those alive after one more update, when all readers are gone.
    left: i64,
    updates: u64,
    seconds: f64,
    /// How much the most memory used grew, in KiB; where the system tells.
    kib: Option<u64>,
    /// How many stalls there were.
    stalls: u32,
    /// In how many of them the writer could not publish a list.
    blocked: u32,
    /// The most lists in the median stall that did not block the writer.
    median: i64,
}

/// An outcome, as it is saved.
#[derive(Debug, Serialize)]
struct Sample {
    round: usize,
    subject: &'static str,
    situation: &'static str,
    peak: i64,
    left: i64,
    updates: u64,
    seconds: f64,
    kib: Option<u64>,
    stalls: u32,
    blocked: u32,
    median: i64,
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
    let mut outcomes = vec![vec![Vec::new(); SITUATIONS.len()]; SUBJECTS.len()];
    for round in 0..rounds {
        for &subject in &chosen {
            for (at, (situation, _)) in SITUATIONS.into_iter().enumerate() {
                let name = SUBJECTS[subject].0;
                progress.begin(|| format!("{name}, {situation}"));
                let outcome = in_a_process(subject, at, length)?;
                let Outcome { peak, left, updates, seconds, kib, stalls, blocked, median } = outcome;
                record.sample(&Sample {
                    round,
                    subject: name,
                    situation,
                    peak,
                    left,
                    updates,
                    seconds,
                    kib,
                    stalls,
                    blocked,
                    median,
                })?;
                outcomes[subject][at].push(outcome);
                progress.advance();
            }
        }
        machine.finish(round + 1);
        record.save(&machine)?;
    }
    progress.finish();
    let text = report(&chosen, &outcomes);
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

fn report(chosen: &[usize], outcomes: &[Vec<Vec<Outcome>>]) -> String {
    let mut text = String::new();
    for (at, (title, situation)) in SITUATIONS.into_iter().enumerate() {
        let stalled = situation == Situation::Stalled;
        let mut header = vec!["", "live lists at most", "left at the end", "growth in KiB", "updates/s"];
        if stalled {
            header.extend(["most in the median stall", "stalls", "of these, writer blocked"]);
        }
        let mut table = empty(&header, 1);
        for &subject in chosen {
            let rounds = &outcomes[subject][at];
            let most = |of: fn(&Outcome) -> i64| rounds.iter().map(of).max().unwrap_or(0);
            let sum = |of: fn(&Outcome) -> f64| rounds.iter().map(of).sum::<f64>();
            let mut row = vec![
                SUBJECTS[subject].0.to_owned(),
                most(|outcome| outcome.peak).to_string(),
                most(|outcome| outcome.left).to_string(),
                rounds.iter().filter_map(|outcome| outcome.kib).max().map_or_else(String::new, |kib| kib.to_string()),
                format!("{:.0}", sum(|outcome| outcome.updates as f64) / sum(|outcome| outcome.seconds)),
            ];
            if stalled {
                let stalls = sum(|outcome| f64::from(outcome.stalls));
                if stalls == 0.0 {
                    row.splice(1.., vec![String::from("not stallable from outside"); 1]);
                } else {
                    let blocked = sum(|outcome| f64::from(outcome.blocked));
                    row.extend([most(|outcome| outcome.median).to_string(), stalls.to_string(), blocked.to_string()]);
                }
            }
            table.add_row(row);
        }
        section(&mut text, &format!("Lists alive under a flat-out writer, n = {N}: {title}"), &table);
    }
    text
}

/// In a process of one's own.
fn play(part: &str) -> Result<()> {
    let numbers = part.split(' ').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let [subject, situation, length] = numbers[..] else { anyhow::bail!("three numbers") };
    let subject = SUBJECTS[subject].1();
    let outcome = measure(&*subject, SITUATIONS[situation].1, Duration::from_millis(length as u64));
    println!("{}", serde_json::to_string(&outcome)?);
    Ok(())
}

fn measure(subject: &dyn Subject, situation: Situation, length: Duration) -> Outcome {
    let cores = Cores::available();
    let registry = subject.registry();
    let first = Counted::fresh(0);
    registry.replace_all((0..N).map(Counted::that_stays).chain([first]).collect());
    let before = peak_kib();
    let stage = Stage::default();
    let mut outcome = thread::scope(|scope| {
        let readers = match situation {
            Situation::Busy => (cores.count() - 1).max(1),
            Situation::Crowd => 2 * cores.count(),
            Situation::Idle | Situation::Snapshot | Situation::Stalled => 1,
        };
        let (tell, told) = mpsc::channel();
        for seat in 0..readers {
            let (stage, cores, tell) = (&stage, &cores, tell.clone());
            scope.spawn(move || {
                if situation != Situation::Crowd {
                    cores.pin(seat + 1);
                }
                let snapshot = (situation == Situation::Snapshot).then(|| subject.registry().snapshot());
                let mut pick = subject.reader();
                pick();
                tell.send(Stoppable::this_thread()).expect("somebody waits for it");
                while !stage.over.load(Ordering::Relaxed) {
                    match situation {
                        Situation::Idle => thread::sleep(Duration::from_millis(20)), // not a pick until it is over
                        _ => pick(),
                    }
                }
                drop(snapshot);
            });
        }
        let threads: Vec<_> = (0..readers).map(|_| told.recv().expect("every reader starts")).collect();
        let writer = scope.spawn(|| {
            if situation != Situation::Crowd {
                cores.pin(0);
            }
            stage.write(registry)
        });
        let mut outcome = match (situation, &threads[0]) {
            (Situation::Stalled, Some(reader)) => stage.stall(reader, length / STALLS),
            (Situation::Stalled, None) => Outcome::default(),
            _ => {
                thread::sleep(length);
                Outcome { peak: stage.peak.load(Ordering::Relaxed), ..Outcome::default() }
            }
        };
        stage.over.store(true, Ordering::Relaxed);
        (outcome.updates, outcome.seconds) = writer.join().expect("a writer does not panic");
        outcome
    });
    outcome.kib = peak_kib().zip(before).map(|(after, before)| after - before);
    registry.register(Counted::fresh(u64::MAX));
    outcome.left = LIVE.load(Ordering::Relaxed);
    outcome
}

/// What the threads of a process share.
#[derive(Default)]
struct Stage {
    over: AtomicBool,
    updates: AtomicU64,
    peak: AtomicI64,
}

impl Stage {
    fn write(&self, registry: &dyn Registry<Counted>) -> (u64, f64) {
        let start = Instant::now();
        while !self.over.load(Ordering::Relaxed) {
            let revision = self.updates.fetch_add(1, Ordering::Relaxed) + 1;
            registry.register(Counted::fresh(revision));
            self.peak.fetch_max(LIVE.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        (self.updates.load(Ordering::Relaxed), start.elapsed().as_secs_f64())
    }

    /// Stops a reader again and again, at moments that are not in step with anything.
    fn stall(&self, reader: &Stoppable, length: Duration) -> Outcome {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut peaks, mut blocked, mut stalls) = (Vec::new(), 0, 0);
        for _ in 0..STALLS {
            thread::sleep(Duration::from_micros(random.u64(1_000..2_000)));
            if !reader.stop() {
                break;
            }
            thread::sleep(Duration::from_micros(100)); // an update that was under way may end
            self.peak.store(0, Ordering::Relaxed);
            let before = self.updates.load(Ordering::Relaxed);
            thread::sleep(length);
            stalls += 1;
            // It counts before it publishes: one more may be waiting. Or it has had no core yet, so it has some time.
            let is_blocked = || self.updates.load(Ordering::Relaxed) <= before + 1;
            let patience = Instant::now();
            while is_blocked() && patience.elapsed() < PATIENCE {
                thread::sleep(Duration::from_millis(1));
            }
            if is_blocked() {
                blocked += 1;
            } else {
                peaks.push(self.peak.load(Ordering::Relaxed));
            }
            reader.release();
        }
        peaks.sort_unstable();
        let median = peaks.get(peaks.len() / 2).copied().unwrap_or(0);
        Outcome { peak: peaks.last().copied().unwrap_or(0), median, stalls, blocked, ..Outcome::default() }
    }
}

/// The most memory that this process has used so far.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

/// Fresh members that are alive.
static LIVE: AtomicI64 = AtomicI64::new(0);

/// A member that stays, or a fresh one.
#[derive(Debug, PartialEq)]
struct Counted {
    id: u32,
    revision: Option<u64>,
}

impl Counted {
    fn that_stays(id: u32) -> Self {
        Self { id, revision: None }
    }

    fn fresh(revision: u64) -> Self {
        LIVE.fetch_add(1, Ordering::Relaxed);
        Self { id: N, revision: Some(revision) }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if self.revision.is_some() {
            LIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Member for Counted {
    type Id = u32;

    fn id(&self) -> &u32 {
        &self.id
    }
}

/// A registry, and how a thread picks from it.
trait Subject: Sync {
    fn registry(&self) -> &dyn Registry<Counted>;

    /// Made on the thread that picks.
    fn reader(&self) -> Box<dyn FnMut() + '_>;
}

struct Shared<R>(R);

impl<R: Registry<Counted>> Subject for Shared<R> {
    fn registry(&self) -> &dyn Registry<Counted> {
        &self.0
    }

    fn reader(&self) -> Box<dyn FnMut() + '_> {
        Box::new(|| {
            self.0.next().ok();
        })
    }
}

struct Exact(HandleRegistry<Counted>);

impl Subject for Exact {
    fn registry(&self) -> &dyn Registry<Counted> {
        &self.0
    }

    fn reader(&self) -> Box<dyn FnMut() + '_> {
        let mut handle = self.0.handle();
        Box::new(move || {
            handle.next().ok();
        })
    }
}

struct Leased(HandleRegistry<Counted>);

impl Subject for Leased {
    fn registry(&self) -> &dyn Registry<Counted> {
        &self.0
    }

    fn reader(&self) -> Box<dyn FnMut() + '_> {
        let mut handle = self.0.leased(256);
        Box::new(move || {
            handle.next().ok();
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_lists_are_counted_exactly() {
        let registry = MutexRegistry::<Counted>::new();
        registry.replace_all((0..N).map(Counted::that_stays).chain([Counted::fresh(0)]).collect());
        assert_eq!(LIVE.load(Ordering::Relaxed), 1);
        let held: Vec<_> = (1..4)
            .map(|revision| {
                let snapshot = registry.snapshot();
                registry.register(Counted::fresh(revision));
                snapshot
            })
            .collect();
        assert_eq!(LIVE.load(Ordering::Relaxed), 4, "three held, and the one that is registered");
        drop(held);
        assert_eq!(LIVE.load(Ordering::Relaxed), 1);
    }
}
