use crate::PathName;
use fullwire_record::record;
use serde::{Deserialize, Serialize};

/// Something that could not be read or measured, and why. A gap never fails a run and is never hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// What was wanted, as a reader would name it: a path below the root, a command, a probe.
    pub subject: String,
    /// The class of the obstacle.
    pub reason: GapReason,
    /// What exactly happened: the error text, the line of a malformed file.
    pub detail: String,
    /// It only follows from another gap of the same subject, where there is one: that one tells why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follows: bool,
}

/// Why something is missing.
#[record(PartialOrd, Ord, Hash)]
pub enum GapReason {
    /// Permission is missing; root, or a capability, would read it.
    Denied,
    /// This host does not have it.
    Absent,
    /// The kernel or device has it but cannot report it.
    Unsupported,
    /// It did not answer within its time.
    Timeout,
    /// It was read, and makes no sense.
    Malformed,
    /// It was left out on purpose (an option, a limit, safety).
    Skipped,
}

impl Gap {
    /// A gap of any reason.
    pub fn new(subject: impl Into<String>, reason: GapReason, detail: impl Into<String>) -> Self {
        Self { subject: subject.into(), reason, detail: detail.into(), follows: false }
    }

    /// The same, which only follows from another gap of its subject.
    #[must_use]
    pub fn following(self) -> Self {
        Self { follows: true, ..self }
    }

    /// The probe of this path is what left it.
    pub fn is_about(&self, path: &PathName) -> bool {
        PathName::from(self.subject.as_str()) == *path
    }
}

impl std::fmt::Display for GapReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
