//! How much redo (or WAL) a database makes, from archived-log listings, reports, and rows of live servers.

mod history;
mod listing;
pub mod mysql;
mod over_time;
pub mod postgres;
mod reported;
pub mod sql;
mod window;

pub use history::{DEFAULT_HEADROOM, MAA_SHARE, summarise};
pub use listing::read;
pub(crate) use reported::from_reports;
pub use window::Reading;
