rule! {
    /// # What it checks
    /// Passes when `innodb_doublewrite` is on, or the data is on a file system that writes whole blocks (ZFS, btrfs).
    /// # Why it matters
    /// After a crash in the middle of a page, the page cannot be repaired from the redo log: the table is lost.
    /// # Evidence
    /// The setting, the file system of the data directory. What the device itself promises (atomic writes of 16 KiB) is not
    /// known here.
    /// # Remedy
    /// `innodb_doublewrite = ON`, unless the device guarantees whole writes of a page.
    /// # Source
    /// MySQL Reference Manual, "Doublewrite Buffer" and `innodb_doublewrite` (`DETECT_ONLY` since 8.0.30); MariaDB,
    /// "InnoDB Doublewrite Buffer" and "Atomic Write Support".
    code: "mysql-doublewrite-off",
    title: "InnoDB cannot repair a page that was half written",
    layer: Database, severity: Warning, on: [Database],
    check: |run| configured::each(run, &RULE, &["mysql", "mariadb"], |database| flaw(run, database)),
}

fn flaw(run: &Run, database: &Database) -> Option<Flaw> {
    const NAME: &str = "innodb_doublewrite";
    let value = database.settings.get(NAME)?;
    let detects = value.eq_ignore_ascii_case("detect_only");
    if !detects && !configured::is_off(database, NAME) {
        return None;
    }
    let whole = database.locations.iter().filter(|(_, kind)| kind.as_str() == "data").all(|(path, _)| {
        run.host.mount_of(path).is_some_and(|mount| matches!(mount.fs_type.as_str(), "zfs" | "btrfs"))
    });
    if whole && !database.locations.is_empty() {
        return None;
    }
    Some(Flaw {
        also: Vec::new(),
        name: NAME,
        severity: Severity::Warning,
        says: "a crash in the middle of a page write loses the table".into(),
        why: "The redo log contains changes of pages, not whole pages: it cannot repair half a page.",
        now: "Does the device guarantee whole writes of 16 KiB (its maker says so)? Otherwise innodb_doublewrite = ON in [mysqld] and restart".into(),
        undo: format!("innodb_doublewrite = {value} in [mysqld] and restart"),
        expect: "Innodb_dblwr_pages_written grows",
    })
}
