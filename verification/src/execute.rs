//! One execution of a scenario.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use snapring::platform::AtomicU64;

use crate::history::{Event, Events};
use crate::scenario::{Answer, Op, Scenario};
use crate::subject::{Maker, Subject};
use crate::threads::Threads;
use crate::trace::{Ended, Recorder};

/// Runs a scenario once, on any platform, and says what happened. `settled` is called when all threads have ended,
/// before anything is dropped.
///
/// The [`Recorder`], which has a log for each program and one for the end, adds no order to the program. Only where a
/// thread takes snapshots or has leases, calls are also ordered in the eyes of the checker: a snapshot promises to be as
/// new as everything that *happened before* it, a lease to leave out whoever had left *before*; so they must be told.
pub fn execute<P: Threads, S: Subject>(
    scenario: &Scenario,
    make: Maker<S>,
    recorder: &Arc<Recorder>,
    settled: impl FnOnce(),
) -> Events {
    let _ended = Ended;
    let watched_before = P::watched();
    let subject = Arc::new(make(scenario.members.clone(), scenario.start));
    let telling = scenario.looks() || S::RULE.looks();
    let told: Option<Arc<P::AtomicU64>> = telling.then(|| Arc::new(AtomicU64::new(0)));

    let program = |(number, ops): (usize, &Vec<Op>)| {
        let (subject, recorder, told, ops) = (subject.clone(), recorder.clone(), told.clone(), ops.clone());
        let mut local = subject.local();
        move || {
            recorder.enter::<P>(number);
            let tell = || {
                if let Some(told) = &told {
                    told.fetch_add(1, Ordering::AcqRel);
                }
            };
            (run(&*subject, &mut local, &ops, |event| recorder.record(number, event), tell), local)
        }
    };
    // The last program runs in the main thread: one thread less for the checker.
    let mut programs: Vec<_> = scenario.threads.iter().enumerate().map(program).collect();
    let last = programs.pop().expect("a scenario has threads");
    let handles: Vec<_> = programs.into_iter().map(P::spawn).collect();
    let last = last();
    let ended = handles.into_iter().map(P::join).collect::<Vec<_>>().into_iter().chain([last]);
    let (ends, locals): (Vec<bool>, Vec<S::Local>) = ended.unzip();
    settled();

    let closing = scenario.threads.len();
    let record = |event| recorder.record(closing, event);
    if !ends.iter().all(|well| *well) {
        std::mem::forget(locals);
    } else {
        let most = subject.settle(locals.len());
        if let (Some(before), Some(now), Some(most)) = (watched_before, P::watched(), most) {
            let alive = now - before;
            if alive > most && !scenario.looks() {
                let message = format!("{alive} lists are alive, {most} may be");
                record(Event::Call(Op::Own("lists that are alive")));
                record(Event::Return(Answer::Panicked(message)));
            }
        }
        recorder.enter::<P>(closing);
        run(&*subject, &mut subject.local(), &scenario.closing(), record, || ());
        drop(locals);
    }
    let events = recorder.events();
    if events.iter().any(|(_, event)| matches!(event, Event::Return(Answer::Panicked(_)))) {
        // What a panic left behind in a checker's bookkeeping may be torn: no destructor may run through it.
        std::mem::forget(subject);
    }
    events
}

/// Whether it went well: a program ends where a call panics.
fn run<S: Subject>(subject: &S, local: &mut S::Local, ops: &[Op], record: impl Fn(Event), tell: impl Fn()) -> bool {
    for op in ops {
        tell();
        record(Event::Call(op.clone()));
        let answer = catch_unwind(AssertUnwindSafe(|| subject.call(op, local))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Answer::Panicked(text.unwrap_or_default())
        });
        let panicked = matches!(answer, Answer::Panicked(_));
        if !panicked {
            tell(); // before the return is noted: whoever comes after it has been told
        }
        record(Event::Return(answer));
        if panicked {
            return false;
        }
    }
    true
}
