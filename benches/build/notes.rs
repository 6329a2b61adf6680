//! Notes how this package is compiled, for `machine.json`: only the build knows.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build/notes.rs");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    println!("cargo::rustc-env=BUILT_BY={}", version.trim());
    for variable in ["OPT_LEVEL", "DEBUG", "PROFILE", "TARGET"] {
        println!("cargo::rustc-env=BUILT_{variable}={}", env::var(variable).unwrap_or_default());
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\u{1f}', " ");
    println!("cargo::rustc-env=BUILT_RUSTFLAGS={flags}");
}
