//! What the cells of the scenarios hold: a counted object whose every part loom can see, addresses included.

use std::sync::{Arc, Mutex};

use arc_swap::RefCnt;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering, fence};

/// Whose it is, and how old.
type Value = (u32, u32);

const DEAD: Value = (u32::MAX, u32::MAX);

/// A value and its count, as in an `Arc`.
pub struct Object {
    count: AtomicUsize,
    value: UnsafeCell<Value>,
    pool: Pool,
}

// SAFETY: the value is behind loom's cell, which reports every access that is not ordered: that is what it is here for.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

/// Where objects come from. Memory goes back with the process, so that a reader that comes too late finds something dead
/// and no fault.
#[derive(Clone, Default)]
pub struct Pool {
    free: Arc<Mutex<Vec<usize>>>,
    reuses: bool,
}

impl Pool {
    /// The next object lies where the last one died, as in the cache that an allocator has for a thread. For scenarios
    /// with one writer: between threads an allocator synchronises, and loom does not know of this pool.
    pub fn reusing() -> Self {
        Self { reuses: true, ..Self::default() }
    }
}

/// A reference to an object.
pub struct Ref(*const Object);

// SAFETY: a counted reference, like an `Arc`.
unsafe impl Send for Ref {}
// SAFETY: as above.
unsafe impl Sync for Ref {}

impl Ref {
    /// A new object, at an address of the pool if it has one.
    pub fn new(owner: u32, version: u32, pool: &Pool) -> Self {
        let free = pool.free.lock().unwrap().pop();
        let Some(address) = free else {
            let object =
                Object { count: AtomicUsize::new(1), value: UnsafeCell::new((owner, version)), pool: pool.clone() };
            return Self(Box::into_raw(Box::new(object)));
        };
        // SAFETY: the pool has addresses of objects, none of which is ever given back to the allocator.
        let object = unsafe { &*(address as *const Object) };
        // SAFETY: nobody should have it; if somebody does, loom says so.
        object.value.with_mut(|value| unsafe { *value = (owner, version) });
        object.count.store(1, Ordering::Relaxed);
        Self(object)
    }

    /// Its version, if it is this owner's.
    pub fn look(&self, owner: u32) -> u32 {
        // SAFETY: objects are never given back to the allocator.
        let (is, version) = self.object().value.with(|value| unsafe { *value });
        assert_eq!(is, owner, "a reader has an object that is dead, or another cell's");
        version
    }

    fn object(&self) -> &Object {
        // SAFETY: objects are never given back to the allocator.
        unsafe { &*self.0 }
    }
}

impl Clone for Ref {
    fn clone(&self) -> Self {
        self.object().count.fetch_add(1, Ordering::Relaxed);
        Self(self.0)
    }
}

impl Drop for Ref {
    fn drop(&mut self) {
        let object = self.object();
        let count = object.count.fetch_sub(1, Ordering::Release);
        assert!(count != 0 && count < 1_000, "an object was released once too often");
        if count == 1 {
            fence(Ordering::Acquire);
            // SAFETY: the last reference; if it is not, loom says so.
            object.value.with_mut(|value| unsafe { *value = DEAD });
            if object.pool.reuses {
                object.pool.free.lock().unwrap().push(self.0 as usize);
            }
        }
    }
}

// SAFETY: `into_ptr` and `from_ptr` carry one count, `as_ptr` none, and the pointer is always the same.
unsafe impl RefCnt for Ref {
    type Base = Object;

    fn into_ptr(me: Self) -> *mut Object {
        let pointer = me.0.cast_mut();
        std::mem::forget(me);
        pointer
    }

    fn as_ptr(me: &Self) -> *mut Object {
        me.0.cast_mut()
    }

    unsafe fn from_ptr(pointer: *const Object) -> Self {
        Self(pointer)
    }
}
