//! One scenario over the rewritten source, in a process of its own, since a wrong version may take the process with it.
//!
//! `<scenario> <preemptions> <executions at most>`. The last line says how many executions there were, and what went
//! wrong in the last of them, if anything did.

mod object;
mod scenarios;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, panic, process};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [name, preemptions, most] = &arguments[..] else { panic!("three arguments, please") };
    let scenario = scenarios::named(name).expect("a scenario of this name");

    let mut builder = loom::model::Builder::new();
    builder.max_branches = 100_000;
    builder.preemption_bound = Some(preemptions.parse().expect("a number"));
    builder.max_permutations = Some(most.parse().expect("a number"));
    builder.max_duration = None;
    builder.checkpoint_file = None;
    builder.expect_explicit_explore = false;
    builder.location = false;
    builder.log = false;

    let executions = Arc::new(AtomicUsize::new(0));
    let count = executions.clone();
    // The first panic is the cause. What follows from it may be another within it, which aborts.
    panic::set_hook(Box::new(move |panic| {
        println!("{} failed: {}", count.load(Ordering::Relaxed), panic.to_string().replace('\n', " "));
        process::exit(1);
    }));
    let count = executions.clone();
    builder.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        scenario();
    });
    println!("{} passed", executions.load(Ordering::Relaxed));
}
