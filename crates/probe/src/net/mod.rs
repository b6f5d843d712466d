//! The network probe: a client that measures and a responder that answers.
//!
//! ```text
//!  client ── measure() ─┬─ control connection: preamble, Noise, requests, replies ──▶ lobby ─▶ session ─┬─ Responder
//!                       └─ data connections: preamble, token, then nothing but load ─▶ lobby ──────────┘
//!                 lanes (one thread each) ◀── drive (the clock, samples, limits) ──▶ lanes
//! ```
//! Both ends run the same lanes under the same driver; who sends follows from the plan alone. A connection
//! that has not proved that it is a client of ours costs a slot in the lobby's table and never a thread.

mod budget;
mod channel;
mod client;
mod connect;
mod drive;
mod error;
mod facts;
mod lane;
mod limits;
mod lobby;
mod names;
mod noise;
mod payload;
mod plan;
mod remote_file;
mod report;
mod responder;
mod result;
mod session;
mod sizes;
pub(crate) mod sockopt;
pub mod ssh;
pub(crate) mod tcp_info;
mod udp;
pub mod wire;

pub(crate) use budget::place;
pub use client::{ConnectOptions, NetReport, Progress, measure};
pub(crate) use connect::{apply, apply_any, datagram_socket, dial, leave_from, loaded_congestion};
pub use connect::{resolve, split};
pub use error::NetError;
pub use facts::{FactsAsk, FactsSource, PeerFacts};
pub use limits::Limits;
pub(crate) use names::lookup;
pub(crate) use report::of_sockets;
pub use responder::{Access, Gate, Pass, Responder, ServeConfig};
pub use sizes::ResponderSizes;
pub use tcp_info::TcpInfo;

/// The port that a responder listens on when none is given.
pub const DEFAULT_PORT: u16 = 5555;
