//! Every specimen must be killed, by the scenario and for the reason in the table, under each checker that can see its
//! mistake. A survivor fails.
//!
//! Ends with the table of what it took. `--replay <name>` shows one execution: shuttle's by its schedule, loom's by
//! looking for it again.
//!
//! Without a checker nothing is hunted; the right versions run on real threads.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Serialize;
use snapring_verification::bag::Bag;
use snapring_verification::report::{lines, save};
use snapring_verification::spec::Ring;
use snapring_verification::specimens::page::{index, page};
use snapring_verification::specimens::table::{Hunt, Specimen, specimens};
use snapring_verification::specimens::{Mistake, OneLock, Sequential};
use snapring_verification::suite::BLESS;
use snapring_verification::{Counterexample, Row, Rule, Scenario, counterexample, runner};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--replay").skip(1);
    match arguments.next() {
        Some(name) => replay(&name),
        None => kill(),
    }
}

/// What it took to kill a specimen.
#[derive(Serialize)]
struct Killed {
    name: &'static str,
    class: &'static str,
    system: &'static str,
    row: Row,
    /// How many executions there had been, the failing one included.
    first: usize,
    /// How often the shortest failing one goes from one thread to another.
    switches: usize,
}

fn kill() -> ExitCode {
    let killed: Arc<Mutex<Vec<Killed>>> = Arc::default();
    let mut trials = vec![
        Trial::test("what kills the broken ones lets the right ones live", || specimens().iter().try_for_each(lives)),
        Trial::test("the index of counterexamples is as committed", || committed("README", &index())),
        Trial::test("every page has a specimen", every_page_has_a_specimen),
    ];
    for specimen in specimens() {
        for (checker, hunt) in checkers(&specimen) {
            let (killed, specimen) = (killed.clone(), specimen.clone());
            trials.push(Trial::test(format!("{checker}: {}", specimen.name), move || {
                let row = hunt(&specimen);
                let failed = demand_killed(&specimen, &row)?;
                if checker == checker_of_page(&specimen) {
                    committed(specimen.name, &page(&specimen, &row, failed))?;
                }
                let (first, switches) = (failed.first, failed.length().0);
                let Specimen { name, class, system, .. } = specimen;
                killed.lock().unwrap().push(Killed { name, class, system, row, first, switches });
                Ok(())
            }));
        }
    }
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    let mut killed = killed.lock().unwrap();
    killed.sort_by_key(|it| (it.name, it.row.checker));
    if !killed.is_empty() {
        println!("{}\n", table(&killed));
        save(env!("CARGO_TARGET_TMPDIR"), "specimens", &killed);
    }
    conclusion.exit_code()
}

/// Who can see this mistake.
fn checkers(specimen: &Specimen) -> Vec<(&'static str, Hunt)> {
    let both: [(&'static str, Option<Hunt>); 2] = [("loom", specimen.by_loom()), ("shuttle", specimen.by_shuttle())];
    both.into_iter().filter_map(|(checker, hunt)| Some((checker, hunt?))).collect()
}

/// Whose counterexample is on the page: shuttle's, since it can be replayed by a schedule, where it sees the mistake.
fn checker_of_page(specimen: &Specimen) -> &'static str {
    if specimen.weak { "loom" } else { "shuttle" }
}

/// Where the pages are.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/counterexamples").join(name).with_extension("md")
}

/// The page on record is this one. Or it becomes it, if that is wanted.
fn committed(name: &str, page: &str) -> Result<(), Failed> {
    let path = path(name);
    if std::env::var_os(BLESS).is_some() {
        std::fs::create_dir_all(path.parent().expect("it is in a folder"))?;
        return Ok(std::fs::write(path, page)?);
    }
    match std::fs::read_to_string(&path).is_ok_and(|on_record| on_record == page) {
        true => Ok(()),
        false => Err(format!("{} is not this; run with {BLESS}=1 and look at it:\n{page}", path.display()).into()),
    }
}

fn every_page_has_a_specimen() -> Result<(), Failed> {
    let known: Vec<PathBuf> = specimens().iter().map(|it| path(it.name)).chain([path("README")]).collect();
    for entry in std::fs::read_dir(path("README").parent().expect("it is in a folder"))? {
        let page = entry?.path();
        if !known.contains(&page) {
            return Err(format!("{} is a page of nobody", page.display()).into());
        }
    }
    Ok(())
}

fn replay(name: &str) -> ExitCode {
    let Some(specimen) = specimens().into_iter().find(|it| it.name == name) else {
        println!("there is no specimen `{name}`");
        return ExitCode::FAILURE;
    };
    match again(&specimen).failure {
        Some(failed) => println!("{name}: {}.\n\n{failed}", specimen.mistake),
        None => println!("{name} did not fail: the schedule is of another version"),
    }
    ExitCode::SUCCESS
}

/// Has the failure again.
fn again(specimen: &Specimen) -> Row {
    if let Some(replay) = specimen.by_schedule() {
        let page = std::fs::read_to_string(path(specimen.name)).expect("the page can be read");
        return replay(specimen, &counterexample::schedule(&page).expect("the page has a schedule"));
    }
    checkers(specimen).last().expect("its checker is not built in").1(specimen)
}

fn demand_killed<'a>(specimen: &Specimen, row: &'a Row) -> Result<&'a Counterexample, Failed> {
    let Some(failed) = &row.failure else {
        let survived = format!("survived `{}`: {} executions, {}", row.scenario, row.executions, row.verdict);
        return Err(survived.into());
    };
    match failed.failure.to_string().contains(specimen.sign) {
        true => Ok(failed),
        false => Err(format!("killed, but by something else than `{}`:\n{failed}", specimen.sign).into()),
    }
}

/// Explores a version without mistakes.
fn right<S: Sequential>(scenario: &Scenario) -> Row {
    #[cfg(feature = "loom")]
    return runner::loom::hunt("right", scenario, OneLock::<S, snapring::platform::Loom>::new);
    #[cfg(all(feature = "shuttle", not(feature = "loom")))]
    return runner::shuttle::hunt("right", scenario, OneLock::<S, snapring::platform::Shuttle>::new);
    #[cfg(not(any(feature = "loom", feature = "shuttle")))]
    return runner::real::run("right", scenario, OneLock::<S, snapring::Std>::new, 100);
}

/// The scenario is not deadly by itself.
fn lives(specimen: &Specimen) -> Result<(), Failed> {
    let row = match specimen.rule {
        Rule::Ring => right::<Ring>(&specimen.scenario),
        Rule::Bag => right::<Bag>(&specimen.scenario),
        _ => return Ok(()), // the rule has tests of its own
    };
    match row.failure {
        None => Ok(()),
        Some(failed) => Err(format!("{}: the right version fails, too\n{failed}", specimen.name).into()),
    }
}

fn table(killed: &[Killed]) -> String {
    let header = ["specimen", "class", "system", "checker", "scenario", "executions", "switches", "s"];
    lines(
        &header,
        killed.iter().map(|it| {
            [
                it.name.into(),
                it.class.into(),
                it.system.into(),
                it.row.checker.into(),
                it.row.scenario.clone(),
                it.first.to_string(),
                it.switches.to_string(),
                format!("{:.2}", it.row.seconds),
            ]
        }),
    )
}
