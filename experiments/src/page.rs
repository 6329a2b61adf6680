//! The page, its data and its pictures.

use anyhow::Result;
use snapring_report::axis::Axis;
use snapring_report::chart::{Chart, Line};
use snapring_report::markdown::table;
use snapring_report::palette::distinct;
use snapring_report::text::digits;

use crate::hash_order::iterated;
use crate::lifetime::{self, CALLS, Window};
use crate::reshuffle::{self, Change, Order, Rotation, SIZES};

const CHANGES: [(Change, &str); 2] = [(Change::Registration, "registration"), (Change::Removal, "removal")];

const ORDERS: [(Order, &str); 3] =
    [(Order::Hash, "hash order"), (Order::Sorted, "sorted"), (Order::Insertion, "insertion order")];

const ROTATIONS: [(Rotation, &str); 4] = [
    (Rotation::Counter(Order::Hash), "counter % n, hash order"),
    (Rotation::Counter(Order::Sorted), "counter % n, sorted"),
    (Rotation::Counter(Order::Insertion), "counter % n, insertion order"),
    (Rotation::ExactRing, "exact ring"),
];

const INSTANCES: [usize; 4] = [3, 10, 20, 100];

/// Name and text of all files.
///
/// # Errors
///
/// If a picture cannot be drawn.
pub fn files() -> Result<Vec<(&'static str, String)>> {
    Ok(vec![
        ("README.md", page()),
        ("reshuffle.svg", reshuffle_chart().svg()?),
        ("lifetime.svg", lifetime_chart().svg()?),
    ])
}

fn page() -> String {
    format!(
        "# Experiments\n\nWritten by `cargo experiments` (fixed seeds, no clock: the figures are the same everywhere), and \
         compared with a new run by its tests.\n\n{}{}",
        reshuffle_section(),
        lifetime_section()
    )
}

fn reshuffle_section() -> String {
    let mut text = String::from(
        "## What one change does to a rotation\n\nA registry that keeps its members in a hash set iterates in the order \
         of the buckets. One registration puts a member somewhere in the middle, and every position behind it has another \
         one. Five addresses, and a sixth:\n\n",
    );
    text += &example();
    text += "### Positions\n\nThe share of positions at which another member stands after one change, for 16 members and \
             for 1,024; expected is one half, except that a registration at the end moves nobody.\n\n";
    let mut rows = Vec::new();
    for (order, name) in ORDERS {
        for (change, happened) in CHANGES {
            let measured = [16, 1024].map(|n| percent(reshuffle::positions(order, change, n)));
            let expected = percent(reshuffle::expected_positions(order, change));
            rows.push([vec![name.into(), happened.into()], measured.to_vec(), vec![expected]].concat());
        }
    }
    text += &table(&["list", "after one", "n = 16", "n = 1,024", "expected"], 2, &rows);
    text += "### Requests\n\nPositions are not all: with a plain counter the next request is `count % n`, and n has just \
             changed. The share of all states of the counter in which the *next* request goes to another member than it \
             would have gone to without the change. Whatever the order of the list, almost every state is re-pointed; \
             the exact ring moves on as if nothing had happened, unless the member that was due is the one that \
             left.\n\n![The share of states whose next request is re-pointed](reshuffle.svg)\n\n";
    let mut rows = Vec::new();
    for (rotation, name) in ROTATIONS {
        for (change, happened) in CHANGES {
            let cell = |n| {
                let measured = reshuffle::requests(rotation, change, n);
                format!("{} ({})", percent(measured), percent(reshuffle::expected_requests(rotation, change, n)))
            };
            rows.push([vec![name.into(), happened.into()], [3, 16, 128, 1024].map(cell).to_vec()].concat());
        }
    }
    text += &table(&["rotation", "after one", "n = 3", "n = 16", "n = 128", "n = 1,024"], 2, &rows);
    text += "In parentheses: expected. A counter: n/(n+1) after a registration, (n−1)/n after a removal. The ring: 0, \
             and 1/n.\n\n";
    text
}

/// The small example, with its order of iteration.
fn example() -> String {
    let ids = |n| iterated(&(1..=n).map(|last| format!("10.0.0.{last}")).collect::<Vec<_>>());
    let (before, after) = (ids(5), ids(6));
    let short = |id: &String| id["10.0.0".len()..].to_owned();
    let row = |count: usize| {
        let changed = if before[count] == after[count] { "" } else { "changed" };
        vec![count.to_string(), short(&before[count]), short(&after[count]), changed.into()]
    };
    table(&["counter", "before", "after", ""], 4, &(0..before.len()).map(row).collect::<Vec<_>>())
}

fn reshuffle_chart() -> Chart {
    let mut lines = Vec::new();
    for (change, happened) in CHANGES {
        let rotations = [(Rotation::Counter(Order::Insertion), "counter % n"), (Rotation::ExactRing, "exact ring")];
        for (rotation, name) in rotations {
            let points = SIZES.map(|n| (n as f64, 100.0 * reshuffle::requests(rotation, change, n))).to_vec();
            let style = distinct(lines.len());
            lines.push(Line { name: format!("{name}, {happened}"), points, marks: true, style });
        }
    }
    Chart {
        title: "Re-pointed by one change".into(),
        note: "share of the counter's states whose next request goes to another member".into(),
        x: Axis::of_counts("members before the change", &SIZES),
        y: Axis::linear("states, %", 100.0),
        shade: None,
        lines,
    }
}

fn windows(n: usize) -> [(Window, String); 6] {
    let name = |window: usize| format!("a window of {window}");
    [
        (Some(1), "each call".into()),
        (Some(2), name(2)),
        (Some(5), name(5)),
        (Some(n), format!("{} (a round)", name(n))),
        (Some(10 * n + 1), name(10 * n + 1)),
        (None, "all calls".into()),
    ]
}

fn lifetime_section() -> String {
    let calls = snapring_report::text::thousands(CALLS as f64);
    let mut text = format!(
        "## How long a memory has to live\n\nA shuffle bag chooses at random among those not used in this round. It has to \
         remember. Made anew for each call (a *transient* in many containers), it chooses blindly; kept alive for a window \
         of calls by a pool above it, it works by luck, until the window ends. {calls} calls each; in parentheses what is \
         expected: 1/(n · window) repeats, since a new bag repeats the last one with probability 1/n.\n\n\
         ![How often a call goes where the one before went](lifetime.svg)\n\n"
    );
    for n in INSTANCES {
        let row = |(window, name): (Window, String)| {
            let seen = lifetime::run(n, window);
            let lost = lifetime::expected_lost(n, window).map_or("no simple formula".into(), digits_or_zero);
            vec![
                name,
                format!("{} ({})", percent(seen.repeats), percent(lifetime::expected_repeats(n, window))),
                format!("{} ({lost})", digits_or_zero(seen.lost)),
                seen.longest_run.to_string(),
                percent(seen.uneven),
            ]
        };
        let rows: Vec<_> = windows(n).into_iter().map(row).collect();
        let header = ["one bag for", "repeats at once", "lost of n calls", "longest run", "off even"];
        text += &format!("### {n} instances\n\n{}", table(&header, 1, &rows));
    }
    text += "*Repeats at once*: calls that went where the call before went. *Lost of n calls*: of n calls in a row, how many \
             went where one of these had gone already. *Off even*: how far the most and least used instances are from an \
             even share. That column is why nobody notices: without any memory the distribution is even all the same.\n";
    text
}

/// With one decimal.
fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn digits_or_zero(value: f64) -> String {
    if value == 0.0 { "0".into() } else { digits(value) }
}

fn lifetime_chart() -> Chart {
    let lengths = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
    let line = |(at, n): (usize, usize)| {
        let points = lengths.map(|window| (window as f64, lifetime::run(n, Some(window)).repeats * 100.0));
        let points = points.into_iter().filter(|(_, share)| *share > 0.0).collect();
        Line { name: format!("{n} instances"), points, marks: true, style: distinct(at) }
    };
    let lines: Vec<_> = INSTANCES.into_iter().enumerate().map(line).collect();
    let shares: Vec<_> = lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)).collect();
    Chart {
        title: "A memory that ends too early".into(),
        note: "share of calls that go where the call before went; a bag for all calls: none".into(),
        x: Axis::of_counts("calls that one bag serves", &lengths),
        y: Axis::log("repeats, %", shares.into_iter()),
        shade: None,
        lines,
    }
}
