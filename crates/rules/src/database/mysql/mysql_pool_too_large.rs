rule! {
    /// # What it checks
    /// Applies where `innodb_buffer_pool_size` is set; passes when the pool and 5 % for its own structures fit into the memory
    /// of the host, and into what the control groups of the server may use.
    /// # Why it matters
    /// The pool fills up in the course of days, the host swaps, and the OOM killer ends the server.
    /// # Evidence
    /// `innodb_buffer_pool_size` in the option files and on the command line, `MemTotal`, `memory.max` and `memory.high`.
    /// # Remedy
    /// Up to 80 % of the memory on a host of its own.
    /// # Source
    /// MySQL Reference Manual, `innodb_buffer_pool_size` (up to 80 % of the memory of a dedicated server; too large a pool
    /// makes the host page; with its buffers and control structures it takes about 10 % more than was set).
    code: "mysql-pool-too-large",
    title: "the InnoDB buffer pool does not fit into the memory",
    layer: Database, severity: Critical, on: [Database],
    check: |run| configured::each(run, &RULE, &["mysql", "mariadb"], |database| flaw(run, database)),

    /// The pool grows and shrinks by `innodb_buffer_pool_chunk_size`, 128 MiB by default.
    const CHUNK_BYTES: u64 = 128 << 20;
    /// The pool with its own structures, of what was set: half of what the manual says (own choice).
    const WITH_ITS_OWN: f64 = 1.05;
}

fn flaw(run: &Run, database: &Database) -> Option<Flaw> {
    let pool = configured::bytes(database, "innodb_buffer_pool_size")?;
    let (room, group) = facts::room_of(&run.host, database)?;
    let fitting = (room / 10 * 7 / CHUNK_BYTES).max(1) * CHUNK_BYTES;
    let has = match group {
        Some(group) => format!("its control group {} may use {}", group.path, facts::size(room)),
        None => format!("the host has {} of memory", facts::size(room)),
    };
    (pool as f64 * WITH_ITS_OWN > room as f64).then(|| Flaw {
        name: "innodb_buffer_pool_size",
        also: Vec::new(),
        severity: if pool > room { Severity::Critical } else { Severity::Warning },
        says: if pool > room {
            has
        } else {
            format!("with its own structures it fills what there is: {has}")
        },
        why: "A pool that does not fit is swapped out, or its server is killed.",
        now: format!(
            "set global innodb_buffer_pool_size = {fitting};  -- {}, at a quiet time",
            facts::size(fitting)
        ),
        undo: format!("set global innodb_buffer_pool_size = {pool};"),
        expect: "no swapping, and no mysqld among what the OOM killer ended",
    })
}
