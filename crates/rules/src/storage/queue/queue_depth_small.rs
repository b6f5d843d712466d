rule! {
    /// # What it checks
    /// Passes when `queue_depth` of each SCSI disk is at least 16, and more than 1 in any case; `nr_requests` is at
    /// least 32.
    /// # Why it matters
    /// No more requests than that can be at the disk at a time: one request of 0.5 ms is 2,000 I/Os per second from an
    /// array that could do a hundred times that.
    /// # Evidence
    /// `device/queue_depth`, `queue/nr_requests`; what the adapter takes (`can_queue`).
    /// # Remedy
    /// The vendor's depth for the array (32 is usual), by a udev rule or the driver's parameter.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, `queue/nr_requests`; `drivers/scsi/scsi_sysfs.c`, `queue_depth`;
    /// open-iscsi iscsid.conf (`node.session.queue_depth` 32); Little's law (rate is depth over latency).
    code: "queue-depth-small",
    title: "a disk accepts few requests at a time",
    layer: Storage, severity: Warning, on: [Disk],

    /// The usual default of adapters (lpfc 30, qla2xxx and open-iscsi 32).
    const USUAL_DEPTH: u64 = 32;
    /// The most that command queueing of SATA has: one of the 32 tags is kept for errors (libata).
    const SATA_DEPTH: u64 = 31;
    /// Half the usual depth, so it was set on purpose.
    const SMALL_DEPTH: u64 = 16;
    /// Fewer than the usual depth of the device below.
    const SMALL_REQUESTS: u64 = 32;
}

fn check(run: &Facts) -> Vec<Outcome> {
    // Of files that someone pasted no size is known; of a host's disks one without a size has no medium.
    let unread = run.host.disks.iter().all(|disk| disk.size_bytes == 0);
    let in_use = |disk: &&Disk| (disk.size_bytes > 0 || unread) && disk.removable != Some(true);
    facts::whole_disks(&run.host).filter(in_use).filter_map(judge).collect()
}

fn judge(disk: &Disk) -> Option<Outcome> {
    let depth = disk.scsi.as_ref().and_then(|scsi| scsi.queue_depth);
    let requests = disk.queue.as_ref().and_then(|queue| queue.nr_requests);
    if depth.is_none() && requests.is_none() {
        return disk.scsi.is_some().then(|| facts::unread(&format!("the queue depth of {}", disk.name)));
    }
    // An adapter that takes one command at a time (an optical drive, an old controller) cannot be helped.
    let able = disk.scsi.as_ref().and_then(|scsi| scsi.host_can_queue).is_none_or(|most| most >= SMALL_DEPTH);
    Some(match (depth, requests) {
        // A SATA disk without command queueing (a DOM, an old disk) has 1, and refuses more.
        (Some(1), _) if is_sata(disk) => Outcome::Passes,
        (Some(depth), _) if depth < SMALL_DEPTH && able => {
            let most = if is_sata(disk) { SATA_DEPTH } else { USUAL_DEPTH };
            fires(disk, "device/queue_depth", depth, most)
        }
        // Of NVMe it is the depth of each of many queues: 31 is what a cloud's volume has.
        (_, Some(requests)) if disk.name.starts_with("nvme") && requests >= SMALL_DEPTH - 1 => {
            Outcome::Passes
        }
        (_, Some(requests)) if requests < SMALL_REQUESTS && able => {
            fires(disk, "queue/nr_requests", requests, 256)
        }
        _ => Outcome::Passes,
    })
}

fn is_sata(disk: &Disk) -> bool {
    const DRIVERS: [&str; 4] = ["ahci", "ata_piix", "sata_nv", "sata_sil24"];
    disk.transport == "sata"
        || disk.scsi.as_ref().is_some_and(|scsi| DRIVERS.contains(&scsi.host_driver.as_str()))
}

fn fires(disk: &Disk, file: &str, now: u64, wanted: u64) -> Outcome {
    let name = &disk.name;
    finding!(
        Kind::Disk.named(name),
        "{name} accepts {now} requests at a time ({file}): further requests wait in the host",
    )
    .severity(if now <= 4 { Severity::Warning } else { Severity::Info })
    .measured(now as f64, wanted as f64, Unit::Count)
    .evidence(format!("{file} {now}"), format!("/sys/block/{name}/{file}"))
    .advice(
        set_disk_attribute(
            "An array or flash disk works on many requests in parallel; one at a time leaves it mostly idle.",
            disk,
            file,
            &wanted.to_string(),
            Some(&now.to_string()),
        )
        .expecting(
            "more I/Os per second at a depth above the old one; `fullwire disk --sweep depth` proves it",
        ),
    )
    .into()
}
