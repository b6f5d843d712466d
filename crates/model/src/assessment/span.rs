//! Spans of trouble: what the rules found in neighbouring windows of a recording, merged.

use super::{Evidence, Layer, Severity};
use crate::quantity::Unit;
use crate::subject::Subject;
use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// The schema name of a document of spans.
pub const SPANS_SCHEMA: &str = "fullwire.spans/1";

/// One kind of trouble of one subject, from where it began to where it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// The rule's code.
    pub code: String,
    /// What it is about: a device, an interface, a mount.
    pub subject: String,
    /// The same, to be joined by; spans that were read have none.
    #[serde(skip)]
    pub subject_ref: Subject,
    /// Whose floor.
    pub layer: Layer,
    /// The worst of its windows.
    pub severity: Severity,
    /// The beginning of its first bad window; `None`: the recording has no times.
    pub from: Option<Moment>,
    /// The end of its last bad window.
    pub to: Option<Moment>,
    /// Bad windows within.
    pub windows: u64,
    /// Their total length, s; 0 if the recording has no lengths.
    pub bad_s: f64,
    /// The worst value of all its windows.
    pub worst: Option<f64>,
    /// The end of the window that has it.
    pub worst_at: Option<Moment>,
    /// What the value should have kept to.
    pub limit: Option<f64>,
    /// The unit of both.
    pub unit: Option<Unit>,
    /// The rule's message for the worst window.
    pub message: String,
    /// Raw values of the worst window.
    pub evidence: Vec<Evidence>,
    /// The host, where the recording names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The recording or file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The first bad record, counted from 1, where the recording has no times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_record: Option<u64>,
    /// The last bad record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_record: Option<u64>,
}

/// A point of time as a recording knows it: of the world, or of a clock whose zone the file does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Moment {
    /// `2026-11-22T12:00:00Z`
    Instant(Timestamp),
    /// `2026-11-22T12:00:00`, without a zone.
    Local(DateTime),
}

impl Moment {
    /// Seconds from an earlier moment of the same kind of clock; `None`: they cannot be compared.
    pub fn seconds_since(self, earlier: Self) -> Option<f64> {
        match (self, earlier) {
            (Self::Instant(to), Self::Instant(from)) => Some(to.duration_since(from).as_secs_f64()),
            (Self::Local(to), Self::Local(from)) => Some(to.duration_since(from).as_secs_f64()),
            _ => None,
        }
    }
}

impl Moment {
    /// The moment this many seconds before; `None`: beyond what a calendar holds.
    pub fn before(self, seconds: f64) -> Option<Self> {
        let length = SignedDuration::try_from_secs_f64(seconds).ok()?;
        match self {
            Self::Instant(at) => at.checked_sub(length).ok().map(Self::Instant),
            Self::Local(at) => at.checked_sub(length).ok().map(Self::Local),
        }
    }
}

impl From<DateTime> for Moment {
    fn from(at: DateTime) -> Self {
        Self::Local(at)
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Instant(at) => write!(f, "{at}"),
            Self::Local(at) => write!(f, "{at}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_keep_their_kind_through_json() {
        let moments = [
            Moment::Instant("2026-11-22T12:00:00Z".parse().unwrap()),
            Moment::Local("2026-11-22T12:00:00".parse().unwrap()),
        ];
        let text = serde_json::to_string(&moments).unwrap();
        assert_eq!(text, r#"["2026-11-22T12:00:00Z","2026-11-22T12:00:00"]"#);
        let back: Vec<Moment> = serde_json::from_str(&text).unwrap();
        assert_eq!(back, moments);
        assert_eq!(moments[0].seconds_since(moments[1]), None, "a local clock is not the world's");
    }
}
