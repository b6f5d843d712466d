//! What the rules on a live server's counters share.

use super::keeper;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::Advice;
use fullwire_model::demand::RedoHistory;
use fullwire_model::quantity::Unit;
use fullwire_model::subject::Kind;

/// A counter that must not grow, or nearly.
pub(crate) struct Counter {
    /// The kind of server.
    pub(super) database: &'static str,
    /// As [`RedoHistory::rates_per_s`] names it.
    pub(super) name: &'static str,
    /// It may grow so fast, per second.
    pub(super) most_per_s: f64,
    /// What it counts, for `N a second: …`.
    pub(super) says: &'static str,
    /// What to do.
    pub(super) advice: fn() -> Advice,
}

/// Judges the server that was watched; no outcome when another kind was, or none.
pub(super) fn grows(run: &Run, rule: &Rule, counter: &Counter) -> Vec<Outcome> {
    let Some(history) = watched(run, counter.database) else { return Vec::new() };
    let Some(rate) = history.rates_per_s.get(counter.name).copied() else {
        return vec![unknown!("{} does not report {}", history.source, counter.name)];
    };
    if rate <= counter.most_per_s {
        return vec![Outcome::Passes];
    }
    let found = rule
        .finding(Kind::Report.named(&history.source), format!("{} a second: {}", rounded(rate), counter.says))
        .measured(rate, counter.most_per_s, Unit::PerS)
        .evidence(format!("{} grew by {} a second", counter.name, rounded(rate)), &history.source)
        .advice(keeper::adapted(&run.host, (counter.advice)()));
    vec![found.into()]
}

/// The server of a kind whose counters were read over a window.
pub(super) fn watched<'a>(run: &'a Run, database: &str) -> Option<&'a RedoHistory> {
    run.redo.as_ref().filter(|history| history.database == database && !history.rates_per_s.is_empty())
}

/// Two decimals for what is rare.
pub(super) fn rounded(rate: f64) -> String {
    if rate >= 10.0 { format!("{rate:.0}") } else { format!("{rate:.2}") }
}
