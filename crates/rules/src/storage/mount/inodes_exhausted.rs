rule! {
    /// # What it checks
    /// Passes when no file system with a fixed number of inodes has used more than 90 % of them.
    /// # Why it matters
    /// A file can then not be created although there is space: archived logs and traces fail with "No space left
    /// on device".
    /// # Evidence
    /// statfs of each mount: inodes and free inodes.
    /// # Remedy
    /// Remove the many small files (traces, audit files); a new file system with more inodes (`mkfs.ext4 -i`).
    /// # Source
    /// statfs(2), `f_files` and `f_ffree`; mkfs.ext4(8), -i bytes-per-inode; Netdata health.d/disks.conf (inode
    /// usage 90 and 98 %).
    code: "inodes-exhausted",
    title: "a file system is nearly out of inodes",
    layer: Storage, severity: Warning, on: [Mount],

    /// Of the inodes (own choice).
    const NEARLY: f64 = 0.90;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let fixed = |mount: &&Mount| matches!(mount.fs_type.as_str(), "ext2" | "ext3" | "ext4" | "xfs");
    facts::file_systems(&run.host).filter(fixed).map(judge).collect()
}

fn judge(mount: &Mount) -> Outcome {
    let Some(space) = mount.space.as_ref().filter(|space| space.inodes > 0) else {
        return facts::unread(&format!("the inodes of {}", mount.target));
    };
    let used = space.inodes.saturating_sub(space.inodes_free) as f64 / space.inodes as f64;
    if used < NEARLY {
        return Outcome::Passes;
    }
    finding!(
        Kind::Mount.named(&mount.target),
        "{} has used {} of its inodes: {} are left",
        mount.target,
        facts::percent(used),
        space.inodes_free,
    )
    .measured(used, NEARLY, Unit::Ratio)
    .evidence(
        format!("inodes {}, free {}", space.inodes, space.inodes_free),
        format!("statfs {}", mount.target),
    )
    .because("Without a free inode no file can be created, however much space is free.")
    .look(
        sh!("find {} -xdev -type f | cut -d/ -f1-5 | sort | uniq -c | sort -n | tail", mount.target),
        "Shows where the files are",
    )
    .persist("purge traces and audit files by a timer (adrci purge, logrotate)")
    .expecting("less than 90 % in `df -i`")
    .into()
}
