//! What every format draws: families of values.

use fullwire_model::quantity::Unit;

/// What may be done with a family's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FamilyKind {
    /// A value of its moment.
    Gauge,
    /// Only grows; the name ends in `_total`.
    Counter,
    /// Labels alone tell something, the value is 1; the name ends in `_info`.
    Info,
}

/// All values of one name.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// As Prometheus has it.
    pub name: String,
    /// What the name ends in, before `_total`; `None`: a count.
    pub unit: Option<&'static str>,
    /// What may be done with it.
    pub kind: FamilyKind,
    /// One line.
    pub help: String,
    /// Each combination of labels once.
    pub points: Vec<Point>,
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// What it belongs to.
    pub labels: Vec<(String, String)>,
    /// In the family's unit; finite.
    pub value: f64,
}

/// The unit that names end in, and the factor from the table's unit to it.
pub(super) fn base_unit(unit: Unit) -> (Option<&'static str>, f64) {
    match unit {
        Unit::Ns => (Some("seconds"), 1e-9),
        Unit::S => (Some("seconds"), 1.0),
        Unit::Bytes => (Some("bytes"), 1.0),
        Unit::BytesPerS => (Some("bytes_per_second"), 1.0),
        Unit::IoPerS => (Some("io_per_second"), 1.0),
        Unit::PerS => (Some("per_second"), 1.0),
        Unit::Ratio => (Some("ratio"), 1.0),
        Unit::Count => (None, 1.0),
    }
}
