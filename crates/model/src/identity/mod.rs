//! What things, measurements and probes are called: types by which statements about them are joined.

mod measurement;
mod probe;
mod probes;
pub mod subject;

pub use measurement::{Asked, MeasurementId, Question};
pub use probe::ProbeId;
