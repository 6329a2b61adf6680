//! Every specimen must be killed, by a scenario and a checker that are named here. A survivor fails.
//!
//! The numbers that are printed: how many preemptions the shortest failing execution took, and how many executions had
//! been explored by then.
#![cfg(any(feature = "loom", feature = "shuttle"))]
#![cfg_attr(not(feature = "loom"), allow(unused_imports, dead_code, reason = "some mistakes only loom can see"))]

use snapring::ring::RingRegistry;
use snapring_verification::catalog::{self, register};
use snapring_verification::cells::Keeping;
use snapring_verification::specimens::{
    free_at_once::FreeAtOnce, lost_update::LostUpdate, relaxed_publication::Relaxed,
    remainder_by_zero::RemainderByZero, signed_counter::SignedCounter, two_step_read::TwoStepRead,
};
use snapring_verification::{Op, Probe, Row, Scenario, maker, report};

use Op::{Deregister, Next};

/// The baseline: a snapshot and a separate counter (S7, class K03).
type PlainCounter<P> = snapring::baseline::PlainCounter<Probe, Keeping, P>;
type RelaxedPublication<P> = RingRegistry<Probe, Relaxed, P>;

fn scenario(name: &str) -> Scenario {
    catalog::all().into_iter().find(|scenario| scenario.name == name).expect("it is in the catalogue")
}

fn demand_killed(row: &Row, sign: &str) {
    let Some((failure, events)) = &row.failure else {
        panic!("{} survived `{}`: {} executions, {}", row.subject, row.scenario, row.executions, row.verdict)
    };
    println!("{} killed by `{}` under {}", row.subject, row.scenario, row.checker);
    println!("after {} executions:\n{}\n", row.executions, report::trace(failure, events));
    assert!(failure.to_string().contains(sign), "killed, but by something else than `{sign}`: {failure}");
}

/// Hunts a specimen under each checker that can see its mistake.
macro_rules! killed {
    ($($test:ident: $specimen:ident by $make:expr, in $scenario:expr, $sign:literal, $($checker:ident)+;)*) => {$(
        mod $test {
            use super::*;
            $(killed!(@ $checker $specimen, $make, $scenario, $sign);)+
        }
    )*};
    (@ loom $specimen:ident, $make:expr, $scenario:expr, $sign:literal) => {
        #[cfg(feature = "loom")]
        #[test]
        fn by_loom() {
            type Broken = $specimen<snapring::platform::Loom>;
            demand_killed(&snapring_verification::runner::loom::hunt(stringify!($specimen), &$scenario, $make), $sign);
        }
    };
    (@ shuttle $specimen:ident, $make:expr, $scenario:expr, $sign:literal) => {
        #[cfg(feature = "shuttle")]
        #[test]
        fn by_shuttle() {
            type Broken = $specimen<snapring::platform::Shuttle>;
            let run = snapring_verification::runner::shuttle::depth_first;
            demand_killed(&run(stringify!($specimen), &$scenario, $make, 100_000), $sign);
        }
    };
}

killed! {
    two_step_read: TwoStepRead by Broken::new,
        in Scenario::new("deregister ∥ next", &[1, 2], &[&[Deregister(2)], &[Next]]).after(1),
        "index out of bounds", loom shuttle;
    two_step_read_of_the_empty: TwoStepRead by Broken::new,
        in scenario("drain to empty ∥ next"), "index out of bounds", loom shuttle;
    lost_update: LostUpdate by Broken::new,
        in Scenario::new("register ∥ register", &[], &[&[register(1)], &[register(2)]]), "not linearizable", loom shuttle;
    signed_counter: SignedCounter by Broken::new,
        in Scenario::new("next ∥ next at 2³¹", &[1, 2, 3], &[&[Next], &[Next]]).after(i32::MAX as u64),
        "index out of bounds", loom shuttle;
    remainder_by_zero: RemainderByZero by Broken::new,
        in scenario("drain to empty ∥ next"), "divisor of zero", loom shuttle;
    plain_counter_jumps: PlainCounter by maker!(Broken),
        in Scenario::new("next, deregister, next", &[1, 2, 3], &[&[Next, Deregister(1), Next]]),
        "not linearizable", loom shuttle;
    plain_counter_takes_list_and_turn_apart: PlainCounter by maker!(Broken),
        in Scenario::new("next ∥ register, next", &[1], &[&[Next], &[register(2), Next]]),
        "not linearizable", loom shuttle;
    relaxed_publication: RelaxedPublication by maker!(Broken),
        in scenario("register ∥ next"), "Causality violation", loom;
    free_at_once: FreeAtOnce by Broken::new,
        in Scenario::new("deregister ∥ next", &[1, 2], &[&[Deregister(2)], &[Next]]).after(1),
        "use after free", loom shuttle;
}

/// The checks of the suite are not blind to a right version: the same hunts let the exact ring live.
#[cfg(feature = "loom")]
#[test]
fn the_exact_ring_survives_what_kills_the_plain_counter() {
    type Ring = RingRegistry<Probe, Keeping, snapring::platform::Loom>;
    for scenario in [
        Scenario::new("next, deregister, next", &[1, 2, 3], &[&[Next, Deregister(1), Next]]),
        Scenario::new("next ∥ register, next", &[1], &[&[Next], &[register(2), Next]]),
    ] {
        let row = snapring_verification::runner::loom::hunt("ring", &scenario, maker!(Ring));
        assert!(row.failure.is_none(), "{}", row.scenario);
    }
}
