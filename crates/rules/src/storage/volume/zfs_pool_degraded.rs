rule! {
    /// # What it checks
    /// Passes when every imported ZFS pool is `ONLINE`, and, where `zpool status` is known, so is each device of it, without errors.
    /// # Why it matters
    /// A degraded pool has lost a disk and with it redundancy or speed. A suspended pool answers no I/O at all:
    /// everything that uses it hangs. The pool's own state may say `ONLINE` for a while after a device was faulted, and errors of
    /// a device that were corrected from its mirror or parity change no state at all.
    /// # Evidence
    /// `/proc/spl/kstat/zfs/POOL/state`, and what `zpool status` printed of each device.
    /// # Remedy
    /// `zpool status -x` names the disk; replace it, then `zpool replace`. A suspended pool: restore its disks, then
    /// `zpool clear`.
    /// # Source
    /// `OpenZFS`, zpoolconcepts(7), "Device Failure and Recovery"; `module/zfs/spa_stats.c`.
    code: "zfs-pool-degraded",
    title: "a ZFS pool is not healthy",
    layer: Storage, severity: Critical, on: [Pool],
    check: |run| super::each_pool(run, "the state of the ZFS pools", |pool| Some(judge(pool))),
}

fn judge(pool: &ZfsPool) -> Outcome {
    let (severity, what) = match pool.state.as_str() {
        "ONLINE" if pool.bad_devices.is_empty() => return Outcome::Passes,
        "ONLINE" => return of_device(pool),
        "SUSPENDED" => (Severity::Critical, "I/O to it hangs"),
        "DEGRADED" => (Severity::Critical, "a device of it has failed or is missing, and with it redundancy"),
        _ => (Severity::Critical, "it cannot be used"),
    };
    let (why, now) = if pool.state == "DEGRADED" {
        (
            "With the next disk failure the pool's data may be lost.",
            "Where `scan:` says that a resilver runs, let it finish first. Otherwise, replace the disk that is named: `zpool replace {} OLD NEW`; of several at once it is their path or enclosure, and no disk",
        )
    } else {
        (
            "Too few of its devices answer. Usually they are whole, and their path, enclosure or names are not.",
            "Bring the devices back first (cables, paths, enclosure; `zpool import -d /dev/disk/by-id` where names changed), then `zpool clear {}`. Replace, destroy and relabel nothing before",
        )
    };
    let now = now.replace("{}", &as_word(&pool.name));
    finding!(
        Kind::Pool.named(&pool.name),
        "ZFS pool {} is {}: {what}{}",
        pool.name,
        pool.state,
        devices(pool),
    )
    .severity(severity)
    .evidence(format!("state {}", pool.state), source(pool))
    .because(why)
    .look(sh!("zpool status -v {}", pool.name), "Names the disk and the errors on it")
    .now(now)
    .persist("A spare in the pool (`zpool add POOL spare DISK`) starts the repair automatically")
    .expecting("state ONLINE")
    .into()
}

/// The pool is whole by its own state, and a device of it is not.
fn of_device(pool: &ZfsPool) -> Outcome {
    let gone = |device: &&String| !device.contains(" ONLINE (");
    let lost: Vec<&String> = pool.bad_devices.iter().filter(gone).collect();
    let name = as_word(&pool.name);
    let (severity, what, why, now) = if lost.is_empty() {
        (
            Severity::Warning,
            "gave errors, which were corrected from its mirror or parity",
            "Nothing is lost yet. Reads took longer, and with the next failure the same errors lose data.",
            format!(
                "SMART of the disk, its cable and slot; `zpool scrub {name}` shows whether more is damaged, and `zpool clear {name}` counts again. Where the counts grow, `zpool replace {name} OLD NEW`"
            ),
        )
    } else {
        (
            Severity::Critical,
            "is out of use, and with it redundancy, though the pool's own state is ONLINE still",
            "With the next disk failure the pool's data may be lost.",
            format!(
                "Where `scan:` says that a resilver runs, let it finish first. Otherwise, replace the disk that is named: `zpool replace {name} OLD NEW`. `zpool clear` alone takes back a disk that has failed"
            ),
        )
    };
    let devices = if lost.is_empty() { facts::listed(&pool.bad_devices) } else { facts::listed(&lost) };
    finding!(Kind::Pool.named(&pool.name), "a device of ZFS pool {} {what}: {devices}", pool.name)
        .severity(severity)
        .evidence(format!("state {}, {}", pool.state, facts::listed(&pool.bad_devices)), source(pool))
        .because(why)
        .look(sh!("zpool status -v {}", pool.name), "Names the disk and the errors on it")
        .now(now)
        .expecting("every device ONLINE, and no new errors after a scrub")
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
