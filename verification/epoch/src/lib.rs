//! Nothing here: `tests/epoch.rs` is the package.

#[cfg(not(crossbeam_loom))]
compile_error!(
    "crossbeam-epoch uses loom's atomics under `--cfg crossbeam_loom` only; run `cargo test --features loom` at the root"
);
