use crate::facts::Facts;
use crate::{database, host, network, storage, unexplained};
use fullwire_model::assessment::{Advice, Evidence, Explanation, Finding, Layer, Severity};
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
    /// Looks at the facts of a run: one outcome for each thing it looked at, none when it does not apply here.
    pub check: fn(&Facts) -> Vec<Outcome>,
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
            path: None,
            explains: Vec::new(),
        }
    }

    /// The doc comment of the rule's file, as Markdown; `build.rs` takes it out of the source.
    pub fn explanation(&self) -> &'static str {
        let found = EXPLANATIONS.binary_search_by_key(&self.code, |(code, _)| code);
        found.map_or("", |place| EXPLANATIONS[place].1)
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
    /// It explains these measurements.
    #[must_use]
    fn explains(self, explanations: impl IntoIterator<Item = Explanation>) -> Self;
    /// It is about this one path or report, and explains no figure of it.
    #[must_use]
    fn path(self, subject: impl Into<String>) -> Self;
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

    fn advice(mut self, mut advice: Advice) -> Self {
        // Put together from parts, each with its own way back.
        advice.steps.sort_by_key(|step| step.phase);
        self.advice = advice;
        self
    }

    fn explains(mut self, explanations: impl IntoIterator<Item = Explanation>) -> Self {
        self.explains.extend(explanations);
        self
    }

    fn path(mut self, subject: impl Into<String>) -> Self {
        self.path = Some(subject.into());
        self
    }

    fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

include!(concat!(env!("OUT_DIR"), "/explanations.rs"));

/// Declares the rules of a subject: the module and its `RULE`, one line each.
macro_rules! rules {
    ($($name:ident,)*) => {
        $(mod $name;)*

        /// Every rule of this subject.
        pub(crate) const RULES: &[crate::Rule] = &[$($name::RULE),*];
    };
}

/// Every rule there is.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let layers = network::RULES.iter().chain(&storage::RULES).chain(&host::RULES).chain(&database::RULES);
    layers.copied().flatten()
}

/// The rule of a code; also of the one finding that no rule makes.
pub fn rule(code: &str) -> Option<&'static Rule> {
    rules().chain(std::iter::once(&unexplained::RULE)).find(|rule| rule.code == code)
}
