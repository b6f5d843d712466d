rule! {
    /// # What it checks
    /// Passes when `failed_count` of `pg_stat_archiver` does not grow while the server is watched; where it is not watched,
    /// when the title of its archiver does not say that it failed.
    /// # Why it matters
    /// A segment that cannot be archived stays in `pg_wal` and is tried again and again; when its file system is full the
    /// server stops. A standby or backup that depends on the archive stops advancing.
    /// # Evidence
    /// The growth of the counter over the window; the title of the process (`archiver failed on SEGMENT`).
    /// # Remedy
    /// The output of `archive_command` in the server's log.
    /// # Source
    /// PostgreSQL documentation, Continuous Archiving (setting up WAL archiving: files accumulate in `pg_wal`, and the
    /// server shuts down when it fills) and `pg_stat_archiver`;
    /// `src/backend/postmaster/pgarch.c`, `pgarch_archiveXlog` (the title).
    code: "postgres-archiver-failing",
    title: "PostgreSQL fails to archive its WAL",
    layer: Database, severity: Warning, on: [Database, Report],
}

const COUNTER: Counter = Counter {
    database: "postgresql",
    name: "archive_failed",
    most_per_s: 0.0,
    says: "WAL segments fail to be archived and stay in pg_wal",
    advice,
};

fn check(run: &Facts) -> Vec<Outcome> {
    let watched = live::grows(run, &RULE, &COUNTER);
    if watched.is_empty() {
        return run.host.databases.iter().filter_map(by_title).collect();
    }
    watched
}

/// The archiver tries a segment again until it succeeds, and its title keeps what the last try came to.
fn by_title(database: &Database) -> Option<Outcome> {
    let title = database.background.iter().flatten().find(|title| title.starts_with("archiver"))?;
    if !title.starts_with("archiver failed") {
        return Some(Outcome::Passes);
    }
    let found = finding!(
        Kind::Database.named(&database.name),
        "the {title}: WAL stays in pg_wal until its file system is full",
    )
    .evidence(format!("postgres: {title}"), "ps")
    .advice(advice());
    Some(found.into())
}

fn advice() -> Advice {
    because("WAL that cannot be archived fills the disk, and then the server stops.")
        .now("select last_failed_wal, last_failed_time from pg_stat_archiver; show archive_command;  -- its error is in the server's log")
        .persist("fix what archive_command uses: the path to the archive, its space, its permissions")
        .expecting("failed_count stops growing, archived_count grows, pg_wal shrinks")
}
