//! How much redo (or WAL) a database makes, from archived-log listings, reports, and rows of live servers.

mod history;
mod listing;
pub mod mysql;
pub mod postgres;
mod sheet;
pub mod sizing;
pub mod sql;
mod window;

pub use history::{DEFAULT_HEADROOM, from_reports, summarise};
pub use listing::read;
pub use window::Reading;
