rule! {
    /// # What it checks
    /// Passes when no ext3 or ext4 file system is mounted with `data=journal`.
    /// # Why it matters
    /// Each block goes to the journal first and to its place later: half the write rate, and direct I/O silently
    /// becomes buffered.
    /// # Evidence
    /// Mount options in `/proc/self/mountinfo`.
    /// # Remedy
    /// The default, `data=ordered`: it needs an unmount, and must not be left in the superblock (`tune2fs -o`).
    /// # Source
    /// ext4(5), data=; Linux Documentation/admin-guide/ext4.rst (data=journal disables delayed allocation and
    /// `O_DIRECT`); NetApp ontap-apps-dbs, oracle-host-config-linux.adoc.
    code: "mount-data-journal",
    title: "ext4 writes all data twice (data=journal)",
    layer: Storage, severity: Warning, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    facts::file_systems(&run.host)
        .filter(|mount| matches!(mount.fs_type.as_str(), "ext3" | "ext4"))
        .map(judge)
        .collect()
}

fn judge(mount: &Mount) -> Outcome {
    if mount.options.is_empty() {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    if mount.option("data") != Some("journal") {
        return Outcome::Passes;
    }
    finding!(Kind::Mount.named(&mount.target), "{} is mounted with data=journal: all data is written twice, and O_DIRECT is not in effect", mount.target)
        .evidence(mount.options.join(","), "/proc/self/mountinfo")
        .because("A database has its own journal; journaling data in the file system doubles every write and forces it through the page cache.")
        .now(format!("It cannot be remounted. Remove data=journal first (next step), then stop the database, `umount {0}` and `mount {0}`", as_word(&mount.target))).unmounts(&mount.target)
        .persist(format!("In the line of {} in /etc/fstab: remove data=journal; `tune2fs -o ^journal_data {}` where the superblock sets it", mount.target, as_word(&mount.source)))
        .undo(format!("Put data=journal back and mount {} again in the same way", mount.target)).unmounts(&mount.target)
        .expecting("sequential writes at twice the rate; device bytes over program bytes near 1")
        .into()
}
