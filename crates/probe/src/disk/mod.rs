//! The storage probe: loads a directory, a file or a block device as a database would, and never harms what is there.
//!
//! ```text
//!   plan ──▶ target ──▶ (private file, layout | read only | safety ladder) ──▶ run ──▶ result
//!                                                                              │
//!                    layers ◀── counters before and after each step ◀── hooks ─┘
//! ```
//! [`measure`] carries a plan out; [`layers`] compares what the program did with what every layer saw; [`clean`]
//! removes what an interrupted run left.

mod engine;
mod error;
mod hang;
mod hooks;
mod load;
mod manifest;
mod measure;
mod plan;
mod result;
pub(crate) mod target;

pub use engine::calibrate::generator_io_per_s;
pub use error::DiskError;
pub use hang::no_answer;
pub use hang::touch::touch;
pub use hooks::{DiskHooks, Progress, Stage};
pub use manifest::{CleanReport, clean};
pub use measure::measure;
pub use plan::profile::{PROFILES, Profile, ProfileOptions, profile};
pub use plan::quick::plan_quick;
pub use result::{layers, steady, sweep};
pub use target::safety::destroy_identity;
