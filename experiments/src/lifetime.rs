//! What becomes of a memory that does not live long enough.
//!
//! The same [`ShuffleBag`] as a singleton; made for each call, as a container does with a transient; and pooled, as by a
//! factory that keeps its handler for a window of calls and then makes another.

use std::sync::Arc;

use snapring::strategy::ShuffleBag;
use snapring::{Backend, Snapshot, Strategy};

/// How many calls one bag serves; `None` is all of them.
pub type Window = Option<usize>;

/// How many calls are made.
pub const CALLS: usize = 50_000;

/// What was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The share of calls that went where the call before went.
    pub repeats: f64,
    /// Of n calls in a row, how many went where one of these had gone already, on average.
    pub lost: f64,
    /// The most calls in a row that went to one instance.
    pub longest_run: usize,
    /// By how much the share of an instance differs from even, at most: (share − 1/n) · n.
    pub uneven: f64,
}

/// Calls over `n` instances with bags that serve a window each.
pub fn run(n: usize, window: Window) -> Seen {
    let members = (0..n).map(|id| Arc::new(Backend::new(id.to_string(), ""))).collect();
    let nodes = Snapshot::from_members(members);
    let window = window.unwrap_or(CALLS);
    let mut picks = Vec::with_capacity(CALLS);
    for (made, first) in (0..CALLS).step_by(window).enumerate() {
        let bag = ShuffleBag::with_seed(made as u64);
        for _ in first..CALLS.min(first + window) {
            let pick = bag.route(&nodes).expect("there are instances");
            picks.push(pick.id().parse::<usize>().expect("ids are numbers"));
        }
    }
    look(n, &picks)
}

fn look(n: usize, picks: &[usize]) -> Seen {
    let repeats = picks.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let rounds = picks.chunks_exact(n);
    let (count, lost) = (rounds.len(), rounds.map(|round| n - distinct(n, round)).sum::<usize>());
    let mut shares = vec![0usize; n];
    picks.iter().for_each(|pick| shares[*pick] += 1);
    let even = picks.len() as f64 / n as f64;
    Seen {
        repeats: repeats as f64 / (picks.len() - 1) as f64,
        lost: lost as f64 / count as f64,
        longest_run: picks.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0),
        uneven: shares.iter().map(|share| (*share as f64 - even).abs() / even).fold(0.0, f64::max),
    }
}

fn distinct(n: usize, picks: &[usize]) -> usize {
    let mut seen = vec![false; n];
    picks.iter().for_each(|pick| seen[*pick] = true);
    seen.into_iter().filter(|seen| *seen).count()
}

/// The expected share of repeats: a new bag does not know who was last, so it repeats him with probability 1/n.
pub fn expected_repeats(n: usize, window: Window) -> f64 {
    window.map_or(0.0, |window| 1.0 / (window * n) as f64)
}

/// The expected number of calls in n that are lost to repetition, where there is a simple formula: if the windows divide
/// the round, each is an independent choice of `window` out of `n`; if rounds divide the window, nothing is lost.
pub fn expected_lost(n: usize, window: Window) -> Option<f64> {
    match window {
        None => Some(0.0),
        Some(window) if window % n == 0 => Some(0.0),
        Some(window) if n % window == 0 => {
            let missed = (1.0 - window as f64 / n as f64).powi((n / window) as i32);
            Some(n as f64 * missed)
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_near_their_expectations() {
        for n in [4, 10, 20] {
            for window in [Some(1), Some(2), Some(n), Some(10 * n), None] {
                let seen = run(n, window);
                let expected = expected_repeats(n, window);
                // Four standard deviations of as many repeats.
                let error = 4.0 * (expected / CALLS as f64).sqrt();
                assert!((seen.repeats - expected).abs() <= error, "n {n}, {window:?}: {seen:?}, expected {expected}");
                let lost = expected_lost(n, window).expect("these windows have a formula");
                assert!((seen.lost - lost).abs() <= 0.05 * lost, "n {n}, {window:?}: {seen:?}, expected {lost}");
            }
        }
    }

    #[test]
    fn looking_counts_what_it_says() {
        let seen = look(3, &[0, 0, 1, 2, 2, 2]);
        assert_eq!(seen.longest_run, 3);
        assert!((seen.repeats - 3.0 / 5.0).abs() < 1e-12);
        assert!((seen.lost - 1.5).abs() < 1e-12);
        assert!((seen.uneven - 0.5).abs() < 1e-12);
    }
}
