rule! {
    /// # What it checks
    /// Passes when `fsync` and `full_page_writes` are not off. `synchronous_commit` off is a note: it may be a deliberate
    /// choice, for a crash loses the last transactions and not the cluster.
    /// # Why it matters
    /// It is fast because nothing is sure: after a power failure or a kernel crash the cluster is corrupt.
    /// Full-page writes protect against half-written pages unless the file system does (ZFS).
    /// # Evidence
    /// `postgresql.conf`, `postgresql.auto.conf` and the server's command line.
    /// # Remedy
    /// Both on, reload. After `fsync` was off, `sync` (or `initdb --sync-only`, or a reboot) brings to the disks what was
    /// written before. If commits are too slow: `synchronous_commit=off` loses the last commits, never the
    /// cluster.
    /// # Source
    /// PostgreSQL documentation, Write Ahead Log settings: `fsync` ("can result in unrecoverable data
    /// corruption"), `full_page_writes`; "Asynchronous Commit" (what is lost is at most three times `wal_writer_delay` old).
    code: "postgres-durability",
    title: "PostgreSQL is not safe against a crash",
    layer: Database, severity: Critical, on: [Database],
    check: |run| configured::each(run, &RULE, &["postgresql"], |database| flaw(run, database)),
}

/// ZFS never writes half a page: there `full_page_writes` protects from nothing.
fn needs(run: &Run, database: &Database, name: &str) -> bool {
    let mut places = database.locations.keys().chain([&database.name]).filter(|place| place.starts_with('/'));
    let on_zfs = |place: &String| run.host.mount_of(place).is_some_and(|mount| mount.fs_type == "zfs");
    name != "full_page_writes" || !places.any(on_zfs)
}

fn flaw(run: &Run, database: &Database) -> Option<Flaw> {
    let risky = ["fsync", "full_page_writes"].into_iter().filter(|name| needs(run, database, name));
    let mut off = risky.filter(|name| configured::is_off(database, name));
    let Some(name) = off.next() else { return late_commits(database) };
    let also: Vec<&'static str> = off.collect();
    let every = |verb: &dyn Fn(&str) -> String| {
        let all = std::iter::once(&name).chain(&also).map(|name| format!("alter system {};", verb(name)));
        all.collect::<Vec<_>>().join(" ")
    };
    let now = every(&|name| format!("set {name} = on"));
    let flush = if name == "fsync" {
        " Then run `sync` on the host and wait for it: what was written before is not on the disks yet"
    } else {
        ""
    };
    let undo = every(&|name| format!("reset {name}"));
    Some(Flaw {
        name,
        also,
        severity: Severity::Critical,
        says: "a crash of the host leaves a corrupt cluster".into(),
        why: "The server does not wait until the data that crash recovery needs is on the disk.",
        now: format!("{now} select pg_reload_conf();{flush}"),
        undo: format!("{undo} select pg_reload_conf();"),
        expect: "commits take as long as the device's flush, and the cluster survives a crash",
    })
}

/// Commits that do not wait for the disk: faster, and each knows what it risks.
fn late_commits(database: &Database) -> Option<Flaw> {
    const NAME: &str = "synchronous_commit";
    configured::is_off(database, NAME).then(|| Flaw {
        name: NAME,
        also: Vec::new(),
        severity: Severity::Info,
        says: "a crash loses the transactions of the last moment, never the cluster".into(),
        why: "A commit returns before its record is on the disk: at most three times wal_writer_delay (200 ms) later it is.",
        now: format!("alter system set {NAME} = on; select pg_reload_conf();"),
        undo: format!("alter system reset {NAME}; select pg_reload_conf();"),
        expect: "commits take as long as the device's flush, and none is lost",
    })
}
