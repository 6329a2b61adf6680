//! Measures what a claim rests on again, here and now: only the cells that it needs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use snapring_benches::machine::root;

use super::Claim;
use crate::quantity::Quantity;
use crate::run::Run;

/// Enough for an interval, and for some disturbed rounds to be left out. Short windows of picks are more likely to be left
/// in peace.
const EFFORT: [(&str, &[&str]); 4] = [
    ("next", &["--window-ms", "5", "--rounds", "120"]),
    ("tails", &["--rounds", "10"]),
    ("updates", &["--rounds", "10"]),
    ("memory", &["--rounds", "6"]),
];

/// The arguments of `cargo` that measure it; the folder for the results comes last.
pub fn commands(claim: &Claim, out: &Path) -> Vec<String> {
    let quantities: Vec<&Quantity> = [Some(&claim.of), claim.over.as_ref()].into_iter().flatten().collect();
    let target = claim.of.target();
    let mut arguments: Vec<String> =
        ["bench", "--package", "snapring-benches", "--bench", target, "--"].map(Into::into).into();
    for quantity in &quantities {
        arguments.extend(["--only".into(), quantity.who().into()]);
    }
    let mut option = |name: &str, of: fn(&Quantity) -> Option<String>| {
        let mut values: Vec<_> = quantities.iter().filter_map(|quantity| of(quantity)).collect();
        values.sort();
        values.dedup();
        if !values.is_empty() {
            arguments.extend([name.into(), values.join(",")]);
        }
    };
    option("--sizes", |quantity| match quantity {
        Quantity::Next { n, .. } | Quantity::Tail { n, .. } | Quantity::Update { n, .. } => Some(n.to_string()),
        Quantity::Lists { .. } => None,
    });
    option("--threads", |quantity| match quantity {
        Quantity::Next { threads, .. } => Some(threads.to_string()),
        _ => None,
    });
    option("--writers", |quantity| match quantity {
        Quantity::Next { writer, .. } => Some(writer.to_string()),
        _ => None,
    });
    let effort = EFFORT.iter().filter(|(name, _)| *name == target).flat_map(|(_, effort)| *effort);
    arguments.extend(effort.map(|argument| argument.to_string()));
    arguments.extend(["--out".into(), out.to_string_lossy().into_owned()]);
    arguments
}

/// Measures it, in a new folder of the target folder.
///
/// # Errors
///
/// If the benchmark fails, or if what it saved cannot be read.
pub fn measure_again(claim: &Claim) -> Result<Run> {
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%SZ").to_string();
    let out = target_folder()?.join("snapring-claims").join(format!("{}-{now}", claim.id));
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).current_dir(root()).args(commands(claim, &out)).status();
    ensure!(status.context("cannot start cargo")?.success(), "the benchmark failed");
    Run::load(&out)
}

/// Cargo's target folder: this binary lies in a profile's folder of it.
///
/// # Errors
///
/// If it does not.
pub fn target_folder() -> Result<PathBuf> {
    let binary = env::current_exe().context("cannot find this binary")?;
    let profile = binary.ancestors().skip(1).find(|folder| !folder.ends_with("deps"));
    Ok(profile.and_then(Path::parent).context("this binary is not in a target folder")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::parse;

    #[test]
    fn only_the_cells_of_the_claim_are_measured() {
        let claims = parse(
            r#"
            [[claim]]
            id = "C1"
            says = "A flat-out writer slows it down."
            of = { next = { who = "leased 256", n = 16, threads = 2, writer = "flat" } }
            over = { next = { who = "floor borrow", n = 16, threads = 2, writer = "none" } }
            at_least = 1
            "#,
        )
        .unwrap();
        let line = commands(&claims[0], Path::new("there")).join(" ");
        let expected = "bench --package snapring-benches --bench next -- --only leased 256 --only floor borrow \
                        --sizes 16 --threads 2 --writers flat,none --window-ms 5 --rounds 120 --out there";
        assert_eq!(line, expected);
    }
}
