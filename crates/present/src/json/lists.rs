//! `fullwire.rules/1` and `fullwire.history/1`: lists.

use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::history::{Entry, Series};
use schemars::JsonSchema;
use serde::Serialize;

/// A rule as it introduces itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleCard {
    /// Stable and unique.
    pub code: &'static str,
    /// What is wrong when it fires.
    pub title: &'static str,
    /// The worst that it says.
    pub severity: Severity,
    /// Whose floor.
    pub area: Layer,
    /// Where its limit comes from.
    pub source: String,
}

/// `fullwire.rules/1`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RulesDocument<'a> {
    /// `fullwire.rules/1`.
    pub schema: &'static str,
    /// Every rule.
    pub rules: &'a [RuleCard],
}

/// `fullwire.history/1`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HistoryDocument<'a> {
    /// `fullwire.history/1`.
    pub schema: &'static str,
    /// Kept runs, newest first.
    pub runs: &'a [Entry],
    /// With `--changes`: the primary figure of each path over all runs of one plan.
    #[serde(skip_serializing_if = "<[Series]>::is_empty")]
    pub series: &'a [Series],
}

/// The document of the rules.
pub fn rules(rules: &[RuleCard]) -> RulesDocument<'_> {
    RulesDocument { schema: "fullwire.rules/1", rules }
}

/// The document of the kept runs.
pub fn history<'a>(runs: &'a [Entry], series: &'a [Series]) -> HistoryDocument<'a> {
    HistoryDocument { schema: "fullwire.history/1", runs, series }
}
