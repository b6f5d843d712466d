//! What keeps a database's settings: a manager of a cluster has its own, and what is set beside it holds on one member and
//! only until the next failover.
//!
//! Sources: Patroni documentation, "Patroni configuration" (dynamic configuration is set with `patronictl edit-config`; local
//! ALTER SYSTEM takes precedence and is not known to Patroni) and "Replication modes" (`synchronous_mode`); `CloudNativePG`
//! documentation, "PostgreSQL Configuration"; `pg_auto_failover` documentation, "Replication settings".

use crate::facts;
use fullwire_model::host::{Database, Host};

/// What keeps the settings of a PostgreSQL server beside itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeper {
    /// Its own files alone.
    Itself,
    Patroni,
    CloudNativePg,
    AutoFailover,
    Repmgr,
}

pub(super) fn keeper(host: &Host, database: &Database) -> Keeper {
    let managed = |name: &str| facts::is_managed_by(host, name);
    match () {
        () if database.kind != "postgresql" => Keeper::Itself,
        () if managed("patroni") => Keeper::Patroni,
        () if managed("cloudnative-pg") => Keeper::CloudNativePg,
        () if managed("pg_auto_failover") => Keeper::AutoFailover,
        () if managed("repmgr") => Keeper::Repmgr,
        () => Keeper::Itself,
    }
}

/// What to do in place of the statements that an advice has for a single server; `None`: they are right.
pub(super) fn instead(host: &Host, database: &Database, statements: &str) -> Option<String> {
    let parameters = || {
        let set = assignments(statements);
        if set.is_empty() { None } else { Some(set.join(", ")) }
    };
    match keeper(host, database) {
        Keeper::Patroni => Some(format!(
            "`patronictl edit-config`, below postgresql: parameters: {}. Not by alter system: this member alone would have it, and it would win over Patroni",
            parameters()?
        )),
        Keeper::CloudNativePg => Some(format!(
            "In the Cluster resource, spec.postgresql.parameters: {}. The operator refuses alter system and sets it on all instances",
            parameters()?
        )),
        Keeper::Itself | Keeper::AutoFailover | Keeper::Repmgr => None,
    }
}

/// How it lasts, where a manager keeps it or others must have it too; `None`: by the server itself.
pub(super) fn lasts(host: &Host, database: &Database) -> Option<&'static str> {
    match keeper(host, database) {
        Keeper::Patroni => Some("Patroni keeps it in its configuration store and gives it to every member"),
        Keeper::CloudNativePg => Some("The operator keeps it in the Cluster resource"),
        Keeper::AutoFailover | Keeper::Repmgr => Some(
            "alter system keeps it in postgresql.auto.conf of this server alone: set it on the other nodes too, or it is gone after a failover",
        ),
        Keeper::Itself => None,
    }
}

/// How it is taken back where a manager has it.
pub(super) fn undone(host: &Host, database: &Database) -> Option<&'static str> {
    match keeper(host, database) {
        Keeper::Patroni => Some("`patronictl edit-config`: the value that it had, or no line"),
        Keeper::CloudNativePg => Some("The value that the Cluster resource had"),
        _ => None,
    }
}

/// `NAME: VALUE` of each `alter system set NAME = VALUE` in a text.
fn assignments(statements: &str) -> Vec<String> {
    let each = statements.split("alter system set ").skip(1);
    let pairs = each.filter_map(|rest| rest.split([';', '\n']).next()?.split_once('='));
    pairs.map(|(name, value)| format!("{}: {}", name.trim(), value.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(manager: &str) -> (Host, Database) {
        let mut host = Host::default();
        host.management.availability.insert(manager.into(), "a process".into());
        (host, Database { kind: "postgresql".into(), ..Database::default() })
    }

    #[test]
    fn what_patroni_keeps_is_set_in_patroni() {
        let statements = "alter system set max_wal_size = '16GB'; select pg_reload_conf();";
        let (host, database) = with("patroni");
        let told = instead(&host, &database, statements).expect("Patroni has it");
        assert!(
            told.starts_with("`patronictl edit-config`") && told.contains("max_wal_size: '16GB'"),
            "{told}"
        );
        assert!(undone(&host, &database).is_some());
        let (host, database) = with("repmgr");
        assert_eq!(instead(&host, &database, statements), None);
        assert!(lasts(&host, &database).expect("a word").contains("the other nodes too"));
        let (host, database) = with("pacemaker");
        assert_eq!((instead(&host, &database, statements), lasts(&host, &database)), (None, None));
    }
}
