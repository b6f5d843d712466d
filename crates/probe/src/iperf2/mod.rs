//! A bridge to real iperf 2 over TCP and UDP: a client for its servers, a server for its clients.
//!
//! There is no control connection and no answer: each TCP connection is its own stream, and the first
//! bytes may hold a header that asks the server to send. What has arrived is therefore taken from our own
//! kernel: bytes that the server's kernel acknowledged, or bytes that we received.

mod arrivals;
mod back;
mod datagram;
mod error;
mod header;
mod plan;
mod run;
mod server;
mod stream;

pub use error::Iperf2Error;
pub use run::measure;
pub use server::{Iperf2Limits, Iperf2Server};

use std::net::SocketAddr;

/// iperf 2's port.
pub const DEFAULT_PORT: u16 = 5001;
/// Begins a target that is an iperf 2 server.
pub const SCHEME: &str = "iperf2://";

/// The addresses of `iperf2://HOST[:PORT]`, at least one.
pub fn addresses(target: &str) -> Result<Vec<SocketAddr>, Iperf2Error> {
    let failed = |reason| Iperf2Error::Resolve { target: target.to_owned(), reason };
    crate::iperf::addresses(target, SCHEME, DEFAULT_PORT).map_err(failed)
}
