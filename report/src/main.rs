//! `cargo record`, `cargo verify`, `cargo results`, `cargo claims` and `cargo compare`: aliases in `.cargo/config.toml` lead here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use snapring_benches::machine::root;
use snapring_report::claims::{self, Claim, Verdict};
use snapring_report::compare::{self, Direction};
use snapring_report::generate::{self, CLAIMS};
use snapring_report::record;
use snapring_report::run::Run;
use snapring_report::text::digits;
use snapring_report::verify;

/// Records benchmarks, and says what they say.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo")]
struct Arguments {
    /// The folder of results; relative to the workspace
    #[arg(long, global = true, value_name = "FOLDER", default_value = "results")]
    results: PathBuf,
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Measures everything, into a new folder of the results
    Record {
        /// Seconds instead of minutes, into another folder: only to see that it works
        #[arg(long)]
        quick: bool,
        /// The folder for the new folder
        #[arg(long, value_name = "FOLDER")]
        into: Option<PathBuf>,
    },
    /// Runs the whole verification, and writes the manifest of what it showed
    Verify,
    /// Generates the report and its plots from the recorded data
    Results {
        /// Writes nothing; fails if what is there would be generated otherwise
        #[arg(long)]
        check: bool,
        /// Where the page goes that has everything in it [default: results.html in the target folder]
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
    /// Evaluates claims against the recorded data
    Claims {
        /// Only this one, as one cites it
        id: Option<String>,
        /// Measures again here what it rests on, and evaluates that
        #[arg(long, requires = "id")]
        fresh: bool,
    },
    /// What changed from one run to another, beyond noise
    Compare {
        /// The folder of the first run, or its name in the results
        before: PathBuf,
        /// The folder of the second run
        after: PathBuf,
        /// Shows what did not change as well
        #[arg(long)]
        all: bool,
    },
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let results = root().join(&arguments.results);
    match arguments.command {
        Action::Record { quick, into } => {
            let parent = match into {
                Some(into) => into,
                None if quick => record::quick_folder()?,
                None => arguments.results,
            };
            let run = record::record(&parent, quick)?;
            println!("Recorded: {}", run.folder.display());
            if !quick {
                println!("Now: cargo results, cargo claims");
            }
            Ok(ExitCode::SUCCESS)
        }
        Action::Verify => {
            println!("Verified: {}", verify::verify(&results)?.display());
            report(&results, false, None)
        }
        Action::Results { check, html } => report(&results, check, html),
        Action::Claims { id: None, .. } => evaluate_all(&results),
        Action::Claims { id: Some(id), fresh } => cite(&results, &id, fresh),
        Action::Compare { before, after, all } => {
            compare_runs(&load(&results, &before)?, &load(&results, &after)?, all)
        }
    }
}

fn report(results: &Path, check: bool, html: Option<PathBuf>) -> Result<ExitCode> {
    let generated = generate::generate(results)?;
    if check {
        let differences = generate::differences(results, &generated)?;
        for difference in &differences {
            println!("{difference}");
        }
        return Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    generate::write(results, &generated)?;
    let html = match html {
        Some(file) => root().join(file),
        None => claims::target_folder()?.join("results.html"),
    };
    fs::write(&html, generated.html(&format!("{}/", results.display())))
        .with_context(|| format!("cannot write {}", html.display()))?;
    println!("{} files in {}, and in one piece {}", generated.files.len(), results.display(), html.display());
    Ok(ExitCode::SUCCESS)
}

fn evaluate_all(results: &Path) -> Result<ExitCode> {
    let (runs, claims) = (Run::recorded(results)?, claims::load(&results.join(CLAIMS))?);
    let mut bad = 0;
    for claim in &claims {
        let evaluations = claims::evaluate(claim, &runs);
        let verdict = claims::overall(&evaluations);
        println!("{:4} {verdict}: {}", claim.id, claim.statement()?);
        for evaluation in &evaluations {
            if let (Some(run), Some(figures)) = (evaluation.run, claims::figures(claim, evaluation)) {
                println!("       {}: {figures}", run.on());
            }
        }
        bad += usize::from(verdict.is_bad());
    }
    match bad {
        0 => println!("{} claims, none of them broken.", claims.len()),
        bad => println!("{bad} of {} claims are not shown by the data.", claims.len()),
    }
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn cite(results: &Path, id: &str, fresh: bool) -> Result<ExitCode> {
    let claims = claims::load(&results.join(CLAIMS))?;
    let Some(claim) = claims.iter().find(|claim| claim.id.eq_ignore_ascii_case(id)) else {
        bail!(
            "no claim is called {id}: {}",
            claims.iter().map(|claim| claim.id.as_str()).collect::<Vec<_>>().join(", ")
        );
    };
    let verdict = if fresh { again(claim)? } else { from_data(results, claim)? };
    Ok(if verdict.is_bad() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn from_data(results: &Path, claim: &Claim) -> Result<Verdict> {
    let runs = Run::recorded(results)?;
    let evaluations = claims::evaluate(claim, &runs);
    print!("{}", claims::citation(claim, &evaluations)?);
    Ok(claims::overall(&evaluations))
}

fn again(claim: &Claim) -> Result<Verdict> {
    let run = claims::measure_again(claim)?;
    let evaluation = claims::evaluate_in(claim, &run);
    print!("\nMeasured here and now:\n{}", claims::citation(claim, std::slice::from_ref(&evaluation))?);
    Ok(evaluation.verdict)
}

fn load(results: &Path, run: &Path) -> Result<Run> {
    let named = results.join(run);
    Run::load(if named.is_dir() { &named } else { run })
}

fn compare_runs(before: &Run, after: &Run, all: bool) -> Result<ExitCode> {
    let changes = compare::compare(before, after);
    println!(
        "{} → {}: ratios to a reference of the same run, and by what factor they changed",
        before.name, after.name
    );
    let mut counts = [0; 3];
    for change in &changes {
        let (at, mark) = match change.direction() {
            Direction::Worse => (0, "WORSE "),
            Direction::Better => (1, "better"),
            Direction::Same => (2, "same  "),
        };
        counts[at] += 1;
        if all || at < 2 {
            let (low, high) = change.interval;
            println!(
                "{mark}  {}: {} → {}, ×{} [{}–{}]",
                change.quantity,
                digits(change.before),
                digits(change.after),
                digits(change.factor),
                digits(low),
                digits(high)
            );
        }
    }
    let [worse, better, same] = counts;
    println!("{worse} worse, {better} better, {same} the same within noise");
    if changes.is_empty() {
        bail!("the runs have nothing in common that was measured often enough");
    }
    Ok(if worse == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
