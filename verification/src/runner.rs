//! The checkers. Each runs a scenario until it has seen enough, and says how far it went.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use crate::counterexample::Counterexample;
use crate::history::{Events, Failure, Judge};
use crate::scenario::Scenario;
use crate::subject::Subject;
use crate::trace::Recorder;
#[cfg(any(feature = "loom", feature = "shuttle"))]
use crate::{history::Event, scenario::Answer};

pub mod real;

#[cfg(feature = "shuttle")]
mod bounded;
#[cfg(feature = "loom")]
pub mod loom;
#[cfg(feature = "shuttle")]
mod schedule;
#[cfg(feature = "shuttle")]
pub mod shuttle;
#[cfg(feature = "shuttle")]
pub mod suspended;

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// At the first execution that fails.
    First,
    /// Some executions after that, to have the one that is easiest to read.
    #[cfg_attr(not(any(feature = "loom", feature = "shuttle")), expect(dead_code, reason = "only checkers hunt"))]
    Shortest,
}

/// How many executions more are looked at for one that is easier to read.
const FURTHER: usize = 20_000;

/// What runs beside a checker that lets its scheduler be wrapped.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    /// Which thread went on at each step of the current execution.
    steps: Mutex<Vec<usize>>,
    /// Whether this execution shall be the last.
    #[cfg_attr(not(feature = "shuttle"), expect(dead_code, reason = "only shuttle can be told"))]
    enough: AtomicBool,
}

/// What a run has seen so far, behind a lock that no checker sees.
pub(crate) struct Seen {
    scenario: Scenario,
    goal: Goal,
    tape: Arc<Tape>,
    state: Mutex<State>,
}

struct State {
    judge: Judge,
    executions: usize,
    reclaimed: usize,
    recorder: Arc<Recorder>,
    failure: Option<Counterexample>,
}

impl Seen {
    pub(crate) fn new<S: Subject>(scenario: &Scenario, goal: Goal) -> Self {
        let judge = Judge::new(scenario, S::RULE);
        let state = State { judge, executions: 0, reclaimed: 0, recorder: Recorder::new(0), failure: None };
        Self { scenario: scenario.clone(), goal, tape: Arc::default(), state: Mutex::new(state) }
    }

    /// An execution begins: this is to record it.
    pub(crate) fn begin(&self) -> Arc<Recorder> {
        let mut state = self.lock();
        state.executions += 1;
        state.recorder = Recorder::new(self.scenario.threads.len() + 1);
        state.recorder.clone()
    }

    /// What records the current execution.
    #[cfg(feature = "shuttle")]
    pub(crate) fn recorder(&self) -> Arc<Recorder> {
        self.lock().recorder.clone()
    }

    /// Whether every program of the current execution but this one has ended.
    #[cfg(feature = "shuttle")]
    pub(crate) fn others_are_done(&self, program: usize) -> bool {
        let recorder = self.recorder();
        let mut programs = self.scenario.threads.iter().enumerate();
        programs.all(|(at, ops)| at == program || recorder.returns(at) == ops.len())
    }

    /// The execution has ended. Whether it was right; or, on the hunt for a short one, whether to look further.
    pub(crate) fn judge(&self, events: Events, reclaimed: bool) -> Result<(), Failure> {
        let mut state = self.lock();
        state.reclaimed += usize::from(reclaimed);
        let verdict = state.judge.check(&events);
        if let Err(failure) = &verdict {
            let events = state.judge.shortened(events);
            self.keep(&mut state, failure.clone(), events);
        }
        match (&state.failure, self.goal) {
            (Some(kept), Goal::Shortest) if state.executions >= kept.first + FURTHER => Err(kept.failure.clone()),
            (_, Goal::Shortest) => Ok(()),
            (_, Goal::First) => verdict,
        }
    }

    /// The checker has given up, in the middle of an execution. If a call has panicked, that was the cause: what the
    /// checker said afterwards is debris.
    #[cfg(any(feature = "loom", feature = "shuttle"))]
    pub(crate) fn fail(&self, failure: Failure) {
        let mut state = self.lock();
        if state.failure.is_none() {
            let events = state.recorder.events();
            let cause = events.iter().find_map(|(_, event)| match event {
                Event::Return(Answer::Panicked(message)) => Some(Failure::Panic(message.clone())),
                _ => None,
            });
            self.keep(&mut state, cause.unwrap_or(failure), events);
        }
    }

    /// Keeps what is easiest to read.
    fn keep(&self, state: &mut State, failure: Failure, events: Events) {
        let schedule = self.tape.steps.lock().unwrap_or_else(|poison| poison.into_inner()).clone();
        let first = state.failure.as_ref().map_or(state.executions, |failed| failed.first);
        let failed = Counterexample { scenario: self.scenario.clone(), failure, events, first, schedule };
        if state.failure.as_ref().is_none_or(|kept| failed.length() < kept.length()) {
            state.failure = Some(failed);
        }
    }

    pub(crate) fn row(
        &self,
        subject: &str,
        checker: &'static str,
        verdict: impl FnOnce(usize) -> crate::Verdict,
        seconds: f64,
    ) -> crate::Row {
        let mut state = self.lock();
        let failure = state.failure.take();
        crate::Row {
            subject: subject.into(),
            scenario: self.scenario.name.clone(),
            checker,
            threads: self.scenario.threads.len(),
            operations: self.scenario.operations(),
            executions: state.executions,
            histories: state.judge.distinct(),
            reclaimed: state.reclaimed,
            verdict: if failure.is_some() { crate::Verdict::Failed } else { verdict(state.executions) },
            seconds,
            failure,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}

/// Runs `f` without printing its panics: what fails is in the row, and the checkers' own unwinding is nobody's concern.
/// Programs of a model run on the thread that called the checker, so a flag of that thread tells.
#[cfg(any(feature = "loom", feature = "shuttle"))]
pub(crate) fn quietly<R>(f: impl FnOnce() -> R) -> R {
    use std::cell::Cell;
    use std::sync::Once;

    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        #[cfg(feature = "shuttle")]
        shuttle::install_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                usual(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = f();
    QUIET.set(false);
    result
}

/// The text of a panic that a checker raised.
#[cfg(any(feature = "loom", feature = "shuttle"))]
pub(crate) fn text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
