//! What one change does to a rotation.
//!
//! Two questions. *Positions*: at how many positions of the list does another member stand than before? *Requests*: for
//! how many of all states of the counter does the very next request go to another member than it would have?

use fastrand::Rng;
use snapring::{Backend, MutexRegistry, Registry, Start};

use crate::hash_order::iterated;

/// In what order the list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As a hash set iterates.
    Hash,
    /// By id.
    Sorted,
    /// As members came.
    Insertion,
}

/// Who takes turns over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// A counter `% n` over a list in this order.
    Counter(Order),
    /// [`Registry::next`].
    ExactRing,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// One more member.
    Registration,
    /// One member less, each as likely as the others.
    Removal,
}

/// The lists' lengths before the change.
pub const SIZES: [usize; 10] = [3, 5, 8, 16, 32, 64, 128, 256, 512, 1024];

/// How often a change is tried, with other ids: where its place is by chance, and where every state of it is looked at.
const PLACES: usize = 400;
const STATES: usize = 12;

/// The share of positions at which another member stands, on average.
pub fn positions(order: Order, change: Change, n: usize) -> f64 {
    let moved = trials(PLACES, n, change, |before, after| {
        let (before, after) = (order.list(before), order.list(after));
        let common = before.len().min(after.len());
        before.iter().zip(&after).filter(|(one, other)| one != other).count() as f64 / common as f64
    });
    mean(&moved)
}

/// What [`positions`] is expected to be: a member that comes or goes at a random place moves all behind it.
pub fn expected_positions(order: Order, change: Change) -> f64 {
    if (order, change) == (Order::Insertion, Change::Registration) { 0.0 } else { 0.5 }
}

/// The share of states in which the next request goes to another member, on average.
pub fn requests(rotation: Rotation, change: Change, n: usize) -> f64 {
    let moved = trials(STATES, n, change, |before, after| match rotation {
        Rotation::Counter(order) => by_counter(&order.list(before), &order.list(after)),
        Rotation::ExactRing => by_ring(before, after),
    });
    mean(&moved)
}

/// What [`requests`] is expected to be. Two counters modulo n and n ± 1 agree as rarely as two random numbers do.
pub fn expected_requests(rotation: Rotation, change: Change, n: usize) -> f64 {
    let n = n as f64;
    match (rotation, change) {
        (Rotation::Counter(_), Change::Registration) => n / (n + 1.0),
        (Rotation::Counter(_), Change::Removal) => (n - 1.0) / n,
        (Rotation::ExactRing, Change::Registration) => 0.0,
        // Only if the member that left was due.
        (Rotation::ExactRing, Change::Removal) => 1.0 / n,
    }
}

impl Order {
    fn list(self, ids: &[String]) -> Vec<String> {
        match self {
            Self::Hash => iterated(ids),
            Self::Insertion => ids.to_vec(),
            Self::Sorted => {
                let mut sorted = ids.to_vec();
                sorted.sort();
                sorted
            }
        }
    }
}

/// Measures the same change with different ids. Seeded by n: the same ids for all that are compared.
fn trials(count: usize, n: usize, change: Change, measure: impl Fn(&[String], &[String]) -> f64) -> Vec<f64> {
    let mut random = Rng::with_seed(n as u64);
    let trial = |_| {
        let mut ids = addresses(&mut random, n + 1);
        let (before, after) = match change {
            Change::Registration => (ids[..n].to_vec(), ids),
            Change::Removal => {
                ids.pop();
                let mut after = ids.clone();
                after.remove(random.usize(..n));
                (ids, after)
            }
        };
        measure(&before, &after)
    };
    (0..count).map(trial).collect()
}

/// As many different ones, in random order.
fn addresses(random: &mut Rng, count: usize) -> Vec<String> {
    let hosts = random.choose_multiple(0..1u32 << 16, count);
    let mut addresses: Vec<_> =
        hosts.into_iter().map(|host| format!("10.0.{}.{}:8080", host >> 8, host & 255)).collect();
    random.shuffle(&mut addresses);
    addresses
}

/// States of the counter: the moduli of both lengths have no common divisor, so every pair of positions
/// occurs once in before × after states.
fn by_counter(before: &[String], after: &[String]) -> f64 {
    let states = before.len() * after.len();
    // Of many states a thousandth, evenly spread.
    let step = if states > 100_000 { 1_009 } else { 1 };
    let seen = (0..states).step_by(step);
    let total = seen.len();
    let moved = seen.filter(|count| before[count % before.len()] != after[count % after.len()]).count();
    moved as f64 / total as f64
}

/// States of the ring: all, or 64 of a larger one.
fn by_ring(before: &[String], after: &[String]) -> f64 {
    let members = |ids: &[String]| ids.iter().map(|id| Backend::new(id.as_str(), "")).collect::<Vec<_>>();
    let states =
        if before.len() > 64 { (0..before.len()).step_by(before.len() / 64) } else { (0..before.len()).step_by(1) };
    let total = states.len();
    let moved = states.filter(|due| {
        let registry = MutexRegistry::with_start(members(before), Start { count: *due as u64, ..Start::default() });
        match after.iter().find(|id| !before.contains(id)) {
            Some(new) => drop(registry.register(Backend::new(new.as_str(), ""))),
            None => {
                let gone = before.iter().find(|id| !after.contains(id)).expect("one of them left");
                registry.deregister(gone);
            }
        }
        registry.next().expect("there are some").id() != before[*due]
    });
    moved.count() as f64 / total as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_rotations_are_as_expected_to_the_last_state() {
        for n in [3, 5, 8] {
            for change in [Change::Registration, Change::Removal] {
                for rotation in [Order::Hash, Order::Sorted, Order::Insertion].map(Rotation::Counter) {
                    let (measured, expected) = (requests(rotation, change, n), expected_requests(rotation, change, n));
                    assert!((measured - expected).abs() < 1e-9, "{rotation:?}, {change:?}, {n}: {measured}");
                }
                let ring = requests(Rotation::ExactRing, change, n);
                assert!((ring - expected_requests(Rotation::ExactRing, change, n)).abs() < 1e-9, "{change:?}: {ring}");
            }
        }
    }

    #[test]
    fn a_change_moves_half_of_an_unordered_list() {
        for n in [16, 256] {
            for (order, change) in [(Order::Hash, Change::Registration), (Order::Sorted, Change::Removal)] {
                let measured = positions(order, change, n);
                // 400 uniform shares: a standard deviation of 0.0144; four of them.
                assert!((measured - 0.5).abs() < 0.058, "{order:?}, {change:?}, {n}: {measured}");
            }
            assert_eq!(positions(Order::Insertion, Change::Registration, n), 0.0);
        }
    }
}
