//! A bridge to real iperf3: a client for its servers, a server for its clients.
//!
//! Where the far end has only iperf3, fullwire still measures, with what that protocol can tell: no
//! synchronous messages, no peer's host records. The server serves many clients at once and lets none block.

mod client;
mod error;
mod server;
mod stream;
mod wire;

pub use client::measure;
pub use error::Iperf3Error;
pub use server::{Iperf3Limits, Iperf3Server};
pub use wire::{Params, Refusal, Results, StreamResult};

/// iperf3's port.
pub const DEFAULT_PORT: u16 = 5201;
