//! What the kit must not let pass: the example of its documentation before it is mended, and a registry that no checker
//! can see.

use snapring_verification::subject::suits;
use snapring_verification::{Row, Scenario, Std, catalog, runner};

#[path = "kit/wrong.rs"]
#[allow(unreachable_pub, reason = "it is an example of a library")]
mod wrong;

#[cfg(feature = "loom")]
#[path = "kit/right.rs"]
#[allow(unreachable_pub, reason = "it is an example of a library")]
mod right;

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

/// On the standard library's locks it is right, and loom cannot know: `verify!` refuses runs this short.
#[cfg(feature = "loom")]
#[test]
fn a_registry_that_loom_cannot_see_explores_next_to_nothing() {
    let depth = runner::loom::Depth { preemptions: Some(2), executions: 60_000 };
    for scenario in catalog::pairs().iter().filter(|it| suits(it, right::Mine::<Std>::new) && !it.looks()) {
        let row = runner::loom::run("mine", scenario, right::Mine::<Std>::new, depth);
        assert!(row.failure.is_none() && row.executions < 3, "{}: {} executions", row.scenario, row.executions);
    }
}
