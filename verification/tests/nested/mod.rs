//! Calls cargo for a package with a workspace of its own.

use std::env;
use std::path::Path;
use std::process::Command;

/// cargo, in this folder. What the outer cargo says about the package under test must not leak into the inner build.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder).env_remove("RUSTFLAGS");
    let outer = ["CARGO_PKG_", "CARGO_FEATURE_", "CARGO_MANIFEST_"];
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| outer.iter().any(|outer| name.starts_with(outer))) {
            cargo.env_remove(name);
        }
    }
    cargo
}
