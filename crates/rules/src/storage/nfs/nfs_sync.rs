rule! {
    /// # What it checks
    /// Passes when no NFS mount carries `sync`. On a node of a cluster the database's vendor requires `noac`, which implies `sync`.
    /// # Why it matters
    /// Each write(2) goes to the server immediately and is committed there before it returns: small buffered writes
    /// crawl.
    /// # Evidence
    /// Options of the mount.
    /// # Remedy
    /// Remove `sync`.
    /// # Source
    /// nfs(5), "The sync mount option" (significant performance cost).
    /// Linux fs/nfs/super.c (noac implies sync).
    code: "nfs-sync",
    title: "NFS is mounted with the option sync",
    layer: Storage, severity: Warning, on: [Mount], limits: [MountOption],
    check: |run| run.host.mounts.iter().filter(|mount| mount.nfs.is_some()).map(|mount| judge(run, mount)).collect(),
}

/// noac brings sync along, and takes it back at a remount (fs/nfs/super.c): the attribute cache must go on first.
fn advice(host: &Host, mount: &Mount, why: &str) -> Advice {
    if mount.option("noac").is_some() {
        return change_nfs_option(host, why, mount, Some("noac"), "ac,async").now(
            "On a cluster without Direct NFS, noac is required for shared files: leave it in that case",
        );
    }
    change_mount_option(host, why, mount, "sync", "async")
}

fn judge(run: &Run, mount: &Mount) -> Outcome {
    if mount.options.is_empty() {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    // The clusterware's and a cluster's files are to be mounted so: noac causes sync.
    let asked_for =
        facts::is_clustered(&run.host) && mount.nfs.as_ref().is_some_and(|nfs| nfs.no_attribute_cache);
    if mount.option("sync").is_none() || mount.option("ro").is_some() || asked_for {
        return Outcome::Passes;
    }
    finding!(
        Kind::Mount.named(&mount.target),
        "NFS mount {} has the option sync: each write waits for the server's disk",
        mount.target,
    )
    .severity(facts::slow_mount(run, mount))
    .evidence(mount.options.join(","), "/proc/self/mountinfo")
    .explains(explain::buffered_in(run, &mount.target, Mechanism::MountOption, |step| {
        step.operation != Operation::Read && !facts::is_synced(step)
    }))
    .advice(
        advice(
            &run.host,
            mount,
            "A database requests durability where it needs it; sync forces it everywhere.",
        )
        .expecting("buffered writes gathered into requests of wsize"),
    )
    .into()
}
