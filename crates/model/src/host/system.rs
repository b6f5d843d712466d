use fullwire_record::record;
use std::collections::BTreeMap;

/// Kernel and distribution.
#[record]
pub struct Os {
    /// Kernel release (`6.1.0-18-amd64`).
    pub kernel_release: String,
    /// Kernel's build line.
    pub kernel_version: String,
    /// `x86_64`.
    pub architecture: String,
    /// Kernel command line.
    pub command_line: String,
    /// `debian`, `rhel`, `ol`, `sles`, `ubuntu`.
    pub distribution: String,
    /// `12`, `8.9`.
    pub version: String,
    /// As it calls itself.
    pub pretty_name: String,
    /// Families that it says it is like (`rhel fedora`).
    pub like: Vec<String>,
    /// Maker, model and firmware, as the machine's own tables name them; `None`: not readable.
    pub model: Option<String>,
    /// `none`, `kvm`, `vmware`, `hyperv`, `xen`, `dom0` (the domain that runs Xen), `uml`, `container:…`; `None`: not known.
    pub virtualization: Option<String>,
    /// `aws`, `azure`, `gcp`, `oci`; `None`: none seen.
    pub cloud: Option<String>,
    /// Seconds since boot.
    pub uptime_s: Option<f64>,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Tells this machine from every other one, and is none of its own numbers (a hash of its machine id); `None`: not known.
    pub machine: Option<String>,
    /// systemd runs as the service manager; `None`: not known.
    pub systemd: Option<bool>,
}

/// Processors.
#[record]
pub struct Cpu {
    /// Model name.
    pub model: String,
    /// CPUs online.
    pub online: u32,
    /// Sockets.
    pub sockets: Option<u32>,
    /// Cores of all sockets.
    pub cores: Option<u32>,
    /// NUMA nodes and their CPUs (`0-15`).
    pub numa_nodes: BTreeMap<u32, String>,
    /// Frequency governors in use and how many CPUs have each.
    pub governors: BTreeMap<String, u32>,
    /// `intel_pstate`, `acpi-cpufreq`, ...
    pub frequency_driver: Option<String>,
    /// Idle states that are allowed: name and exit latency, µs.
    pub idle_states: BTreeMap<String, u64>,
    /// Mitigations as the kernel names them.
    pub vulnerabilities: BTreeMap<String, String>,
    /// Flags that rules need (`constant_tsc`, `nonstop_tsc`, `hypervisor`).
    pub flags: Vec<String>,
    /// Of a partition of a POWER server that shares its processors with others.
    pub entitlement: Option<Entitlement>,
}

/// What a shared partition of a POWER server may use.
#[record]
pub struct Entitlement {
    /// Processors that are its own at any time; a part of one counts.
    pub processors: f64,
    /// Processors that the guest sees.
    pub virtual_processors: u32,
    /// It may not use more, even if others are idle.
    pub capped: bool,
}

/// Memory.
#[record]
pub struct Memory {
    /// All of it, bytes.
    pub total_bytes: Option<u64>,
    /// What can be had without swapping, bytes.
    pub available_bytes: Option<u64>,
    /// Free, bytes.
    pub free_bytes: Option<u64>,
    /// Page cache, bytes.
    pub cached_bytes: Option<u64>,
    /// Dirty pages, bytes.
    pub dirty_bytes: Option<u64>,
    /// Swap, bytes.
    pub swap_total_bytes: Option<u64>,
    /// What the kernel may promise with strict accounting, bytes.
    pub commit_limit_bytes: Option<u64>,
    /// What it has promised, bytes.
    pub committed_bytes: Option<u64>,
    /// Page tables, bytes.
    pub page_tables_bytes: Option<u64>,
    /// Default huge page, bytes.
    pub huge_page_bytes: Option<u64>,
    /// Huge pages there are.
    pub huge_pages_total: Option<u64>,
    /// Huge pages that are free.
    pub huge_pages_free: Option<u64>,
    /// Huge pages promised but not yet used.
    pub huge_pages_reserved: Option<u64>,
    /// `always`, `madvise`, `never`.
    pub transparent_huge_pages: Option<String>,
    /// How hard it defragments for them.
    pub transparent_huge_pages_defrag: Option<String>,
    /// Each NUMA node's total and free memory, bytes.
    pub numa_nodes: BTreeMap<u32, [u64; 2]>,
    /// Corrected and uncorrected errors of the memory controllers since boot.
    pub edac_errors: Option<[u64; 2]>,
    /// The modules that counted errors, as far as the controllers tell them apart.
    pub faulty_modules: Vec<MemoryModule>,
    /// What the hypervisor has taken by the balloon, bytes, as its tools in the guest print it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balloon_bytes: Option<u64>,
    /// Read back from swap while `vmstat` of a capture ran, bytes/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swap_in_bytes_per_s: Option<f64>,
    /// Written to swap meanwhile, bytes/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swap_out_bytes_per_s: Option<f64>,
}

/// A memory module, and the errors that its controller counted for it since boot.
#[record]
pub struct MemoryModule {
    /// Its label on the board, or its place (`mc0/dimm3`).
    pub name: String,
    /// Errors that were corrected.
    pub corrected: u64,
    /// Errors that were not.
    pub uncorrected: u64,
}

/// System V IPC: limits and use.
#[record]
pub struct Ipc {
    /// Largest segment, bytes.
    pub shmmax_bytes: Option<u64>,
    /// All segments, pages.
    pub shmall_pages: Option<u64>,
    /// Segments.
    pub shmmni: Option<u64>,
    /// `kernel.sem`: SEMMSL SEMMNS SEMOPM SEMMNI.
    pub sem: Option<[u64; 4]>,
    /// Shared-memory segments there are.
    pub segments: Vec<SharedSegment>,
    /// Semaphore sets in use.
    pub semaphore_sets: Option<u64>,
    /// Semaphores in use.
    pub semaphores: Option<u64>,
    /// logind removes a user's segments when he logs out (`RemoveIPC`); `None`: no file sets it.
    pub remove_ipc: Option<bool>,
}

/// A System V shared-memory segment.
#[record]
pub struct SharedSegment {
    /// Its number.
    pub id: u64,
    /// Bytes.
    pub size_bytes: u64,
    /// Owner.
    pub uid: u32,
    /// Creator.
    pub creator_pid: u32,
    /// The creator still runs.
    pub creator_alive: Option<bool>,
    /// Attached processes.
    pub attached: u64,
}

/// Clock and its synchronisation.
#[record]
pub struct Clock {
    /// In use (`tsc`, `kvm-clock`, `acpi_pm`).
    pub source: Option<String>,
    /// All that could be used.
    pub sources: Vec<String>,
    /// The kernel considers the clock synchronised (`adjtimex`).
    pub synchronised: Option<bool>,
    /// Largest error that the kernel assumes, µs.
    pub max_error_us: Option<u64>,
    /// Last offset, ns.
    pub offset_ns: Option<i64>,
    /// Daemon that keeps it (`chronyd`, `ntpd`, `systemd-timesyncd`).
    pub daemon: Option<String>,
    /// The daemon's own word: it follows a time source (`chronyc tracking`).
    pub daemon_synchronised: Option<bool>,
    /// Time sources that chrony's configuration names; `None`: not read, or read from further files.
    pub configured_sources: Option<u64>,
    /// chrony tells the kernel that the clock is synchronised (`rtcsync`).
    pub rtcsync: Option<bool>,
    /// chrony may step the clock at any update, not at its start alone (`makestep` with a negative limit).
    pub steps_always: Option<bool>,
    /// The tools of the hypervisor set the clock too, every minute (`vmware-toolbox-cmd timesync status`).
    pub guest_tools: Option<bool>,
}

/// A ZFS pool that is imported.
#[record]
pub struct ZfsPool {
    /// Its name.
    pub name: String,
    /// `ONLINE`, `DEGRADED`, `FAULTED`, `SUSPENDED`, ...
    pub state: String,
    /// How full it is, per cent; `None`: not read.
    pub used_percent: Option<u64>,
    /// How broken up its free space is, per cent.
    pub fragmented_percent: Option<u64>,
    /// Devices that are not `ONLINE`, each with its state, and those that counted errors.
    pub bad_devices: Vec<String>,
    /// Files with errors that it could not repair.
    pub damaged_files: Vec<String>,
    /// Where its state was read.
    pub source: String,
}

/// A file system of ZFS, of which settings were listed.
#[record]
pub struct ZfsDataset {
    /// Its name, the pool's first (`tank/mysql`).
    pub name: String,
    /// `standard`, `always`, `disabled`.
    pub sync: String,
    /// Largest record, bytes.
    pub record_bytes: Option<u64>,
    /// Where it was read.
    pub source: String,
}

/// The read cache of ZFS, which is no page cache.
#[record]
pub struct ZfsCache {
    /// Current size, bytes.
    pub size_bytes: u64,
    /// What it may grow to, bytes.
    pub max_bytes: u64,
}

/// What makes the control groups of containers, and writes their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runtime {
    /// Of Kubernetes' pods.
    Kubelet,
    /// Docker.
    Docker,
    /// Podman, whose groups are called after its library.
    Podman,
}

impl Runtime {
    /// The runtime that made a control group, by its path; `None`: none that is known.
    pub fn of_group(path: &str) -> Option<Self> {
        let all = [("kubepods", Self::Kubelet), ("docker", Self::Docker), ("libpod", Self::Podman)];
        all.into_iter().find(|(word, _)| path.contains(word)).map(|(_, runtime)| runtime)
    }
}

/// A control group's limits.
#[record]
pub struct Cgroup {
    /// Path below the control-group mount.
    pub path: String,
    /// Version of the interface, 1 or 2; 0: not known.
    pub version: u8,
    /// CPU quota over period: CPUs; `None`: unlimited.
    pub cpu_quota: Option<f64>,
    /// `memory.max`, bytes; `None`: unlimited.
    pub memory_max_bytes: Option<u64>,
    /// `memory.high`, bytes; `None`: unlimited.
    pub memory_high_bytes: Option<u64>,
    /// `pids.max`; `None`: unlimited.
    pub pids_max: Option<u64>,
    /// `cpu.rt_runtime_us` of version 1: CPU time that its real-time tasks may take of each period, µs; 0: none may run.
    pub realtime_runtime_us: Option<u64>,
    /// I/O limits by device number.
    pub io_max: BTreeMap<String, IoMax>,
}

impl Cgroup {
    /// The lower of its two limits of memory, bytes.
    pub fn memory_limit_bytes(&self) -> Option<u64> {
        self.memory_max_bytes.into_iter().chain(self.memory_high_bytes).min()
    }
}

/// A control group's I/O limits on one device. `None`: unlimited.
#[record]
pub struct IoMax {
    /// Bytes read a second.
    pub read_bytes_per_s: Option<u64>,
    /// Bytes written a second.
    pub write_bytes_per_s: Option<u64>,
    /// Reads per second.
    pub read_io_per_s: Option<u64>,
    /// Writes per second.
    pub write_io_per_s: Option<u64>,
}
