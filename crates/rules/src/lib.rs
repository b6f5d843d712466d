//! Ceilings, rules, bottleneck and verdict: pure functions of a [`Run`].
//!
//! [`assess`] is the interface; [`storage_services`] lists what a caller should look at next. A rule is one file below
//! `network`, `storage`, `host` or `database`; the physics is below `ceiling`. Nothing here reads a file, asks the
//! time or formats output.
#![forbid(unsafe_code)]

// First: the others use their macros.
#[macro_use]
mod threshold;
#[macro_use]
mod rule;
#[macro_use]
mod outcome;

pub mod advice;
mod answer;
mod assess;
mod attribution;
pub mod ceiling;
mod characteristic;
mod database;
pub mod experiment;
mod explain;
mod facts;
mod host;
mod imported;
mod judged;
mod live;
mod measurement;
mod network;
mod prelude;
mod registry;
mod remarks;
mod said;
mod setting;
mod shared;
pub mod sizing;
pub mod spans;
mod speaks;
mod storage;
mod unexplained;
mod verdict;
mod why;

pub use assess::{assess, ceiling};
pub use attribution::consequences;
pub use characteristic::characteristics;
pub use facts::storage_services;
pub use judged::Facts;
pub use live::live;
pub use outcome::{FindingExt, Outcome};
pub use registry::{rule, rules};
pub use rule::Rule;
pub use said::KNOWN_LINES;
pub use shared::shared_thresholds;
pub use threshold::Threshold;
pub use why::why;
