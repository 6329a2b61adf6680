//! From the published source of a version to a program that explores it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

use crate::nested::cargo;

/// What is replaced: a text, by what, and in how many lines. The versions that we look at have the same numbers. If
/// another has not, somebody has to read it.
const RULES: [(&str, &str, usize); 7] = [
    ("core::sync::atomic", "crate::shim", 14),
    // loom's atomics are not made at compile time.
    ("pub const fn const_empty", "pub fn const_empty", 1),
    ("*self.ptr.get_mut()", "self.ptr.exclusive()", 2),
    (
        "*self.space_offer.get_mut() = &mut self.handover;",
        "let own: *mut Handover = &mut self.handover; self.space_offer.store(own, Relaxed);",
        1,
    ),
    (
        "static LIST_HEAD: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());",
        "loom::lazy_static! { static ref LIST_HEAD: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut()); }",
        1,
    ),
    ("thread_local! {", "loom::thread_local! {", 1),
    // One fast slot, so that the way without one is short.
    ("const DEBT_SLOT_CNT: usize = 8;", "const DEBT_SLOT_CNT: usize = 1;", 1),
];

/// The program for this version, built on the first call.
pub(crate) fn program(version: &str) -> PathBuf {
    static BUILT: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let built = built.get_or_insert_default();
    built.entry(version.to_owned()).or_insert_with(|| build(version)).clone()
}

fn build(version: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().expect("the workspace");
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("arc_swap");
    let package = all.join(version);
    rewrite(&source(version, &all.join("sources")), &package.join("src"));
    fs::copy(here.join("arc_swap/shim.rs"), package.join("src/shim.rs")).expect("the shim can be copied");
    // The versions of everything else are those of the workspace.
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).expect("the lock file can be copied");
    let name = format!("arc-swap-{}", version.replace('.', "-"));
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = {version:?}\nedition = \"2021\"\n\
         [lib]\nname = \"arc_swap\"\n\
         [[bin]]\nname = {name:?}\npath = {main:?}\n\
         [dependencies]\nloom = \"0.7.3\"\nrustversion = \"1\"\nsnapring = {{ path = {root:?}, features = [\"loom\"] }}\n\
         [profile.dev]\nopt-level = 2\n\
         [workspace]\n",
        main = here.join("arc_swap/main.rs"),
    );
    fs::write(package.join("Cargo.toml"), manifest).expect("the manifest can be written");
    let target = all.join("target");
    // Somebody else's source: its warnings are not ours.
    let build = ["build", "--quiet", "--offline", "--target-dir"];
    run(cargo(&package).args(build).arg(&target).env("CARGO_ENCODED_RUSTFLAGS", "--cap-lints=allow"));
    target.join("debug").join(name).with_extension(env::consts::EXE_EXTENSION)
}

/// Where cargo keeps the source of this version. Downloads it if it is not there yet.
fn source(version: &str, folder: &Path) -> PathBuf {
    let package = folder.join(version);
    fs::create_dir_all(package.join("src")).expect("a folder can be made");
    fs::write(package.join("src/lib.rs"), "").expect("a file can be written");
    let manifest = format!(
        "[package]\nname = \"source\"\nedition = \"2021\"\n[dependencies]\narc-swap = \"={version}\"\n[workspace]\n"
    );
    fs::write(package.join("Cargo.toml"), manifest).expect("the manifest can be written");
    let metadata = |offline: &[&str]| {
        cargo(&package).args(["metadata", "--format-version", "1"]).args(offline).output().expect("cargo can be run")
    };
    let mut output = metadata(&["--offline"]);
    if !output.status.success() {
        output = metadata(&[]);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the source of arc-swap {version} is not here and cannot be downloaded:\n{said}");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == "arc-swap").expect("arc-swap is among them");
    let manifest = package["manifest_path"].as_str().expect("a path");
    Path::new(manifest).with_file_name("src")
}

/// Copies a source by the rules. Comments stay as they are.
fn rewrite(from: &Path, to: &Path) {
    let mut lines = [0; RULES.len()];
    copy(from, to, &mut lines);
    for ((text, _, expected), lines) in RULES.iter().zip(lines) {
        assert_eq!(lines, *expected, "lines with `{text}` in {}", from.display());
    }
    let library = to.join("lib.rs");
    let text = fs::read_to_string(&library).expect("a library");
    fs::write(library, text + "\npub mod shim;\n").expect("a file can be written");
}

fn copy(from: &Path, to: &Path, lines: &mut [usize; RULES.len()]) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("cannot read {}: {error}", from.display())) {
        let path = entry.expect("an entry").path();
        let to = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &to, lines);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source is text");
        let text: Vec<String> = text.lines().map(|line| rewritten(line, lines)).collect();
        fs::write(to, text.join("\n")).expect("a file can be written");
    }
}

fn rewritten(line: &str, lines: &mut [usize; RULES.len()]) -> String {
    let mut line = line.to_owned();
    if !line.trim_start().starts_with("//") {
        for ((text, by, _), count) in RULES.iter().zip(lines) {
            if line.contains(text) {
                line = line.replace(text, by);
                *count += 1;
            }
        }
    }
    line
}

fn run(command: &mut Command) {
    let output = command.output().expect("cargo can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
