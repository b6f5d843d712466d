//! Volumes that are not whole, in the words into which the readers of all RAID tools put them, and pools of many disks.

use super::super::{Entry, any_of, at_least, critical, from_number, told};
use fullwire_model::assessment::Layer::Storage;
use fullwire_model::assessment::Severity;

/// Tools of which the state of a volume is read.
const TOOLS: &str = "3ware CLI guide; Areca CLI manual; mpt-status(8); cciss_vol_status(8); IBM ServeRAID ipssend; mdadm(8); Linux Documentation/admin-guide/device-mapper/dm-raid.rst";
const CEPH: &str = "Ceph documentation, Health checks";
const MDS: &str = "Ceph documentation, CephFS health messages";

/// An array that lost more members than it can.
pub(crate) const STOPPED_ARRAY: &str = "array-stopped";

pub(in crate::said) const LINES: &[Entry] = &[
    critical(Entry {
        any: &["clean, degraded", "active, degraded"],
        ..told(
            &["state :"],
            Storage,
            "an md array is degraded: a disk of it has failed or is missing, and the next one may take the data along",
            "`mdadm --detail` of the array: which disk, and whether a rebuild runs already; let that finish. Otherwise, replace that disk, and back up first",
            "mdadm(8), --detail; md(4)",
        )
    }),
    told(
        &["raid volume ", " is rebuilding"],
        Storage,
        "a RAID volume is being rebuilt: it is slower, and not redundant until that is done",
        "Let it finish: remove, add and replace no disk meanwhile; see how far it is, and that the backup is good",
        TOOLS,
    ),
    critical(told(
        &["raid volume ", " is degraded"],
        Storage,
        "a RAID volume is degraded: a disk of it has failed or is missing, and the next one may take the data along",
        "See whether a rebuild runs already, and let it finish. Otherwise, find the disk in the list of the same tool and replace that one; back up first",
        TOOLS,
    )),
    critical(told(
        &["raid volume ", " is failed"],
        Storage,
        "a RAID volume has failed: its data cannot be reached",
        "Which disks are missing, and why: power, cables and the enclosure first. Do not create, initialise or delete the volume: the data are often whole still",
        TOOLS,
    )),
    told(
        &["raid disk ", " is failed"],
        Storage,
        "a disk of a RAID controller has failed: its volume is degraded, or a spare has taken its place",
        "See whether a rebuild runs already, and let it finish. Otherwise, replace this disk and no other; back up first",
        TOOLS,
    ),
    Entry {
        severity: Some(Severity::Info),
        ..told(
            &["raid volume ", " has no write cache"],
            Storage,
            "the write cache of a RAID volume is off: each commit waits for the disks themselves",
            "Right without a charged battery; with one, set it on in the controller's tool",
            "3ware CLI guide, unit cache",
        )
    },
    critical(Entry {
        name: STOPPED_ARRAY,
        ..told(
            &["md/raid", "cannot continue operation"],
            Storage,
            "an md array has stopped: more of its members failed than its level can lose",
            "Write nothing, and exchange, add and create nothing. `mdadm --examine` of all members: event counts that are close fit together\nCopy the failing members (ddrescue), then `mdadm --assemble --force` with the best copies; often a cable, power or controller took several out at once",
            "Linux drivers/md/raid5.c (raid5_error); md(4)",
        )
    }),
    told(
        &["read error corrected"],
        Storage,
        "btrfs read a wrong block and put it right from another copy: nothing is lost",
        "The line names the device: smartctl, its cable, memory; `btrfs scrub start` finds what else is wrong",
        "Linux fs/btrfs/bio.c (btrfs_repair_io_failure); btrfs-scrub(8)",
    ),
    told(
        &["unrecoverable media errors detected"],
        Storage,
        "the RAID controller met sectors that neither the disk nor its redundancy could give back: files on the volume have holes",
        "Read all of the database once (RMAN validate, pg_amcheck, mysqlcheck), restore what fails; a sector is well again once it is written",
        "HPE Smart Storage Administrator user guide, surface analysis",
    ),
    told(
        &["smart attribute", "worn to "],
        Storage,
        "the flash of this disk has used up what its maker rates: less than a tenth of its writes is left",
        "Plan its replacement, of a mirror's disks one after the other: they wear alike",
        "smartmontools drivedb.h (attributes 173, 177, 202, 231, 233)",
    ),
    at_least(
        ("endurance indicator:", 90.0),
        told(
            &["percentage used endurance indicator"],
            Storage,
            "the device has used {n} % of the writes that it is made for",
            "Plan its replacement, of a mirror's disks one after the other: they wear alike",
            "smartctl(8); T10 SBC-4, Solid State Media log page",
        ),
    ),
    any_of(
        &["mds_slow_metadata_io", "slow metadata ios"],
        Storage,
        "the metadata pool of CephFS is slow: its server waits more than 30 s for a write, and files cannot be made, opened or renamed meanwhile",
        "`ceph osd perf` and the devices of the OSDs that hold the metadata pool: it belongs on flash",
        MDS,
    ),
    any_of(
        &["mds_trim", "behind on trimming"],
        Storage,
        "a metadata server of CephFS falls behind with its journal: the metadata pool takes its writes too slowly, or clients change more than it can",
        "`ceph health detail` names it; `ceph osd perf` of the metadata pool's OSDs; what changes so many files",
        MDS,
    ),
    Entry {
        any: &[
            "journal device is faulty",
            "journal disk is missing",
            "journal failed",
            "failed journal",
            "faulty journal",
        ],
        ..critical(told(
            &["md"],
            Storage,
            "the journal device of an md array has failed: the array takes no writes",
            "`mdadm --detail` of the array; replace the device: `mdadm --manage ARRAY --add-journal NEW` on the array while it is read-only",
            "md(4), RAID WRITE JOURNAL; mdadm(8), --add-journal; Linux Documentation/driver-api/md/raid5-cache.rst",
        ))
    },
    any_of(
        &["mon_disk_low", "mon_disk_crit", "low on available space"],
        Storage,
        "the disk of a Ceph monitor is nearly full: a monitor without room stops",
        "Make room where its store lies (/var/lib/ceph/mon): logs first, then `ceph tell mon.ID compact`",
        CEPH,
    ),
    critical(Entry {
        name: "ceph-in-error",
        ..told(
            &["health", "health_err"],
            Storage,
            "Ceph says that it is in error (HEALTH_ERR): data are at risk, or I/O waits",
            "`ceph health detail` names what is wrong; begin with what is full, down or inconsistent",
            CEPH,
        )
    }),
    Entry {
        severity: Some(Severity::Info),
        ..told(
            &["calling monitor election"],
            Storage,
            "the monitors of Ceph elect again: until they agree nothing of the cluster's state changes",
            "If it happens repeatedly: the network between the monitors, their clocks and their disks",
            "Ceph documentation, Troubleshooting monitors",
        )
    },
    critical(told(
        &["is in split-brain"],
        Storage,
        "copies of a file differ and Gluster cannot tell which is right: the file cannot be read",
        "`gluster volume heal VOLUME info split-brain`; look at both copies, keep them, then choose one by name (heal ... split-brain source-brick), never all at once",
        "Gluster administrator guide, Heal info and split-brain resolution",
    )),
    told(
        &["status: transport endpoint is not connected"],
        Storage,
        "a brick of Gluster is not reached: what is written meanwhile it must be healed with later",
        "`gluster volume status`, `gluster peer status`: its host, its process (glusterfsd) and its disk",
        "Gluster administrator guide, Heal info and split-brain resolution",
    ),
    critical(told(
        &["io error: neither local nor remote data"],
        Storage,
        "DRBD reaches no copy: neither this host's disk nor the peer's answers, and the I/O fails",
        "`drbdadm status`: bring the side that is UpToDate back first; make no side primary by force while that one may come back",
        "DRBD 9 user's guide, disk states; drbd.conf(5), on-no-data-accessible",
    )),
    critical(told(
        &["quorum( yes -> no )"],
        Storage,
        "DRBD lost its quorum: this host sees too few of its peers, and what is written here waits or fails",
        "The network to the peers, and whether they run (`drbdadm status`); it goes on once they are back",
        "DRBD 9 user's guide, quorum; drbd.conf(5), on-no-quorum",
    )),
    Entry {
        any: &["-> ahead )", "-> behind )"],
        ..told(
            &["repl( "],
            Storage,
            "DRBD's link is too slow for the writes: it runs ahead of the peer, which must be resynchronised afterwards",
            "Throughput and loss of that link (`fullwire net`); a larger congestion-fill and sndbuf-size, or DRBD Proxy",
            "drbd.conf(5), on-congestion",
        )
    },
    from_number(
        ("allocated pool data", 90.0),
        Storage,
        "a thin pool is {n} % full: once it is, writes to its volumes wait and then fail",
        "Extend it (lvextend), or let dmeventd do it (thin_pool_autoextend_threshold in lvm.conf)",
        "lvdisplay(8); lvmthin(7)",
    ),
    from_number(
        ("allocated metadata", 85.0),
        Storage,
        "the metadata of a thin pool are {n} % full: once they are, the pool becomes read-only",
        "lvextend --poolmetadatasize of the pool",
        "lvdisplay(8); lvmthin(7)",
    ),
    from_number(
        ("allocated to snapshot", 90.0),
        Storage,
        "a snapshot is {n} % full: once it is, it is lost",
        "lvextend it, or remove it once it has served",
        "lvdisplay(8); lvmsnapshot in lvm(8)",
    ),
    critical(at_least(
        ("uncorrectable:", 1.0),
        told(
            &["uncorrectable:"],
            Storage,
            "a scrub of btrfs found {n} blocks of which no copy is right",
            "The kernel's log names the files (checksum error at logical): restore those. Never `btrfs check --repair`",
            "btrfs-scrub(8)",
        ),
    )),
    Entry {
        any: &["corruption_errs", "generation_errs"],
        ..at_least(
            ("_errs", 1.0),
            told(
                &[],
                Storage,
                "btrfs has met {n} blocks of this device that were damaged, since its counters were reset",
                "`btrfs scrub start -B` tells what is damaged now; memory, cable and smartctl of the device",
                "btrfs-device(8), stats",
            ),
        )
    },
    Entry {
        any: &["write_io_errs", "read_io_errs", "flush_io_errs"],
        ..at_least(
            ("_errs", 1.0),
            told(
                &[],
                Storage,
                "this device of btrfs failed {n} reads, writes or flushes since its counters were reset",
                "The kernel's log and smartctl of the device; its cable and slot",
                "btrfs-device(8), stats",
            ),
        )
    },
    critical(any_of(
        &["unexpected aio error", "unexpected io error"],
        Storage,
        "an OSD of Ceph stopped itself because its disk returned an I/O error",
        "dmesg and smartctl of that disk; mark the OSD out and make it again on another: the cluster has the copies",
        "Ceph src/blk/kernel/KernelDevice.cc",
    )),
    critical(told(
        &["completed: read failure"],
        Storage,
        "a self-test of this disk stopped at a sector that it cannot read",
        "Is the redundancy above it whole? Replace the disk; read all of the database once",
        "smartctl(8), -l selftest",
    )),
    Entry {
        any: &["on replica", "replica"],
        ..told(
            &["write timeout on"],
            Storage,
            "a replica of a distributed volume did not take a write in time: its node's disk, or the network to it",
            "All replicas at once: this node's own network or CPU. One: that node's disk and network",
            "Longhorn engine, pkg/dataconn",
        )
    },
    critical(any_of(
        &["disk stall detected", "disk slowness detected"],
        Storage,
        "the disk took no write for seconds: the node gives its work up or ends itself",
        "`iostat -x` and the kernel's log of that device at that time; what else writes to it",
        "CockroachDB pkg/storage/fs; Pebble vfs/disk_health.go",
    )),
    critical(told(
        &["flood stage disk watermark"],
        Storage,
        "a data path of Elasticsearch is nearly full: its indices become read-only",
        "Make room or move shards away; then index.blocks.read_only_allow_delete goes by itself (before 7.4 set it to null)",
        "Elasticsearch reference, disk-based shard allocation",
    )),
    Entry {
        any: &["high disk watermark", "low disk watermark"],
        ..told(
            &["exceeded on"],
            Storage,
            "a data path of Elasticsearch fills up: shards are moved away, or none is put there",
            "Make room or add a node before the flood stage makes the indices read-only",
            "Elasticsearch reference, disk-based shard allocation",
        )
    },
    critical(told(
        &["access beyond end of device", "limit=0"],
        Storage,
        "a device has vanished while it was in use: its size is 0",
        "Which session, path or cable it hung on (iSCSI, NVMe, USB), in the lines before; bring that back",
        "Linux block/blk-core.c (bio_check_eod)",
    )),
    told(
        &["error: unc "],
        Storage,
        "the drive could not read a sector: its own error log says where (UNC)",
        "Is the redundancy above it whole? Replace the drive; read all of the database once",
        "smartctl(8), -l error; T13 ACS (UNC)",
    ),
    told(
        &["vg ", "lock skipped: storage errors for sanlock"],
        Storage,
        "the volume group's lock could not be renewed: its storage answered too late or not at all",
        "The paths to the leases of that volume group and their latency; `sanlock client log_dump`",
        "lvmlockd(8), sanlock(8)",
    ),
];
