rule! {
    /// # What it checks
    /// Passes when `innodb_use_native_aio` is not off.
    /// # Why it matters
    /// Each I/O thread then waits for one request at a time: read-ahead and page flushing fall behind on any
    /// storage.
    /// # Evidence
    /// `innodb_use_native_aio` in the option files and on the command line; on by default on Linux.
    /// # Remedy
    /// ON (and `fs.aio-max-nr` large enough), restart.
    /// # Source
    /// MySQL Reference Manual, Using Asynchronous I/O on Linux, `innodb_use_native_aio` (default ON).
    code: "mysql-native-aio",
    title: "InnoDB does not use asynchronous I/O",
    layer: Database, severity: Warning, on: [Database],
    check: |run| configured::each(run, &RULE, &["mysql", "mariadb"], flaw),
}

fn flaw(database: &Database) -> Option<Flaw> {
    configured::is_off(database, "innodb_use_native_aio").then(|| Flaw {
        also: Vec::new(),
        name: "innodb_use_native_aio",
        severity: Severity::Warning,
        says: "each I/O thread waits for one request at a time".into(),
        why: "A disk or an array is fast with many requests in flight, not with one.",
        now: "[mysqld] innodb_use_native_aio = ON, then restart".into(),
        undo: "take the line out again, then restart".into(),
        expect: "more requests in flight (aqu-sz of iostat) when pages are flushed",
    })
}
