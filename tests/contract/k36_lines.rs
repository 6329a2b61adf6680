//! Counters that lie side by side, on one line of memory, slow each other down.

use std::mem::{align_of, size_of};

use snapring::baseline::{PlainArcSwap, PlainEpoch};
use snapring::{ArcSwapRegistry, Backend, EpochRegistry};

/// Processors fetch lines of 64 bytes in pairs.
const LINES: usize = 128;

/// The word that picks change begins at such a boundary, and nothing else follows on its lines: a registry is as wide
/// as they are, and wider by another pair for the rest. (The registries with a lock have nothing that is faster than it; a
/// handle registry keeps its word behind a pointer.)
#[test]
fn registries_side_by_side_share_no_line() {
    fn alone<R>() {
        assert_eq!(align_of::<R>() % LINES, 0);
        assert_eq!(size_of::<R>() % LINES, 0);
        assert!(size_of::<R>() >= 2 * LINES);
    }
    alone::<EpochRegistry<Backend>>();
    alone::<ArcSwapRegistry<Backend>>();
    alone::<PlainEpoch<Backend>>();
    alone::<PlainArcSwap<Backend>>();
}
