//! [`Known`]: a list that a strategy knows again, by ids, without keeping it or its members.

use std::collections::HashMap;
use std::sync::Arc;

use crate::list::Origin;
use crate::platform::Platform;
use crate::{Member, Snapshot};

/// What is remembered of a list: which it was, and where whose place was in it.
pub(super) struct Known<T: Member> {
    identity: u64,
    version: u64,
    origin: Origin,
    positions: Arc<Positions<T>>,
}

/// Position and place by id. Of an id that occurs twice, the first.
type Positions<T> = HashMap<<<T as Member>::Id as ToOwned>::Owned, (u32, u64)>;

impl<T: Member> Clone for Known<T> {
    fn clone(&self) -> Self {
        Self { positions: self.positions.clone(), ..*self }
    }
}

impl<T: Member> Known<T> {
    /// Another list, and for each member of it where he was in the one before, if he was there and has not left since.
    pub(super) fn next<P: Platform>(before: Option<&Self>, nodes: &Snapshot<T, P>) -> (Self, Vec<Option<u32>>) {
        let was = |(member, place): (&Arc<T>, &u64)| {
            let (at, known) = before?.positions.get(member.id())?;
            (known == place).then_some(*at)
        };
        let from: Vec<_> = nodes.iter().zip(nodes.places()).map(was).collect();
        let positions = match before {
            Some(before) if is_same(&from, before.positions.len()) => before.positions.clone(),
            _ => Arc::new(positions(nodes)),
        };
        (Self { identity: nodes.identity(), version: nodes.version(), origin: nodes.origin(), positions }, from)
    }

    /// Whether it is this very list. Runs no code of the user.
    pub(super) fn is<P: Platform>(&self, nodes: &Snapshot<T, P>) -> bool {
        self.identity == nodes.identity()
    }

    /// Whether both are the very same list.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.identity == other.identity
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Whether a list is of the same candidate set.
    pub(super) fn is_kin_of<P: Platform>(&self, nodes: &Snapshot<T, P>) -> bool {
        let overlap = || nodes.iter().any(|member| self.positions.contains_key(member.id()));
        self.origin.is_kin(nodes.origin(), overlap)
    }
}

/// Whether all members are where they were, in a list of which `n` ids were known.
fn is_same(from: &[Option<u32>], n: usize) -> bool {
    from.len() == n && from.iter().zip(0..).all(|(old, at)| *old == Some(at))
}

fn positions<T: Member, P: Platform>(nodes: &Snapshot<T, P>) -> Positions<T> {
    let mut positions = Positions::<T>::with_capacity(nodes.len());
    for ((member, place), at) in nodes.iter().zip(nodes.places()).zip(0..) {
        positions.entry(member.id().to_owned()).or_insert((at, *place));
    }
    positions
}
