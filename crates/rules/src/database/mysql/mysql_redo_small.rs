rule! {
    /// # What it checks
    /// Passes when with a buffer pool of 4 GB or more, the redo log (`innodb_redo_log_capacity`, or
    /// `innodb_log_file_size` times `innodb_log_files_in_group`) is at least 512 MB.
    /// # Why it matters
    /// When the log is full, InnoDB flushes pages in a hurry and writers wait: sustained writes come in waves.
    /// # Evidence
    /// Sizes in the option files and on the command line. The rule of thumb (one hour of redo) needs the server's
    /// own counters.
    /// # Remedy
    /// `innodb_redo_log_capacity` (MySQL since 8.0.30) or `innodb_log_file_size` (MariaDB) for an hour of redo.
    /// # Source
    /// MySQL Reference Manual, Configuring Redo Log Capacity (`innodb_redo_log_capacity`, default 100 MB);
    /// MariaDB Server documentation, `innodb_log_file_size` (default 96 MB).
    /// MySQL 8.0 Reference Manual, `innodb_log_files_in_group` (2 by default), "Enabling Automatic Configuration for a
    /// Dedicated MySQL Server".
    code: "mysql-redo-small",
    title: "InnoDB's redo log is small for its buffer pool",
    layer: Database, severity: Warning, on: [Database],
    check: |run| configured::each(run, &RULE, &["mysql", "mariadb"], flaw),

    /// A buffer pool from which on checkpoints of a small redo log are felt (own choice).
    const LARGE_POOL_BYTES: u64 = 4 << 30;
    /// The least redo log for such a pool (own choice; MySQL sizes it for an hour of writes).
    const LEAST_BYTES: u64 = 512 << 20;
    /// What the advice has: room for an hour of a busy server (own choice).
    const WANTED_BYTES: u64 = 4 << 30;
    /// Both servers default to about this.
    const DEFAULT_BYTES: u64 = 100 << 20;
}

fn flaw(database: &Database) -> Option<Flaw> {
    let pool =
        configured::bytes(database, "innodb_buffer_pool_size").filter(|bytes| *bytes >= LARGE_POOL_BYTES)?;
    // The server sizes it by its memory.
    if configured::is_given(database, "innodb_dedicated_server") {
        return None;
    }
    // MySQL makes two files by default; MariaDB has had one since 10.5.
    let by_default = if database.kind == "mariadb" { 1 } else { 2 };
    let files = configured::bytes(database, "innodb_log_files_in_group").unwrap_or(by_default);
    let of_files =
        configured::bytes(database, "innodb_log_file_size").map(|bytes| bytes.saturating_mul(files));
    let redo = configured::bytes(database, "innodb_redo_log_capacity").or(of_files).unwrap_or(DEFAULT_BYTES);
    let (maria, live_since): (bool, &[u32]) =
        if database.kind == "mariadb" { (true, &[10, 9]) } else { (false, &[8, 0, 30]) };
    let is_live = facts::version_is_at_least(database, live_since);
    // MySQL passes over the size of the files once it knows the capacity (Server System Variables, innodb_redo_log_capacity).
    let has_capacity = !maria
        && is_live
            .unwrap_or(of_files.is_none() || database.settings.contains_key("innodb_redo_log_capacity"));
    let name = if has_capacity { "innodb_redo_log_capacity" } else { "innodb_log_file_size" };
    let (now, undo) = if is_live == Some(false) {
        let size = WANTED_BYTES / files.max(1);
        (
            format!(
                "{name} = {size} in section [mysqld] of the option file, then restart the server: this version does not change it while it runs"
            ),
            format!("{name} at its former value, then restart the server"),
        )
    } else {
        let older = if is_live.is_none() && name == "innodb_log_file_size" {
            ";  -- where the file system has that room. MariaDB 10.9 and later. Any other server refuses it: there, in [mysqld] and a restart in a window"
        } else if is_live.is_none() {
            ";  -- where the file system has that room. MySQL 8.0.30 and later. An older server refuses it: there, innodb_log_file_size in [mysqld] and a restart in a window"
        } else {
            ";  -- where the file system has that room"
        };
        (format!("set global {name} = {WANTED_BYTES}{older}"), format!("set global {name} = {redo};"))
    };
    (redo < LEAST_BYTES).then(|| Flaw {
        also: Vec::new(),
        name,
        severity: Severity::Warning,
        says: format!(
            "{} MB of redo for a buffer pool of {} GB: writers wait for page flushing",
            redo >> 20,
            pool >> 30
        ),
        why: "A change may be written to its page late only as long as the redo log has room.",
        now,
        undo,
        expect: "a steady write rate; Innodb_log_waits no longer grows",
    })
}
