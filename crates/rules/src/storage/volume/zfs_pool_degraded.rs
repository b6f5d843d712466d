use crate::prelude::*;
use fullwire_model::host::ZfsPool;

rule! {
    /// # What it checks
    /// Passes when every imported ZFS pool is `ONLINE`.
    ///
    /// # Why it matters
    /// A degraded pool has lost a disk and with it redundancy or speed. A suspended pool answers no I/O at all:
    /// everything that uses it hangs.
    ///
    /// # Evidence
    /// `/proc/spl/kstat/zfs/POOL/state`.
    ///
    /// # Remedy
    /// `zpool status -x` names the disk; replace it, then `zpool replace`. A suspended pool: restore its disks, then
    /// `zpool clear`.
    ///
    /// # Source
    /// `OpenZFS`, zpoolconcepts(7), "Device Failure and Recovery"; `module/zfs/spa_stats.c`.
    code: "zfs-pool-degraded",
    title: "a ZFS pool is not healthy",
    layer: Storage, severity: Critical, on: [Pool],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    if host.zfs_pools.is_empty() && host.mounts.iter().any(|mount| mount.fs_type == "zfs") {
        return vec![facts::unread("the state of the ZFS pools")];
    }
    host.zfs_pools.iter().map(judge).collect()
}

fn judge(pool: &ZfsPool) -> Outcome {
    let (severity, what) = match pool.state.as_str() {
        "ONLINE" => return Outcome::Passes,
        "SUSPENDED" => (Severity::Critical, "I/O to it hangs"),
        "DEGRADED" => (Severity::Critical, "a device of it has failed or is missing, and with it redundancy"),
        _ => (Severity::Critical, "it cannot be used"),
    };
    let (why, now) = if pool.state == "DEGRADED" {
        (
            "With the next disk failure the pool's data may be lost.",
            "Where `scan:` says that a resilver runs, let it finish first. Else replace the disk that is named: `zpool replace {} OLD NEW`; of several at once it is their path or enclosure, and no disk",
        )
    } else {
        (
            "Too few of its devices answer. As a rule they are whole, and their path, enclosure or names are not.",
            "Bring the devices back first (cables, paths, enclosure; `zpool import -d /dev/disk/by-id` where names changed), then `zpool clear {}`. Replace, destroy and relabel nothing before",
        )
    };
    let now = now.replace("{}", &as_word(&pool.name));
    RULE.finding(
        Kind::Pool.named(&pool.name),
        format!("ZFS pool {} is {}: {what}{}", pool.name, pool.state, devices(pool)),
    )
    .severity(severity)
    .evidence(format!("state {}", pool.state), source(pool))
    .advice(
        because(why)
            .look(sh!("zpool status -v {}", pool.name), "Names the disk and the errors on it")
            .now(now)
            .persist("A spare in the pool (`zpool add POOL spare DISK`) starts the repair automatically")
            .expecting("state ONLINE"),
    )
    .into()
}

/// Those that are known, at the end of the sentence.
fn devices(pool: &ZfsPool) -> String {
    if pool.bad_devices.is_empty() {
        String::new()
    } else {
        format!(" ({})", facts::listed(&pool.bad_devices))
    }
}

fn source(pool: &ZfsPool) -> String {
    if pool.source.is_empty() {
        format!("/proc/spl/kstat/zfs/{}/state", pool.name)
    } else {
        pool.source.clone()
    }
}
