//! What handles promise beyond the contract: shares, memory, who drops what, and where they may live.

mod exact;
mod fairness;
mod lifetimes;
mod memory;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, ThreadId};

use snapring::{HandleRegistry, Member, NoBackends, Registry, Start};

/// A member that notes where it is dropped.
#[derive(Debug)]
struct Noted {
    id: u64,
    drops: Option<Arc<Mutex<Vec<ThreadId>>>>,
}

impl PartialEq for Noted {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Member for Noted {
    type Id = u64;

    fn id(&self) -> &u64 {
        &self.id
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        if let Some(drops) = &self.drops {
            drops.lock().unwrap().push(thread::current().id());
        }
    }
}

fn member(id: u64) -> Noted {
    Noted { id, drops: None }
}

fn of(n: u64) -> HandleRegistry<Noted> {
    HandleRegistry::with_start((0..n).map(member).collect(), Start::default())
}

fn spread(counts: &HashMap<u64, u64>, ids: impl Iterator<Item = u64> + Clone) -> u64 {
    let count = |id| counts.get(&id).copied().unwrap_or(0);
    let (most, least) = (ids.clone().map(count).max().unwrap(), ids.map(count).min().unwrap());
    most - least
}
