//! Words by which an output is known: of those that are read, and of those that are not.

use super::Kind;

/// Beginnings of lines that only one kind of output has, and that kind.
pub(super) const SIGNS: &[(&str, Kind)] = &[
    ("NIC statistics:", Kind::Totals),
    ("Client rpc stats:", Kind::Totals),
    ("Client rpc:", Kind::Totals),
    ("Server rpc stats:", Kind::Totals),
    ("nr_periods ", Kind::Totals),
    ("usage_usec ", Kind::Totals),
    ("proc3 ", Kind::Totals),
    ("proc4 ", Kind::Totals),
    ("Ip:", Kind::Totals),
    ("#kernel", Kind::Totals),
    ("TcpExt:", Kind::Totals),
    ("Tcp:", Kind::Totals),
    ("TCP Statistics for IPv", Kind::Totals),
    ("IPv4 Statistics", Kind::Totals),
    ("Kernel Interface table", Kind::Totals),
    ("Iface ", Kind::Totals),
    ("Ethernet Channel Bonding Driver:", BOND),
    ("Bonding Mode: ", BOND),
    ("802.3ad info", BOND),
    ("Slave Interface: ", BOND),
    ("Personalities :", MDSTAT),
    ("Inter-|", Kind::Totals),
    ("MemTotal:", Kind::Host("/proc/meminfo")),
    ("  pool: ", POOL),
    ("pool: ", POOL),
    ("driver: ", Kind::Host("/sos_commands/networking/ethtool_-i_eth0")),
    ("NAME ", Kind::Host("/sos_commands/block/lsblk")),
    ("multipaths {", Kind::Host("/etc/multipath.conf")),
    ("Ring parameters for ", Kind::Host("/sos_commands/networking/ethtool_-g_eth0")),
    ("1: lo: <", Kind::Totals),
    ("iSCSI Transport Class", SESSIONS),
    // `-P 1` has no heading.
    ("Target: iqn.", SESSIONS),
    ("Target: eui.", SESSIONS),
    ("Target: naa.", SESSIONS),
];

/// Beginnings of lines of outputs whose lines speak for themselves, and are silent where all is well.
pub(super) const LINES: &[&str] = &[
    "qdisc ¦Settings for ¦Features for ¦Pseudo name=¦DG/VD ¦| Id ¦HOST: ¦LISTEN ¦Controllers found:",
    "| Variable_name¦  cluster:¦  LV ¦  VG ¦  PV ¦=== START OF ¦nvme-subsys¦Total: ¦State ¦Cluster name: ",
    "Cluster Resources¦Name           Target ¦CRS-¦/dev/cciss/¦LSNRCTL¦osd  commit_latency¦Adapter #",
    "CLI Version = ¦Drive /c¦Logical device number ¦Logical device information¦-- Controller information --",
    "     health HEALTH_¦\u{25cf} ¦BBU status for Adapter¦Adapter: ¦Virtual Drive: ¦Enclosure Device ID: ",
    "HEALTH_¦srv_master_thread ¦---TRANSACTION ¦ID# ATTRIBUTE_NAME¦MS Name/IP address¦Reference ID    :",
    "Log sequence number ¦| InnoDB | ¦*************************** 1. row¦Starting ORACLE instance",
    "INFO: task ¦Enabled hdisk¦IDENTIFIER TIMESTAMP ¦Node List:¦Full List of Resources:¦Smart Array ¦Unit  UnitType ¦IR Volume ¦Stack: corosync¦Cluster Summary:",
    "Full list of resources:¦INNODB MONITOR OUTPUT¦LATEST DETECTED DEADLOCK¦BUFFER POOL AND MEMORY¦Buffer pool size ",
    "sockets: used ¦Thread 1 cannot allocate new log¦Thread 1 advanced to log sequence",
    "pg_control version number:¦LRU len: ¦Streaming Replication status¦PING ¦Status of volume: ¦DEVICE=",
    "TEAM_PORT_CONFIG=¦BONDING_OPTS=¦[connection]¦GENERAL.DEVICE:¦connection.id:¦Controller: Smart Array ",
    "Port   Status           Unit ¦Name  OnlineState  BBUReady ¦Virtual Disk Information¦  # Ch# ModelName ",
    " #  Name             Disks ¦--> Active Subset¦*** Active Set¦Netid State ¦Netid  State ",
    "Active Internet connections¦SMART Health Status: ¦Error Counter logging ¦     remote ¦ 1?: [LOCALHOST]",
    "==================== All Devices¦Command Line: diskspd¦CONTAINER ID ¦Total IO¦Identifier   ¦          Magic : ¦Filename   ¦ESTAB ¦ioc0 vol_id ¦------ Messages Limits",
    "------ Shared Memory ¦------ Semaphore ¦Failed actions:¦Failed Resource Actions:¦team port ¦disk- ---¦Configuration - ¦Database - ¦##  STATE ¦node 0 size: ¦ Summary of events:¦Summary of events:¦CMDS/s ¦v$dnfs_servers: no rows¦# Query_time: ¦# User@Host: ¦Error Log Entries for device¦tcp: [1] ",
];

/// How a line begins, and what it holds, that only one kind of output has.
pub(super) const HELD: &[(&str, &[&str], Kind)] = &[
    ("", &["path_grouping_policy "], Kind::Host("/etc/multipath.conf")),
    ("", &["no_path_retry "], Kind::Host("/etc/multipath.conf")),
    // BSD, macOS, Solaris and AIX.
    ("", &[" Ipkts ", " Opkts "], Kind::Totals),
    ("md", &[" : active"], MDSTAT),
    ("Filesystem ", &["Use%"], Kind::Lines),
    ("Filesystem ", &["Capacity"], Kind::Lines),
    // EXPLAIN ANALYZE.
    ("", &["(actual time="], Kind::Lines),
    ("", &["LnkSta:", "Speed ", "Width x"], Kind::Lines),
    ("numa_hit ", &[], Kind::Lines),
    // BCC's cachestat, and its histograms.
    ("", &["HITS ", "MISSES ", "DIRTIES "], Kind::Lines),
    ("", &["secs ", ": count ", "distribution"], Kind::Lines),
    ("[", &[", ", ")", "|@"], Kind::Lines),
    // /proc/interrupts
    ("", &["CPU0 ", " CPU1"], Kind::Lines),
    ("TIME", &["PID ", "LAT(ms)"], Kind::Lines),
    ("TIME", &["PID ", "LADDR:LPORT"], Kind::Lines),
    ("", &["PID ", "LATms"], Kind::Lines),
    ("", &[": I/O ", "istribution"], Kind::Lines),
    ("Clearing online log ", &[], Kind::Lines),
    // tshark and Wireshark.
    ("", &[" TCP ", "[TCP ", "Seq="], Kind::Lines),
    // /proc/pressure
    ("some avg10=", &[], Kind::Lines),
    // `nvme list` names the devices and nothing of their health.
    ("", &["Namespace", "FW Rev"], Kind::Lines),
    ("", &["PID ", " WCHAN "], Kind::Lines),
    // `ip -br link`
    ("", &["LOWER_UP>"], Kind::Lines),
    ("CA '", &[], Kind::Lines),
    ("", &["] ==(", "Gbps", "/"], Kind::Lines),
    ("", &[" icmp_seq=", " time="], Kind::Lines),
    ("", &["clat (", "avg="], Kind::Lines),
    ("traceroute to ", &[], Kind::Lines),
    ("", &[" cs:", " ro:", " ds:"], Kind::Lines),
    ("Kernel IP routing table", &[], Kind::Lines),
    ("Routing tables", &[], Kind::Lines),
    ("", &[" total reads"], Kind::Lines),
    ("", &["[", "Counter == "], Kind::Lines),
    ("device ", &["with fstype nfs"], Kind::Lines),
    // RMAN: what went wrong has a number.
    ("Starting backup at ", &[], Kind::Lines),
    ("channel ORA_", &[], Kind::Lines),
];

pub(super) const POOL: Kind = Kind::Host("/sos_commands/zfs/zpool_status_-vx");
const SESSIONS: Kind = Kind::Host("/sos_commands/iscsi/iscsiadm_-m_session_-P_3");
pub(super) const BOND: Kind = Kind::Host("/proc/net/bonding/bond0");
pub(super) const MDSTAT: Kind = Kind::Host("/proc/mdstat");
pub(super) const MAPS: Kind = Kind::Host("/sos_commands/multipath/multipath_-ll");
pub(super) const MOUNTS: Kind = Kind::Host("/proc/mounts");

/// Words that only a foreign output has, what it is, and the nearest thing that is read.
pub(super) const FOREIGN: &[(&[&str], &str)] = &[
    (
        &["KB/t", "tps", "MB/s"],
        "iostat of macOS or BSD, which prints no times of requests: only that of Linux is read",
    ),
    (
        &["(PDH-CSV"],
        "a counter log of Windows or of VMware ESXi without a counter of disks or CPUs that is known",
    ),
    (
        &["ARCHIVED", "SIZE_IN_MB"],
        "totals of archived logs by day, which hide the peak: list the logs one by one (fullwire redo --sql oracle prints the query)",
    ),
    (&["Filesystem", "1K-blocks"], "df: nothing in it is full; the host itself says more (fullwire check)"),
];
