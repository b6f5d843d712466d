//! What a rule says of one thing, and how a finding is put together.

use crate::advice::because;
use fullwire_model::PathName;
use fullwire_model::assessment::{Advice, Evidence, Explanation, Finding, Severity};
use fullwire_model::quantity::Unit;

/// What a rule says of one thing.
pub enum Outcome {
    /// It is as it should be.
    Passes,
    /// It is not.
    Fires(Box<Finding>),
    /// It cannot be decided; what is missing.
    Unknown(String),
}

impl From<Finding> for Outcome {
    fn from(mut finding: Finding) -> Self {
        // Put together from parts, each with its own undo.
        finding.advice.steps.sort_by_key(|step| step.phase);
        Self::Fires(Box::new(finding))
    }
}

/// What is missing so that a rule cannot decide, as of `format!`.
macro_rules! unknown {
    ($($said:tt)+) => {
        $crate::Outcome::Unknown(format!($($said)+))
    };
}

/// Fluent additions to a finding, so that a rule reads as a sentence.
pub trait FindingExt: Sized {
    /// The number that fired the rule and what it should have kept to.
    #[must_use]
    fn measured(self, measured: f64, limit: f64, unit: Unit) -> Self;
    /// A raw value and where it was read.
    #[must_use]
    fn evidence(self, text: impl Into<String>, source: impl Into<String>) -> Self;
    /// What to do.
    #[must_use]
    fn advice(self, advice: Advice) -> Self;
    /// What to do begins with why; the steps follow ([`AdviceExt`](crate::advice::AdviceExt)).
    #[must_use]
    fn because(self, why: impl Into<String>) -> Self {
        self.advice(because(why))
    }
    /// It explains these measurements.
    #[must_use]
    fn explains(self, explanations: impl IntoIterator<Item = Explanation>) -> Self;
    /// It is about this one path or report, and explains no figure of it.
    #[must_use]
    fn path(self, name: impl Into<PathName>) -> Self;
    /// The same is true of these devices, for the same cause.
    #[must_use]
    fn also<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self;
    /// Less bad than the rule's worst.
    #[must_use]
    fn severity(self, severity: Severity) -> Self;
    /// It is about this share of DB time, 1 is all.
    #[must_use]
    fn of_db_time(self, share: f64) -> Self;
}

impl FindingExt for Finding {
    fn measured(mut self, measured: f64, limit: f64, unit: Unit) -> Self {
        (self.measured, self.limit, self.unit) = (Some(measured), Some(limit), Some(unit));
        self
    }

    fn evidence(mut self, text: impl Into<String>, source: impl Into<String>) -> Self {
        self.evidence.push(Evidence { text: text.into(), source: source.into() });
        self
    }

    fn advice(mut self, advice: Advice) -> Self {
        self.advice = advice;
        self
    }

    fn explains(mut self, explanations: impl IntoIterator<Item = Explanation>) -> Self {
        self.explains.extend(explanations);
        self
    }

    fn path(mut self, name: impl Into<PathName>) -> Self {
        self.path = Some(name.into());
        self
    }

    fn also<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.also.extend(names.into_iter().map(str::to_owned));
        self
    }

    fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    fn of_db_time(mut self, share: f64) -> Self {
        self.db_time_share = Some(share);
        self
    }
}
