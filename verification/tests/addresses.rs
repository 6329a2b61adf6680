//! arc-swap itself on real threads, with an oracle, while addresses are used again as fast as they are freed: a reader
//! that confirms a pointer by its address alone may then hold somebody else's value.
//!
//! This machine's schedules only: that nothing is found is no proof.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use snapring::platform::{Platform, SwapCell};
use snapring::{ArcSwapRegistry, HandleRegistry, Member, Registry, Std};

/// A test has tried enough after so many of each. Not after a time, which a busy machine has no use for.
const READS: u64 = 20_000;
const WRITES: u64 = 50_000;
/// Writes of a value that lies where an earlier one did.
const REUSED: u64 = 10_000;
/// After so many writes, addresses will not be used again.
const MOST: u64 = 20 * WRITES;
const READERS: usize = 3;
const ALIVE: u64 = 0xA11F_E000_0000_0000;
const DEAD: u64 = 0xDEAD_0000_0000_0000;

/// What the oracle knows.
#[derive(Debug, Default)]
struct Oracle {
    made: AtomicU64,
    dropped: AtomicU64,
}

/// A value that says whether it is alive, whose it is, and how old. One size, so that the allocator gives the address
/// that was freed last.
#[derive(Debug)]
struct Value {
    /// An atomic, so that looking at a value that is gone is found by the oracle before it is by luck.
    magic: AtomicU64,
    owner: u8,
    version: u64,
    oracle: Arc<Oracle>,
}

impl Value {
    fn new(owner: u8, version: u64, oracle: &Arc<Oracle>) -> Self {
        oracle.made.fetch_add(1, Ordering::Relaxed);
        Self { magic: AtomicU64::new(ALIVE), owner, version, oracle: oracle.clone() }
    }

    /// Its version, if it is alive and this owner's.
    fn look(&self, owner: u8) -> u64 {
        assert_eq!(self.magic.load(Ordering::Relaxed), ALIVE, "a reader has a value that is gone");
        assert_eq!(self.owner, owner, "a reader has a value of another cell");
        self.version
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        assert_eq!(self.magic.swap(DEAD, Ordering::Relaxed), ALIVE, "a value is dropped twice");
        self.oracle.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// By id; the rest is the oracle's.
impl Member for Value {
    type Id = u8;

    fn id(&self) -> &u8 {
        &self.owner
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        (self.owner, self.version) == (other.owner, other.version)
    }
}

impl Eq for Value {}

/// What a test has tried.
#[derive(Debug, Default)]
struct Tried {
    reads: AtomicU64,
    writes: AtomicU64,
    /// Writes whose value lies where one of an earlier write did.
    reused: AtomicU64,
}

impl Tried {
    fn counts(&self) -> [u64; 3] {
        [&self.reads, &self.writes, &self.reused].map(|count| count.load(Ordering::Relaxed))
    }

    fn is_enough(&self) -> bool {
        let [reads, writes, reused] = self.counts();
        writes >= MOST || reads >= READS && writes >= WRITES && reused >= REUSED
    }

    fn report(&self, name: &str) {
        let [reads, writes, reused] = self.counts();
        println!("{name}: {reads} reads, {writes} writes, {reused} of them at an address used before");
        assert!(reused >= REUSED, "addresses were not used again");
    }
}

/// Runs readers, and a writer in this thread, until enough was tried. Each reader's state is its own.
fn race<S>(local: impl Fn() -> S + Sync, read: impl Fn(&mut S) + Sync, mut write: impl FnMut(u64) -> usize) -> Tried {
    let (over, tried) = (AtomicBool::new(false), Tried::default());
    thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                let mut state = local();
                while !over.load(Ordering::Relaxed) {
                    read(&mut state);
                    tried.reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut seen = HashSet::new();
        for version in 1.. {
            let address = write(version);
            tried.writes.fetch_add(1, Ordering::Relaxed);
            tried.reused.fetch_add(u64::from(!seen.insert(address)), Ordering::Relaxed);
            if tried.is_enough() {
                break;
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    tried
}

type SwapOf<T> = <Std as Platform>::ArcSwap<T>;

/// arc-swap keeps this many reads of a thread in fast slots; more go another way.
const SLOTS: usize = 8;

/// Reads inside a read, so that all slots are taken, and returns the version.
fn nested(cells: &[SwapOf<Value>; 2], depth: usize) -> u64 {
    let owner = depth % 2;
    cells[owner].read(|value| {
        let before = value.look(owner as u8);
        if depth > 0 {
            nested(cells, depth - 1);
        }
        assert_eq!(value.look(owner as u8), before, "a value changed while it was read");
        before
    })
}

#[test]
fn two_cells_that_take_over_addresses_from_each_other() {
    let oracle = Arc::new(Oracle::default());
    let cells: [SwapOf<Value>; 2] =
        [0, 1].map(|owner| <SwapOf<Value> as SwapCell<_>>::new(Arc::new(Value::new(owner, 0, &oracle))));
    let read = |(deep, last): &mut (bool, [u64; 2])| {
        *deep = !*deep;
        let depth = if *deep { SLOTS + 4 } else { 0 };
        for (owner, last) in last.iter_mut().enumerate() {
            let version = nested(&cells, depth * 2 + owner);
            assert!(version >= *last, "a reader saw an older value again");
            *last = version;
        }
    };
    let write = |version| {
        let owner = (version % 2) as u8;
        let value = Arc::new(Value::new(owner, version, &oracle));
        let address = Arc::as_ptr(&value).addr();
        drop(cells[usize::from(owner)].swap(value));
        address
    };
    let tried = race(|| (false, [0; 2]), read, write);
    drop(cells);
    assert_eq!(oracle.made.load(Ordering::Relaxed), oracle.dropped.load(Ordering::Relaxed), "made and dropped");
    tried.report("two cells");
}

/// A member is replaced in place, again and again; others come and go.
fn registry<R: Registry<Value>, S>(
    name: &str,
    registry: R,
    local: impl Fn(&R) -> S + Sync,
    pick: impl Fn(&R, &mut S) -> (u8, u64) + Sync,
) {
    let oracle = Arc::new(Oracle::default());
    registry.register(Value::new(0, 0, &oracle));
    let read = |(state, last): &mut (S, [u64; 2])| {
        let (owner, version) = pick(&registry, state);
        assert!(version >= last[usize::from(owner)], "a reader saw an older member again");
        last[usize::from(owner)] = version;
    };
    let write = |version| {
        match version % 4 {
            1 => drop(registry.register(Value::new(1, version, &oracle))),
            3 => drop(registry.deregister(&1)),
            _ => drop(registry.register(Value::new(0, version, &oracle))),
        }
        registry.snapshot().as_ptr().addr()
    };
    let tried = race(|| (local(&registry), [0; 2]), read, write);
    drop(registry);
    assert_eq!(oracle.made.load(Ordering::Relaxed), oracle.dropped.load(Ordering::Relaxed), "made and dropped");
    tried.report(name);
}

#[test]
fn the_arc_swap_registry() {
    let pick = |registry: &ArcSwapRegistry<Value>, (): &mut ()| {
        let member = registry.next().expect("0 stays");
        (member.owner, member.look(member.owner))
    };
    registry("arc-swap", ArcSwapRegistry::new(), |_| (), pick);
}

#[test]
fn handles() {
    let local = |registry: &HandleRegistry<Value>| registry.handle();
    let pick = |_: &HandleRegistry<Value>, handle: &mut snapring::Handle<Value>| {
        let member = handle.next().expect("0 stays");
        (member.owner, member.look(member.owner))
    };
    registry("handles", HandleRegistry::new(), local, pick);
}
