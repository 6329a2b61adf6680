//! What the rewritten source takes for `core::sync::atomic`: loom's atomics, completed as those of our platform are.

use loom::sync::atomic as stock;
pub use loom::sync::atomic::Ordering;
use snapring::platform::loom::Companion;

macro_rules! accesses {
    ($value:ty) => {
        #[track_caller]
        pub fn load(&self, order: Ordering) -> $value {
            self.0.at().load(order)
        }

        #[track_caller]
        pub fn store(&self, value: $value, order: Ordering) {
            self.0.at().store(value, order);
        }

        #[track_caller]
        pub fn swap(&self, value: $value, order: Ordering) -> $value {
            self.0.at().swap(value, order)
        }

        /// If it fails, perhaps because of a stale value, as C++ allows and loom never does.
        #[track_caller]
        pub fn compare_exchange(
            &self,
            current: $value,
            new: $value,
            ok: Ordering,
            err: Ordering,
        ) -> Result<$value, $value> {
            let seen = self.0.at().load(err);
            if seen != current {
                return Err(seen);
            }
            self.0.at().compare_exchange(current, new, ok, err)
        }

        #[track_caller]
        pub fn compare_exchange_weak(
            &self,
            current: $value,
            new: $value,
            ok: Ordering,
            err: Ordering,
        ) -> Result<$value, $value> {
            self.compare_exchange(current, new, ok, err)
        }
    };
}

#[derive(Debug)]
pub struct AtomicUsize(Companion<stock::AtomicUsize>);

impl AtomicUsize {
    #[track_caller]
    pub fn new(value: usize) -> Self {
        let atomic = stock::AtomicUsize::new(value);
        atomic.store(value, Ordering::SeqCst);
        Self(Companion::new(atomic))
    }

    accesses!(usize);

    #[track_caller]
    pub fn fetch_add(&self, value: usize, order: Ordering) -> usize {
        self.0.at().fetch_add(value, order)
    }

    #[track_caller]
    pub fn fetch_sub(&self, value: usize, order: Ordering) -> usize {
        self.0.at().fetch_sub(value, order)
    }
}

impl Default for AtomicUsize {
    fn default() -> Self {
        Self::new(0)
    }
}

#[derive(Debug)]
pub struct AtomicPtr<T>(Companion<stock::AtomicPtr<T>>);

// SAFETY: like the standard library's: it holds a pointer, and following a copy of it is the business of whoever does so.
unsafe impl<T> Send for AtomicPtr<T> {}
// SAFETY: as above; the accesses go through loom's atomic.
unsafe impl<T> Sync for AtomicPtr<T> {}

impl<T> AtomicPtr<T> {
    #[track_caller]
    pub fn new(pointer: *mut T) -> Self {
        let atomic = stock::AtomicPtr::new(pointer);
        atomic.store(pointer, Ordering::SeqCst);
        Self(Companion::new(atomic))
    }

    accesses!(*mut T);

    /// In the place of `*get_mut()`, which loom does not have.
    #[track_caller]
    pub fn exclusive(&mut self) -> *mut T {
        self.0.get_mut().with_mut(|pointer| *pointer)
    }
}
