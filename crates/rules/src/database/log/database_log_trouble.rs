//! # What it checks
//! Passes when the logs of the databases in a captured tree report no trouble within the last day: transaction IDs
//! that run out, damaged blocks, a crash, a full disk, archiving that fails, descriptors, memory or connections that ran
//! out, I/O errors. Damaged blocks count whenever they were found; other lines that are older are a note.
//!
//! # Why it matters
//! The server knows best what stopped it, and nobody reads its log until it stands still.
//!
//! # Evidence
//! The logs of PostgreSQL, `PgBouncer`, MySQL and MariaDB, the alert log of Oracle.
//!
//! # Remedy
//! By what was reported; each finding says it.
//!
//! # Source
//! PostgreSQL documentation 25.1.5 (wraparound: warnings below 40 million transactions, refusal below 3 million), 26.3.1
//! (archiving); MySQL Error Message Reference; Oracle Database Error Messages.

use crate::advice::{AdviceExt, because};
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::DatabaseLogLine;

pub(super) const RULE: Rule = Rule {
    code: "database-log-trouble",
    title: "the database's own log reports trouble",
    layer: Layer::Database,
    severity: Severity::Critical,
    check,
};

/// A day, s: older lines say little about the host as it is now.
const RECENT_S: f64 = 86_400.0;

/// What a kind of line means.
struct Kind {
    name: &'static str,
    /// Of a line of the last day.
    severity: Severity,
    says: &'static str,
    remedy: &'static str,
}

const fn kind(name: &'static str, severity: Severity, says: &'static str, remedy: &'static str) -> Kind {
    Kind { name, severity, says, remedy }
}

const KINDS: &[Kind] = &[
    kind(
        "wraparound",
        Severity::Critical,
        "transaction IDs run out: the server soon refuses writes",
        "End old transactions, drop unused replication slots and prepared transactions, then `vacuum` the database named as a superuser; let autovacuum run",
    ),
    kind(
        "corruption",
        Severity::Critical,
        "a block on disk is damaged",
        "Restore the block, table or file from a backup; check memory and storage below, else it comes again",
    ),
    kind(
        "crash",
        Severity::Critical,
        "the server crashed",
        "Look at what the log and the kernel's log say just before: a kill for lack of memory, storage that hung, a defect",
    ),
    kind(
        "disk-full",
        Severity::Critical,
        "no space was left to write to",
        "Make room on the file system or disk group named, then find what filled it",
    ),
    kind(
        "fork",
        Severity::Critical,
        "no process could be started",
        "Raise the limits on processes and memory that stopped it, or let fewer sessions in",
    ),
    kind(
        "io-error",
        Severity::Critical,
        "a read or write of the database failed",
        "Look at the kernel's log at the same time for the device; verify the files named",
    ),
    kind(
        "evicted",
        Severity::Critical,
        "the instance left the cluster",
        "Look at the interconnect, the voting disks and the CPU of the node at that time",
    ),
    kind(
        "open-files",
        Severity::Warning,
        "it ran out of file descriptors",
        "Raise LimitNOFILE of its unit and restart it",
    ),
    kind(
        "memory",
        Severity::Warning,
        "an allocation of memory failed",
        "Compare what it may use (SGA, pools, work memory times sessions) with the memory of the host",
    ),
    kind(
        "connections",
        Severity::Warning,
        "sessions were turned away: all connections are taken",
        "Find what keeps them open; pool connections instead of raising the limit",
    ),
    kind(
        "tablespace",
        Severity::Warning,
        "a segment could not be extended",
        "Add a data file to the tablespace named, or let one grow",
    ),
    kind(
        "archiving",
        Severity::Warning,
        "a log could not be archived",
        "Run the archive command by hand as the server's user and mend what it says; until then its logs fill the disk",
    ),
    kind(
        "standby-wait",
        Severity::Warning,
        "commits went on without their standby",
        "Bring the standby back, or change what commits wait for",
    ),
    kind(
        "standby-lost",
        Severity::Warning,
        "a standby needs logs that are gone",
        "Restore them from the archive, or build the standby anew; a replication slot keeps them next time",
    ),
    kind(
        "replica",
        Severity::Warning,
        "replication has stopped",
        "Mend what the line names, then start the replica again",
    ),
    kind(
        "native-aio",
        Severity::Warning,
        "the server does without asynchronous I/O since it was started",
        "Raise fs.aio-max-nr, or LimitMEMLOCK of its unit for io_uring, then restart it",
    ),
    kind(
        "aio-requests",
        Severity::Warning,
        "no further requests of asynchronous I/O could be set up",
        "Raise fs.aio-max-nr: fs.aio-nr shows what is in use",
    ),
    kind(
        "internal",
        Severity::Warning,
        "an internal error was raised",
        "Look the first argument up at the vendor, with the trace file that the log names",
    ),
    kind(
        "redo-small",
        Severity::Info,
        "the redo log wraps before its checkpoint is done",
        "Enlarge the redo logs (max_wal_size, innodb_redo_log_capacity, larger or more log groups)",
    ),
];

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(log) = &run.host.database_log else { return Vec::new() };
    let outcomes: Vec<Outcome> = log.iter().filter_map(|line| judge(run, line)).collect();
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}

fn judge(run: &Run, line: &DatabaseLogLine) -> Option<Outcome> {
    let kind = KINDS.iter().find(|kind| kind.name == line.kind)?;
    if kind.name == "archiving" && is_told_by_title(run) {
        return None;
    }
    // Damage stays, and how a server started is said once.
    let lasts = ["corruption", "native-aio"].contains(&kind.name);
    if line.age_s.is_none() && !lasts {
        let said = format!("{} says that {}, when is not known", line.source, kind.says);
        return Some(Outcome::Unknown(said));
    }
    let severity = match line.age_s {
        Some(age_s) if age_s <= RECENT_S => kind.severity,
        _ if lasts => Severity::Warning,
        _ => Severity::Info,
    };
    let quoted =
        if line.count > 1 { format!("{} ({} such lines)", line.text, line.count) } else { line.text.clone() };
    let found = RULE
        .finding(&line.source, format!("{}{}: {}", kind.says, ago(line), line.text))
        .severity(severity)
        .evidence(quoted, &line.source)
        .advice(
            because("The server reports it itself.")
                .now(kind.remedy)
                .expecting("no such line in the log from then on"),
        );
    Some(found.into())
}

/// The title of the archiver's process says it already.
fn is_told_by_title(run: &Run) -> bool {
    let mut titles = run.host.databases.iter().flat_map(|database| database.background.iter().flatten());
    titles.any(|title| title.starts_with("archiver failed"))
}

/// ` (3 hours ago)`, if the age is known.
fn ago(line: &DatabaseLogLine) -> String {
    match line.age_s.map(|age_s| (age_s / 3_600.0).floor()) {
        None => String::new(),
        Some(hours) if hours < 1.0 => " (within the last hour)".into(),
        Some(hours) if hours < 2.0 => " (an hour ago)".into(),
        Some(hours) if hours < 48.0 => format!(" ({hours:.0} hours ago)"),
        Some(hours) => format!(" ({:.0} days ago)", hours / 24.0),
    }
}
