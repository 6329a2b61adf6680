//! The plots of a run.

use snapring_benches::plan::{Case, Writer};
use snapring_benches::tails;

use crate::axis::Axis;
use crate::bootstrap::{Estimate, MIN_ROUNDS};
use crate::chart::{Chart, Line};
use crate::palette::style;
use crate::quantity::{Quantity, Series};
use crate::run::Run;
use crate::text::{call, thousands, under};

/// Whose picks are plotted, and how they are called there. The rivals that are measured in few cases are in a table.
pub const SHOWN: [(&str, &str); 11] = [
    ("mutex", "mutex"),
    ("rwlock", "rwlock"),
    ("epoch", "epoch"),
    ("arc-swap", "arc-swap"),
    ("handle registry", "handle registry"),
    ("handle", "handle"),
    ("leased 256", "leased 256"),
    ("arc-swap + counter", "arc-swap + counter"),
    ("floor shared ticket", "floor: bare fetch_add"),
    ("floor clone", "floor: clone of one's own"),
    ("floor borrow", "floor: borrow of one's own"),
];

/// The shares of picks that a tail is plotted at.
pub const SHARES: [f64; 6] = [0.5, 0.99, 0.999, 0.9999, 0.99999, 1.0];

const SHARE_NAMES: [&str; 6] = ["p50", "p99", "p99.9", "p99.99", "p99.999", "slowest"];

const PACE: Writer = Writer::Paced(tails::PACE);

/// A plot, and the name of its file.
pub type Plot = (String, Chart);

/// All plots of a run, in the order of the report.
pub fn all(run: &Run) -> Vec<Plot> {
    [next(run), slowest(run), updates(run), lists(run)].concat()
}

/// The value for a plot or a table: of the undisturbed rounds, if there are enough, or of all.
pub fn typical(series: &Series) -> Option<Estimate> {
    let rounds = if series.quiet.len() >= MIN_ROUNDS { &series.quiet } else { &series.all };
    Estimate::of(&rounds.values().copied().collect::<Vec<_>>())
}

/// The cases of the target `next` that were measured for this contender, in order.
pub fn cases(run: &Run, contender: &str) -> Vec<Case> {
    let mut cases: Vec<_> = run.next.iter().filter(|sample| sample.contender == contender).map(|s| s.case()).collect();
    cases.sort();
    cases.dedup();
    cases
}

/// What a pick costs, against the number of threads.
pub fn next(run: &Run) -> Vec<Plot> {
    let cases = cases(run, "epoch");
    let groups = cases.chunk_by(|a, b| (a.n, a.writer) == (b.n, b.writer));
    groups.filter_map(|cases| next_plot(run, cases)).collect()
}

fn next_plot(run: &Run, cases: &[Case]) -> Option<Plot> {
    let Case { n, writer, .. } = *cases.first()?;
    let threads: Vec<_> = cases.iter().map(|case| case.threads).collect();
    let line = |(who, name): &(&str, &str)| {
        let has_no_writer = who.starts_with("floor");
        let point = |&threads: &usize| {
            let writer = if has_no_writer { Writer::None } else { writer };
            let series = Quantity::Next { who: who.to_string(), n, threads, writer }.series(run);
            Some((threads as f64, typical(&series)?.value))
        };
        line(name, who, threads.iter().filter_map(point).collect(), true)
    };
    let lines: Vec<_> = SHOWN.iter().filter_map(line).collect();
    let crowded = cases.iter().find(|case| case.oversubscribed(run.machine.cores)).map(|case| case.threads);
    let shade = crowded.map(|count| {
        let before = threads.iter().copied().filter(|other| *other < count).max().unwrap_or(1);
        ((count as f64 * before as f64).sqrt(), "more busy threads than cores".into())
    });
    let chart = Chart {
        title: format!("What a pick costs: n = {}, {}", thousands(n as f64), under(writer)),
        note: note(run, "next", "median of the rounds; one pick, for the thread that makes it"),
        x: Axis::of_counts("threads that pick", &threads),
        y: Axis::log("nanoseconds per pick", values(&lines)),
        shade,
        lines,
    };
    Some((format!("next-n{n}-{writer}.svg"), chart))
}

/// How slow the slowest picks are.
pub fn slowest(run: &Run) -> Vec<Plot> {
    let mut sizes: Vec<_> = run.tails.iter().map(|sample| sample.n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let plot = |n: usize| {
        let lines: Vec<_> = in_order(run.tails.iter().map(|sample| sample.contender.as_str()))
            .into_iter()
            .filter_map(|who| {
                let point = |(at, share): (usize, &f64)| {
                    let series = Quantity::Tail { who: who.into(), n, share: *share }.series(run);
                    Some((at as f64, typical(&series)?.value))
                };
                let name = if who == "nothing" { "nothing (clock, machine)" } else { who };
                line(name, who, SHARES.iter().enumerate().filter_map(point).collect(), true)
            })
            .collect();
        let chart = Chart {
            title: format!("How slow the slowest picks are: n = {}, {}", thousands(n as f64), under(PACE)),
            note: note(run, "tails", "median of the rounds; preempted picks are not in it"),
            x: Axis::of_names("so many of all picks are at most as slow", &SHARE_NAMES),
            y: Axis::log("nanoseconds, two looks at the clock included", values(&lines)),
            shade: None,
            lines,
        };
        (format!("tails-n{n}.svg"), chart)
    };
    sizes.into_iter().map(plot).collect()
}

/// What a change costs, against the length of the list.
pub fn updates(run: &Run) -> Vec<Plot> {
    let mut sizes: Vec<_> = run.updates.iter().map(|sample| sample.n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let plot = |(at, which): (usize, &&str)| {
        let lines: Vec<_> = in_order(run.updates.iter().map(|sample| sample.registry.as_str()))
            .into_iter()
            .filter_map(|who| {
                let point = |&n: &usize| {
                    let series = Quantity::Update { who: who.into(), n, call: which.to_string() }.series(run);
                    Some((n as f64, typical(&series)?.value / 1e3))
                };
                line(who, who, sizes.iter().filter_map(point).collect(), true)
            })
            .collect();
        let chart = Chart {
            title: format!("What a change costs: {}", call(which)),
            note: note(run, "updates", "median of the rounds' medians; one thread, nobody reads"),
            x: Axis::of_counts("members in the list", &sizes),
            y: Axis::log("microseconds per call", values(&lines)),
            shade: None,
            lines,
        };
        (format!("updates-{}.svg", ["register", "deregister", "register-equal"][at]), chart)
    };
    if sizes.is_empty() { Vec::new() } else { snapring_benches::updates::CALLS.iter().enumerate().map(plot).collect() }
}

/// How many lists are alive, over time.
pub fn lists(run: &Run) -> Vec<Plot> {
    let chosen = [("busy readers", "busy"), ("a reader stalled anywhere in its loop", "stalled")];
    let plot = |(situation, file): (&str, &str)| {
        let own: Vec<_> =
            run.memory.iter().filter(|sample| sample.situation == situation && sample.round == 0).collect();
        let mut lines: Vec<_> = in_order(own.iter().map(|sample| sample.subject.as_str()))
            .into_iter()
            .filter_map(|who| {
                let sample = own.iter().find(|sample| sample.subject == who)?;
                let point = |&(us, lists): &(u64, u64)| (us as f64 / 1e3, lists.max(1) as f64);
                line(who, who, sample.timeline.0.iter().map(point).collect(), false)
            })
            .collect();
        // A writer that a stalled reader blocks takes longer: what all have is shown.
        let end = lines.iter().filter_map(|line| Some(line.points.last()?.0)).reduce(f64::min).unwrap_or(1.0);
        for line in &mut lines {
            line.points.retain(|(ms, _)| *ms <= end);
            line.points.extend(line.points.last().map(|(_, lists)| (end, *lists)));
        }
        let chart = Chart {
            title: format!("Lists alive under a flat-out writer: {situation}"),
            note: note(run, "memory", "the first round, looked at every few milliseconds"),
            x: Axis::linear("milliseconds since the beginning", end),
            y: Axis::log("lists alive", values(&lines)),
            shade: None,
            lines,
        };
        (format!("lists-{file}.svg"), chart)
    };
    if run.memory.is_empty() { Vec::new() } else { chosen.map(plot).into() }
}

fn line(name: &str, who: &str, points: Vec<(f64, f64)>, marks: bool) -> Option<Line> {
    (!points.is_empty()).then(|| Line { name: name.into(), points, marks, style: style(who) })
}

fn values(lines: &[Line]) -> impl Iterator<Item = f64> {
    lines.iter().flat_map(|line| line.points.iter().map(|point| point.1))
}

fn note(run: &Run, target: &str, what: &str) -> String {
    let machine = &run.machine;
    let rounds = run.machines.get(target).map_or(0, |machine| machine.rounds);
    let commit = machine.commit.as_deref().map_or("unknown", |commit| &commit[..commit.len().min(8)]);
    format!("{what}; {rounds} rounds, {} cores, commit {commit}", machine.cores)
}

/// Each name once, in the order of the tables; those that are not in them first.
pub fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<_> = names.collect();
    let place = |name: &str| snapring_benches::adapters::CONTENDERS.iter().position(|entry| entry.name == name);
    names.sort_by_key(|name| (place(name), name.to_string()));
    names.dedup();
    names
}
