//! Every registry × every scenario × every checker that is built in. Ends with the table of what was explored.

use std::process::ExitCode;

use snapring_verification::subject::suits;
use snapring_verification::suite::{Demand, Suite};
use snapring_verification::{Scenario, catalog, for_each_registry, for_each_strategy, runner};

fn main() -> ExitCode {
    let mut suite = Suite::new("models", concat!(env!("CARGO_MANIFEST_DIR"), "/expected"));
    real_threads(&mut suite);
    #[cfg(feature = "loom")]
    loom(&mut suite);
    #[cfg(feature = "shuttle")]
    shuttle(&mut suite);
    suite.run(env!("CARGO_TARGET_TMPDIR"))
}

/// Whether a scenario shows more of a subject than of those it is made of: the directory adds to the shuffle bag that a
/// service is made by whoever comes first.
fn adds(name: &str, scenario: &Scenario) -> bool {
    name != "directory" || scenario.members.is_empty()
}

fn real_threads(suite: &mut Suite) {
    const TIMES: usize = 400;
    let demand = Demand { executions: TIMES, reclaimed: 0, deterministic: false, long: false };
    for scenario in catalog::all() {
        macro_rules! add {
            ($name:literal, $make:expr) => {
                if suits(&scenario, $make) && adds($name, &scenario) {
                    let scenario = scenario.clone();
                    suite.add(format!("threads: {}: {}", $name, scenario.name), demand, move || {
                        runner::real::run($name, &scenario, $make, TIMES)
                    });
                }
            };
        }
        for_each_registry!(add, snapring::Std);
        for_each_strategy!(add, snapring::Std);
    }
}

/// Where locks leave few interleavings, there is no bound. Otherwise it is three preemptions, or two for handles, which
/// have more steps since they account for their tickets; one more in the long runs.
#[cfg(feature = "loom")]
fn loom(suite: &mut Suite) {
    use runner::loom::Depth;
    use snapring::platform::Loom;

    for scenario in catalog::all() {
        let changes = scenario.changes();
        macro_rules! add {
            ($name:literal, $make:expr) => {
                if suits(&scenario, $make) && adds($name, &scenario) {
                    let small = !scenario.looks() && ($name == "mutex" || $name == "rwlock" && changes);
                    let bound = if $name.contains("handle") { 2 } else { 3 };
                    let reclaims = !$name.starts_with("ring");
                    for long in [false, true] {
                        let scenario = scenario.clone();
                        let depth = match (small, long) {
                            (true, false) => Depth { preemptions: None, executions: 100_000 },
                            (false, false) => Depth { preemptions: Some(bound), executions: 60_000 },
                            (_, true) => Depth { preemptions: Some(bound + 1), executions: 5_000_000 },
                        };
                        if small && long {
                            continue;
                        }
                        let demand = Demand {
                            executions: 3,
                            reclaimed: usize::from(reclaims && changes),
                            deterministic: true,
                            long,
                        };
                        let deeper = if long { "loom, deeper" } else { "loom" };
                        suite.add(format!("{deeper}: {}: {}", $name, scenario.name), demand, move || {
                            let mut row = runner::loom::run($name, &scenario, $make, depth);
                            row.checker = deeper;
                            row
                        });
                    }
                }
            };
        }
        for_each_registry!(add, Loom);
        for_each_strategy!(add, Loom);
    }
}

/// Depth first where that ends within the limit; beside it, two kinds of samples of what has more threads.
#[cfg(feature = "shuttle")]
fn shuttle(suite: &mut Suite) {
    use snapring::platform::Shuttle;

    const LIMIT: usize = 15_000;
    const SAMPLE: usize = 1_000;
    for scenario in catalog::all().into_iter().chain(catalog::crowds()) {
        let crowd = scenario.threads.len() > 3;
        macro_rules! add {
            ($name:literal, $make:expr) => {
                if suits(&scenario, $make) && adds($name, &scenario) {
                    let demand =
                        |executions, deterministic| Demand { executions, reclaimed: 0, deterministic, long: false };
                    if !crowd {
                        let scenario = scenario.clone();
                        suite.add(
                            format!("shuttle, depth first: {}: {}", $name, scenario.name),
                            demand(3, true),
                            move || runner::shuttle::depth_first($name, &scenario, $make, LIMIT),
                        );
                    }
                    if crowd || scenario.threads.len() > 2 {
                        let (random, priorities) = (scenario.clone(), scenario.clone());
                        suite.add(
                            format!("shuttle, random: {}: {}", $name, scenario.name),
                            demand(SAMPLE, false),
                            move || runner::shuttle::random($name, &random, $make, SAMPLE),
                        );
                        suite.add(
                            format!("shuttle, PCT: {}: {}", $name, scenario.name),
                            demand(SAMPLE, false),
                            move || runner::shuttle::priorities($name, &priorities, $make, SAMPLE),
                        );
                    }
                }
            };
        }
        for_each_registry!(add, Shuttle);
        for_each_strategy!(add, Shuttle);
    }
}
