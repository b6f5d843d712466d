rule! {
    /// # What it checks
    /// Passes when `innodb_flush_log_at_trx_commit` is 1, and with a binary log `sync_binlog` is 1 (MariaDB's default
    /// is 0, MySQL's 1).
    /// # Why it matters
    /// With 2 up to a second of committed transactions is lost when the host crashes, with 0 also when the server alone
    /// does; figures taken so do not hold for a durable server.
    /// # Evidence
    /// Both settings in the option files and on the command line.
    /// # Remedy
    /// 1 for both; where commits are then too slow, fix the log device. `sync_binlog = 0` is a warning on a MySQL server with
    /// a binary log that is no replica; MariaDB's default is a note.
    /// # Source
    /// MySQL Reference Manual, `innodb_flush_log_at_trx_commit` (1 for full ACID compliance) and `sync_binlog`;
    /// MariaDB documentation, `sync_binlog` (default 0), and "Configuring MariaDB Galera Cluster" (`innodb_flush_log_at_trx_commit`
    /// 0 is usual there).
    code: "mysql-commit-unsafe",
    title: "MySQL commits are not durable",
    layer: Database, severity: Warning, on: [Database],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let galera = facts::is_managed_by(&run.host, "galera");
    configured::each(run, &RULE, &["mysql", "mariadb"], |database| flaw(database, galera))
}

fn flaw(database: &Database, galera: bool) -> Option<Flaw> {
    let value = |name: &str| database.settings.get(name).map(String::as_str);
    let weak = |name: &'static str| value(name).is_some_and(|value| value != "1").then_some(name);
    // MariaDB does not sync its binary log unless it is told to; MySQL does since 5.7.7.
    let by_default = || {
        let logs = value("log_bin")
            .is_some_and(|value| !matches!(value.to_lowercase().as_str(), "off" | "0"))
            && value("skip_log_bin").is_none();
        (database.kind == "mariadb" && logs && database.leaves_default("sync_binlog"))
            .then_some("sync_binlog")
    };
    let log = weak("innodb_flush_log_at_trx_commit");
    let mut names = log.into_iter().chain(weak("sync_binlog").or_else(by_default));
    let name = names.next()?;
    let also: Vec<&'static str> = names.collect();
    let every = |statement: &dyn Fn(&str) -> String| {
        let all = std::iter::once(&name).chain(&also).map(|name| statement(name));
        all.collect::<Vec<_>>().join(" ")
    };
    let now = every(&|name| format!("set global {name} = 1;"));
    let undo = every(&|name| format!("set global {name} = {};", value(name).unwrap_or("0")));
    // With 0 the log is not even handed to the kernel at commit.
    let binary_log = value("log_bin")
        .is_some_and(|value| !matches!(value.to_lowercase().as_str(), "off" | "0"))
        && value("skip_log_bin").is_none();
    // A replica: so it is set, or may be where it cannot be read.
    let reads_only = ["read_only", "super_read_only"]
        .iter()
        .any(|name| configured::is_on(database, name) || database.may_have_unread(name));
    // MariaDB's default, and often chosen for a replica, which can be made anew.
    let without_sync =
        database.kind == "mysql" && binary_log && !reads_only && value("sync_binlog") == Some("0");
    let (severity, says) = if galera {
        (
            Severity::Info,
            "unsafe only if all nodes of the Galera cluster lose power together: each of them has the write set",
        )
    } else if log.and_then(value) == Some("0") {
        (Severity::Warning, "a crash of the server alone loses up to a second of committed transactions")
    } else if without_sync {
        let says = "a crash of the host loses the last transactions of the binary log though InnoDB has them: replicas and point-in-time recovery miss them";
        (Severity::Warning, says)
    } else {
        (Severity::Info, "a crash of the host loses the last committed transactions")
    };
    Some(Flaw {
        name,
        also,
        severity,
        says: says.into(),
        why: "Only a log that is on the disk at commit survives.",
        now,
        undo,
        expect: "every commit waits for the log device: `fullwire disk --profile my-redo` measures how long",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_may_be_a_replica_is_not_warned() {
        let set = [("log_bin", "binlog"), ("sync_binlog", "0"), ("innodb_flush_log_at_trx_commit", "1")];
        let settings = set.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut server = Database { kind: "mysql".into(), settings, ..Database::default() };
        let severity = |server: &Database| flaw(server, false).map(|flaw| flaw.severity);
        assert_eq!(severity(&server), Some(Severity::Warning));
        // The file with `read_only` may be one that could not be read.
        server.settings_partial = true;
        assert_eq!(severity(&server), Some(Severity::Info));
        server.settings.insert("read_only".into(), "off".into());
        server.settings.insert("super_read_only".into(), "off".into());
        assert_eq!(severity(&server), Some(Severity::Warning));
    }
}
