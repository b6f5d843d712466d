rule! {
    /// # What it checks
    /// Passes when no ZFS file system with a database's files has `sync=disabled`.
    /// # Why it matters
    /// fsync returns at once and nothing is on the disks: a crash of the host takes back the last seconds of commits that the
    /// database has confirmed, and a standby is then ahead of its primary.
    /// # Evidence
    /// The property `sync` as listed by `zfs get`.
    /// # Remedy
    /// `zfs set sync=standard`; a fast log device where commits are then too slow.
    /// # Source
    /// `OpenZFS`, zfsprops(7), `sync` ("it is very dangerous as ZFS would be ignoring the synchronous transaction demands of
    /// applications such as databases").
    code: "zfs-sync-disabled",
    title: "ZFS does not wait for the disks (sync=disabled)",
    layer: Storage, severity: Critical, on: [Dataset],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let data = facts::known_data_mounts(run);
    let mounts =
        host.mounts.iter().filter(|mount| mount.fs_type == "zfs" && data.contains(mount.target.as_str()));
    let judged = |mount: &Mount| match host.zfs_dataset_of(mount) {
        Some(dataset) => judge(dataset),
        None => facts::unread(&format!("`sync` of {}", mount.source)),
    };
    mounts.map(judged).collect()
}

fn judge(dataset: &ZfsDataset) -> Outcome {
    if dataset.sync != "disabled" {
        return Outcome::Passes;
    }
    finding!(Kind::Dataset.named(&dataset.name), "{} has sync=disabled: a crash of the host loses commits that were confirmed", dataset.name)
        .evidence("sync disabled", &dataset.source)
        .because("fsync returns before anything is on a disk.")
        .run(sh!("zfs set sync=standard {}", dataset.name), "Makes each fsync wait for the disks again; it is kept")
        .undo_run(sh!("zfs set sync=disabled {}", dataset.name), "Takes it back")
        .persist("If commits are then too slow: a log device with power-loss protection (`zpool add POOL log mirror DISK DISK`)")
        .expecting("a commit takes as long as a write of the log device")
        .into()
}
