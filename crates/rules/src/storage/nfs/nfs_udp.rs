rule! {
    /// # What it checks
    /// Passes when every NFS mount uses TCP (or RDMA).
    /// # Why it matters
    /// A lost fragment loses the whole 32 KiB or 1 MiB request; reassembly can mix old and new fragments on fast
    /// links: corrupt data.
    /// # Evidence
    /// `proto` of the mount.
    /// # Remedy
    /// Mount with `proto=tcp`.
    /// # Source
    /// nfs(5), "Using NFS over UDP on high-speed links" (silent data corruption); NetApp ontap-apps-dbs,
    /// oracle-host-config-linux.adoc (proto=tcp).
    code: "nfs-udp",
    title: "NFS runs over UDP",
    layer: Storage, severity: Critical, on: [Mount], limits: [MountOption],
    check: |run| facts::nfs_mounts(run).map(|(mount, nfs)| judge(run, mount, nfs)).collect(),
}

/// A database's files must not depend on reassembled fragments; a mount of something else is worth a warning.
fn severity(run: &Run, mount: &Mount) -> Severity {
    if facts::known_data_mounts(run).contains(mount.target.as_str()) {
        Severity::Critical
    } else {
        Severity::Warning
    }
}

fn judge(run: &Run, mount: &Mount, nfs: &NfsMount) -> Outcome {
    match nfs.protocol.as_str() {
        "" => facts::unread(&format!("the transport of {}", mount.target)),
        "udp" | "udp6" => finding!(
            Kind::Mount.named(&mount.target),
            "NFS mount {} runs over UDP (proto=udp)",
            mount.target,
        )
        .severity(severity(run, mount))
        .evidence("proto=udp", "options of the mount")
        .explains(explain::targets_in(run, &mount.target, Mechanism::MountOption))
        .advice(
            change_nfs_option(
                &run.host,
                "UDP has no congestion control, and a lost fragment costs the whole request.",
                mount,
                Some("proto=udp"),
                "proto=tcp",
            )
            .expecting("proto=tcp in `nfsstat -m`, no fragments in `nstat`"),
        )
        .into(),
        _ => Outcome::Passes,
    }
}
