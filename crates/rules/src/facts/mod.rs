//! What many rules ask of a run: rates over windows, the devices under a target, who uses the host.

mod buffer;
mod commit;
pub(crate) mod cpu;
pub(crate) mod driver;
mod guard;
pub(crate) mod interface;
pub(crate) mod legs;
pub(crate) mod log;
pub(crate) mod lost;
pub(crate) mod residence;
mod room;
pub(crate) mod route;
pub(crate) mod shaper;
mod shared_memory;
pub(crate) mod side;
pub(crate) mod sizes;
mod span;
pub(crate) mod stream;
mod target;
mod window;
pub(crate) mod words;

pub(crate) use buffer::*;
pub(crate) use commit::*;
pub(crate) use guard::*;
pub(crate) use room::*;
pub(crate) use shared_memory::*;
pub(crate) use span::{DAY_S, Since, Span, is_glance};
pub use target::storage_services;
pub(crate) use target::*;
pub(crate) use window::*;
pub(crate) use words::{listed, percent, size};

use crate::Outcome;
use fullwire_model::Run;
use fullwire_model::host::Database;

/// The numbers that decide here.
pub(crate) const SHARED: &[&[crate::Threshold]] = &[
    buffer::THRESHOLDS,
    commit::THRESHOLDS,
    cpu::THRESHOLDS,
    legs::THRESHOLDS,
    log::THRESHOLDS,
    residence::THRESHOLDS,
    shaper::THRESHOLDS,
    shared_memory::THRESHOLDS,
    side::THRESHOLDS,
    span::THRESHOLDS,
    stream::THRESHOLDS,
    window::THRESHOLDS,
];

/// The run was read from other tools' outputs: it has their figures and nothing of the host.
pub(crate) fn is_import(run: &Run) -> bool {
    ["import", "file"].contains(&run.command.name.as_str())
}

/// The outcome for counters that were not read at both ends of a window: where all were read once, that is the reason.
pub(crate) fn unwatched(run: &Run, what: &str) -> Outcome {
    if side::own(run).is_read_once() {
        Outcome::Unknown(format!("{what}: not read over a window"))
    } else {
        unread(what)
    }
}

/// The outcome for a fact that was not read.
pub(crate) fn unread(what: &str) -> Outcome {
    Outcome::Unknown(format!("{what} could not be read"))
}

/// The outcome for a setting that may stand in a file that was not read.
pub(crate) fn unread_settings(database: &Database) -> Outcome {
    unread(&format!("a settings file of {}", database.name))
}
