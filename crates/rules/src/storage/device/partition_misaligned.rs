rule! {
    /// # What it checks
    /// Passes when each partition begins at a multiple of 4 KiB, and of the disk's physical block size.
    /// # Why it matters
    /// Blocks straddle physical sectors: an 8 KiB write then touches three of 4 KiB, the outer two by reading,
    /// changing and writing back.
    /// # Evidence
    /// `start` of the partition, `queue/physical_block_size` and `alignment_offset`.
    /// # Remedy
    /// Create the partition again at a multiple of 1 MiB (sector 2048) and restore the data.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, `alignment_offset`; NetApp ontap-apps-dbs, lun-alignment.adoc
    /// (start sector a multiple of 8); parted(8), align-check.
    code: "partition-misaligned",
    title: "a partition does not start on a physical block",
    layer: Storage, severity: Critical, on: [Disk],

    /// A page; devices that report 512 bytes often work in 4096.
    const LEAST_BYTES: u64 = 4096;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_devices(run);
    run.host
        .disks
        .iter()
        .filter_map(|disk| Some(judge(disk, disk.partition.as_ref()?, data.contains(disk.name.as_str()))))
        .collect()
}

fn judge(disk: &Disk, partition: &Partition, is_data: bool) -> Outcome {
    // A container of logical partitions, or a boot loader's own: no one does I/O there.
    if disk.size_bytes < 2 << 20 {
        return Outcome::Passes;
    }
    if partition.start_bytes == 0 {
        return facts::unread(&format!("the start of {}", disk.name));
    }
    let queue = disk.queue.as_ref();
    let physical = queue.and_then(|queue| queue.physical_block_bytes).unwrap_or(0);
    // Powers of two only: some devices claim odd sizes.
    let unit = if physical.is_power_of_two() { LEAST_BYTES.max(physical) } else { LEAST_BYTES };
    let offset = partition.start_bytes % unit;
    let severity = match (physical > 512, is_data) {
        (true, _) => Severity::Critical,
        (false, true) => Severity::Warning,
        (false, false) => Severity::Info,
    };
    if offset == 0 { Outcome::Passes } else { fires(disk, partition, unit, severity) }
}

fn fires(disk: &Disk, partition: &Partition, unit: u64, severity: Severity) -> Outcome {
    let (start, offset) = (partition.start_bytes / 512, partition.start_bytes % unit);
    let next = partition.start_bytes.checked_next_multiple_of(1 << 20).unwrap_or(partition.start_bytes) / 512;
    let name = &disk.name;
    finding!(
        Kind::Disk.named(name),
        "partition {name} is misaligned: it begins at sector {start}, {offset} bytes off the {unit}-byte block of {}; it must begin at a multiple of {} sectors, best {next}", partition.disk, unit / 512,
    )
    .severity(severity)
    .measured(offset as f64, 0.0, Unit::Bytes)
    .evidence(format!("start {start}"), format!("/sys/block/{}/{name}/start", partition.disk))
    .evidence(format!("physical_block_size {unit}"), format!("/sys/block/{}/queue/physical_block_size", partition.disk))
    .because("Each database block touches one more physical block than necessary, and writes turn into read-modify-write.")
    .look(sh!("parted {} align-check optimal {}", format!("/dev/{}", partition.disk), partition.number), "Checks the alignment")
    .now(format!("This cannot be done in place: back up the data, delete the partition, `parted /dev/{} mkpart primary {next}s 100%`, restore", as_word(&partition.disk), next = as_word(next))).unmounts(&partition.disk)
    .persist("partition by parted or fdisk from the last ten years (1 MiB boundaries), or use the whole disk for LVM")
    .expecting("random 8 KiB writes cause no extra reads; align-check reports aligned")
    .into()
}
