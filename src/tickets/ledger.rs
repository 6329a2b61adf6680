//! What each handle has served, on a line of its own.

use std::ops::Deref;
use std::sync::Arc;

use super::version::Version;
use crate::Member;
use crate::orderings::{LINE_MOVE, LINE_READ, LINE_SERVED};
use crate::platform::{AtomicU64, Mutex, Platform};

/// A line's version while it is of none.
const NONE: u64 = u64::MAX;

/// A handle's line. Its neighbours are elsewhere, so no handle slows down another.
#[repr(align(128))]
pub(super) struct Line<P: Platform> {
    version: P::AtomicU64,
    served: P::AtomicU64,
}

impl<P: Platform> Line<P> {
    /// The handle has served this many tickets of its version.
    #[inline]
    pub(super) fn tell(&self, served: u64) {
        self.served.store(served, P::ordering(&LINE_SERVED));
    }

    /// The handle leaves a version in which it has served this many.
    ///
    /// The line is of no version first, so what is added to the version's account is not counted here as well.
    pub(super) fn leave<T: Member>(&self, version: &Version<T, P>, served: u64) {
        self.version.store(NONE, P::ordering(&LINE_MOVE));
        version.add_served(served);
        self.served.store(0, P::ordering(&LINE_MOVE));
    }

    /// The handle begins with a version.
    pub(super) fn enter<T: Member>(&self, version: &Version<T, P>) {
        self.version.store(version.id, P::ordering(&LINE_SERVED));
    }

    /// What was served in this version. A handle that moves meanwhile counts as nothing: too little, never too much.
    fn served_in(&self, id: u64) -> u64 {
        if self.version.load(P::ordering(&LINE_READ)) != id {
            return 0;
        }
        let served = self.served.load(P::ordering(&LINE_READ));
        // If that was of a later version, the line is not of this one any more, and the read above made that visible.
        if self.version.load(P::ordering(&LINE_READ)) == id { served } else { 0 }
    }
}

/// All lines. Those of handles that are gone are used again.
pub(super) struct Lines<P: Platform> {
    lines: P::Mutex<Pool<P>>,
}

struct Pool<P: Platform> {
    all: Vec<Arc<Line<P>>>,
    free: Vec<Arc<Line<P>>>,
}

impl<P: Platform> Lines<P> {
    pub(super) fn new() -> Self {
        Self { lines: P::Mutex::new(Pool { all: Vec::new(), free: Vec::new() }) }
    }

    /// A line for a new handle, which begins with the version that `current` finds. That is under the lock, so that it is
    /// no older than what the line was last of: a line never goes back to a version.
    pub(super) fn hire<T: Member, V: Deref<Target = Version<T, P>>>(
        &self,
        current: impl FnOnce() -> V,
    ) -> (Arc<Line<P>>, V) {
        let mut pool = self.lines.lock();
        let version = current();
        let line = pool.free.pop().unwrap_or_else(|| {
            let line = Arc::new(Line { version: P::AtomicU64::new(NONE), served: P::AtomicU64::new(0) });
            pool.all.push(line.clone());
            line
        });
        line.enter(&version);
        (line, version)
    }

    /// The line of a handle that is gone, and has left its version.
    pub(super) fn release(&self, line: Arc<Line<P>>) {
        self.lines.lock().free.push(line);
    }

    /// Whether every ticket that was issued in this version has been served. False as long as that is not sure.
    pub(super) fn all_served<T: Member>(&self, version: &Version<T, P>) -> bool {
        let Some(issued) = version.issued() else { return false };
        let moved_on = version.served();
        let pool = self.lines.lock();
        let served = pool.all.iter().fold(moved_on, |sum, line| sum.wrapping_add(line.served_in(version.id)));
        served == issued
    }
}
