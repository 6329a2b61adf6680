//! Your own registry, under every checker, with one macro.
//!
//! # 1. Write it over a platform
//!
//! The checkers see the locks and atomics of [`snapring::Platform`], and no others. So be generic over it, and implement
//! [`Subject`] (or [`snapring::Registry`], and use [`maker!`](crate::maker)). This one, `tests/kit/wrong.rs`, is what
//! many write:
//!
//! ```ignore
#![doc = include_str!("../tests/kit/wrong.rs")]
//! ```
//!
//! # 2. Check it
//!
//! In a test of your own, with `harness = false`:
//!
//! ```ignore
//! mod wrong;
//! snapring_verification::verify! { mine: wrong::Mine::<P>::new }
//! ```
//!
//! `cargo test` then makes a test of every scenario of the [catalogue](crate::catalog) that your registry
//! [can do](Subject::can), on real threads and, with the features `loom` and `shuttle` of this crate, under those. It
//! ends with the table of what was explored; a failing test shows a [counterexample](crate::Counterexample): a table, a
//! diagram, and a schedule for [`runner::shuttle::replay`](crate::runner). Call [`note!`](crate::note!) to see inner
//! steps in it.
//!
//! # 3. Mend it
//!
//! The list and the turn belong together, `tests/kit/right.rs`:
//!
//! ```ignore
#![doc = include_str!("../tests/kit/right.rs")]
//! ```
//!
//! # A registry over the standard library
//!
//! [`verify_on_threads!`](crate::verify_on_threads!) takes any subject, and runs it on real threads. **That is a stress
//! test**: it shows what this machine happened to do in a few hundred runs. It explores nothing, it cannot show that a
//! race is absent, and it does not see weak memory on a machine whose memory is strong. Its rows say "sampled".
//! `verify!` refuses such a registry: a model that explores fewer than three executions fails.

use crate::subject::suits;
use crate::suite::{Demand, Suite};
use crate::{Maker, Subject, catalog, runner};

/// How often each scenario runs on real threads.
const TIMES: usize = 400;

/// Fewer executions than this mean that the checker cannot see the registry's locks and atomics.
#[cfg(any(feature = "loom", feature = "shuttle"))]
const SEEN: Demand = Demand { executions: 3, reclaimed: 0, deterministic: false, long: false };

/// Every scenario that suits, on real threads.
pub fn on_threads<S: Subject>(suite: &mut Suite, name: &'static str, make: Maker<S>) {
    let demand = Demand { executions: TIMES, reclaimed: 0, deterministic: false, long: false };
    for scenario in catalog::all().into_iter().filter(|scenario| suits(scenario, make)) {
        suite.add(format!("threads: {name}: {}", scenario.name), demand, move || {
            runner::real::run(name, &scenario, make, TIMES)
        });
    }
}

/// Every scenario that suits, by loom with up to two preemptions.
#[cfg(feature = "loom")]
pub fn by_loom<S: Subject>(suite: &mut Suite, name: &'static str, make: Maker<S>) {
    let depth = runner::loom::Depth { preemptions: Some(2), executions: 60_000 };
    for scenario in catalog::all().into_iter().filter(|scenario| suits(scenario, make)) {
        suite.add(format!("loom: {name}: {}", scenario.name), SEEN, move || {
            runner::loom::run(name, &scenario, make, depth)
        });
    }
}

/// Every scenario that suits, by shuttle, depth first; samples of the larger ones.
#[cfg(feature = "shuttle")]
pub fn by_shuttle<S: Subject>(suite: &mut Suite, name: &'static str, make: Maker<S>) {
    for scenario in catalog::all().into_iter().filter(|scenario| suits(scenario, make)) {
        suite.add(format!("shuttle, depth first: {name}: {}", scenario.name), SEEN, move || {
            runner::shuttle::depth_first(name, &scenario, make, 15_000)
        });
    }
    for scenario in catalog::crowds().into_iter().filter(|scenario| suits(scenario, make)) {
        suite.add(format!("shuttle, random: {name}: {}", scenario.name), SEEN, move || {
            runner::shuttle::random(name, &scenario, make, 1_000)
        });
    }
}

/// The `main` of a test that checks registries, each made by an expression on a platform `P`. See [`kit`](crate::kit).
#[macro_export]
macro_rules! verify {
    ($($name:ident: $make:expr),+ $(,)?) => {
        fn main() -> ::std::process::ExitCode {
            let mut suite = $crate::suite::Suite::new("verify", "");
            $({
                type P = $crate::Std;
                $crate::kit::on_threads(&mut suite, ::std::stringify!($name), $make);
            })+
            $($crate::__verify_by_loom!(suite, $name, $make);)+
            $($crate::__verify_by_shuttle!(suite, $name, $make);)+
            suite.run(::std::option_env!("CARGO_TARGET_TMPDIR").unwrap_or("."))
        }
    };
}

/// The `main` of a stress test of registries over the standard library. See [`kit`](crate::kit) for what it does not
/// show.
///
/// ```no_run
/// use snapring::MutexRegistry;
/// use snapring_verification::{Probe, maker, verify_on_threads};
///
/// verify_on_threads! { mutex: maker!(MutexRegistry<Probe>) }
/// ```
#[macro_export]
macro_rules! verify_on_threads {
    ($($name:ident: $make:expr),+ $(,)?) => {
        fn main() -> ::std::process::ExitCode {
            let mut suite = $crate::suite::Suite::new("verify", "");
            $($crate::kit::on_threads(&mut suite, ::std::stringify!($name), $make);)+
            suite.run(::std::option_env!("CARGO_TARGET_TMPDIR").unwrap_or("."))
        }
    };
}

/// The part of `verify!` that depends on a feature of this crate.
#[cfg(feature = "loom")]
#[doc(hidden)]
#[macro_export]
macro_rules! __verify_by_loom {
    ($suite:ident, $name:ident, $make:expr) => {{
        type P = $crate::Loom;
        $crate::kit::by_loom(&mut $suite, ::std::stringify!($name), $make);
    }};
}
#[cfg(not(feature = "loom"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __verify_by_loom {
    ($suite:ident, $name:ident, $make:expr) => {};
}

/// The part of `verify!` that depends on a feature of this crate.
#[cfg(feature = "shuttle")]
#[doc(hidden)]
#[macro_export]
macro_rules! __verify_by_shuttle {
    ($suite:ident, $name:ident, $make:expr) => {{
        type P = $crate::Shuttle;
        $crate::kit::by_shuttle(&mut $suite, ::std::stringify!($name), $make);
    }};
}
#[cfg(not(feature = "shuttle"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __verify_by_shuttle {
    ($suite:ident, $name:ident, $make:expr) => {};
}
