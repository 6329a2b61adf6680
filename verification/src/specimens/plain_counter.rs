//! `counter % n`, while n changes: the rotation jumps, where it should close the gap (S7, class K10).

use snapring::baseline;

use crate::Probe;
use crate::cells::Keeping;

/// A snapshot and a separate counter. The library keeps it to be measured.
pub type PlainCounter<P> = baseline::PlainCounter<Probe, Keeping, P>;
