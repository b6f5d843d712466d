use super::PcieLink;
use crate::Gap;
use fullwire_record::record;
use std::collections::BTreeMap;

/// A block device: whole disk, partition, device-mapper map, md array, loop.
#[record]
pub struct Disk {
    /// Kernel name (`sda`, `dm-0`, `nvme0n1p1`).
    pub name: String,
    /// `MAJOR:MINOR`.
    pub number: String,
    /// `disk`, `partition`, `lvm`, `multipath`, `crypt`, `dm` (another device-mapper target), `md`, `loop`,
    /// `ram`, `zram`, `nbd`, `rom`.
    pub kind: String,
    /// Bytes.
    pub size_bytes: u64,
    /// Cannot be written.
    pub read_only: Option<bool>,
    /// Can be taken out.
    pub removable: Option<bool>,
    /// Devices above.
    pub holders: Vec<String>,
    /// Devices directly below.
    pub slaves: Vec<String>,
    /// Partitions of it.
    pub partitions: Vec<String>,
    /// Names below `/dev` (`disk/by-id/…`, `mapper/…`, `oracleasm/disks/…`) that lead to it.
    pub links: Vec<String>,
    /// Vendor as the device says.
    pub vendor: String,
    /// Model as the device says.
    pub model: String,
    /// Serial number.
    pub serial: String,
    /// World-wide name or other identity that all paths to one unit share.
    pub wwid: String,
    /// Request-queue attributes; a partition has its disk's.
    pub queue: Option<Queue>,
    /// When it is a partition.
    pub partition: Option<Partition>,
    /// When it is a device-mapper map.
    pub dm: Option<DmMap>,
    /// When it is an md array.
    pub md: Option<MdArray>,
    /// When it is a SCSI disk.
    pub scsi: Option<ScsiDevice>,
    /// When it is an `NVMe` namespace.
    pub nvme: Option<NvmeNamespace>,
    /// When it is a loop device.
    pub loop_device: Option<LoopDevice>,
    /// What kind of link leads to the medium: `pcie`, `sas`, `sata`, `fc`, `iscsi`, `nvme-tcp`, `nvme-rdma`,
    /// `nvme-fc`, `virtio`, `xen`, `usb`, `scsi` (a virtual or parallel adapter), `none` (no hardware).
    pub transport: String,
    /// Negotiated speed of a SATA link, or of all lanes of a SAS port together, Gbit/s.
    pub link_gbit_per_s: Option<f64>,
    /// What that link could do, Gbit/s.
    pub link_max_gbit_per_s: Option<f64>,
    /// The PCI device that it hangs on (adapter, or the drive itself).
    pub controller: Option<Controller>,
}

impl Disk {
    /// A partition's disk.
    pub fn parent(&self) -> Option<&str> {
        self.partition.as_ref().map(|partition| partition.disk.as_str())
    }

    /// The number of its SCSI host, with which its address begins.
    pub fn scsi_host_number(&self) -> Option<&str> {
        self.scsi.as_ref()?.address.split(':').next().filter(|number| !number.is_empty())
    }
}

/// The PCI device that leads to a disk.
#[record]
pub struct Controller {
    /// PCI address (`0000:05:00.0`).
    pub address: String,
    /// Its driver.
    pub driver: String,
    /// Its slot's link.
    pub pcie: Option<PcieLink>,
}

/// Request-queue attributes (`/sys/block/X/queue`). `None`: this kernel has no such file.
#[record]
pub struct Queue {
    /// The one in use (`none`, `mq-deadline`, `bfq`, `kyber`).
    pub scheduler: Option<String>,
    /// All that could be used.
    pub schedulers: Vec<String>,
    /// Requests that the block layer can queue.
    pub nr_requests: Option<u64>,
    /// Largest request that the block layer makes, bytes (`max_sectors_kb`).
    pub max_request_bytes: Option<u64>,
    /// Largest request that the hardware takes, bytes (`max_hw_sectors_kb`).
    pub max_hw_request_bytes: Option<u64>,
    /// Pieces of memory in one request.
    pub max_segments: Option<u64>,
    /// Largest piece, bytes.
    pub max_segment_bytes: Option<u64>,
    /// Stripe or zone that no request crosses, bytes; 0: none.
    pub chunk_bytes: Option<u64>,
    /// Addressable unit, bytes.
    pub logical_block_bytes: Option<u64>,
    /// Unit that the medium writes at a time, bytes.
    pub physical_block_bytes: Option<u64>,
    /// Smallest size that is not slow, bytes.
    pub minimum_io_bytes: Option<u64>,
    /// Best size, bytes; 0: not reported.
    pub optimal_io_bytes: Option<u64>,
    /// Bytes by which the start is off the physical unit.
    pub alignment_offset_bytes: Option<i64>,
    /// Read-ahead, bytes.
    pub read_ahead_bytes: Option<u64>,
    /// Marked as rotational (often wrong on virtual disks).
    pub rotational: Option<bool>,
    /// `write back` or `write through`.
    pub write_cache: Option<String>,
    /// Takes writes that bypass its cache.
    pub fua: Option<bool>,
    /// Keeps statistics.
    pub iostats: Option<bool>,
    /// 0: completes anywhere, 1: on the CPU group, 2: on the CPU that asked.
    pub rq_affinity: Option<u64>,
    /// 0: merges, 1: simple merges only, 2: none.
    pub nomerges: Option<u64>,
    /// Feeds the entropy pool.
    pub add_random: Option<bool>,
    /// Write-back throttling target, µs; 0: off.
    pub wbt_lat_us: Option<u64>,
    /// Polling: completions without interrupts.
    pub io_poll: Option<bool>,
    /// Largest discard, bytes; 0: none.
    pub discard_max_bytes: Option<u64>,
    /// Hardware queues.
    pub hardware_queues: Option<u64>,
}

/// A partition.
#[record]
pub struct Partition {
    /// The disk that it is part of.
    pub disk: String,
    /// Its number.
    pub number: u32,
    /// Where it starts, bytes.
    pub start_bytes: u64,
}

/// A device-mapper map.
#[record]
pub struct DmMap {
    /// Its name.
    pub name: String,
    /// Its UUID (`mpath-…`, `LVM-…`).
    pub uuid: String,
    /// Its table, if the ioctl or a captured `dmsetup table` reported it.
    pub targets: Vec<DmTarget>,
    /// Suspended: all I/O waits.
    pub suspended: Option<bool>,
}

/// A line of a device-mapper table.
#[record]
pub struct DmTarget {
    /// First sector.
    pub start_sectors: u64,
    /// Length.
    pub length_sectors: u64,
    /// `linear`, `striped`, `multipath`, `thin`, `snapshot`, `crypt`, `delay`, ...
    pub kind: String,
    /// Its parameters as the kernel prints them (a key of crypt is left out).
    pub parameters: String,
    /// Its status line, where read.
    pub status: String,
}

/// An md array.
#[record]
pub struct MdArray {
    /// `raid1`, `raid10`, ...
    pub level: String,
    /// Members it should have.
    pub raid_disks: u64,
    /// Members missing or failed.
    pub degraded: u64,
    /// `clean`, `active`, `inactive`, ...
    pub state: String,
    /// `idle`, `resync`, `recover`, `check`, ...
    pub sync_action: String,
    /// Share of a running resync that is done.
    pub sync_done: Option<f64>,
    /// Chunk, bytes.
    pub chunk_bytes: Option<u64>,
    /// RAID 4, 5, 6: entries of the stripe cache, one page of each member in each.
    pub stripe_cache_entries: Option<u64>,
    /// What brings the members into agreement after a crash: `resync` of everything, `bitmap`, `journal`, `ppl`, or
    /// `none` where nothing is kept twice; empty: not known.
    pub consistency_policy: String,
    /// Members and their states (`in_sync`, `faulty`, `spare`).
    pub members: BTreeMap<String, String>,
}

/// A SCSI disk.
#[record]
pub struct ScsiDevice {
    /// `HOST:CHANNEL:TARGET:LUN`.
    pub address: String,
    /// `running`, `offline`, `blocked`, ...
    pub state: String,
    /// Commands that the host sends it at a time.
    pub queue_depth: Option<u64>,
    /// Command timeout, s.
    pub timeout_s: Option<u64>,
    /// The host adapter's driver.
    pub host_driver: String,
    /// Commands that the adapter takes at a time.
    pub host_can_queue: Option<u64>,
    /// ALUA access state (`active/optimized`).
    pub access_state: Option<String>,
    /// The host adapter (`host5`); an FC host or iSCSI session has the same name or disk.
    pub host: String,
}

/// An `NVMe` namespace.
#[record]
pub struct NvmeNamespace {
    /// Its subsystem's qualified name.
    pub subsystem: String,
    /// Multipath policy (`numa`, `round-robin`, `queue-depth`).
    pub io_policy: Option<String>,
    /// After how many seconds the driver gives a request up (`io_timeout` of `nvme_core`).
    pub io_timeout_s: Option<u64>,
    /// Controllers that lead to it.
    pub controllers: Vec<NvmeController>,
}

/// An `NVMe` controller: one path.
#[record]
pub struct NvmeController {
    /// Kernel name.
    pub name: String,
    /// `pcie`, `tcp`, `rdma`, `fc`.
    pub transport: String,
    /// PCI address, or `traddr=…,trsvcid=…`.
    pub address: String,
    /// `live`, `connecting`, ...
    pub state: String,
    /// `optimized`, `non-optimized`, ...
    pub ana_state: Option<String>,
    /// I/O queues.
    pub queue_count: Option<u64>,
    /// Slots of a queue.
    pub queue_slots: Option<u64>,
    /// Over a network: seconds after which a lost controller is removed, `off`: never; empty: not read.
    pub controller_loss_timeout: String,
    /// The slot's link.
    pub pcie: Option<PcieLink>,
    /// The drive's own health report (SMART / health log).
    pub health: Option<NvmeHealth>,
}

/// The health log of an `NVMe` drive (NVM Express Base Specification, "SMART / Health Information").
#[record]
pub struct NvmeHealth {
    /// Bits: 1 spare blocks low, 2 temperature, 4 reliability degraded, 8 read-only, 16 backup of the cache failed.
    pub critical_warning: u8,
    /// Spare blocks left, percent.
    pub available_spare_percent: u8,
    /// Below this many percent the drive warns.
    pub spare_threshold_percent: u8,
    /// Rated endurance used, percent; may exceed 100.
    pub percentage_used: u8,
    /// Times that the drive found data that it could not read or correct.
    pub media_errors: u64,
    /// Minutes above the warning temperature.
    pub warning_temperature_minutes: u64,
}

/// A loop device.
#[record]
pub struct LoopDevice {
    /// The file behind it.
    pub backing_file: String,
    /// It bypasses the page cache of the file system below.
    pub direct_io: Option<bool>,
}

/// A multipath map.
#[record]
pub struct MultipathMap {
    /// Its name (`mpatha`).
    pub name: String,
    /// Its device (`dm-2`).
    pub device: String,
    /// The unit's identity.
    pub wwid: String,
    /// Vendor and product.
    pub product: String,
    /// Features as the table has them (`queue_if_no_path`).
    pub features: Vec<String>,
    /// Hardware handler (`1 alua`).
    pub hardware_handler: String,
    /// Path groups, first choice first.
    pub groups: Vec<PathGroup>,
    /// `no_path_retry` in effect: as multipathd reported it, else as its configuration sets it for this map.
    pub no_path_retry: Option<String>,
    /// Where it was read: `sysfs`, `dm`, `multipath -ll`, `multipathd show maps json`.
    pub source: String,
}

impl MultipathMap {
    /// What `multipath -ll` draws its tree with, and what web pages make of it.
    pub const BRANCHES: [char; 16] = [
        '|', '`', '\'', ' ', '-', '+', '=', '\\', '_', '*', '\u{a6}', '\u{2502}', '\u{251c}', '\u{2514}',
        '\u{2500}', '\t',
    ];

    /// A device of PowerPath, which has its own driver and no settings of device-mapper's.
    pub fn is_powerpath(&self) -> bool {
        self.source.starts_with("powermt")
    }

    /// `mpatha: 2 of 2 paths work, round-robin, no_path_retry fail`.
    pub fn state(&self) -> String {
        let paths = || self.groups.iter().flat_map(|group| &group.paths);
        let works = paths().filter(|path| !path.has_failed()).count();
        let selector = self.groups.first().and_then(|group| group.selector.split(' ').next());
        let selector = selector.filter(|name| !name.is_empty()).map(|name| format!(", {name}"));
        let retry = self.no_path_retry.as_ref().map(|retry| format!(", no_path_retry {retry}"));
        let (name, selector) = (&self.name, selector.unwrap_or_default());
        format!("{name}: {works} of {} paths work{selector}{}", paths().count(), retry.unwrap_or_default())
    }
}

/// A group of paths that are used together.
#[record]
pub struct PathGroup {
    /// `service-time 0`, `round-robin 0`, `queue-length 0`.
    pub selector: String,
    /// `active`, `enabled`, `disabled`.
    pub state: String,
    /// ALUA priority.
    pub priority: Option<i64>,
    /// Its paths.
    pub paths: Vec<MapPath>,
}

/// One path to a unit.
#[record]
pub struct MapPath {
    /// Its disk (`sdb`).
    pub device: String,
    /// `HOST:CHANNEL:TARGET:LUN`.
    pub address: String,
    /// Device-mapper's opinion: `active`, `failed`; empty: not read.
    pub dm_state: String,
    /// The checker's: `ready`, `faulty`, `ghost`, `shaky`, `delayed`, `undef`; empty: not read.
    pub checker_state: String,
    /// The device's own: `running`, `offline`, `live`; empty: not read.
    pub device_state: String,
    /// Failures that device-mapper counted.
    pub failures: Option<u64>,
}

impl MapPath {
    /// Device-mapper, the checker or the device itself says that it does not work.
    pub fn has_failed(&self) -> bool {
        self.dm_state == "failed"
            || self.checker_state == "faulty"
            || !matches!(self.device_state.as_str(), "" | "running" | "live" | "created")
    }
}

/// Multipath configuration, as reported by the daemon or read from the file.
#[record]
pub struct MultipathConfig {
    /// Settings of the defaults and overrides sections.
    pub settings: BTreeMap<String, String>,
    /// The file was changed after the running kernel's initramfs was made, so that a copy in it is older; from a
    /// sosreport: the copy has another size.
    pub initramfs_differs: Option<bool>,
    /// Settings by product, in the file's order.
    pub devices: Vec<MultipathDevice>,
    /// Where it was read: `/etc/multipath.conf`, `multipathd show config`.
    pub source: String,
}

/// Multipath settings for one product.
#[record]
pub struct MultipathDevice {
    /// Regular expression of the vendor.
    pub vendor: String,
    /// Regular expression of the product.
    pub product: String,
    /// Its settings.
    pub settings: BTreeMap<String, String>,
}

/// A Fibre Channel host port.
#[record]
pub struct FcHost {
    /// `host5`.
    pub name: String,
    /// `Online`, `Linkdown`, ...
    pub port_state: String,
    /// `NPort (fabric via point-to-point)`, ...
    pub port_type: String,
    /// Negotiated, Gbit/s; `None`: not negotiated.
    pub speed_gbit_per_s: Option<f64>,
    /// The fastest that it supports, Gbit/s.
    pub supported_gbit_per_s: Option<f64>,
    /// World-wide port name.
    pub port_name: String,
    /// The adapter's slot.
    pub pcie: Option<PcieLink>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// A port of an array or another target that a Fibre Channel adapter has seen.
#[record]
pub struct FcRemotePort {
    /// `rport-5:0-1`.
    pub name: String,
    /// The adapter that sees it (`host5`).
    pub host: String,
    /// `Online`, `Blocked`, `Marginal`, `Not Present`, ...
    pub port_state: String,
    /// What it is (`FCP Target`).
    pub roles: String,
    /// World-wide port name.
    pub port_name: String,
    /// World-wide name of the array or controller that it belongs to.
    pub node_name: String,
    /// Seconds after which a lost port's disks are removed.
    pub dev_loss_tmo_s: Option<u64>,
    /// Seconds after which I/O to a lost port fails; `None`: off or not read.
    pub fast_io_fail_tmo_s: Option<u64>,
    /// I/O never fails before the port is removed (`fast_io_fail_tmo` is `off`).
    pub fast_io_fail_off: bool,
    /// The target in the addresses of its disks; `None`: not read, or no target.
    pub scsi_target_id: Option<u64>,
}

impl FcRemotePort {
    /// The disk is reached through it; `None`: that is not known.
    pub fn carries(&self, disk: &Disk) -> Option<bool> {
        let target = self.scsi_target_id?;
        let address =
            disk.scsi.as_ref().map(|scsi| scsi.address.as_str()).filter(|address| !address.is_empty())?;
        let mut parts = address.split(':');
        let host = parts.next()?;
        let own = parts.nth(1)?.parse::<u64>().ok()?;
        Some(self.host.strip_prefix("host") == Some(host) && own == target)
    }
}

/// A SAS phy.
#[record]
pub struct SasPhy {
    /// `phy-0:1`.
    pub name: String,
    /// Negotiated, Gbit/s.
    pub negotiated_gbit_per_s: Option<f64>,
    /// The fastest that it supports, Gbit/s.
    pub maximum_gbit_per_s: Option<f64>,
}

/// An iSCSI session.
#[record]
pub struct IscsiSession {
    /// `session1`.
    pub name: String,
    /// Target's qualified name.
    pub target: String,
    /// Portal's address and port.
    pub portal: String,
    /// `LOGGED_IN`, ...
    pub state: String,
    /// Seconds before commands of a lost session fail.
    pub recovery_tmo_s: Option<u64>,
    /// Longest data segment received, bytes.
    pub max_receive_bytes: Option<u64>,
    /// Commands at a time.
    pub cmds_max: Option<u64>,
    /// Checksum of the data, as negotiated: `None`, `CRC32C`; empty: not read.
    pub data_digest: String,
    /// Seconds of silence after which the initiator asks whether the target is there; 0: it does not ask.
    pub ping_interval_s: Option<u64>,
    /// Its disks.
    pub disks: Vec<String>,
}

/// A logical volume, from its device-mapper table.
#[record]
pub struct LogicalVolume {
    /// `dm-3`.
    pub device: String,
    /// `data-oradata`.
    pub name: String,
    /// Volume group, if the name shows it.
    pub volume_group: String,
    /// `linear`, `striped`, `thin`, `thin-pool`, `snapshot`, `raid`, `cache`, `mixed`; empty: its table was not
    /// readable.
    pub layout: String,
    /// Legs of the stripe.
    pub stripes: u32,
    /// Stripe, bytes.
    pub stripe_bytes: Option<u64>,
    /// Physical volumes under it, kernel names.
    pub physical_volumes: Vec<String>,
    /// Thin pool or snapshot: share of the data space that is used.
    pub data_used: Option<f64>,
    /// Thin pool: share of the metadata space that is used.
    pub metadata_used: Option<f64>,
    /// Thin volume: its pool's device-mapper name.
    pub pool: String,
    /// When it keeps copies or parity, as the kernel reports it.
    pub raid: Option<LvmRaid>,
}

/// A copy of data that is made again, compared, or lacking, by what has no record of its own for it.
#[record]
pub struct Resync {
    /// What makes it: `DRBD device`, `ZFS pool`.
    pub of: String,
    /// The device or pool.
    pub name: String,
    /// In its own words: `SyncSource`, `SyncTarget`, `VerifyS`, `resilver`, `scrub`; what is lacking: `StandAlone`, `disk Failed`.
    pub action: String,
    /// Share that is done.
    pub done: Option<f64>,
    /// Where it was read.
    pub source: String,
}

/// What the kernel reports about a mirrored or RAID volume.
#[record]
pub struct LvmRaid {
    /// `raid1`, `raid5_ls`, `raid10`, `mirror`.
    pub level: String,
    /// Legs.
    pub legs: u32,
    /// Legs that failed, counted from 0.
    pub failed: Vec<u32>,
    /// `idle`, `resync`, `recover`, `check`, `repair`, `reshape`; empty: not reported.
    pub sync_action: String,
    /// Share that is in sync.
    pub sync_done: Option<f64>,
}
