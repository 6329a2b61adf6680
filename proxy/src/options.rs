//! [`Options`]: everything that can be set, each default in one place.

use std::time::Duration;

use clap::{Args, Parser};

use crate::balance::Kind;

/// What the proxy does when nobody says otherwise is what `Options::default()` says: both come from here.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Which registry holds the backends
    #[arg(long, value_enum, default_value = "handle")]
    pub registry: Kind,

    /// With `--registry handle`: how many turns a worker takes at a time; 0 takes one at a time, which is exact
    #[arg(long, default_value_t = 0)]
    pub lease: usize,

    /// With `--registry handle`: how many handles there are; by default one for each core
    #[arg(long)]
    pub seats: Option<usize>,

    /// How many refused connections in a row take a backend out of the rotation
    #[arg(long, default_value_t = 3)]
    pub threshold: u32,

    /// How long after it left a backend is probed for the first time; each further wait is twice as long
    #[arg(long, default_value = "200ms", value_parser = humantime::parse_duration)]
    pub probe_first: Duration,

    /// The longest wait between two probes
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration)]
    pub probe_most: Duration,

    /// How long a connection to a backend may take to open
    #[arg(long, default_value = "2s", value_parser = humantime::parse_duration)]
    pub connect_timeout: Duration,

    /// How long one backend may let a request wait for the head of its answer while nothing moves
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration)]
    pub answer_timeout: Duration,

    /// How long all attempts at one request may take together
    #[arg(long, default_value = "30s", value_parser = humantime::parse_duration)]
    pub deadline: Duration,

    /// How long a body may stand still, in either direction, before the connection is given up
    #[arg(long, default_value = "30s", value_parser = humantime::parse_duration)]
    pub stall_timeout: Duration,

    /// How long a client may take to send a head, the pause between two requests included
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    pub head_timeout: Duration,

    /// How long an unused connection to a backend is kept
    #[arg(long, default_value = "15s", value_parser = humantime::parse_duration)]
    pub pool_timeout: Duration,

    /// How long requests may go on after a signal to stop
    #[arg(long, default_value = "30s", value_parser = humantime::parse_duration)]
    pub drain_timeout: Duration,

    /// How many client connections may be open; further ones wait to be accepted
    #[arg(long, default_value_t = 1024)]
    pub max_connections: usize,

    /// How many backends may be known, healthy or not
    #[arg(long, default_value_t = 10_000)]
    pub max_backends: usize,

    /// Bodies of idempotent requests up to this many bytes are kept, so that they can be sent again
    #[arg(long, default_value_t = 64 * 1024)]
    pub replay_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        #[derive(Parser)]
        struct Nothing {
            #[command(flatten)]
            options: Options,
        }
        Nothing::parse_from(["nothing"]).options
    }
}

impl Options {
    /// How many handles are made.
    pub(crate) fn seats(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.seats.unwrap_or_else(cores).clamp(1, 1024)
    }
}
