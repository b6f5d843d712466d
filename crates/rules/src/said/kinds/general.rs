//! What a line means that no entry is for: who writes it, by the names of drivers and programs, and what kind of trouble it
//! tells of, by its verb. Both together are an entry like any other; its remedy only looks.

use super::super::Entry;
use super::adapters::{FABRIC, HBA, NIC, VIRTUAL_DISK, VIRTUAL_NIC};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::kernels_own::program_of;
use fullwire_model::host::words;
use std::sync::LazyLock;

/// Who writes lines.
struct Writer {
    /// Names of drivers, programs and parts.
    names: &'static [&'static str],
    /// What these are; where it is a driver, its name is told too.
    who: &'static str,
    layer: Layer,
    /// What waits for it, or suffers.
    effect: &'static str,
    /// Where to look; nothing that changes anything.
    look: &'static str,
}

/// A kind of trouble.
struct Trouble {
    /// One of these is in the line, between the borders of words.
    words: &'static [&'static str],
    /// What is reported.
    what: &'static str,
    /// What it means, whoever reports it.
    means: &'static str,
    /// Of someone who is known.
    severity: Severity,
    /// It harms whoever reports it.
    is_hosts: bool,
}

const fn writer(
    names: &'static [&'static str],
    who: &'static str,
    layer: Layer,
    effect: &'static str,
    look: &'static str,
) -> Writer {
    Writer { names, who, layer, effect, look }
}

const NIC_WAITS: &str =
    "Whatever goes over its interface waits: clients, the cluster's heartbeat, iSCSI and NFS.";
const PATHS_WAIT: &str =
    "All paths and disks behind it wait or fail together; none of the disks need be at fault.";
const VOLUME_WAITS: &str = "All that lies on it waits, or loses its redundancy.";
const FILES_FAIL: &str = "What the database writes to it may wait, fail, or be lost.";
const NODES_WAIT: &str =
    "Locks and blocks of the other nodes wait, and a node that stays unheard is put out of the cluster.";

/// The names are those of the modules below drivers/ and fs/ of Linux, and of the programs; a line is of the one that stands first
/// in it.
#[rustfmt::skip]
const WRITERS: &[Writer] = &[
    writer(NIC, "the driver of a network adapter", Layer::Network, NIC_WAITS,
        "Firmware and driver of the adapter (`ethtool -i`), its counters (`ethtool -S`), and its switch port at that time"),
    writer(VIRTUAL_NIC, "the driver of a virtual network adapter", Layer::Network, NIC_WAITS,
        "The hypervisor's log and load at that time"),
    writer(HBA, "the driver of a SAS or RAID adapter", Layer::Storage, PATHS_WAIT,
        "Firmware and driver of the adapter; the state of its disks, links and enclosures in the controller's own tool"),
    writer(FABRIC, "the driver of a storage adapter", Layer::Storage, PATHS_WAIT,
        "The paths (`multipath -ll`), the switch port and the array's port at that time; firmware and driver of the adapter"),
    writer(VIRTUAL_DISK, "the driver of a virtual disk", Layer::Storage, PATHS_WAIT,
        "The storage below the hypervisor at that time"),
    writer(&["infiniband", "ib_srp", "ib_srpt", "ib_iser", "isert", "ib_isert", "iser", "ib_core", "ib_cm", "ib_mad", "rdma",
        "rdma_cm", "rdma_rxe", "siw", "hfi1", "qib", "mlx4_ib", "mlx5_ib", "bnxt_re", "irdma", "i40iw", "rds", "ipoib", "opa"],
        "the driver of RDMA (InfiniBand, RoCE)", Layer::Network, "What goes by RDMA waits or connects again: NVMe over fabrics, iSER, SRP, NFS, the interconnect.",
        "`rdma link`, `rdma statistic` and the port's error counters; the switch port at that time"),
    writer(&["nvmet", "target_core", "iscsi_target", "tcmu", "tcm_fc", "scst", "tgtd", "abort_task"],
        "the storage target that this host is for others", Layer::Storage, "The hosts that use its disks wait.",
        "The latency of the disks behind it (`iostat -x 1`), the network to the hosts that the line names, and what is exported to them"),
    writer(&["nvme"], "the driver of an NVMe disk", Layer::Storage, FILES_FAIL,
        "`nvme smart-log` and `nvme error-log` of it; of a remote one the network and `nvme list-subsys`"),
    writer(&["ata", "ahci"], "the driver of a SATA disk", Layer::Storage, FILES_FAIL,
        "`smartctl -x` of the disk: pending sectors mean the medium, CRC errors the cable"),
    writer(&["sd", "blk_update_request", "print_req_error", "buffer i/o error", "i/o error, dev", "scsi", "smartd"],
        "a disk or LUN", Layer::Storage, FILES_FAIL,
        "Of a local disk `smartctl -x`; of a LUN `multipath -ll` and the array's log at that time"),
    writer(&["ses", "enclosure", "expander", "phy-", "sas"], "an enclosure of disks, or a link within it", Layer::Storage,
        PATHS_WAIT, "Power, cables and expanders of the enclosure; which disks are behind them (`lsscsi -t`)"),
    writer(&["swap", "swap-device", "zram", "zswap"], "the swap of the host", Layer::Host,
        "Memory that was swapped out is read late, or not at all: its processes are killed.",
        "The device that swap lies on (`swapon --show`), and how much memory is left (`free -m`)"),
    writer(&["drbd"], "DRBD", Layer::Storage, "A commit waits for the second copy, or there is none.",
        "`drbdadm status`; the disk below it and the network to the peer"),
    writer(&["device-mapper", "md", "md/raid", "mdadm", "bcache", "lvm", "lvmlockd", "dmeventd", "kvdo", "vdo"],
        "a volume (device mapper, md, LVM)", Layer::Storage, VOLUME_WAITS,
        "`lsblk`, `cat /proc/mdstat`, `lvs -a`, and the device below it"),
    writer(&["ext4-fs", "ext3-fs", "ext2-fs", "jbd2", "xfs", "btrfs", "f2fs-fs", "f2fs", "gfs2", "ocfs2", "zfs", "zed", "vxfs", "fat-fs",
        "overlayfs", "fuse", "jfs", "nilfs2", "mmfs", "gpfs", "acfs", "oks", "lustre", "beegfs", "vfs"],
        "a file system", Layer::Storage, FILES_FAIL, "The device below it first: errors, paths, room (`df -h`, `df -i`)"),
    writer(&["nfsd", "rpc.mountd", "ganesha.nfsd"], "the NFS server of this host", Layer::Storage, "The clients wait.",
        "Its threads and the disks of what it exports, at that time"),
    writer(&["nfs", "nfs4", "nfsv4", "rpc", "lockd", "svc", "sunrpc", "rpc.statd", "rpc.gssd", "clnt_create", "mount.nfs"],
        "NFS", Layer::Storage, "What lies on the mount waits, or fails if it is mounted soft.",
        "The server, and the network to it, at that time (`rpcinfo -T tcp SERVER nfs`)"),
    writer(&["cifs", "smb", "smb2", "smb3"], "SMB (CIFS)", Layer::Storage, "What lies on the share waits or fails.",
        "The file server, and the network to it, at that time"),
    writer(&["multipathd", "multipath"], "multipath", Layer::Storage, "The paths that are left carry all I/O.",
        "`multipath -ll`: which paths are left; then their adapter, switch port and array port"),
    writer(&["iscsid", "iscsi", "connection#", "session#", "libiscsi"], "iSCSI", Layer::Storage, PATHS_WAIT,
        "`iscsiadm -m session -P 3`; loss and MTU of the path to the portal"),
    writer(&["ceph", "libceph", "rbd", "osd", "bluestore", "bdev", "heartbeat_check", "mon", "mds"], "Ceph", Layer::Storage,
        "Requests to the placement groups that are concerned wait.", "`ceph health detail`, `ceph osd perf`; the OSD's disk, and the network between the nodes"),
    writer(&["glusterfs", "glusterd", "glusterfsd", "rpc-clnt", "rpc_clnt_ping_timer_expired", "posix_health_check", "client_rpc_notify", "afr"],
        "Gluster", Layer::Storage, "What lies on the volume waits until the brick answers or is given up.",
        "`gluster volume status` and `gluster volume heal VOLUME info`; the brick's disk and the network to its server"),
    writer(&["dlm", "dlm_controld", "o2net", "o2hb", "o2cb", "o2quo"], "the lock manager of the cluster", Layer::Network, NODES_WAIT,
        "The network between the nodes at that time; `dlm_tool ls`, or the cluster's own status"),
    writer(&["edac", "mce", "mcelog", "rasdaemon", "ghes", "mc_event", "hardware error", "dimm", "memory failure"], "a memory module or a CPU",
        Layer::Host, "The host may stop, or compute with damaged data.",
        "The management controller's log (`ipmitool sel list`), `ras-mc-ctl --errors`: which module"),
    writer(&["pcieport", "pciehp", "aer", "dpc", "dmar", "iommu", "pci", "pcie"], "the PCIe bus", Layer::Host,
        "The device behind it, a disk or an adapter, is slow or gone.",
        "Which device is at that address (`lspci -nn`, `lspci -t`), its seat and firmware"),
    writer(&["ipmi_si", "ipmi", "ipmievd", "ipmi_ssif", "bmc"], "the management controller (IPMI)", Layer::Host,
        "Sensors, fans and remote fencing rely on it; I/O does not.", "`ipmitool mc info`, `ipmitool sel list`; its firmware"),
    writer(&["itco_wdt", "softdog", "hpwdt", "iamt_wdt", "wdat_wdt", "watchdogd", "ipmi_wdt"], "the watchdog of the host", Layer::Host,
        "If nothing feeds it, it restarts the host.", "What is to feed it (sbd, systemd, clusterware), and whether that runs"),
    writer(&["virtio", "virtio_balloon", "vmbus", "hv_vmbus", "hv_utils", "hv_balloon", "xen", "xen-netback", "xen-blkback", "vmw_balloon", "vmw_vmci",
        "vmtoolsd", "qemu-ga", "kvm", "grant table"], "the interface to the hypervisor, or to guests", Layer::Host,
        "The guest stands still meanwhile.", "The hypervisor's log and load at that time"),
    writer(&["nmp", "scsideviceio", "vmhba", "scsicorrelator", "vmfs", "hbx", "nfslock", "vobd", "vmkernel", "apdhandler", "storageapdhandler", "vscsi"],
        "the hypervisor's storage (ESXi)", Layer::Storage, "The virtual disks of all its guests wait.",
        "The paths and the array at that time (`esxcli storage core path list`, esxtop: DAVG is the array, KAVG the host)"),
    writer(&["chronyd", "ntpd", "ptp4l", "phc2sys", "systemd-timesyncd", "clocksource", "tsc", "octssd"], "the clock of the host", Layer::Host,
        "Clusters and replicas compare times; a clock that is wrong evicts nodes.", "`chronyc sources -v`, `chronyc tracking`"),
    writer(&["udp", "tcp", "ipv4", "ipv6", "arp", "neighbour", "nf_conntrack", "bonding", "bond0", "bond1", "team0", "bridge", "br0", "openvswitch", "ovs",
        "ovs-vswitchd", "vxlan", "networkmanager", "systemd-networkd", "lldpd", "lacpd", "teamd"], "the network stack of the host",
        Layer::Network, NIC_WAITS, "`ip -s link`, `nstat -az`, and the switch at that time"),
    writer(&["corosync", "totem", "knet", "pacemaker", "pacemakerd", "crmd", "pengine", "lrmd", "stonith-ng", "sbd", "fenced", "rgmanager", "cib",
        "attrd", "pacemaker-controld", "pacemaker-schedulerd", "pacemaker-fenced", "pacemaker-execd", "keepalived", "keepalived_vrrp", "clusvcadm", "had", "gab", "llt"],
        "the cluster's manager", Layer::Network, NODES_WAIT,
        "Its status (`crm_mon -1`, `corosync-cfgtool -s`), its log on the other nodes, and the network between them at that time"),
    writer(&["crs-", "ocssd", "cssd", "clss", "clssnm", "clssgm", "clssnmpollingthread", "clssnmvdiskping", "gipc", "gipcha", "evmd", "crsd", "ohasd", "cssdagent", "cssdmonitor", "haip"],
        "Oracle's clusterware", Layer::Network, NODES_WAIT,
        "`oerr crs NUMBER`, the trace that the log names; the interconnect and the voting files at that time"),
    writer(&["etcd", "etcdserver", "rafthttp", "raft", "consul", "zookeeper", "mvcc", "wal"], "the store of the cluster's state (etcd, Consul, ZooKeeper)", Layer::Storage,
        "Who writes is decided there: without it a database steps down.", "The latency of fsync on its disk, and the network between its members"),
    writer(&["patroni", "repmgr", "repmgrd", "pg_autoctl", "pg_auto_failover"], "the manager of PostgreSQL's replicas", Layer::Database,
        "A primary that cannot renew its right to write steps down.", "`patronictl list` or `repmgr cluster show`; the store of the cluster's state (etcd, Consul)"),
    writer(&["pgbouncer", "pgpool", "haproxy", "proxysql", "maxscale"], "the connection pooler", Layer::Network, "Sessions wait for a connection, or are refused.",
        "The pooler's own status; the server behind it, and its number of connections"),
    writer(&["wsrep", "gcs", "evs", "gcomm"], "Galera", Layer::Database, "Every commit waits for the whole group.",
        "wsrep_cluster_status and wsrep_local_state_comment of each node, and the network between them"),
    writer(&["repl", "replica", "slave", "logical replication", "last_error", "last_io_error", "last_sql_error", "group_replication", "walreceiver", "walsender", "mrp0", "rfs", "lns", "nsa", "data guard"], "replication", Layer::Database,
        "The replica falls behind, or is none any more.", "The status of both ends, and what the other end logs at that time"),
    writer(&["innodb", "mysqld", "mariadbd", "mysql", "mariadb"], "MySQL or MariaDB", Layer::Database, "Its sessions wait or fail.",
        "The lines before it, and the device of its files"),
    writer(&["postgres", "postmaster", "checkpointer", "autovacuum", "bgwriter", "archiver", "pg_wal", "walwriter", "fatal:  ", "panic:  ", "log:  ", "warning:  ", "error:  "],
        "PostgreSQL", Layer::Database, "Its sessions wait or fail.", "The lines before it, and the device of its files"),
    writer(&["lgwr", "dbwr", "ckpt", "lms", "lms0", "lms1", "lmd0", "lmd", "lmon", "lck0", "lmhb", "pmon", "smon", "arch", "arc0", "dia0", "diag", "ipc send"],
        "a background process of the Oracle database", Layer::Database, "All sessions that need it wait.",
        "The trace file that the log names; CPU, memory and disks at that time, of a cluster the interconnect too"),
    writer(&["rman-", "ora-19", "media manager"], "RMAN or its backup product", Layer::Database, "The backup is not there; the database goes on.", "The whole stack of messages: the last line says why"),
    writer(&["ora-", "tns-", "opiodr", "kjz", "kcf", "kfio", "asm", "ges", "gcs_"], "the Oracle database", Layer::Database, "Its sessions wait or fail.",
        "`oerr ora NUMBER`, and the trace file that the log names"),
    writer(&["sql server", "sqlservr", "mssql", "wiredtiger", "mongod", "redis", "aof", "cassandra", "kafka", "elasticsearch", "db2", "clickhouse", "rabbitmq", "clickhouse-server"],
        "a database server", Layer::Database, "Its sessions wait or fail.", "The lines before it, and the device of its files"),
    writer(&["%port", "%link", "%ethport", "%eth_port_channel", "%lineproto", "%ethpm", "%sfp", "snmp_trap_link_down", "maps", "fabric", "ethpm", "fspf", "fcpm", "port-channel"],
        "a switch", Layer::Network, "What goes over that port takes another path, or none.", "The port that is named: its counters, transceiver and cable, and what was changed there"),
    writer(&["wafl", "raid", "nblade", "aggregate", "vserver", "storage processor", "shelf", "controller"], "the array or its controller", Layer::Storage,
        PATHS_WAIT, "The array's own health and event log at that time"),
    writer(&["systemd", "systemd-udevd", "udevd", "systemd-journald", "auditd", "rsyslogd", "crond"], "a service of the system", Layer::Host,
        "What depends on it waits or does not start.", "`systemctl --failed`, `journalctl -u UNIT` at that time"),
];

/// What is not known of someone who is not known.
const ANYONE: Writer = writer(
    &[],
    "a program",
    Layer::Host,
    "",
    "Its own log just before, and the vendor's support site for the line",
);

const fn trouble(
    words: &'static [&'static str],
    what: &'static str,
    means: &'static str,
    severity: Severity,
) -> Trouble {
    Trouble { words, what, means, severity, is_hosts: false }
}

const fn of_host(
    words: &'static [&'static str],
    what: &'static str,
    means: &'static str,
    severity: Severity,
) -> Trouble {
    Trouble { words, what, means, severity, is_hosts: true }
}

/// What tells more comes before what tells less; the last one is anything else.
#[rustfmt::skip]
const TROUBLES: &[Trouble] = &[
    of_host(&["overheat", "over heat", "too hot", "over temperature", "overtemp", "temperature above", "temperature exceed", "high temperature",
        "temperature is high", "exceeds operating", "critical temperature", "temperature critical", "temperature threshold", "thermal shutdown", "thermal trip", "thermal event", "throttled", "fan fail", "fan has stopped"],
        "that it is too hot, or a fan stopped", "It slows down or switches off to protect itself.", Severity::Warning),
    of_host(&["no space", "enospc", "disk space", "is full", "file system full", "filesystem full", "space exceeded", "watermark", "out of space", "error 28", "error -28", "errno 28", "errno: 28"],
        "that its space is full, or nearly", "Writes fail or wait until there is room.", Severity::Warning),
    of_host(&["out of memory", "cannot allocate memory", "enomem", "allocation fail", "no memory", "insufficient memory", "not enough memory", "error -12", "oom"],
        "that it got no memory", "The host, or the limit of its control group, has no more of it.", Severity::Warning),
    of_host(&["medium error", "media error", "unreadable", "unrecover", "uncorrect", "bad block", "bad sector", "pending sector", "sct 0x2", "predictive failure", "hard error"],
        "data that cannot be read or put right any more", "The device gave up after its own retries, which take seconds each: it is failing.", Severity::Warning),
    trouble(&["corrupt", "checksum", "csum", "integrity", "inconsisten", "protection error", "damaged", "digest error", "invalid dinode", "invalid inode", "bad magic", "bad superblock", "invalid block", "bad crc", "crc mismatch", "crc32"], // typos: as it is
        "data that are damaged or do not match their checksum", "They were changed on the device, on the way, or in memory.", Severity::Warning),
    trouble(&["crc", "symbol error", "parity error", "fcs", "framing", "alignment error", "disparity", "encoding error"],
        "signals that arrive damaged", "A cable, a transceiver or a port is bad: what is damaged is sent again.", Severity::Warning),
    trouble(&["duplicate address", "duplicate ip", "duplicate mac"], "that another host uses the same address", "Packets go to one or the other.", Severity::Warning),
    trouble(&["fenc", "stonith", "evict", "expel", "removed from the group", "removed from cluster", "split-brain", "split brain", "removal in", "non-primary", "quorum"],
        "that a node is put out of the cluster, or that a part of it may not go on", "The cluster does so with a node that it does not hear, to keep the data safe.", Severity::Warning),
    trouble(&["i/o error", "io error", "read error", "write error", "read-error", "write-error", "input/output error", "i/o fail", "io fail", "write failed", "read failed", "failed to read", "failed to write",
        "error=-5", "error -5", "medium", "lost page write", "flush failed", "submit an i/o"],
        "a read or write that failed", "Whoever asked for it got an error.", Severity::Warning),
    of_host(&["lost carrier", "carrier lost", "carrier is lost", "lost its link"],
        "a link that went down", "The light or signal was lost: a cable, a transceiver, or the port at the other end.", Severity::Warning),
    trouble(&["link down", "link is down", "is down", "loss of signal", "loss of sync", "loss of dword", "lost signal", "no light", "link fail", "link lost", "carrier", "unplugged", "link error", "down event", "link reset"],
        "a link that went down", "The light or signal was lost: a cable, a transceiver, or the port at the other end.", Severity::Warning),
    trouble(&["degrad", "rebuild", "redundan", "lost a member"], "that redundancy was lost", "The next failure takes data.", Severity::Warning),
    trouble(&["credit", "congest", "queue full", "queue is full", "busy", "task set full", "d:0x28", "d:0x8", "no free", "throttl", "too many", "limit reached", "limit exceed", "limit of", "exceed", "exhaust", "overflow", "overrun"],
        "that a queue or a limit is full", "Requests are refused or wait until there is room.", Severity::Warning),
    trouble(&["heartbeat", "keep-alive", "keep alive", "keepalive", "no reply", "no response", "not respond", "not responded", "unrespons", "unreach", "disconnect", "reconnect", "connection lost",
        "lost connection", "lost the connection", "connection closed", "cannot connect", "can't connect", "unable to connect", "not connected", "unrecognized error 101", "no valid interfaces", "check connection", "can't contact", "transport_disrupted", "transport_failfast",
        "failed to receive", "retransmit list", "peer is gone", "leader lost", "lost leader", "can't synchronise", "no selectable"],
        "that the other end is not heard", "It, or the network to it, did not answer in time.", Severity::Warning),
    trouble(&["offlin", "rejecting", "removed", "disappear", "not present", "missing", "is gone", "dead", "detach", "not accessible", "inaccessible", "device lost", "lost", "not found", "failing path", "no such device", "not ready"],
        "that a device or a part is gone or not ready", "It was taken away, failed, or is not reached.", Severity::Warning),
    trouble(&["deadlock"], "a deadlock", "Two wait for each other; one of them is ended.", Severity::Info),
    trouble(&["stall", "hang", "hung", "blocked", "stuck", "lockup", "not scheduled", "not called", "pause detected", "long time", "slow", "waited", "still waiting", "too long", "long cp", "deteriorat", "lagging", "behind", "outdated",
        "overdue", "longer than", "delayed", "latency", "on time", "took"],
        "work that stands still or is late", "What it waits for was slow: a disk, the network, or a CPU that was not to be had.", Severity::Warning),
    trouble(&["timed out", "timed_out", "timeout", "time-out", "time out", "timedout", "not complete", "did not finish", "expire"],
        "a request that was not answered in time", "All that waits for it stood still for that long.", Severity::Warning),
    trouble(&["denied", "refus", "not permitted", "permission", "unauthori", "authentication", "login fail", "forbidden", "reject"],
        "that something was refused", "A right, an address or a secret does not fit, or nothing listens there.", Severity::Info),
    trouble(&["reset", "restart", "abort", "recovery", "to recover", "reinit", "re-init", "h:0x5", "h:0x8"], "a reset, or a command that was given up",
        "Its requests waited meanwhile.", Severity::Warning),
    trouble(&["fatal", "fault", "panic", "assert", "hardware error", "internal error", "firmware", "crash", "invalid state", "dumped core", "dump error", "core dump", "oops"],
        "a fault of itself or its firmware", "It stopped, or goes on with less.", Severity::Warning),
    trouble(&["drop", "discard"], "that it dropped what it was to carry", "What is dropped is sent again, later.", Severity::Warning),
    trouble(&["retry", "retrying", "retries", "retrans", "resend", "retried"], "requests that were repeated",
        "The first try was not answered, or not well.", Severity::Info),
    trouble(&["full"], "that its space is full, or nearly", "Writes fail or wait until there is room.", Severity::Warning),
    trouble(&[], "a failure", "What failed stands in the line.", Severity::Info),
];

/// What this line, in lower case, means by its writer and its verb; `None`: neither is known.
pub(in crate::said) fn of(lower: &str) -> Option<&'static Entry> {
    static TABLE: LazyLock<Vec<Vec<Entry>>> = LazyLock::new(|| {
        let row = |writer: &Writer| TROUBLES.iter().map(|trouble| entry(writer, trouble)).collect();
        WRITERS.iter().chain([&ANYONE]).map(row).collect()
    });
    let of_whom = written_by(lower).map(|(index, _)| index);
    // `device_not_ready`: names of functions are words too.
    let apart = lower.replace('_', " ");
    let holds = |trouble: &Trouble| {
        trouble.words.iter().any(|word| [lower, &apart].iter().any(|line| words::holds(line, word)))
    };
    let what = TROUBLES.iter().position(holds);
    if of_whom.is_none() && what.is_none() {
        return None;
    }
    Some(&TABLE[of_whom.unwrap_or(WRITERS.len())][what.unwrap_or(TROUBLES.len() - 1)])
}

/// The name of who writes a line, as it stands there.
pub(in crate::said) fn name_of(lower: &str) -> Option<&str> {
    written_by(lower).map(|(_, name)| name)
}

/// Whose name stands first in the line, and of two there the longer; or an interface behind the name of its driver. Of a program's
/// line its own name counts alone: what it says may be of anyone.
fn written_by(lower: &str) -> Option<(usize, &str)> {
    let lower = program_of(lower).map_or(lower, |program| &lower[..=program.len()]);
    let places = WRITERS.iter().enumerate().flat_map(|(index, writer)| {
        let places = writer.names.iter().filter_map(|name| stands_at(lower, name));
        places.map(move |(at, length)| (at, std::cmp::Reverse(length), index))
    });
    let named = places.min().map(|(at, length, index)| (index, &lower[at..at + length.0]));
    let driver = || {
        let mut words = lower.split_whitespace();
        let (driver, address, interface) = (words.next()?, words.next()?, words.next()?);
        let is_interface = ["eth", "en", "em", "ib", "p"].iter().any(|start| interface.starts_with(start));
        let is_address = address.len() == "0000:00:00.0".len() && address.matches(':').count() == 2;
        (is_address && is_interface && interface.ends_with(':')).then_some((0, driver))
    };
    driver().or(named)
}

/// Where a name stands as one, and its length: `#` at its end is any digit. A plain word is one where a clause begins: in the
/// midst of a sentence a session or a controller may be anyone's.
pub(in crate::said) fn stands_at(lower: &str, name: &str) -> Option<(usize, usize)> {
    let (name, numbered) = name.strip_suffix('#').map_or((name, false), |name| (name, true));
    let is_own = name.contains(|c: char| !c.is_ascii_lowercase());
    let fits = |at: usize| {
        let (before, after) = (&lower[..at], &lower[at + name.len()..]);
        let is_first = !before.contains(|c: char| c.is_ascii_alphabetic());
        let begins =
            is_first || [": ", ":  ", "] ", "[", "(", "%", ")"].iter().any(|end| before.ends_with(end));
        let next = after.bytes().next();
        !before.ends_with(|c: char| c.is_ascii_alphanumeric())
            && !next.is_some_and(|byte| {
                byte.is_ascii_lowercase() && name.ends_with(|c: char| c.is_ascii_lowercase())
            })
            // `tcp_connection_destination` is a function of anyone's, unless a line begins with it.
            && (is_own || begins && (next != Some(b'_') || is_first))
            && (!numbered || next.is_some_and(|byte| byte.is_ascii_digit()))
    };
    lower.match_indices(name).map(|(at, _)| at).find(|at| fits(*at)).map(|at| (at, name.len()))
}

fn entry(writer: &Writer, trouble: &Trouble) -> Entry {
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let of = if writer.who.contains("driver") { " ({by})" } else { "" };
    let anyone = writer.names.is_empty();
    let severity = if anyone && !trouble.is_hosts { Severity::Info } else { trouble.severity };
    Entry {
        layer: Some(writer.layer),
        severity: Some(severity),
        says: leak(format!("{}{of} reports {}", writer.who, trouble.what)),
        why: leak(format!("{} {}", trouble.means, writer.effect).trim().to_owned()),
        now: writer.look,
        source: "the names of Linux' drivers and of programs, and the words of the line",
        ..super::super::EMPTY
    }
    .whole()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(line: &str) -> Option<(&'static str, Severity)> {
        of(&line.to_lowercase()).map(|entry| (entry.says, entry.severity.expect("trouble")))
    }

    #[test]
    fn an_unknown_line_tells_who_reports_what() {
        use Severity::{Info, Warning};
        for (line, who, what, severity) in [
            (
                "newnic 0002:07:00.1 eth7: queue 7 timed out",
                "network adapter",
                "not answered in time",
                Warning,
            ),
            (
                "lpfc 0000:07:00.0: 7:0310 Mailbox command x7 timeout",
                "storage adapter",
                "not answered",
                Warning,
            ),
            ("xen-netback: vif7.0: Guest Rx stalled", "hypervisor", "stands still", Warning),
            (
                "session7: iscsi_eh_cmd_timed_out scsi cmd 7 timedout",
                "iSCSI",
                "not answered in time",
                Warning,
            ),
            ("ABORT_TASK: Found referenced iSCSI task_tag: 77", "storage target", "given up", Warning),
            ("CIFS: VFS: \\\\nas7 has not responded in 180 seconds", "SMB", "not heard", Warning),
            (
                "megaraid_sas 0000:65:00.0: 77 (7s/0x0020/WARN) - Fan 2 failed",
                "RAID adapter",
                "a failure",
                Info,
            ),
            ("zram: Decompression failed! err=-22", "swap", "a failure", Info),
            ("Read-error on swap-device (253:7:77)", "swap", "read or write that failed", Warning),
            ("thing[77]: cannot write: No space left on device", "a program", "space is full", Warning),
            ("thing[77]: the reply timed out", "a program", "not answered in time", Info),
            ("thing[77]: eth7: carrier lost", "a program", "a link that went down", Warning),
        ] {
            let (said, is) = says(line).expect(line);
            assert!(said.contains(who) && said.contains(what) && is == severity, "{line}: {said} {is:?}");
        }
        assert_eq!(says("thing[77]: this went wrong"), None);
    }

    /// In the midst of a sentence the word is no name.
    #[test]
    fn a_word_within_a_sentence_is_no_writer() {
        for line in [
            "thing: lost the session of a user",
            "thing: the controller was reset",
            "thing: an arch timed out",
            "thing[7]: tcp_connection_x timed out",
        ] {
            assert!(says(line).expect(line).0.starts_with("a program"), "{line}");
        }
        assert_eq!(name_of("connection7:0: detected conn error"), Some("connection"));
        assert_eq!(name_of("thing: connection of 7 closed"), None);
    }

    /// A remedy looks, and changes nothing: no step of it writes, stops or starts anything.
    #[test]
    fn remedies_by_words_only_look() {
        for writer in WRITERS {
            for word in [" -G", "restart", "reboot", "rm ", "kill", "stop", "--set", "echo ", "> /"] {
                assert!(!writer.look.contains(word), "{}", writer.look);
            }
        }
    }
}
