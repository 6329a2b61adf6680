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

fn main() -> ExitCode {
    let killed: Arc<Mutex<Vec<(Site, Row)>>> = Arc::default();
    let sites = LEDGER.iter().filter(|site| site.ordering != Ordering::Relaxed);
    let trials = sites.map(|site| {
        let killed = killed.clone();
        Trial::test(format!("{} is needed", site.name), move || {
            let row = weakened(site, Ordering::Relaxed, kill)
                .ok_or_else(|| Failed::from("survived: no model fails without it"))?;
            killed.lock().unwrap().push((*site, row));
            Ok(())
        })
    });
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    println!("{}", table(&killed.lock().unwrap()));
    conclusion.exit_code()
}

/// The first model that fails, looking everywhere with few preemptions before anywhere with many.
fn kill() -> Option<Row> {
    for preemptions in 0..=3 {
        let depth = Depth { preemptions: Some(preemptions), executions: 200_000 };
        for scenario in catalog::all() {
            macro_rules! look {
                ($name:literal, $make:expr) => {
                    if suits($name, &scenario) {
                        let row = run($name, &scenario, $make, depth);
                        if row.failure.is_some() {
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
