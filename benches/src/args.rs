//! The command line, which both bench targets understand.
//!
//! `cargo bench -- …` hands the same arguments to every target, and adds `--bench`. So each target takes all of these
//! options, and says what it ignores instead of failing. Criterion's own options work with `--bench micro`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Error, Parser};

use crate::plan::Writer;

/// Compares what a pick costs, round by round.
#[derive(Clone, Debug, Parser)]
#[command(name = "cargo bench -p snapring-benches --bench next --")]
pub struct Args {
    /// Only contenders whose name contains this; may be given several times
    #[arg(long, value_name = "SUBSTRING")]
    only: Vec<String>,
    /// The same as --only
    #[arg(value_name = "SUBSTRING")]
    filter: Vec<String>,
    /// How many threads pick
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = positive, default_value = "1,2,4")]
    pub threads: Vec<usize>,
    /// Who changes the list: none, updates a second, flat
    #[arg(long, value_name = "RATES", value_delimiter = ',', default_value = "none,10000,flat")]
    pub writers: Vec<Writer>,
    /// How many members the list has
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = positive, default_value = "16,4096")]
    pub sizes: Vec<usize>,
    /// About how long it may take; as many rounds as fit are measured [default: 150]
    #[arg(long, value_name = "SECONDS", conflicts_with = "rounds")]
    seconds: Option<u64>,
    /// How many rounds to measure, however long it takes
    #[arg(long, value_name = "COUNT", value_parser = positive)]
    rounds: Option<usize>,
    /// How long a window is, in milliseconds [default: 40]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    window_ms: Option<u64>,
    /// A few seconds, to see that it works
    #[arg(long)]
    pub quick: bool,
    /// The folder for the results, which must not exist yet; relative to the workspace
    /// [default: snapring-bench/<time> in the target folder]
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

    /// How long a window is.
    pub fn window(&self) -> Duration {
        Duration::from_millis(self.window_ms.unwrap_or(if self.is_quick() { 4 } else { 40 }))
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
    }

    #[test]
    fn cargo_test_is_quick_and_cargo_bench_is_not() {
        assert!(parse("").unwrap().is_quick());
        assert!(!parse("--bench").unwrap().is_quick());
        assert!(parse("--bench --quick").unwrap().is_quick());
    }
}
