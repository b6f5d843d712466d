rule! {
    /// # What it checks
    /// Applies where Direct NFS is linked and one mount of a server is below another mount of the same export; passes
    /// when both have `nosharecache`.
    /// # Why it matters
    /// Direct NFS finds the mount of a file by what the kernel shows; with shared caches nested mounts of one
    /// export are confused with each other.
    /// # Evidence
    /// Mounts and their options; `direct_nfs` of the instance's home.
    /// # Remedy
    /// Mount both with `nosharecache`.
    /// # Source
    /// NetApp ontap-apps-dbs, oracle-host-config-linux.adoc (nosharecache with Direct NFS and nested mounts);
    /// nfs(5), sharecache.
    code: "nfs-share-cache",
    title: "nested mounts of one export share a cache under Direct NFS",
    layer: Storage, severity: Info, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let oracle: Vec<_> = host.databases.iter().filter(|database| database.kind == "oracle").collect();
    if oracle.is_empty() || !host.mounts.iter().any(|mount| mount.nfs.is_some()) {
        return Vec::new();
    }
    let state = oracle.iter().find_map(|database| database.settings.get("direct_nfs"));
    let Some(state) = state else { return vec![facts::unread("the ODM library of the Oracle home")] };
    if state == "disabled" {
        return vec![Outcome::Passes];
    }
    let nested: Vec<Outcome> =
        host.mounts.iter().filter_map(|inner| Some(fires(outer(&host.mounts, inner)?, inner))).collect();
    if nested.is_empty() { vec![Outcome::Passes] } else { nested }
}

/// A mount of the same export that this one is in, where one of both shares its cache.
fn outer<'a>(mounts: &'a [Mount], inner: &Mount) -> Option<&'a Mount> {
    let server = &inner.nfs.as_ref()?.server;
    let shares = |mount: &Mount| mount.option("nosharecache").is_none();
    mounts.iter().find(|outer| {
        let same = outer.nfs.as_ref().is_some_and(|nfs| nfs.server == *server);
        let within = outer.target != inner.target && outer.target != "/" && outer.holds(&inner.target);
        same && within && inner.source.starts_with(&outer.source) && (shares(outer) || shares(inner))
    })
}

fn fires(outer: &Mount, inner: &Mount) -> Outcome {
    finding!(
        Kind::Mount.named(&inner.target),
        "{} is mounted below {}, both from {}, without nosharecache, and Direct NFS is enabled",
        inner.target, outer.target, outer.source,
    )
    .evidence(format!("{}: {}", inner.target, inner.options.join(",")), "/proc/self/mountstats")
    .because("Direct NFS may confuse the two and fall back to the kernel's client.")
    .now(format!("Stop what uses them, `umount {0}` and `umount {1}`, then `mount -o nosharecache {1}` and `mount -o nosharecache {0}`", as_word(&inner.target), as_word(&outer.target))).unmounts("both file systems")
    .persist("In /etc/fstab: nosharecache on both lines")
    .undo("Mount them again without it").unmounts("both file systems")
    .expecting("the files of both in v$dnfs_files")
    .into()
}
