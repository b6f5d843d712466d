//! Before and after: did the change help?
//!
//! [`compare()`] sets two sets of runs side by side and gives one of four answers for each figure: better, worse, no
//! difference larger than what matters, or cannot tell. [`settings`] says what differs in the configuration,
//! [`cause`] what that allows to be said of the cause, [`series`] where a long history changed. [`statistics`] holds
//! the arithmetic, exact for the few observations that anyone has. Pure functions of kept runs: no files, no clocks.
#![forbid(unsafe_code)]

mod best;
pub mod cause;
pub mod clock;
mod compare;
mod control;
pub mod figure;
mod judge;
mod options;
pub mod plan;
pub mod series;
pub mod settings;
pub mod statistics;
mod stolen;
mod stretch;
mod target;

pub use best::best;
pub use compare::compare;
pub use options::{Conclude, Deltas, Options};
pub use stretch::{Stretch, stretches};
