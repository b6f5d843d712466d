rule! {
    /// # What it checks
    /// Passes when the devices that file systems with data are on read ahead at least 1 MiB where PostgreSQL reads through
    /// the page cache, or MySQL with a flush method other than `O_DIRECT`, and read ahead at all elsewhere. Members of an
    /// array and paths of a map do not read ahead for the file system above.
    /// # Why it matters
    /// A buffered sequential read is sent in pieces of the read-ahead size, regardless of the size that the program reads: 128 KiB by
    /// default.
    /// # Evidence
    /// `queue/read_ahead_kb`.
    /// # Remedy
    /// `echo 4096 > /sys/block/X/queue/read_ahead_kb`.
    /// # Source
    /// tuned profile throughput-performance (readahead 4096); Linux Documentation/ABI/stable/sysfs-block,
    /// `read_ahead_kb`; fs/super.c and mm/readahead.c (a file system has the `ra_pages` of its own device's
    /// `backing_dev_info`); MySQL Reference Manual, `innodb_flush_method`. Founding figure: 256 sectors per request by the file system, whatever the request size.
    code: "queue-read-ahead",
    title: "read-ahead is small for buffered scans",
    layer: Storage, severity: Warning, on: [Disk],

    /// Read-ahead that a sequential scan through the page cache needs to fill a link (own choice).
    const LEAST_BYTES: u64 = 1 << 20;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let data = facts::data_mounts(run);
    let buffered: BTreeSet<&str> = data.iter().copied().filter(|mount| is_buffered(run, mount)).collect();
    let mut judged: BTreeMap<&str, (&Disk, bool)> = BTreeMap::new();
    for mount in host.mounts.iter().filter(|mount| data.contains(mount.target.as_str())) {
        // A file system reads ahead by the device that it is on: what is below has no say. A partition has its disk's.
        let Some(top) = host.disk_by_number(&mount.number) else { continue };
        let Some(disk) = host.disk(top.parent().unwrap_or(&top.name)) else { continue };
        judged.entry(&disk.name).or_insert((disk, false)).1 |= buffered.contains(mount.target.as_str());
    }
    judged.into_values().filter_map(|(disk, buffers)| judge(disk, buffers)).collect()
}

/// A database reads files of the mount through the page cache; one whose files are not known, those of any.
fn is_buffered(run: &Run, target: &str) -> bool {
    let host = &run.host;
    let on_it = |database: &Database| {
        let mut places = database.locations.keys().filter_map(|place| host.mount_of(place));
        database.locations.is_empty() || places.any(|mount| mount.target == target)
    };
    host.databases.iter().any(|database| reads_buffered(database) && on_it(database))
}

/// PostgreSQL always; InnoDB by its flush method (unset it depends on the version, and nothing is claimed).
fn reads_buffered(database: &Database) -> bool {
    let method = || database.settings.get("innodb_flush_method").map(|value| value.to_ascii_lowercase());
    match database.kind.as_str() {
        "postgresql" => true,
        "mysql" | "mariadb" => method().is_some_and(|value| !value.starts_with("o_direct")),
        _ => false,
    }
}

/// A short read-ahead concerns who reads through the page cache; none at all concerns everyone: backups, redo
/// shipping and restores read files, too.
fn judge(disk: &Disk, buffers: bool) -> Option<Outcome> {
    let outcome = match disk.queue.as_ref().and_then(|queue| queue.read_ahead_bytes) {
        None if !buffers => return None,
        None => facts::unread(&format!("read_ahead_kb of {}", disk.name)),
        Some(0) => none_at_all(disk),
        Some(_) if !buffers => return None,
        Some(bytes) if bytes >= LEAST_BYTES => Outcome::Passes,
        Some(bytes) => finding!(
            Kind::Disk.named(&disk.name),
            "{} reads ahead {}: buffered scans go out in requests no larger than that", disk.name, facts::size(bytes),
        )
            .severity(Severity::Info)
            .measured(bytes as f64, LEAST_BYTES as f64, Unit::Bytes)
            .evidence(format!("read_ahead_kb {}", bytes >> 10), format!("/sys/block/{}/queue/read_ahead_kb", disk.name))
            .advice(
                set_disk_attribute("The longer the read-ahead, the faster a scan through the page cache (no effect on direct I/O).", disk, "queue/read_ahead_kb", "4096", Some(&(bytes >> 10).to_string()))
                    .expecting("sequential scans nearer to the link's rate; index reads unchanged"),
            )
            .into(),
    };
    Some(outcome)
}

fn none_at_all(disk: &Disk) -> Outcome {
    let name = &disk.name;
    finding!(
        Kind::Disk.named(name),
        "{name} reads nothing ahead (read_ahead_kb 0): buffered scans, backups and copies wait for each page"
    )
    .severity(Severity::Warning)
    .measured(0.0, LEAST_BYTES as f64, Unit::Bytes)
    .evidence("read_ahead_kb 0", format!("/sys/block/{name}/queue/read_ahead_kb"))
    .advice(
        set_disk_attribute(
            "Without read-ahead one reader has one page in flight.",
            disk,
            "queue/read_ahead_kb",
            "4096",
            Some("0"),
        )
        .expecting("sequential buffered reads many times as fast; direct I/O unchanged"),
    )
    .into()
}
