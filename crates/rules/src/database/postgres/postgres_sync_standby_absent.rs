//! # What it checks
//! Applies where `synchronous_standby_names` names standbys and the titles of the processes could be read;
//! passes when a `walsender` runs, on a standby, and where commits wait for no standby.
//!
//! # Why it matters
//! Each commit waits for a standby that is not there: until one connects, or the setting is taken back, clients hang.
//!
//! # Evidence
//! `synchronous_standby_names`, `synchronous_commit`; the titles of the server's processes.
//!
//! # Remedy
//! The standby's connection; until then an empty `synchronous_standby_names`, which gives up the second copy.
//!
//! # Source
//! PostgreSQL documentation, Log-Shipping Standby Servers, "Planning for High Availability" (commits wait until the
//! standby answers) and `synchronous_standby_names`.

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Database;

pub(super) const RULE: Rule = Rule {
    code: "postgres-sync-standby-absent",
    title: "PostgreSQL commits wait for a standby that is not connected",
    layer: Layer::Database,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.databases.iter().filter(|database| database.kind == "postgresql").filter_map(judge).collect()
}

fn judge(database: &Database) -> Option<Outcome> {
    let names =
        database.settings.get("synchronous_standby_names").filter(|names| !names.trim().is_empty())?;
    let commit = database.settings.get("synchronous_commit").map_or("on", String::as_str);
    if ["off", "local", "false", "no", "0"].contains(&commit) {
        return Some(Outcome::Passes);
    }
    let Some(titles) = &database.background else {
        return Some(Outcome::Unknown(format!(
            "the titles of the processes of {} could not be read",
            database.name
        )));
    };
    // A standby has the setting of its primary, and waits for nobody.
    if titles.iter().any(|title| title == "startup" || title == "walreceiver") {
        return Some(Outcome::Passes);
    }
    if titles.iter().any(|title| title == "walsender") {
        return Some(Outcome::Passes);
    }
    let found = RULE
        .finding(&database.name, format!("synchronous_standby_names is {names}, and no standby is connected: each commit waits"))
        .evidence(format!("synchronous_standby_names = {names}"), source(database))
        .evidence("no walsender among the server's processes", "ps")
        .advice(
            because("A commit returns when the named standby has its WAL.")
                .now("select application_name, state, sync_state from pg_stat_replication;  -- then the standby's own log: why does it not connect?")
                .now("If clients must go on without the second copy: alter system set synchronous_standby_names = ''; select pg_reload_conf();")
                .undo(format!("alter system set synchronous_standby_names = '{names}'; select pg_reload_conf();"))
                .expecting("sync_state sync or quorum in pg_stat_replication; no session waits in SyncRep"),
        );
    Some(found.into())
}

fn source(database: &Database) -> &str {
    database.setting_sources.get("synchronous_standby_names").map_or("configuration", String::as_str)
}
