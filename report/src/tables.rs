//! The tables of the report.

use snapring_benches::adapters::{CONTENDERS, FLOOR};
use snapring_benches::plan::{Case, Writer};
use snapring_benches::updates::CALLS;

use crate::bootstrap::Estimate;
use crate::markdown::table;
use crate::plots::{cases, in_order, typical};
use crate::quantity::{Quantity, Series};
use crate::run::Run;
use crate::text::{call, digits, estimate, percent, thousands, under};

/// What a pick costs in every case: one table for each list length.
pub fn picks(run: &Run) -> String {
    let cases = cases(run, "epoch");
    let mut text = String::new();
    for group in cases.chunk_by(|a, b| a.n == b.n) {
        let mut header = vec![format!("n = {}: ns per pick", thousands(group[0].n as f64))];
        header.extend(group.iter().map(|case| title(run, case)));
        let rows = CONTENDERS.iter().filter(|entry| !entry.rival).filter_map(|entry| {
            let cells: Vec<_> = group.iter().map(|case| typical(&series(run, entry.name, *case))).collect();
            let is_there = cells.iter().any(Option::is_some);
            is_there.then(|| [vec![entry.name.to_owned()], cells.into_iter().map(value).collect()].concat())
        });
        text += &table(&header, 1, &rows.collect::<Vec<_>>());
    }
    if !text.is_empty() {
        text += "Medians of the rounds. (!): more busy threads than cores. Updates that a writer achieved, quartiles and \
                 pairs are in the run's `table.txt`.\n\n";
    }
    text
}

/// The rivals that are measured in fewer cases, beside what they stand beside.
pub fn rivals(run: &Run) -> String {
    let Some(first) = CONTENDERS.iter().find(|entry| entry.rival && !cases(run, entry.name).is_empty()) else {
        return String::new();
    };
    let cases = cases(run, first.name);
    let mut header = vec!["ns per pick, and times the floor".to_owned(), "lends or clones".into()];
    header.extend(cases.iter().map(|case| format!("n = {}, {}", case.n, title(run, case))));
    let rows = CONTENDERS.iter().filter(|entry| entry.changes).filter_map(|entry| {
        let cells = cases.iter().map(|&case| {
            let own = series(run, entry.name, case);
            let floor = series(run, FLOOR, case.unchanging());
            let ratio =
                typical(&own.over(&floor)).map_or_else(String::new, |ratio| format!(" (×{})", digits(ratio.value)));
            Some(format!("{}{ratio}", digits(typical(&own)?.value)))
        });
        let cells: Vec<_> = cells.map(Option::unwrap_or_default).collect();
        let is_there = cells.iter().any(|cell| !cell.is_empty());
        let manner = if entry.lends { "lends" } else { "clones" };
        is_there.then(|| [vec![entry.name.to_owned(), manner.into()], cells].concat())
    });
    let mut text = table(&header, 2, &rows.collect::<Vec<_>>());
    text += &format!(
        "In parentheses: times as long as `{FLOOR}`. What clones pays for the reference count of the member, in turn with \
         all other threads; what lends does not.\n\n"
    );
    text
}

/// What a change costs.
pub fn changes(run: &Run) -> String {
    let mut sizes: Vec<_> = run.updates.iter().map(|sample| sample.n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut text = String::new();
    for which in CALLS {
        let header: Vec<_> = std::iter::once(format!("{}: µs", call(which)))
            .chain(sizes.iter().map(|n| format!("n = {}", thousands(*n as f64))))
            .collect();
        let rows = in_order(run.updates.iter().map(|sample| sample.registry.as_str())).into_iter().map(|who| {
            let cell = |&n: &usize| {
                let found = Quantity::Update { who: who.into(), n, call: which.into() }.series(run);
                let in_us = |(round, ns): (&usize, &f64)| (*round, ns / 1e3);
                let in_us = Series { all: found.all.iter().map(in_us).collect(), ..Series::default() };
                typical(&in_us).map_or_else(String::new, |found| estimate(&found))
            };
            [vec![who.to_owned()], sizes.iter().map(cell).collect()].concat()
        });
        if !sizes.is_empty() {
            text += &table(&header, 1, &rows.collect::<Vec<_>>());
        }
    }
    text
}

/// How many instructions a pick is.
pub fn instructions(run: &Run) -> String {
    let rows = run.instructions.iter().map(|sample| {
        let each = sample.instructions as f64 / sample.picks as f64;
        vec![sample.contender.clone(), digits(each)]
    });
    let Some(first) = run.instructions.first() else { return String::new() };
    let mut text = table(&["", "instructions per pick"], 1, &rows.collect::<Vec<_>>());
    text += &format!(
        "One thread, n = {}, no writer, the loop included: counted by callgrind, so without noise. It says nothing about \
         memory and contention.\n\n",
        first.n
    );
    text
}

/// How many lists are alive at most, in every situation.
pub fn lists(run: &Run) -> String {
    let mut situations: Vec<_> = run.memory.iter().map(|sample| sample.situation.as_str()).collect();
    let mut seen = Vec::new();
    situations.retain(|situation| {
        !seen.contains(situation) && {
            seen.push(*situation);
            true
        }
    });
    if situations.is_empty() {
        return String::new();
    }
    let mut header = vec!["lists alive at most"];
    header.extend(&situations);
    header.push("stalls that block the writer");
    let rows = in_order(run.memory.iter().map(|sample| sample.subject.as_str())).into_iter().map(|who| {
        let most = |situation: &&str| {
            let series = Quantity::Lists { who: who.into(), situation: situation.to_string() }.series(run);
            series.all.values().copied().reduce(f64::max).map_or("–".into(), thousands)
        };
        let own = || run.memory.iter().filter(|sample| sample.subject == who);
        let (stalls, blocked) = own().fold((0, 0), |(all, some), s| (all + s.stalls, some + s.blocked));
        let blocked = if stalls == 0 { "–".into() } else { percent(f64::from(blocked) / f64::from(stalls)) };
        [vec![who.to_owned()], situations.iter().map(most).collect(), vec![blocked]].concat()
    });
    let mut text = table(&header, 1, &rows.collect::<Vec<_>>());
    text += "The most of all rounds. –: every stall blocked the writer, so no list was published meanwhile.\n\n";
    text
}

fn series(run: &Run, who: &str, case: Case) -> Series {
    let Case { n, threads, writer } = case;
    Quantity::Next { who: who.into(), n, threads, writer }.series(run)
}

fn title(run: &Run, case: &Case) -> String {
    let crowded = if case.oversubscribed(run.machine.cores) { " (!)" } else { "" };
    let writer = match case.writer {
        Writer::None => "no writer".into(),
        Writer::Flat => "flat out".into(),
        Writer::Paced(_) => under(case.writer),
    };
    format!("{writer}, {}{crowded}", crate::text::threads(case.threads))
}

fn value(found: Option<Estimate>) -> String {
    found.map_or_else(String::new, |found| digits(found.value))
}
