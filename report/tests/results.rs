//! What is committed: the report is what would be generated, and every claim is shown by the data.

use std::path::{Path, PathBuf};

use snapring_report::claims::{self, Verdict};
use snapring_report::generate::{self, CLAIMS};
use snapring_report::run::Run;

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
        let evaluation = claims::evaluate(claim, &runs);
        assert!(!evaluation.verdict.is_bad(), "{}", claims::citation(claim, &evaluation).unwrap());
    }
    let holds = |verdict: Verdict| verdict == Verdict::Holds;
    assert!(runs.is_empty() || claims.iter().any(|claim| holds(claims::evaluate(claim, &runs).verdict)));
}

#[test]
fn there_are_claims_and_some_speak_against_us() {
    let claims = claims::load(&results().join(CLAIMS)).unwrap();
    assert!(claims.len() >= 15, "{}", claims.len());
    assert!(claims.iter().filter(|claim| claim.against_us).count() >= 4);
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
