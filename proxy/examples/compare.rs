//! The registries, compared where they work: `cargo run --release -p snapring-proxy --example compare`.
//!
//! Clients, proxy and backends share this process and this machine, so the requests per second say nothing about any
//! other; what can be compared is one line with another. The registries take turns, round by round, and `direct` is the
//! same load without a proxy: what is left when everything that is being compared is gone.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Parser;
use comfy_table::{Table, presets};
use hdrhistogram::Histogram;
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use snapring::Backend;
use snapring_proxy::demo::DemoBackend;
use snapring_proxy::measure::nanoseconds_per_pick;
use snapring_proxy::{Kind, Options, Proxy};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Compares the registries in the proxy
#[derive(Debug, Parser)]
struct Arguments {
    /// How often each is measured
    #[arg(long, default_value_t = 5)]
    rounds: usize,

    /// How long each time
    #[arg(long, default_value = "2s", value_parser = humantime::parse_duration)]
    window: Duration,

    /// Client connections, each with one request at a time
    #[arg(long, default_value_t = 16)]
    clients: usize,

    /// Backends
    #[arg(long, default_value_t = 8)]
    backends: usize,

    /// Lease of the last line
    #[arg(long, default_value_t = 64)]
    lease: usize,
}

/// A line of the table.
struct Subject {
    name: String,
    /// None: no proxy.
    options: Option<Options>,
    rates: Vec<f64>,
    picks: Vec<f64>,
    latencies: Histogram<u64>,
    errors: u64,
    /// The largest difference between two backends in a window.
    spread: u64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut demos = Vec::new();
    for number in 0..arguments.backends.max(1) {
        demos.push(DemoBackend::start(format!("b{number}"), ([127, 0, 0, 1], 0).into()).await?);
    }
    let mut subjects = subjects(&arguments)?;
    for round in 1..=arguments.rounds.max(1) {
        for subject in &mut subjects {
            eprintln!("round {round} of {}: {}", arguments.rounds.max(1), subject.name);
            measure(subject, &demos, &arguments).await?;
        }
    }
    report(&subjects, &arguments);
    Ok(())
}

fn subjects(arguments: &Arguments) -> anyhow::Result<Vec<Subject>> {
    let with = |registry, lease| Some(Options { registry, lease, ..Options::default() });
    let list = [
        ("direct".into(), None),
        ("mutex".into(), with(Kind::Mutex, 0)),
        ("rwlock".into(), with(Kind::RwLock, 0)),
        ("epoch".into(), with(Kind::Epoch, 0)),
        ("arc-swap".into(), with(Kind::ArcSwap, 0)),
        ("handle".into(), with(Kind::Handle, 0)),
        (format!("handle, lease {}", arguments.lease), with(Kind::Handle, arguments.lease.max(1))),
    ];
    let subject = |(name, options)| {
        let latencies = Histogram::new(3)?;
        Ok(Subject { name, options, rates: Vec::new(), picks: Vec::new(), latencies, errors: 0, spread: 0 })
    };
    list.into_iter().map(subject).collect()
}

async fn measure(subject: &mut Subject, demos: &[DemoBackend], arguments: &Arguments) -> anyhow::Result<()> {
    let addresses: Vec<_> = demos.iter().map(DemoBackend::address).collect();
    let Some(options) = &subject.options else {
        return load(subject, addresses, arguments).await;
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    subject.picks.push(nanoseconds_per_pick(options, demos.len(), threads, arguments.window / 8));

    let backends = addresses.iter().enumerate().map(|(number, at)| Backend::new(format!("b{number}"), at.to_string()));
    let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
    let proxy = Proxy::start(options.clone(), anywhere, anywhere, backends).await?;
    load(subject, vec![proxy.address()], arguments).await?;
    anyhow::ensure!(proxy.drain().await, "requests were left over");
    Ok(())
}

/// Requests for one window, each client at one of the addresses.
async fn load(subject: &mut Subject, to: Vec<SocketAddr>, arguments: &Arguments) -> anyhow::Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut clients = JoinSet::new();
    let begin = Instant::now();
    for number in 0..arguments.clients.max(1) {
        clients.spawn(client(to[number % to.len()], stop.clone()));
    }
    tokio::time::sleep(arguments.window).await;
    stop.store(true, Relaxed);
    let mut by_backend = BTreeMap::new();
    let mut requests = 0;
    while let Some(client) = clients.join_next().await {
        let Client { latencies, served, errors } = client??;
        requests += latencies.len();
        subject.latencies.add(latencies)?;
        subject.errors += errors;
        for (name, count) in served {
            *by_backend.entry(name).or_insert(0) += count;
        }
    }
    subject.rates.push(requests as f64 / begin.elapsed().as_secs_f64());
    let (most, least) = (by_backend.values().max().unwrap_or(&0), by_backend.values().min().unwrap_or(&0));
    subject.spread = subject.spread.max(most - least);
    Ok(())
}

struct Client {
    latencies: Histogram<u64>,
    served: BTreeMap<Bytes, u64>,
    errors: u64,
}

async fn client(to: SocketAddr, stop: Arc<AtomicBool>) -> anyhow::Result<Client> {
    let stream = TcpStream::connect(to).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let mut client = Client { latencies: Histogram::new(3)?, served: BTreeMap::new(), errors: 0 };
    while !stop.load(Relaxed) {
        let begin = Instant::now();
        let request = Request::get("/").header("host", "compare.example").body(Empty::<Bytes>::new())?;
        let answer = sender.send_request(request).await.context("the proxy closed the connection")?;
        let status = answer.status();
        let name = answer.into_body().collect().await?.to_bytes();
        client.latencies.record(begin.elapsed().as_nanos() as u64)?;
        match status {
            StatusCode::OK => *client.served.entry(name).or_insert(0) += 1,
            _ => client.errors += 1,
        }
    }
    Ok(client)
}

fn report(subjects: &[Subject], arguments: &Arguments) {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    table.set_header([
        "registry",
        "requests/s",
        "from",
        "to",
        "errors",
        "p50 µs",
        "p90 µs",
        "p99 µs",
        "p99.9 µs",
        "spread",
        "ns a pick",
        "of a request",
    ]);
    for subject in subjects {
        let at = |quantile| format!("{:.0}", subject.latencies.value_at_quantile(quantile) as f64 / 1e3);
        let rates = sorted(&subject.rates);
        let (pick, share) = match median(&subject.picks) {
            None => ("".into(), "".into()),
            Some(pick) => (format!("{pick:.1}"), format!("{:.4} %", 100.0 * pick / subject.latencies.mean())),
        };
        table.add_row([
            subject.name.clone(),
            format!("{:.0}", median(&rates).unwrap_or(0.0)),
            format!("{:.0}", rates.first().unwrap_or(&0.0)),
            format!("{:.0}", rates.last().unwrap_or(&0.0)),
            subject.errors.to_string(),
            at(0.5),
            at(0.9),
            at(0.99),
            at(0.999),
            if subject.options.is_some() { subject.spread.to_string() } else { "".into() },
            pick,
            share,
        ]);
    }
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("{table}\n");
    println!(
        "{} windows of {} each, {} clients, {} backends, {cores} cores shared by all of them.",
        arguments.rounds,
        humantime::format_duration(arguments.window),
        arguments.clients,
        arguments.backends,
    );
    println!(
        "requests/s: median of the windows, and the range. p…: latency over all windows. spread: how far the counts of"
    );
    println!(
        "two backends ever differed in a window. ns a pick: by {cores} threads that do nothing else, median; of a"
    );
    println!("request: that, over the mean latency.");
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

fn median(values: &[f64]) -> Option<f64> {
    sorted(values).get(values.len() / 2).copied()
}
