rule! {
    /// # What it checks
    /// Passes when NFS mounts that hold files of a clustered Oracle database have `actimeo=0` (or `noac`). Direct NFS
    /// does not go through the mount: an instance that uses it needs no such option.
    /// # Why it matters
    /// One node does not notice immediately that another has extended a file: stale sizes, ORA-27047 and worse.
    /// # Evidence
    /// Options of the mounts below the database's files.
    /// # Remedy
    /// Mount with `actimeo=0`, or use dNFS for the database files.
    /// # Source
    /// NetApp ontap-apps-dbs, oracle-host-config-linux.adoc (RAC: actimeo=0, voting disks noac).
    code: "nfs-rac-attributes",
    title: "cluster database files are on NFS with cached attributes",
    layer: Storage, severity: Critical, on: [Mount],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let clustered = host.databases.iter().filter(|database| database.clustered && database.kind == "oracle");
    let places = clustered.flat_map(|database| database.locations.keys().map(move |place| (database, place)));
    let mounts = places.filter_map(|(database, place)| Some((database, host.mount_of(place)?)));
    mounts.filter_map(|(database, mount)| Some(judge(run, database, mount, mount.nfs.as_ref()?))).collect()
}

fn judge(run: &Run, database: &Database, mount: &Mount, nfs: &NfsMount) -> Outcome {
    if mount.options.is_empty() {
        return facts::unread(&format!("the options of {}", mount.target));
    }
    // Direct NFS keeps no attributes, whatever the mount says.
    match database.settings.get("direct_nfs").map(String::as_str) {
        _ if nfs.no_attribute_cache => return Outcome::Passes,
        Some("enabled") => return Outcome::Passes,
        Some(_) => {}
        None => return facts::unread(&format!("whether {} uses Direct NFS", database.name)),
    }
    finding!(
        Kind::Mount.named(&mount.target),
        "NFS mount {} has files of a clustered database and caches attributes: actimeo=0 is missing",
        mount.target,
    )
    .evidence(mount.options.join(","), "options of the mount")
    .advice(
        change_nfs_option(
            &run.host,
            "The nodes of a cluster must see changes of a file's size and time immediately.",
            mount,
            None,
            "actimeo=0",
        )
        .expecting("actimeo=0 (acregmin=0...) in /proc/mounts on each node"),
    )
    .into()
}
