//! # What it checks
//! Passes when each running database may open at least 65,536 files (hard limit).
//!
//! # Why it matters
//! Sessions and data files run out of descriptors: "Too many open files".
//!
//! # Evidence
//! `/proc/PID/limits`.
//!
//! # Remedy
//! `nofile` 65536 in limits.d, `LimitNOFILE=` in the unit.
//!
//! # Source
//! Oracle preinstallation requirements (nofile hard 65536); SUSE saptune note 1771258.

use crate::advice::{AdviceExt, raise_limit};
use crate::{Facts, FindingExt, Outcome, Rule, facts};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Database;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "limit-files",
    title: "the database's limit on open files is low",
    layer: Layer::Host,
    severity: Severity::Warning,
    check,
};

/// Oracle Database Installation Guide for Linux, hard limit of nofile.
const LEAST: u64 = 65_536;

fn check(run: &Facts) -> Vec<Outcome> {
    facts::database_instances(&run.host).map(judge).collect()
}

fn judge(database: &Database) -> Outcome {
    let Some(limits) = &database.limits else {
        return facts::unread(&format!("the limits of {}", database.name));
    };
    if limits.nofile_hard >= LEAST {
        return Outcome::Passes;
    }
    RULE.finding(
        &database.name,
        format!("{} may open {} files, {LEAST} are recommended", database.name, limits.nofile_hard),
    )
    .severity(if database.kind == "oracle" { Severity::Warning } else { Severity::Info })
    .measured(limits.nofile_hard as f64, LEAST as f64, Unit::Count)
    .evidence(
        format!("Max open files {} {}", limits.nofile_soft, limits.nofile_hard),
        format!("/proc/{}/limits", database.pid),
    )
    .advice(
        raise_limit(
            "Each session and each data file needs descriptors.",
            owner(database),
            "nofile",
            "LimitNOFILE",
            "65536",
        )
        .expecting("65536 in /proc/PID/limits after a restart"),
    )
    .into()
}

fn owner(database: &Database) -> &str {
    match database.kind.as_str() {
        "postgresql" => "postgres",
        "mysql" | "mariadb" => "mysql",
        _ => "oracle",
    }
}
