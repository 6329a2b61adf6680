//! Every ordering of the ledger that is stronger than relaxed is weakened, one at a time, and a model must then fail.
//!
//! Ends with the table: which ordering, and what kills the version without it.

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};
use snapring::orderings::{LEDGER, Site};
use snapring::platform::{Loom, loom::weakened};
use snapring_verification::runner::loom::{Depth, run_on};
use snapring_verification::stale::StaleLoom;
use snapring_verification::subject::suits;
use snapring_verification::{Row, catalog, for_each_registry, report};

/// Those that no model fails without. The ledger says why they stay.
const ARGUED: &[&str] =
    &["ISSUE_MOVE", "ISSUE_FOLD", "END_TELL", "END_READ", "SERVED_TELL", "SERVED_READ", "LINE_SERVED", "LINE_READ"];

fn main() -> ExitCode {
    let killed: Arc<Mutex<Vec<(Site, Row)>>> = Arc::default();
    let sites = LEDGER.iter().filter(|site| site.ordering != Ordering::Relaxed);
    let trials = sites.map(|site| {
        let killed = killed.clone();
        Trial::test(format!("{} is needed", site.name), move || match (kill(site), ARGUED.contains(&site.name)) {
            (Some(row), false) => {
                killed.lock().unwrap().push((*site, row));
                Ok(())
            }
            (None, true) => Ok(()),
            (Some(row), true) => Err(format!("killed by `{}` after all: take it off the list", row.key()).into()),
            (None, false) => Err(Failed::from("survived: no model fails without it")),
        })
    });
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    println!("{}", table(&killed.lock().unwrap()));
    conclusion.exit_code()
}

/// The first model that fails without the ordering and passes with it, looking everywhere with few preemptions before
/// anywhere with many.
fn kill(site: &'static Site) -> Option<Row> {
    let of_handles = !["TICKET", "CELL", "RETIRED"].iter().any(|theirs| site.name.starts_with(theirs));
    // Nobody expects those to be killed, so a short look will do.
    let most = if ARGUED.contains(&site.name) { 0 } else { 2 };
    for preemptions in 0..=most {
        let depth = Depth { preemptions: Some(preemptions), executions: LIMIT };
        for scenario in catalog::all() {
            macro_rules! look {
                ($platform:ty, $name:literal, $make:expr) => {
                    if $name.contains("handle") == of_handles && suits(&scenario, $make) {
                        let look = || run_on::<$platform, _>($name, &scenario, $make, depth);
                        let row = weakened(site, Ordering::Relaxed, look);
                        if row.failure.is_some() {
                            let with = look();
                            assert!(with.failure.is_none(), "`{}` fails anyway", with.key());
                            return Some(row);
                        }
                    }
                };
            }
            macro_rules! on_loom {
                ($name:literal, $make:expr) => {
                    look!(Loom, $name, $make)
                };
            }
            macro_rules! on_stale_loom {
                ($name:literal, $make:expr) => {
                    look!(StaleLoom, $name, $make)
                };
            }
            if of_handles {
                for_each_registry!(on_stale_loom, StaleLoom);
            }
            for_each_registry!(on_loom, Loom);
        }
    }
    None
}

/// Executions of one model. What is needed shows early.
const LIMIT: usize = 1_500;

fn table(killed: &[(Site, Row)]) -> String {
    report::lines(
        &["ordering", "is", "killed by", "scenario", "executions", "because"],
        killed.iter().map(|(site, row)| {
            let because = row.failure.as_ref().map(|failed| failed.failure.to_string()).unwrap_or_default();
            [
                site.name.to_owned(),
                format!("{:?}", site.ordering),
                row.subject.clone(),
                row.scenario.clone(),
                row.executions.to_string(),
                because.lines().next().unwrap_or_default().to_owned(),
            ]
        }),
    )
}
