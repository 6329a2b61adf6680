//! What a change tells the outside: events with the feature `tracing`, nothing without it.
//!
//! A subscriber is user code, and so is the `Debug` of an id. So events are emitted behind the lock, after everything that
//! the change left over was dropped; a panic there finds the registry in order.

#[cfg(feature = "tracing")]
use std::sync::Arc;

use crate::{Changes, Member};

/// The list that a change published.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "tracing"), allow(dead_code, reason = "nobody is told"))]
pub(crate) struct Published {
    pub(crate) version: u64,
    pub(crate) n: usize,
}

/// Whom a change is about, kept beyond the publication if an event needs it.
pub(crate) struct About<T> {
    #[cfg(feature = "tracing")]
    member: Arc<T>,
    #[cfg(not(feature = "tracing"))]
    _member: std::marker::PhantomData<T>,
}

#[cfg(feature = "tracing")]
impl<T: Member> About<T> {
    /// Called under the lock: asks nobody, so the member is kept whether somebody listens or not.
    pub(crate) fn member(member: &Arc<T>) -> Self {
        Self { member: member.clone() }
    }

    pub(crate) fn tell(self, change: &'static str, list: Published) {
        let Published { version, n } = list;
        tracing::debug!(target: "snapring", id = ?self.member.id(), version, n, "{change}");
    }
}

/// A `replace_all` is one event.
#[cfg(feature = "tracing")]
pub(crate) fn all_replaced(changes: Changes, list: Published) {
    let Published { version, n } = list;
    let (added, removed, replaced) = (changes.added(), changes.removed(), changes.replaced());
    tracing::debug!(target: "snapring", version, n, added, removed, replaced, "replaced all");
}

#[cfg(not(feature = "tracing"))]
impl<T: Member> About<T> {
    pub(crate) fn member(_member: &std::sync::Arc<T>) -> Self {
        Self { _member: std::marker::PhantomData }
    }

    pub(crate) fn tell(self, _change: &'static str, _list: Published) {}
}

#[cfg(not(feature = "tracing"))]
pub(crate) fn all_replaced(_changes: Changes, _list: Published) {}
