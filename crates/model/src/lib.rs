//! What fullwire knows: host records, counters, probe plans and results, demand, the run that holds
//! them all, and what is concluded from it. Plain values with serde; no files, no sockets, no clocks.
//!
//! A record's numeric field carries its unit last (`rtt_min_ns`). A fact that could not be read is
//! `None` (or missing from its list), and a [`Gap`] says why.
#![forbid(unsafe_code)]

pub mod assessment;
pub mod comparison;
pub mod counters;
pub mod demand;
pub mod disk;
pub mod estate;
pub mod format;
pub mod frame;
mod gap;
pub mod history;
pub mod host;
mod identity;
pub mod json;
pub mod latency;
pub mod live;
mod median;
pub mod mesh;
pub mod metric;
pub mod mtu;
pub mod net;
pub mod packed;
pub mod quantity;
pub mod reach;
pub mod recording;
pub mod rfc6349;
mod run;
pub mod schema;
#[cfg(any(test, feature = "specimen"))]
pub mod specimen;

pub use assessment::{Moment, SPANS_SCHEMA, Span};
pub use assessment::{characteristic, experiment};
pub use disk::array;
pub use gap::{Gap, GapReason};
pub use identity::{Asked, MeasurementId, PathName, ProbeId, Question, graph, host_of, subject};
pub use median::median;
pub use net::{AllStreams, PerStream};
pub use run::{
    Command, DiskExpectation, EarlierBest, LoggedLine, Peer, RUN_SCHEMA, Run, Total, UsualDisk, Window,
    WindowKind,
};
#[cfg(any(test, feature = "specimen"))]
pub use specimen::fixture;
