use crate::said::database_kinds;

rule! {
    /// # What it checks
    /// Passes when the logs of the databases in a captured tree report no trouble within the last day: transaction IDs
    /// that run out, damaged blocks, a crash, a full disk, archiving that fails, descriptors, memory or connections that ran
    /// out, I/O errors. Damaged blocks count whenever they were found; other lines that are older are a note.
    /// # Why it matters
    /// The server knows best what stopped it, and nobody reads its log until it stands still.
    /// # Evidence
    /// The logs of PostgreSQL, `PgBouncer`, MySQL and MariaDB, the alert log of Oracle.
    /// # Remedy
    /// By what was reported; each finding says it.
    /// # Source
    /// PostgreSQL documentation 25.1.5 (wraparound: warnings below 40 million transactions, refusal below 3 million), 26.3.1
    /// (archiving); MySQL Error Message Reference; Oracle Database Error Messages.
    code: "database-log-trouble",
    title: "the database's own log reports trouble",
    layer: Database, severity: Critical, on: [File],

    /// A day, s: older lines say little about the host as it is now.
    const RECENT_S: f64 = 86_400.0;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(log) = &run.host.database_log else { return Vec::new() };
    let outcomes: Vec<Outcome> = log.iter().filter_map(|line| judge(run, line)).collect();
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}

fn judge(run: &Run, line: &DatabaseLogLine) -> Option<Outcome> {
    let kind = database_kinds().find(|kind| kind.name == line.kind)?;
    if kind.name == "archiving" && is_told_by_title(run) {
        return None;
    }
    // Damage stays, and how a server started is said once.
    let lasts = ["corruption", "native-aio"].contains(&kind.name);
    // A log that was handed over without its host has no time to compare with: it is all there is.
    let is_alone = run.host.os.uptime_s.is_none();
    if line.age_s.is_none() && !lasts && !is_alone {
        let said = format!("{} says that {}, when is not known", line.source, kind.says);
        return Some(Outcome::Unknown(said));
    }
    let severity = match line.age_s {
        Some(age_s) if age_s <= RECENT_S => kind.severity.unwrap_or(Severity::Info),
        _ if lasts => Severity::Warning,
        _ => Severity::Info,
    };
    let quoted =
        if line.count > 1 { format!("{} ({} such lines)", line.text, line.count) } else { line.text.clone() };
    let found = finding!(
        subject::Kind::File.named(&line.source),
        "{}{}{}: {}",
        kind.says,
        longest(line),
        ago(line),
        line.text,
    )
    .severity(severity)
    .evidence(quoted, &line.source)
    .advice(kind.advice(&run.host));
    Some(found.into())
}

/// The title of the archiver's process says it already.
fn is_told_by_title(run: &Run) -> bool {
    let mut titles = run.host.databases.iter().flat_map(|database| database.background.iter().flatten());
    titles.any(|title| title.starts_with("archiver failed"))
}

/// ` (up to 17.2 s)`, of what tells how long it took.
fn longest(line: &DatabaseLogLine) -> String {
    const MARKS: [(&str, &str, f64); 4] = [
        ("checkpoint-sync", "sync=", 1.0),
        ("pst-wait", "Waited ", 1.0),
        ("page-cleaner", "intended loop took ", 1e-3),
        ("log-write-slow", "elapsed time ", 1e-3),
    ];
    let mark = MARKS.iter().find(|(kind, ..)| *kind == line.kind);
    let seconds = mark.and_then(|(_, mark, unit)| Some(said::number_after(&line.text, mark)? * unit));
    seconds.map_or(String::new(), |seconds| format!(" (up to {seconds:.1} s)"))
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
