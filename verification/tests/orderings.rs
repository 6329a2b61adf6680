//! Every ordering of the ledger that is stronger than relaxed is weakened, one at a time, and a model must then fail.
//!
//! Ends with the table: which ordering, and what kills the version without it.

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};
use snapring::orderings::{LEDGER, Site};
use snapring::platform::{Loom, loom::weakened};
use snapring_verification::runner::loom::{Depth, run};
use snapring_verification::subjects::suits;
use snapring_verification::{Row, catalog, for_each_registry, report};

/// Those that no model fails without. The ledger says why they stay.
const ARGUED: &[&str] = &[];

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
    for preemptions in 0..=2 {
        let depth = Depth { preemptions: Some(preemptions), executions: 200_000 };
        for scenario in catalog::all() {
            macro_rules! look {
                ($name:literal, $make:expr) => {
                    if suits($name, &scenario) {
                        let row = weakened(site, Ordering::Relaxed, || run($name, &scenario, $make, depth));
                        if row.failure.is_some() {
                            let with = run($name, &scenario, $make, depth);
                            assert!(with.failure.is_none(), "`{}` fails anyway", with.key());
                            return Some(row);
                        }
                    }
                };
            }
            for_each_registry!(look, Loom);
        }
    }
    None
}

fn table(killed: &[(Site, Row)]) -> String {
    report::lines(
        &["ordering", "is", "killed by", "scenario", "executions", "because"],
        killed.iter().map(|(site, row)| {
            let because = row.failure.as_ref().map(|(failure, _)| failure.to_string()).unwrap_or_default();
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
