//! The checkers. Each runs a scenario until it has seen enough, and says how far it went.

use std::sync::Mutex;

use crate::history::{Events, Failure, Judge};
use crate::scenario::Scenario;
use crate::subject::Subject;

pub mod real;

#[cfg(feature = "loom")]
pub mod loom;
#[cfg(feature = "shuttle")]
pub mod shuttle;

/// What a run has seen so far, behind a lock that no checker sees.
pub(crate) struct Seen(Mutex<State>);

struct State {
    judge: Judge,
    executions: usize,
    reclaimed: usize,
    failure: Option<(Failure, Events)>,
}

impl Seen {
    pub(crate) fn new<S: Subject>(scenario: &Scenario) -> Self {
        let judge = Judge::new(scenario, S::LEASE);
        Self(Mutex::new(State { judge, executions: 0, reclaimed: 0, failure: None }))
    }

    /// Counts an execution, and says whether it was right.
    pub(crate) fn judge(&self, events: Events, reclaimed: bool) -> Result<(), Failure> {
        let mut state = self.lock();
        state.executions += 1;
        state.reclaimed += usize::from(reclaimed);
        let verdict = state.judge.check(&events);
        if let Err(failure) = &verdict {
            state.failure.get_or_insert((failure.clone(), events));
        }
        verdict
    }

    #[cfg(any(feature = "loom", feature = "shuttle"))]
    pub(crate) fn fail(&self, failure: Failure) {
        self.lock().failure.get_or_insert((failure, Events::new()));
    }

    pub(crate) fn row(
        &self,
        subject: &str,
        scenario: &Scenario,
        checker: &'static str,
        verdict: impl FnOnce(usize) -> crate::Verdict,
        seconds: f64,
    ) -> crate::Row {
        let mut state = self.lock();
        let failure = state.failure.take();
        crate::Row {
            subject: subject.into(),
            scenario: scenario.name.clone(),
            checker,
            threads: scenario.threads.len(),
            operations: scenario.operations(),
            executions: state.executions,
            histories: state.judge.distinct(),
            reclaimed: state.reclaimed,
            verdict: if failure.is_some() { crate::Verdict::Failed } else { verdict(state.executions) },
            seconds,
            failure,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poison| poison.into_inner())
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
