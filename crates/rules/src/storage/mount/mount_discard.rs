rule! {
    /// # What it checks
    /// Passes when database file systems are not mounted with online `discard`. One that holds no database's files does not
    /// count, such as the root of a cloud image.
    /// # Why it matters
    /// Each deletion sends discards in the middle of the database's I/O; some devices stall for them.
    /// # Evidence
    /// Mount option `discard`; `queue/discard_max_bytes`.
    /// # Remedy
    /// Remove the option, and let `fstrim.timer` discard once a week.
    /// # Source
    /// Linux Documentation/ABI/stable/sysfs-block, `discard_max_bytes` ("some devices exhibit large latencies when
    /// large discards are issued"); fstrim(8) (`-a`: all mounted file systems that can discard).
    code: "mount-discard",
    title: "deleted blocks are discarded one by one (mount option discard)",
    layer: Storage, severity: Info, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let on_disk = |mount: &&Mount| matches!(mount.fs_type.as_str(), "ext4" | "xfs" | "btrfs" | "f2fs");
    let data = facts::data_mounts(run);
    let of_data = |mount: &&Mount| data.contains(mount.target.as_str());
    facts::file_systems(&run.host)
        .filter(on_disk)
        .filter(of_data)
        .map(|mount| judge(&run.host, mount))
        .collect()
}

fn judge(host: &Host, mount: &Mount) -> Outcome {
    if mount.options.is_empty() {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    // btrfs' discard=async collects them, which is the remedy.
    if mount.option("discard").is_none_or(|value| value == "async") {
        return Outcome::Passes;
    }
    finding!(
        Kind::Mount.named(&mount.target),
        "{} is mounted with discard: each deletion is sent to the disk immediately",
        mount.target,
    )
    .evidence(mount.options.join(","), "/proc/self/mountinfo")
    .advice(
        once_a_week(
            host,
            change_mount_option(
                host,
                "A discard can hold the device up for milliseconds, just when a commit waits.",
                mount,
                "discard",
                "nodiscard",
            ),
        )
        .expecting("no discards among the reads and writes in `iostat -x` (d/s)"),
    )
    .into()
}

/// What discards in place of the option; a timer is systemd's.
fn once_a_week(host: &Host, advice: Advice) -> Advice {
    if host.os.systemd == Some(false) {
        return advice
            .persist("Discard once a week instead: `fstrim -a` in root's crontab")
            .undo("Remove the line from root's crontab, where it was not there before");
    }
    advice
        .persist_run("systemctl enable fstrim.timer", "Discards once a week instead")
        .persist_run("systemctl start fstrim.timer", "The same before the next boot")
        .undo_persist_run("systemctl stop fstrim.timer", "Discards no more, where it did not before")
        .undo_persist_run("systemctl disable fstrim.timer", "The same from the next boot on")
}
