//! Runs that nobody measured: what is in them is known exactly.

use std::fs;
use std::path::Path;
use std::time::Duration;

use snapring_benches::machine::Machine;
use snapring_benches::packed::Packed;
use snapring_benches::plan::{Case, Writer};
use snapring_benches::updates::CALLS;
use snapring_benches::window::Cores;
use snapring_benches::{memory, results, tails, updates};
use snapring_report::run::{SEAL, Seal};

/// What is written.
pub(crate) struct Synthetic {
    pub(crate) rounds: usize,
    /// The first windows of how many rounds were disturbed.
    pub(crate) disturbed: usize,
    /// Who is slower than it should be, and how many times.
    pub(crate) slowed: Option<(&'static str, f64)>,
    pub(crate) seed: u64,
    pub(crate) quick: bool,
    pub(crate) cores: usize,
    pub(crate) cpu: &'static str,
    pub(crate) commit: &'static str,
    pub(crate) sealed: bool,
}

impl Default for Synthetic {
    fn default() -> Self {
        Self {
            rounds: 30,
            disturbed: 0,
            slowed: None,
            seed: 1,
            quick: false,
            cores: 2,
            cpu: "Imaginary 9000",
            commit: "0123456789abcdef",
            sealed: true,
        }
    }
}

/// Nanoseconds per pick with one thread; with more, proportionally more.
const NS: [(&str, f64); 13] = [
    ("mutex", 20.0),
    ("rwlock", 25.0),
    ("epoch", 22.0),
    ("plain epoch", 22.0),
    ("arc-swap", 30.0),
    ("plain arc-swap", 29.0),
    ("handle registry", 24.0),
    ("handle", 8.0),
    ("leased 256", 1.0),
    ("arc-swap + counter", 16.0),
    ("floor clone", 10.0),
    ("floor shared ticket", 6.0),
    ("floor borrow", 0.7),
];

impl Synthetic {
    /// Writes the run into this folder.
    pub(crate) fn write(&self, folder: &Path) {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut noisy = |who: &str, value: f64| {
            let slowed = self.slowed.filter(|(slow, _)| *slow == who).map_or(1.0, |(_, factor)| factor);
            value * slowed * (1.0 + 0.04 * (random.f64() - 0.5))
        };
        let (mut next, mut tail, mut update, mut list) = (vec![], vec![], vec![], vec![]);
        for round in 0..self.rounds {
            let drift = 1.0 + round as f64 / 10.0; // the machine gets slower and slower
            for (who, ns) in NS {
                for (threads, writer) in [1, 2, 4]
                    .into_iter()
                    .flat_map(|threads| [Writer::None, Writer::Flat].map(|writer| (threads, writer)))
                {
                    if who.starts_with("floor") && writer != Writer::None {
                        continue;
                    }
                    let case = Case { n: 16, writer, threads };
                    let ns = noisy(who, ns * drift * threads as f64);
                    next.push(self.window(round, who, case, ns));
                }
            }
            for (who, ns) in [("nothing", 20), ("leased 256", 25), ("mutex", 80), ("epoch", 60)] {
                let ns = noisy(who, f64::from(ns) * drift) as u64;
                let times = Packed(vec![(ns, 99_980), (10 * ns, 15), (1_000 * ns, 5)]);
                tail.push(tails::Sample { round, contender: who.into(), n: 4_096, preempted: false, times });
            }
            for (who, ns) in [("mutex", 200.0), ("epoch", 900.0), ("handle registry", 700.0)] {
                for (n, call) in [16, 4_096].into_iter().flat_map(|n| CALLS.map(|call| (n, call))) {
                    let once = noisy(who, ns * drift * n as f64 / 16.0) as u64;
                    let ns = Packed(vec![once, once + 1, once + 2]);
                    update.push(updates::Sample { round, registry: who.into(), n, call: call.into(), ns });
                }
            }
            for (who, peak) in [("mutex", 0), ("epoch", 3_000), ("leased 256", 4)] {
                for situation in ["busy readers", "a reader stalled anywhere in its loop"] {
                    list.push(process(round, who, situation, noisy(who, f64::from(peak)).round() as i64));
                }
            }
        }
        self.save(folder, "next", &next);
        self.save(folder, "tails", &tail);
        self.save(folder, "updates", &update);
        self.save(folder, "memory", &list);
        if self.sealed {
            let (started, finished) = ("2030-01-02T03:04:05Z".to_owned(), "2030-01-02T03:14:05Z".to_owned());
            let seal = Seal { command: "cargo record".into(), quick: self.quick, started, finished };
            fs::write(folder.join(SEAL), serde_json::to_string_pretty(&seal).unwrap()).unwrap();
        }
    }

    fn window(&self, round: usize, who: &str, case: Case, ns: f64) -> results::Sample {
        let preempted = round < self.disturbed;
        results::Sample {
            at_s: round as f64,
            round,
            contender: who.into(),
            n: case.n,
            writer: case.writer,
            threads: case.threads,
            oversubscribed: case.oversubscribed(self.cores),
            ns_per_pick: if preempted { 3.0 * ns } else { ns },
            picks: 1_000_000,
            off_cpu: Some(if preempted { 0.5 } else { 0.0 }),
            preempted: Some(preempted),
            updates: None,
            updates_per_s: None,
        }
    }

    fn save(&self, folder: &Path, target: &str, samples: &[impl serde::Serialize]) {
        let folder = folder.join(target);
        fs::create_dir_all(&folder).unwrap();
        let mut writer = csv::Writer::from_path(folder.join("samples.csv")).unwrap();
        for sample in samples {
            writer.serialize(sample).unwrap();
        }
        writer.flush().unwrap();
        fs::write(folder.join("machine.json"), serde_json::to_string_pretty(&self.machine(target)).unwrap()).unwrap();
    }

    fn machine(&self, target: &str) -> Machine {
        let mut machine = Machine::describe(target, &Cores::available(), Duration::from_millis(25));
        machine.finish(self.rounds);
        machine.started = "2030-01-02T03:04:05Z".into();
        machine.cpu = Some(self.cpu.into());
        machine.cores = self.cores;
        machine.commit = Some(self.commit.into());
        machine.dirty = Some(false);
        machine.build.insert("target".into(), "x86_64-unknown-linux-gnu".into());
        machine
    }
}

fn process(round: usize, who: &str, situation: &str, peak: i64) -> memory::Sample {
    memory::Sample {
        round,
        subject: who.into(),
        situation: situation.into(),
        peak,
        left: 1,
        updates: 1_000,
        seconds: 0.4,
        kib: Some(100),
        stalls: 24,
        blocked: if peak == 0 { 24 } else { 0 },
        median: peak,
        timeline: Packed((1..100).map(|at| (at * 4_000, (peak as u64 * at / 100).max(1))).collect()),
    }
}
