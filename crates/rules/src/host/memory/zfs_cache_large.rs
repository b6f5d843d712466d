rule! {
    /// # What it checks
    /// Passes when the read cache of ZFS (ARC) at its largest fits into memory together with reserved huge pages and
    /// the databases' shared memory.
    /// # Why it matters
    /// The ARC is no page cache: it gives memory back slowly. A database that grows meanwhile is swapped out or killed.
    /// # Evidence
    /// `c_max` of `/proc/spl/kstat/zfs/arcstats`, huge pages, shared memory of the databases, `MemTotal`,
    /// `MemAvailable`.
    /// # Remedy
    /// `zfs_arc_max` so that all fit, with a tenth of memory to spare.
    /// # Source
    /// `OpenZFS`, "Workload Tuning" (databases) and module parameter `zfs_arc_max`, which its documentation has people keep in
    /// `/etc/modprobe.d/zfs.conf`.
    code: "zfs-cache-large",
    title: "the ZFS cache and the database do not fit into memory together",
    layer: Host, severity: Warning, on: [Memory],

    /// Programs, sessions and the kernel need the rest.
    const MOST_PERCENT: u64 = 90;
    /// With this share available, memory is not short yet.
    const AMPLE: f64 = 0.1;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(cache) = run.host.zfs_cache.as_ref().filter(|_| facts::is_database_host(run)) else {
        return if run.host.mounts.iter().any(|mount| mount.fs_type == "zfs") && facts::is_database_host(run) {
            vec![facts::unread("the size of the ZFS cache (arcstats)")]
        } else {
            Vec::new()
        };
    };
    let memory = &run.host.memory;
    let Some(total) = memory.total_bytes else { return vec![facts::unread("MemTotal")] };
    let shared = shared_bytes(run);
    let wanted = cache.max_bytes.saturating_add(shared);
    if wanted <= total / 100 * MOST_PERCENT {
        return vec![Outcome::Passes];
    }
    let short = memory.available_bytes.is_some_and(|bytes| (bytes as f64) < AMPLE * total as f64);
    let fits = total / 100 * MOST_PERCENT;
    let advised = fits.saturating_sub(shared).max(1 << 30);
    let before = cache.max_bytes;
    let of_root = run.host.mounts.iter().any(|mount| mount.target == "/" && mount.fs_type == "zfs");
    vec![
        finding!(
            Kind::Memory.named("ZFS cache"),
            "the ZFS cache may take {} and the databases use {}, but the host has {} of memory",
            facts::size(cache.max_bytes),
            facts::size(shared),
            facts::size(total),
        )
        .severity(if short { Severity::Warning } else { Severity::Info })
        .measured(wanted as f64, fits as f64, Unit::Bytes)
        .evidence(
            format!(
                "c_max {}, size {} now, shared memory of databases {shared}, MemAvailable {} bytes",
                cache.max_bytes,
                cache.size_bytes,
                memory.available_bytes.unwrap_or(0)
            ),
            "/proc/spl/kstat/zfs/arcstats, /proc/meminfo",
        )
        .because("The cache gives memory back more slowly than a database takes it.")
        .run(
            sh!("echo {} > /sys/module/zfs/parameters/zfs_arc_max", advised),
            "Lets the cache shrink to what fits",
        )
        .and(keep_module_options(&run.host, "zfs", &[("zfs_arc_max", advised.to_string())], of_root))
        .undo_run(sh!("echo {} > /sys/module/zfs/parameters/zfs_arc_max", before), "Sets the former limit")
        .expecting("`c_max` of arcstats at the new value, MemAvailable above a tenth of memory")
        .into(),
    ]
}

/// Reserved huge pages hold shared memory as well: the larger of both counts.
fn shared_bytes(run: &Run) -> u64 {
    let memory = &run.host.memory;
    let pages = memory.huge_pages_total.unwrap_or(0).saturating_mul(memory.huge_page_bytes.unwrap_or(0));
    let of_databases =
        facts::database_instances(&run.host).filter_map(|database| database.shared_memory_bytes);
    pages.max(of_databases.fold(0, u64::saturating_add))
}
