//! The network probe: a client that measures and a responder that answers.
//!
//! ```text
//!  client ── measure() ─┬─ control connection: preamble, Noise, requests, replies ──▶ lobby ─▶ session ─┬─ Responder
//!                       └─ data connections: preamble, token, then nothing but load ─▶ lobby ──────────┘
//!                 lanes (one thread each) ◀── drive (the clock, samples, limits) ──▶ lanes
//! ```
//! Both ends run the same lanes under the same driver; who sends follows from the plan alone. A connection
//! that has not proved that it is a client of ours costs a slot in the lobby's table and never a thread.

mod account;
mod budget;
mod channel;
mod client;
mod drive;
mod error;
mod facts;
mod gate;
mod lane;
mod limits;
mod lobby;
mod noise;
mod payload;
mod plan;
mod remote_file;
mod report;
mod responder;
mod result;
mod session;
mod shared;
mod sizes;
pub(crate) mod socket;
pub mod ssh;
mod udp;
pub mod wire;

pub(crate) use budget::place;
pub use client::{Allowance, ConnectOptions, NetReport, Progress, measure};
pub use error::NetError;
pub use facts::{FactsAsk, FactsSource, PeerFacts};
pub use gate::{Gate, Pass};
pub use limits::Limits;
pub(crate) use report::of_sockets;
pub use responder::{Access, Responder, ServeConfig};
pub use sizes::ResponderSizes;
pub use socket::connect::{Granted, granted_buffers, resolve, split};
pub(crate) use socket::connect::{apply, apply_any, datagram_socket, leave_from, loaded_congestion};
pub(crate) use socket::dial::dial;
pub use socket::names::lookup;
pub use socket::reach::reach;
pub use socket::tcp_info::TcpInfo;

pub use fullwire_model::net::DEFAULT_PORT;
