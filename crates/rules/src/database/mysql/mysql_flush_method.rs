rule! {
    /// # What it checks
    /// Passes when `innodb_flush_method` is `O_DIRECT` (or `O_DIRECT_NO_FSYNC`), and on ZFS. Where it is not set, the version
    /// decides (MariaDB since 10.6 and MySQL since 8.4 default to it, MySQL 8 does with `innodb_dedicated_server`); where that is
    /// not known, the rule says so.
    /// # Why it matters
    /// Every page is cached twice, and the kernel's writeback decides when a flush takes long.
    /// # Evidence
    /// `innodb_flush_method` in the option files and on the command line.
    /// # Remedy
    /// `innodb_flush_method=O_DIRECT`, restart.
    /// # Source
    /// MySQL Reference Manual, `innodb_flush_method` (default `O_DIRECT` since 8.4, fsync before), "Enabling Automatic InnoDB
    /// Configuration for a Dedicated MySQL Server" (8.0: `O_DIRECT_NO_FSYNC`); MariaDB Server
    /// documentation, InnoDB system variables (`O_DIRECT` since 10.6).
    code: "mysql-flush-method",
    title: "InnoDB reads and writes through the page cache",
    layer: Database, severity: Warning, on: [Database],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let servers = run.host.databases.iter().filter(|one| ["mysql", "mariadb"].contains(&one.kind.as_str()));
    servers.map(|server| judge(run, server)).collect()
}

fn judge(run: &Run, server: &Database) -> Outcome {
    let unset = server.leaves_default("innodb_flush_method");
    if unset && !on_zfs(run, server) && is_direct_by_default(server).is_none() {
        let name = &server.name;
        return facts::unread(&format!(
            "innodb_flush_method of {name} (not set; the default depends on the version, which is not known)"
        ));
    }
    configured::outcome(run, &RULE, server, |server| flaw(run, server))
}

/// `None`: the version is not known. Any version that knows `innodb_dedicated_server` sets direct I/O with it, or has it anyway.
fn is_direct_by_default(server: &Database) -> Option<bool> {
    if configured::is_given(server, "innodb_dedicated_server") {
        return Some(true);
    }
    let since: &[u32] = if server.kind == "mariadb" { &[10, 6] } else { &[8, 4] };
    facts::version_is_at_least(server, since)
}

/// Spellings that do not pass the page cache by.
const BUFFERED: [&str; 7] = ["fsync", "0", "o_dsync", "1", "littlesync", "2", "nosync"];

/// ZFS before 2.3 takes `O_DIRECT` and caches all the same, and has its own cache in any case (`OpenZFS` 2.3.0, release
/// notes).
fn on_zfs(run: &Run, database: &Database) -> bool {
    let mut places = database.locations.keys().chain([&database.name]).filter(|place| place.starts_with('/'));
    places.any(|place| run.host.mount_of(place).is_some_and(|mount| mount.fs_type == "zfs"))
}

fn flaw(run: &Run, database: &Database) -> Option<Flaw> {
    if on_zfs(run, database) {
        return None;
    }
    let value = database.settings.get("innodb_flush_method").map(|value| value.to_ascii_lowercase());
    let (buffered, default) = match value {
        Some(value) => (BUFFERED.contains(&value.as_str()), ""),
        None => (is_direct_by_default(database) == Some(false), "the default of this version is fsync, so "),
    };
    buffered.then(|| Flaw {
        also: Vec::new(),
        name: "innodb_flush_method",
        severity: Severity::Warning,
        says: format!("{default}pages are cached twice, and the kernel decides when they are written"),
        why: "The buffer pool is the better cache; direct I/O leaves the memory to it.",
        now: "[mysqld] innodb_flush_method = O_DIRECT, then restart".into(),
        undo: "take the line out again, then restart".into(),
        expect: "Cached in /proc/meminfo falls; steadier write latency",
    })
}
