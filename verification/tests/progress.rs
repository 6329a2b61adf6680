//! No pick and no look of a lock-free registry waits for a change: wherever in a change its thread is suspended, all
//! others get on without it. Of the registries that lock, the opposite is shown: there is a point where they wait.
//!
//! Ends with the table: at how many points the change was suspended, and at how many of them others waited.

use std::process::ExitCode;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Mutex};

use Op::{Deregister, Next, Snapshot};
use libtest_mimic::{Arguments, Failed, Trial};
use serde::Serialize;
use snapring::Start;
use snapring::platform::{AtomicU64, Mutex as _, Platform, Shuttle};
use snapring_verification::catalog::{register, register_changed, replace_all};
use snapring_verification::one_step::OneStep;
use snapring_verification::report::{lines, save};
use snapring_verification::runner::suspended::{Suspended, suspended};
use snapring_verification::spec::Ring;
use snapring_verification::specimens::Mistake;
use snapring_verification::subject::suits;
use snapring_verification::{Answer, Maker, Op, Probe, Row, Scenario, Subject, for_each_registry};

/// Executions for each point.
const SAMPLES: usize = 30;

/// What others do while a change is suspended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Others {
    GetOn,
    Wait,
}

/// A change of each kind, and three threads that pick or look. Nobody makes or drops a handle: that takes a lock.
fn scenarios() -> Vec<Scenario> {
    let picks: &[Op] = &[Next, Next];
    let looks: &[Op] = &[Snapshot, Next];
    let pickers =
        |name: &str, members: &[u8], change: &[Op]| Scenario::new(name, members, &[change, picks, picks, picks]);
    vec![
        pickers("register ∥ picks", &[1, 2], &[register(3)]),
        pickers("register from empty ∥ picks", &[], &[register(1)]),
        pickers("deregister ∥ picks", &[1, 2, 3], &[Deregister(2)]).after(1),
        pickers("drain to empty ∥ picks", &[1], &[Deregister(1)]),
        pickers("deregister ∥ picks across the count's wrap", &[1, 2, 3], &[Deregister(1)]).after(5),
        pickers("replace in place ∥ picks", &[1, 2], &[register_changed(1)]),
        pickers("replace_all ∥ picks", &[1, 2, 3], &[replace_all(&[3, 4])]).after(1),
        pickers("register, deregister ∥ picks", &[1, 2], &[register(3), Deregister(1)]),
        Scenario::new("register ∥ picks, looks", &[1, 2], &[&[register(3)], picks, looks, looks]),
        Scenario::new("register, deregister ∥ looks", &[1, 2], &[&[register(3), Deregister(1)], looks, looks]),
    ]
}

/// A change is suspended at this many points, at least.
fn floor(others: Others) -> usize {
    match others {
        Others::GetOn => 5,
        Others::Wait => 2,
    }
}

#[derive(Serialize)]
struct Checked {
    row: Row,
    points: usize,
    waited: usize,
    steps: usize,
}

fn main() -> ExitCode {
    let checked: Arc<Mutex<Vec<Checked>>> = Arc::default();
    let mut trials = vec![Trial::test("readers that spin for a writer are found", || {
        let scenario = Scenario::new("register ∥ picks", &[1, 2], &[&[register(3)], &[Next], &[Next]]);
        let seen = suspended("spinning", &scenario, Spinning::<Shuttle>::new, SAMPLES);
        demand(&seen, Others::Wait, "others go in circles")
    })];
    for scenario in scenarios() {
        macro_rules! add {
            ($name:literal, $make:expr) => {
                if suits(&scenario, $make) {
                    let others = if matches!($name, "mutex" | "rwlock") { Others::Wait } else { Others::GetOn };
                    trials.push(trial($name, &scenario, others, $make, &checked));
                }
            };
        }
        for_each_registry!(add, OneStep);
    }
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    report(&mut checked.lock().unwrap());
    conclusion.exit_code()
}

fn trial<S: Subject>(
    name: &'static str,
    scenario: &Scenario,
    others: Others,
    make: Maker<S>,
    checked: &Arc<Mutex<Vec<Checked>>>,
) -> Trial {
    let (scenario, checked) = (scenario.clone(), checked.clone());
    Trial::test(format!("{name}: {}", scenario.name), move || {
        let seen = suspended(name, &scenario, make, SAMPLES);
        let verdict = demand(&seen, others, "others are blocked");
        let Suspended { row, points, waited, steps } = seen;
        checked.lock().unwrap().push(Checked { row, points, waited, steps });
        verdict
    })
}

fn demand(seen: &Suspended, others: Others, why: &str) -> Result<(), Failed> {
    let Suspended { row, points, .. } = seen;
    if *points < floor(others) {
        return Err(format!("suspended at {points} points only").into());
    }
    if row.executions < points * SAMPLES {
        return Err(format!("only {} executions for {points} points", row.executions).into());
    }
    match (&row.failure, others) {
        (None, Others::GetOn) => Ok(()),
        (None, Others::Wait) => Err("nobody ever waited".into()),
        (Some(failed), Others::Wait) if failed.failure.to_string().contains(why) => Ok(()),
        (Some(failed), _) => Err(failed.to_string().into()),
    }
}

fn report(checked: &mut [Checked]) {
    checked.sort_by_cached_key(|it| it.row.key());
    if checked.is_empty() {
        return;
    }
    let header = ["registry", "scenario", "executions", "points", "waited at", "steps of others", "s"];
    let table = lines(
        &header,
        checked.iter().map(|it| {
            [
                it.row.subject.clone(),
                it.row.scenario.clone(),
                it.row.executions.to_string(),
                it.points.to_string(),
                it.waited.to_string(),
                it.steps.to_string(),
                format!("{:.2}", it.row.seconds),
            ]
        }),
    );
    println!("{table}\n");
    save(env!("CARGO_TARGET_TMPDIR"), "progress", checked);
}

/// The control: whoever picks spins until no change is under way. Nobody is blocked, and nobody gets on.
struct Spinning<P: Platform> {
    ring: P::Mutex<Ring>,
    changing: P::AtomicU64,
}

impl<P: Platform> Mistake for Spinning<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { ring: P::Mutex::new(Ring::new(members, start)), changing: P::AtomicU64::new(0) }
    }

    fn call(&self, op: &Op) -> Answer {
        if *op == Next {
            while self.changing.load(Acquire) == 1 {}
            return self.ring.lock().step(op);
        }
        self.changing.store(1, Release);
        let answer = self.ring.lock().step(op);
        self.changing.store(0, Release);
        answer
    }
}
