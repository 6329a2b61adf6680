//! The bench target `updates`: what a change costs a writer that is alone, and how that grows with the list.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::thread;
use std::time::Instant;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use snapring::{ArcSwapRegistry, Backend, EpochRegistry, HandleRegistry, MutexRegistry, Registry, RwLockRegistry};

use crate::adapters::backends;
use crate::args::Args;
use crate::machine::Machine;
use crate::packed::Packed;
use crate::progress::Progress;
use crate::record::Record;
use crate::stats::Spread;
use crate::table::{digits, empty, section};
use crate::window::Cores;

/// What is timed.
pub const CALLS: [&str; 3] = ["register a new id", "deregister a random one", "register an equal one again"];

/// Times each call so many times over a list of this length.
type Measure = fn(n: usize, repeats: usize, seed: u64) -> [Vec<u64>; CALLS.len()];

const REGISTRIES: &[(&str, Measure)] = &[
    ("mutex", measure::<MutexRegistry<Backend>>),
    ("rwlock", measure::<RwLockRegistry<Backend>>),
    ("epoch", measure::<EpochRegistry<Backend>>),
    ("arc-swap", measure::<ArcSwapRegistry<Backend>>),
    ("handle registry", measure::<HandleRegistry<Backend>>),
];

const SIZES: [usize; 4] = [16, 256, 4_096, 100_000];

/// Calls of each kind in a round.
const REPEATS: usize = 32;

/// The calls of one kind in a round, as they are saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Which round it belongs to.
    pub round: usize,
    /// Who was called.
    pub registry: String,
    /// How many members.
    pub n: usize,
    /// Which call.
    pub call: String,
    /// How long each took, in the order of the calls.
    pub ns: Packed<u64>,
}

/// Measures, prints and saves.
///
/// # Errors
///
/// If the results cannot be saved.
pub fn run(args: &Args) -> Result<()> {
    let chosen: Vec<_> = REGISTRIES.iter().filter(|(name, _)| args.wants(name)).collect();
    if chosen.is_empty() {
        return Ok(()); // the words may be meant for another target
    }
    let (cores, sizes, rounds) = (Cores::available(), args.sizes_or(&SIZES), args.rounds_or(8));
    let mut machine = Machine::describe("updates", &cores, args.window());
    let mut record = Record::create(args.out.as_deref(), "updates")?;
    let mut progress = Progress::new(rounds * sizes.len() * chosen.len());
    let mut random = fastrand::Rng::with_seed(1);
    let mut times = BTreeMap::<_, Vec<f64>>::new();
    for round in 0..rounds {
        for &n in &sizes {
            let mut order = chosen.clone();
            random.shuffle(&mut order);
            for &&(name, measure) in &order {
                progress.begin(|| format!("{name}, n = {n}"));
                let seed = random.u64(..);
                let alone = || {
                    cores.pin(0);
                    measure(n, REPEATS, seed)
                };
                let timed = thread::scope(|scope| scope.spawn(alone).join().expect("a change does not panic"));
                for (call, timed) in CALLS.into_iter().zip(timed) {
                    let ns = Packed(timed.clone());
                    record.sample(&Sample { round, registry: name.to_owned(), n, call: call.to_owned(), ns })?;
                    times.entry((call, name, n)).or_default().extend(timed.into_iter().map(|ns| ns as f64 / 1e3));
                }
                progress.advance();
            }
        }
        machine.finish(round + 1);
        record.save(&machine)?;
    }
    progress.finish();

    let mut text = String::new();
    for call in CALLS {
        let mut table = empty(&[vec![String::new()], sizes.iter().map(|n| format!("n = {n}")).collect()].concat(), 1);
        for &&(name, _) in &chosen {
            let mut cell = |n: &usize| {
                let spread = Spread::of(times.remove(&(call, name, *n))?)?;
                Some(format!("{} [{}-{}]", digits(spread.median), digits(spread.low), digits(spread.high)))
            };
            table
                .add_row([vec![name.to_owned()], sizes.iter().map(|n| cell(n).unwrap_or_default()).collect()].concat());
        }
        section(&mut text, &format!("{}: microseconds, median [quartiles]", capitalised(call)), &table);
    }
    record.table(&text)?;
    print!("{text}");
    println!("One thread, nobody reads. Every call, machine and this text: {}", record.folder().display());
    Ok(())
}

fn capitalised(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_uppercase() + rest
}

/// Some come at the end, some leave anywhere, and some are there already. One kind after the other, because a registry may
/// drop a replaced list with the next change: so each kind pays for itself. What a call returns is dropped behind the
/// clock.
fn measure<R: Registry<Backend> + Default>(n: usize, repeats: usize, seed: u64) -> [Vec<u64>; CALLS.len()] {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut members = backends(n);
    let registry = R::default();
    registry.replace_all(members.clone());
    let new = |new: usize| Backend::new(format!("new{new}"), "10.255.255.255:80");
    registry.register(new(repeats));
    let registering = (0..repeats).map(|at| {
        let new = new(at);
        members.push(new.clone());
        timed(|| registry.register(new))
    });
    let registering = registering.collect();
    let deregistering = (0..repeats).map(|_| {
        let leaving = members.swap_remove(random.usize(..members.len()));
        timed(|| registry.deregister(leaving.id()))
    });
    let deregistering = deregistering.collect();
    let again = (0..repeats).map(|_| {
        let again = random.choice(&members).expect("as many as at first").clone();
        timed(|| registry.register(again))
    });
    [registering, deregistering, again.collect()]
}

fn timed<R>(call: impl FnOnce() -> R) -> u64 {
    let start = Instant::now();
    let result = call();
    let time = start.elapsed();
    drop(black_box(result));
    time.as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_is_timed_as_often_as_wanted() {
        for (name, measure) in REGISTRIES {
            assert_eq!(measure(3, 5, 1).map(|times| times.len()), [5; CALLS.len()], "{name}");
        }
    }
}
