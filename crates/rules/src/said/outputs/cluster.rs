//! Storage and coordination across hosts: Ceph, DRBD, etcd, Oracle's cluster, ASM, Direct NFS.

use super::super::{Entry, told};
use fullwire_model::assessment::Layer::{Database, Network, Storage};

pub(in crate::said) const LINES: &[Entry] = &[
    told(
        &["fsync-ing the write ahead log", "took"],
        Storage,
        "an fsync of ZooKeeper's log took {s}: the disk below does not take synchronous writes in time",
        &["Put its transaction log (dataLogDir) on a device of its own with a short synchronous write"],
        "ZooKeeper administrator's guide, fsync.warningthresholdms",
    ),
    told(
        &["aof fsync is taking too long"],
        Storage,
        "an fsync of Redis' log takes too long: the disk below is busy, and writes wait for it",
        &["See what else writes to that disk; appendfsync everysec bounds what a crash loses"],
        "Redis persistence documentation",
    ),
    told(
        &["secs for write io to pst"],
        Storage,
        "ASM waited {s} for a write to the partner status table (PST) of a disk group: beyond 15 s it takes the disk offline, and may dismount the group",
        &[
            "The path to this disk was slow or failed over slowly: look at the multipath software and the array at that time, not at the disk alone; _asm_hbeatiowait is how long ASM waits",
        ],
        "Oracle Support 1581684.1",
    ),
    told(
        &["secs for read io to pst"],
        Storage,
        "ASM waited {s} for a read of the partner status table (PST) of a disk group",
        &[
            "The path to this disk was slow or failed over slowly: look at the multipath software and the array at that time",
        ],
        "Oracle Support 1581684.1",
    ),
    told(
        &["initiating offline of disk"],
        Storage,
        "ASM takes a disk offline",
        &["Look at what the disk's path did just before"],
        "Oracle Automatic Storage Management Administrator's Guide",
    ),
    told(
        &["no i/o has completed after", "maximum interval"],
        Storage,
        "the voting disk does not answer: the node is evicted if it goes on",
        &["Look at the storage and paths of the voting disk at that time"],
        "Oracle Clusterware messages CRS-1613 to CRS-1615",
    ),
    told(
        &["network communication with node", "missing for"],
        Network,
        "the other node was not heard over the interconnect: the cluster evicts one of them if it goes on",
        &["Look at the private network (losses, link, switch) and at the CPU of both nodes"],
        "Oracle Clusterware messages CRS-1610 to CRS-1612",
    ),
    told(
        &["filer wtmax", "multiple of"],
        Database,
        "Direct NFS refuses this filer, because the largest write that it offers (wtmax) is no multiple of 32768: the kernel's NFS is used instead",
        &[
            "Set the server's largest block size (max_block_size) to 524288 or 1048576, then restart the instance or reopen its files",
        ],
        "Oracle Database Installation Guide, Direct NFS; wtmax of RFC 1813",
    ),
    told(
        &["invalid filer wtmax"],
        Database,
        "Direct NFS refuses this filer for its largest write (wtmax): the kernel's NFS is used instead",
        &["Set the server's largest block size (max_block_size) to a multiple of 32768: 524288 or 1048576"],
        "Oracle Database Installation Guide, Direct NFS; wtmax of RFC 1813",
    ),
    told(
        &["libodm", "->", "libodmd"],
        Database,
        "Direct NFS is off: the library points at the stub, as a patch or a relink leaves it",
        &["With the instance down: make -f ins_rdbms.mk dnfs_on in $ORACLE_HOME/rdbms/lib"],
        "Oracle Database Installation Guide, Enabling Direct NFS Client",
    ),
    told(
        &["failed to send out heartbeat on time"],
        Storage,
        "etcd's leader was too slow for its own heartbeat, as a rule because of its disk, else of its CPU",
        &["Look at the synchronous writes of its disk first"],
        "etcd documentation, FAQ",
    ),
    told(
        &["cs:sync", "inconsistent"],
        Storage,
        "DRBD resynchronises, and until it is done the peer is Inconsistent: there is no second copy. Its own controller holds the rate of a resync (c-max-rate)",
        &[
            "If it may go faster: drbdadm disk-options --c-max-rate, --c-fill-target, --c-plan-ahead of the resource; link and disks are not the limit as long as copies between the hosts are faster",
        ],
        "drbd.conf(5), c-max-rate, c-plan-ahead, c-fill-target",
    ),
    told(
        &["cs:wfconnection"],
        Network,
        "DRBD waits for its peer: there is no second copy",
        &["Bring the peer or the network to it back"],
        "DRBD user's guide, connection states",
    ),
    told(
        &["cs:standalone"],
        Network,
        "DRBD is not connected and does not try: there is no second copy",
        &["Find out whether both sides have written (split brain) before you connect them"],
        "DRBD user's guide, connection states",
    ),
];
