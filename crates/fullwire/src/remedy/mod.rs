//! Changes of this host: found anew by the rules, made as transactions, taken back. Nothing else of fullwire changes a
//! setting.

pub(crate) mod alone;
mod device;
pub(crate) mod files;
pub(crate) mod led;
mod obstacle;
mod own;
pub(crate) mod present;
pub(crate) mod reach;
pub(crate) mod shell;
pub(crate) mod transaction;
pub(crate) mod undo;
pub(crate) mod watchdog;
mod way_back;
