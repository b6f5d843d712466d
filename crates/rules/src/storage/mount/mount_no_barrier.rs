rule! {
    /// # What it checks
    /// Passes when no journalling file system is mounted with `nobarrier` or `barrier=0`. A warning where nothing tells whether
    /// the disk has a write-back cache, and a note where it has none.
    /// # Why it matters
    /// After a power cut the journal and the database's log may be older than the pages they protect: silent
    /// corruption.
    /// # Evidence
    /// Mount options; `queue/write_cache` of the devices below.
    /// # Remedy
    /// Remount with `barrier`; on a protected cache the flush costs nothing anyway.
    /// # Source
    /// ext4(5), barrier; Linux `Documentation/block/writeback_cache_control.rst`; NetApp ontap-apps-dbs,
    /// oracle-host-config-linux.adoc (use the default mount options).
    code: "mount-no-barrier",
    title: "write barriers are off over a volatile write cache",
    layer: Storage, severity: Critical, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let journals =
        |mount: &&Mount| matches!(mount.fs_type.as_str(), "ext3" | "ext4" | "xfs" | "btrfs" | "reiserfs");
    facts::file_systems(&run.host).filter(journals).map(|mount| judge(&run.host, mount)).collect()
}

fn judge(host: &Host, mount: &Mount) -> Outcome {
    if mount.options.is_empty() {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    let [off, on] = match (mount.option("nobarrier"), mount.option("barrier")) {
        (Some(_), _) => ["nobarrier", "barrier"],
        (None, Some("0")) => ["barrier=0", "barrier=1"],
        _ => return Outcome::Passes,
    };
    let stack = host.disk_by_number(&mount.number).map(|disk| host.stack(&disk.name)).unwrap_or_default();
    let caches: Vec<_> =
        stack.iter().filter_map(|disk| Some((disk, disk.queue.as_ref()?.write_cache.as_deref()?))).collect();
    let volatile = caches.iter().find(|(_, cache)| *cache == "write back");
    // A partition has its disk's queue, and no such file of its own.
    let whole = |disk: &Disk| disk.partition.as_ref().map_or(disk.name.clone(), |part| part.disk.clone());
    let name = volatile.or(caches.first()).map_or("*".to_owned(), |(disk, _)| whole(disk));
    let (severity, below) = match (volatile, caches.is_empty()) {
        (Some(_), _) => (Severity::Critical, format!("{name} has a write back cache")),
        (None, true) => {
            (Severity::Warning, "whether a cache below it survives a power cut is not known".into())
        }
        (None, false) => (Severity::Info, format!("{name} has a write through cache")),
    };
    finding!(
        Kind::Mount.named(&mount.target),
        "{} is mounted with write barriers off ({off}), and {below}",
        mount.target,
    )
    .severity(severity)
    .evidence(mount.options.join(","), "/proc/self/mountinfo")
    .evidence(below, format!("/sys/block/{name}/queue/write_cache"))
    .advice(
        change_mount_option(
            host,
            "Without barriers the disk may write commit and data in any order.",
            mount,
            off,
            on,
        )
        .expecting("the journal survives a power cut; a protected cache completes the flush immediately"),
    )
    .into()
}
