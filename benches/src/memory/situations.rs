//! What readers do while the writer writes.

/// What readers do meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Situation {
    /// Pick all the time, on the cores that the writer leaves.
    Busy,
    /// As many again as there are cores: each is preempted now and then, inside a pick, too.
    Crowd,
    /// One picks once and then does something else, with its handle if it has one.
    Idle,
    /// One holds the first snapshot.
    Snapshot,
    /// One is stopped wherever it is, again and again; most of the time that is inside `next`.
    Stalled,
}

/// All of them, as tables and samples call them.
pub(super) const SITUATIONS: [(&str, Situation); 5] = [
    ("busy readers", Situation::Busy),
    ("twice as many readers as cores", Situation::Crowd),
    ("a reader idle between picks", Situation::Idle),
    ("a held snapshot", Situation::Snapshot),
    ("a reader stalled anywhere in its loop", Situation::Stalled),
];

impl Situation {
    /// How many read, on a machine with so many cores.
    pub(super) fn readers(self, cores: usize) -> usize {
        match self {
            Self::Busy => (cores - 1).max(1),
            Self::Crowd => 2 * cores,
            Self::Idle | Self::Snapshot | Self::Stalled => 1,
        }
    }
}
