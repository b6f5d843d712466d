use crate::{Run, database, host, network, storage, unexplained};
use fullwire_model::assessment::{Advice, Cause, Evidence, Finding, Layer, Severity};
use fullwire_model::net::NetResult;
use fullwire_model::quantity::Unit;

/// One rule: what it is called, what it may say, and how it looks.
pub struct Rule {
    /// Stable, unique, kebab-case: public API.
    pub code: &'static str,
    /// One line: what is wrong when it fires.
    pub title: &'static str,
    /// Whose floor.
    pub layer: Layer,
    /// The worst that it says.
    pub severity: Severity,
    /// The rule's own file; its doc comment is what `fullwire explain` prints.
    pub text: &'static str,
    /// Looks at the run: one outcome for each thing it looked at, none when it does not apply here.
    pub check: fn(&Run) -> Vec<Outcome>,
}

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
    fn from(finding: Finding) -> Self {
        Self::Fires(Box::new(finding))
    }
}

impl Rule {
    /// A finding of this rule with its full severity, to be filled by [`Finding`]'s fields or the helpers of
    /// [`crate::advice`].
    pub fn finding(&self, subject: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding {
            code: self.code.to_owned(),
            severity: self.severity,
            layer: self.layer,
            subject: subject.into(),
            message: message.into(),
            measured: None,
            limit: None,
            unit: None,
            evidence: Vec::new(),
            advice: Advice::default(),
            limits: false,
            cause: Cause::default(),
            path: None,
            measurement: None,
        }
    }

    /// The doc comment of the rule's file, as Markdown.
    pub fn explanation(&self) -> String {
        let lines = self.text.lines().take_while(|line| line.starts_with("//!"));
        lines
            .map(|line| line.trim_start_matches("//!").trim_start_matches(' '))
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The paragraph below `# Source`.
    pub fn source(&self) -> String {
        let text = self.explanation();
        let after = text.split_once("# Source").map_or("", |(_, rest)| rest);
        after.split("\n# ").next().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
    }
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
    /// It explains why a path stays below its ceiling: a candidate for the bottleneck. The kind decides
    /// between several candidates.
    #[must_use]
    fn limits(self, cause: Cause) -> Self;
    /// It is about this one path (the subject of a peer or a storage target).
    #[must_use]
    fn path(self, subject: impl Into<String>) -> Self;
    /// It is about this one measurement of its path.
    #[must_use]
    fn about(self, result: &NetResult) -> Self;
    /// Less bad than the rule's worst.
    #[must_use]
    fn severity(self, severity: Severity) -> Self;
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

    fn limits(mut self, cause: Cause) -> Self {
        (self.limits, self.cause) = (true, cause);
        self
    }

    fn path(mut self, subject: impl Into<String>) -> Self {
        self.path = Some(subject.into());
        self
    }

    fn about(mut self, result: &NetResult) -> Self {
        self.measurement = Some(result.label());
        self.path(&result.target)
    }

    fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

/// All rules, by layer.
const REGISTRY: [&[Rule]; 4] = [network::RULES, storage::RULES, host::RULES, database::RULES];

/// Every rule there is.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    REGISTRY.into_iter().flatten()
}

/// The rule of a code; also of the one finding that no rule makes.
pub fn rule(code: &str) -> Option<&'static Rule> {
    rules().chain(std::iter::once(&unexplained::RULE)).find(|rule| rule.code == code)
}
