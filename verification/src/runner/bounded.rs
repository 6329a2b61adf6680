//! Depth first with a bound on preemptions, for shuttle: what loom has, and what makes small programs small enough.

use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};

/// Every schedule in which a thread that could go on has to stop at most so often.
#[derive(Debug)]
pub(crate) struct Bounded {
    preemptions: usize,
    /// How many executions may still begin.
    left: usize,
    /// The choices of the current execution, from its begin. The last one that has an alternative is the next to change.
    choices: Vec<Choice>,
    begun: bool,
    at: usize,
    preempted: usize,
}

#[derive(Debug)]
struct Choice {
    taken: TaskId,
    others: Vec<TaskId>,
}

impl Bounded {
    pub(crate) fn new(preemptions: usize, executions: usize) -> Self {
        Self { preemptions, left: executions, choices: Vec::new(), begun: false, at: 0, preempted: 0 }
    }

    /// To the next schedule, if there is one.
    fn advance(&mut self) -> bool {
        while let Some(choice) = self.choices.last_mut() {
            if let Some(other) = choice.others.pop() {
                choice.taken = other;
                return true;
            }
            self.choices.pop();
        }
        !std::mem::replace(&mut self.begun, true)
    }
}

impl Scheduler for Bounded {
    fn new_execution(&mut self) -> Option<Schedule> {
        self.left = self.left.checked_sub(1)?;
        (self.at, self.preempted) = (0, 0);
        self.advance().then(|| Schedule::new(0))
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, yielding: bool) -> Option<TaskId> {
        let can_run = |id: &TaskId| runnable.iter().any(|task| task.id() == *id);
        let goes_on = current.filter(|id| !yielding && can_run(id));
        if self.at == self.choices.len() {
            let mut others = runnable.iter().map(|task| task.id()).filter(|id| Some(*id) != goes_on).collect();
            if goes_on.is_some() && self.preempted == self.preemptions {
                others = Vec::new();
            }
            let taken = goes_on.or_else(|| others.pop())?;
            self.choices.push(Choice { taken, others });
        }
        let taken = self.choices[self.at].taken;
        self.at += 1;
        self.preempted += usize::from(goes_on.is_some_and(|id| id != taken));
        Some(taken)
    }

    fn next_u64(&mut self) -> u64 {
        unreachable!("no subject asks for chance")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use shuttle::scheduler::DfsScheduler;
    use shuttle::thread;

    use super::*;

    /// How many executions of two threads of three steps each.
    fn executions(scheduler: impl Scheduler + 'static) -> usize {
        let executions = Arc::new(AtomicUsize::new(0));
        let count = executions.clone();
        let runner = shuttle::Runner::new(scheduler, crate::runner::shuttle::config());
        runner.run(move || {
            count.fetch_add(1, Ordering::Relaxed);
            let steps = Arc::new(shuttle::sync::atomic::AtomicUsize::new(0));
            let program = |steps: Arc<shuttle::sync::atomic::AtomicUsize>| {
                move || (0..3).for_each(|_| _ = steps.fetch_add(1, Ordering::SeqCst))
            };
            let other = thread::spawn(program(steps.clone()));
            program(steps)();
            other.join().unwrap();
        });
        executions.load(Ordering::Relaxed)
    }

    #[test]
    fn with_preemptions_enough_it_is_everything() {
        let all = executions(DfsScheduler::new(None, false));
        let bounded = [0, 1, 2, 100].map(|preemptions| executions(Bounded::new(preemptions, usize::MAX)));
        assert!(bounded.is_sorted_by(|a, b| a < b), "{bounded:?}");
        assert_eq!(bounded[3], all);
        assert_eq!(executions(Bounded::new(100, 7)), 7, "cut");
    }
}
