//! Every ordering of the ledger that is stronger than relaxed is weakened, one at a time, and a model must then fail.
//!
//! Ends with the table: which ordering, and what kills the version without it.

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Serialize;
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
    let looked: Arc<Mutex<Vec<Looked>>> = Arc::default();
    let sites = LEDGER.iter().filter(|site| site.ordering != Ordering::Relaxed);
    let trials = sites.map(|site| {
        let looked = looked.clone();
        Trial::test(format!("{} is needed", site.name), move || {
            let killed = kill(site);
            looked.lock().unwrap().push(Looked::at(site, killed.as_ref()));
            match (killed, ARGUED.contains(&site.name)) {
                (Some(_), false) | (None, true) => Ok(()),
                (Some(row), true) => Err(format!("killed by `{}` after all: take it off the list", row.key()).into()),
                (None, false) => Err(Failed::from("survived: no model fails without it")),
            }
        })
    });
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    let mut looked = looked.lock().unwrap();
    looked.sort_by_key(|it| LEDGER.iter().position(|site| site.name == it.name));
    if !looked.is_empty() {
        println!("{}\n", table(&looked));
        report::save(env!("CARGO_TARGET_TMPDIR"), "orderings", &looked);
    }
    conclusion.exit_code()
}

/// What became of one ordering.
#[derive(Serialize)]
struct Looked {
    name: &'static str,
    is: String,
    weakened_to: String,
    partner: &'static str,
    /// Nobody, if it is on the list of those that are argued only.
    killed_by: Option<Killer>,
}

/// The first model that failed.
#[derive(Serialize)]
struct Killer {
    subject: String,
    scenario: String,
    checker: &'static str,
    executions: usize,
    because: String,
}

impl Looked {
    fn at(site: &Site, killed: Option<&Row>) -> Self {
        let because = |row: &Row| row.failure.as_ref().map(|failed| failed.failure.to_string()).unwrap_or_default();
        let killer = |row: &Row| Killer {
            subject: row.subject.clone(),
            scenario: row.scenario.clone(),
            checker: row.checker,
            executions: row.executions,
            because: because(row).lines().next().unwrap_or_default().to_owned(),
        };
        Self {
            name: site.name,
            is: format!("{:?}", site.ordering),
            weakened_to: format!("{WEAK:?}"),
            partner: site.partner,
            killed_by: killed.map(killer),
        }
    }
}

/// What each is weakened to.
const WEAK: Ordering = Ordering::Relaxed;

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
                        let row = weakened(site, WEAK, look);
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

fn table(looked: &[Looked]) -> String {
    report::lines(
        &["ordering", "is", "killed by", "scenario", "executions", "because"],
        looked.iter().map(|it| match &it.killed_by {
            Some(killer) => [
                it.name.to_owned(),
                it.is.clone(),
                killer.subject.clone(),
                killer.scenario.clone(),
                killer.executions.to_string(),
                killer.because.clone(),
            ],
            None => [it.name, &it.is, "argued", "", "", ""].map(str::to_owned),
        }),
    )
}
