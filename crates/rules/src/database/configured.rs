//! What the rules on a running database's own configuration share.

use super::keeper;
use crate::advice::{AdviceExt, because};
pub(super) use crate::facts::sizes::{bytes, size};
use crate::{FindingExt, Outcome, Rule, facts};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Severity};
use fullwire_model::host::Database;
use fullwire_model::subject::Kind;

/// What is wrong with a setting, and what to do.
pub(crate) struct Flaw {
    /// The setting.
    pub(super) name: &'static str,
    /// Further settings with the same effect.
    pub(super) also: Vec<&'static str>,
    pub(super) severity: Severity,
    /// What it causes: the end of `NAME is VALUE: …`.
    pub(super) says: String,
    pub(super) why: &'static str,
    pub(super) now: String,
    pub(super) undo: String,
    pub(super) expect: &'static str,
}

/// Judges every running database of some kinds whose configuration could be read.
pub(super) fn each(
    run: &Run,
    rule: &Rule,
    kinds: &[&str],
    flaw: impl Fn(&Database) -> Option<Flaw>,
) -> Vec<Outcome> {
    let databases = run.host.databases.iter().filter(|database| kinds.contains(&database.kind.as_str()));
    databases.map(|database| outcome(run, rule, database, &flaw)).collect()
}

pub(super) fn outcome(
    run: &Run,
    rule: &Rule,
    database: &Database,
    flaw: impl Fn(&Database) -> Option<Flaw>,
) -> Outcome {
    if database.settings.is_empty() {
        return facts::unread(&format!("the configuration of {}", database.name));
    }
    let Some(flaw) = flaw(database) else {
        return if database.settings_partial { facts::unread_settings(database) } else { Outcome::Passes };
    };
    let names: Vec<&str> = std::iter::once(flaw.name).chain(flaw.also.clone()).collect();
    if names.iter().any(|name| database.may_have_unread(name)) {
        return facts::unread_settings(database);
    }
    let value = |name: &str| database.settings.get(name).map_or("not set", String::as_str);
    let said: Vec<String> = names.iter().map(|name| format!("{name} is {}", value(name))).collect();
    let found = rule
        .finding(Kind::Database.named(&database.name), format!("{}: {}", said.join(" and "), flaw.says))
        .severity(flaw.severity);
    let found = names.iter().fold(found, |found, name| {
        let source = database.setting_sources.get(*name).map_or("configuration", String::as_str);
        found.evidence(format!("{name} = {}", value(name)), source)
    });
    // Whose it is: with a number from 1000 on it may be anyone's.
    let found = match database.uid.filter(|uid| *uid >= 1000) {
        Some(uid) => found.evidence(format!("process {} of user {uid}", database.pid), "/proc/PID/status"),
        None => found,
    };
    let (of_server, of_kernel) = (
        !flaw.now.contains("vm.nr_hugepages") || flaw.now.contains("alter system"),
        flaw.now.contains("vm.nr_hugepages"),
    );
    // What stands there is stronger than alter system (PostgreSQL documentation, "Setting Parameters"), and Patroni writes it.
    let by_command = database.kind == "postgresql" && is_of_command(database, &names);
    if by_command && keeper::keeper(&run.host) == keeper::Keeper::Itself {
        return found.advice(on_command_line(flaw.why, flaw.expect, &names)).into();
    }
    let mut advice = because(flaw.why).now(flaw.now);
    if of_server {
        advice = advice.persist(keeps(database, &names));
    }
    if of_kernel {
        advice = advice.persist("vm.nr_hugepages in a file of /etc/sysctl.d: the huge pages are gone after the next boot otherwise");
    }
    let advice = advice.undo(flaw.undo).expecting(flaw.expect);
    found.advice(keeper::adapted(&run.host, advice)).into()
}

/// The command line of the server sets one of them.
fn is_of_command(database: &Database, names: &[&str]) -> bool {
    names
        .iter()
        .filter_map(|name| database.setting_sources.get(*name))
        .any(|source| source.ends_with("/cmdline"))
}

fn on_command_line(why: &str, expect: &str, names: &[&str]) -> Advice {
    because(why)
        .persist(format!(
            "The server's command line sets {} and wins over every file and over alter system: change it where the server is \
             started (its unit, the arguments of its container), then restart the server",
            names.join(" and ")
        ))
        .restarts("the database")
        .undo("The arguments as they were, and the server restarted")
        .restarts("the database")
        .expecting(expect)
}

/// How the settings outlive a restart.
fn keeps(database: &Database, names: &[&str]) -> String {
    let sources = names.iter().filter_map(|name| database.setting_sources.get(*name));
    match database.kind.as_str() {
        _ if is_of_command(database, names) => "The server's command line sets it and wins over every file: change it where the server is started".into(),
        "postgresql" => keeper::KEPT.into(),
        "oracle" => "sqlnet.ora is read by every new session".into(),
        _ => match crate::facts::listed(&sources.map(String::as_str).collect::<Vec<_>>()) {
            lines if lines.is_empty() => format!(
                "Set {} in section [mysqld] of the option file, as NAME = VALUE without `set global`",
                names.iter().map(|name| written(name)).collect::<Vec<_>>().join(" and ")
            ),
            lines => format!("Change {lines}: of all option files this line is read last and wins"),
        },
    }
}

/// A name as an option file may have it: a server that does not know an option does not start, and passes over one that
/// begins with `loose_` (MySQL Reference Manual, Program Option Modifiers).
fn written(name: &str) -> String {
    // Since MySQL 8.0.30.
    let is_new = name == "innodb_redo_log_capacity";
    if is_new { format!("loose_{name}") } else { name.to_owned() }
}

/// A switch that is set to off, in any spelling.
pub(super) fn is_off(database: &Database, name: &str) -> bool {
    is_one_of(database, name, &["off", "false", "no", "0", "f", "n"])
}

/// A switch that is set to on.
pub(super) fn is_on(database: &Database, name: &str) -> bool {
    is_one_of(database, name, &["on", "true", "yes", "1", "t", "y"])
}

/// A switch that is set, also by its name alone.
pub(super) fn is_given(database: &Database, name: &str) -> bool {
    database.settings.contains_key(name) && !is_off(database, name)
}

fn is_one_of(database: &Database, name: &str, words: &[&str]) -> bool {
    database.settings.get(name).is_some_and(|value| words.contains(&value.to_ascii_lowercase().as_str()))
}
