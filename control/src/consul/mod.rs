//! Consul: what its HTTP API says, and a thread that asks it.
//!
//! [`Poller`] asks an agent for the instances of one service (`/v1/health/service/{name}`, with blocking queries) or for
//! all services of the agent (`/v1/agent/services`, at an interval), and feeds a [`Sink`](crate::Sink) whose members are
//! [`Instance`]s. [`parse_health`] and [`parse_agent`] read the same documents without asking anybody.

mod error;
mod fields;
mod index;
mod instance;
mod options;
mod pace;
mod parse;
mod poller;
mod query;

pub use error::{FieldError, PollError, Problem};
pub use instance::{Instance, InstanceId, Status, Weights};
pub use options::{Accept, Options};
pub use parse::{parse_agent, parse_health};
pub use poller::{Poller, Report};
