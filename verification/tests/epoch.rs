//! crossbeam-epoch itself under loom: builds and runs the package in `epoch/`, and shows its table.
//!
//! crossbeam-epoch takes loom's atomics only under `--cfg crossbeam_loom`, a compiler flag that no feature can set. So
//! that package has a workspace, a lock file and a target folder of its own, and this test calls cargo for it.

mod nested;

use std::env;
use std::path::Path;
use std::process::Stdio;

#[test]
fn crossbeam_epoch_itself_under_loom() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("epoch");
    let output = nested::cargo(&here.join("epoch"))
        .args(["test", "--locked", "--test", "epoch", "--target-dir"])
        .arg(&target)
        .args(["--", "--test-threads=2"])
        .env("CARGO_ENCODED_RUSTFLAGS", flags())
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo can be run");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "a model of the epoch package failed");
    assert_eq!(passed(&text), Some(MODELS), "not all models of the epoch package were run");
}

/// As many as `epoch/tests/epoch.rs` has that are not long.
const MODELS: usize = 9;

/// The flags of this build, and the one that matters.
fn flags() -> String {
    let encoded = env::var("CARGO_ENCODED_RUSTFLAGS").ok().filter(|flags| !flags.is_empty());
    let given = encoded.unwrap_or_else(|| {
        env::var("RUSTFLAGS").unwrap_or_default().split_whitespace().collect::<Vec<_>>().join("\u{1f}")
    });
    [given.as_str(), "--cfg", "crossbeam_loom"]
        .into_iter()
        .filter(|flag| !flag.is_empty())
        .collect::<Vec<_>>()
        .join("\u{1f}")
}

/// How many tests passed, from the line that says so.
fn passed(text: &str) -> Option<usize> {
    let line = text.lines().find(|line| line.starts_with("test result: ok."))?;
    line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse().ok()
}
