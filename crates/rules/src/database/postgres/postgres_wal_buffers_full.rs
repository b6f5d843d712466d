rule! {
    /// # What it checks
    /// Passes when `wal_buffers_full` of `pg_stat_wal` grows by at most one per second while the server is watched.
    /// # Why it matters
    /// When the buffers are full, the session that wants to add a record writes the WAL itself, in the middle of its
    /// work and while others wait for the same lock: a slow log device is felt even by those who do not commit.
    /// # Evidence
    /// The growth of the counter over the window.
    /// # Remedy
    /// A larger `wal_buffers`; when it is large already, a log device that takes more.
    /// # Source
    /// PostgreSQL documentation, `pg_stat_wal` (`wal_buffers_full`: WAL written because the buffers became full) and
    /// `wal_buffers`. That one a second is tolerable is ours.
    code: "postgres-wal-buffers-full",
    title: "PostgreSQL writes WAL early because its WAL buffers are full",
    layer: Database, severity: Warning, on: [Report],
    counter: {
        database: "postgresql",
        name: "wal_buffers_full",
        most_per_s: 1.0,
        says: "sessions write WAL themselves because the WAL buffers are full",
        advice: || because("A session that finds the buffers full must write them out before it can continue.")
            .now("show wal_buffers;  -- 16MB is the most the server chooses automatically")
            .persist("alter system set wal_buffers = '64MB';  -- then restart the server")
            .undo("alter system reset wal_buffers;")
            .expecting("wal_buffers_full no longer grows under the same load"),
    },
}
