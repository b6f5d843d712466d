rule! {
    /// # What it checks
    /// Passes when `timeo` of TCP mounts is 600 (60 s).
    /// # Why it matters
    /// A shorter one resends over a working connection while the server is busy, and breaks the connection; a
    /// longer one makes failover slow.
    /// # Evidence
    /// `timeo` of the mount.
    /// # Remedy
    /// `timeo=600`, the default for TCP.
    /// # Source
    /// nfs(5), timeo (default 600 for TCP); NetApp ontap-apps-dbs, oracle-host-config-linux.adoc.
    code: "nfs-timeout",
    title: "the NFS timeout is not the usual 60 seconds",
    layer: Storage, severity: Info, on: [Mount],
    check: |run| facts::nfs_mounts(run).map(|(mount, nfs)| judge(run, mount, nfs)).collect(),

    /// The default over TCP (nfs(5)).
    const USUAL_DS: u64 = 600;
}

fn judge(run: &Run, mount: &Mount, nfs: &NfsMount) -> Outcome {
    match nfs.timeo_ds {
        None => facts::unread(&format!("timeo of {}", mount.target)),
        Some(USUAL_DS) => Outcome::Passes,
        Some(ds) => finding!(
            Kind::Mount.named(&mount.target),
            "NFS mount {} waits {:.1} s for an answer (timeo={ds}), 60 s is usual",
            mount.target,
            ds as f64 / 10.0,
        )
        .measured(ds as f64 / 10.0, 60.0, Unit::S)
        .evidence(format!("timeo={ds}"), "options of the mount")
        .advice(
            change_nfs_option(
                &run.host,
                "On TCP the transport retransmits; NFS itself must wait.",
                mount,
                Some(&format!("timeo={ds}")),
                "timeo=600",
            )
            .expecting("no retransmissions in `nfsstat -rc` when the server is slow"),
        )
        .into(),
    }
}
