rule! {
    /// # What it checks
    /// Passes when NFS mounts that hold database files are mounted `hard`. A soft mount for software or dumps is worth
    /// a note.
    /// # Why it matters
    /// A soft mount returns an error after some retransmissions: a write that was lost is reported as failed to
    /// a page cache that has no one to tell: silent corruption.
    /// # Evidence
    /// Options of the mount.
    /// # Remedy
    /// Mount with `hard`.
    /// # Source
    /// nfs(5), soft / softerr / hard ("can cause silent data corruption in certain cases"); NetApp
    /// ontap-apps-dbs, oracle-host-config-linux.adoc (hard).
    code: "nfs-soft",
    title: "NFS is mounted with the option soft",
    layer: Storage, severity: Critical, on: [Mount],
    check: |run| facts::nfs_mounts(run).map(|(mount, nfs)| judge(run, mount, nfs)).collect(),
}

/// Only a mount with a database's files must wait for its server; where none are known, any mount outside the system may.
fn severity(run: &Run, mount: &Mount) -> Severity {
    let is_known = facts::known_data_mounts(run).contains(mount.target.as_str());
    match (is_known, facts::holds_data(run, mount)) {
        (true, _) => Severity::Critical,
        (false, true) => Severity::Warning,
        (false, false) => Severity::Info,
    }
}

fn judge(run: &Run, mount: &Mount, nfs: &NfsMount) -> Outcome {
    match nfs.hard {
        None => facts::unread(&format!("hard or soft of {}", mount.target)),
        Some(true) => Outcome::Passes,
        // Nothing is written through a read-only mount.
        Some(false) if mount.option("ro").is_some() => Outcome::Passes,
        Some(false) => finding!(
            Kind::Mount.named(&mount.target),
            "NFS mount {} is soft: an unanswered write becomes an error or is lost",
            mount.target,
        )
        .severity(severity(run, mount))
        .evidence(mount.options.join(","), "options of the mount")
        .advice(
            change_nfs_option(
                &run.host,
                "Only a hard mount waits until the server has the data.",
                mount,
                Some("soft"),
                "hard",
            )
            .expecting("`hard` in /proc/mounts; a server restart shows as a pause, not as an error"),
        )
        .into(),
    }
}
