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
