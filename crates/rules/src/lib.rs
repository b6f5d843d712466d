//! Ceilings, rules, bottleneck and verdict: pure functions of a [`Run`].
//!
//! [`assess`] is the interface; [`storage_services`] tells a caller what to look at next. A rule is one file below `network`, `storage`, `host` or `database`;
//! the physics is below `ceiling`. Nothing here reads a file, asks the time or formats output.
#![forbid(unsafe_code)]

pub mod advice;
mod assess;
mod bottleneck;
pub mod ceiling;
pub mod database;
mod facts;
pub mod host;
pub mod network;
mod path;
mod registry;
mod setting;
pub mod storage;
mod unexplained;
mod verdict;

pub use assess::assess;
pub use facts::storage_services;
pub use registry::{FindingExt, Outcome, Rule, rule, rules};

use fullwire_model::Run;
