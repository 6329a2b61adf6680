//! Progress, by shuttle: one thread is suspended inside its call, at every point in turn, and does not go on before the
//! others have done all that they had to do. Whoever waits for it is found.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use shuttle::scheduler::{RandomScheduler, Schedule, Scheduler, Task, TaskId};

use super::schedule::Recording;
use super::shuttle::{SEED, config, model};
use super::{Goal, Seen, quietly, text};
use crate::history::Failure;
use crate::{Maker, Row, Scenario, Subject, Verdict};

/// What was seen of a scenario whose first thread was suspended.
#[derive(Debug)]
pub struct Suspended {
    /// The executions. It has failed if somebody waited, or if a history was wrong.
    pub row: Row,
    /// At how many points the thread was suspended.
    pub points: usize,
    /// At how many of them somebody waited for it.
    pub waited: usize,
    /// The most steps that the others took, together, while it was suspended.
    pub steps: usize,
}

/// Runs a scenario so many times for each point at which its first thread can be suspended inside an operation: once
/// with that thread alone up to there, and otherwise by chance, so that the others are in the middle of theirs.
pub fn suspended<S: Subject>(subject: &str, scenario: &Scenario, make: Maker<S>, samples: usize) -> Suspended {
    assert!(scenario.threads.len() > 1, "somebody must go on");
    let (seen, begun) = (Arc::new(Seen::new::<S>(scenario, Goal::First)), Instant::now());
    let observed = Arc::new(Mutex::new(Observed::default()));
    let (mut points, mut waited) = (0, 0);
    for point in 1.. {
        let steps = lock(&observed).steps;
        *lock(&observed) = Observed { steps, ..Observed::default() };
        let scheduler = Suspending {
            scheduler: RandomScheduler::new_from_seed(SEED + point as u64, samples),
            seen: seen.clone(),
            observed: observed.clone(),
            point,
            execution: Execution::default(),
        };
        let scheduler = Recording { scheduler, tape: seen.tape.clone() };
        let model = model::<S>(&seen, scenario, make);
        let ended = quietly(|| catch_unwind(AssertUnwindSafe(|| shuttle::Runner::new(scheduler, config()).run(model))));
        let broken = ended.map_err(|panic| seen.fail(Failure::Panic(text(&*panic)))).is_err();
        let observed = lock(&observed);
        if broken || !observed.suspended {
            break; // the operations end before this point
        }
        points += 1;
        waited += usize::from(observed.waited);
    }
    let steps = lock(&observed).steps;
    let row = seen.row(subject, "shuttle, suspended", |_| Verdict::Sampled, begun.elapsed().as_secs_f64());
    Suspended { row, points, waited, steps }
}

/// The thread that is suspended: the first program. The last one runs in task 0, the others in the order they began.
const PROGRAM: usize = 0;
const TASK: usize = 1;

/// So many steps of the others while it is suspended, and they are going in circles.
const PATIENCE: usize = 2_000;

/// About the executions for one point.
#[derive(Default)]
struct Observed {
    suspended: bool,
    waited: bool,
    steps: usize,
}

/// About the current execution.
#[derive(Default)]
struct Execution {
    number: usize,
    /// Points inside an operation that the thread has reached.
    reached: usize,
    now: Now,
    steps: usize,
}

#[derive(Default, PartialEq)]
enum Now {
    #[default]
    Before,
    Suspended,
    Over,
}

struct Suspending<S> {
    scheduler: S,
    seen: Arc<Seen>,
    observed: Arc<Mutex<Observed>>,
    point: usize,
    execution: Execution,
}

impl<S: Scheduler> Scheduler for Suspending<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        self.execution = Execution { number: self.execution.number + 1, ..Execution::default() };
        self.scheduler.new_execution()
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, yielding: bool) -> Option<TaskId> {
        let is_ours = |id: TaskId| usize::from(id) == TASK;
        let execution = &mut self.execution;
        if execution.now == Now::Before && current.is_some_and(is_ours) && self.seen.recorder().is_inside(PROGRAM) {
            execution.reached += 1;
            if execution.reached == self.point {
                execution.now = Now::Suspended;
                lock(&self.observed).suspended = true;
            }
        }
        match execution.now {
            Now::Before if execution.number == 1 => {
                if let Some(ours) = runnable.iter().find(|task| is_ours(task.id())) {
                    return Some(ours.id());
                }
            }
            Now::Suspended if self.seen.others_are_done(PROGRAM) => self.execution.now = Now::Over,
            Now::Suspended => {
                let others: Vec<&Task> = runnable.iter().filter(|task| !is_ours(task.id())).copied().collect();
                if !others.is_empty() && execution.steps < PATIENCE {
                    execution.steps += 1;
                    let mut observed = lock(&self.observed);
                    observed.steps = observed.steps.max(execution.steps);
                    return self.scheduler.next_task(&others, current, yielding);
                }
                // It goes on, so that the execution ends.
                execution.now = Now::Over;
                lock(&self.observed).waited = true;
                let why = if others.is_empty() { "are blocked" } else { "go in circles" };
                self.seen.fail(Failure::Broken(format!("while a call was suspended, others {why}")));
            }
            Now::Before | Now::Over => {}
        }
        self.scheduler.next_task(runnable, current, yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.scheduler.next_u64()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}
