//! Schedules of shuttle: recorded while it explores, so that one execution can be repeated.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};

use super::Tape;

/// A scheduler, and what it decided in the current execution. It stops when it was enough: without a panic, which would
/// run through the threads that are left.
#[derive(Debug)]
pub(crate) struct Recording<S> {
    pub(crate) scheduler: S,
    pub(crate) tape: Arc<Tape>,
}

impl<S: Scheduler> Scheduler for Recording<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        if self.tape.enough.load(Ordering::Relaxed) {
            return None;
        }
        self.tape.steps.lock().unwrap().clear();
        self.scheduler.new_execution()
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, yielding: bool) -> Option<TaskId> {
        let next = self.scheduler.next_task(runnable, current, yielding)?;
        self.tape.steps.lock().unwrap().push(next.into());
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.scheduler.next_u64()
    }
}

/// Follows a schedule once. After its end, whoever can goes on: a recording ends where the failure was noticed.
#[derive(Debug)]
pub(crate) struct Replay {
    steps: std::vec::IntoIter<usize>,
    begun: bool,
}

impl Replay {
    pub(crate) fn new(schedule: Vec<usize>) -> Self {
        Self { steps: schedule.into_iter(), begun: false }
    }
}

impl Scheduler for Replay {
    fn new_execution(&mut self) -> Option<Schedule> {
        let begins = !std::mem::replace(&mut self.begun, true);
        begins.then(|| Schedule::new(0))
    }

    fn next_task(&mut self, runnable: &[&Task], _current: Option<TaskId>, _yielding: bool) -> Option<TaskId> {
        let Some(next) = self.steps.next() else { return runnable.first().map(|task| task.id()) };
        let task = runnable.iter().find(|task| usize::from(task.id()) == next);
        Some(task.unwrap_or_else(|| panic!("task {next} cannot go on: the schedule is of another program")).id())
    }

    fn next_u64(&mut self) -> u64 {
        unreachable!("no subject asks for chance")
    }
}
