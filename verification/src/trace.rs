//! Recording an execution: calls, returns, and the inner steps that a subject [notes](crate::note!).

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::history::{Event, Events};
use crate::threads::Threads;

/// What happened so far in an execution. It can be read at any time, also when the checker has given up in the middle.
///
/// All of it is the standard library's: a checker does not see it, so it adds no order to the program. Each thread has a
/// log of its own, and a clock orders them.
#[derive(Debug)]
pub struct Recorder {
    clock: AtomicU64,
    logs: Vec<Mutex<Vec<(u64, Event)>>>,
    /// Which program each thread of the checker runs.
    programs: Mutex<HashMap<String, usize>>,
}

type Noting = (Arc<Recorder>, fn() -> String);

thread_local! {
    /// The recorder of the execution that this thread works for, and how the thread tells its name. Threads of a model
    /// share one thread of the system.
    static CURRENT: RefCell<Option<Noting>> = const { RefCell::new(None) };
}

impl Recorder {
    /// For so many programs.
    pub fn new(programs: usize) -> Arc<Self> {
        let logs = (0..programs).map(|_| Mutex::default()).collect();
        Arc::new(Self { clock: AtomicU64::new(0), logs, programs: Mutex::default() })
    }

    /// From now on, what this thread notes belongs to this program.
    pub fn enter<P: Threads>(self: &Arc<Self>, program: usize) {
        lock(&self.programs).insert(P::current(), program);
        CURRENT.set(Some((self.clone(), P::current)));
    }

    /// Something happened in a program.
    pub fn record(&self, program: usize, event: Event) {
        lock(&self.logs[program]).push((self.clock.fetch_add(1, Ordering::SeqCst), event));
    }

    /// Whether a program is inside of an operation.
    pub fn is_inside(&self, program: usize) -> bool {
        lock(&self.logs[program]).last().is_some_and(|(_, event)| !matches!(event, Event::Return(_)))
    }

    /// How many operations of a program have ended.
    pub fn returns(&self, program: usize) -> usize {
        lock(&self.logs[program]).iter().filter(|(_, event)| matches!(event, Event::Return(_))).count()
    }

    /// Everything, in order.
    pub fn events(&self) -> Events {
        let logs = self.logs.iter().enumerate();
        let mut events: Vec<_> = logs
            .flat_map(|(program, log)| {
                lock(log).iter().map(|(at, event)| (*at, program, event.clone())).collect::<Vec<_>>()
            })
            .collect();
        events.sort_by_key(|(at, ..)| *at);
        events.into_iter().map(|(_, program, event)| (program, event)).collect()
    }
}

/// Ends the noting, when dropped. The thread that an execution begins in holds it: it is the only one that lives longer.
pub(crate) struct Ended;

impl Drop for Ended {
    fn drop(&mut self) {
        CURRENT.set(None);
    }
}

/// See [`note!`](crate::note!).
pub fn note(step: impl Display) {
    CURRENT.with_borrow(|current| {
        let Some((recorder, name)) = current else { return };
        let program = lock(&recorder.programs).get(&name()).copied();
        if let Some(program) = program {
            recorder.record(program, Event::Note(step.to_string()));
        }
    });
}

/// Notes an inner step of an operation, for the reader of a counterexample: `note!("size() is {n}")`. No checker sees
/// it, and outside of an execution it does nothing.
#[macro_export]
macro_rules! note {
    ($($step:tt)*) => { $crate::trace::note(::std::format_args!($($step)*)) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}
