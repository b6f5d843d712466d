rule! {
    /// # What it checks
    /// Passes when database file systems are mounted `noatime` or at least `relatime`.
    /// # Why it matters
    /// With strict access times each read of a file dirties its inode, and the journal writes it.
    /// # Evidence
    /// Mount options in `/proc/self/mountinfo`.
    /// # Remedy
    /// `mount -o remount,noatime`.
    /// # Source
    /// mount(8), options strictatime, relatime (default since Linux 2.6.30) and noatime.
    code: "mount-atime",
    title: "every read updates the access time",
    layer: Storage, severity: Info, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mounts = facts::mounts_of_data(run).filter(|mount| mount.nfs.is_none());
    mounts.map(|mount| judge(&run.host, mount)).collect()
}

fn judge(host: &Host, mount: &Mount) -> Outcome {
    if mount.options.is_empty() {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    if mount.option("noatime").is_some()
        || mount.option("relatime").is_some()
        || matches!(mount.fs_type.as_str(), "tmpfs" | "overlay")
    {
        return Outcome::Passes;
    }
    finding!(
        Kind::Mount.named(&mount.target),
        "{} keeps strict access times: every read dirties an inode",
        mount.target,
    )
    .evidence(mount.options.join(","), "/proc/self/mountinfo")
    .advice(remedy(host, mount).expecting("no writes on the device while only reads run"))
    .into()
}

/// ZFS keeps it as a property of the dataset, which a remount does not change.
fn remedy(host: &Host, mount: &Mount) -> Advice {
    const WHY: &str = "No database needs access times; with noatime reads cause no writes.";
    if mount.fs_type != "zfs" {
        return change_mount_option(host, WHY, mount, "strictatime", "noatime");
    }
    because(WHY)
        .run(sh!("zfs set atime=off {}", mount.source), "Takes effect immediately and is kept in the pool")
        .undo_run(sh!("zfs set atime=on {}", mount.source), "Keeps access times again")
}
