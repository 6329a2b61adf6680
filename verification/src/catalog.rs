//! The scenarios that every registry goes through, each named by the race that it would catch.

use crate::scenario::{Op, Probe, Scenario};
use Op::{Deregister, Next, Renew, ReplaceAll, Snapshot};

/// Register a member with plain contents.
pub fn register(id: u8) -> Op {
    Op::Register(id.into())
}

/// Register a member with other contents.
pub fn register_changed(id: u8) -> Op {
    Op::Register(Probe { id, contents: 1 })
}

/// Replace the list by members with plain contents.
pub fn replace_all(ids: &[u8]) -> Op {
    ReplaceAll(ids.iter().copied().map(Probe::from).collect())
}

/// Two threads each.
pub fn pairs() -> Vec<Scenario> {
    vec![
        Scenario::new("deregister ∥ next", &[1, 2, 3], &[&[Deregister(2)], &[Next, Next]]).after(1),
        Scenario::new("deregister the last, which is due ∥ next", &[1, 2, 3], &[&[Deregister(3)], &[Next]]).after(2),
        Scenario::new("drain to empty ∥ next", &[1], &[&[Deregister(1)], &[Next, Next]]),
        Scenario::new("drain and refill ∥ next", &[1], &[&[Deregister(1), register(2)], &[Next, Next]]),
        Scenario::new("register from empty ∥ next", &[], &[&[register(1)], &[Next, Next]]),
        Scenario::new("register twice from empty ∥ next", &[], &[&[register(1), register(2)], &[Next, Next]]),
        Scenario::new("register ∥ next", &[1], &[&[register(2)], &[Next, Next]]),
        Scenario::new("register, deregister ∥ next", &[1, 2], &[&[register(3), Deregister(1)], &[Next, Next]]).after(1),
        Scenario::new("replace in place ∥ next", &[1, 2], &[&[register_changed(1)], &[Next, Next]]),
        Scenario::new("replace_all ∥ next", &[1, 2, 3], &[&[replace_all(&[3, 4])], &[Next, Next]]).after(1),
        Scenario::new("next ∥ next across the count's wrap", &[1, 2, 3], &[&[Next, Next], &[Next, Next]]).after(4),
        Scenario::new("deregister ∥ next at the count's wrap", &[1, 2, 3], &[&[Deregister(1)], &[Next, Next]]).after(5),
        Scenario::new("register from empty ∥ next at the count's wrap", &[], &[&[register(1)], &[Next, Next]]).after(7),
        Scenario::new("register ∥ register the same", &[1], &[&[register(2)], &[register(2), Next]]),
        Scenario::new("register ∥ deregister", &[1], &[&[register(2), Next], &[Deregister(1)]]),
        Scenario::new("register ∥ snapshot", &[1], &[&[register(2)], &[Next, Snapshot]]),
        Scenario::new(
            "deregister, register ∥ snapshots",
            &[1, 2],
            &[&[Deregister(1), register(3)], &[Snapshot, Snapshot]],
        ),
    ]
}

/// Three threads each.
pub fn triples() -> Vec<Scenario> {
    vec![
        Scenario::new("deregister ∥ next ∥ next", &[1, 2, 3], &[&[Deregister(2)], &[Next], &[Next]]).after(1),
        Scenario::new("register from empty ∥ next ∥ next", &[], &[&[register(1)], &[Next], &[Next]]),
        Scenario::new("two writers ∥ next", &[1, 2, 3], &[&[Deregister(3)], &[register(4)], &[Next]]).after(2),
        Scenario::new("next ∥ next ∥ next across the count's wrap", &[1, 2, 3], &[&[Next], &[Next], &[Next]]).after(5),
        Scenario::new("deregister ∥ next ∥ next at the wrap", &[1, 2, 3], &[&[Deregister(1)], &[Next], &[Next]])
            .after(5),
    ]
}

/// For handles: they come and go, and sleep while much happens.
pub fn handles() -> Vec<Scenario> {
    vec![
        Scenario::new("renew, next ∥ deregister", &[1, 2, 3], &[&[Deregister(2)], &[Renew, Next]]).after(1),
        Scenario::new(
            "next, renew ∥ deregister, register",
            &[1, 2, 3],
            &[&[Deregister(2), register(4)], &[Next, Renew]],
        ),
        Scenario::new("renew ∥ deregister ∥ next", &[1, 2, 3], &[&[Deregister(2)], &[Renew], &[Next]]),
        Scenario::new(
            "asleep through three changes, then next",
            &[1, 2, 3],
            &[&[Deregister(2), register(4), Deregister(1)], &[Next]],
        ),
        Scenario::new("next ∥ next, then next", &[1, 2], &[&[Next], &[Next, Next]]),
    ]
}

/// For leases: what is left of one across changes and hands.
pub fn leases() -> Vec<Scenario> {
    let picks: &[Op] = &[Next, Next, Next];
    vec![
        Scenario::new("a lease ∥ deregister", &[1, 2, 3], &[&[Deregister(3)], picks]).after(1),
        Scenario::new("a lease ∥ deregister, register", &[1, 2, 3], &[&[Deregister(3), register(4)], picks]).after(1),
        Scenario::new("a lease ∥ leave and come back", &[1, 2, 3], &[&[Deregister(2), register(2)], picks]),
        Scenario::new("a lease ∥ replace in place", &[1, 2, 3], &[&[register_changed(2)], picks]),
        Scenario::new("a lease ∥ replace_all", &[1, 2, 3], &[&[replace_all(&[4, 3, 1])], picks]).after(1),
        Scenario::new("a lease ∥ a lease ∥ deregister", &[1, 2, 3], &[&[Deregister(2)], &[Next, Next], &[Next]]),
        Scenario::new("what is left goes on ∥ deregister", &[1, 2, 3], &[&[Deregister(2)], &[Next, Renew, Next, Next]]),
        Scenario::new("what is left goes to another", &[1, 2, 3], &[&[Next, Renew], &[Next, Next]]),
        Scenario::new("leases across the count's wrap", &[1, 2, 3], &[&[Next, Next], &[Next, Next]]).after(4),
    ]
}

/// More threads and operations than can be explored to the end: for samples.
pub fn crowds() -> Vec<Scenario> {
    let picks: &[Op] = &[Next, Next, Next];
    vec![
        Scenario::new(
            "two writers ∥ three times next",
            &[1, 2, 3],
            &[&[Deregister(2), register(4)], &[register(5), Deregister(1)], picks, picks, picks],
        ),
        Scenario::new(
            "drain, refill ∥ replace_all ∥ next ∥ next",
            &[1],
            &[&[Deregister(1), register(2)], &[replace_all(&[3, 1]), replace_all(&[])], picks, picks],
        ),
        Scenario::new(
            "two writers ∥ six times next",
            &[1, 2, 3],
            &[
                &[Deregister(2), register(4)],
                &[register(5), Deregister(1)],
                &[Next, Next],
                &[Next, Next],
                &[Next],
                &[Next],
                &[Next],
                &[Next],
            ],
        ),
    ]
}

/// All that can be explored.
pub fn all() -> Vec<Scenario> {
    pairs().into_iter().chain(triples()).chain(handles()).chain(leases()).collect()
}
