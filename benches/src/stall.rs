//! Stops a thread wherever it is, inside a call for example, and lets it go on: with a signal whose handler waits.
//!
//! So a reader can be stalled inside the `next` of any implementation, without a hook in it. Where exactly is left to
//! chance: try often. Nothing is known that the scheduler could not do as well, only not for as long.

#[cfg(unix)]
pub use unix::Stoppable;

#[cfg(not(unix))]
pub use other::Stoppable;

#[cfg(unix)]
mod unix {
    use std::mem::MaybeUninit;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The handler may look at nothing but these. One thread of a process is stopped at a time.
    static WANTED: AtomicBool = AtomicBool::new(false);
    static STOPPED: AtomicBool = AtomicBool::new(false);

    /// A thread that can be stopped, as long as it lives: keep the thread for longer than this.
    #[derive(Debug)]
    pub struct Stoppable(libc::pthread_t);

    impl Stoppable {
        /// The calling thread.
        pub fn this_thread() -> Option<Self> {
            // SAFETY: a zeroed `sigaction` is a valid one: no flags, an empty mask, and the default action.
            let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
            action.sa_flags = libc::SA_RESTART;
            action.sa_sigaction = wait as extern "C" fn(libc::c_int) as usize;
            // SAFETY: the action is initialised; its handler only calls what is allowed in handlers.
            let refused = unsafe { libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut()) };
            // SAFETY: it always is.
            let thread = unsafe { libc::pthread_self() };
            (refused == 0).then_some(Self(thread))
        }

        /// Stops it, and returns when it has stopped. False if that is impossible.
        pub fn stop(&self) -> bool {
            WANTED.store(true, Ordering::SeqCst);
            // SAFETY: whoever has this keeps the thread alive.
            if unsafe { libc::pthread_kill(self.0, libc::SIGUSR1) } != 0 {
                return false;
            }
            while !STOPPED.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            true
        }

        /// Lets it go on, and returns when it does: otherwise the next stop might find it in the handler of this one.
        pub fn release(&self) {
            WANTED.store(false, Ordering::SeqCst);
            while STOPPED.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
        }
    }

    extern "C" fn wait(_signal: libc::c_int) {
        STOPPED.store(true, Ordering::SeqCst);
        while WANTED.load(Ordering::SeqCst) {
            let pause = libc::timespec { tv_sec: 0, tv_nsec: 200_000 };
            // SAFETY: `nanosleep` is on the list of functions for handlers, and the pointer is to a local.
            unsafe { libc::nanosleep(&pause, std::ptr::null_mut()) };
        }
        STOPPED.store(false, Ordering::SeqCst);
    }

    #[cfg(test)]
    mod tests {
        use std::sync::atomic::AtomicU64;
        use std::sync::mpsc;
        use std::time::Duration;

        use super::*;

        #[test]
        fn a_stopped_thread_does_nothing() {
            let (steps, over) = (AtomicU64::new(0), AtomicBool::new(false));
            let (tell, told) = mpsc::channel();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    tell.send(Stoppable::this_thread().unwrap()).unwrap();
                    while !over.load(Ordering::Relaxed) {
                        steps.fetch_add(1, Ordering::Relaxed);
                    }
                });
                let thread = told.recv().unwrap();
                assert!(thread.stop());
                let before = steps.load(Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
                assert_eq!(steps.load(Ordering::Relaxed), before);
                thread.release();
                while steps.load(Ordering::Relaxed) == before {
                    std::thread::yield_now();
                }
                over.store(true, Ordering::Relaxed);
            });
        }
    }
}

#[cfg(not(unix))]
mod other {
    /// There are no signals to threads here.
    #[derive(Debug)]
    pub enum Stoppable {}

    impl Stoppable {
        /// Impossible.
        pub fn this_thread() -> Option<Self> {
            None
        }

        /// Impossible.
        pub fn stop(&self) -> bool {
            match *self {}
        }

        /// Impossible.
        pub fn release(&self) {
            match *self {}
        }
    }
}
