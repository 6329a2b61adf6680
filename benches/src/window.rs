//! One measurement: a fresh contender, some threads that pick, perhaps one that writes, for a short while.
//!
//! Picks are counted only while *all* threads are picking. Threads do not start at once, even behind a barrier, and do
//! not stop at once, least of all when there are more of them than cores; a thread that is alone for a moment is faster
//! and would flatter the result. So each thread picks uncounted until the last has arrived, and goes on uncounted
//! until the last has counted.
//!
//! The contender is built anew for each window, so that the luck of where its memory lies is drawn anew, too.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use core_affinity::CoreId;

use crate::adapters::{Contender, Picker, backends};
use crate::clock::{Lapse, Stopwatch};
use crate::plan::{Case, Writer};
use crate::writer::{self, Written};

/// Picks between two looks at the stop flag.
const BATCH: u64 = 128;

/// What a window yielded.
#[derive(Clone, Debug)]
pub struct Window {
    /// For each picking thread, how often it picked and in what time.
    pub threads: Vec<(u64, Lapse)>,
    /// What the writer did.
    pub written: Option<Written>,
}

impl Window {
    /// All counted picks.
    pub fn picks(&self) -> u64 {
        self.threads.iter().map(|(picks, _)| picks).sum()
    }

    /// The threads' counted time, added up.
    pub fn wall(&self) -> Duration {
        self.threads.iter().map(|(_, lapse)| lapse.wall).sum()
    }

    /// The threads' time on a processor, added up.
    pub fn cpu(&self) -> Option<Duration> {
        self.threads.iter().map(|(_, lapse)| lapse.cpu).sum()
    }

    /// Wall time × threads ÷ picks, in nanoseconds: how long one call took the thread that made it, on average, with
    /// everything that happened to the thread meanwhile. *Not* the time between two picks of the whole process.
    pub fn ns_per_pick(&self) -> f64 {
        self.wall().as_nanos() as f64 / self.picks() as f64
    }

    /// The share of the time that the most hindered thread was off the processor.
    pub fn off_cpu(&self) -> Option<f64> {
        self.threads.iter().filter_map(|(_, lapse)| lapse.off_cpu()).reduce(f64::max)
    }
}

/// The cores that threads are pinned to.
#[derive(Clone, Debug)]
pub struct Cores {
    ids: Vec<CoreId>,
    count: usize,
}

impl Cores {
    /// Those that this process may use. To be called before anybody is pinned.
    pub fn available() -> Self {
        let count = thread::available_parallelism().map_or(1, usize::from);
        Self { ids: core_affinity::get_core_ids().unwrap_or_default(), count }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Pins the calling thread, the seats to the cores in turn. False if the system does not let us.
    pub fn pin(&self, seat: usize) -> bool {
        !self.ids.is_empty() && core_affinity::set_for_current(self.ids[seat % self.ids.len()])
    }
}

/// On lines of memory of its own: processors fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub struct Padded<V>(pub V);

/// What the threads of a window tell each other: barrier, beginning, end.
#[derive(Debug)]
pub(crate) struct Phases {
    gate: Barrier,
    parties: usize,
    arrived: Padded<AtomicUsize>,
    over: Padded<AtomicBool>,
    finished: Padded<AtomicUsize>,
}

impl Phases {
    /// For so many threads and the one that keeps the time.
    pub(crate) fn new(parties: usize) -> Self {
        Self {
            gate: Barrier::new(parties + 1),
            parties,
            arrived: Padded(AtomicUsize::new(0)),
            over: Padded(AtomicBool::new(false)),
            finished: Padded(AtomicUsize::new(0)),
        }
    }

    pub(crate) fn enter(&self) {
        self.gate.wait();
        self.arrived.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn all_are_here(&self) -> bool {
        self.arrived.0.load(Ordering::Relaxed) == self.parties
    }

    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.over.0.load(Ordering::Relaxed)
    }

    pub(crate) fn finish(&self) {
        self.finished.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn all_have_finished(&self) -> bool {
        self.finished.0.load(Ordering::Relaxed) == self.parties
    }

    pub(crate) fn keep_time(&self, length: Duration) {
        self.gate.wait();
        while !self.all_are_here() {
            thread::sleep(Duration::from_micros(50));
        }
        thread::sleep(length);
        self.over.0.store(true, Ordering::Relaxed);
    }
}

/// Measures one window of this length.
pub fn measure<C: Contender>(case: &Case, length: Duration, cores: &Cores) -> Window {
    let contender = C::new(backends(case.n));
    let pace = match case.writer {
        Writer::None => None,
        Writer::Paced(rate) => Some(Some(rate)),
        Writer::Flat => Some(None),
    };
    let phases = Phases::new(case.threads + usize::from(pace.is_some()));
    let window = thread::scope(|scope| {
        let (contender, phases) = (&contender, &phases);
        let pickers: Vec<_> = (0..case.threads)
            .map(|seat| {
                scope.spawn(move || {
                    cores.pin(seat);
                    pick(contender.picker(seat), case.n, phases)
                })
            })
            .collect();
        let writer = pace.map(|rate| {
            scope.spawn(move || {
                cores.pin(case.threads);
                writer::write(contender, rate, phases)
            })
        });
        phases.keep_time(length);
        let threads = pickers.into_iter().map(|thread| thread.join().expect("a picker does not panic")).collect();
        let written = writer.map(|thread| thread.join().expect("a writer does not panic"));
        Window { threads, written }
    });
    drop(contender);
    C::rest();
    window
}

fn pick<P: Picker>(picker: P, n: usize, phases: &Phases) -> (u64, Lapse) {
    let mut seat = Padded(picker);
    for _ in 0..n as u64 / BATCH + 4 {
        batch(&mut seat.0); // whatever the first calls of a thread set up, and the members into the cache
    }
    phases.enter();
    while !phases.all_are_here() {
        batch(&mut seat.0);
    }
    let mut picks = 0;
    let watch = Stopwatch::start();
    while !phases.is_over() {
        batch(&mut seat.0);
        picks += BATCH;
    }
    let lapse = watch.lapse();
    phases.finish();
    while !phases.all_have_finished() {
        batch(&mut seat.0);
    }
    (picks, lapse)
}

/// Not inlined: one piece of code for each contender, wherever it is called from, and easy to find in a profile.
#[inline(never)]
fn batch(picker: &mut impl Picker) {
    for _ in 0..BATCH {
        picker.pick();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::CONTENDERS;

    #[test]
    fn every_contender_can_be_measured() {
        for entry in CONTENDERS {
            let writer = if entry.changes { Writer::Flat } else { Writer::None };
            let case = Case { n: 3, writer, threads: 2 };
            let window = (entry.measure)(&case, Duration::from_millis(5), &Cores::available());
            assert_eq!(window.threads.len(), 2);
            assert!(window.threads.iter().all(|(_, lapse)| !lapse.wall.is_zero()));
            assert!(window.picks() > 0 && window.ns_per_pick() > 0.0, "{}", entry.name);
            assert_eq!(window.written.is_some(), entry.changes);
        }
    }

    #[test]
    fn a_pick_costs_the_threads_time_not_the_process_time() {
        let lapse = Lapse { wall: Duration::from_nanos(1000), cpu: Some(Duration::from_nanos(500)) };
        let window = Window { threads: vec![(100, lapse), (100, lapse)], written: None };
        assert_eq!(window.ns_per_pick(), 10.0, "each thread needs 10 ns, though the process picks every 5 ns");
        assert_eq!(window.off_cpu(), Some(0.5));
    }
}
