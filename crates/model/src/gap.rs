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

    /// The detail without the name of the file, where the subject is that: `cannot read /proc/stat: No such file`.
    #[must_use]
    pub fn obstacle(&self) -> &str {
        let told = self.detail.strip_prefix("cannot read ").and_then(|told| told.split_once(": "));
        told.filter(|(file, _)| self.subject.ends_with(file)).map_or(&self.detail, |(_, why)| why)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_once() {
        let of = |subject, detail| Gap::new(subject, GapReason::Absent, detail).obstacle().to_owned();
        assert_eq!(of("db2: /proc/stat", "cannot read /proc/stat: no such file"), "no such file");
        assert_eq!(
            of("nics", "cannot read /proc/net/dev: no such file"),
            "cannot read /proc/net/dev: no such file"
        );
        assert_eq!(of("disk d", "the file is too small"), "the file is too small");
    }
}
