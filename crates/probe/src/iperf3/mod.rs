//! A bridge to real iperf3: a client for its servers, a server for its clients.
//!
//! Where the far end has only iperf3, fullwire still measures, with what that protocol can tell: no
//! synchronous messages, no peer's host records. The server serves many concurrent clients and lets none block.

mod client;
mod error;
mod server;
mod stream;
mod wire;

pub use client::measure;
pub use error::Iperf3Error;
pub use server::{Iperf3Limits, Iperf3Server};
pub use wire::{Params, Refusal, Results, StreamResult};

use std::net::SocketAddr;

/// iperf3's port.
pub const DEFAULT_PORT: u16 = 5201;
/// Begins a target that is an iperf3 server.
pub const SCHEME: &str = "iperf3://";

/// The addresses of `iperf3://HOST[:PORT]`, at least one.
pub fn addresses(target: &str) -> Result<Vec<SocketAddr>, Iperf3Error> {
    let failed = |reason| Iperf3Error::Resolve { target: target.to_owned(), reason };
    crate::iperf::addresses(target, SCHEME, DEFAULT_PORT).map_err(failed)
}
