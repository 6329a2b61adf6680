//! Whole load balancers beside the registries, in one interleaved run: what is in a pick of theirs that a registry leaves
//! to you. They do more, so no ratio here says that somebody is slow.
//!
//! `cargo run --release --manifest-path benches/elsewhere/Cargo.toml`

mod pingora;
mod tower;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};
use comfy_table::{Table, presets};
use snapring_benches::adapters::Entry;
use snapring_benches::plan::{Case, Writer};
use snapring_benches::progress::Progress;
use snapring_benches::stats::{Ratio, Spread};
use snapring_benches::window::{Cores, Window, measure};

use crate::pingora::Pingora;
use crate::tower::Tower;

const ROUNDS: usize = 40;
const WINDOW: Duration = Duration::from_millis(20);
const N: usize = 16;

/// What everybody is compared with.
const BASE: &str = "handle";

type Measure = fn(&Case, Duration, &Cores) -> Window;

fn main() -> Result<()> {
    let mut contenders: Vec<(&str, Measure)> =
        vec![("pingora, round robin", measure::<Pingora>), ("tower, p2c", measure::<Tower>)];
    for ours in ["leased 256", BASE, "arc-swap", "round robin, routed"] {
        contenders.push((ours, Entry::named(ours).context("it is a contender")?.measure));
    }
    let cores = Cores::available();
    let cases = [1, 2].map(|threads| Case { n: N, writer: Writer::None, threads });
    let mut series = BTreeMap::<(usize, &str), BTreeMap<usize, f64>>::new();
    let mut progress = Progress::new(ROUNDS * cases.len() * contenders.len());
    let mut random = fastrand::Rng::with_seed(1);
    for round in 0..ROUNDS {
        for case in cases {
            random.shuffle(&mut contenders);
            for (name, measure) in &contenders {
                progress.begin(|| format!("{name}, {} threads", case.threads));
                let ns = measure(&case, WINDOW, &cores).ns_per_pick();
                series.entry((case.threads, name)).or_default().insert(round, ns);
                progress.advance();
            }
        }
    }
    progress.finish();
    println!("One pick, n = {N}, nobody changes anything; {} cores.\n{}", cores.count(), table(&series));
    Ok(())
}

fn table(series: &BTreeMap<(usize, &str), BTreeMap<usize, f64>>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_header(["threads", "", "ns", &format!("/ {BASE}")]);
    for ((threads, name), ns) in series {
        let Some(typical) = Spread::of(ns.values().copied()) else { continue };
        let ratio = Ratio::of(ns, &series[&(*threads, BASE)]);
        let ratio = ratio.map_or_else(String::new, |Ratio { median, interval }| {
            let interval = interval.map_or("[?]".into(), |(low, high)| format!("[{low:.2}-{high:.2}]"));
            format!("{median:.2} {interval}")
        });
        table.add_row([threads.to_string(), name.to_string(), format!("{:.1}", typical.median), ratio]);
    }
    table
}
