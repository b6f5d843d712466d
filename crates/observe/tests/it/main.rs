//! The crate as its users see it: a live host and captured trees.

#[path = "../../../../tests/samples.rs"]
mod absent;
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
mod sosreport;
mod sosreport_own;
mod tree;
