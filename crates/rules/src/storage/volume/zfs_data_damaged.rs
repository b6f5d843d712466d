rule! {
    /// # What it checks
    /// Passes when no ZFS pool names files with errors that it could not repair.
    /// # Why it matters
    /// The data of these files is lost: no copy of a block matched its checksum. A database finds it when it reads the page,
    /// perhaps weeks later, and by then the good backups may be gone.
    /// # Evidence
    /// `zpool status -v`, "Permanent errors".
    /// # Remedy
    /// Restore the files, then `zpool clear` and `zpool scrub`.
    /// # Source
    /// `OpenZFS`, zpool-status(8), message ZFS-8000-8A.
    code: "zfs-data-damaged",
    title: "files of a ZFS pool are damaged",
    layer: Storage, severity: Critical, on: [Pool],
    check: |run| super::each_pool(run, "errors of the ZFS pools", |pool| Some(judge(pool))),
}

fn judge(pool: &ZfsPool) -> Outcome {
    if pool.damaged_files.is_empty() {
        return Outcome::Passes;
    }
    if pool.state == "SUSPENDED" {
        // What was never written is listed too; it is known once the devices are back.
        return facts::unread(&format!("errors of ZFS pool {}, which is suspended,", pool.name));
    }
    let files = facts::listed(&pool.damaged_files);
    finding!(Kind::Pool.named(&pool.name), "ZFS pool {} could not repair {files}", pool.name)
        .measured(pool.damaged_files.len() as f64, 0.0, Unit::Count)
        .evidence(format!("Permanent errors: {files}"), &pool.source)
        .because("No copy of these blocks matches its checksum.")
        .look(sh!("zpool status -v {}", pool.name), "Names the files and the devices with errors")
        .now("Restore the files, of a database its tablespace or the whole server, from a backup that was taken before")
        .persist("Clear the errors and scrub the pool afterwards; a scrub once a month finds damage while a good copy exists")
        .expecting("`zpool status` says: No known data errors, after a whole scrub")
        .into()
}
