rule! {
    /// # What it checks
    /// Passes when `Innodb_log_waits` does not grow while the server is watched.
    /// # Why it matters
    /// The log buffer was too small for what was changed, and a session waited until the buffer was written: either
    /// the transactions are larger than the buffer, or the log device does not take what is made.
    /// # Evidence
    /// The growth of the counter over the window.
    /// # Remedy
    /// A larger `innodb_log_buffer_size`; when it is large already, a log device that takes more.
    /// # Source
    /// MySQL Reference Manual, Server Status Variables (`Innodb_log_waits`: the log buffer was too small and a wait was
    /// required for it to be flushed) and `innodb_log_buffer_size`.
    code: "mysql-log-waits",
    title: "InnoDB waits for its log buffer",
    layer: Database, severity: Warning, on: [Report],
    counter: {
        database: "mysql",
        name: "innodb_log_waits",
        most_per_s: 0.0,
        says: "sessions wait until the full log buffer is written",
        advice: || because("A session that finds the log buffer full waits for the log device.")
            .now("show global variables like 'innodb_log_buffer_size';")
            .persist("innodb_log_buffer_size = 64M in section [mysqld], then restart the server  -- MySQL 8 also accepts it by set global")
            .undo("innodb_log_buffer_size at its former value")
            .expecting("Innodb_log_waits no longer grows under the same load"),
    },
}
