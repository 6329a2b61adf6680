//! A writer, some readers, and somebody who looks how many lists are alive: what happens in one process.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use snapring::Registry;

use super::Outcome;
use super::situations::Situation;
use super::subjects::{Counted, Subject, live};
use crate::stall::Stoppable;
use crate::window::Cores;

/// How often a reader is stalled in a process.
const STALLS: u32 = 24;

/// A writer that has published nothing for this long is blocked, and not only without a core.
const PATIENCE: Duration = Duration::from_millis(100);

/// How often somebody looks how many lists are alive. Seldom: looking takes a core away from the others.
const LOOK: Duration = Duration::from_millis(4);

/// Brings one subject into one situation.
pub(super) fn measure(subject: &dyn Subject, situation: Situation, length: Duration) -> Outcome {
    let cores = Cores::available();
    let registry = subject.registry();
    registry.replace_all(Counted::first_list());
    let before = peak_kib();
    let stage = Stage::new();
    let mut outcome = thread::scope(|scope| {
        let readers = situation.readers(cores.count());
        let (tell, told) = mpsc::channel();
        for seat in 0..readers {
            let (stage, cores, tell) = (&stage, &cores, tell.clone());
            scope.spawn(move || {
                if situation != Situation::Crowd {
                    cores.pin(seat + 1);
                }
                stage.read(subject, situation, || tell.send(Stoppable::this_thread()).expect("somebody waits for it"));
            });
        }
        let threads: Vec<_> = (0..readers).map(|_| told.recv().expect("every reader starts")).collect();
        let writer = scope.spawn(|| {
            if situation != Situation::Crowd {
                cores.pin(0);
            }
            stage.write(registry)
        });
        let mut timeline = Vec::new();
        let mut outcome = match (situation, &threads[0]) {
            (Situation::Stalled, Some(reader)) => stage.stall(reader, length / STALLS, &mut timeline),
            (Situation::Stalled, None) => Outcome::default(),
            _ => {
                stage.look_on(length, &mut timeline);
                Outcome { peak: stage.peak.load(Ordering::Relaxed), ..Outcome::default() }
            }
        };
        outcome.timeline.0 = timeline;
        stage.over.store(true, Ordering::Relaxed);
        (outcome.updates, outcome.seconds) = writer.join().expect("a writer does not panic");
        outcome
    });
    outcome.kib = peak_kib().zip(before).map(|(after, before)| after - before);
    registry.register(Counted::fresh(u64::MAX));
    outcome.left = live();
    outcome
}

/// What the threads of a process share.
struct Stage {
    start: Instant,
    over: AtomicBool,
    updates: AtomicU64,
    peak: AtomicI64,
}

impl Stage {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            over: AtomicBool::new(false),
            updates: AtomicU64::new(0),
            peak: AtomicI64::new(0),
        }
    }

    fn read(&self, subject: &dyn Subject, situation: Situation, is_ready: impl FnOnce()) {
        let snapshot = (situation == Situation::Snapshot).then(|| subject.registry().snapshot());
        let mut pick = subject.reader();
        pick();
        is_ready();
        while !self.over.load(Ordering::Relaxed) {
            match situation {
                Situation::Idle => thread::sleep(Duration::from_millis(20)), // not a pick until it is over
                _ => pick(),
            }
        }
        drop(snapshot);
    }

    fn write(&self, registry: &dyn Registry<Counted>) -> (u64, f64) {
        let start = Instant::now();
        while !self.over.load(Ordering::Relaxed) {
            let revision = self.updates.fetch_add(1, Ordering::Relaxed) + 1;
            registry.register(Counted::fresh(revision));
            self.peak.fetch_max(live(), Ordering::Relaxed);
        }
        (self.updates.load(Ordering::Relaxed), start.elapsed().as_secs_f64())
    }

    /// Notes now and then, in microseconds, how many lists are alive.
    fn look_on(&self, length: Duration, timeline: &mut Vec<(u64, u64)>) {
        let start = Instant::now();
        while let Some(left) = length.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
            thread::sleep(left.min(LOOK));
            timeline.push((self.start.elapsed().as_micros() as u64, live().max(0) as u64));
        }
    }

    /// Stops a reader again and again, at moments that are not in step with anything.
    fn stall(&self, reader: &Stoppable, length: Duration, timeline: &mut Vec<(u64, u64)>) -> Outcome {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut peaks, mut blocked, mut stalls) = (Vec::new(), 0, 0);
        for _ in 0..STALLS {
            self.look_on(Duration::from_micros(random.u64(1_000..2_000)), timeline);
            if !reader.stop() {
                break;
            }
            thread::sleep(Duration::from_micros(100)); // an update that was under way may end
            self.peak.store(0, Ordering::Relaxed);
            let before = self.updates.load(Ordering::Relaxed);
            self.look_on(length, timeline);
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
