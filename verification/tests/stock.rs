//! What stock loom would have missed: our own scenarios, and the ledger of orderings, without what our platform adds.
//!
//! `cargo test -p snapring-verification --features loom --test stock -- --ignored --nocapture` prints the tables.

use std::sync::atomic::Ordering;

use snapring::orderings::{LEDGER, Site};
use snapring::platform::{Loom, loom::weakened};
use snapring_verification::runner::loom::{Depth, run_on};
use snapring_verification::stock::StockLoom;
use snapring_verification::subject::suits;
use snapring_verification::{Row, Verdict, catalog, for_each_registry, report};

/// How many runs reach their bound, and in how many of them stock loom sees fewer histories.
const RUNS: (usize, usize) = (263, 13);

/// The orderings that our platform finds to be needed and stock loom does not, of how many.
const MISSED: (&[&str], usize) = (&[], 7);

/// Scenario by scenario: how many executions, and how many different histories, with our additions and without.
///
/// # Panics
///
/// If stock loom sees a history count that ours does not reach.
#[test]
#[ignore = "takes minutes"]
fn histories() {
    let depth = Depth { preemptions: Some(2), executions: 20_000 };
    let (mut ours, mut stocks) = (Vec::new(), Vec::new());
    for scenario in catalog::all() {
        macro_rules! ours {
            ($name:literal, $make:expr) => {
                if suits(&scenario, $make) {
                    ours.push(run_on::<Loom, _>($name, &scenario, $make, depth));
                }
            };
        }
        macro_rules! stock {
            ($name:literal, $make:expr) => {
                if suits(&scenario, $make) {
                    stocks.push(run_on::<StockLoom, _>($name, &scenario, $make, depth));
                }
            };
        }
        for_each_registry!(ours, Loom);
        for_each_registry!(stock, StockLoom);
    }
    let whole = |(ours, stock): &(Row, Row)| {
        assert!(ours.failure.is_none() && stock.failure.is_none(), "{}", ours.key());
        ours.verdict != Verdict::Truncated && stock.verdict != Verdict::Truncated
    };
    let pairs: Vec<(Row, Row)> = ours.into_iter().zip(stocks).filter(whole).collect();
    let lines = pairs.iter().map(|(ours, stock)| {
        let [executions, theirs] = [ours, stock].map(|row| row.executions.to_string());
        let [histories, seen] = [ours, stock].map(|row| row.histories.to_string());
        [ours.subject.clone(), ours.scenario.clone(), executions, theirs, histories, seen]
    });
    let header = ["registry", "scenario", "executions", "stock", "histories", "stock"];
    println!("{}", report::lines(&header, lines));
    let fewer = pairs.iter().filter(|(ours, stock)| stock.histories < ours.histories).count();
    println!("{} runs to the bound; in {fewer} of them stock loom sees fewer histories", pairs.len());
    assert_eq!((pairs.len(), fewer), RUNS);
    assert!(pairs.iter().all(|(ours, stock)| stock.histories <= ours.histories));
}

/// The ledger again.
#[test]
#[ignore = "takes minutes"]
fn orderings() {
    let needed = LEDGER.iter().filter(|site| site.ordering != Ordering::Relaxed);
    let needed: Vec<&'static Site> = needed.filter(|site| kill::<true>(site)).collect();
    let missed: Vec<&str> = needed.iter().filter(|site| !kill::<false>(site)).map(|site| site.name).collect();
    println!("{} orderings are needed; stock loom misses {missed:?}", needed.len());
    assert_eq!((&*missed, needed.len()), MISSED);
}

/// Whether a model fails without the ordering.
fn kill<const OURS: bool>(site: &'static Site) -> bool {
    let of_handles = !["TICKET", "CELL", "RETIRED"].iter().any(|theirs| site.name.starts_with(theirs));
    for preemptions in 0..=2 {
        let depth = Depth { preemptions: Some(preemptions), executions: 1_500 };
        for scenario in catalog::all() {
            macro_rules! look {
                ($platform:ty, $name:literal, $make:expr) => {
                    if $name.contains("handle") == of_handles && suits(&scenario, $make) {
                        let row = weakened(site, Ordering::Relaxed, || {
                            run_on::<$platform, _>($name, &scenario, $make, depth)
                        });
                        if row.failure.is_some() {
                            return true;
                        }
                    }
                };
            }
            macro_rules! ours {
                ($name:literal, $make:expr) => {
                    look!(Loom, $name, $make)
                };
            }
            macro_rules! stock {
                ($name:literal, $make:expr) => {
                    look!(StockLoom, $name, $make)
                };
            }
            if OURS {
                for_each_registry!(ours, Loom);
            } else {
                for_each_registry!(stock, StockLoom);
            }
        }
    }
    false
}
