rule! {
    /// # What it checks
    /// Passes when the server writes less than 10 MB of temporary files a second while it is watched.
    /// # Why it matters
    /// Sorts and hashes that do not fit into `work_mem` go to disk: I/O that the data files have to share.
    /// # Evidence
    /// Growth of `temp_bytes` of `pg_stat_database`; a file counts when it is closed.
    /// # Remedy
    /// `work_mem` for the queries that need it, `temp_tablespaces` on a device of their own.
    /// # Source
    /// PostgreSQL documentation, `pg_stat_database` (`temp_bytes`), `work_mem`, `log_temp_files`; the rate is our own
    /// choice.
    code: "postgres-temp-files",
    title: "PostgreSQL sorts and hashes on disk",
    layer: Database, severity: Info, on: [Report],
    counter: {
        database: "postgresql",
        name: "temp_bytes",
        most_per_s: 10e6,
        says: "bytes of temporary files, because sorts and hashes do not fit into work_mem",
        advice: || because("What does not fit into work_mem is written and read again.")
            .now("alter system set log_temp_files = '64MB'; select pg_reload_conf();  -- logs the queries")
            .persist("work_mem for the roles that run them (alter role NAME set work_mem = '256MB'): each sort of each session may use it; or temp_tablespaces on a device of its own")
            .undo("alter system reset log_temp_files; select pg_reload_conf();")
            .expecting("temp_bytes grows slowly"),
    },
}
