//! The storage probe: loads a directory, a file or a block device as a database would, and never harms what is there.
//!
//! ```text
//!   plan ──▶ target ──▶ (private file, layout | read only | safety ladder) ──▶ run ──▶ result
//!                                                                              │
//!                    layers ◀── counters before and after each step ◀── hooks ─┘
//! ```
//! [`measure`] carries a plan out; [`layers`] compares what the program did with what every layer saw; [`clean`]
//! removes what an interrupted run left.

mod bonnie;
mod bonnie_table;
mod buffer;
mod calibrate;
mod caveat;
mod conclude;
mod error;
mod hooks;
mod io_uring;
pub mod layers;
mod layout;
mod manifest;
mod measure;
mod mounts;
mod null;
mod overwritten;
mod pace;
mod plain;
mod plan;
mod private;
mod profile;
mod queue;
mod quick;
mod random;
mod run;
mod safety;
mod series;
mod server;
mod small_files;
pub(crate) mod space;
pub mod steady;
mod subject;
pub mod sweep;
mod tally;
mod target;
mod thread_cpu;
mod touch;
mod within;
mod work;

pub use bonnie_table::bonnie_table;
pub use calibrate::generator_io_per_s;
pub use error::DiskError;
pub use hooks::{DiskHooks, Progress, Stage};
pub use manifest::{CleanReport, clean, state_dir};
pub use measure::measure;
pub use profile::{PROFILES, Profile, ProfileOptions, profile};
pub use quick::plan_quick;
pub use safety::destroy_identity;
pub use touch::touch;
pub use within::no_answer;
