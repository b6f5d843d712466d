rule! {
    /// # What it checks
    /// Passes when the measured directory is not on tmpfs, ramfs, or a disk made of memory (ram, zram).
    /// # Why it matters
    /// Even `O_DIRECT` is answered from memory there: nothing that comes out is about storage.
    /// # Evidence
    /// File-system type and device of the target.
    /// # Remedy
    /// Name a directory on the file system that the database uses (`--path`).
    /// # Source
    /// Linux mm/shmem.c (`FMODE_CAN_ODIRECT` on tmpfs); tmpfs(5).
    code: "target-in-memory",
    title: "the measured target is in memory, not on a disk",
    layer: Storage, severity: Warning, on: [Target],
    check: |run| run.disk.iter().map(|result| judge(run, result)).collect(),
}

fn judge(run: &Run, result: &DiskResult) -> Outcome {
    let mount = run.host.mounts.iter().find(|mount| mount.target == result.mount_point);
    let fs = if result.file_system.is_empty() {
        mount.map_or("", |mount| mount.fs_type.as_str())
    } else {
        result.file_system.as_str()
    };
    let told = result.caveats.iter().find(|caveat| caveat.kind == "memory-file-system");
    let disk = run.host.disk(&result.device).filter(|disk| matches!(disk.kind.as_str(), "ram" | "zram"));
    let what = match (fs, disk) {
        ("tmpfs" | "ramfs" | "rootfs", _) => fs,
        (_, Some(disk)) => disk.kind.as_str(),
        _ if told.is_some() => "a memory file system",
        ("", None) if result.device.is_empty() => {
            return facts::unread(&format!("the file system of {}", result.target));
        }
        _ => return Outcome::Passes,
    };
    finding!(
        Kind::Target.named(&result.target),
        "{} is on {what}: memory was measured, not a disk; the figure is not used for the verdict",
        result.target,
    )
    .path(&result.target)
    .evidence(format!("{} {what}", result.mount_point), "/proc/self/mountinfo")
    .because("A file system in memory has no device below that could be judged.")
    .now("`df --output=target,fstype,source DIR` shows where a directory is; measure that of the database: `fullwire disk DIR`")
    .persist("give the database's directory in `fullwire assess --path`")
    .expecting("figures of the device, with its layers")
    .into()
}
