rule! {
    /// # What it checks
    /// Passes when no measured or database volume is the origin of a (non-thin) LVM snapshot.
    /// # Why it matters
    /// The first write to each chunk copies the old content to the snapshot first: a read and two writes for
    /// one.
    /// # Evidence
    /// The device-mapper table: target `snapshot-origin`.
    /// # Remedy
    /// Remove the snapshot when the backup has been taken (`lvremove`).
    /// # Source
    /// Linux Documentation/admin-guide/device-mapper/snapshot.rst (copy-on-write to the COW device before the
    /// origin changes).
    code: "lvm-snapshot",
    title: "a volume has an old-style (copy-on-write) snapshot",
    layer: Storage, severity: Warning, on: [Volume], limits: [WriteOverhead],
    check: |run| facts::data_disks(run).filter(|disk| disk.kind == "lvm").map(|disk| judge(run, disk)).collect(),
}

fn judge(run: &Run, disk: &Disk) -> Outcome {
    let Some(dm) = disk.dm.as_ref().filter(|dm| !dm.targets.is_empty()) else {
        return facts::unread(&format!("the device-mapper table of {}", disk.name));
    };
    if !dm.targets.iter().any(|target| target.kind == "snapshot-origin") {
        return Outcome::Passes;
    }
    finding!(
        Kind::Volume.named(&dm.name),
        "volume {} has an LVM snapshot: each first write to a chunk is copied before",
        dm.name,
    )
    .evidence("snapshot-origin", format!("device-mapper table of {}", disk.name))
    .explains(written(run, &disk.name))
    .because("Copy-on-write turns a write into a read and two writes.")
    .look("lvs -o lv_name,origin,data_percent", "Shows the snapshots")
    .now("`lvremove VG/SNAPSHOT` when the backup is done: what it preserves is lost")
    .persist("backup scripts that always remove their snapshot, also on errors; thin snapshots cost less")
    .expecting("writes at the speed of the plain volume")
    .into()
}

/// Writes of a target that is on the volume.
fn written(run: &Run, device: &str) -> Vec<Explanation> {
    let on = facts::targets(run).into_iter().filter(|target| target.stands_on(device));
    let writes = |step: &DiskStepResult| step.operation != Operation::Read;
    on.filter_map(|target| explain::steps(target.result, Mechanism::WriteOverhead, writes)).collect()
}
