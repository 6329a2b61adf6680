//! What threads do to a cell.

use std::sync::Arc;

use arc_swap::ArcSwapAny;
use loom::thread;

use crate::object::{Pool, Ref};

type Cell = ArcSwapAny<Ref>;

/// The scenario of this name.
pub fn named(name: &str) -> Option<fn()> {
    Some(match name {
        "load ∥ store" => || load_and_store(false),
        "load ∥ store, not the first" => || load_and_store(true),
        "load with no free slot ∥ store" => load_without_a_slot,
        "load with no free slot ∥ store ∥ store" => load_without_a_slot_and_two_stores,
        "load ∥ stores that use an address again" => address_used_again,
        "rcu ∥ rcu" => two_rcu,
        _ => return None,
    })
}

fn cell(owner: u32, pool: &Pool) -> Arc<Cell> {
    Arc::new(Cell::new(Ref::new(owner, 0, pool)))
}

/// A reader takes its only fast slot.
fn load_and_store(overwritten: bool) {
    let pool = Pool::default();
    let cell = cell(1, &pool);
    if overwritten {
        cell.store(Ref::new(1, 0, &pool));
    }
    let reader = cell.clone();
    let reader = thread::spawn(move || assert!(reader.load().look(1) <= 1));
    cell.store(Ref::new(1, 1, &pool));
    reader.join().unwrap();
}

/// A reader that holds its only fast slot loads again, and a writer may have to help.
fn load_without_a_slot() {
    let pool = Pool::default();
    let cell = cell(1, &pool);
    let reader = cell.clone();
    let reader = thread::spawn(move || {
        let held = reader.load();
        let before = held.look(1);
        assert!(reader.load().look(1) >= before, "a reader has gone back");
    });
    cell.store(Ref::new(1, 1, &pool));
    reader.join().unwrap();
}

/// The same with two writers that may both help.
fn load_without_a_slot_and_two_stores() {
    let pool = Pool::default();
    let cell = cell(1, &pool);
    let writers = [1, 2].map(|version| {
        let (cell, pool) = (cell.clone(), pool.clone());
        thread::spawn(move || cell.store(Ref::new(1, version, &pool)))
    });
    let held = cell.load();
    let (first, second) = (cell.load().look(1), cell.load().look(1));
    if first != 0 && first != second {
        assert_eq!(cell.load().look(1), second, "a reader has gone back");
    }
    assert!(held.look(1) <= 2);
    drop(held);
    for writer in writers {
        writer.join().unwrap();
    }
}

/// What a reader is about to confirm dies, lies at the same address in another cell, and is taken out there.
fn address_used_again() {
    let pool = Pool::reusing();
    let (one, other) = (cell(1, &pool), cell(2, &pool));
    let reader = one.clone();
    let reader = thread::spawn(move || {
        reader.load().look(1);
    });
    one.store(Ref::new(1, 1, &pool));
    other.store(Ref::new(2, 1, &pool));
    other.store(Ref::new(2, 2, &pool));
    reader.join().unwrap();
}

/// No update is lost.
fn two_rcu() {
    let pool = Pool::default();
    let cell = cell(1, &pool);
    let add = |cell: &Cell, pool: &Pool| {
        cell.rcu(|value: &Ref| Ref::new(1, value.look(1) + 1, pool));
    };
    let other = (cell.clone(), pool.clone());
    let other = thread::spawn(move || add(&other.0, &other.1));
    add(&cell, &pool);
    other.join().unwrap();
    assert_eq!(cell.load().look(1), 2, "an update was lost");
}
