rule! {
    /// # What it checks
    /// Passes when no NFS mount of a host without a clustered database carries `noac` or `actimeo=0`.
    /// # Why it matters
    /// Each open, stat and buffered read asks the server for attributes; with `noac` each buffered write is synchronous. ACCESS
    /// and GETATTR can be 90 % of the operations. Direct I/O of an open file asks for none.
    /// # Evidence
    /// Options of the mount.
    /// # Remedy
    /// Remove the option (single instance); in RAC only for the shared database files, never for logs and homes.
    /// # Source
    /// NetApp ontap-apps-dbs, oracle-host-config-linux.adoc (noac and actimeo=0 only for RAC); nfs(5), noac; Linux fs/nfs/file.c
    /// (`nfs_file_read` revalidates) and direct.c, which does not: in the lab one GETATTR in 175 direct reads.
    code: "nfs-attribute-cache-off",
    title: "NFS attributes are not cached",
    layer: Storage, severity: Warning, on: [Mount], limits: [MountOption],
    when: |run| !run.host.databases.iter().any(|database| database.clustered),
    check: |run| facts::nfs_mounts(run).map(|(mount, nfs)| judge(run, mount, nfs)).collect(),
}

fn judge(run: &Run, mount: &Mount, nfs: &NfsMount) -> Outcome {
    if mount.options.is_empty() && !nfs.no_attribute_cache {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    if !nfs.no_attribute_cache {
        return Outcome::Passes;
    }
    finding!(Kind::Mount.named(&mount.target), "NFS mount {} does not cache attributes (noac or actimeo=0): every access asks the server", mount.target)
        .severity(facts::slow_mount(run, mount))
        .evidence(mount.options.join(","), "options of the mount")
        .explains(explain::buffered_in(run, &mount.target, Mechanism::MountOption, |_| true))
        .advice(
            change_nfs_option(&run.host, "Without cached attributes each operation becomes two or three; noac makes each write wait as well.", mount, Some("noac or actimeo=0"), "ac,acregmin=3,acregmax=60,acdirmin=30,acdirmax=60")
                .expecting("GETATTR and ACCESS no longer the most frequent operations in `nfsstat -c`"),
        )
        .into()
}
