//! What is committed is what a new run gives.

use std::path::Path;

#[test]
fn the_committed_files_are_those_of_a_new_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("results").join("experiments");
    for (name, text) in snapring_experiments::page::files().unwrap() {
        let committed = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(committed == text, "{name} is not up to date: run `cargo experiments` and look at the difference");
    }
}
