//! A host's settings and topology: what changes only when someone changes it.
//!
//! Names follow the kernel's own. Paths in `source` fields and gaps are relative to the root that was read.

mod address;
mod block;
pub mod database_log;
pub mod errno;
pub mod kernels_own;
mod management;
mod mount;
mod nic;
mod process;
pub mod stack;
mod system;
pub mod trouble;
pub mod words;

pub use address::{Way, contains, network};
pub use block::*;
pub use management::*;
pub use mount::*;
pub use nic::*;
pub use process::*;
pub use system::*;

use crate::Gap;
use fullwire_record::record;
use std::collections::{BTreeMap, BTreeSet};

/// All records of one host.
#[record]
pub struct Host {
    /// Its name.
    pub hostname: String,
    /// The root that was read is a captured tree, not the live host: nothing was loaded or asked.
    pub captured: bool,
    /// Kernel and distribution.
    pub os: Os,
    /// Processors.
    pub cpu: Cpu,
    /// Memory.
    pub memory: Memory,
    /// System V IPC.
    pub ipc: Ipc,
    /// Clock and its synchronisation.
    pub clock: Clock,
    /// Settings under `/proc/sys`, dotted names, as read (`net.ipv4.tcp_rmem`: `4096\t131072\t6291456`).
    pub sysctls: BTreeMap<String, String>,
    /// For each of them that a file sets at boot, `FILE:LINE` of the last one read, in the order of `sysctl --system`.
    pub sysctl_files: BTreeMap<String, String>,
    /// The values that those lines set.
    pub sysctl_persisted: BTreeMap<String, String>,
    /// Settings in files of the directories of sysctl.d whose names do not end in `.conf`, which nothing reads:
    /// `FILE:LINE` by name.
    pub sysctl_ignored: BTreeMap<String, String>,
    /// Interfaces.
    #[serde(deserialize_with = "crate::json::bounded::list::<_, _, NICS_LIMIT>")]
    pub nics: Vec<Nic>,
    /// Bonds and teams.
    pub bonds: Vec<Bond>,
    /// Routes of the main table and, for each peer, the route that the kernel chose.
    pub routes: Vec<Route>,
    /// Source prefixes that policy routing sends by their own table (`ip rule`); `None`: not known.
    pub source_rules: Option<Vec<String>>,
    /// Block devices of every kind.
    #[serde(deserialize_with = "crate::json::bounded::list::<_, _, DISKS_LIMIT>")]
    pub disks: Vec<Disk>,
    /// Multipath maps.
    #[serde(deserialize_with = "crate::json::bounded::list::<_, _, MAPS_LIMIT>")]
    pub multipath: Vec<MultipathMap>,
    /// Multipath configuration, where readable.
    pub multipath_config: Option<MultipathConfig>,
    /// Fibre Channel host ports.
    pub fc_hosts: Vec<FcHost>,
    /// Ports of arrays that the adapters see.
    pub fc_remote_ports: Vec<FcRemotePort>,
    /// SAS phys.
    pub sas_phys: Vec<SasPhy>,
    /// iSCSI sessions.
    pub iscsi_sessions: Vec<IscsiSession>,
    /// LVM volume groups and volumes as far as device-mapper reports them.
    pub logical_volumes: Vec<LogicalVolume>,
    /// Mounted file systems.
    #[serde(deserialize_with = "crate::json::bounded::list::<_, _, MOUNTS_LIMIT>")]
    pub mounts: Vec<Mount>,
    /// What `/etc/fstab` says; `None`: it could not be read.
    pub fstab: Option<Vec<FstabEntry>>,
    /// Copies that DRBD and ZFS make again, or compare, now.
    pub resyncs: Vec<Resync>,
    /// ZFS pools.
    pub zfs_pools: Vec<ZfsPool>,
    /// File systems of ZFS whose settings a captured tree lists.
    pub zfs_datasets: Vec<ZfsDataset>,
    /// The read cache of ZFS; `None`: no ZFS.
    pub zfs_cache: Option<ZfsCache>,
    /// Swap areas.
    pub swaps: Vec<Swap>,
    /// Own control group and its parents, outermost first; then those of the databases.
    pub cgroups: Vec<Cgroup>,
    /// Databases that run here.
    pub databases: Vec<Database>,
    /// Processes that matter to the I/O path: daemons (`multipathd`, `chronyd`, `irqbalance`) and the busiest.
    pub processes: Vec<Process>,
    /// Kernel-log lines that report trouble.
    pub kernel_log: Vec<LogLine>,
    /// Lines of databases' own logs that report trouble; `None`: no log was read, as on every live host.
    pub database_log: Option<Vec<DatabaseLogLine>>,
    /// The active tuned profile.
    pub tuned_profile: Option<String>,
    /// What manages its settings.
    pub management: Management,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// Interfaces of a host: more are none, and what is judged of each looks at others.
const NICS_LIMIT: usize = 4096;

/// Block devices of a host, partitions and paths among them.
const DISKS_LIMIT: usize = 65_536;

/// Multipath maps of a host: each is looked for among all disks.
const MAPS_LIMIT: usize = 4096;

/// Mounted file systems of a host, as many as its reader takes: each may have findings, which are larger than itself.
const MOUNTS_LIMIT: usize = 8192;

/// How far down the things of a host are followed. Linux lets no interface lie deeper than 8 below another (`MAX_NEST_DEV`,
/// include/linux/netdevice.h); from a mount by a volume, its mapping, arrays and paths to a session and its interface are no
/// more than twice as many. What claims to be deeper was made up.
const DEEPEST: usize = 16;

/// A thing and all that it stands on, nearest first, each once.
pub fn levels<T: Ord + Copy>(top: T, below: impl Fn(T) -> Vec<T>) -> Vec<T> {
    let (mut found, mut seen) = (vec![top], BTreeSet::from([top]));
    let mut level = 0..1;
    for _ in 0..DEEPEST {
        for at in level.clone() {
            found.extend(below(found[at]).into_iter().filter(|one| seen.insert(*one)));
        }
        level = level.end..found.len();
    }
    found
}

impl Host {
    /// Processes that no ordinary user can have started: anyone may call a program `multipathd`. System users end at 999
    /// (login.defs(5), `SYS_UID_MAX`); who runs it is not known of most captures.
    pub fn daemons(&self) -> impl Iterator<Item = &Process> {
        const SYSTEM_UIDS: std::ops::Range<u32> = 0..1000;
        self.processes.iter().filter(|process| process.uid.is_none_or(|uid| SYSTEM_UIDS.contains(&uid)))
    }

    /// Takes over what happened by the time that this host was looked at again: paths and members of arrays that failed
    /// since, lines of the kernel log. What had failed before and works again stays as it was.
    pub fn take_events(&mut self, later: Self) {
        if !later.kernel_log.is_empty() {
            self.kernel_log = later.kernel_log;
        }
        let failed: Vec<MapPath> = later
            .multipath
            .into_iter()
            .flat_map(|map| map.groups)
            .flat_map(|group| group.paths)
            .filter(MapPath::has_failed)
            .collect();
        let paths =
            self.multipath.iter_mut().flat_map(|map| &mut map.groups).flat_map(|group| &mut group.paths);
        for path in paths {
            if let Some(failed) = failed.iter().find(|failed| failed.device == path.device) {
                path.clone_from(failed);
            }
        }
        for disk in later.disks {
            let known = self.disks.iter_mut().find(|known| known.name == disk.name);
            let Some((known, md)) = known.and_then(|disk| disk.md.as_mut()).zip(disk.md) else { continue };
            if md.degraded > known.degraded {
                *known = md;
            }
        }
    }

    /// A setting's text.
    pub fn sysctl(&self, name: &str) -> Option<&str> {
        self.sysctls.get(name).map(String::as_str)
    }

    /// A setting's numbers, saturating: modern `shmall` defaults do not fit in 64 bits times a page.
    pub fn sysctl_numbers(&self, name: &str) -> Option<Vec<u64>> {
        self.sysctl(name)?.split_whitespace().map(|word| word.parse().ok()).collect()
    }

    /// A setting's single number.
    pub fn sysctl_number(&self, name: &str) -> Option<u64> {
        match self.sysctl_numbers(name)?.as_slice() {
            [number] => Some(*number),
            _ => None,
        }
    }

    /// An interface by name.
    pub fn nic(&self, name: &str) -> Option<&Nic> {
        self.nics.iter().find(|nic| nic.name == name)
    }

    /// A bond by the name of its interface.
    pub fn bond(&self, name: &str) -> Option<&Bond> {
        self.bonds.iter().find(|bond| bond.name == name)
    }

    /// A block device by kernel name.
    pub fn disk(&self, name: &str) -> Option<&Disk> {
        self.disks.iter().find(|disk| disk.name == name)
    }

    /// A block device by `MAJOR:MINOR`.
    pub fn disk_by_number(&self, number: &str) -> Option<&Disk> {
        self.disks.iter().find(|disk| !number.is_empty() && disk.number == number)
    }

    /// A device and everything below it, top first: partition, logical volume, md, multipath, paths, disk.
    pub fn stack(&self, name: &str) -> Vec<&Disk> {
        let below = |name: &str| {
            let disk = self.disk(name).into_iter();
            disk.flat_map(|disk| disk.slaves.iter().map(String::as_str).chain(disk.parent())).collect()
        };
        levels(name, below).into_iter().filter_map(|name| self.disk(name)).collect()
    }

    /// The devices that hold the journals of file systems on this device, where those are elsewhere (`logdev` of xfs(5), external
    /// journals of ext4).
    pub fn journals(&self, name: &str) -> Vec<&Disk> {
        let Some(number) = self.disk(name).map(|disk| disk.number.as_str()).filter(|own| !own.is_empty())
        else {
            return Vec::new();
        };
        let own = self.mounts.iter().filter(|mount| mount.number == number);
        let devices = own
            .filter_map(|mount| mount.option("logdev").or(mount.journal.as_deref()))
            .map(|path| path.rsplit('/').next().unwrap_or(path));
        let mut found: Vec<&Disk> = Vec::new();
        for name in devices {
            let named =
                |disk: &&Disk| disk.name == name || disk.dm.as_ref().is_some_and(|dm| dm.name == name);
            found.extend(
                self.disks
                    .iter()
                    .find(named)
                    .filter(|disk| !found.iter().any(|known| known.name == disk.name)),
            );
        }
        found
    }

    /// The mount that contains a path: the longest mount point that is its prefix, the last one mounted there.
    pub fn mount_of(&self, path: &str) -> Option<&Mount> {
        self.mounts.iter().filter(|mount| mount.holds(path)).max_by_key(|mount| mount.target.len())
    }

    /// The ZFS file system that a mount is of.
    pub fn zfs_dataset_of(&self, mount: &Mount) -> Option<&ZfsDataset> {
        self.zfs_datasets.iter().find(|dataset| dataset.name == mount.source)
    }

    /// Why a fact is missing, for a rule's unknown outcome.
    pub fn gap_about(&self, subject: &str) -> Option<&Gap> {
        self.gaps.iter().find(|gap| gap.subject.contains(subject))
    }
}

/// A kernel-log line that reports trouble.
#[record]
pub struct LogLine {
    /// Which pattern it matched: `io-error`, `fs-error`, `hung-task`, `oom`, `link-down`, `scsi-timeout`,
    /// `multipath-failed`, `nfs-timeout`, `machine-check`.
    pub pattern: String,
    /// The last such line without its time stamp.
    pub text: String,
    /// Seconds since boot of the last such line, when known.
    pub seconds: Option<f64>,
    /// Seconds since boot of the first such line, when known.
    pub first_seconds: Option<f64>,
    /// Times that lines like it were seen.
    pub count: u64,
}

/// A line of a database's own log that reports trouble.
#[record]
pub struct DatabaseLogLine {
    /// What it reports: `wraparound`, `disk-full`, `corruption`, `open-files`, ...
    pub kind: String,
    /// The last such line, without its time stamp.
    pub text: String,
    /// Seconds between that line and the capture, when both times are known.
    pub age_s: Option<f64>,
    /// Lines of this kind in the log.
    pub count: u64,
    /// The log.
    pub source: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_bring_what_failed_since_and_keep_what_had_failed() {
        let path = |device: &str, state: &str| MapPath {
            device: device.into(),
            dm_state: state.into(),
            ..MapPath::default()
        };
        let host = |one: &str, other: &str, degraded: u64, log: &[&str]| Host {
            multipath: vec![MultipathMap {
                groups: vec![PathGroup {
                    paths: vec![path("sda", one), path("sdb", other)],
                    ..PathGroup::default()
                }],
                ..MultipathMap::default()
            }],
            disks: vec![Disk {
                name: "md0".into(),
                md: Some(MdArray { degraded, ..MdArray::default() }),
                ..Disk::default()
            }],
            kernel_log: log
                .iter()
                .map(|text| LogLine { text: (*text).into(), ..LogLine::default() })
                .collect(),
            ..Host::default()
        };
        let mut seen = host("failed", "active", 0, &["first"]);
        seen.take_events(host("active", "failed", 1, &["first", "second"]));
        let states: Vec<&str> =
            seen.multipath[0].groups[0].paths.iter().map(|path| path.dm_state.as_str()).collect();
        assert_eq!(states, ["failed", "failed"]);
        assert_eq!(seen.disks[0].md.as_ref().map(|md| md.degraded), Some(1));
        assert_eq!(seen.kernel_log.len(), 2);
        seen.take_events(Host::default());
        assert_eq!((seen.kernel_log.len(), seen.multipath.len()), (2, 1));
    }
}
