//! The example of the documentation of [`snapring_verification::kit`] before it is mended: each checker finds out.

use snapring_verification::subject::suits;
use snapring_verification::{Row, Scenario, Std, catalog, runner};

#[path = "kit/wrong.rs"]
#[allow(unreachable_pub, reason = "it is an example of a library")]
mod wrong;

/// Some scenario fails, and its counterexample can be read.
fn demand_caught(run: impl Fn(&Scenario) -> Row) {
    let scenarios = catalog::pairs().into_iter().filter(|it| suits(it, wrong::Mine::<Std>::new));
    let failed = scenarios.filter_map(|scenario| run(&scenario).failure).next().expect("a scenario must fail");
    let text = failed.to_string();
    println!("{text}");
    assert!(text.contains("not linearizable") && text.contains(" % ") && text.contains("sequenceDiagram"), "{text}");
}

#[test]
fn on_real_threads() {
    demand_caught(|scenario| runner::real::run("mine", scenario, wrong::Mine::<Std>::new, 400));
}

#[cfg(feature = "loom")]
#[test]
fn by_loom() {
    demand_caught(|scenario| runner::loom::hunt("mine", scenario, wrong::Mine::<snapring_verification::Loom>::new));
}

#[cfg(feature = "shuttle")]
#[test]
fn by_shuttle() {
    demand_caught(|scenario| {
        runner::shuttle::hunt("mine", scenario, wrong::Mine::<snapring_verification::Shuttle>::new)
    });
}
