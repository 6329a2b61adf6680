//! loom: all interleavings and stale reads, up to a bound on preemptions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use snapring::platform::Loom;
use snapring::platform::loom::reclaimed;

use super::{Goal, Seen, quietly, text};
use crate::history::Failure;
use crate::{Maker, Row, Scenario, Subject, Threads, Verdict, execute::execute};

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    /// At most this many preemptions in an execution; without, all.
    pub preemptions: Option<usize>,
    /// At most about this many executions. A run that gets here is truncated, and its row says so.
    pub executions: usize,
}

/// Explores a scenario, or stops at the first failure.
pub fn run<S: Subject>(subject: &str, scenario: &Scenario, make: Maker<S>, depth: Depth) -> Row {
    run_on::<Loom, S>(subject, scenario, make, depth)
}

/// [`run`], on a platform of your own that is made of loom's types.
pub fn run_on<P: Threads, S: Subject>(subject: &str, scenario: &Scenario, make: Maker<S>, depth: Depth) -> Row {
    explore::<P, S>(subject, scenario, make, depth, Goal::First)
}

fn explore<P: Threads, S: Subject>(
    subject: &str,
    scenario: &Scenario,
    make: Maker<S>,
    depth: Depth,
    goal: Goal,
) -> Row {
    let (seen, begun) = (Arc::new(Seen::new::<S>(scenario, goal)), Instant::now());
    let (model_seen, model_scenario) = (seen.clone(), scenario.clone());
    let model = move || {
        let before = reclaimed();
        let mut freed = false;
        let recorder = model_seen.begin();
        let events = execute::<P, S>(&model_scenario, make, &recorder, || freed = reclaimed() > before);
        if let Err(failure) = model_seen.judge(events, freed) {
            panic!("{failure}");
        }
    };
    let ended = quietly(|| catch_unwind(AssertUnwindSafe(|| builder(depth).check(model))));
    if let Err(panic) = ended {
        seen.fail(Failure::Panic(text(&*panic)));
    }
    let verdict = |executions| match depth.preemptions {
        // loom stops one short of its limit, and returns as if nothing were.
        _ if executions + 1 >= depth.executions => Verdict::Truncated,
        Some(bound) => Verdict::Bounded(bound),
        None => Verdict::Complete,
    };
    seen.row(subject, "loom", verdict, begun.elapsed().as_secs_f64())
}

/// Looks for a failure with ever more preemptions, and among those with the fewest for one that is short. The row of the
/// last run.
pub fn hunt<S: Subject>(subject: &str, scenario: &Scenario, make: Maker<S>) -> Row {
    let explored = |bound| {
        let depth = Depth { preemptions: Some(bound), executions: 200_000 };
        explore::<Loom, S>(subject, scenario, make, depth, Goal::Shortest)
    };
    let mut row = explored(0);
    for bound in 1..=MOST_PREEMPTIONS {
        if row.failure.is_some() {
            break;
        }
        row = explored(bound);
    }
    row
}

/// Where a [`hunt`] gives up.
const MOST_PREEMPTIONS: usize = 3;

/// Every field set by hand: `Builder::new` reads some from the environment. The limit is looked at in every execution.
fn builder(depth: Depth) -> loom::model::Builder {
    let mut builder = loom::model::Builder::new();
    builder.max_threads = 5;
    builder.max_branches = 50_000;
    builder.max_permutations = Some(depth.executions);
    builder.max_duration = None;
    builder.preemption_bound = depth.preemptions;
    builder.checkpoint_file = None;
    builder.checkpoint_interval = 1;
    builder.expect_explicit_explore = false;
    builder.location = false;
    builder.log = false;
    builder
}
