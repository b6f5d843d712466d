use fullwire_model::assessment::Severity;
use fullwire_model::disk::{DiskResult, DiskStepResult, LayerStats, Operation, Sync};
use fullwire_model::host::{Disk, DmTarget, Host, IscsiSession, Mount, NfsMount, PathGroup};
use fullwire_model::{PathName, Run, Window, WindowKind};
use std::collections::BTreeSet;
use std::net::SocketAddr;

/// What `sb_start_write` sleeps in while the file system is frozen: Linux 3.10, 4.x, and since 5.7 (`fs/super.c`,
/// `kernel/locking/percpu-rwsem.c`).
const FROZEN_WAITS: [&str; 3] = ["__sb_start_write", "__percpu_down_read", "percpu_rwsem_wait"];

/// A measured storage target and what is below it.
pub(crate) struct Target<'a> {
    pub(crate) result: &'a DiskResult,
    pub(crate) mount: Option<&'a Mount>,
    /// The device under it and all below, top first; empty for NFS and memory.
    pub(crate) stack: Vec<&'a Disk>,
}

impl<'a> Target<'a> {
    /// The path's subject.
    pub(crate) fn name(&self) -> &'a PathName {
        &self.result.target
    }

    /// Devices with nothing below: disks and paths.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = &'a Disk> + '_ {
        self.stack.iter().copied().filter(|disk| disk.slaves.is_empty() && disk.parent().is_none())
    }

    /// A device, by its kernel name, is under it.
    pub(crate) fn stands_on(&self, device: &str) -> bool {
        self.stack.iter().any(|disk| disk.name == device)
    }

    /// The steps with one I/O in flight and no other beside them.
    pub(crate) fn singles(&self) -> impl Iterator<Item = &'a DiskStepResult> {
        self.result.steps.iter().filter(|step| in_flight(step) == 1 && !step.concurrent)
    }

    /// A caveat says that the numbers cannot mean what they seem to: memory answered, or others had their share.
    pub(crate) fn is_void(&self) -> bool {
        self.result.caveats.iter().any(|caveat| caveat.void)
    }

    /// The numbers say nothing of the storage, not even what others leave of it.
    pub(crate) fn says_nothing(&self) -> bool {
        says_nothing(self.result)
    }

    /// The map below it that all I/O waits for.
    pub(crate) fn suspended(&self) -> Option<&'a Disk> {
        self.stack
            .iter()
            .copied()
            .find(|disk| disk.dm.as_ref().is_some_and(|map| map.suspended == Some(true)))
    }

    /// A call on it sleeps where the kernel blocks the writers of a frozen file system.
    pub(crate) fn is_frozen(&self) -> bool {
        FROZEN_WAITS.iter().any(|function| self.result.wait_channel.starts_with(function))
    }

    /// Where a network storage is: the address of its filer, or of its portals with the port.
    pub(crate) fn servers(&self, run: &'a Run) -> impl Iterator<Item = &'a str> {
        let nfs = self.mount.and_then(|mount| Some(mount.nfs.as_ref()?.address.as_str()));
        let sessions = run.host.iscsi_sessions.iter();
        let portals = sessions
            .filter(|session| session.disks.iter().any(|disk| self.stands_on(disk)))
            .map(|session| session.portal.as_str());
        nfs.into_iter().chain(portals)
    }

    /// The first of its [`servers`](Self::servers).
    pub(crate) fn server(&self, run: &'a Run) -> Option<&'a str> {
        self.servers(run).next()
    }

    /// The leaves' names.
    pub(crate) fn leaf_names(&self) -> Vec<&'a str> {
        self.leaves().map(|disk| disk.name.as_str()).collect()
    }
}

/// Memory or holes answered. Of a device that others use, too, the figures say what is left of it: alone it would have done no
/// less.
pub(crate) fn says_nothing(result: &DiskResult) -> bool {
    result.caveats.iter().any(|caveat| caveat.void && caveat.kind != "foreign-load")
}

/// Every measured storage target.
pub(crate) fn targets(run: &Run) -> Vec<Target<'_>> {
    run.disk.iter().map(|result| target(&run.host, result)).collect()
}

fn target<'a>(host: &'a Host, result: &'a DiskResult) -> Target<'a> {
    let mount = (!result.mount_point.is_empty())
        .then(|| host.mounts.iter().rev().find(|mount| mount.target == result.mount_point))
        .flatten();
    let name = (!result.device.is_empty()).then_some(result.device.as_str());
    let by_number = || {
        let number = if result.device_number.is_empty() { &mount?.number } else { &result.device_number };
        host.disk_by_number(number).map(|disk| disk.name.as_str())
    };
    let stack = name.or_else(by_number).map(|name| host.stack(name)).unwrap_or_default();
    Target { result, mount, stack }
}

/// Windows around storage probes, without those of targets that are known to be on other devices than this.
pub(crate) fn probe_windows_on<'a>(run: &'a Run, device: &str) -> Vec<&'a Window> {
    let elsewhere = |target: &Target<'_>| !target.stack.is_empty() && !target.stands_on(device);
    let others: Vec<&PathName> =
        targets(run).into_iter().filter(elsewhere).map(|target| target.name()).collect();
    let of_disks = run.windows.iter().filter(|window| window.kind == WindowKind::Disk);
    of_disks.filter(|window| !others.contains(&&window.target)).collect()
}

/// RFC 7530, section 3.1.
const NFS_PORT: u16 = 2049;

/// The TCP services that a measured storage target is on, each once: its filer or its iSCSI portals.
pub fn storage_services(run: &Run, target: &PathName) -> BTreeSet<SocketAddr> {
    let of_target = targets(run).into_iter().filter(|known| known.name() == target);
    let servers = of_target.flat_map(|known| known.servers(run).collect::<Vec<_>>());
    let service = |server: &str| {
        let portal = server.parse().ok();
        portal.or_else(|| Some(SocketAddr::new(server.parse().ok()?, NFS_PORT)))
    };
    servers.filter_map(service).collect()
}

/// Kernel names of all devices that carry a measured target or a [`data_mounts`] file system.
pub(crate) fn data_devices(run: &Run) -> BTreeSet<&str> {
    let host = &run.host;
    let mut names: BTreeSet<&str> =
        targets(run).iter().flat_map(|target| target.stack.iter().map(|disk| disk.name.as_str())).collect();
    let mounts = data_mounts(run);
    for mount in host.mounts.iter().filter(|mount| mounts.contains(mount.target.as_str())) {
        if let Some(top) = host.disk_by_number(&mount.number) {
            names.extend(host.stack(&top.name).into_iter().map(|disk| disk.name.as_str()));
        }
    }
    let raw = raw_locations(host).flat_map(|location| devices_of(host, location));
    names.extend(raw.flat_map(|top| host.stack(&top.name)).map(|disk| disk.name.as_str()));
    names
}

/// Kernel names of all devices below a mount or a swap area.
pub(crate) fn used_devices(host: &Host) -> BTreeSet<&str> {
    let mounted = host.mounts.iter().filter_map(|mount| host.disk_by_number(&mount.number));
    let swaps = host.swaps.iter().filter_map(|swap| swap.path.strip_prefix("/dev/"));
    let swapped = swaps.flat_map(|name| devices_of(host, name));
    mounted.chain(swapped).flat_map(|top| host.stack(&top.name)).map(|disk| disk.name.as_str()).collect()
}

/// The root file system stands on a disk of this session.
pub(crate) fn carries_root(host: &Host, session: &IscsiSession) -> bool {
    let root = host.mounts.iter().find(|mount| mount.target == "/");
    let top = root.and_then(|root| host.disk_by_number(&root.number));
    top.is_some_and(|top| host.stack(&top.name).iter().any(|disk| session.disks.contains(&disk.name)))
}

/// Whole disks of a pool that carries data. ZFS shows no device below its mounts: disks that nothing else uses.
pub(crate) fn pool_devices(run: &Run) -> BTreeSet<&str> {
    let host = &run.host;
    let data = data_mounts(run);
    if !host.mounts.iter().any(|mount| mount.fs_type == "zfs" && data.contains(mount.target.as_str())) {
        return BTreeSet::new();
    }
    let used = used_devices(host);
    let is_free = |disk: &&Disk| {
        let held = disk.partitions.iter().chain([&disk.name]).filter_map(|name| host.disk(name));
        disk.removable != Some(true)
            && disk.transport != "usb"
            && !used.contains(disk.name.as_str())
            && held.into_iter().all(|part| part.holders.is_empty())
    };
    whole_disks(host).filter(is_free).map(|disk| disk.name.as_str()).collect()
}

/// [`data_devices`], and where it is not known which disks ASM opened, those that nothing else uses: they may be its own.
pub(crate) fn possible_data_devices(run: &Run) -> BTreeSet<&str> {
    let mut names = data_devices(run);
    if may_be_of_asm(&run.host) {
        let used = used_devices(&run.host);
        names
            .extend(run.host.disks.iter().map(|disk| disk.name.as_str()).filter(|name| !used.contains(name)));
    }
    names
}

/// The devices that carry data.
pub(crate) fn data_disks(run: &Run) -> impl Iterator<Item = &Disk> {
    let data = data_devices(run);
    run.host.disks.iter().filter(move |disk| data.contains(disk.name.as_str()))
}

/// The mounts that hold data.
pub(crate) fn mounts_of_data(run: &Run) -> impl Iterator<Item = &Mount> {
    let data = data_mounts(run);
    run.host.mounts.iter().filter(move |mount| data.contains(mount.target.as_str()))
}

/// What is mounted from an NFS server.
pub(crate) fn nfs_mounts(run: &Run) -> impl Iterator<Item = (&Mount, &NfsMount)> {
    run.host.mounts.iter().filter_map(|mount| Some((mount, mount.nfs.as_ref()?)))
}

/// ASM runs, and which disks it opened is not known (a captured tree has no `/proc/PID/fd`): any may be its own.
pub(crate) fn may_be_of_asm(host: &Host) -> bool {
    host.databases.iter().any(|database| database.kind == "oracle-asm")
        && raw_locations(host).next().is_none()
}

/// Devices that a database uses without a file system (ASM), below `/dev`, as it opened them.
fn raw_locations(host: &Host) -> impl Iterator<Item = &str> {
    let locations = host.databases.iter().flat_map(|database| database.locations.keys());
    locations.filter_map(|location| location.strip_prefix("/dev/")).filter(|name| !name.starts_with("shm/"))
}

/// The devices that a name below `/dev` stands for: a kernel name, a name by udev or of a map, a disk of `ASMLib` or of
/// ASM Filter Driver. These two may show nothing but their own control file; then all their disks are meant.
pub(crate) fn devices_of<'a>(host: &'a Host, name: &str) -> Vec<&'a Disk> {
    let by_map = |disk: &Disk| {
        let map = disk.dm.as_ref().map(|map| map.name.as_str());
        // `/dev/VG/LV`: the map's name joins both by `-`, and doubles each that was there.
        let of_volume = || name.replace('-', "--").replacen('/', "-", 1);
        map.is_some() && (map == name.strip_prefix("mapper/") || map == Some(&of_volume()))
    };
    let named =
        |disk: &&Disk| disk.name == name || disk.links.iter().any(|link| link == name) || by_map(disk);
    let found: Vec<&Disk> = host.disks.iter().filter(named).collect();
    let drivers = ["oracleasm/", "oracleafd/"];
    match drivers.into_iter().find(|driver| found.is_empty() && name.starts_with(driver)) {
        Some(driver) => {
            let of_driver = |disk: &&Disk| disk.links.iter().any(|link| link.starts_with(driver));
            host.disks.iter().filter(of_driver).collect()
        }
        None => found,
    }
}

/// A device of a database that could not be resolved: what is said of [`data_devices`] is not all.
pub(crate) fn unresolved_device(host: &Host) -> Option<&str> {
    raw_locations(host).find(|location| devices_of(host, location).is_empty())
}

/// A database opened devices without a file system.
pub(crate) fn uses_raw_devices(host: &Host) -> bool {
    raw_locations(host).next().is_some()
}

/// Kernel names of the whole disks, maps or partitions' disks that databases opened without a file system.
pub(crate) fn raw_devices(host: &Host) -> BTreeSet<&str> {
    let opened = raw_locations(host).flat_map(|location| devices_of(host, location));
    opened.map(|disk| disk.parent().unwrap_or(&disk.name)).collect()
}

/// What a rule raises `net.core.rmem_max` or `wmem_max` to: no less than autotuning's largest buffer, which another
/// rule asks for, so that two findings of one run do not write two values.
pub(crate) fn core_buffer(host: &Host, name: &str, at_least: u64) -> u64 {
    let tcp = match name {
        "net.core.rmem_max" => "net.ipv4.tcp_rmem",
        "net.core.wmem_max" => "net.ipv4.tcp_wmem",
        _ => return at_least,
    };
    host.sysctl_numbers(tcp).and_then(|numbers| numbers.get(2).copied()).unwrap_or(0).max(at_least)
}

/// Where a distribution keeps itself.
const SYSTEM_DIRECTORIES: [&str; 13] = [
    "/boot", "/dev", "/etc", "/home", "/opt", "/proc", "/root", "/run", "/snap", "/sys", "/tmp", "/usr",
    "/var",
];

/// A file system that a database's files could be on: writable by its kind, and none of the system's own.
fn may_hold_data(mount: &Mount) -> bool {
    let of_system = mount.target == "/"
        || SYSTEM_DIRECTORIES.iter().any(|top| {
            mount.target.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
    // By its name, where no database tells: nobody reads a backup's file system block by block.
    let name = mount.target.to_ascii_lowercase();
    let of_copies = ["backup", "bkp", "export", "dump", "archive"].iter().any(|word| name.contains(word));
    let for_data = ["ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "ocfs2", "gfs2", "nfs", "nfs4"];
    !of_system && !of_copies && for_data.contains(&mount.fs_type.as_str())
}

/// Mount points that hold a measured target or a database's files. Where neither is known (an audit of a host
/// whose database is down) every file system that is not the system's own.
pub(crate) fn data_mounts(run: &Run) -> BTreeSet<&str> {
    let known = known_data_mounts(run);
    if is_data_known(run, &known) {
        return known;
    }
    run.host.mounts.iter().filter(|mount| may_hold_data(mount)).map(|mount| mount.target.as_str()).collect()
}

/// Whether this is one of [`data_mounts`]; a host may have thousands of mounts, and of each it is asked.
pub(crate) fn holds_data(run: &Run, mount: &Mount) -> bool {
    let known = known_data_mounts(run);
    known.contains(mount.target.as_str()) || (!is_data_known(run, &known) && may_hold_data(mount))
}

fn is_data_known(run: &Run, known: &BTreeSet<&str>) -> bool {
    !known.is_empty() || !run.disk.is_empty() || raw_locations(&run.host).next().is_some()
}

/// Mount points that hold a measured target or a database's files.
pub(crate) fn known_data_mounts(run: &Run) -> BTreeSet<&str> {
    let measured = run.disk.iter().map(|result| result.mount_point.as_str());
    let files = run
        .host
        .databases
        .iter()
        .flat_map(|database| database.locations.keys())
        // A device node is no file: the file system of /dev holds none.
        .filter(|location| !location.starts_with("/dev/"))
        .filter_map(|location| run.host.mount_of(location))
        .filter(|mount| mount.fs_type != "devtmpfs")
        .map(|mount| mount.target.as_str());
    measured.chain(files).filter(|target| !target.is_empty()).collect()
}

/// How bad it is that a mount is slow: a note where the data is known to be elsewhere, or nothing is written.
pub(crate) fn slow_mount(run: &Run, mount: &Mount) -> Severity {
    let archive = mount.option("ro").is_some() && !known_data_mounts(run).contains(mount.target.as_str());
    if archive || !holds_data(run, mount) { Severity::Info } else { Severity::Warning }
}

/// A disk is reached through the adapter port of this name (`host7`).
pub(crate) fn is_behind(disk: &Disk, port: &str) -> bool {
    disk.scsi_host_number().is_some_and(|number| port.strip_prefix("host") == Some(number))
}

/// It is a unit of an array, behind a network.
pub(crate) fn is_of_network(disk: &Disk) -> bool {
    matches!(disk.transport.as_str(), "fc" | "iscsi" | "nvme-tcp" | "nvme-rdma" | "nvme-fc")
}

/// A RAID controller made it of drives that this host does not see. Drives are sold under the names of servers' makers as
/// well: a volume of a Smart Array says what it is.
pub(crate) fn is_raid_volume(disk: &Disk) -> bool {
    const VENDORS: [&str; 4] = ["AVAGO", "LSI", "BROADCOM", "DELL"];
    VENDORS.contains(&disk.vendor.trim()) || is_name_of_raid_volume(&disk.model)
}

/// What RAID controllers call their volumes.
pub(crate) fn is_name_of_raid_volume(product: &str) -> bool {
    ["LOGICAL VOLUME", "PERC", "MegaRAID", "MR9", "LogicalDrv", "ServeRAID"]
        .iter()
        .any(|name| product.contains(name))
}

/// Whole disks that I/O is sent to: no partition, map, array, loop or memory disk.
pub(crate) fn whole_disks(host: &Host) -> impl Iterator<Item = &Disk> {
    host.disks.iter().filter(|disk| disk.kind == "disk")
}

/// What a step did, for a sentence: `random read of 8 KiB, 32 in flight`.
pub(crate) fn step_name(step: &DiskStepResult) -> String {
    let operation = step.pattern.of(match step.operation {
        Operation::Read => "read",
        Operation::Write => "write",
        Operation::Mixed => "mix",
        Operation::Copy => "copy",
    });
    let size = super::size(step.block_bytes);
    format!("{operation} of {size}, {} in flight", in_flight(step))
}

/// I/Os that the program kept in flight.
pub(crate) fn in_flight(step: &DiskStepResult) -> u64 {
    u64::from(step.queue_depth.max(1)) * u64::from(step.threads.max(1))
}

/// They differ in I/Os in flight alone.
pub(crate) fn is_alike(one: &DiskStepResult, other: &DiskStepResult) -> bool {
    (one.operation, one.pattern, one.block_bytes, one.sync)
        == (other.operation, other.pattern, other.block_bytes, other.sync)
}

/// Blocks up to this are a database's own; beyond it several are read or written at once (Oracle: `DB_BLOCK_SIZE` is at most
/// 32 KiB; PostgreSQL's and InnoDB's blocks are no larger).
pub(crate) const LARGEST_BLOCK_BYTES: u64 = 32 << 10;

/// It waits for the medium after each write.
pub(crate) fn is_synced(step: &DiskStepResult) -> bool {
    step.operation != Operation::Read && step.sync != Sync::None
}

/// The layers of a step that are the devices at the bottom, by name.
pub(crate) fn leaf_layers<'s>(target: &Target<'_>, step: &'s DiskStepResult) -> Vec<&'s LayerStats> {
    let leaves = target.leaf_names();
    step.layers.iter().filter(|layer| leaves.contains(&layer.name.as_str())).collect()
}

/// The time of a request of the step's kind in the slowest disk below it, ns; `None`: none of them counted one.
pub(crate) fn slowest_leaf_ns(target: &Target<'_>, step: &DiskStepResult) -> Option<f64> {
    let busy = leaf_layers(target, step).into_iter().filter(|layer| layer.iops > 0.0);
    busy.map(|layer| layer.of(step.operation).1).reduce(f64::max)
}

/// Each mounted file system once: a bind mount shows the same one again.
pub(crate) fn file_systems(host: &Host) -> impl Iterator<Item = &Mount> {
    let mut seen = BTreeSet::new();
    host.mounts.iter().filter(move |mount| mount.number.is_empty() || seen.insert(mount.number.as_str()))
}

/// The targets of a kind in all device-mapper tables, each with the name of its map.
pub(crate) fn dm_targets<'a>(host: &'a Host, kind: &'a str) -> impl Iterator<Item = (&'a str, &'a DmTarget)> {
    let maps = host.disks.iter().filter_map(|disk| disk.dm.as_ref());
    maps.flat_map(move |dm| {
        let targets = dm.targets.iter().filter(move |target| target.kind == kind);
        targets.map(|target| (dm.name.as_str(), target))
    })
}

/// True while md rebuilds or checks: `sync_action` is neither empty, `idle` nor `frozen`.
pub(crate) fn is_syncing(action: &str) -> bool {
    !matches!(action, "" | "idle" | "frozen")
}

/// A path that waits in reserve: its group is not the active one, or it has failed.
pub(crate) fn is_idle_path(host: &Host, device: &str) -> bool {
    let holds = |group: &&PathGroup| group.paths.iter().any(|path| path.device == device);
    host.multipath.iter().any(|map| {
        let active = map.groups.iter().any(|group| group.state == "active");
        let own = map.groups.iter().find(holds);
        own.is_some_and(|group| {
            let failed = group.paths.iter().any(|path| path.device == device && path.dm_state == "failed");
            failed || active && !group.state.is_empty() && group.state != "active"
        })
    })
}

/// One I/O in ten is of another kind than the rest.
pub(crate) fn is_parted(step: &DiskStepResult) -> bool {
    /// Times the median (own choice).
    const APART: f64 = 3.0;
    step.latency_ns.p90 as f64 >= APART * step.latency_ns.p50 as f64
}

/// What an I/O takes, ns: half of them no longer than the median; the mean, where a part is far slower or quicker than the
/// rest. A session waits for these as well (a tier, a region or a path of which a part is slow).
pub(crate) fn time_ns(step: &DiskStepResult) -> f64 {
    let latency = &step.latency_ns;
    let [median, p90] = [latency.p50, latency.p90].map(|ns| ns as f64);
    match latency.mean {
        mean if is_parted(step) => median.max(mean.min(p90)),
        mean if mean > 0.0 => median.min(mean),
        _ => median,
    }
}

/// The steps of small I/Os with one in flight on NFS, each with the time that its requests took on wire and in server, ns.
/// The median of few I/Os says more than the mean.
pub(crate) fn nfs_single_ios<'a>(target: &Target<'a>) -> Vec<(&'a DiskStepResult, f64)> {
    const FEWEST: u64 = 4;
    let single =
        target.singles().filter(|step| step.block_bytes <= 64 << 10 && step.latency_ns.count >= FEWEST);
    let timed = single.filter_map(|step| {
        let rtt_ns = step.layers.iter().find_map(|layer| layer.rtt_ns)?;
        let median = Some(step.latency_ns.p50 as f64).filter(|median| *median > 0.0);
        Some((step, median.map_or(rtt_ns, |median| rtt_ns.min(median))))
    });
    timed.collect()
}
