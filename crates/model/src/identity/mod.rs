//! What things, measurements and probes are called, and which thing stands on which: types by which statements are joined.

pub mod graph;
mod measurement;
mod path;
mod probe;
mod probes;
pub mod subject;

pub use measurement::{Asked, MeasurementId, Question};
pub use path::{DEFAULT_PORT, PathName, host_of};
pub use probe::ProbeId;
