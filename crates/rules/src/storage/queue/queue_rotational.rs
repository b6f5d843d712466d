rule! {
    /// # What it checks
    /// Passes when NVMe and virtual data disks do not claim to be rotational.
    /// # Why it matters
    /// The kernel and some databases then assume seeks: they sort, merge and plan for a disk that is not there.
    /// # Evidence
    /// `queue/rotational` and the transport.
    /// # Remedy
    /// `echo 0 > /sys/block/X/queue/rotational`, by a udev rule.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, rotational. The flag is often wrong on virtual disks: here
    /// only one that contradicts its transport is named.
    code: "queue-rotational",
    title: "a solid-state disk is marked as rotational",
    layer: Storage, severity: Info, on: [Disk],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let flash = |disk: &&Disk| {
        disk.kind == "disk"
            && (disk.nvme.is_some() || matches!(disk.transport.as_str(), "virtio" | "xen" | "pcie"))
    };
    facts::data_disks(run).filter(flash).map(judge).collect()
}

fn judge(disk: &Disk) -> Outcome {
    match disk.queue.as_ref().and_then(|queue| queue.rotational) {
        None => facts::unread(&format!("rotational of {}", disk.name)),
        Some(false) => Outcome::Passes,
        Some(true) => finding!(
            Kind::Disk.named(&disk.name),
            "{} ({}) is marked as rotational",
            disk.name,
            disk.transport,
        )
        .evidence("rotational 1", format!("/sys/block/{}/queue/rotational", disk.name))
        .advice(
            set_disk_attribute(
                "Schedulers, swap and databases use this flag.",
                disk,
                "queue/rotational",
                "0",
                Some("1"),
            )
            .expecting("no sorting delay before the device; small gain"),
        )
        .into(),
    }
}
