//! What a database needs of its I/O path, read from what it reports of itself: AWR and Statspack reports,
//! archived-log listings, status rows of live servers; and what other tools recorded.
//!
//! Text or rows in, typed records and gaps out. No files, no sockets, no clocks.
#![forbid(unsafe_code)]

pub mod awr;
mod clock;
mod demand;
mod error;
pub mod import;
mod joined;
mod judged;
pub mod logged;
mod page;
pub mod piece;
pub mod redo;
mod retold;
mod sheet;
mod stamp;
mod together;
mod told;
pub mod totals;
pub mod views;

pub use clock::DateOrder;
pub use demand::{Needs, combine, of_redo, of_reports};
pub use error::{ReadError, ReadErrorKind};
