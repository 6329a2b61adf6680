//! [`caught`]: a panic that a test provokes, without the noise.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::thread;

thread_local!(static EXPECTED: Cell<bool> = const { Cell::new(false) });

/// Calls, and returns a panic of this thread as an error. The panic is not reported: a report with its backtrace costs
/// more than most tests, and some provoke a hundred thousand.
pub fn caught<R>(call: impl FnOnce() -> R) -> thread::Result<R> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !EXPECTED.get() {
                report(panic);
            }
        }));
    });
    let outer = EXPECTED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    EXPECTED.set(outer);
    result
}
