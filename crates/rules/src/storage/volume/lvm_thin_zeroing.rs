rule! {
    /// # What it checks
    /// Applies to thin pools below data. Passes when the pool does not write zeros into each new chunk.
    /// # Why it matters
    /// The first write to a chunk writes the whole chunk with zeros before: files that grow, redo logs and temporary files
    /// that are created are slow.
    /// # Evidence
    /// The pool's device-mapper table (`skip_block_zeroing`).
    /// # Remedy
    /// `lvchange --zero n VG/POOL` where no one may read what former owners of the disk left; chunks that are written whole
    /// are not zeroed.
    /// # Source
    /// Linux Documentation/admin-guide/device-mapper/thin-provisioning.rst (`skip_block_zeroing`); lvmthin(7), "Zeroing".
    code: "lvm-thin-zeroing",
    title: "a thin pool writes zeros before the first write",
    layer: Storage, severity: Info, on: [Volume],
    check: |run| facts::data_disks(run).filter_map(judge).collect(),
}

fn judge(disk: &Disk) -> Option<Outcome> {
    let dm = disk.dm.as_ref()?;
    let pool = dm.targets.iter().find(|target| target.kind == "thin-pool")?;
    if pool.parameters.is_empty() {
        return Some(facts::unread(&format!("the table of {}", dm.name)));
    }
    if pool.parameters.split_whitespace().any(|word| word == "skip_block_zeroing") {
        return Some(Outcome::Passes);
    }
    // The map of the pool itself is VG-POOL-tpool.
    let name = dm.name.trim_end_matches("-tpool");
    let found = finding!(
        Kind::Volume.named(name),
        "thin pool {name} writes zeros into each chunk before its first use",
    )
    .evidence(format!("thin-pool {}", pool.parameters), format!("device-mapper table of {}", disk.name))
    .because("The first write to a chunk is two writes.")
    .now("lvchange --zero n VG/POOL: new chunks are not cleared")
    .needs("no one who may not see them can read what former owners of these disks left")
    .persist("it is kept in the volume group's metadata")
    .undo("lvchange --zero y VG/POOL")
    .expecting("faster first writes; preallocated files are as fast as before");
    Some(found.into())
}
