rule! {
    /// # What it checks
    /// Passes when NFS mounts use version 3, 4.1 or 4.2.
    /// # Why it matters
    /// 4.0 has no sessions: requests of one owner are serialised by open and lock sequence numbers, and recovery
    /// after a failover is slower.
    /// # Evidence
    /// Version of the mount.
    /// # Remedy
    /// `vers=4.1` or `vers=3`.
    /// # Source
    /// NetApp ontap-apps-dbs, oracle overview (3 or 4.1); RFC 8881, section 2.10 (sessions).
    code: "nfs-version",
    title: "NFS version 4.0 is in use",
    layer: Storage, severity: Info, on: [Mount],
    check: |run| facts::nfs_mounts(run).map(|(mount, nfs)| judge(run, mount, nfs)).collect(),
}

fn judge(run: &Run, mount: &Mount, nfs: &NfsMount) -> Outcome {
    match nfs.version.as_str() {
        "" => facts::unread(&format!("the NFS version of {}", mount.target)),
        "4.0" | "4" | "2" => finding!(
            Kind::Mount.named(&mount.target),
            "NFS mount {} uses version {}: 3 or 4.1 serve a database better",
            mount.target, nfs.version,
        )
            .evidence(format!("vers={}", nfs.version), "options of the mount")
            .advice(
                change_nfs_option_if(
                    &run.host,
                    "Version 4.0 orders requests by owner; 4.1 has sessions with slots.",
                    mount,
                    Some(&format!("vers={}", nfs.version)),
                    "vers=4.1",
                    &["the server offers 4.1: a mount of the same export on an empty directory with vers=4.1 succeeds"],
                )
                .expecting("vers=4.1 in `nfsstat -m`"),
            )
            .into(),
        _ => Outcome::Passes,
    }
}
