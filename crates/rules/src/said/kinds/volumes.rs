//! Disks, volumes, file systems, and storage over the network.

use super::super::Entry;
use super::kind;
use fullwire_model::assessment::Layer::{Network, Storage};
use fullwire_model::assessment::Severity::{Critical, Warning};

const NO_SPACE: &[&str] = &["error 28", "error -28", "errno=-28", "no space", "space exhausted"];

const DM: &str = "Linux drivers/md (device-mapper targets)";

const THIN_METADATA: Entry = kind(
    "thin-metadata",
    (
        &["device-mapper: thin", "device-mapper: space map"],
        &["metadata", "fail mode", "read-only mode", "unable to allocate", "failed: error"],
    ),
    (Storage, Critical),
    "the metadata of a thin pool ran out of room or could not be written: the pool refuses writes",
    &[
        "`lvs -a -o+data_percent,metadata_percent`; lvextend --poolmetadatasize first where it is full. Errors of the device below: repair that device before anything else",
        "Unmount, then thin_check; lvconvert --repair only with a copy of the metadata",
    ],
    DM,
);

const CACHE_FAILED: &str = "a cache in front of a disk failed, or the disk behind it: with write-back it may hold the only copy of what was written";
const CACHE_LEFT: &[&str] = &[
    "Which of both devices gave errors (smartctl -a)? Do not detach or format the cache before its dirty blocks are written or given up on purpose",
];

pub(super) const LINES: &[Entry] = &[
    kind(
        "nvme-digest",
        (&["nvme", "iscsi", "bnx2i", "qedi"], &["digest err", "dig_err"]),
        (Network, Critical),
        "data between this host and its storage arrived damaged, and the digest found it: a network adapter, a switch or memory changes them",
        &[
            "Error counters of the interfaces and switch ports on the way; checksum offloads of the adapter off as a test",
            "Leave the digests on until it is found: without them damaged blocks are written",
        ],
        "Linux drivers/nvme/host/tcp.c; RFC 7143, 7.8 (digest errors)",
    ),
    kind(
        "nvme-critical",
        (&["nvme"], &["critical warning"]),
        (Storage, Critical),
        "an NVMe device warns of itself: spare blocks, temperature, reliability or its power-loss protection",
        &[
            "`nvme smart-log` of the device tells which bit; replace it for all but temperature, once its data is safe",
        ],
        "NVM Express Base Specification, SMART / Health Information log",
    ),
    kind(
        "nvme-gone",
        (
            &["nvme"],
            &[
                "ctrl_loss_tmo",
                "identify controller failed",
                "not ready; aborting",
                "shutdown incomplete",
                "shutdown timed out",
            ],
        ),
        (Storage, Critical),
        "an NVMe controller does not answer any more: it was given up, or did not start",
        &[
            "`nvme list`, `nvme list-subsys`, `lspci`: a local SSD (slot, power, firmware), or a target behind a network that is gone?",
        ],
        "Linux drivers/nvme/host/{core,pci,fabrics}.c",
    ),
    kind(
        "nvme-reset",
        (&["nvme"], &["frozen state", "due to aer", "pci_ers", "slot reset"]),
        (Storage, Warning),
        "an NVMe controller was reset after an error of its PCIe link: its I/O waited meanwhile",
        &["The lines of pcieport before it (AER): which link; reseat device or riser, then firmware of both"],
        "Linux drivers/nvme/host/pci.c (nvme_error_detected)",
    ),
    kind(
        "nvme-changed",
        (&["nvme"], &["identifiers changed", "ids changed", "not identical"]),
        (Storage, Warning),
        "a namespace is no longer the one that it was: the array changed or replaced it",
        &["Ask the storage team what they changed, before anything is written to it"],
        "Linux drivers/nvme/host/core.c (nvme_validate_ns)",
    ),
    kind(
        "ata-slower",
        (
            &["ata"],
            &[
                "limiting sata link speed",
                "failed to identify",
                "qc timeout",
                "ncq disabled",
                "softreset failed",
                "comreset failed",
            ],
        ),
        (Storage, Warning),
        "a SATA drive did not answer, or the kernel slowed its link down or turned its queue (NCQ) off after errors",
        &["`smartctl -a`: UDMA_CRC_Error_Count means cable or slot, pending sectors the drive itself"],
        "Linux drivers/ata/libata-eh.c",
    ),
    kind(
        "dm-paths-gone",
        (
            &["device-mapper: multipath", "device-mapper: table"],
            &["queue_if_no_path timeout", "error getting device", "no path"],
        ),
        (Storage, Critical),
        "a multipath map has no path left, or lacks a device: its I/O fails",
        &["Bring one path back first: link, zoning, array port (`multipath -ll`)"],
        "Linux drivers/md/dm-mpath.c",
    ),
    kind(
        "thin-fills",
        (
            &["device-mapper: thin", "thin pool"],
            &["mark for data", "no free data", "out-of-data-space", " data is now"],
        ),
        (Storage, Critical),
        "a thin pool is full or nearly so: writes to blocks that were never written wait, and then fail",
        &[
            "`lvs -a -o+data_percent,metadata_percent`; lvextend the pool before anything else; `fstrim` gives back what file systems no longer use",
        ],
        "Linux drivers/md/dm-thin.c; lvmthin(7)",
    ),
    THIN_METADATA,
    // What dmeventd says of it.
    Entry { whose: &["thin pool"], any: &["metadata is now"], ..THIN_METADATA },
    kind(
        "volume-damage",
        (
            &["device-mapper: crypt", "device-mapper: integrity", "device-mapper: verity"],
            &["integrity", "checksum", "corrupted", "error"],
        ),
        (Storage, Critical),
        "a block was not what was written to it: the checksum of the volume found damaged data",
        &[
            "Memory and the device below: errors in the kernel's log, smartctl -a",
            "Verify the data on it, and restore what is damaged from a backup",
        ],
        DM,
    ),
    kind(
        "cache-failed",
        (
            &["device-mapper: cache", "device-mapper: writecache"],
            &["fail mode", "read-only mode", "error", "needs_check"],
        ),
        (Storage, Critical),
        CACHE_FAILED,
        CACHE_LEFT,
        "Linux drivers/md/dm-cache-target.c, dm-writecache.c",
    ),
    // Its word `error` is also in what it says of a device that is registered already, or is none of its own.
    kind(
        "cache-failed",
        (&["bcache"], &["io error", "too many io errors", "disabling caching", "i/o error"]),
        (Storage, Critical),
        CACHE_FAILED,
        CACHE_LEFT,
        "Linux drivers/md/bcache/io.c (bch_count_io_errors), super.c (bch_cache_set_error, bch_cached_dev_error)",
    ),
    kind(
        "vdo-failed",
        (&["kvdo", "uds", "vdo"], &["read-only", "error"]),
        (Storage, Critical),
        "a VDO volume went read-only after an error",
        &[
            "vdostats and the device below it: full, or failing? Mend that first; only then recover VDO with its vendor's steps",
        ],
        "dm-vdo documentation (Linux Documentation/admin-guide/device-mapper/vdo.rst)",
    ),
    kind(
        "md-not-started",
        (
            &["md", "md/raid", "md/raid1", "md/raid10", "device-mapper: raid"],
            &[
                "not enough operational",
                "cannot start",
                "run() failed",
                "failed to run",
                "kicking non-fresh",
                "failed to read superblock",
            ],
        ),
        (Storage, Critical),
        "an md array left a stale member out, or did not start for lack of members",
        &[
            "`mdadm --examine` of each member: event counters tell which one is old; why did it drop out?",
            "Add the one that was left out again (mdadm --re-add). Never --create, and --force only with the copies of all members safe",
        ],
        "Linux drivers/md/md.c; mdadm(8)",
    ),
    kind(
        "md-mismatch",
        (&["mdadm"], &["mismatches found"]),
        (Storage, Warning),
        "the copies of an md array differ in some blocks, found the check",
        &[
            "Swap or memory-mapped files on RAID 1 and 10 do that harmlessly; else memory and disks (smartctl -a), and which file it is",
        ],
        "md(4), mismatch_cnt",
    ),
    kind(
        "md-degraded",
        (
            &["mdadm", "md/raid", "md/raid1", "md/raid6", "md/raid10"],
            &["fail event", "degradedarray", "failspare", "failing device", "operation continuing on"],
        ),
        (Storage, Warning),
        "a RAID of md lost a disk and runs without redundancy",
        &[
            "See which one and why (mdadm --detail, smartctl -a). Where /proc/mdstat shows a rebuild already, let it finish; else add another",
        ],
        "mdadm(8), monitor mode",
    ),
    kind(
        "fs-full",
        (&["ext4-fs", "xfs", "btrfs", "gfs2", "ocfs2"], NO_SPACE),
        (Storage, Critical),
        "a file system or the thin volume below it has no room: what was written to the page cache could not be stored",
        &[
            "`df -h` and `df -i`, `btrfs filesystem usage`, `lvs` of the thin pool: which one is full? Make room there first",
        ],
        "Linux fs/ext4/inode.c, fs/btrfs; errno ENOSPC",
    ),
    kind(
        "fs-lost-data",
        (&[], &["writeback error on"]),
        (Storage, Critical),
        "a file system could not write to its device: data are lost",
        &["Find what failed below in the lines before; then check the files and the databases on it"],
        "Linux fs/iomap/buffered-io.c, fs/xfs/xfs_aops.c",
    ),
    // What btrfs counts of each device: `corrupt` and `gen` are damage, the others requests that the device failed.
    kind(
        "fs-device-errors",
        (&["btrfs"], &["corrupt 0, gen 0"]),
        (Storage, Warning),
        "a device below a btrfs file system failed reads, writes or flushes; of damaged blocks the file system counts none",
        &[
            "Find what failed below in the lines before: the disk, its path, or the server that its image lies on; `btrfs device stats` tells whether the counts grow",
        ],
        "Linux fs/btrfs/volumes.c (btrfs_dev_stat_inc_and_print); btrfs-device(8), stats",
    ),
    kind(
        "fs-damaged",
        (
            &["ext4-fs", "xfs", "btrfs", "gfs2", "ocfs2"],
            &["csum", "checksum", "corrupt", "bad block", "bad tree", "bad header", "transid", "crc error"],
        ),
        (Storage, Critical),
        "a file system found a block of its own, or of a file, damaged",
        &[
            "Memory and the device below first: errors in the kernel's log, smartctl -a",
            "Then unmount and check it without changes (e2fsck -n, xfs_repair -n, btrfs scrub); restore what is damaged",
        ],
        "Linux fs/ext4, fs/xfs, fs/btrfs: checksums of metadata and data",
    ),
    kind(
        "fs-lost-data",
        (
            &["ext4-fs", "xfs", "jbd2", "btrfs"],
            &[
                "data loss",
                "data will be lost",
                "page discard",
                "i/o error",
                "failed to convert",
                "error -5",
                "errno=-5",
                "updating journal",
            ],
        ),
        (Storage, Critical),
        "a file system could not write to its device: data or its journal are lost",
        &["Find what failed below in the lines before; then check the files and the databases on it"],
        "Linux fs/ext4, fs/jbd2/journal.c, fs/xfs/xfs_aops.c, fs/btrfs",
    ),
    kind(
        "fs-not-mounted",
        (
            &["ext4-fs", "xfs", "btrfs", "gfs2"],
            &["mount failed", "couldn't mount", "can't mount", "recovery failed", "open_ctree failed"],
        ),
        (Storage, Critical),
        "a file system cannot be mounted: it is damaged, is there twice (a snapshot), or needs a newer kernel",
        &[
            "The line says which. Twice: xfs needs nouuid, or another host's copy is mapped here. Damaged: the device first, then a check without changes (xfs_repair -n, e2fsck -n); never xfs_repair -L before a copy",
        ],
        "Linux fs/xfs/xfs_mount.c, fs/ext4/super.c",
    ),
    kind(
        "fs-withdrawn",
        (&["gfs2", "ocfs2", "btrfs", "zfs"], &["withdraw", "fatal", "forced readonly", "read-only", "panic"]),
        (Storage, Critical),
        "a file system was taken out of use (withdrawn or read-only) after an error of its device or its cluster",
        &[
            "The device first: lines before it, paths, room; then unmount and check it. A cluster's file system: on one node alone",
        ],
        "gfs2(5), errors=; Linux fs/btrfs/super.c",
    ),
    kind(
        "pool-suspended",
        (
            &["pool", "zed", "mmp"],
            &["has been suspended", "suspending pool", "class=io_failure", "class=vdev"],
        ),
        (Storage, Critical),
        "a ZFS pool lost so many of its disks that it is suspended: all I/O on it waits",
        &["`zpool status -v`: which disks; bring them back (cable, power, HBA), then `zpool clear`"],
        "zpoolprops(7), failmode",
    ),
    kind(
        "pool-errors",
        (
            &["zed", "zio"],
            &["class=checksum", "class=io ", "error=5", "vdev_state=faulted", "vdev_state=degraded"],
        ),
        (Storage, Warning),
        "a disk of a ZFS pool fails, or gave damaged data: ZFS reads the other copy, and takes the disk out if it goes on",
        &[
            "`zpool status -v`: which disk, and are files damaged; `smartctl -a` of it, cable and slot; then `zpool replace`",
        ],
        "OpenZFS, zpool-events(8), ereport.fs.zfs.checksum and .io",
    ),
    kind(
        "pool-slow",
        (&["zed"], &["class=delay", "class=deadman"]),
        (Storage, Warning),
        "a request of a ZFS pool was not answered for seconds: that disk is slow",
        &[
            "`zpool status -s` and `smartctl -a` of the disk that the line names; several of one adapter: the adapter",
        ],
        "OpenZFS, zpool-events(8), ereport.fs.zfs.delay",
    ),
    kind(
        "cluster-storage-heartbeat",
        (&["o2hb", "o2hb_write_timeout"], &["timeout", "heartbeat write"]),
        (Storage, Critical),
        "the heartbeat of an OCFS2 cluster could not be written to its disk in time: the node restarts itself to keep the data safe",
        &[
            "Paths and latency of that disk at that time: the time without any path must stay below O2CB_HEARTBEAT_THRESHOLD",
        ],
        "ocfs2(7), o2cb.sysconfig(5)",
    ),
    kind(
        "cluster-node-unheard",
        (
            &["o2net", "dlm", "o2cb", "o2quo"],
            &[
                "has been idle",
                "no longer connected",
                "no connection established",
                "error",
                "evict",
                "timeout",
            ],
        ),
        (Network, Critical),
        "a node of the OCFS2 or DLM cluster was not heard: locks wait, and one node is fenced if it goes on",
        &[
            "The network between the nodes at that time: loss, link, MTU; then pauses of the node that was not heard",
        ],
        "ocfs2(7), O2CB_IDLE_TIMEOUT_MS",
    ),
    kind(
        "lustre-lost",
        (&["lustre", "lustreerror", "lnet"], &["was lost", "evicted", "timed out", "timeout", "error"]),
        (Network, Warning),
        "a server of the Lustre file system was not heard: its I/O waits until it answers",
        &["The server that the line names, and the network to it (`lctl ping`); its own log at that time"],
        "Lustre operations manual, troubleshooting",
    ),
    kind(
        "vxfs-failed",
        (&["vxfs"], &["metaioerr", "dataioerr", "setting vx_fsdisabled", "has been disabled"]),
        (Storage, Critical),
        "a Veritas file system could not read or write its metadata or data, and may be disabled",
        &["Volume and paths below it first (vxprint, vxdmpadm); then unmount and run a full fsck"],
        "Veritas File System administrator's guide, kernel messages",
    ),
    kind(
        "ceph-lost",
        (
            &["libceph:", "ceph: mds", "rbd: rbd"],
            &["lost", "hung", "stale", "closed", "timeout", "error", "fail", "result -", " down"],
        ),
        (Network, Warning),
        "the connection to the Ceph cluster broke: its I/O waits until a monitor, OSD or MDS answers",
        &["`ceph health detail`: what is down; the network to it"],
        "Linux net/ceph/messenger.c, fs/ceph/mds_client.c",
    ),
    kind(
        "nfs-auth",
        (
            &["rpc", "nfs", "cifs", "rpc.gssd:"],
            &["auth_gss upcall", "upcall failed", "gssd: error", "sesssetup", "logon failure"],
        ),
        (Network, Warning),
        "the server refused this host's identity, or the service for Kerberos (rpc.gssd) does not run: mounts fail or hang",
        &["`systemctl status rpc-gssd`, the keytab (`klist -k`), and the clock: Kerberos bears five minutes"],
        "rpc.gssd(8); mount.cifs(8)",
    ),
    kind(
        "nfs-lockd",
        (
            &["lockd", "svc", "statd"],
            &["cannot monitor", "failed to register", "failed to contact", "no answer"],
        ),
        (Network, Warning),
        "locks of NFS version 3 cannot be taken or kept: rpc.statd or rpcbind does not answer, here or at the server",
        &[
            "`systemctl status rpc-statd rpcbind`, `rpcinfo -p SERVER`: ports of status and nlockmgr through the firewalls",
        ],
        "rpc.statd(8); Linux fs/lockd",
    ),
    kind(
        "nfs-other-file",
        (&["nfs", "nfs4"], &["fileid changed"]),
        (Storage, Warning),
        "the NFS server answers with another file under the same handle: its export was restored or failed over to another copy",
        &[
            "Stop what uses the mount, unmount it, and mount it again once the server is right: what is read may be another file's",
        ],
        "Linux fs/nfs/inode.c (nfs_update_inode)",
    ),
    kind(
        "nfs-state",
        (
            &["nfs", "nfs4", "nfsv4"],
            &[
                "state manager",
                "lease",
                "delegation",
                "reclaim",
                "session",
                "bad_stateid",
                "lost ",
                "unhandled error",
            ],
        ),
        (Storage, Warning),
        "the NFS server no longer knows this host's open files and locks, or refuses them: they may fail with EIO",
        &[
            "The server's log: a restart, a failover, two clients with one name (nfs4_unique_id of cloned hosts)?",
            "The database's log for EIO and ESTALE at that time",
        ],
        "Linux fs/nfs/nfs4state.c; nfs(5)",
    ),
    kind(
        "nfs-connect",
        (
            &["rpc", "xs_tcp_setup_socket", "nfs"],
            &[
                "connect returned",
                "error 110",
                "error 111",
                "error 113",
                "-110",
                "-111",
                "-113",
                "fragment too large",
            ],
        ),
        (Network, Warning),
        "the NFS server cannot be reached, or something else answers on its port",
        &[
            "Route and firewall to the server, port 2049 (`rpcinfo -T tcp SERVER nfs`); loss and MTU of the path",
        ],
        "Linux net/sunrpc/xprtsock.c",
    ),
    kind(
        "iscsi-login",
        (&["iscsid", "conn"], &["login rejected", "authorization", "iferror", "login failed"]),
        (Storage, Warning),
        "the iSCSI target refused the login: name, CHAP secret or access list do not fit",
        &["`iscsiadm -m node -o show`: names and node.session.auth; the target's list of initiators"],
        "RFC 7143, 11.13 (login status); open-iscsi, usr/login.c",
    ),
    kind(
        "iscsi-late",
        (&["session", "connection", "iscsi"], &["timedout", "timed_out", "cmd_timed"]),
        (Storage, Warning),
        "a command to an iSCSI disk was not answered in time",
        &["Loss and MTU of the path to the portal; the target's load at that time"],
        "Linux drivers/scsi/libiscsi.c (iscsi_eh_cmd_timed_out)",
    ),
    kind(
        "target-abort",
        (&["abort_task"], &["found referenced", "sending tmr"]),
        (Storage, Warning),
        "an initiator gave up a command to this host's LIO target: its disk below took too long",
        &["Latency of the backing device of that LUN at that time (`iostat -x 1`)"],
        "Linux drivers/target/target_core_tmr.c",
    ),
];
