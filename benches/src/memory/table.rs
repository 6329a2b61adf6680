//! The tables of the target `memory`.

use super::Sample;
use super::situations::{SITUATIONS, Situation};
use super::subjects::N;
use crate::table::{empty, section};

/// One table for each situation.
pub(super) fn report(subjects: &[&str], samples: &[Sample]) -> String {
    let mut text = String::new();
    for (title, situation) in SITUATIONS {
        let stalled = situation == Situation::Stalled;
        let mut header = vec!["", "live lists at most", "left at the end", "growth in KiB", "updates/s"];
        if stalled {
            header.extend(["most in the median stall", "stalls", "of these, writer blocked"]);
        }
        let mut table = empty(&header, 1);
        for &subject in subjects {
            let rounds: Vec<_> = samples.iter().filter(|s| s.subject == subject && s.situation == title).collect();
            table.add_row(row(subject, stalled, &rounds));
        }
        section(&mut text, &format!("Lists alive under a flat-out writer, n = {N}: {title}"), &table);
    }
    text
}

fn row(subject: &str, stalled: bool, rounds: &[&Sample]) -> Vec<String> {
    let most = |of: fn(&Sample) -> i64| rounds.iter().map(|sample| of(sample)).max().unwrap_or(0);
    let sum = |of: fn(&Sample) -> f64| rounds.iter().map(|sample| of(sample)).sum::<f64>();
    let mut row = vec![
        subject.to_owned(),
        most(|sample| sample.peak).to_string(),
        most(|sample| sample.left).to_string(),
        rounds.iter().filter_map(|sample| sample.kib).max().map_or_else(String::new, |kib| kib.to_string()),
        format!("{:.0}", sum(|sample| sample.updates as f64) / sum(|sample| sample.seconds)),
    ];
    if stalled {
        let stalls = sum(|sample| f64::from(sample.stalls));
        if stalls == 0.0 {
            row.truncate(1);
            row.push("not stallable from outside".into());
        } else {
            let blocked = sum(|sample| f64::from(sample.blocked));
            row.extend([most(|sample| sample.median).to_string(), stalls.to_string(), blocked.to_string()]);
        }
    }
    row
}
