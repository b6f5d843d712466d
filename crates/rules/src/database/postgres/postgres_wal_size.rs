rule! {
    /// # What it checks
    /// Applies with 4 GB of shared buffers or more; passes when `max_wal_size` is above its default of 1 GB. At most a
    /// quarter of the default is a warning (own choice): nobody wants that, mostly a unit was lost.
    /// # Why it matters
    /// A busy server fills it within seconds and then checkpoints early, again and again: each checkpoint writes
    /// all dirty buffers, and the first change of each page thereafter writes the whole page into the WAL.
    /// # Evidence
    /// `max_wal_size` and `shared_buffers`. Whether checkpoints are requested early is shown by `pg_stat_checkpointer`
    /// (`num_requested` against `num_timed`), which needs a connection.
    /// # Remedy
    /// `max_wal_size` as large as the WAL of one `checkpoint_timeout`.
    /// # Source
    /// PostgreSQL documentation, WAL Configuration and `max_wal_size` (default 1 GB).
    code: "postgres-wal-size",
    title: "PostgreSQL's max_wal_size forces frequent checkpoints",
    layer: Database, severity: Warning, on: [Database],
    check: |run| configured::each(run, &RULE, &["postgresql"], flaw),

    /// PostgreSQL's default of `max_wal_size`.
    const DEFAULT_BYTES: u64 = 1 << 30;
    /// A quarter of the default.
    const TINY_BYTES: u64 = 256 << 20;
    /// Buffers from which on the default forces checkpoints under load (own choice).
    const LARGE_BUFFERS_BYTES: u64 = 4 << 30;
}

fn flaw(database: &Database) -> Option<Flaw> {
    let large =
        configured::bytes(database, "shared_buffers").is_some_and(|bytes| bytes >= LARGE_BUFFERS_BYTES);
    let wal = configured::bytes(database, "max_wal_size").unwrap_or(DEFAULT_BYTES);
    let bare = database
        .settings
        .get("max_wal_size")
        .is_some_and(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
    let unit = if bare {
        format!("a number without a unit counts MB, so that is {}; ", facts::size(wal))
    } else {
        String::new()
    };
    // The view has the counters since version 17.
    let counted = match facts::version_is_at_least(database, &[17]) {
        Some(false) => {
            "select checkpoints_timed, checkpoints_req from pg_stat_bgwriter;  -- checkpoints_req above checkpoints_timed?"
        }
        _ => {
            "select * from pg_stat_checkpointer;  -- num_requested above num_timed (before 17: pg_stat_bgwriter)?"
        }
    };
    (large && wal <= DEFAULT_BYTES).then(|| Flaw {
        also: Vec::new(),
        name: "max_wal_size",
        severity: if wal <= TINY_BYTES { Severity::Warning } else { Severity::Info },
        says: format!(
            "{unit}a busy server runs out of WAL space and checkpoints long before checkpoint_timeout"
        ),
        why: "After each checkpoint the first change of every page writes the whole page into the WAL.",
        now: format!("{counted} then, where the file system of pg_wal has that room: alter system set max_wal_size = '16GB'; select pg_reload_conf();"),
        undo: "alter system reset max_wal_size; select pg_reload_conf();".into(),
        expect: "checkpoints by time, less WAL for the same work",
    })
}
