use crate::database::setting::{self, Flaw};
use crate::prelude::*;

rule! {
    /// # What it checks
    /// Passes when `innodb_flush_method` is `O_DIRECT` (or `O_DIRECT_NO_FSYNC`), and on ZFS. Where it is not set, the version
    /// decides (MariaDB since 10.6 and MySQL since 8.4 default to it) and the rule reports that it does not know.
    ///
    /// # Why it matters
    /// Every page is cached twice, and the kernel's writeback decides when a flush takes long.
    ///
    /// # Evidence
    /// `innodb_flush_method` in the option files and on the command line.
    ///
    /// # Remedy
    /// `innodb_flush_method=O_DIRECT`, restart.
    ///
    /// # Source
    /// MySQL Reference Manual, `innodb_flush_method` (default `O_DIRECT` since 8.4, fsync before); MariaDB Server
    /// documentation, InnoDB system variables (`O_DIRECT` since 10.6).
    code: "mysql-flush-method",
    title: "InnoDB reads and writes through the page cache",
    layer: Database, severity: Warning, on: [Database],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let kinds = ["mysql", "mariadb"];
    // Not set is O_DIRECT from MySQL 8.4 and MariaDB 10.6 on, and fsync before: no file shows the version.
    let unset = |database: &Database| {
        kinds.contains(&database.kind.as_str())
            && !database.settings.is_empty()
            && !database.settings.contains_key("innodb_flush_method")
    };
    let unknown = run.host.databases.iter().filter(|database| unset(database)).map(|database| {
        let name = &database.name;
        facts::unread(&format!("innodb_flush_method of {name} (not set; the default depends on the version)"))
    });
    let judged = setting::each(run, &RULE, &kinds, |database| flaw(run, database));
    // What is not set has no flaw to be found: it is unknown, not good.
    let (fires, passes): (Vec<_>, Vec<_>) =
        judged.into_iter().partition(|outcome| !matches!(outcome, Outcome::Passes));
    let unknown: Vec<Outcome> = unknown.collect();
    let good = passes.into_iter().skip(unknown.len());
    fires.into_iter().chain(good).chain(unknown).collect()
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
    let value = database.settings.get("innodb_flush_method")?.to_ascii_lowercase();
    BUFFERED.contains(&value.as_str()).then(|| Flaw {
        also: Vec::new(),
        name: "innodb_flush_method",
        severity: Severity::Warning,
        says: "pages are cached twice, and the kernel decides when they are written".into(),
        why: "The buffer pool is the better cache; direct I/O leaves the memory to it.",
        now: "[mysqld] innodb_flush_method = O_DIRECT, then restart".into(),
        undo: "take the line out again, then restart".into(),
        expect: "Cached in /proc/meminfo falls; steadier write latency",
    })
}
