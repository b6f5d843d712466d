rule! {
    /// # What it checks
    /// Applies where `max_connections` and `work_mem` are set; passes when one sort in each connection fits in memory.
    /// # Why it matters
    /// `work_mem` is of each sort and each hash table, not of the server: when many connections sort at once, the OOM killer
    /// ends the server, or with strict accounting queries fail.
    /// # Evidence
    /// `max_connections`, `work_mem`, `MemTotal`.
    /// # Remedy
    /// A smaller `work_mem`, and a larger one only for the roles or sessions that need it; fewer connections behind a pool.
    /// # Source
    /// PostgreSQL documentation, Resource Consumption, `work_mem` ("the total memory used could be many times the value").
    code: "postgres-work-memory",
    title: "one sort in each PostgreSQL connection needs more than the memory",
    layer: Database, severity: Info, on: [Database],
    check: |run| configured::each(run, &RULE, &["postgresql"], |database| flaw(run, database)),
}

fn flaw(run: &Run, database: &Database) -> Option<Flaw> {
    let connections: u64 = database.settings.get("max_connections")?.parse().ok()?;
    let each = configured::bytes(database, "work_mem")?;
    let (needed, memory) = (connections.saturating_mul(each), run.host.memory.total_bytes?);
    (needed > memory).then(|| Flaw {
        name: "work_mem",
        also: vec!["max_connections"],
        severity: Severity::Info,
        says: format!("one sort in each connection takes {}, and the host has {}", facts::size(needed), facts::size(memory)),
        why: "Each sort and each hash table of each connection may take work_mem.",
        now: "alter system set work_mem = '64MB'; select pg_reload_conf();  -- and `alter role NAME set work_mem` for those that need more".into(),
        undo: "alter system reset work_mem; select pg_reload_conf();".into(),
        expect: "temporary files (pg_stat_database) grow little, and the memory lasts at the peak",
    })
}
