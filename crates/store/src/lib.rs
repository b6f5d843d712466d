//! Kept runs, in one SQLite file, or in the PostgreSQL that many hosts share ([`postgres`], by its feature); recordings, in one SQLite file each ([`recording`]).
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
mod kept;
mod open;
mod outbox;
mod own;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod recording;
mod sealed;
mod store;

pub use baseline::Baseline;
pub use error::StoreError;
pub use filter::Filter;
pub use kept::Kept;
pub use outbox::Owed;
pub use store::{GOLDEN, Store};
