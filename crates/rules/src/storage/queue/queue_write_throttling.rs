rule! {
    /// # What it checks
    /// Passes when `queue/wbt_lat_usec` is 0 on data disks of a database that writes through the page cache, as far as they are
    /// units of an array.
    /// # Why it matters
    /// The kernel lowers the depth of background writes whenever reads take longer than the target: checkpoints
    /// take longer.
    /// # Evidence
    /// `queue/wbt_lat_usec`.
    /// # Remedy
    /// `echo 0 > /sys/block/X/queue/wbt_lat_usec` if checkpoints are late; leave it if read latency matters
    /// more.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, `wbt_lat_usec`.
    code: "queue-write-throttling",
    title: "write-back throttling slows buffered writes",
    layer: Storage, severity: Info, on: [Disk],
    when: |run| facts::runs(&run.host, &["postgresql", "mysql", "mariadb"]),
    check: |run| facts::data_disks(run).filter(|disk| disk.kind == "disk").map(judge).collect(),
}

/// An array has its own cache and its own order; on a local disk the throttle keeps reads short during checkpoints.
fn is_of_array(disk: &Disk) -> bool {
    matches!(disk.transport.as_str(), "fc" | "iscsi" | "nvme-tcp" | "nvme-rdma" | "nvme-fc")
}

fn judge(disk: &Disk) -> Outcome {
    match disk.queue.as_ref().and_then(|queue| queue.wbt_lat_us) {
        None => facts::unread(&format!("wbt_lat_usec of {}", disk.name)),
        Some(0) => Outcome::Passes,
        Some(_) if !is_of_array(disk) => Outcome::Passes,
        Some(us) => finding!(
            Kind::Disk.named(&disk.name),
            "{} throttles buffered writes when reads take longer than {:.0} ms (wbt_lat_usec {us})", disk.name, us as f64 / 1e3,
        )
            .measured(us as f64 * 1e3, 0.0, Unit::Ns)
            .evidence(format!("wbt_lat_usec {us}"), format!("/sys/block/{}/queue/wbt_lat_usec", disk.name))
            .advice(
                set_disk_attribute("Checkpoints write in bulk; on an array with its own cache the throttle only makes them longer.", disk, "queue/wbt_lat_usec", "0", Some(&us.to_string()))
                    .expecting("shorter checkpoints; watch the p99 of reads during them"),
            )
            .into(),
    }
}
