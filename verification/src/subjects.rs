//! The registries of this crate, as subjects.

/// Calls a macro for each registry that every checker looks at: `$each!(name, type on a platform)`.
#[macro_export]
macro_rules! for_each_registry {
    ($each:ident, $platform:ty) => {
        $each!("mutex", $crate::subjects::Mutex<$platform>);
        $each!("rwlock", $crate::subjects::RwLock<$platform>);
        $each!("epoch", $crate::subjects::Epoch<$platform>);
        $each!("arc-swap", $crate::subjects::ArcSwap<$platform>);
        $each!("ring over any cell", $crate::subjects::KeepingRing<$platform>);
        $each!("ring over a stale cell", $crate::subjects::StaleRing<$platform>);
    };
}

use snapring::ring::RingRegistry;
use snapring::{ArcSwapRegistry, EpochRegistry, MutexRegistry, RwLockRegistry};

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
/// The ring over a pointer that frees nothing.
pub type KeepingRing<P> = RingRegistry<Probe, Keeping, P>;
/// The ring over the worst hint.
pub type StaleRing<P> = RingRegistry<Probe, Stale, P>;
