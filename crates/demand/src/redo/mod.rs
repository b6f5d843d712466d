//! How much redo (or WAL) a database makes, from archived-log listings, reports, and rows of live servers.

mod history;
mod listing;
mod sheet;
pub mod sql;

pub use history::{DEFAULT_HEADROOM, from_reports, summarise};
pub use listing::read;
