//! Tables that line up, for people.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::adapters::{CONTENDERS, Entry, FLOOR};
use crate::plan::{Case, Writer};
use crate::results::{Results, Row};
use crate::stats::Ratio;

/// How to read what follows, in one breath.
const LEGEND: &str = "\
How to read this: ns is the median time of one pick for the thread that makes it (wall time x threads / picks, the\n\
result dropped again). A ratio is the median of the ratios of each round, with its 95 % interval [in brackets], or [?]\n\
after too few rounds. Compare ratios, not nanoseconds, and only within one run. (!): more busy threads than cores.\n\
off CPU: windows in which a thread was not running for more than 2 % of the time (preempted, or parked by a lock).\n\
/ plain leaves such rounds out, except where (!) makes them unavoidable; ~ means that too few were left to do so.";

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
    if let Some(table) = exactness(results, cases, cores) {
        section(
            &mut text,
            "The price of exactness: time of the ring / time of a plain counter over the same cell",
            &table,
        );
    }
    text.push_str(LEGEND);
    text.push('\n');
    text
}

fn section(text: &mut String, title: &str, table: &Table) {
    writeln!(text, "{title}\n{table}\n").expect("a string takes all");
}

/// Every contender in every case of one list and one writer.
fn details(results: &Results, cases: &[Case], cores: usize) -> Table {
    let floor = format!("/ {FLOOR}");
    let mut table = empty(&["threads", "", "ns", "quartiles", "/ plain", &floor, "updates/s", "off CPU"], 2);
    for (at, &case) in cases.iter().enumerate() {
        if at > 0 {
            table.add_row([""; 8]);
        }
        let mut threads = threads(case, cores);
        for entry in CONTENDERS {
            let Some(row) = results.row(entry, case) else { continue };
            table.add_row([
                std::mem::take(&mut threads),
                entry.name.into(),
                digits(row.ns.median),
                format!("{}-{}", digits(row.ns.low), digits(row.ns.high)),
                to_plain(Some(&row)),
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

/// Each exact ring against its plain partner, in every case; `None` if no such pair was measured.
fn exactness(results: &Results, cases: &[Case], cores: usize) -> Option<Table> {
    let pair = |entry: &'static Entry| entry.plain.map(|plain| (entry, format!("{} / {plain}", entry.name)));
    let (entries, titles): (Vec<_>, Vec<_>) = CONTENDERS.iter().filter_map(pair).unzip();
    let mut header = vec!["n".to_owned(), "writer".into(), "threads".into()];
    header.extend(titles);
    let mut table = empty(&header, 3);
    for &case in cases {
        let rows: Vec<_> = entries.iter().map(|entry| results.row(entry, case)).collect();
        if rows.iter().flatten().any(|row| row.to_plain.is_some()) {
            let cells = rows.iter().map(|row| to_plain(row.as_ref()));
            let case = [case.n.to_string(), spoken(case.writer), threads(case, cores)];
            table.add_row(case.into_iter().chain(cells));
        }
    }
    (table.row_count() > 0).then_some(table)
}

/// The first columns hold words, the others numbers.
fn empty(header: &[impl ToString], words: usize) -> Table {
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

fn to_plain(row: Option<&Row>) -> String {
    let Some((row, ratio)) = row.and_then(|row| Some((row, row.to_plain?))) else { return String::new() };
    format!("{}{}", if row.disturbed { "~" } else { "" }, with_interval(ratio))
}

fn with_interval(ratio: Ratio) -> String {
    match ratio.interval {
        Some((low, high)) => format!("{:.2} [{low:.2}-{high:.2}]", ratio.median),
        None => format!("{:.2} [?]", ratio.median),
    }
}

/// Three digits are more than a timing deserves.
fn digits(value: f64) -> String {
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
        assert_eq!(with_interval(Ratio { median: 1.0, interval: Some((0.5, 2.0)) }), "1.00 [0.50-2.00]");
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
