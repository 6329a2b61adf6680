//! Threads of each platform.

use snapring::platform::{Platform, Std};

/// A platform that can run programs side by side.
pub trait Threads: Platform {
    /// A running thread.
    type Handle<T: Send + 'static>;
    /// Starts one.
    fn spawn<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> Self::Handle<T>;
    /// Waits for it to end.
    fn join<T: Send + 'static>(handle: Self::Handle<T>) -> T;
}

macro_rules! threads {
    ($platform:ty, $($root:ident)::+) => {
        impl Threads for $platform {
            type Handle<T: Send + 'static> = $($root)::+::thread::JoinHandle<T>;

            fn spawn<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> Self::Handle<T> {
                $($root)::+::thread::spawn(f)
            }

            fn join<T: Send + 'static>(handle: Self::Handle<T>) -> T {
                handle.join().expect("programs catch their panics")
            }
        }
    };
}

threads!(Std, std);
#[cfg(feature = "loom")]
threads!(snapring::platform::Loom, loom);
#[cfg(feature = "shuttle")]
threads!(snapring::platform::Shuttle, shuttle);
