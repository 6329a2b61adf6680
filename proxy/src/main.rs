//! The command: see `--help`.

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;

use anyhow::{Context, bail};
use clap::Parser;
use snapring::Backend;
use snapring_proxy::demo::DemoBackend;
use snapring_proxy::{Options, Proxy};
use tracing_subscriber::EnvFilter;

/// An HTTP/1.1 reverse proxy that balances over a snapring registry
#[derive(Debug, Parser)]
#[command(version, about = "An HTTP/1.1 reverse proxy that balances over a snapring registry", long_about = None)]
struct Arguments {
    /// Where requests come in
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// Where the admin interface is. Everybody who can reach it can do everything: keep it local
    #[arg(long, default_value = "127.0.0.1:8081")]
    admin: SocketAddr,

    /// A backend, as ID=HOST:PORT; may be given several times
    #[arg(long = "backend", value_name = "ID=HOST:PORT", value_parser = backend)]
    backends: Vec<Backend>,

    /// Starts three backends of its own, b1 to b3
    #[arg(long)]
    demo: bool,

    #[command(flatten)]
    options: Options,
}

fn backend(text: &str) -> Result<Backend, String> {
    match text.split_once('=') {
        Some((id, address)) if !id.is_empty() => Ok(Backend::new(id, address)),
        _ => Err("a backend is written ID=HOST:PORT".into()),
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    let Arguments { listen, admin, mut backends, demo, options } = Arguments::parse();

    let mut demos = Vec::new();
    if demo {
        for name in ["b1", "b2", "b3"] {
            let demo = DemoBackend::start(name, ([127, 0, 0, 1], 0).into()).await?;
            backends.push(Backend::new(name, demo.address().to_string()));
            demos.push(demo);
        }
    }
    let mut stop = Stop::new()?; // before anybody can know that we are here
    let proxy = Proxy::start(options, listen, admin, backends).await.context("cannot start")?;
    // Nobody has to listen.
    let _ = writeln!(std::io::stdout(), "requests  http://{}/", proxy.address());
    let _ = writeln!(std::io::stdout(), "admin     http://{}/status", proxy.admin());

    stop.asked().await;
    tracing::info!("draining; once more to stop at once");
    tokio::select! {
        finished = proxy.drain() => if !finished { bail!("some requests did not finish in time") },
        () = stop.asked() => bail!("stopped at once"),
    }
    Ok(())
}

/// Ctrl-c, and where there is such a thing, SIGTERM.
struct Stop {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Stop {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?,
        })
    }

    #[cfg(unix)]
    async fn asked(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }

    #[cfg(not(unix))]
    async fn asked(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
