//! A whole run of the bench target `next`: rounds, samples, tables.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::args::{Args, Effort};
use crate::machine::Machine;
use crate::plan::{Case, Plan};
use crate::progress::Progress;
use crate::record::Record;
use crate::results::{Results, Sample};
use crate::table;
use crate::window::Cores;

/// What a window takes beside its own length: building, threads, dropping. Only to foresee how many rounds fit.
const OVERHEAD: Duration = Duration::from_millis(6);

/// Measures, prints and saves.
///
/// # Errors
///
/// If the results cannot be saved.
pub fn run(args: &Args) -> Result<()> {
    if !args.ignored.is_empty() {
        eprintln!("ignored, not an option of `next`: {}", args.ignored.join(" "));
    }
    let mut plan = Plan::new(&args.threads, &args.writers, &args.sizes_or(&[16, 4096]), &args.words(), args.rivals());
    if plan.windows() == 0 {
        eprintln!("no contender of `next` is called {}", args.words().join(" or "));
        return Ok(()); // the words may be meant for another target
    }
    let cores = Cores::available();
    let mut machine = Machine::describe("next", &cores, args.window());
    let mut record = Record::create(args.out.as_deref(), "next")?;
    record.save(&machine)?;

    let results = rounds(args, &mut plan, &cores, &mut machine, &mut record)?;

    let cases: Vec<Case> = plan.cases.iter().map(|(case, _)| *case).collect();
    let report = table::report(&results, &cases, cores.count());
    record.table(&report)?;
    print!("{report}");
    println!("Rounds: {}. Samples, machine and this text: {}", machine.rounds, record.folder().display());
    Ok(())
}

fn rounds(args: &Args, plan: &mut Plan, cores: &Cores, machine: &mut Machine, record: &mut Record) -> Result<Results> {
    let (start, mut results) = (Instant::now(), Results::default());
    let (planned, budget) = match args.effort() {
        Effort::Rounds(rounds) => (rounds, None),
        Effort::Within(budget) => {
            let round = (args.window() + OVERHEAD) * plan.windows() as u32;
            ((budget.as_secs_f64() / round.as_secs_f64()).max(1.0) as usize, Some(budget))
        }
    };
    eprintln!("{planned} x {} windows of {} ms", plan.windows(), args.window().as_millis());
    let mut progress = Progress::new(planned * plan.windows());
    for round in 0..planned {
        let spent = start.elapsed();
        let fits = |budget| spent + spent / (round.max(1) as u32) <= budget;
        if round > 0 && !budget.is_none_or(fits) {
            break;
        }
        for (case, entry) in plan.round() {
            progress
                .begin(|| format!("{}, n = {}, {} threads, {} updates", entry.name, case.n, case.threads, case.writer));
            let window = (entry.measure)(&case, args.window(), cores);
            let sample = Sample::new(start.elapsed().as_secs_f64(), round, entry.name, case, cores.count(), &window);
            record.sample(&sample)?;
            results.push(sample);
            progress.advance();
        }
        machine.finish(round + 1);
        record.save(machine)?;
    }
    progress.finish();
    Ok(results)
}
