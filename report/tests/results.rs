//! What is committed: the report is what would be generated, every claim is shown by the data, and the manifest of the
//! verification is one of this code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use snapring::orderings::LEDGER;
use snapring_report::claims::{self, Verdict};
use snapring_report::generate::{self, CLAIMS};
use snapring_report::run::Run;
use snapring_report::verification::{self, Manifest};

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../results")
}

#[test]
fn the_report_is_what_would_be_generated() {
    let generated = generate::generate(&results()).unwrap();
    let differences = generate::differences(&results(), &generated).unwrap();
    assert!(differences.is_empty(), "run `cargo results`, look at the difference, commit it: {differences:#?}");
}

#[test]
fn no_claim_is_broken() {
    let (runs, claims) = (Run::recorded(&results()).unwrap(), claims::load(&results().join(CLAIMS)).unwrap());
    for claim in &claims {
        let evaluations = claims::evaluate(claim, &runs);
        assert!(!claims::overall(&evaluations).is_bad(), "{}", claims::citation(claim, &evaluations).unwrap());
    }
    let holds = |claim| claims::overall(&claims::evaluate(claim, &runs)) == Verdict::Holds;
    assert!(runs.is_empty() || claims.iter().any(holds));
}

#[test]
fn there_are_claims_and_some_speak_against_us() {
    let claims = claims::load(&results().join(CLAIMS)).unwrap();
    assert!(claims.len() >= 15, "{}", claims.len());
    assert!(claims.iter().filter(|claim| claim.against_us).count() >= 4);
}

/// Says what to do about a manifest that is not of this code.
const VERIFY_AGAIN: &str = "run `cargo verify`, look at the difference, commit it";

fn manifest() -> Manifest {
    verification::load(&results()).unwrap().expect("there is a manifest")
}

/// The names of all pages in a folder, without their endings.
fn pages(folder: &str) -> BTreeSet<String> {
    let names = std::fs::read_dir(results().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let names = names.filter(|path| path.file_stem().is_some_and(|name| name != "README"));
    names.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

/// The suites compare what they see with the same numbers, so the manifest, the numbers and the code agree.
#[test]
fn the_manifest_has_every_model_with_its_number_of_executions() {
    let expected = results().join("../verification/expected/models.json");
    let expected: BTreeMap<String, u64> = serde_json::from_str(&std::fs::read_to_string(expected).unwrap()).unwrap();
    let models = manifest().models;
    let repeatable = models.iter().filter(|row| expected.contains_key(&row.key()));
    let found: BTreeMap<_, _> = repeatable.map(|row| (row.key(), row.executions)).collect();
    let differs: Vec<_> = expected.iter().filter(|(key, executions)| found.get(*key) != Some(executions)).collect();
    assert!(differs.is_empty(), "{VERIFY_AGAIN}: {differs:#?}");
    let sampled = ["real threads", "shuttle, random", "shuttle, PCT"];
    for row in &models {
        let known = expected.contains_key(&row.key()) || sampled.contains(&row.checker.as_str());
        assert!(known, "{VERIFY_AGAIN}: {}", row.key());
        assert!(row.verdict != "failed" && row.executions >= 3, "{}", row.key());
    }
}

/// What passes is the version that we use, and every other is a control that fails.
#[test]
fn the_manifest_has_arc_swaps_algorithm_with_its_controls() {
    let Manifest { about, arc_swap, .. } = manifest();
    let expected = results().join("../verification/expected/arc_swap.json");
    let expected: BTreeMap<String, u64> = serde_json::from_str(&std::fs::read_to_string(expected).unwrap()).unwrap();
    let (failed, passed): (Vec<_>, Vec<_>) = arc_swap.iter().partition(|row| row.verdict == "failed");
    let passed: BTreeMap<_, _> = passed.iter().map(|row| (row.key(), row.executions)).collect();
    assert_eq!(passed, expected, "{VERIFY_AGAIN}");
    let ours = format!("arc-swap {},", about.versions["arc-swap"].as_ref().unwrap());
    assert!(passed.keys().all(|key| key.starts_with(&ours)), "{ours}");
    for control in ["arc-swap 1.8.2,", "arc-swap 1.9.0,", "arc-swap 1.9.1,"] {
        assert!(failed.iter().any(|row| row.subject.starts_with(control)), "{control}");
    }
}

#[test]
fn the_manifest_has_every_ordering_and_every_broken_version() {
    let Manifest { orderings, specimens, .. } = manifest();
    let strong = LEDGER.iter().filter(|site| site.ordering != Ordering::Relaxed).map(|site| site.name.to_owned());
    let found: Vec<_> = orderings.into_iter().map(|ordering| ordering.name).collect();
    assert_eq!(found, strong.collect::<Vec<_>>(), "{VERIFY_AGAIN}");
    let found: BTreeSet<_> = specimens.into_iter().map(|killed| killed.name).collect();
    assert_eq!(found, pages("counterexamples"), "{VERIFY_AGAIN}");
}

#[test]
fn runs_are_small_enough_to_keep() {
    const MOST: u64 = 2_000_000;
    for run in Run::recorded(&results()).unwrap() {
        let bytes = size(&run.folder);
        assert!(bytes < MOST, "{} has {bytes} bytes", run.name);
    }
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { size(&path) } else { path.metadata().unwrap().len() }).sum()
}
