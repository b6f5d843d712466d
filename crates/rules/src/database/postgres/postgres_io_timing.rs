rule! {
    /// # What it checks
    /// Passes when `track_io_timing` is on.
    /// # Why it matters
    /// Without it no view shows how long reads and writes take: a slow disk and a cold cache look alike.
    /// # Evidence
    /// `track_io_timing` in the server's configuration; off by default.
    /// # Remedy
    /// On, where reading the time is cheap (`clock-source`); `pg_test_timing` measures it.
    /// # Source
    /// PostgreSQL documentation, Run-time Statistics, `track_io_timing` (default off), `pg_test_timing`.
    code: "postgres-io-timing",
    title: "PostgreSQL does not measure its I/O",
    layer: Database, severity: Info, on: [Database],
    check: |run| configured::each(run, &RULE, &["postgresql"], flaw),
}

fn flaw(database: &Database) -> Option<Flaw> {
    (!configured::is_on(database, "track_io_timing")).then(|| Flaw {
        also: Vec::new(),
        name: "track_io_timing",
        severity: Severity::Info,
        says: "no view shows how long its reads and writes take".into(),
        why: "Counts without times do not distinguish a slow disk from a cold cache.",
        now: "alter system set track_io_timing = on; select pg_reload_conf();".into(),
        undo: "alter system reset track_io_timing; select pg_reload_conf();".into(),
        expect: "times in pg_stat_io and explain (analyze, buffers)",
    })
}
