rule! {
    /// # What it checks
    /// Passes when `autovacuum` and `track_counts`, which it needs, are not off.
    /// # Why it matters
    /// Dead rows stay where they are: tables and indexes grow, each scan reads more. Only the emergency vacuum against
    /// wraparound of transaction IDs still runs; where it does not keep up, the server accepts no writes any more.
    /// # Evidence
    /// `postgresql.conf`, `postgresql.auto.conf` and the server's command line.
    /// # Remedy
    /// Both on, reload; then the age of each database (`age(datfrozenxid)`), and a vacuum of the oldest.
    /// # Source
    /// PostgreSQL documentation, Routine Vacuuming (preventing transaction ID wraparound failures; the autovacuum daemon)
    /// and `autovacuum`.
    code: "postgres-autovacuum-off",
    title: "PostgreSQL does not vacuum by itself",
    layer: Database, severity: Warning, on: [Database],
    check: |run| configured::each(run, &RULE, &["postgresql"], flaw),
}

fn flaw(database: &Database) -> Option<Flaw> {
    let name = ["autovacuum", "track_counts"].into_iter().find(|name| configured::is_off(database, name))?;
    Some(Flaw {
        name,
        also: Vec::new(),
        severity: Severity::Warning,
        says: "dead rows stay, tables grow, and transaction IDs may run out".into(),
        why: "Without vacuum the space of dead rows is not used again, and old transaction IDs are not frozen.",
        now: format!(
            "alter system set {name} = on; select pg_reload_conf(); select datname, age(datfrozenxid) from pg_database order by 2 desc;  -- vacuum the oldest first"
        ),
        undo: format!("alter system reset {name}; select pg_reload_conf();"),
        expect: "last_autovacuum in pg_stat_user_tables moves on, and age(datfrozenxid) stays below autovacuum_freeze_max_age",
    })
}
