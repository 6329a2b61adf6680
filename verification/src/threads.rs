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
    /// The name of the current thread, for as long as it runs.
    fn current() -> String;
    /// How many watched objects (lists, nodes) are alive, if the platform counts them.
    fn watched() -> Option<usize> {
        None
    }
}

macro_rules! threads {
    ($platform:ty, $($root:ident)::+ $(, $watched:expr)?) => {
        impl Threads for $platform {
            type Handle<T: Send + 'static> = $($root)::+::thread::JoinHandle<T>;

            fn spawn<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> Self::Handle<T> {
                $($root)::+::thread::spawn(f)
            }

            fn join<T: Send + 'static>(handle: Self::Handle<T>) -> T {
                handle.join().expect("programs catch their panics")
            }

            fn current() -> String {
                format!("{:?}", $($root)::+::thread::current().id())
            }

            $(fn watched() -> Option<usize> {
                Some($watched)
            })?
        }
    };
}

threads!(Std, std);
#[cfg(feature = "loom")]
threads!(snapring::platform::Loom, loom, snapring::platform::loom::watched());
#[cfg(feature = "shuttle")]
threads!(snapring::platform::Shuttle, shuttle);

/// The threads of another platform, for one made of its types. They need not count what is alive.
#[cfg(feature = "loom")]
macro_rules! threads_of {
    ($platform:ty, $base:ty) => {
        impl $crate::Threads for $platform {
            type Handle<T: Send + 'static> = <$base as $crate::Threads>::Handle<T>;

            fn spawn<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> Self::Handle<T> {
                <$base as $crate::Threads>::spawn(f)
            }

            fn join<T: Send + 'static>(handle: Self::Handle<T>) -> T {
                <$base as $crate::Threads>::join(handle)
            }

            fn current() -> String {
                <$base as $crate::Threads>::current()
            }
        }
    };
}

#[cfg(feature = "loom")]
pub(crate) use threads_of;
