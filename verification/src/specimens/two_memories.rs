//! The memory lives in the handler, and handlers come and go (S9, class K25).

use std::collections::BTreeSet;

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use crate::{Probe, Rule, Subject, note};

/// A service with a transient lifetime: kept alive by the luck of a pool, and then it forgets whom it has used.
#[derive(Debug)]
pub struct TwoMemories<P: Platform>(P::Mutex<Vec<Probe>>);

impl<P: Platform> TwoMemories<P> {
    /// Of these members.
    pub fn new(members: Vec<Probe>, _start: Start) -> Self {
        Self(Mutex::new(members))
    }
}

impl<P: Platform> Subject for TwoMemories<P> {
    type Local = BTreeSet<u8>;
    const RULE: Rule = Rule::Bag;

    fn local(&self) -> BTreeSet<u8> {
        BTreeSet::new()
    }

    fn next(&self, used: &mut BTreeSet<u8>) -> Option<Probe> {
        let list = self.0.lock();
        note!("this memory knows {used:?}");
        if list.iter().all(|member| used.contains(&member.id)) {
            used.clear();
        }
        let pick = list.iter().find(|member| !used.contains(&member.id)).copied()?;
        used.insert(pick.id);
        Some(pick)
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.0.lock().clone()
    }
}
