rule! {
    /// # What it checks
    /// Passes when `alignment_offset` of whole disks, maps and arrays is 0.
    /// # Why it matters
    /// The device's logical blocks are shifted against its physical ones (an emulated 512-byte disk with an
    /// offset, a LUN of the wrong type): even aligned partitions are not aligned.
    /// # Evidence
    /// `/sys/block/X/alignment_offset`.
    /// # Remedy
    /// Create the LUN with the right host type, or shift the start of its contents by the offset.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, `alignment_offset`; NetApp ontap-apps-dbs, lun-alignment.adoc
    /// (LUN type).
    code: "alignment-offset",
    title: "a device reports that it is misaligned to its physical blocks",
    layer: Storage, severity: Warning, on: [Disk],
}

fn check(run: &Facts) -> Vec<Outcome> {
    run.host.disks.iter().filter(|disk| disk.partition.is_none() && disk.queue.is_some()).map(judge).collect()
}

fn judge(disk: &Disk) -> Outcome {
    match disk.queue.as_ref().and_then(|queue| queue.alignment_offset_bytes) {
        None => facts::unread(&format!("alignment_offset of {}", disk.name)),
        Some(0) => Outcome::Passes,
        Some(offset) => finding!(
            Kind::Disk.named(&disk.name),
            "{} has an alignment offset of {offset} bytes: a file system that starts at its beginning is misaligned",
            disk.name,
        )
            .measured(offset as f64, 0.0, Unit::Bytes)
            .evidence(
                format!("alignment_offset {offset}"),
                format!("/sys/block/{}/alignment_offset", disk.name),
            )
            .because("Every block of the file system straddles two physical blocks.")
            .now("check the LUN's host type (operating-system type) on the array: linux")
            .persist("recreate the LUN with the right type and copy the data")
            .expecting("alignment_offset 0")
            .into(),
    }
}
