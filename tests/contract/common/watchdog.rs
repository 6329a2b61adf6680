//! Time decides no test, but a deadlock shall be a failure and not a hang.

use std::panic::resume_unwind;
use std::sync::mpsc;
use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
use std::thread;
use std::time::{Duration, Instant};

/// Far beyond what any test takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `body` on a thread of its own, and fails if it does not come back.
#[track_caller]
pub fn within<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, wait) = mpsc::channel();
    let thread = thread::spawn(move || {
        let result = body();
        let _ = done.send(());
        result
    });
    match wait.recv_timeout(PATIENCE) {
        Ok(()) | Err(Disconnected) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(Timeout) => panic!("deadlock: no answer after {PATIENCE:?}"),
    }
}

/// Tries until `condition` holds: for what happens as soon as other threads, those of other tests too, unpin.
#[track_caller]
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < PATIENCE, "never: {what}");
        thread::yield_now();
    }
}
