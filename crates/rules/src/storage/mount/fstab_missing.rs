rule! {
    /// # What it checks
    /// Passes when each file system with database files or a measured target is in `/etc/fstab`. A note, for something else
    /// may mount it; a warning where a database has its files there and fstab mounts other files of the same database.
    /// Unknown where a cluster manager runs, which may mount it.
    /// # Why it matters
    /// What was mounted by hand is gone after a reboot, and the database does not start.
    /// # Evidence
    /// `/etc/fstab`, the mounts and the systemd units. What ZFS, a cluster file system, an automounter, a unit of its own or
    /// a container's runtime mounts is in order.
    /// # Remedy
    /// A line in `/etc/fstab`, unless something else mounts it.
    /// # Source
    /// fstab(5); systemd.mount(5); zfsprops(7), `mountpoint` (only `legacy` is mounted by fstab); autofs(5).
    code: "fstab-missing",
    title: "a mount with database files is not in fstab",
    layer: Storage, severity: Warning, on: [Mount],
}

/// File systems that a line of fstab mounts. The others have their own ways: ZFS by the property of the dataset, ACFS,
/// GFS2 and OCFS2 by the cluster, `VxFS` and GPFS by their daemons, squashfs by snapd, overlays by a container's runtime.
const BY_FSTAB: [&str; 11] =
    ["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "nfs", "nfs4", "lustre", "ceph"];

/// Where something else mounts for itself: containers, virtual machines, snaps, what is gone after a boot.
const OF_OTHERS: [&str; 9] = [
    "/run", "/snap", "/var/snap", "/var/lib/docker", "/var/lib/containers", "/var/lib/containerd",
    "/var/lib/kubelet", "/var/lib/lxc", "/var/lib/machines",
];

fn check(run: &Facts) -> Vec<Outcome> {
    let data = facts::data_mounts(run);
    let host = &run.host;
    // A container has mounts that its runtime made, and no fstab that says so.
    let in_container = host.mounts.iter().any(|mount| mount.target == "/" && mount.fs_type == "overlay");
    if data.is_empty() || in_container {
        return Vec::new();
    }
    let Some(fstab) = host.fstab.as_ref() else { return vec![facts::unread("/etc/fstab")] };
    let kept = |mount: &Mount| fstab.iter().any(|entry| entry.target == mount.target);
    let wanted = |mount: &&Mount| data.contains(mount.target.as_str()) && !kept(mount);
    let by_hand = host.mounts.iter().filter(wanted).filter(|mount| is_of_fstab(host, mount));
    let by_hand: Vec<Outcome> = by_hand.map(|mount| judge(host, mount, kept)).collect();
    if by_hand.is_empty() { vec![Outcome::Passes] } else { by_hand }
}

/// Programs that mount what they manage: Pacemaker, Oracle's clusterware and restart, Veritas, Serviceguard, `PowerHA`,
/// `LifeKeeper`, a container's kubelet.
const MANAGERS: [&str; 11] = [
    "pacemakerd", "corosync", "ohasd.bin", "crsd.bin", "had", "cmcld", "clstrmgr", "lkcheckd", "lcm",
    "kubelet", "rgmanager",
];

/// Where a program is that mounts what it manages, a line of fstab would have two hosts write to one file system: nothing is
/// advised.
fn judge(host: &Host, mount: &Mount, kept: impl Fn(&Mount) -> bool) -> Outcome {
    let manager = host.daemons().find(|process| MANAGERS.contains(&process.name.as_str()));
    let manager = manager
        .map(|process| process.name.as_str())
        .or_else(|| ["pacemaker", "clusterware"].into_iter().find(|name| facts::is_managed_by(host, name)));
    if let Some(manager) = manager {
        return unknown!("{} is not in /etc/fstab: whether {manager} mounts it is not known", mount.target);
    }
    fires(mount, severity(host, mount, kept))
}

/// The host keeps other files of the database by fstab, and no program is there that would mount these.
fn severity(host: &Host, mount: &Mount, kept: impl Fn(&Mount) -> bool) -> Severity {
    let clustered = host.databases.iter().any(|database| database.clustered);
    let forgotten = host.databases.iter().any(|database| {
        let of_database: Vec<&Mount> = mounts_of(host, database);
        of_database.iter().any(|own| own.target == mount.target)
            && of_database.iter().any(|own| own.target != "/" && own.target != mount.target && kept(own))
    });
    if forgotten && !clustered && !host.processes.is_empty() { RULE.severity } else { Severity::Info }
}

/// Where a database has its files. Of an instance of Oracle whose files are not known, the mounts that are called so by
/// Oracle's Optimal Flexible Architecture.
fn mounts_of<'a>(host: &'a Host, database: &Database) -> Vec<&'a Mount> {
    let by_name = database.kind == "oracle" && database.locations.is_empty();
    let named = host.mounts.iter().filter(|mount| by_name && is_of_ofa(&mount.target));
    database.locations.keys().filter_map(|place| host.mount_of(place)).chain(named).collect()
}

/// `/u02`, `/u02/oradata` (Oracle Database Installation Guide for Linux, "Optimal Flexible Architecture").
fn is_of_ofa(target: &str) -> bool {
    let mut parts = target.trim_start_matches('/').split('/');
    let top = parts.next().and_then(|part| part.strip_prefix('u')).unwrap_or_default();
    let numbered = top.len() == 2 && top.bytes().all(|byte| byte.is_ascii_digit());
    numbered || parts.any(|part| part == "oradata")
}

/// Nothing but fstab is known to mount it.
fn is_of_fstab(host: &Host, mount: &Mount) -> bool {
    let by_automounter = || {
        host.mounts.iter().any(|other| {
            other.fs_type == "autofs"
                && (other.target == mount.target || is_below(&mount.target, &other.target))
        })
    };
    BY_FSTAB.contains(&mount.fs_type.as_str())
        && mount.target != "/"
        && mount.unit.is_none()
        && !OF_OTHERS.iter().any(|top| is_below(&mount.target, top))
        && !by_automounter()
}

fn is_below(target: &str, top: &str) -> bool {
    top != "/" && target.strip_prefix(top).is_some_and(|rest| rest.starts_with('/'))
}

fn fires(mount: &Mount, severity: Severity) -> Outcome {
    let (target, source, fs_type) = (&mount.target, &mount.source, &mount.fs_type);
    finding!(
        Kind::Mount.named(target),
        "{target} ({source}) is not in /etc/fstab: does something mount it after a reboot?",
    )
    .severity(severity)
    .evidence(format!("{source} on {target} type {fs_type}"), "/proc/self/mountinfo, /etc/fstab")
    .because("A mount made by hand is forgotten at the next reboot.")
    .and(remedy(mount))
    .expecting("`findmnt --verify` finds nothing, the mount is there after a reboot")
    .into()
}

/// A line that finds the file system by its UUID and lets the host start without it; none for what is mounted by
/// other means.
fn remedy(mount: &Mount) -> Advice {
    let (target, source) = (&mount.target, &mount.source);
    let advice = because("")
        .look("systemctl list-units --type=mount --type=automount --all", "Shows whether a unit mounts it")
        .now("Ask the cluster manager as well (`crsctl stat res -t`, `pcs status`): what it mounts must not be in fstab, or two hosts write to one file system");
    match line(mount) {
        None => advice.persist(format!(
            "Only if nothing else owns it: a line with the options in use, among them subvol= (`findmnt -no OPTIONS {target}`)", target = as_word(target)
        )),
        Some(line) => advice
            .persist(format!("Only if nothing else owns it, add to /etc/fstab: {line}"))
            .needs("no unit, cluster manager or automounter mounts it")
            .persist(format!("`findmnt -no UUID {source}` shows the UUID; `findmnt --verify` checks the file", source = as_word(source))),
    }
    .undo("Take the line out again")
}

/// As fstab(5) has it.
fn line(mount: &Mount) -> Option<String> {
    let (target, fs_type) = (&mount.target, &mount.fs_type);
    if mount.nfs.is_some() {
        return Some(format!(
            "{} {target} {fs_type} defaults,nofail,_netdev 0 0 (with the options in use)",
            mount.source
        ));
    }
    let subvolume = mount.option("subvol").is_some_and(|path| path != "/");
    (fs_type != "btrfs" || !subvolume).then(|| {
        format!("UUID=... {target} {fs_type} defaults,nofail 0 0 (and _netdev for a disk over iSCSI or FCoE)")
    })
}
