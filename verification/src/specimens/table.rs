//! The specimens as data: what is wrong with each, and what must find it.

use super::*;
use crate::catalog::{register, register_changed};
#[cfg(any(feature = "loom", feature = "shuttle"))]
use crate::runner;
use crate::{Maker, Row, Scenario, maker};
use Op::{Deregister, Next, Own, Renew, ReplaceAll, Snapshot};

/// The sign of an answer that the specification does not give.
const UNEXPLAINED: &str = "not linearizable";

/// A broken version.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// What it is called.
    pub name: &'static str,
    /// What is wrong with it.
    pub mistake: &'static str,
    /// The class of bug reports that it stands for.
    pub class: &'static str,
    /// The system of the design that it stands for, if any.
    pub system: &'static str,
    /// What is done to it.
    pub scenario: Scenario,
    /// The failure must say this: it is killed for its mistake and for nothing else.
    pub sign: &'static str,
    /// What its histories are held against.
    pub rule: Rule,
    /// Whether it takes weak memory to show the mistake.
    pub weak: bool,
    hunts: Hunts,
}

/// Looks for the failure.
pub type Hunt = fn(&Specimen) -> Row;
/// Has the failure again, by a schedule.
pub type Replay = fn(&Specimen, &[usize]) -> Row;

/// What the checkers do with a specimen; none, where a checker is not built in or cannot see the mistake.
#[derive(Clone, Copy, Debug)]
struct Hunts {
    loom: Option<Hunt>,
    shuttle: Option<(Hunt, Replay)>,
}

impl Specimen {
    /// Looks for the failure by loom.
    pub fn by_loom(&self) -> Option<Hunt> {
        self.hunts.loom
    }

    /// Looks for the failure by shuttle.
    pub fn by_shuttle(&self) -> Option<Hunt> {
        self.hunts.shuttle.map(|(hunt, _)| hunt)
    }

    /// Has shuttle's failure again.
    pub fn by_schedule(&self) -> Option<Replay> {
        self.hunts.shuttle.map(|(_, replay)| replay)
    }
}

/// What a file says about itself first, without the references at the end.
fn mistake(file: &'static str) -> &'static str {
    let line = file.lines().next().and_then(|line| line.strip_prefix("//! ")).expect("a file says what it is about");
    line.rsplit_once(" (").map_or(line, |(mistake, _references)| mistake)
}

fn rule<S: Subject>(_make: Maker<S>) -> Rule {
    S::RULE
}

/// A type on a platform `P` becomes its maker. `weak` is a registry whose mistake shows in weak memory only.
macro_rules! make {
    (subject $type:ty) => {
        <$type>::new
    };
    ($registry:ident $type:ty) => {
        maker!($type)
    };
}

#[cfg(feature = "loom")]
macro_rules! loom {
    ($kind:ident $type:ty) => {{
        type P = snapring::platform::Loom;
        Some(|it| runner::loom::hunt(it.name, &it.scenario, make!($kind $type)))
    }};
}
#[cfg(not(feature = "loom"))]
macro_rules! loom {
    ($kind:ident $type:ty) => {
        None
    };
}

#[cfg(feature = "shuttle")]
macro_rules! shuttle {
    (weak $type:ty) => { None };
    ($kind:ident $type:ty) => {{
        type P = snapring::platform::Shuttle;
        Some((
            |it| runner::shuttle::hunt(it.name, &it.scenario, make!($kind $type)),
            |it, schedule| runner::shuttle::replay(it.name, &it.scenario, make!($kind $type), schedule),
        ))
    }};
}
#[cfg(not(feature = "shuttle"))]
macro_rules! shuttle {
    ($kind:ident $type:ty) => {
        None
    };
}

macro_rules! table {
    ($($name:ident: $kind:ident $type:ty, $class:literal, $system:literal, $sign:expr, $scenario:expr;)*) => {
        vec![$(Specimen {
            name: stringify!($name),
            mistake: mistake(include_str!(concat!(stringify!($name), ".rs"))),
            class: $class,
            system: $system,
            scenario: $scenario,
            sign: $sign,
            weak: stringify!($kind) == "weak",
            rule: { type P = snapring::Std; rule(make!($kind $type)) },
            hunts: Hunts { loom: loom!($kind $type), shuttle: shuttle!($kind $type) },
        }),*]
    };
}

/// All of them. In each row: the name of its file, the type (on a platform `P`), class, system, sign and scenario.
#[rustfmt::skip]
pub fn specimens() -> Vec<Specimen> {
    table! {
    two_step_read: subject two_step_read::TwoStepRead<P>, "K02", "S1", "index out of bounds",
        Scenario::new("deregister ∥ next", &[1, 2], &[&[Deregister(2)], &[Next]]).after(1);
    list_and_turn_apart: subject list_and_turn_apart::ListAndTurnApart<P>, "K02", "S7", UNEXPLAINED,
        Scenario::new("deregister ∥ next", &[1, 2, 3], &[&[Deregister(1)], &[Next]]).after(1);
    filter_in_place: subject filter_in_place::FilterInPlace<P>, "K02", "", UNEXPLAINED,
        Scenario::new("deregister ∥ snapshot", &[1, 2, 3], &[&[Deregister(1)], &[Snapshot]]);

    signed_counter: subject OneLock<signed_counter::SignedCounter, P>, "K01", "S4", "index out of bounds",
        Scenario::new("next ∥ next at 2³¹", &[1, 2, 3], &[&[Next], &[Next]]).after(i32::MAX as u64);
    cast_index: subject OneLock<cast_index::CastIndex, P>, "K01", "S4", "index out of bounds",
        Scenario::new("next ∥ next at 2⁶³", &[1, 2, 3], &[&[Next], &[Next]]).after(i64::MAX as u64);
    absolute_of_minimum: subject OneLock<absolute_of_minimum::AbsoluteOfMinimum, P>, "K01", "S4", "index out of bounds",
        Scenario::new("next ∥ next at 2⁶³", &[1, 2, 3], &[&[Next], &[Next]]).after(i64::MAX as u64);
    masked_counter: subject OneLock<masked_counter::MaskedCounter, P>, "K01", "S4", UNEXPLAINED,
        Scenario::new("next ∥ next", &[1, 2, 3], &[&[Next], &[Next]]);
    wrap_seam: subject OneLock<wrap_seam::WrapSeam, P>, "K01", "S4", UNEXPLAINED,
        Scenario::new("next ∥ next at 2⁸", &[1, 2, 3], &[&[Next], &[Next]]).after(255);
    pre_incremented: subject OneLock<pre_incremented::PreIncremented, P>, "K22", "", UNEXPLAINED,
        Scenario::new("next", &[1, 2, 3], &[&[Next]]);

    remainder_by_zero: subject remainder_by_zero::RemainderByZero<P>, "K18", "S5", "divisor of zero",
        Scenario::new("drain to empty ∥ next", &[1], &[&[Deregister(1)], &[Next]]);
    empty_remembered: subject OneLock<empty_remembered::EmptyRemembered, P>, "K18", "", UNEXPLAINED,
        Scenario::new("register from empty ∥ next", &[], &[&[register(1)], &[Next]]);
    empty_refused: subject OneLock<empty_refused::EmptyRefused, P>, "K19", "", UNEXPLAINED,
        Scenario::new("replace_all by nobody, next", &[1], &[&[ReplaceAll(vec![]), Next]]);

    plain_counter: registry plain_counter::PlainCounter<P>, "K10", "S7", UNEXPLAINED,
        Scenario::new("next, deregister, next", &[1, 2, 3], &[&[Next, Deregister(1), Next]]);
    restart_on_change: subject OneLock<restart_on_change::RestartOnChange, P>, "K03", "", UNEXPLAINED,
        Scenario::new("next, register, next", &[1, 2], &[&[Next, register(3), Next]]);
    equal_resets: subject OneLock<equal_resets::EqualResets, P>, "K04", "", UNEXPLAINED,
        Scenario::new("next, register the same, next", &[1, 2], &[&[Next, register(1), Next]]);
    same_start: subject same_start::SameStart<P>, "K05", "", "not by weight",
        Scenario::new("next ∥ next, each for the first time", &[1, 2], &[&[Next], &[Next]]);
    hash_order: subject OneLock<hash_order::HashOrder, P>, "K22", "S6", UNEXPLAINED,
        Scenario::new("next, register, next", &[4, 5], &[&[Next, register(6), Next]]);
    swap_remove: subject OneLock<swap_remove::SwapRemove, P>, "K11", "", UNEXPLAINED,
        Scenario::new("deregister, next, next", &[1, 2, 3], &[&[Deregister(1), Next, Next]]);
    off_by_one: subject OneLock<off_by_one::OffByOne, P>, "K11", "", UNEXPLAINED,
        Scenario::new("next, deregister a later one, next", &[1, 2, 3], &[&[Next, Deregister(3), Next]]);
    stored_index: subject OneLock<stored_index::StoredIndex, P>, "K11", "", "index out of bounds",
        Scenario::new("next ∥ deregister the last, which is due", &[1, 2], &[&[Deregister(2)], &[Next]]).after(1);
    snapshot_takes_a_turn: subject OneLock<snapshot_takes_a_turn::SnapshotTakesATurn, P>, "K08", "", UNEXPLAINED,
        Scenario::new("next, snapshot, next", &[1, 2], &[&[Next, Snapshot, Next]]);
    skip_forward: subject OneLock<skip_forward::SkipForward, P>, "K10", "", "more than its share",
        Scenario::new("one goes down, next, next", &[1, 2, 3], &[&[register_changed(2), Next, Next]]);

    shared_counter: subject shared_counter::SharedCounter<P>, "K06", "", "twice running",
        Scenario::new("next ∥ next of another service", &[1, 2, 3, 4], &[&[Next, Next], &[Next, Next]]);
    counter_for_each_thread: subject counter_for_each_thread::CounterForEachThread<P>, "K26", "", "more than its share",
        Scenario::new("next ∥ next", &[1, 2], &[&[Next], &[Next]]);
    plan_shares_cursor: subject plan_shares_cursor::PlanSharesCursor<P>, "K07", "", "the same member twice",
        Scenario::new("plan ∥ plan", &[1, 2], &[&[Own("plan")], &[Own("plan")]]);
    retry_same: subject OneLock<retry_same::RetrySame, P>, "K09", "", "twice running",
        Scenario::new("next, retry ∥ next", &[1, 2], &[&[Next], &[Next, Own("retry")]]);
    weight_zero: subject OneLock<weight_zero::WeightZero, P>, "K20", "", "divisor of zero",
        Scenario::new("next, while all weights are zero", &[1, 2], &[&[Next]]);
    stale_weights: subject OneLock<stale_weights::StaleWeights, P>, "K21", "", "not by weight",
        Scenario::new("one is given twice the weight, six picks", &[1, 2], &[
            &[register_changed(2), Next, Next, Next, Next, Next, Next],
        ]);
    unbounded_memory: subject OneLock<unbounded_memory::UnboundedMemory, P>, "K27", "", "more is remembered",
        Scenario::new("one leaves", &[1, 2], &[&[Next, Next, Deregister(2), Own("remembered")]]);

    registered_twice: subject registered_twice::RegisteredTwice<P>, "K12", "S10", UNEXPLAINED,
        Scenario::new("register ∥ register the same", &[], &[&[register(1)], &[register(1)]]);
    coarse_identity: subject OneLock<coarse_identity::CoarseIdentity, P>, "K13", "", UNEXPLAINED,
        Scenario::new("register", &[1], &[&[register(11)]]);
    folded_ids: subject OneLock<folded_ids::FoldedIds, P>, "K17", "", UNEXPLAINED,
        Scenario::new("deregister", &[2, 3], &[&[Deregister(3)]]);
    late_removal: subject OneLock<late_removal::LateRemoval, P>, "K14", "", UNEXPLAINED,
        Scenario::new("register its successor ∥ revoke", &[1], &[&[register_changed(1)], &[Op::Revoke(1.into())]]);

    lost_update: subject lost_update::LostUpdate<P>, "K16", "", UNEXPLAINED,
        Scenario::new("register ∥ register", &[], &[&[register(1)], &[register(2)]]);
    load_modify_store: subject load_modify_store::LoadModifyStore<P>, "K16", "", UNEXPLAINED,
        Scenario::new("register ∥ register", &[], &[&[register(1)], &[register(2)]]);
    publish_before_filled: subject publish_before_filled::PublishBeforeFilled<P>, "K16", "", UNEXPLAINED,
        Scenario::new("register from empty ∥ next", &[], &[&[register(1)], &[Next]]);
    two_pointers: subject two_pointers::TwoPointers<P>, "K15", "", UNEXPLAINED,
        Scenario::new("replace_all ∥ next", &[1], &[&[ReplaceAll(vec![Probe { id: 2, contents: 1 }])], &[Next]]);
    older_published_last: subject older_published_last::OlderPublishedLast<P>, "K15", "", UNEXPLAINED,
        Scenario::new("register ∥ register", &[], &[&[register(1)], &[register(2)]]);
    version_goes_back: subject version_goes_back::VersionGoesBack<P>, "K15", "", "a number go back",
        Scenario::new("register ∥ registers, looks, looks", &[], &[
            &[register(1)],
            &[register(2), register(3), Own("version"), Own("version")],
        ]);

    cleared_by_count: subject OneLock<cleared_by_count::ClearedByCount, P>, "K24", "S11", UNEXPLAINED,
        Scenario::new("a round, one leaves", &[1, 2, 3], &[&[Next, Next, Next, Deregister(1), Next, Next]]);
    unlocked_memory: subject unlocked_memory::UnlockedMemory<P>, "K24", "S10", UNEXPLAINED,
        Scenario::new("next ∥ next", &[1, 2], &[&[Next], &[Next]]);
    two_memories: subject two_memories::TwoMemories<P>, "K25", "S9", UNEXPLAINED,
        Scenario::new("next, renew, next", &[1, 2], &[&[Next, Renew, Next]]);
    corrupted_generator: subject corrupted_generator::CorruptedGenerator<P>, "K23", "S10", "stopped to vary",
        Scenario::new("next ∥ next", &[1, 2], &[&[Next], &[Next]]);

    strategy_under_lock: subject strategy_under_lock::StrategyUnderLock<P>, "K28", "", "deadlock",
        Scenario::new("next", &[1], &[&[Next]]);
    dropped_under_lock: subject dropped_under_lock::DroppedUnderLock<P>, "K28", "", "deadlock",
        Scenario::new("deregister", &[1], &[&[Deregister(1)]]);
    poisoned: subject poisoned::Poisoned<P>, "K29", "", "poisoned lock",
        Scenario::new("a strategy that panics ∥ next", &[1], &[&[Own("a strategy that panics")], &[Next]]);
    read_again: subject read_again::ReadAgain<P>, "K30", "", "deadlock",
        Scenario::new("register ∥ next", &[1], &[&[register(2)], &[Next]]);
    never_reclaimed: subject OneLock<never_reclaimed::NeverReclaimed, P>, "K31", "", "more is remembered",
        Scenario::new("three changes", &[1, 2], &[
            &[register_changed(1), register_changed(2), register(1), Own("garbage")],
        ]);

    free_at_once: subject free_at_once::FreeAtOnce<P>, "K32", "", "use after free",
        Scenario::new("deregister ∥ next", &[1, 2], &[&[Deregister(2)], &[Next]]);
    freed_twice: subject freed_twice::FreedTwice<P>, "K32", "", "double free",
        Scenario::new("register ∥ register", &[], &[&[register(1)], &[register(2)]]);
    late_hazard: subject late_hazard::LateHazard<P>, "K32", "", "use after free",
        Scenario::new("deregister ∥ next", &[1, 2], &[&[Deregister(2)], &[Next]]);
    freed_by_a_pick: subject freed_by_a_pick::FreedByAPick<P>, "K34", "", "a pick frees the list",
        Scenario::new("register ∥ next", &[1], &[&[register(2)], &[Next]]);
    relaxed_publication: weak relaxed_publication::RelaxedPublication<P>, "K32", "", "Causality violation",
        Scenario::new("register ∥ next", &[1], &[&[register(2)], &[Next]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_names_the_class_and_the_system_of_its_row() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/specimens");
        for specimen in specimens() {
            let text = std::fs::read_to_string(folder.join(specimen.name).with_extension("rs")).unwrap();
            let class = format!("class {}).", specimen.class);
            let line = text.lines().next().unwrap();
            assert!(line.ends_with(&class) && line.contains(specimen.system), "{}: {line}", specimen.name);
        }
    }
}
