//! The epoch registry over crossbeam-epoch's real algorithm, every atomic of it loom's.
//!
//! crossbeam-epoch's own accesses do not pass through our platform, so stock loom's gaps (see `litmus.rs`) remain for
//! them.

use std::process::ExitCode;

use snapring::platform::Loom;
use snapring_verification::runner::loom::{Depth, run};
use snapring_verification::suite::{Demand, Suite};
use snapring_verification::{catalog, maker, subjects};

/// Two threads with few operations: pinning, deferring and collecting take a hundred steps each.
const SCENARIOS: &[(&str, usize)] = &[
    ("deregister the last, which is due ∥ next", 2),
    ("deregister ∥ next", 1),
    ("drain to empty ∥ next", 1),
    ("register from empty ∥ next", 1),
    ("replace_all ∥ next", 1),
    ("replace in place ∥ next", 1),
    ("register ∥ deregister", 1),
    ("register ∥ snapshot", 1),
    ("next ∥ next across the count's wrap", 1),
];

fn main() -> ExitCode {
    let mut suite = Suite::new("epoch", concat!(env!("CARGO_MANIFEST_DIR"), "/expected"));
    for &(name, bound) in SCENARIOS {
        let scenario = catalog::all().into_iter().find(|scenario| scenario.name == name).expect("in the catalogue");
        for (long, bound) in [(false, bound), (true, bound + 1)] {
            let scenario = scenario.clone();
            let reclaimed = if scenario.changes() { 10 } else { 0 };
            let demand = Demand { executions: 20, reclaimed, deterministic: true, long };
            let depth = Depth { preemptions: Some(bound), executions: 3_000_000 };
            suite.add(format!("{name}, {bound} preemptions"), demand, move || {
                let mut row = run("epoch, crossbeam-epoch included", &scenario, maker!(subjects::Epoch<Loom>), depth);
                row.checker = if long { "loom, deeper" } else { "loom" };
                row
            });
        }
    }
    suite.run(env!("CARGO_TARGET_TMPDIR"))
}
