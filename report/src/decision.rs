//! Which registry when: a row for each way to pick, with the figures that speak for it and against it.

use snapring_benches::plan::Writer;

use crate::claims::{Claim, Verdict, evaluate_in};
use crate::markdown::{link, table};
use crate::plots::{cases, typical};
use crate::quantity::Quantity;
use crate::run::Run;
use crate::text::{digits, thousands, threads, time};

/// A way to pick.
struct Way {
    /// How the samples call it.
    who: &'static str,
    /// How a user calls it.
    code: &'static str,
    /// Which registry is changed.
    registry: &'static str,
    when: &'static str,
}

const WAYS: [Way; 7] = [
    Way {
        who: "leased 256",
        code: "`HandleRegistry::leased`",
        registry: "handle registry",
        when: "threads keep a handle, and a turn may be delivered late: the fastest by far",
    },
    Way {
        who: "handle",
        code: "`HandleRegistry::handle`",
        registry: "handle registry",
        when: "threads keep a handle, and every turn must be exact; or lists are long and change often",
    },
    Way {
        who: "handle registry",
        code: "`HandleRegistry::next`",
        registry: "handle registry",
        when: "beside handles, where a caller has none; not for many picks",
    },
    Way {
        who: "epoch",
        code: "`EpochRegistry`",
        registry: "epoch",
        when: "anybody picks through a shared reference, and no thread sleeps inside a call",
    },
    Way {
        who: "arc-swap",
        code: "`ArcSwapRegistry`",
        registry: "arc-swap",
        when: "the same, without epochs of the whole process",
    },
    Way {
        who: "rwlock",
        code: "`RwLockRegistry`",
        registry: "rwlock",
        when: "a lock that everybody can read at a glance",
    },
    Way {
        who: "mutex",
        code: "`MutexRegistry`",
        registry: "mutex",
        when: "few threads, short lists, frequent changes",
    },
];

/// What most people have, so that is what the ways are compared with.
const USUAL: &str = "arc-swap + counter";

/// The list length of the first columns.
const N: usize = 16;

/// The table, and how to read it.
pub fn section(run: &Run, claims: &[Claim]) -> String {
    let mut counts: Vec<_> =
        cases(run, "epoch").into_iter().filter(|case| !case.oversubscribed(run.machine.cores)).collect();
    counts.retain(|case| (case.n, case.writer) == (N, Writer::None));
    let (one, most) = (1, counts.last().map_or(1, |case| case.threads));
    let sizes = {
        let mut sizes: Vec<_> = run.updates.iter().map(|sample| sample.n).collect();
        sizes.sort_unstable();
        [sizes.first().copied().unwrap_or(N), sizes.last().copied().unwrap_or(N)]
    };
    let tail_n = run.tails.first().map_or(N, |sample| sample.n);
    let header = [
        "".to_owned(),
        "use it when".into(),
        "claims".into(),
        format!("a pick, {}", threads(one)),
        format!("a pick, {}", threads(most)),
        format!("times as fast, {}", threads(most)),
        format!("p99.99, n = {}", thousands(tail_n as f64)),
        format!("register, n = {}", thousands(sizes[0] as f64)),
        format!("register, n = {}", thousands(sizes[1] as f64)),
        "lists alive: busy / stalled".into(),
    ];
    let rows: Vec<_> = WAYS.iter().map(|way| row(way, run, most, sizes, tail_n, claims)).collect();
    let mut text = table(&header, 3, &rows);
    text += &format!(
        "Medians of one run, {}. Picks: n = {N}, no writer. *Times as fast* as `{USUAL}`, which most people write: the ratio \
         within a round, with its interval. *p99.99*: a pick while the list changes. *Lists alive* at most under a flat-out \
         writer, with readers that are busy or one that is stalled. Claims are [below](#claims); those in parentheses are \
         not shown by this run.\n\n",
        link(&run.name, &run.name)
    );
    text
}

fn row(way: &Way, run: &Run, most: usize, sizes: [usize; 2], tail_n: usize, claims: &[Claim]) -> Vec<String> {
    let next = |who: &str, threads| {
        let who = who.to_owned();
        Quantity::Next { who, n: N, threads, writer: Writer::None }.series(run)
    };
    let of = |quantity: Quantity| typical(&quantity.series(run));
    let in_time = |found: Option<crate::bootstrap::Estimate>| found.map_or("–".into(), |found| time(found.value));
    let faster = typical(&next(USUAL, most).over(&next(way.who, most)));
    let register = |n| of(Quantity::Update { who: way.registry.into(), n, call: "register a new id".into() });
    let lists = |situation: &str| {
        let series = Quantity::Lists { who: way.who.into(), situation: situation.into() }.series(run);
        series.all.values().copied().reduce(f64::max).map_or("–".into(), thousands)
    };
    vec![
        way.code.into(),
        way.when.into(),
        evidence(way, claims, run),
        in_time(typical(&next(way.who, 1))),
        in_time(typical(&next(way.who, most))),
        faster.map_or("–".into(), |found| match found.interval {
            Some((low, high)) => format!("{} [{}–{}]", digits(found.value), digits(low), digits(high)),
            None => digits(found.value),
        }),
        in_time(of(Quantity::Tail { who: way.who.into(), n: tail_n, share: 0.9999 })),
        in_time(register(sizes[0])),
        in_time(register(sizes[1])),
        format!("{} / {}", lists("busy readers"), lists("a reader stalled anywhere in its loop")),
    ]
}

/// The claims that speak of it on this machine.
fn evidence(way: &Way, claims: &[Claim], run: &Run) -> String {
    let is_about = |claim: &&Claim| {
        let name = if claim.of.target() == "updates" { way.registry } else { way.who };
        claim.of.who() == name || claim.over.as_ref().is_some_and(|over| over.who() == name)
    };
    let cited = claims.iter().filter(is_about).filter_map(|claim| {
        let link = link(&claim.id, &format!("#{}", claim.id.to_lowercase()));
        match evaluate_in(claim, run).verdict {
            Verdict::Holds => Some(link),
            Verdict::OutOfScope(_) => None,
            _ => Some(format!("({link})")),
        }
    });
    cited.collect::<Vec<_>>().join(" ")
}
