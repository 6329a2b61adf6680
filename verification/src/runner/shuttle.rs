//! shuttle: all interleavings of sequentially consistent memory, or a sample of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler};
use snapring::platform::Shuttle;

use super::bounded::Bounded;
use super::schedule::{Recording, Replay};
use super::{Goal, Seen, quietly, text};
use crate::history::Failure;
use crate::{Maker, Row, Scenario, Subject, Verdict, execute::execute};

/// The seed of every sample: a run can be repeated.
pub(super) const SEED: u64 = 0x5AFE;

/// All interleavings, depth first; truncated at this many executions.
pub fn depth_first<S: Subject>(subject: &str, scenario: &Scenario, make: Maker<S>, executions: usize) -> Row {
    let verdict = move |seen| if seen >= executions { Verdict::Truncated } else { Verdict::Complete };
    let scheduler = DfsScheduler::new(Some(executions), false);
    run(subject, scenario, make, "shuttle, depth first", Goal::First, scheduler, verdict)
}

/// All interleavings with at most so many preemptions, depth first; truncated at this many executions.
pub fn bounded<S: Subject>(
    subject: &str,
    scenario: &Scenario,
    make: Maker<S>,
    preemptions: usize,
    executions: usize,
) -> Row {
    let verdict = move |seen| if seen >= executions { Verdict::Truncated } else { Verdict::Bounded(preemptions) };
    let scheduler = Bounded::new(preemptions, executions);
    run(subject, scenario, make, "shuttle, depth first", Goal::First, scheduler, verdict)
}

/// Looks for a failure depth first, and then for one that is short.
pub fn hunt<S: Subject>(subject: &str, scenario: &Scenario, make: Maker<S>) -> Row {
    const MOST: usize = 100_000;
    let verdict = |seen| if seen >= MOST { Verdict::Truncated } else { Verdict::Complete };
    let scheduler = DfsScheduler::new(Some(MOST), false);
    run(subject, scenario, make, "shuttle, depth first", Goal::Shortest, scheduler, verdict)
}

/// One execution by the schedule of a [counterexample](crate::counterexample::Counterexample::schedule).
pub fn replay<S: Subject>(subject: &str, scenario: &Scenario, make: Maker<S>, schedule: &[usize]) -> Row {
    let scheduler = Replay::new(schedule.to_vec());
    run(subject, scenario, make, "shuttle, replayed", Goal::First, scheduler, |_| Verdict::Sampled)
}

/// Random schedules.
pub fn random<S: Subject>(subject: &str, scenario: &Scenario, make: Maker<S>, executions: usize) -> Row {
    let scheduler = RandomScheduler::new_from_seed(SEED, executions);
    run(subject, scenario, make, "shuttle, random", Goal::First, scheduler, |_| Verdict::Sampled)
}

/// Schedules with few, random changes of priority (PCT), which find a bug of that depth with a known probability.
pub fn priorities<S: Subject>(subject: &str, scenario: &Scenario, make: Maker<S>, executions: usize) -> Row {
    let scheduler = PctScheduler::new_from_seed(SEED, 3, executions);
    run(subject, scenario, make, "shuttle, PCT", Goal::First, scheduler, |_| Verdict::Sampled)
}

/// shuttle sets its panic hook once, at its first run. Lets that happen, so that ours can come after it.
pub(crate) fn install_hook() {
    let mut config = shuttle::Config::new();
    config.failure_persistence = shuttle::FailurePersistence::None;
    shuttle::Runner::new(DfsScheduler::new(Some(1), false), config).run(|| ());
}

fn run<S: Subject>(
    subject: &str,
    scenario: &Scenario,
    make: Maker<S>,
    checker: &'static str,
    goal: Goal,
    scheduler: impl Scheduler + 'static,
    verdict: impl FnOnce(usize) -> Verdict,
) -> Row {
    let (seen, begun) = (Arc::new(Seen::new::<S>(scenario, goal)), Instant::now());
    let scheduler = Recording { scheduler, tape: seen.tape.clone() };
    let model = model::<S>(&seen, scenario, make);
    let ended = quietly(|| catch_unwind(AssertUnwindSafe(|| shuttle::Runner::new(scheduler, config()).run(model))));
    if let Err(panic) = ended {
        seen.fail(Failure::Panic(text(&*panic)));
    }
    seen.row(subject, checker, verdict, begun.elapsed().as_secs_f64())
}

pub(super) fn config() -> shuttle::Config {
    let mut config = shuttle::Config::new();
    config.stack_size = 0x4_0000;
    config.failure_persistence = shuttle::FailurePersistence::None;
    config.silence_warnings = true;
    config
}

/// One execution, and what is thought of it.
pub(super) fn model<S: Subject>(
    seen: &Arc<Seen>,
    scenario: &Scenario,
    make: Maker<S>,
) -> impl Fn() + Send + Sync + 'static + use<S> {
    let (seen, scenario) = (seen.clone(), scenario.clone());
    move || {
        let events = execute::<Shuttle, S>(&scenario, make, &seen.begin(), || ());
        if seen.judge(events, false).is_err() {
            seen.tape.enough.store(true, Ordering::Relaxed);
        }
    }
}
