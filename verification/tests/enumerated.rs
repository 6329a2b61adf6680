//! Every registry in all small programs: in the long runs all of them (under loom a part), otherwise a part of each stratum.
#![cfg_attr(
    not(any(feature = "loom", feature = "shuttle")),
    allow(dead_code, unused, reason = "without a checker the programs are only counted")
)]

use std::process::ExitCode;

use snapring_verification::enumerated::{Stratum, strata};
use snapring_verification::suite::{Demand, Suite};
use snapring_verification::{Maker, Row, Scenario, Subject, for_each_registry, for_each_strategy, runner};

/// How many there are: 1 ∥ 1, 1 ∥ 2, 2 ∥ 2 and 1 ∥ 1 ∥ 1 operations.
const PROGRAMS: [usize; 4] = [201, 4791, 32274, 1009];

fn main() -> ExitCode {
    let strata = strata();
    let programs = strata.each_ref().map(|stratum| stratum.programs.len());
    println!("{} programs: {programs:?}", programs.iter().sum::<usize>());
    assert_eq!(programs, PROGRAMS, "the programs are others than on record");
    let mut suite = Suite::new("enumerated", concat!(env!("CARGO_MANIFEST_DIR"), "/expected"));
    for (at, stratum) in strata.iter().enumerate() {
        #[cfg(feature = "shuttle")]
        shuttle(&mut suite, at, stratum);
        #[cfg(feature = "loom")]
        loom(&mut suite, at, stratum);
    }
    suite.run(env!("CARGO_TARGET_TMPDIR"))
}

/// Every so many programs of each stratum, how many executions of each at most, and whether only when asked for.
#[derive(Clone, Copy)]
struct Length {
    every: [usize; 4],
    executions: usize,
    long: bool,
}

/// A stratum, for one registry.
fn add<S: Subject>(
    suite: &mut Suite,
    (checker, name): (&str, &'static str),
    (at, stratum, length): (usize, &Stratum, Length),
    make: Maker<S>,
    run: fn(&str, &Scenario, Maker<S>, usize) -> Row,
) {
    let Length { every, executions, long } = length;
    let part = stratum.part(make, every[at]);
    let demand = Demand { executions: part.programs.len(), reclaimed: 0, deterministic: !long, long };
    let more = if long { ", more" } else { "" };
    suite.add(format!("{checker}: {name}: {}{more}", stratum.name()), demand, move || {
        part.run(|program| run(name, program, make, executions))
    });
}

/// Depth first.
#[cfg(feature = "shuttle")]
fn shuttle(suite: &mut Suite, at: usize, stratum: &Stratum) {
    const PART: Length = Length { every: [1, 97, 811, 61], executions: 600, long: false };
    const ALL: Length = Length { every: [1; 4], executions: 15_000, long: true };
    macro_rules! part {
        ($name:literal, $make:expr) => {
            add(suite, ("shuttle", $name), (at, stratum, PART), $make, runner::shuttle::depth_first);
        };
    }
    macro_rules! all {
        ($name:literal, $make:expr) => {
            add(suite, ("shuttle", $name), (at, stratum, ALL), $make, |name, program, make, executions| {
                runner::shuttle::bounded(name, program, make, 2, executions)
            });
        };
    }
    for_each_registry!(part, snapring::platform::Shuttle);
    for_each_strategy!(part, snapring::platform::Shuttle);
    for_each_registry!(all, snapring::platform::Shuttle);
    for_each_strategy!(all, snapring::platform::Shuttle);
}

/// With up to two preemptions.
#[cfg(feature = "loom")]
fn loom(suite: &mut Suite, at: usize, stratum: &Stratum) {
    const PART: Length = Length { every: [2, 101, 701, 61], executions: 2_000, long: false };
    const MORE: Length = Length { every: [1, 7, 29, 5], executions: 20_000, long: true };
    for length in [PART, MORE] {
        macro_rules! add {
            ($name:literal, $make:expr) => {
                add(suite, ("loom", $name), (at, stratum, length), $make, |name, program, make, executions| {
                    let depth = runner::loom::Depth { preemptions: Some(2), executions };
                    runner::loom::run(name, program, make, depth)
                });
            };
        }
        for_each_registry!(add, snapring::platform::Loom);
        for_each_strategy!(add, snapring::platform::Loom);
    }
}
