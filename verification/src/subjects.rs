//! The registries of this crate, as subjects, and the names of all that is checked.

/// Calls a macro for each registry that every checker looks at: `$each!(name, maker)`.
#[macro_export]
macro_rules! for_each_registry {
    ($each:ident, $platform:ty) => {
        $each!("mutex", $crate::maker!($crate::subjects::Mutex<$platform>));
        $each!("rwlock", $crate::maker!($crate::subjects::RwLock<$platform>));
        $each!("epoch", $crate::maker!($crate::subjects::Epoch<$platform>));
        $each!("arc-swap", $crate::maker!($crate::subjects::ArcSwap<$platform>));
        $each!("handle registry, no handle", $crate::maker!($crate::subjects::Handle<$platform>));
        $each!("handle", $crate::handles::Handles::<$platform, $crate::handles::Exact>::new);
        $each!("leased handle", $crate::handles::Handles::<$platform, $crate::handles::Leased>::new);
        $each!("ring over any cell", $crate::maker!($crate::subjects::KeepingRing<$platform>));
        $each!("ring over a stale cell", $crate::maker!($crate::subjects::StaleRing<$platform>));
    };
}

/// Calls a macro for each strategy that every checker looks at: `$each!(name, maker)`. They have no orderings of their
/// own.
#[macro_export]
macro_rules! for_each_strategy {
    ($each:ident, $platform:ty) => {
        $each!("shuffle bag", $crate::strategies::Bagged::<$platform>::new);
        $each!("directory", $crate::strategies::Listed::<$platform>::new);
    };
}

use snapring::ring::RingRegistry;
use snapring::{ArcSwapRegistry, EpochRegistry, HandleRegistry, MutexRegistry, RwLockRegistry};

use crate::cells::{Keeping, Stale};
use crate::scenario::Probe;

/// [`MutexRegistry`].
pub type Mutex<P> = MutexRegistry<Probe, P>;
/// [`RwLockRegistry`].
pub type RwLock<P> = RwLockRegistry<Probe, P>;
/// [`EpochRegistry`]. Unless built with `--cfg crossbeam_loom`, it is assumed that crossbeam-epoch keeps its promise.
pub type Epoch<P> = EpochRegistry<Probe, P>;
/// [`ArcSwapRegistry`]. Under a model checker over a cell that has arc-swap's contract: it is assumed that arc-swap
/// keeps it.
pub type ArcSwap<P> = ArcSwapRegistry<Probe, P>;
/// [`HandleRegistry`], by its own `next`.
pub type Handle<P> = HandleRegistry<Probe, P>;
/// The ring over a pointer that frees nothing.
pub type KeepingRing<P> = RingRegistry<Probe, Keeping, P>;
/// The ring over the worst hint.
pub type StaleRing<P> = RingRegistry<Probe, Stale, P>;
