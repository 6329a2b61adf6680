//! One execution of a scenario.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64 as Clock, Ordering};

use snapring::platform::AtomicU64;

use crate::history::{Event, Events};
use crate::scenario::{Answer, Op, Scenario};
use crate::subject::{Maker, Subject};
use crate::threads::Threads;

/// What a thread did, and when.
type Log = Vec<(u64, Event)>;

/// Runs a scenario once, on any platform, and says what happened. `settled` is called when all threads have ended,
/// before anything is dropped.
///
/// The clock that orders the events is the standard library's: a checker does not see it, so it adds no order to the
/// program. Only where a thread takes snapshots or has leases, calls are also ordered in the eyes of the checker: a
/// snapshot promises to be as new as everything that *happened before* it, a lease to leave out whoever had left *before*;
/// so they must be told.
pub fn execute<P: Threads, S: Subject>(scenario: &Scenario, make: Maker<S>, settled: impl FnOnce()) -> Events {
    let watched_before = P::watched();
    let subject = Arc::new(make(scenario.members.clone(), scenario.start));
    let clock = Arc::new(Clock::new(0));
    let telling = scenario.looks() || S::LEASE.is_some();
    let told: Option<Arc<P::AtomicU64>> = telling.then(|| Arc::new(AtomicU64::new(0)));

    let program = |ops: Vec<Op>| {
        let (subject, clock, told) = (subject.clone(), clock.clone(), told.clone());
        let mut local = subject.local();
        move || {
            let tell = || {
                if let Some(told) = &told {
                    told.fetch_add(1, Ordering::AcqRel);
                }
            };
            (run(&*subject, &mut local, &ops, &clock, tell), local)
        }
    };
    // The last program runs in the main thread: one thread less for the checker.
    let mut programs: Vec<_> = scenario.threads.iter().map(|ops| program(ops.clone())).collect();
    let last = programs.pop().expect("a scenario has threads");
    let handles: Vec<_> = programs.into_iter().map(P::spawn).collect();
    let last = last();
    let ended = handles.into_iter().map(P::join).collect::<Vec<_>>().into_iter().chain([last]);
    let (mut logs, locals): (Vec<Log>, Vec<S::Local>) = ended.unzip();
    settled();

    let panicked = logs.iter().flatten().any(|(_, event)| matches!(event, Event::Return(Answer::Panicked(_))));
    if panicked {
        std::mem::forget(locals);
    } else {
        let most = subject.settle(locals.len());
        if let (Some(before), Some(now), Some(most)) = (watched_before, P::watched(), most) {
            let alive = now - before;
            if alive > most && !scenario.looks() {
                let message = format!("{alive} lists are alive, {most} may be");
                logs[0].push((u64::MAX, Event::Return(Answer::Panicked(message))));
            }
        }
        logs.push(run(&*subject, &mut subject.local(), &scenario.closing(), &clock, || ()));
        drop(locals);
    }
    let mut events: Vec<(u64, usize, Event)> = Vec::new();
    for (thread, log) in logs.into_iter().enumerate() {
        events.extend(log.into_iter().map(|(at, event)| (at, thread, event)));
    }
    events.sort_by_key(|(at, ..)| *at);
    let events: Events = events.into_iter().map(|(_, thread, event)| (thread, event)).collect();
    if events.iter().any(|(_, event)| matches!(event, Event::Return(Answer::Panicked(_)))) {
        // What a panic left behind in a checker's bookkeeping may be torn: no destructor may run through it.
        std::mem::forget(subject);
    }
    events
}

fn run<S: Subject>(subject: &S, local: &mut S::Local, ops: &[Op], clock: &Clock, tell: impl Fn()) -> Log {
    let now = || clock.fetch_add(1, Ordering::SeqCst);
    let mut log = Log::new();
    for op in ops {
        tell();
        log.push((now(), Event::Call(op.clone())));
        let answer = catch_unwind(AssertUnwindSafe(|| subject.call(op, local))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Answer::Panicked(text.unwrap_or_default())
        });
        let panicked = matches!(answer, Answer::Panicked(_));
        if !panicked {
            tell(); // before the return is noted: whoever comes after it has been told
        }
        log.push((now(), Event::Return(answer)));
        if panicked {
            break;
        }
    }
    log
}
