//! Broken versions, one for each class of mistake. The checkers must find every one: `tests/specimens.rs`.
//!
//! Each is as short as the mistake allows and otherwise right. What a specimen answers where it is not broken follows
//! the specification, so that nothing but the mistake can kill it. What kills it is in the [table](table::specimens).

pub mod absolute_of_minimum;
pub mod cast_index;
pub mod cleared_by_count;
pub mod coarse_identity;
pub mod corrupted_generator;
pub mod counter_for_each_thread;
pub mod dropped_under_lock;
pub mod empty_refused;
pub mod empty_remembered;
pub mod equal_resets;
pub mod filter_in_place;
pub mod folded_ids;
pub mod free_at_once;
pub mod freed_by_a_pick;
pub mod freed_twice;
pub mod hash_order;
pub mod late_hazard;
pub mod late_removal;
pub mod list_and_turn_apart;
pub mod load_modify_store;
pub mod lost_update;
pub mod masked_counter;
pub mod never_reclaimed;
pub mod off_by_one;
pub mod older_published_last;
pub mod page;
pub mod plain_counter;
pub mod plan_shares_cursor;
pub mod pointer;
pub mod poisoned;
pub mod pre_incremented;
pub mod publish_before_filled;
pub mod read_again;
pub mod registered_twice;
pub mod relaxed_publication;
pub mod remainder_by_zero;
pub mod restart_on_change;
pub mod retry_same;
pub mod same_start;
pub mod shared_counter;
pub mod signed_counter;
pub mod skip_forward;
pub mod snapshot_takes_a_turn;
pub mod stale_weights;
pub mod stored_index;
pub mod strategy_under_lock;
pub mod swap_remove;
pub mod table;
pub mod two_memories;
pub mod two_pointers;
pub mod two_step_read;
pub mod unbounded_memory;
pub mod unlocked_memory;
pub mod version_goes_back;
pub mod weight_zero;
pub mod wrap_seam;

use std::sync::atomic::Ordering;

use snapring::Start;
use snapring::platform::{AtomicU64, Mutex, Platform};

use crate::bag::Bag;
use crate::rule::Rule;
use crate::scenario::{Answer, Op, Probe};
use crate::spec::Ring;
use crate::subject::Subject;

/// A registry with a mistake, as one function.
pub trait Mistake: Send + Sync + 'static {
    /// What its histories are held against.
    const RULE: Rule = Rule::Ring;

    /// Of these members.
    fn new(members: Vec<Probe>, start: Start) -> Self;

    /// Does an operation.
    fn call(&self, op: &Op) -> Answer;
}

impl<M: Mistake> Subject for M {
    type Local = ();
    const RULE: Rule = M::RULE;

    fn local(&self) {}

    fn next(&self, _local: &mut ()) -> Option<Probe> {
        unreachable!("`call` does everything")
    }

    fn snapshot(&self) -> Vec<Probe> {
        unreachable!("`call` does everything")
    }

    fn call(&self, op: &Op, _local: &mut ()) -> Answer {
        Mistake::call(self, op)
    }
}

/// A mistake that needs no second thread: the registry is [one lock](OneLock) around it.
pub trait Sequential: Send + 'static {
    /// What its histories are held against.
    const RULE: Rule = Rule::Ring;

    /// Of these members.
    fn new(members: Vec<Probe>, start: Start) -> Self;

    /// Does an operation.
    fn step(&mut self, op: &Op) -> Answer;
}

/// One lock around everything.
#[derive(Debug)]
pub struct OneLock<S: Sequential, P: Platform>(P::Mutex<S>);

impl<S: Sequential, P: Platform> Mistake for OneLock<S, P> {
    const RULE: Rule = S::RULE;

    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Mutex::new(S::new(members, start)))
    }

    fn call(&self, op: &Op) -> Answer {
        self.0.lock().step(op)
    }
}

/// No mistake at all: what kills the others must let it live.
impl Sequential for Ring {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self::new(members, start)
    }

    fn step(&mut self, op: &Op) -> Answer {
        self.step(op)
    }
}

/// No mistake at all, either.
impl Sequential for Bag {
    const RULE: Rule = Rule::Bag;

    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self::new(members, start)
    }

    fn step(&mut self, op: &Op) -> Answer {
        self.first(op)
    }
}

/// Everything but a pick, as the specification says, in a plain list.
fn step(list: &mut Vec<Probe>, op: &Op) -> Answer {
    let mut ring = Ring::new(std::mem::take(list), Start::default());
    let answer = ring.step(op);
    *list = ring.members;
    answer
}

/// A pick by a counter.
fn pick(list: &[Probe], count: u64) -> Answer {
    Answer::Picked(count.checked_rem(list.len() as u64).map(|at| list[at as usize]))
}

/// One more, for the counters of specimens. Relaxed: their mistakes are elsewhere.
fn take<P: Platform>(count: &P::AtomicU64) -> u64 {
    count.fetch_add(1, Ordering::Relaxed)
}
