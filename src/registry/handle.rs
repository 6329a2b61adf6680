//! [`HandleRegistry`]: a handle for each thread.

use super::registry;
use crate::Member;
use crate::platform::Platform;
use crate::tickets::{Handle, LeasedHandle, Tickets};

registry! {
    /// The fastest one: threads pick through handles of their own, which own the list that they look at.
    ///
    /// | | guarantee | cost of a pick | for |
    /// |---|---|---|---|
    /// | [`leased(k)`](Self::leased) | k consecutive turns at a time; shares within the number of leases of even | a small multiple of a local array | request loops |
    /// | [`handle()`](Self::handle) | the exact ring | one shared read-modify-write | when the order matters across threads |
    /// | [`Registry::next`](crate::Registry::next) | the exact ring | two, and a reference count | now and then, without a handle |
    ///
    /// The registry's own `next` and the exact handles keep the
    /// [contract](crate::Registry#the-contract-of-next-an-exact-ring) as long as no lease is alive; a living lease takes
    /// its turns out of the ring until it delivers them.
    ///
    /// ```
    /// use snapring::{Backend, HandleRegistry, Registry};
    ///
    /// let registry = HandleRegistry::<Backend>::new();
    /// registry.register(Backend::new("a", "10.0.0.1:80"));
    /// registry.register(Backend::new("b", "10.0.0.2:80"));
    ///
    /// let mut handle = registry.leased(64); // one for each worker
    /// std::thread::spawn(move || {
    ///     let backend = handle.next().expect("two are registered");
    ///     println!("to {backend}");
    /// })
    /// .join()
    /// .unwrap();
    /// ```
    ///
    /// **Publication.** The versioned ticket without links: the ticket is the reference. A directory holds the versions
    /// of which a ticket may be unserved. Lists are kept in chunks of 64, so a registration copies n/64 references and
    /// one chunk; the slice of a [`Snapshot`](crate::Snapshot) is made when the first one of a version is asked for.
    ///
    /// **Reclamation.** By writers: a change, or [`collect`](Self::collect), drops the lists that no handle owns and whose
    /// tickets are all served, outside of any lock. `next` never drops a list or a member. Live lists ≤ living handles +
    /// held snapshots + 2. So a removed member's `Drop` runs in the `deregister` that removed it, unless a handle
    /// or a snapshot still has a list with it: then in a later change or `collect` after the handle has moved on, or with
    /// the snapshot or the pick. A handle that sleeps keeps one list. A call stalled inside `next` keeps at most two
    /// more: the one its ticket is of and the one that it was moving the word to. When the registry value is dropped,
    /// what handles have left goes with them.
    ///
    /// **Orderings.** `ISSUE_*`, `OVER_*`, `END_*`, `SERVED_*` and `LINE_*` of the [ledger](crate::orderings).
    ///
    /// **Progress.** See [`Handle::next`] and [`LeasedHandle::next`]. `next` and `snapshot` of the registry are lock-free;
    /// the first `snapshot` of a version copies the list, O(n). Making and dropping a handle
    /// take a short lock, and so may happen anywhere, thread-local destructors included.
    HandleRegistry<T, P> over Tickets<T, P>
}

impl<T: Member, P: Platform> HandleRegistry<T, P> {
    /// An exact handle.
    pub fn handle(&self) -> Handle<T, P> {
        Handle::new(self.roster.rotation().desk())
    }

    /// A handle that takes about `k` turns at a time: as many whole rounds as fit into `k`, or `k` turns if there are
    /// more members. `k` is at least 1 (0 counts as 1) and at most 65,536 (more counts as that).
    pub fn leased(&self, k: usize) -> LeasedHandle<T, P> {
        LeasedHandle::new(self.roster.rotation().desk(), k)
    }

    /// Drops what no handle and no ticket needs any more. Changes do this by themselves; call it when there has been
    /// none for long and handles have moved on. Blocking: waits for changes, as another change would. O(lists that wait +
    /// handles).
    pub fn collect(&self) {
        self.roster.collect();
    }
}
