//! The command line, which all bench targets understand.
//!
//! `cargo bench -- …` hands the same arguments to every target, and adds `--bench`. So each target takes all of these
//! options, and says what it ignores instead of failing. Criterion's own options work with `--bench micro`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Error, Parser};

use crate::plan::{Rivals, Writer};

/// Measures what the registries cost. Every target takes all options and uses those that it has a use for.
#[derive(Clone, Debug, Parser)]
#[command(name = "cargo bench -p snapring-benches --bench <TARGET> --")]
pub struct Args {
    /// Only contenders whose name contains this; may be given several times
    #[arg(long, value_name = "SUBSTRING")]
    only: Vec<String>,
    /// The same as --only
    #[arg(value_name = "SUBSTRING")]
    filter: Vec<String>,
    /// How many threads pick, in `next`
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = positive, default_value = "1,2,4")]
    pub threads: Vec<usize>,
    /// Who changes the list: none, updates a second, flat; in `next`
    #[arg(long, value_name = "RATES", value_delimiter = ',', default_value = "none,10000,flat")]
    pub writers: Vec<Writer>,
    /// How many members the list has [default: 16,4096 in `next`; up to 100000 in `updates`; 4096 in `tails`]
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = positive)]
    sizes: Option<Vec<usize>>,
    /// About how long `next` may take; as many rounds as fit are measured [default: 150]
    #[arg(long, value_name = "SECONDS", conflicts_with = "rounds")]
    seconds: Option<u64>,
    /// How many rounds to measure, however long it takes
    #[arg(long, value_name = "COUNT", value_parser = positive)]
    rounds: Option<usize>,
    /// How long a window is, in milliseconds [default: 25 in `next`, 400 in `tails` and `memory`]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    window_ms: Option<u64>,
    /// A few seconds, to see that it works
    #[arg(long)]
    pub quick: bool,
    /// More rivals in `next`; ten times as many rounds as by default in `updates`, `tails` and `memory`
    #[arg(long)]
    pub full: bool,
    /// The folder for the results; relative to the workspace. Each target makes a folder of its own in it, once
    /// [default: snapring-bench/TIME in the target folder]
    #[arg(long, value_name = "FOLDER", verbatim_doc_comment)]
    pub out: Option<PathBuf>,
    /// Cargo says that this is `cargo bench`. Without it, it is `cargo test`, which wants to be quick
    #[arg(long, hide = true)]
    bench: bool,
    /// What is ignored
    #[arg(skip)]
    pub ignored: Vec<String>,
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| "a number above 0".into())
}

/// How much to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Exactly so many rounds.
    Rounds(usize),
    /// As many as fit.
    Within(Duration),
}

impl Args {
    /// The arguments of this process. Ends it if they are wrong, or if it is help that is wanted.
    pub fn from_command_line() -> Self {
        Self::tolerant(std::env::args_os().collect()).unwrap_or_else(|error| error.exit())
    }

    /// Options that we do not know are noted and ignored, together with what looks like their value.
    fn tolerant(mut arguments: Vec<OsString>) -> Result<Self, Error> {
        let mut ignored = Vec::new();
        loop {
            let error = match Self::try_parse_from(&arguments) {
                Ok(args) => return Ok(Self { ignored, ..args }),
                Err(error) => error,
            };
            let unknown = match (error.kind(), error.get(ContextKind::InvalidArg)) {
                (ErrorKind::UnknownArgument, Some(ContextValue::String(unknown))) => unknown.clone(),
                _ => return Err(error),
            };
            let is_it = |argument: &OsString| argument.to_string_lossy().starts_with(&unknown);
            let Some(at) = arguments.iter().position(is_it) else { return Err(error) };
            let has_value = !arguments[at].to_string_lossy().contains('=')
                && arguments.get(at + 1).is_some_and(|next| !next.to_string_lossy().starts_with('-'));
            let end = at + 1 + usize::from(has_value);
            ignored.extend(arguments.drain(at..end).map(|argument| argument.to_string_lossy().into_owned()));
        }
    }

    /// Words that a contender's name must contain one of; if there are none, all contenders take part.
    pub fn words(&self) -> Vec<String> {
        self.only.iter().chain(&self.filter).cloned().collect()
    }

    /// Whether it only matters that it works.
    pub fn is_quick(&self) -> bool {
        self.quick || !self.bench
    }

    /// Whether a name contains one of the words.
    pub fn wants(&self, name: &str) -> bool {
        let mut words = self.only.iter().chain(&self.filter).peekable();
        words.peek().is_none() || words.any(|word| name.contains(word.as_str()))
    }

    /// Which rivals take part: who is named does.
    pub fn rivals(&self) -> Rivals {
        match (self.words().is_empty(), self.full) {
            (false, _) => Rivals::Everywhere,
            (true, true) => Rivals::InFewCases,
            (true, false) => Rivals::Nowhere,
        }
    }

    /// How many members the list has.
    pub fn sizes_or(&self, default: &[usize]) -> Vec<usize> {
        self.sizes.clone().unwrap_or_else(|| default.to_vec())
    }

    /// How long a window is.
    pub fn window(&self) -> Duration {
        self.window_or(25)
    }

    /// How long a window is, where so many milliseconds are the default.
    pub fn window_or(&self, default: u64) -> Duration {
        Duration::from_millis(self.window_ms.unwrap_or(if self.is_quick() { 4.max(default / 20) } else { default }))
    }

    /// How many rounds there are, where the default is so many.
    pub fn rounds_or(&self, default: usize) -> usize {
        let more = if self.full { 10 } else { 1 };
        self.rounds.unwrap_or(if self.is_quick() { 1 } else { default * more })
    }

    /// How much to measure.
    pub fn effort(&self) -> Effort {
        match (self.rounds, self.seconds) {
            (Some(rounds), _) => Effort::Rounds(rounds),
            (None, Some(seconds)) => Effort::Within(Duration::from_secs(seconds)),
            (None, None) if self.is_quick() => Effort::Rounds(1),
            (None, None) => Effort::Within(Duration::from_secs(150)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Args, Error> {
        Args::tolerant(std::iter::once("next").chain(line.split_whitespace()).map(OsString::from).collect())
    }

    #[test]
    fn what_cargo_and_criterion_add_is_tolerated() {
        let args = parse("--bench --save-baseline main --noplot --sample-size=20 --rounds 3 epoch").unwrap();
        assert_eq!(args.ignored, ["--save-baseline", "main", "--noplot", "--sample-size=20"]);
        assert_eq!(args.effort(), Effort::Rounds(3));
        assert_eq!(args.words(), ["epoch"]);
    }

    #[test]
    fn what_is_wrong_is_not_tolerated() {
        for line in ["--threads 0", "--threads x", "--writers fast", "--rounds 1 --seconds 1", "--window-ms 0"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn lists_are_lists() {
        let args = parse("--threads 1,8 --writers flat,100 --only a --only b c").unwrap();
        assert_eq!(args.threads, [1, 8]);
        assert_eq!(args.writers, [Writer::Flat, Writer::Paced(100)]);
        assert_eq!(args.words(), ["a", "b", "c"]);
        assert!(args.wants("xbx") && !args.wants("xyz") && parse("").unwrap().wants("xyz"));
        assert_eq!(args.sizes_or(&[16]), [16]);
        assert_eq!(parse("--sizes 3,5").unwrap().sizes_or(&[16]), [3, 5]);
    }

    #[test]
    fn cargo_test_is_quick_and_cargo_bench_is_not() {
        assert!(parse("").unwrap().is_quick());
        assert!(!parse("--bench").unwrap().is_quick());
        assert!(parse("--bench --quick").unwrap().is_quick());
        assert_eq!(parse("--bench").unwrap().rounds_or(4), 4);
        assert_eq!(parse("--bench --full").unwrap().rounds_or(4), 40);
        assert_eq!(parse("").unwrap().rounds_or(4), 1);
    }

    #[test]
    fn rivals_have_to_be_asked_for() {
        let rivals = |line| parse(line).unwrap().rivals();
        assert_eq!(rivals("--bench"), Rivals::Nowhere);
        assert_eq!(rivals("--bench --full"), Rivals::InFewCases);
        assert_eq!(rivals("--bench --full --only seize"), Rivals::Everywhere);
    }
}
