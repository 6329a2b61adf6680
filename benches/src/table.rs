//! Tables that line up, for people.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::adapters::{CONTENDERS, Entry, FLOOR};
use crate::plan::{Case, Writer};
use crate::results::{Pair, Results};
use crate::stats::Ratio;

/// How to read what follows, in one breath.
const LEGEND: &str = "\
How to read this: ns is the median time of one pick for the thread that makes it (wall time x threads / picks, the\n\
result dropped again). A ratio is the median of the ratios of each round, with its 95 % interval [in brackets], or [?]\n\
after too few rounds. Compare ratios, not nanoseconds, and only within one run. (!): more busy threads than cores.\n\
off CPU: windows in which a thread was not running for more than 2 % of the time (preempted, or parked by a lock).\n\
The pairs leave such rounds out, except where (!) makes them unavoidable; ~ means that too few were left to do so.\n\
A floor has no writer, so a contender that has one is compared with the floor as it is without.";

/// Everything there is to say, the details first and the summary last, where the eye is when a run ends.
pub fn report(results: &Results, cases: &[Case], cores: usize) -> String {
    let mut text = String::new();
    for group in cases.chunk_by(|a, b| (a.n, a.writer) == (b.n, b.writer)) {
        let Case { n, writer, .. } = group[0];
        section(&mut text, &format!("n = {n}, {}", spoken(writer)), &details(results, group, cores));
    }
    for group in cases.chunk_by(|a, b| a.n == b.n) {
        let title = format!("At a glance, n = {}: ns per pick", group[0].n);
        section(&mut text, &title, &glance(results, group, cores));
    }
    if let Some(table) = pairs(results, cases, cores) {
        section(&mut text, "What each costs against its partner: time of one / time of the other", &table);
    }
    text.push_str(LEGEND);
    text.push('\n');
    text
}

pub(crate) fn section(text: &mut String, title: &str, table: &Table) {
    writeln!(text, "{title}\n{table}\n").expect("a string takes all");
}

/// Every contender in every case of one list and one writer.
fn details(results: &Results, cases: &[Case], cores: usize) -> Table {
    let floor = format!("/ {FLOOR}");
    let mut table = empty(&["threads", "", "ns", "quartiles", &floor, "updates/s", "off CPU"], 2);
    for (at, &case) in cases.iter().enumerate() {
        if at > 0 {
            table.add_row([""; 7]);
        }
        let mut threads = threads(case, cores);
        for entry in CONTENDERS {
            let Some(row) = results.row(entry, case) else { continue };
            table.add_row([
                std::mem::take(&mut threads),
                entry.name.into(),
                digits(row.ns.median),
                format!("{}-{}", digits(row.ns.low), digits(row.ns.high)),
                row.to_floor.map_or_else(String::new, |ratio| digits(ratio.median)),
                row.updates.map_or_else(String::new, |rate| format!("{rate:.0}")),
                format!("{}/{}", row.preempted, row.windows),
            ]);
        }
    }
    table
}

/// Medians only: who is fast where.
fn glance(results: &Results, cases: &[Case], cores: usize) -> Table {
    let mut header = vec!["updates/s\nthreads".to_owned()];
    let mut writer = None;
    for &case in cases {
        let new = writer.replace(case.writer) != writer;
        let title = if new { case.writer.to_string() } else { String::new() };
        header.push(format!("{title}\n{}", threads(case, cores)));
    }
    let mut table = empty(&header, 1);
    for entry in CONTENDERS {
        let medians: Vec<_> = cases.iter().map(|&case| results.row(entry, case)).collect();
        if medians.iter().any(Option::is_some) {
            let cells = medians.into_iter().map(|row| row.map_or_else(String::new, |row| digits(row.ns.median)));
            table.add_row(std::iter::once(entry.name.to_owned()).chain(cells));
        }
    }
    table
}

/// Each contender against each of its partners, in every case; `None` if no such pair was measured.
fn pairs(results: &Results, cases: &[Case], cores: usize) -> Option<Table> {
    let mut counts: Vec<_> = cases.iter().map(|case| case.threads).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut header = vec!["".to_owned(), "n".into(), "writer".into()];
    header.extend(counts.iter().map(|count| if *count == 1 { "1 thread".into() } else { format!("{count} threads") }));
    let mut table = empty(&header, 3);
    let partners =
        |entry: &'static Entry| entry.against.iter().filter_map(move |name| Some((entry, Entry::named(name)?)));
    for (entry, partner) in CONTENDERS.iter().flat_map(partners) {
        let mut title = match partner.name {
            name if name == entry.name => format!("{name} / itself without a writer"),
            name => format!("{} / {name}", entry.name),
        };
        let mut first = true;
        for group in cases.chunk_by(|a, b| (a.n, a.writer) == (b.n, b.writer)) {
            let ratio = |count: &usize| {
                let case = group.iter().find(|case| case.threads == *count)?;
                Some(measured(results.pair(entry, partner, *case)?, case.oversubscribed(cores)))
            };
            let ratios: Vec<_> = counts.iter().map(ratio).collect();
            if ratios.iter().any(Option::is_some) {
                if std::mem::take(&mut first) && table.row_count() > 0 {
                    table.add_row(vec![""; header.len()]);
                }
                let case = [std::mem::take(&mut title), group[0].n.to_string(), spoken(group[0].writer)];
                table.add_row(case.into_iter().chain(ratios.into_iter().map(Option::unwrap_or_default)));
            }
        }
    }
    (table.row_count() > 0).then_some(table)
}

/// The first columns hold words, the others numbers.
pub(crate) fn empty(header: &[impl ToString], words: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().map(ToString::to_string));
    for column in table.column_iter_mut().skip(words) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn spoken(writer: Writer) -> String {
    match writer {
        Writer::None => "no writer".into(),
        Writer::Paced(rate) => format!("{rate} updates/s"),
        Writer::Flat => "flat-out writer".into(),
    }
}

fn threads(case: Case, cores: usize) -> String {
    format!("{}{}", case.threads, if case.oversubscribed(cores) { " (!)" } else { "" })
}

fn measured(pair: Pair, oversubscribed: bool) -> String {
    let disturbed = if pair.disturbed { "~" } else { "" };
    format!("{disturbed}{}{}", with_interval(pair.ratio), if oversubscribed { " (!)" } else { "" })
}

fn with_interval(ratio: Ratio) -> String {
    let text = |value: f64| if value < 0.9995 { format!("{value:.3}") } else { format!("{value:.2}") };
    match ratio.interval {
        Some((low, high)) => format!("{} [{}-{}]", text(ratio.median), text(low), text(high)),
        None => format!("{} [?]", text(ratio.median)),
    }
}

/// Three digits are more than a timing deserves.
pub(crate) fn digits(value: f64) -> String {
    match value {
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([0.731, 9.999, 12.34, 99.99, 1234.5].map(digits), ["0.73", "10.0", "12.3", "100", "1234"]);
    }

    #[test]
    fn too_few_rounds_are_not_hidden() {
        assert_eq!(with_interval(Ratio { median: 1.0, interval: None }), "1.00 [?]");
        assert_eq!(with_interval(Ratio { median: 1.0, interval: Some((0.5, 2.0)) }), "1.00 [0.500-2.00]");
    }

    #[test]
    fn all_lines_of_a_table_are_of_one_width() {
        let mut table = empty(&["", "a\nb"], 1);
        table.add_row(["x", "1.00"]);
        let text = table.to_string();
        let widths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    }
}
