//! What the fuzzer once found worth keeping, again and on any compiler.

use std::path::Path;

fn replay(target: fn(&[u8]), name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(name);
    let mut count = 0;
    for file in std::fs::read_dir(&folder).expect("there is a corpus") {
        let path = file.expect("it can be listed").path();
        let data = std::fs::read(&path).expect("it can be read");
        if std::panic::catch_unwind(|| target(&data)).is_err() {
            panic!("{} fails", path.display());
        }
        count += 1;
    }
    assert!(count >= 10, "only {count} files in {}", folder.display());
}

#[test]
fn operations() {
    replay(snapring_fuzz_targets::operations, "operations");
}

#[test]
fn health() {
    replay(snapring_fuzz_targets::health, "health");
}

#[test]
fn agent() {
    replay(snapring_fuzz_targets::agent, "agent");
}
