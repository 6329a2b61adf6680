//! Claims: numbered statements that are evaluated against recorded data, never believed.
//!
//! `results/claims.toml` holds them. A claim says what is compared, within which bounds, and on what kind of machine. Its
//! sentence types no figure: bounds and cases are filled in from the fields that are evaluated, so the two cannot differ.

mod cite;
mod evaluate;
mod fresh;
mod scope;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

pub use cite::{citation, figures, versions};
pub use evaluate::{Evaluation, Verdict, evaluate, evaluate_in, overall};
pub use fresh::{commands, measure_again, target_folder};
pub use scope::Scope;

use crate::quantity::Quantity;
use crate::text::{bound, call, thousands, threads, under};

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    claim: Vec<Claim>,
}

/// One statement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// What it is cited by. Never used again for something else.
    pub id: String,
    /// The sentence, with fields in braces.
    pub says: String,
    /// What is measured.
    pub of: Quantity,
    /// What it is divided by, round by round.
    pub over: Option<Quantity>,
    /// The lower bound.
    pub at_least: Option<f64>,
    /// The upper bound.
    pub at_most: Option<f64>,
    /// Whether the largest of all rounds counts, instead of their median.
    #[serde(default)]
    pub worst: bool,
    /// Whether it speaks against something that this project offers.
    #[serde(default)]
    pub against_us: bool,
    /// Where it applies.
    #[serde(default)]
    pub scope: Scope,
}

/// Reads the claims.
///
/// # Errors
///
/// If they cannot be read, or if one of them has no bound, a number that is taken, or a bound of the wrong unit.
pub fn load(file: &Path) -> Result<Vec<Claim>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    parse(&text).with_context(|| format!("cannot understand {}", file.display()))
}

/// Reads claims from their text.
///
/// # Errors
///
/// As [`load`].
pub fn parse(text: &str) -> Result<Vec<Claim>> {
    let File { claim: claims } = toml::from_str(text)?;
    for (at, claim) in claims.iter().enumerate() {
        let id = &claim.id;
        ensure!(!claims[..at].iter().any(|other| other.id == *id), "{id} is there twice");
        ensure!(claim.at_least.is_some() || claim.at_most.is_some(), "{id} has no bound");
        let target = claim.of.target();
        ensure!(claim.over.as_ref().is_none_or(|over| over.target() == target), "{id} divides by something else");
        ensure!(!claim.worst || claim.over.is_none(), "{id}: the worst of ratios means nothing");
        claim.statement().with_context(|| format!("{id} says something that it does not measure"))?;
    }
    Ok(claims)
}

impl Claim {
    /// The sentence with its figures.
    ///
    /// # Errors
    ///
    /// If it names a field that it has not, or types a figure.
    pub fn statement(&self) -> Result<String> {
        let mut text = String::new();
        let mut rest = self.says.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (field, after) = after.split_once('}').context("a brace is not closed")?;
            typed_no_figure(before)?;
            text += before;
            text += &self.field(field).with_context(|| format!("there is no `{field}`"))?;
            rest = after;
        }
        typed_no_figure(rest)?;
        Ok(text + rest)
    }

    fn field(&self, name: &str) -> Option<String> {
        let in_time = self.over.is_none() && self.of.unit() == "ns";
        let said = |value: f64| if in_time { crate::text::time_bound(value) } else { bound(value) };
        match (name, &self.of) {
            ("at_least", _) => self.at_least.map(said),
            ("at_most", _) => self.at_most.map(said),
            ("who", of) => Some(of.who().to_owned()),
            ("over", _) => Some(self.over.as_ref()?.who().to_owned()),
            ("place", of) => Some(of.place()),
            ("n", Quantity::Next { n, .. } | Quantity::Tail { n, .. } | Quantity::Update { n, .. }) => {
                Some(thousands(*n as f64))
            }
            ("threads", Quantity::Next { threads: count, .. }) => Some(threads(*count)),
            ("writer", Quantity::Next { writer, .. }) => Some(under(*writer)),
            ("share", Quantity::Tail { share, .. }) => Some(format!("{} %", share * 100.0)),
            ("call", Quantity::Update { call: which, .. }) => Some(call(which)),
            ("situation", Quantity::Lists { situation, .. }) => Some(situation.clone()),
            _ => None,
        }
    }
}

fn typed_no_figure(text: &str) -> Result<()> {
    ensure!(!text.contains(|sign: char| sign.is_ascii_digit()), "a figure is typed in `{text}`");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIM: &str = r#"
        [[claim]]
        id = "C1"
        says = "{over} is at least {at_least} times as fast as {who} with {threads} and {writer}."
        of = { next = { who = "arc-swap + counter", n = 16, threads = 2, writer = "none" } }
        over = { next = { who = "leased 256", n = 16, threads = 2, writer = "none" } }
        at_least = 5
    "#;

    #[test]
    fn the_figures_of_a_sentence_come_from_what_is_evaluated() {
        let claims = parse(CLAIM).unwrap();
        let said = "leased 256 is at least 5 times as fast as arc-swap + counter with 2 threads and no writer.";
        assert_eq!(claims[0].statement().unwrap(), said);
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let wrong = [
            ("{threads}", "2 threads", "a figure is typed"),
            ("{threads}", "{share}", "no `share`"),
            ("at_least = 5", "", "no bound"),
            ("at_least = 5", "at_least = 5\nworst = true", "worst"),
            ("scope", "scop", ""),
        ];
        for (from, to, why) in wrong.iter().take(4) {
            let text =
                CLAIM.replacen(from, to, 1).replace("{at_least}", if to.is_empty() { "some" } else { "{at_least}" });
            let error = format!("{:#}", parse(&text).unwrap_err());
            assert!(error.contains(why), "{error}");
        }
        assert!(format!("{:#}", parse(&format!("{CLAIM}{CLAIM}")).unwrap_err()).contains("twice"));
        assert!(parse(&CLAIM.replace("at_least = 5", "at_last = 5")).is_err());
    }
}
