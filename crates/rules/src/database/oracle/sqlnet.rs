//! What the rules on `sqlnet.ora` share.

use crate::database::configured::{self, Flaw};
use crate::{Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::host::Database;

/// Judges every running instance whose `sqlnet.ora` was read, or that has none.
pub(super) fn each(run: &Run, rule: &Rule, flaw: impl Fn(&Database) -> Option<Flaw>) -> Vec<Outcome> {
    let oracle = run.host.databases.iter().filter(|database| database.kind == "oracle");
    let judge = |database: &Database| {
        if is_read(database) {
            configured::outcome(run, rule, database, &flaw)
        } else {
            facts::unread(&format!("sqlnet.ora of {}", database.name))
        }
    };
    oracle.map(judge).collect()
}

/// The names of its settings are in capitals.
fn is_read(database: &Database) -> bool {
    let mut names = database.settings.keys();
    names.any(|name| name == "sqlnet_ora" || name.starts_with(|first: char| first.is_ascii_uppercase()))
}
