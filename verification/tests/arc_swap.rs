//! arc-swap's algorithm under loom: its source, mechanically rewritten to loom's atomics, and not the shipped binary.
//!
//! The controls are versions with known bugs, each of which must be found by a scenario and within a bound in which the
//! version that we use is clean. Their sources have to be downloaded, so they run with `-- --include-ignored` only.
//!
//! An address is used again within one thread only, and a reader has one fast slot in the place of eight.

#[path = "../arc_swap/build.rs"]
mod build;
mod nested;

use std::process::{Command, ExitCode};
use std::time::Instant;

use snapring_verification::suite::{Demand, Suite};
use snapring_verification::{Row, Verdict};

/// The version that the registries use.
const OURS: &str = "1.9.5";

const MOST: usize = 3_000_000;

/// How a wrong cell shows: an access to an object that is not ordered, or to one that is gone.
const SIGNS: [&str; 2] = ["Causality violation", "an object that is dead, or another cell's"];

fn main() -> ExitCode {
    let mut suite = Suite::new("arc_swap", concat!(env!("CARGO_MANIFEST_DIR"), "/expected"));
    let mut ours = |scenario: &'static str, threads, operations, preemptions, long| {
        let demand = Demand { executions: 100, reclaimed: 0, deterministic: true, long };
        let run = move || explore(OURS, scenario, (threads, operations), preemptions);
        suite.add(format!("{OURS}: {scenario}, {preemptions} preemptions"), demand, run);
    };
    for (preemptions, long) in [(2, false), (3, true)] {
        ours("load ∥ store", 2, 2, preemptions, long);
        ours("load ∥ store, not the first", 2, 2, preemptions, long);
        ours("load with no free slot ∥ store", 2, 3, preemptions, long);
        ours("load ∥ stores that use an address again", 2, 4, preemptions, long);
        ours("rcu ∥ rcu", 2, 2, preemptions, long);
    }
    ours("load ∥ stores that use an address again", 2, 4, 4, true);
    ours("load with no free slot ∥ store", 2, 3, 4, true);
    ours("load with no free slot ∥ store ∥ store", 3, 5, 1, true);

    let mut control = |version: &'static str, scenario: &'static str, (threads, operations), preemptions| {
        let run = move || explore(version, scenario, (threads, operations), preemptions);
        suite.add_control(format!("{version}: {scenario}, {preemptions} preemptions, fails"), true, run);
    };
    control("1.8.2", "load ∥ store", (2, 2), 2);
    control("1.8.2", "load with no free slot ∥ store", (2, 3), 2);
    control("1.8.2", "rcu ∥ rcu", (2, 2), 2);
    control("1.9.0", "load with no free slot ∥ store", (2, 3), 4);
    control("1.9.0", "rcu ∥ rcu", (2, 2), 3);
    control("1.9.1", "load ∥ stores that use an address again", (2, 4), 4);
    suite.run(env!("CARGO_TARGET_TMPDIR"))
}

/// Runs a scenario in a process of its own.
fn explore(version: &str, scenario: &str, (threads, operations): (usize, usize), preemptions: usize) -> Row {
    let program = build::program(version);
    let begun = Instant::now();
    let output = Command::new(&program)
        .args([scenario, &preemptions.to_string(), &MOST.to_string()])
        .output()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", program.display()));
    let text = String::from_utf8_lossy(&output.stdout);
    let (executions, end) =
        text.lines().next_back().and_then(|line| line.split_once(' ')).unwrap_or_else(|| {
            panic!("no answer, but {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr))
        });
    println!("arc-swap {version}, {scenario}, {preemptions} preemptions: {executions} {end}");
    let executions = executions.parse().expect("a number of executions");
    let verdict = match end {
        "passed" if executions + 1 >= MOST => Verdict::Truncated,
        "passed" => Verdict::Bounded(preemptions),
        _ if SIGNS.iter().any(|sign| end.contains(sign)) => Verdict::Failed,
        _ => panic!("no mistake of a cell: {end}"),
    };
    Row {
        subject: format!("arc-swap {version}, its algorithm rewritten"),
        scenario: format!("{scenario}, {preemptions} preemptions"),
        checker: "loom",
        threads,
        operations,
        executions,
        histories: 0,
        reclaimed: 0,
        verdict,
        seconds: begun.elapsed().as_secs_f64(),
        failure: None,
    }
}
