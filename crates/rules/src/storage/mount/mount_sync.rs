rule! {
    /// # What it checks
    /// Passes when no local file system is mounted with `sync` or `dirsync`.
    /// # Why it matters
    /// Every buffered write then waits for the disk, large or small: a log file, a trace, an export crawls. A
    /// database's own `O_DIRECT` or `O_DSYNC` writes gain nothing from it.
    /// # Evidence
    /// Options in `/proc/self/mountinfo`.
    /// # Remedy
    /// `mount -o remount,async`, and take `sync` out of the fstab.
    /// # Source
    /// mount(8), options sync and dirsync ("all I/O to the filesystem should be done synchronously").
    code: "mount-sync",
    title: "a file system is mounted with the option sync",
    layer: Storage, severity: Warning, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let on_disk = |mount: &&Mount| {
        matches!(mount.fs_type.as_str(), "ext2" | "ext3" | "ext4" | "xfs" | "btrfs" | "jfs" | "f2fs")
    };
    facts::file_systems(&run.host).filter(on_disk).map(|mount| judge(&run.host, mount)).collect()
}

fn judge(host: &Host, mount: &Mount) -> Outcome {
    if mount.options.is_empty() {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    let Some(option) = ["sync", "dirsync"].into_iter().find(|option| mount.option(option).is_some()) else {
        return Outcome::Passes;
    };
    finding!(
        Kind::Mount.named(&mount.target),
        "{} is mounted with the option {option}: each write waits for the disk",
        mount.target,
    )
    .evidence(
        format!("{} {} {}", mount.target, mount.fs_type, mount.options.join(",")),
        "/proc/self/mountinfo",
    )
    .advice(
        change_mount_option(
            host,
            "A synchronous mount turns each write(2) into a separate I/O.",
            mount,
            option,
            "async",
        )
        .expecting("buffered writes run at memory speed until the cache is full"),
    )
    .into()
}
