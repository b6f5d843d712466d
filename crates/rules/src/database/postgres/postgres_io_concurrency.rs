rule! {
    /// # What it checks
    /// Applies to servers whose data is on solid-state disks. Passes when `effective_io_concurrency` is not set, or above 1.
    /// # Why it matters
    /// With 0 or 1 a bitmap scan waits for one page after the other, and the device works at depth 1.
    /// # Evidence
    /// The setting; `queue/rotational` of the disks below the data directory.
    /// # Remedy
    /// 16 (the default since 18) up to some hundreds.
    /// # Source
    /// PostgreSQL documentation, `effective_io_concurrency` (hundreds for SSDs; 16 by default since 18, 1 before).
    code: "postgres-io-concurrency",
    title: "PostgreSQL reads solid-state disks page by page",
    layer: Database, severity: Info, on: [Database],
    check: |run| configured::each(run, &RULE, &["postgresql"], |database| flaw(run, database)),
}

fn flaw(run: &Run, database: &Database) -> Option<Flaw> {
    const NAME: &str = "effective_io_concurrency";
    let depth: u64 = database.settings.get(NAME)?.trim().parse().ok()?;
    (depth <= 1 && on_solid_state(run, database)).then(|| Flaw {
        also: Vec::new(),
        name: NAME,
        severity: Severity::Info,
        says: "bitmap scans read one page after the other from a device that serves many at a time".into(),
        why: "A solid-state disk reaches its rate only with many requests at a time.",
        now: "alter system set effective_io_concurrency = 16; select pg_reload_conf();".into(),
        undo: format!("alter system set effective_io_concurrency = {depth}; select pg_reload_conf();"),
        expect: "faster bitmap heap scans (explain (analyze, buffers))",
    })
}

/// All disks below the data directory say that they do not rotate. Virtual disks often say so wrongly: then more requests
/// at a time do no harm.
fn on_solid_state(run: &Run, database: &Database) -> bool {
    let data = database.locations.iter().filter(|(_, kind)| kind.as_str() == "data");
    let mounts = data.filter_map(|(path, _)| run.host.mount_of(path));
    let tops: Vec<_> = mounts.filter_map(|mount| run.host.disk_by_number(&mount.number)).collect();
    let solid = |top: &&fullwire_model::host::Disk| {
        run.host
            .stack(&top.name)
            .iter()
            .all(|disk| disk.queue.as_ref().is_some_and(|queue| queue.rotational == Some(false)))
    };
    !tops.is_empty() && tops.iter().all(solid)
}
