//! Kept runs, in one SQLite file; recordings, in one SQLite file each ([`recording`]).
//!
//! A run is written in one transaction to a write-ahead log, so a process that is killed at any moment leaves a
//! readable store. What is kept is the [`Run`](fullwire_model::Run), never what was concluded from it: findings
//! are computed again whenever a run is shown.
//!
//! ```text
//! Store::open(path)?.keep(&run)?;
//! let run = Store::open(path)?.load("last")?;
//! ```
#![forbid(unsafe_code)]

mod baseline;
mod body;
mod error;
mod filter;
mod open;
mod path;
pub mod recording;
mod store;

pub use baseline::Baseline;
pub use error::StoreError;
pub use filter::Filter;
pub use path::default_path;
pub use store::{GOLDEN, Store};
