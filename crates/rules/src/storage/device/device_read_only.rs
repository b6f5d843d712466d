rule! {
    /// # What it checks
    /// Passes when no device below a measured or database mount is read-only.
    /// # Why it matters
    /// The array presents the unit read-only (a replication target, a snapshot), or the kernel set it so after
    /// an error: writes fail.
    /// # Evidence
    /// `/sys/block/X/ro`.
    /// # Remedy
    /// Present the unit read-write on the array, rescan it; `blockdev --setrw`.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, ro; blockdev(8), --setrw.
    code: "device-read-only",
    title: "a disk under a writable mount is write-protected",
    layer: Storage, severity: Warning, on: [Disk],
    check: |run| facts::data_disks(run).map(judge).collect(),
}

fn judge(disk: &Disk) -> Outcome {
    match disk.read_only {
        None => facts::unread(&format!("whether {} is read-only", disk.name)),
        Some(false) => Outcome::Passes,
        Some(true) => finding!(Kind::Disk.named(&disk.name), "{} is read-only", disk.name)
            .evidence("ro 1", format!("/sys/block/{}/ro", disk.name))
            .because("A database cannot write to it.")
            .run(sh!("blockdev --setrw {}", format!("/dev/{}", disk.name)), "Clears the flag on this host")
            .needs(
                "the array allows writing, and no other host or cluster keeps the unit read-only on purpose",
            )
            .persist("Present the unit read-write on the array")
            .undo_run(sh!("blockdev --setro {}", format!("/dev/{}", disk.name)), "Sets the flag again")
            .expecting("ro 0")
            .into(),
    }
}
