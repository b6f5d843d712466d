//! The crate as its users see it: a live host and captured trees.

mod anonymous;
mod capture;
mod confused_deputy;
mod databases;
mod hostile;
mod large;
mod live;
mod namespace;
mod no_threads;
mod packed;
mod ports_and_pools;
mod rough;
mod samples;
mod secrets;
#[path = "../../../../tests/skips.rs"]
mod skips;
mod sosreport;
mod sosreport_own;
mod tree;
