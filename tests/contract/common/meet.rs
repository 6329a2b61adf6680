//! [`meet`]: readers and writers at once, for as long as it takes that they have really met.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;

/// So many threads, and so many steps at least: of each reader, or of all writers together.
#[derive(Clone, Copy)]
pub struct Crew {
    pub threads: u64,
    pub steps: u64,
}

/// Runs `read(state, step)` and `write(writer, round)` side by side until both sides have done their steps; returns what
/// the readers have kept. A panic of any of them fails the test.
pub fn meet<S: Default + Send>(
    readers: Crew,
    read: impl Fn(&mut S, u64) + Sync,
    writers: Crew,
    write: impl Fn(u64, u64) + Sync,
) -> Vec<S> {
    let (written, done) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        for writer in 0..writers.threads {
            let (written, done, write) = (&written, &done, &write);
            scope.spawn(move || {
                let _released = Release(written);
                for round in 0.. {
                    if done.load(SeqCst) {
                        return;
                    }
                    write(writer, round);
                    written.fetch_add(1, SeqCst);
                }
            });
        }
        let body = || {
            let mut state = S::default();
            for step in 0.. {
                if step >= readers.steps && written.load(SeqCst) >= writers.steps {
                    break;
                }
                read(&mut state, step);
            }
            state
        };
        let readers: Vec<_> = (0..readers.threads).map(|_| scope.spawn(body)).collect();
        let states: Vec<_> = readers.into_iter().map(|reader| reader.join()).collect();
        done.store(true, SeqCst);
        states.into_iter().map(|state| state.expect("a reader panicked")).collect()
    })
}

/// A writer that panics shall not keep the readers waiting.
struct Release<'a>(&'a AtomicU64);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.store(u64::MAX >> 1, SeqCst);
    }
}
