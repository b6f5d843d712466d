//! From findings and ceilings to the cause of each figure.
//!
//! Rules and ceilings state what bounds a measurement, and how long a counter says that they acted. Here these
//! numbers are compared: what another cause brings about steps back, what lies clearly above the figure waits, the
//! rest is ordered by how much of the figure it explains.

mod candidate;
mod choose;
pub(crate) mod demand;
pub(crate) mod measurement;
mod mechanism;
mod signals;

pub(crate) use choose::{Choice, choose};
pub(crate) use measurement::{Measurement, Path, id_of_result, id_of_step, paths, steady_bytes_per_s};
pub use mechanism::consequences;
