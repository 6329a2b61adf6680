//! A small HTTP/1.1 reverse proxy over any registry of snapring: what a user of that crate has to build, built.
//!
//! - `balance`: the registry, behind `dyn Registry`, and for `HandleRegistry` a handle for each worker.
//! - `upstream`: the member: a backend with its connections and counts.
//! - `fleet`: who is in the ring and who is out of order, with tokens; `probe`: how one comes back.
//! - `plan`: who is asked when somebody fails; `replay`: the body that must be sent again for that.
//! - `forward`: one request; `headers`, `body`, `connection` and `failure` are parts of it.
//! - `server`: connections and draining; `admin` and `status`: the other listener; `proxy` joins all of it.
//!
//! Not here, since none of it concerns a registry: TLS, HTTP/2, upgrades, caching, rewriting.

mod admin;
mod balance;
mod body;
mod connection;
pub mod demo;
mod failure;
mod fleet;
mod forward;
mod headers;
pub mod measure;
mod options;
mod plan;
mod probe;
mod proxy;
mod replay;
mod server;
mod status;
mod upstream;

pub use balance::Kind;
pub use options::Options;
pub use proxy::Proxy;
