//! What the rules on initialisation parameters share where a host has the parameter file, and no report lists them.

use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Severity};
use fullwire_model::host::Database;
use fullwire_model::subject::Kind;

/// What is wrong with a parameter.
pub(super) struct Flaw {
    pub(super) name: &'static str,
    pub(super) severity: Severity,
    /// The end of `NAME is VALUE: …`.
    pub(super) says: String,
}

/// Judges every instance that runs here and whose parameter file was read.
pub(super) fn each(
    run: &Run,
    rule: &Rule,
    advice: impl Fn() -> Advice,
    flaw: impl Fn(&Database) -> Option<Flaw>,
) -> Vec<Outcome> {
    let read = |database: &&Database| database.settings.contains_key("parameter_file");
    let judge = |database: &Database| {
        let Some(flaw) = flaw(database) else { return Outcome::Passes };
        let shown = database.settings.get(flaw.name).map_or("not set", String::as_str);
        let source =
            database.setting_sources.get(flaw.name).or_else(|| database.settings.get("parameter_file"));
        rule.finding(
            Kind::Database.named(&database.name),
            format!("{} of {} is {shown}: {}", flaw.name, database.name, flaw.says),
        )
        .severity(flaw.severity)
        .evidence(format!("{}={shown}", flaw.name), source.map_or("", String::as_str))
        .advice(advice())
        .into()
    };
    run.host.databases.iter().filter(read).map(judge).collect()
}

/// A parameter in lower case.
pub(super) fn value(database: &Database, name: &str) -> Option<String> {
    database.settings.get(name).map(|value| value.trim().to_lowercase())
}
