use crate::advice::condition::NO_CLUSTER_MOUNTS;

rule! {
    /// # What it checks
    /// Passes when each line of `/etc/fstab` without `noauto` is mounted at its mount point.
    /// # Why it matters
    /// The database starts into the empty directory below, or not at all, and what is written there fills the
    /// wrong disk.
    /// # Evidence
    /// `/etc/fstab` and the mounts.
    /// # Remedy
    /// `mount MOUNTPOINT` and read its message; use `nofail` if it may be missing.
    /// # Source
    /// fstab(5) (noauto, nofail); systemd.mount(5), x-systemd options.
    code: "fstab-not-mounted",
    title: "a file system in fstab is not mounted",
    layer: Storage, severity: Warning, on: [Mount],
}

/// Mounted when someone steps in, or by another service.
const LATER: [&str; 3] = ["noauto", "x-systemd.automount", "nofail"];

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let Some(fstab) = host.fstab.as_ref().filter(|_| !host.mounts.is_empty()) else {
        return vec![facts::unread("/etc/fstab or the mounts")];
    };
    let missing: Vec<Outcome> =
        fstab.iter().filter(|entry| is_due(entry) && !is_mounted(host, entry)).map(fires).collect();
    if missing.is_empty() { vec![Outcome::Passes] } else { missing }
}

fn is_due(entry: &FstabEntry) -> bool {
    let file_system =
        !matches!(entry.fs_type.as_str(), "swap" | "none" | "ignore") && entry.target.starts_with('/');
    file_system && LATER.iter().all(|name| entry.option(name).is_none())
}

fn is_mounted(host: &Host, entry: &FstabEntry) -> bool {
    host.mounts.iter().any(|mount| mount.target == entry.target)
}

fn fires(entry: &FstabEntry) -> Outcome {
    let (target, source, line) = (&entry.target, &entry.source, entry.line);
    finding!(Kind::Mount.named(target), "{target} ({source}) is in /etc/fstab but not mounted")
        .evidence(
            format!("{source} {target} {} {}", entry.fs_type, entry.options.join(",")),
            format!("/etc/fstab:{line}"),
        )
        .because("Anything written to the directory now ends up on the parent file system.")
        .run(sh!("mount {}", target), "Mounts it, or reports what is wrong")
        .check(
            sh!("find {} -maxdepth 0 -empty | grep -q .", target),
            format!("{target} is empty: the mount hides files that were written there since"),
        )
        .given(NO_CLUSTER_MOUNTS)
        .persist("Correct the line, or add nofail or noauto where it may be missing")
        .undo_run(sh!("umount {}", target), "Unmounts it again")
        .expecting(format!("{target} in /proc/mounts, after a reboot too"))
        .into()
}
