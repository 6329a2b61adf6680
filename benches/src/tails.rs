//! The bench target `tails`: how slow the slowest picks are while the list changes.
//!
//! A mean hides them. So every single pick is timed with the processor's time stamp counter, on one core, while a writer
//! changes the list from another, at a pace that services know. Two questions need two kinds of percentile:
//!
//! - *by pick*: of 100,000 picks, how long does the slowest take? That is what a request notices.
//! - *by time*: of all the time spent in picks, what share went into picks longer than that? If a registry stops for a
//!   second, that is one pick, and no percentile by pick shows it.
//!
//! **Preemption** is told apart: whenever something took long, the thread compares its processor time with the time that
//! passed. If it was not running for half of it, the pick is counted under *preempted*. Interrupts, and a hypervisor that
//! does not say what it takes, remain: the line *nothing*, where a pick does nothing, shows how much that is here.

mod nothing;

use std::thread;
use std::time::Duration;

use anyhow::Result;
use hdrhistogram::Histogram;
use quanta::Clock;
use serde::{Deserialize, Serialize};
use snapring::{ArcSwapRegistry, Backend, EpochRegistry, MutexRegistry};

use crate::adapters::{Contender, Epoch, Picker, Shared, backends};
use crate::args::Args;
use crate::clock::Stopwatch;
use crate::handles::{Exact, Leased};
use crate::machine::Machine;
use crate::packed::Packed;
use crate::progress::Progress;
use crate::record::Record;
use crate::rivals::ArcSwapAndCounter;
use crate::table::{digits, empty, section};
use crate::window::{Cores, Padded, Phases};
use crate::writer;
use nothing::Nothing;

type Measure = fn(n: usize, length: Duration, cores: &Cores) -> Tail;

const CONTENDERS: &[(&str, Measure)] = &[
    ("nothing", measure::<Nothing>),
    ("leased 256", measure::<Leased<256>>),
    ("handle", measure::<Exact>),
    ("arc-swap + counter", measure::<ArcSwapAndCounter>),
    ("epoch", measure::<Epoch<EpochRegistry<Backend>>>),
    ("arc-swap", measure::<Shared<ArcSwapRegistry<Backend>>>),
    ("mutex", measure::<Shared<MutexRegistry<Backend>>>),
];

/// Updates a second.
pub const PACE: u32 = 10_000;

const SHARES: [(&str, f64); 6] =
    [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("p99.999", 0.99999), ("max", 1.0)];

/// What takes longer than this is looked at: was the thread running?
const SLOW: Duration = Duration::from_nanos(500);

/// The distribution of the times of picks, in nanoseconds.
#[derive(Debug)]
struct Tail {
    running: Histogram<u64>,
    preempted: Histogram<u64>,
    updates_per_s: f64,
}

/// The picks of a round, as they are saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Which round it belongs to.
    pub round: usize,
    /// Whose picks they were.
    pub contender: String,
    /// How many members.
    pub n: usize,
    /// Whether the thread was preempted in these picks.
    pub preempted: bool,
    /// Nanoseconds, and how many picks took so long.
    pub times: Packed<(u64, u64)>,
}

/// Measures, prints and saves.
///
/// # Errors
///
/// If the results cannot be saved.
pub fn run(args: &Args) -> Result<()> {
    let chosen: Vec<_> = CONTENDERS.iter().filter(|(name, _)| args.wants(name)).collect();
    if chosen.is_empty() {
        return Ok(()); // the words may be meant for another target
    }
    let (cores, sizes, rounds) = (Cores::available(), args.sizes_or(&[4_096]), args.rounds_or(4));
    let mut machine = Machine::describe("tails", &cores, args.window_or(400));
    let mut record = Record::create(args.out.as_deref(), "tails")?;
    let mut progress = Progress::new(rounds * sizes.len() * chosen.len());
    let mut text = String::new();
    for &n in &sizes {
        let mut tails: Vec<(&str, Vec<Tail>)> = chosen.iter().map(|(name, _)| (*name, Vec::new())).collect();
        for round in 0..rounds {
            for ((name, measure), (_, tails)) in chosen.iter().zip(&mut tails) {
                progress.begin(|| format!("{name}, n = {n}"));
                let tail = measure(n, args.window_or(400), &cores);
                for (preempted, times) in [(false, &tail.running), (true, &tail.preempted)] {
                    let buckets = times.iter_recorded().map(|at| (at.value_iterated_to(), at.count_at_value()));
                    let (contender, times) = (name.to_string(), Packed(buckets.collect()));
                    record.sample(&Sample { round, contender, n, preempted, times })?;
                }
                tails.push(tail);
                progress.advance();
            }
            machine.finish(round + 1);
            record.save(&machine)?;
        }
        text += &report(n, tails);
    }
    progress.finish();
    text += "\
Nanoseconds, two looks at the clock included: subtract `nothing`, where a pick does nothing and the list changes all the\n\
same. What `nothing` shows beyond that are interrupts and the hypervisor. By pick: of so many picks. By time: of the time\n\
spent in picks, so p99 = 1000 says that picks longer than 1000 ns took 1 % of it. Preempted: the thread was not running.\n";
    record.table(&text)?;
    print!("{text}");
    println!("Distributions, machine and this text: {}", record.folder().display());
    Ok(())
}

fn report(n: usize, tails: Vec<(&str, Vec<Tail>)>) -> String {
    let header = |last: &[&'static str]| [&[""], &SHARES.map(|(name, _)| name)[..], last].concat();
    let mut by_pick = empty(&header(&["picks", "preempted", "max then", "updates/s"]), 1);
    let mut by_time = empty(&header(&[]), 1);
    for (name, tails) in tails {
        let (mut running, mut preempted) = (empty_histogram(), empty_histogram());
        for tail in &tails {
            running.add(&tail.running).expect("both resize themselves");
            preempted.add(&tail.preempted).expect("both resize themselves");
        }
        let rate = tails.iter().map(|tail| tail.updates_per_s).sum::<f64>() / tails.len() as f64;
        let row = |quantile: fn(&Histogram<u64>, f64) -> u64| {
            let cells = SHARES.map(|(_, share)| digits(quantile(&running, share) as f64));
            [vec![name.to_owned()], cells.to_vec()].concat()
        };
        by_time.add_row(row(quantile_by_time));
        let mut cells = row(Histogram::value_at_quantile);
        cells.extend([
            format!("{:.1} M", running.len() as f64 / 1e6),
            preempted.len().to_string(),
            if preempted.is_empty() { String::new() } else { digits(preempted.max() as f64) },
            format!("{rate:.0}"),
        ]);
        by_pick.add_row(cells);
    }
    let mut text = String::new();
    section(&mut text, &format!("Time of a pick by time, n = {n}, outside preemption"), &by_time);
    section(&mut text, &format!("Time of a pick by pick, n = {n}, outside preemption"), &by_pick);
    text
}

/// The shortest time such that picks of at most this time make up that share of all time.
fn quantile_by_time(times: &Histogram<u64>, share: f64) -> u64 {
    let time = |bucket: (u64, u64)| bucket.0 as f64 * bucket.1 as f64;
    let buckets = || times.iter_recorded().map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()));
    let total: f64 = buckets().map(time).sum();
    let mut sum = 0.0;
    let reached = buckets().find(|&bucket| {
        sum += time(bucket);
        sum >= total * share
    });
    reached.map_or(times.max(), |(ns, _)| ns)
}

fn empty_histogram() -> Histogram<u64> {
    Histogram::new(2).expect("two digits are allowed")
}

fn measure<C: Contender>(n: usize, length: Duration, cores: &Cores) -> Tail {
    let contender = C::new(backends(n));
    let phases = Phases::new(2);
    let tail = thread::scope(|scope| {
        let (contender, phases) = (&contender, &phases);
        let reader = scope.spawn(move || {
            cores.pin(0);
            watch(contender.picker(0), n, phases)
        });
        let writer = scope.spawn(move || {
            cores.pin(1);
            writer::write(contender, Some(PACE), phases)
        });
        phases.keep_time(length);
        let (running, preempted) = reader.join().expect("a picker does not panic");
        let written = writer.join().expect("a writer does not panic");
        Tail { running, preempted, updates_per_s: written.per_second() }
    });
    drop(contender);
    C::rest();
    tail
}

/// Times every pick.
fn watch<P: Picker>(picker: P, n: usize, phases: &Phases) -> (Histogram<u64>, Histogram<u64>) {
    let mut seat = Padded(picker);
    let clock = Clock::new();
    let ns_per_tick = clock.delta_as_nanos(0, 1 << 30) as f64 / (1u64 << 30) as f64;
    let slow = (SLOW.as_nanos() as f64 / ns_per_tick) as u64;
    let most = (Duration::from_secs(60).as_nanos() as f64 / ns_per_tick) as u64;
    let times = || Histogram::<u64>::new_with_bounds(1, most, 2).expect("two digits are allowed");
    let (mut running, mut preempted) = (times(), times());
    for _ in 0..2 * n {
        seat.0.pick();
    }
    phases.enter();
    while !phases.all_are_here() {
        seat.0.pick();
    }
    let mut looked = Stopwatch::start();
    let mut before = clock.raw();
    while !phases.is_over() {
        for _ in 0..64 {
            let start = clock.raw();
            seat.0.pick();
            let end = clock.raw();
            let took = end.saturating_sub(start);
            // A gap between two picks is looked at as well, so that it is not blamed on the next slow pick.
            if took < slow && start.saturating_sub(before) < slow {
                running.saturating_record(took);
                before = end;
                continue;
            }
            let lapse = looked.lapse();
            let off = lapse.cpu.map_or(0.0, |cpu| lapse.wall.saturating_sub(cpu).as_nanos() as f64);
            let was_off = took >= slow && off > took as f64 * ns_per_tick / 2.0;
            if was_off { &mut preempted } else { &mut running }.saturating_record(took);
            looked = Stopwatch::start();
            before = clock.raw();
        }
    }
    phases.finish();
    while !phases.all_have_finished() {
        seat.0.pick();
    }
    (in_nanoseconds(&running, ns_per_tick), in_nanoseconds(&preempted, ns_per_tick))
}

fn in_nanoseconds(ticks: &Histogram<u64>, ns_per_tick: f64) -> Histogram<u64> {
    let mut times = empty_histogram();
    for bucket in ticks.iter_recorded() {
        let ns = (bucket.value_iterated_to() as f64 * ns_per_tick).round() as u64;
        times.record_n(ns.max(1), bucket.count_at_value()).expect("it resizes itself");
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_has_a_tail() {
        for (name, measure) in CONTENDERS {
            // On a busy machine a short window may pass before the thread has run.
            let has_picks = (1..=50).any(|times| {
                let tail = measure(3, Duration::from_millis(5 * times), &Cores::available());
                tail.running.len() + tail.preempted.len() > 0
            });
            assert!(has_picks, "{name}");
        }
    }

    #[test]
    fn what_is_rare_by_pick_may_be_common_by_time() {
        let mut times = empty_histogram();
        times.record_n(10, 999).unwrap();
        times.record_n(10_000, 1).unwrap();
        assert_eq!(times.value_at_quantile(0.99), 10);
        assert!(quantile_by_time(&times, 0.99) >= 10_000);
        assert_eq!(quantile_by_time(&times, 0.25), 10);
    }
}
