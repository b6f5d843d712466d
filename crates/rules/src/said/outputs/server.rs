//! What a server's own hardware reports (its BMC, its memory, its CPUs), and what runs on it.

use super::super::{Entry, any_of, at_least, critical, told};
use fullwire_model::assessment::Layer::{Database, Host, Network, Storage};
use fullwire_model::assessment::Severity;

const SEL: &str = "IPMI specification 2.0, table 42-3 (sensor types); ipmitool(1), sel";

pub(in crate::said) const LINES: &[Entry] = &[
    at_least(
        ("used×100÷size", 80.0),
        told(
            &["swapon: filename=", "used="],
            Host,
            "swap on {filename} is {n} % full: the host is or was short of memory; once swap is full too, processes are killed",
            "vmstat -t 10: si and so say whether it swaps now; VmSwap in /proc/PID/status says who; then what the database may use (SGA, shared buffers, sessions) against the memory of the host",
            "swapon(8), -s; proc(5)",
        ),
    ),
    at_least(
        ("cl_waiting=", 1.0),
        told(
            &["pgbouncer: ", "cl_waiting="],
            Database,
            "{n} clients of {database} wait for a connection of PgBouncer, the first for {maxwait} s: all {sv_active} of its pool are in use",
            "What those do (pg_stat_activity: idle in transaction, a lock, I/O?). A larger pool_size only where the server has CPU and I/O to spare",
            "PgBouncer documentation, SHOW POOLS",
        ),
    ),
    told(
        &["error:", "deadlock detected"],
        Database,
        "PostgreSQL met a deadlock of locks and ended one transaction: that is of the application, and not of the storage",
        "Its DETAIL names both statements: take locks in one order; repeat the transaction that was ended",
        "PostgreSQL documentation, Deadlocks",
    ),
    critical(Entry {
        any: &["| ierr |", "uncorrectable ecc", "| machine check", "thermal trip"],
        ..told(
            &["| asserted"],
            Host,
            "the server's own log names a failed component: CPU, memory or board",
            "The line names its sensor: replace that part; see that the database is whole after the stop",
            SEL,
        )
    }),
    Entry {
        any: &["drive fault", "predictive failure", "in failed array", "in critical array"],
        ..told(
            &["| asserted"],
            Storage,
            "the server's own log reports a disk that has failed or is about to",
            "The line names its slot: see that its array is whole, then replace it",
            SEL,
        )
    },
    Entry {
        any: &[
            "failure detected",
            "power supply ac lost",
            "redundancy lost",
            "non-critical going",
            "upper critical",
            "lower critical",
        ],
        ..told(
            &["| asserted"],
            Host,
            "the server's own log reports a power supply, a fan or a temperature that is not right",
            "The line names its sensor; a hot or badly fed server throttles or stops",
            SEL,
        )
    },
    Entry {
        severity: Some(Severity::Info),
        ..told(
            &["correctable ecc", "| asserted"],
            Host,
            "a memory module corrects errors; the line names it",
            "One now and then is usual: replace the module if they go on",
            SEL,
        )
    },
    critical(Entry {
        any: &["processor context corrupt", "uncorrected error"],
        beside: &["mci status"],
        ..told(
            &[],
            Host,
            "the CPU reports an error that it could not correct: what was computed or read is not to be trusted",
            "The bank and the lines beside it name CPU, memory or PCIe device: replace it; verify the database",
            "Intel Software Developer's Manual 3B, machine-check architecture; mcelog(8)",
        )
    }),
    critical(told(
        &["kernel panic - not syncing: hung_task"],
        Storage,
        "the host stopped itself because tasks waited too long for their storage (kernel.hung_task_panic)",
        "The stacks before it name what was waited for: that device, server or lock is the cause",
        "Linux kernel/hung_task.c, Documentation/admin-guide/sysctl/kernel.rst (hung_task_panic)",
    )),
    critical(told(
        &["kernel panic - not syncing"],
        Host,
        "the kernel stopped the host: what it says behind that is the reason",
        "The lines before it name the driver or the hardware; the management controller's log, and a dump (kdump) where there is one",
        "Linux kernel/panic.c",
    )),
    critical(told(
        &["node ", ": unclean"],
        Host,
        "the cluster does not know whether a node is down and has not fenced it: nothing of it is started elsewhere",
        "Make fencing work (address, power and credentials of its device). Only with the node off for certain: `pcs stonith confirm NODE`",
        "Pacemaker Administration, troubleshooting (UNCLEAN)",
    )),
    told(
        &["(stonith:", "failed"],
        Host,
        "a fence device of the cluster does not work: a node that is lost cannot be fenced, and what it ran stays down",
        "`pcs stonith status`, its address and credentials; test it in a window of maintenance",
        "Pacemaker Explained, fencing",
    ),
    any_of(
        &["slave_io_running: connecting", "replica_io_running: connecting"],
        Database,
        "the replica does not receive from its source",
        "Last_IO_Errno and Last_IO_Error beside it: 1130, 1045 the account; 2003, 2013 the network; 1236 a log that is gone",
        "MySQL reference manual, SHOW REPLICA STATUS",
    ),
    at_least(
        ("trx has been waiting", 10.0),
        told(
            &["trx has been waiting", "for this lock"],
            Database,
            "a transaction has waited {n} s for a row lock: another one holds it, and no storage is at fault",
            "Who holds it: performance_schema.data_lock_waits or sys.innodb_lock_waits; end or commit the idle transaction",
            "MySQL storage/innobase/lock/lock0lock.cc",
        ),
    ),
    Entry {
        severity: Some(Severity::Info),
        ..told(
            &["slow query", "collscan"],
            Database,
            "MongoDB read a whole collection for one query: an index is missing, and no storage is at fault",
            "The filter of the query, and an index for it (explain)",
            "MongoDB manual, Log Messages, slow operations",
        )
    },
    Entry {
        severity: Some(Severity::Info),
        ..told(
            &["page_cleaner", "flushed=0 and evicted=0"],
            Database,
            "InnoDB's page cleaner had nothing to flush and came late all the same: the process stood still (a suspended guest, a stopped process, no CPU), and no storage was slow",
            "Was the guest suspended, migrated or out of CPU at that time?",
            "MySQL storage/innobase/buf/buf0flu.cc",
        )
    },
    Entry {
        any: &["result of monitor operation", "_monitor_"],
        ..told(
            &["timed out"],
            Host,
            "the cluster's check of a resource did not end in time: usually storage or load held the command up",
            "What the agent of that resource runs, its timeout, and disks, NFS and CPU of that node at that time",
            "Pacemaker Explained, resource operations",
        )
    },
    told(
        &["no stonith resources have been defined"],
        Host,
        "the cluster starts nothing, because it has no fencing",
        "Configure a fence device (`pcs stonith create`) and test it; a cluster with storage needs it",
        "Pacemaker Explained, stonith-enabled",
    ),
    Entry {
        severity: Some(Severity::Info),
        any: &["(ocf:", "(ocf::", "(systemd:", "(stonith:"],
        ..told(
            &["stopped"],
            Host,
            "a resource of the cluster is stopped",
            "`pcs status --full`, `pcs resource`: was it disabled, or does its start fail (Failed Resource Actions)?",
            "Pacemaker Explained, resources",
        )
    },
    told(
        &["mount error("],
        Storage,
        "a mount of a Windows share (CIFS) failed: the number in brackets says why",
        "2 share or path, 13 account, 95 not supported, 110 no answer, 111 refused, 112 server down or vers= refused, 113 no route",
        "mount.cifs(8); errno(3)",
    ),
    told(
        &["timeout", "sending data/waiting for reply to/from initiator"],
        Network,
        "this iSCSI target got no answer from an initiator in time and closed its connection",
        "The link and the network to that initiator at that time; then its load",
        "SCST iscsi-scst",
    ),
    Entry {
        any: &["retries exhausted", "command timeout"],
        ..told(
            &["cam status"],
            Storage,
            "a disk did not answer a command, or left the bus (FreeBSD)",
            "Its link and power first, then `smartctl -a`",
            "FreeBSD sys/cam/cam_periph.c",
        )
    },
    told(
        &["invalid page checksum"],
        Storage,
        "a backup met pages whose checksum is wrong: the file is damaged, unless it is a cache that is just rewritten (pg_internal.init)",
        "`pg_amcheck`, or read the relation of that file; its disk and memory. Keep the last backup without such lines",
        "pgBackRest user guide, page checksums",
    ),
    told(
        &["rejecting connections"],
        Database,
        "PostgreSQL runs and takes no connections yet: it starts, or replays WAL",
        "Its log says how far it is; on a standby hot_standby, and whether WAL still arrives (restore_command, the primary)",
        "PostgreSQL documentation, pg_isready",
    ),
    critical(told(
        &["wiredtiger library panic"],
        Database,
        "MongoDB's storage engine met an error that it cannot go on with, and the server stops",
        "The lines before it name the error: no space, no memory, an I/O error or damage",
        "MongoDB manual, log messages; WiredTiger error codes (WT_PANIC)",
    )),
    told(
        &["wiredtiger", "error"],
        Database,
        "MongoDB's storage engine reports an error of a file",
        "The words of the operating system stand at its end: no space, no memory, input/output error",
        "MongoDB manual, log messages; WiredTiger error codes",
    ),
    told(
        &["dropped over-mtu packet"],
        Network,
        "packets larger than the MTU of this interface were dropped: a sender or a bridge uses larger ones than the path carries",
        "The same MTU from end to end: `fullwire mtu` finds the hop; of an overlay its headers count too",
        "Linux net/core/dev.c, drivers/net (is_skb_forwardable); Open vSwitch datapath/vport.c",
    ),
    told(
        &["hw csum failure"],
        Network,
        "the network adapter says that a checksum was wrong, and the kernel found it right: the driver or firmware computes it badly",
        "Firmware and driver of the adapter; `ethtool -K INTERFACE rx off` as a test",
        "Linux net/core/dev.c (netdev_rx_csum_fault)",
    ),
    told(
        &["responder error cqe"],
        Network,
        "RDMA requests were refused by the other end: a memory key, length or access right did not fit",
        "Firmware and driver of both adapters; what uses RDMA there (NFS, NVMe, iSER) logs the connection that broke",
        "Linux drivers/infiniband/hw/mlx5/cq.c (mlx5_poll_one)",
    ),
    told(
        &["skipping scsi_scan_host", "non-initiator"],
        Storage,
        "this Fibre Channel adapter runs as a target and not as an initiator: no disk of the array will appear",
        "qlini_mode=enabled of the module qla2xxx, where this host is not itself the storage",
        "Linux drivers/scsi/qla2xxx/qla_os.c; module parameter qlini_mode",
    ),
    Entry {
        any: &["is not coming back", "to deleted"],
        ..told(
            &["qla2xxx", "port"],
            Storage,
            "a port of the array left the fabric and the adapter gave it up: the paths over it are gone",
            "That port of the array, its switch port and zone at that time; `multipath -ll` shows what is left",
            "Linux drivers/scsi/qla2xxx/qla_gs.c, qla_init.c",
        )
    },
    told(
        &["bad block number requested"],
        Storage,
        "a request did not fit the block size of the disk: a disk of 4,096 byte blocks was asked for 512",
        "`lsblk -o NAME,LOG-SEC,PHY-SEC`: whatever writes there (a target, a loop device, a file system copied from another disk) must use the same block size",
        "Linux drivers/scsi/sd.c (sd_setup_read_write_cmnd)",
    ),
    told(
        &["valid sense data: 0x2"],
        Storage,
        "the storage answers that it is not ready (sense 2): its own back end does not answer",
        "The array or target that serves this device, at that time; the host and its paths are not the cause",
        "T10 SPC, sense key 2h; Broadcom KB 289902",
    ),
    told(
        &["valid sense data: 0x3"],
        Storage,
        "the storage could not read or write a block (sense 3, medium error)",
        "The disk behind this device, in the array's own log",
        "T10 SPC, sense key 3h; Broadcom KB 289902",
    ),
    told(
        &["queue not connected"],
        Network,
        "the connection to an NVMe target over the network is gone: its paths have no queue",
        "The network to the target and its port at that time, then whether it runs",
        "NVM Express over Fabrics specification; VMware nvmerdma, nvmetcp",
    ),
    any_of(
        &["stale file handle", "stale nfs file handle"],
        Storage,
        "the NFS server does not know this file any more: its export was made again, moved, or the file was removed there",
        "Stop what uses it, then mount it again (umount -f, mount); on the server, a fixed fsid= in the export",
        "NFS version 3 and 4 (RFC 1813, RFC 8881): NFS3ERR_STALE; exports(5), fsid",
    ),
    at_least(
        ("total_time: ", 30_000.0),
        told(
            &["commit trans", "total_time"],
            Storage,
            "a commit of btrfs took {n} ms: its device writes far too slowly, and every fsync waits",
            "`iostat -x` and smartctl of that device; what else writes to it",
            "Synology's btrfs (commit statistics)",
        ),
    ),
    told(
        &["mountvolume", "deadlineexceeded"],
        Storage,
        "the volume of a pod is attached but could not be mounted in time: its device or the node's CSI driver does not answer",
        "On that node the kernel's log, and the log of the CSI driver's node plugin at that time",
        "Container Storage Interface specification, NodeStageVolume",
    ),
    told(
        &["is down. rcfg(", "disk lastseqno"],
        Network,
        "a node still writes to the voting disk, but its network heartbeat does not arrive: the interconnect is at fault, and not the disk",
        "The private network between the nodes: link, VLAN, MTU, loss (`fullwire net`, `fullwire mtu`)",
        "Oracle Clusterware Administration and Deployment Guide, misscount and disktimeout",
    ),
    told(
        &["dead instance detected"],
        Database,
        "another instance of the cluster died, and this one recovers its redo: sessions stand still until that is done",
        "The alert log and the host of the other instance just before that time",
        "Oracle Real Application Clusters Administration and Deployment Guide, instance recovery",
    ),
    told(
        &["no space for directory leaf checksum"],
        Storage,
        "a directory of this file system is damaged, or was written before its checksums were on: no disk is full",
        "Copy what it holds, unmount it, then e2fsck -fD",
        "Linux fs/ext4/namei.c (warn_no_space_for_csum)",
    ),
    Entry {
        severity: Some(Severity::Info),
        ..told(
            &["latest detected deadlock"],
            Database,
            "InnoDB met a deadlock of row locks and rolled one transaction back: that is of the application, and not of the storage",
            "Lock rows in the same order in all transactions, keep them short, and repeat the one that was rolled back",
            "MySQL reference manual, Deadlocks in InnoDB",
        )
    },
    Entry {
        any: &["link status down for", "link status definitely down", "link status down again"],
        ..told(
            &["bond"],
            Network,
            "a member of a bond lost its link",
            "`cat /proc/net/bonding/*`: Link Failure Count of each member; its cable, transceiver and switch port. All members at once: the switch, or the driver",
            "Linux drivers/net/bonding/bond_main.c (bond_miimon_inspect)",
        )
    },
    told(
        &["bond", "has no active aggregator"],
        Network,
        "no link of this bond takes part in LACP: the switch's ports are no channel, or LACP is off there",
        "Put its ports into one LACP channel on the switch; `cat /proc/net/bonding/*` then shows a partner",
        "Linux drivers/net/bonding/bond_procfs.c; Documentation/networking/bonding.rst",
    ),
    at_least(
        ("longest=", 1.0),
        told(
            &["checkpoint complete", "longest="],
            Storage,
            "the storage took {n} s to write one file out when a checkpoint synced it, whatever else it had to do",
            "The latency of that device at those times (`iostat -x`, `fullwire disk`), and what else writes to it",
            "PostgreSQL documentation, log_checkpoints; the bound of one second is our own choice",
        ),
    ),
    told(
        &["times the listen queue of a socket overflowed"],
        Network,
        "the accept queue of a listener overflowed: connections waited or were refused",
        "`ss -ltn`: Recv-Q against Send-Q; net.core.somaxconn and the backlog of the listener, or a server that accepts too slowly",
        "Linux net/ipv4/proc.c (ListenOverflows)",
    ),
    Entry {
        any: &["corrected read error", "corrected patrol scrub", "corrected error"],
        severity: Some(Severity::Info),
        ..told(
            &["memory"],
            Host,
            "a memory module corrects errors; the line names socket, channel or module",
            "One now and then is usual: replace the module if they go on (`ras-mc-ctl --summary`)",
            "rasdaemon, ras-mc-handler.c; Linux Documentation/admin-guide/RAS",
        )
    },
    told(
        &["half-duplex", "mb/s"],
        Network,
        "a port runs half duplex: its two ends do not agree, or a pair of the cable is bad",
        "The same setting at both ends, usually auto-negotiation; then another cable",
        "IEEE 802.3 clause 28",
    ),
    Entry {
        any: &["class: io", "class = \"ereport.fs.zfs.io\"", "class = \"ereport.fs.zfs.data\""],
        ..told(
            &["class"],
            Storage,
            "ZFS reports an I/O error of a device: vdev_path (vpath) names it",
            "smartctl of that device, its cable and slot; `zpool status -v`, then a scrub",
            "OpenZFS, zpool-events(8)",
        )
    },
];
