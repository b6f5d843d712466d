rule! {
    /// # What it checks
    /// Passes when a ZFS pool that holds a database's files is less than 90 % full.
    /// # Why it matters
    /// ZFS writes each block to a new place. In a nearly full pool it searches long for one: writes become slow, and stay
    /// slow while the free space is in small pieces.
    /// # Evidence
    /// `zpool list`, CAP and FRAG.
    /// # Remedy
    /// Snapshots and files that nobody needs; a further vdev.
    /// # Source
    /// `OpenZFS` documentation, Workload Tuning, "Free Space" (keep more than 10 % free).
    code: "zfs-pool-full",
    title: "a ZFS pool is nearly full",
    layer: Storage, severity: Warning, on: [Pool],
    check: |run| super::each_pool(run, "how full the ZFS pools are", |pool| judge(run, pool)),

    /// Per cent in use, beyond which the search for free space is slow.
    const MOST: u64 = 90;
}

fn judge(run: &Run, pool: &ZfsPool) -> Option<Outcome> {
    let used = pool.used_percent?;
    if used < MOST {
        return Some(Outcome::Passes);
    }
    let data = facts::data_mounts(run);
    let holds = |source: &str| source.split('/').next() == Some(pool.name.as_str());
    let is_data =
        run.host.mounts.iter().any(|mount| {
            mount.fs_type == "zfs" && holds(&mount.source) && data.contains(mount.target.as_str())
        });
    let pieces = pool
        .fragmented_percent
        .map_or_else(String::new, |percent| format!(", its free space {percent} % fragmented"));
    let found = finding!(
        Kind::Pool.named(&pool.name),
        "ZFS pool {} is {used} % full{pieces}: it searches long for each new block", pool.name,
    )
        .severity(if is_data { Severity::Warning } else { Severity::Info })
        .measured(used as f64 / 100.0, MOST as f64 / 100.0, Unit::Ratio)
        .evidence(format!("CAP {used} %"), &pool.source)
        .because("Every write needs a free place, and large ones are rare in a full pool.")
        .look(sh!("zpool list -v {}", pool.name), "Shows how full each vdev is")
        .now("Destroy snapshots that are no longer needed (`zfs list -t snapshot -o name,used -s used`), and move what is no database's")
        .persist("Add a vdev; set a quota or a reservation that keeps 10 % of the pool free")
        .expecting("CAP below 90 %, and shorter writes");
    Some(found.into())
}
