//! Broken versions, one for each class of mistake. The checkers must find every one: `tests/specimens.rs`.
//!
//! Each is as short as the mistake allows and otherwise right. What a specimen answers where it is not broken follows
//! the specification, so that nothing but the mistake can kill it.

pub mod free_at_once;
pub mod lost_update;
pub mod relaxed_publication;
pub mod remainder_by_zero;
pub mod signed_counter;
pub mod two_step_read;

use snapring::platform::{AtomicU64, Platform};

use crate::scenario::{Answer, Probe};

/// Register, as the specification says, in a plain list.
pub(crate) fn register(list: &mut Vec<Probe>, member: Probe) -> Answer {
    match list.iter_mut().find(|other| other.id == member.id) {
        None => {
            list.push(member);
            Answer::Added
        }
        Some(other) if *other == member => Answer::Unchanged,
        Some(other) => Answer::Replaced(std::mem::replace(other, member)),
    }
}

/// Deregister, as the specification says, in a plain list.
pub(crate) fn deregister(list: &mut Vec<Probe>, id: u8) -> Option<Probe> {
    list.iter().position(|member| member.id == id).map(|at| list.remove(at))
}

/// One more, for the counters of specimens. Relaxed: their mistakes are elsewhere.
pub(crate) fn take<P: Platform>(count: &P::AtomicU64) -> u64 {
    count.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}
