rule! {
    /// # What it checks
    /// Passes when `queue/nomerges` is 0 on data disks.
    /// # Why it matters
    /// Adjacent buffered writes then go out one page at a time; only very high rates of random I/O gain by it.
    /// # Evidence
    /// `queue/nomerges`.
    /// # Remedy
    /// `echo 0 > /sys/block/X/queue/nomerges`.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, nomerges.
    code: "queue-nomerges",
    title: "request merging is off",
    layer: Storage, severity: Info, on: [Disk],
    check: |run| facts::data_disks(run).filter(|disk| disk.kind == "disk").map(judge).collect(),
}

fn judge(disk: &Disk) -> Outcome {
    match disk.queue.as_ref().and_then(|queue| queue.nomerges) {
        None => facts::unread(&format!("nomerges of {}", disk.name)),
        Some(0) => Outcome::Passes,
        Some(mode) => finding!(
            Kind::Disk.named(&disk.name),
            "{} does not merge requests (nomerges {mode}): sequential buffered I/O stays in small pieces",
            disk.name,
        )
        .measured(mode as f64, 0.0, Unit::Count)
        .evidence(format!("nomerges {mode}"), format!("/sys/block/{}/queue/nomerges", disk.name))
        .advice(
            set_disk_attribute(
                "Merging saves requests; its cost shows only above some 100,000 I/Os per second.",
                disk,
                "queue/nomerges",
                "0",
                Some(&mode.to_string()),
            )
            .expecting("larger mean requests for buffered writes (wareq-sz in `iostat -x`)"),
        )
        .into(),
    }
}
