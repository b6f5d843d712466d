//! What tools and controllers say of the state of disks, batteries and arrays.

use super::super::{Entry, at_least, critical, from_number, told};
use fullwire_model::assessment::Layer::{Host, Storage};
use fullwire_model::assessment::Severity::Info;

/// What comes before the exchange of a disk: the array may be rebuilding onto a spare, or onto the disk that was put in.
macro_rules! let_rebuild {
    ($else:literal) => {
        concat!(
            "Where a rebuild or resynchronisation runs already, let it finish: remove and add no disk meanwhile\n",
            $else
        )
    };
}

const STEPS: &str = "ntpd(8): from 128 ms on a clock is stepped, no longer slewed";
const CLOCK: &str = "Is it still being slewed, or is the source itself wrong (compare the others listed)? Correct it slowly: a step back can stop a cluster's member. `chronyc makestep` or ntpd -g only while no database minds";

pub(in crate::said) const LINES: &[Entry] = &[
    critical(told(
        &["failed smart self-check"],
        Storage,
        "this disk fails its own check (SMART): it may stop at any time",
        "See that the data are safe elsewhere now, then replace this one disk",
        "smartmontools, smartd.cpp",
    )),
    from_number(
        ("predictive failure count:", 1.0),
        Storage,
        "a disk of the controller predicts its own failure ({n} times)",
        "`MegaCli -PDList` names enclosure and slot; see that the array is whole, then replace this disk",
        "LSI MegaRAID SAS software user guide, PDInfo",
    ),
    at_least(
        ("media error count*:", 1.0),
        told(
            &["media error count"],
            Storage,
            "a disk of the controller could not read {n} blocks",
            "See that the array is whole and that a patrol read or consistency check passes; replace the disk if the number grows",
            "LSI MegaRAID SAS software user guide, PDInfo",
        ),
    ),
    told(
        &["firmware state:", "failed"],
        Storage,
        "the controller has taken a disk out of use: it failed",
        "See which array it was in (MegaCli -LDInfo, -PDList: enclosure and slot); replace it",
        "LSI MegaRAID SAS software user guide, PDInfo",
    ),
    told(
        &["firmware state:", "unconfigured(bad)"],
        Storage,
        "the controller holds a disk for bad",
        "If it was pulled by mistake it can be made good; otherwise replace it: first see which array misses a disk",
        "LSI MegaRAID SAS software user guide, PDInfo",
    ),
    critical(told(
        &["preserved cache"],
        Storage,
        "the RAID controller keeps writes of an array that it does not find: they are not on the disks yet",
        "Bring the missing disks back (power, cables, enclosure) and let it write them. Discarding the preserved cache loses them: only where the array is given up",
        "Dell PERC user guide, Preserved Cache; Broadcom storcli, show preservedcache",
    )),
    told(
        &["error count since last fsck"],
        Storage,
        "this file system has met errors that no check has fixed since",
        "Make a copy of the data, unmount it, and run fsck; the lines `initial error` and `last error` say since when and where",
        "Linux fs/ext4/super.c (print_daily_error_info)",
    ),
    at_least(
        ("dirty:", 8_000_000.0),
        told(
            &["dirty:", " kb"],
            Storage,
            "{n} kB of written data wait in memory to go to the disks: the next fsync or checkpoint stands behind them, for minutes on a slow device",
            "See which device does not keep up (iostat -x); vm.dirty_background_bytes and vm.dirty_bytes bound what may wait",
            "Linux Documentation/admin-guide/sysctl/vm.rst, dirty_background_bytes; Documentation/filesystems/proc.rst",
        ),
    ),
    Entry {
        severity: Some(fullwire_model::assessment::Severity::Info),
        ..told(
            &["resilvered", "% done"],
            Storage,
            "a resilver runs: ZFS copies to the new device what the old one held; until it is done there is less redundancy",
            "Let it finish before any other disk is touched; `zpool status` says how long",
            "OpenZFS, zpool-status(8), scan",
        )
    },
    at_least(
        ("failed/degraded*/*/", 1.0),
        told(
            &["logical devices/failed/degraded"],
            Storage,
            "{n} arrays of the controller are degraded",
            let_rebuild!("Otherwise, arcconf getconfig 1 ld, pd: which disk failed; replace it"),
            "Microsemi Adaptec ARCCONF command line utility, getconfig",
        ),
    ),
    at_least(
        ("full avg10=", 20.0),
        told(
            &["full avg10=", "avg60="],
            Host,
            "all tasks that had work stood still {n} % of the last 10 s (pressure): for I/O, memory or the CPU, as the file is called",
            "`cat /proc/pressure/*` tells which; `fullwire check` names the device or what uses the memory",
            "Linux Documentation/accounting/psi.rst",
        ),
    ),
    told(
        &["leap status", "not synchronised"],
        fullwire_model::assessment::Layer::Host,
        "the clock of this host is not synchronised: times of logs and of cluster members drift apart",
        "`chronyc sources -v`: which servers answer; let it run, and step the clock only where no database minds (chronyc makestep)",
        "chronyc(1), tracking",
    ),
    told(
        &["clock: no source is followed"],
        Host,
        "the clock of this host follows no source of time: times of logs and of cluster members drift apart",
        "Do the servers answer (reach 0: none of the last eight polls was answered)? UDP port 123 on the way to them, and their names",
        "ntpq(8), peers; chronyc(1), sources",
    ),
    at_least(
        ("clock: the source * is ", 128.0),
        told(
            &["clock: the source", "ms away"],
            Host,
            "the clock of this host is {n} ms away from the source that it follows",
            CLOCK,
            STEPS,
        ),
    ),
    Entry {
        severity: Some(Info),
        // Less than a GiB: no instance that anyone uses fits (own choice).
        least: Some(("1048576÷kib", 1.001)),
        ..told(
            &["ipcs: kib="],
            Host,
            "a shared memory segment may be small only ({kib} KiB, max seg size, kernel.shmmax): an SGA, or the shared buffers of PostgreSQL before 9.3, that is larger does not start or is cut into many segments",
            "Where a database of this host has more: kernel.shmmax in /etc/sysctl.d, at least as large as its shared memory, and kernel.shmall to match; it takes effect at once for what starts from then on",
            "Linux Documentation/admin-guide/sysctl/kernel.rst, shmmax; PostgreSQL documentation, Managing Kernel Resources",
        )
    },
    critical(told(
        &["smart health status:", "exceeded"],
        Storage,
        "this disk says itself that it is about to fail (SMART)",
        "See that the data are safe elsewhere, then replace this one disk",
        "smartctl(8), SCSI health status; T10 SPC (5Dh)",
    )),
    at_least(
        ("grown defect list: ", 100.0),
        told(
            &["grown defect list:"],
            Storage,
            "this disk has replaced {n} of its sectors since it was made (grown defects): many mean that it is failing",
            "Plan its replacement if the number grows; the lines of uncorrected errors tell what was lost",
            "smartctl(8), SCSI grown defect list",
        ),
    ),
    told(
        &["critical warning:", "0x01"],
        Storage,
        "the NVMe device has less spare space left than its maker thinks safe",
        "Replace the device before it goes read-only",
        "NVM Express base specification, SMART / Health Information, Critical Warning",
    ),
    told(
        &["critical warning:", "0x02"],
        Storage,
        "the NVMe device is outside its temperature limits: it slows down to protect itself",
        "Look at the fans and the airflow; compare the throttle times of nvme smart-log",
        "NVM Express base specification, SMART / Health Information, Critical Warning",
    ),
    told(
        &["critical warning:", "0x04"],
        Storage,
        "the NVMe device says that it has become unreliable: media or internal errors",
        "Replace the device; check that the redundancy above it is whole first",
        "NVM Express base specification, SMART / Health Information, Critical Warning",
    ),
    told(
        &["critical warning:", "0x08"],
        Storage,
        "the NVMe device has gone read-only",
        "Replace the device",
        "NVM Express base specification, SMART / Health Information, Critical Warning",
    ),
    told(
        &["critical warning:", "0x10"],
        Storage,
        "the NVMe device's own protection of its volatile memory has failed: a loss of power may lose writes that it has acknowledged",
        "Replace the device; until then nothing on it is safe from a loss of power without a flush",
        "NVM Express base specification, SMART / Health Information, Critical Warning",
    ),
    at_least(
        ("uncorrected=", 1.0),
        told(
            &["smartctl: fast=", "uncorrected="],
            Storage,
            "{n} times this disk could not correct an error of reading or writing, even with its own retries: those blocks were lost to the reader",
            "Check the redundancy above it, then replace the disk",
            "smartctl(8), SCSI error counter log",
        ),
    ),
    at_least(
        ("data integrity errors:", 1.0),
        told(
            &["data integrity errors"],
            Storage,
            "the device has met {n} errors of its media or of data integrity: it could not give back what was written",
            "Replace the device; verify the data on it (checksums, RMAN VALIDATE, pg_amcheck)",
            "NVM Express base specification, SMART / Health Information",
        ),
    ),
    from_number(
        ("percentage used:", 100.0),
        Storage,
        "the device has used {n} % of the writes that it is made for",
        "Plan its replacement; writes may become slow or fail",
        "NVM Express base specification, SMART / Health Information, Percentage Used",
    ),
    critical(told(
        &["failing_now"],
        Storage,
        "an attribute of this disk is below the threshold that its maker set: the disk says itself that it is failing (SMART)",
        "See that the data are safe elsewhere, then replace this disk",
        "smartctl(8), -A, WHEN_FAILED",
    )),
    at_least(
        ("uncorrect*: ", 1.0),
        told(
            &["smart attribute", "uncorrect"],
            Storage,
            "{n} sectors of this disk cannot be read any more",
            "Check the redundancy above it, then replace the disk",
            "smartctl(8), attributes 187 and 198",
        ),
    ),
    at_least(
        ("crc_error*: ", 100.0),
        told(
            &["smart attribute", "crc_error"],
            Storage,
            "{n} transfers between this disk and its controller were damaged on the way",
            "Replace the cable or the slot; the number never falls, so see whether it still grows",
            "smartctl(8), attribute 199",
        ),
    ),
    at_least(
        ("reallocated*: ", 1.0),
        Entry {
            name: "smart-reallocated",
            ..told(
                &["smart attribute", "reallocated"],
                Storage,
                "{n} sectors of this disk were replaced by spare ones: each replacement is a read or write that took seconds",
                "Plan its replacement if the number grows",
                "smartctl(8), attributes 5 and 196",
            )
        },
    ),
    at_least(
        ("pending*: ", 1.0),
        told(
            &["smart attribute", "pending"],
            Storage,
            "{n} sectors of this disk cannot be read at the moment: reads of them take seconds or fail",
            "Check the redundancy above it, then replace the disk",
            "smartctl(8), attribute 197",
        ),
    ),
    told(
        // MegaCli and omreport have blanks before the colon; the state of a link or of all units (networkctl, systemctl) has none.
        &["state", " : degraded"],
        Storage,
        "a RAID group of the controller is degraded: a disk of it has failed, and the next one may take the data along",
        let_rebuild!(
            "Otherwise, find the failed disk (storcli /cALL/eALL/sALL show, MegaCli -PDList -aAll) and replace it"
        ),
        "Broadcom StorCLI reference manual, states of virtual drives",
    ),
    critical(told(
        &[" dgrd "],
        Storage,
        "a RAID group of the controller is degraded (Dgrd): a disk of it has failed, and the next one may take the data along",
        let_rebuild!("Otherwise, find the failed disk (storcli /cALL/eALL/sALL show) and replace it"),
        "Broadcom StorCLI reference manual, states of virtual drives",
    )),
    critical(told(
        &[" ofln "],
        Storage,
        "a RAID group or disk of the controller is offline (OfLn)",
        "Find the failed disks (storcli /cALL/eALL/sALL show)",
        "Broadcom StorCLI reference manual, states of virtual drives",
    )),
    Entry {
        any: &["state=failed", "state=dgd", "state=degraded", "state=msng", "state=missing", "state=warning"],
        ..told(
            &["storcli battery: "],
            Storage,
            "the battery or capacitor of the RAID controller is not well ({model}: {state}): it writes through, and each commit waits for the disks",
            "storcli /cALL/bbu show all, /cALL/cv show all: a learn cycle ends by itself; otherwise replace it",
            "Broadcom StorCLI reference manual, BBU and CacheVault commands",
        )
    },
    Entry {
        // Of storcli: with read ahead or without (R, NR).
        any: &["rwtd", "nrwtd"],
        ..told(
            &[],
            Storage,
            "the RAID controller writes through its cache (WT): each commit waits for the disks themselves; without a charged battery or capacitor it does that by itself",
            "See the battery or capacitor first (storcli /cALL/bbu show, /cALL/cv show)",
            "Broadcom StorCLI reference manual, cache policies",
        )
    },
    critical(told(
        &["logicaldrive", "interim recovery"],
        Storage,
        "a RAID group of the controller runs without a failed disk, and the next one may take the data along",
        let_rebuild!("Otherwise, find the failed disk (ssacli ctrl all show config) and replace it"),
        "HPE Smart Storage Administrator user guide, status of logical drives",
    )),
    told(
        &["physicaldrive", "failed"],
        Storage,
        "a disk of the RAID controller has failed",
        "Replace it",
        "HPE Smart Storage Administrator user guide",
    ),
    critical(told(
        &["thin pool ", " data used=(", "out_of_data_space"],
        Storage,
        "a thin pool is full: writes to its volumes wait, and then fail",
        "Extend it now, data and metadata (lvextend, lvextend --poolmetadatasize); then let dmeventd extend it by itself (thin_pool_autoextend_threshold in lvm.conf)",
        "Linux Documentation/admin-guide/device-mapper/thin-provisioning.rst; lvs(8), lv_attr",
    )),
    critical(told(
        &["thin pool ", " data used=(", " ro "],
        Storage,
        "the metadata of a thin pool are read-only: it ran out of room for them, or they are damaged",
        "Do not write to it; end what uses it, then lvconvert --repair of the pool, with room for its metadata",
        "Linux Documentation/admin-guide/device-mapper/thin-provisioning.rst; lvs(8), lv_attr",
    )),
    critical(told(
        &["thin pool ", " data used=(", "needs_check"],
        Storage,
        "the metadata of a thin pool must be checked: the kernel met an error in them",
        "End what uses it, then lvconvert --repair of the pool",
        "Linux Documentation/admin-guide/device-mapper/thin-provisioning.rst; lvs(8), lv_attr",
    )),
    at_least(
        (" data used=(", 90.0),
        told(
            &["thin pool ", " data used=("],
            Storage,
            "a thin pool is {n} % full: once it is, writes to its volumes wait and then fail",
            "Extend it (lvextend), or let dmeventd do it (thin_pool_autoextend_threshold in lvm.conf)",
            "Linux Documentation/admin-guide/device-mapper/thin-provisioning.rst; lvs(8), lv_attr",
        ),
    ),
    at_least(
        ("metadata used=(", 85.0),
        told(
            &["thin pool ", "metadata used=("],
            Storage,
            "the metadata of a thin pool are {n} % full: once they are, the pool becomes read-only",
            "lvextend --poolmetadatasize of the pool",
            "Linux Documentation/admin-guide/device-mapper/thin-provisioning.rst; lvs(8), lv_attr",
        ),
    ),
    told(
        &["lvs: ", " is partial"],
        Storage,
        "a device of this volume is missing: it runs without it, or not at all",
        "`lvs -a -o +devices`, `pvs`: which device is gone; bring it back, or lvconvert --repair of the volume",
        "lvs(8), lv_attr",
    ),
    told(
        &["lvs: ", " is refresh needed"],
        Storage,
        "a device of this mirrored volume failed for a while and is out of date",
        "lvchange --refresh of the volume, once its device is sound",
        "lvs(8), lv_attr",
    ),
    told(
        &["lvs: ", " is mismatches"],
        Storage,
        "a scrub found blocks that differ between the copies of this volume",
        "A cable, controller or disk may damage data: look at their errors, then lvchange --syncaction repair",
        "lvs(8), lv_attr; lvmraid(7)",
    ),
    critical(told(
        &["dmsetup: ", "has no path left"],
        Storage,
        "no path to this volume is left: its I/O waits or fails",
        "`multipath -ll`; the array's port, the switch and the adapter of each path",
        "Linux drivers/md/dm-mpath.c (multipath_status)",
    )),
    told(
        &["dmsetup: ", "has paths failed"],
        Storage,
        "paths to this volume have failed: it runs without them",
        "`multipath -ll` names them; the array's port, the switch and the adapter of each",
        "Linux drivers/md/dm-mpath.c (multipath_status)",
    ),
    Entry {
        any: &[": degraded", ": suboptimal"],
        ..told(
            &["status of logical device", ": "],
            Storage,
            "an array of the controller is degraded: a disk of it has failed, and the next one may take the data along",
            let_rebuild!(
                "Otherwise, arcconf getconfig 1 pd names the failed disk: replace it; back up first"
            ),
            "Microsemi Adaptec ARCCONF command line utility, getconfig",
        )
    },
    critical(Entry {
        any: &[": failed", ": offline", ": impacted"],
        ..told(
            &["status of logical device", ":"],
            Storage,
            "an array of the controller is offline: its data cannot be reached",
            "arcconf getconfig 1 pd: which disks failed, or are missing for a loose cable; do not create the array again",
            "Microsemi Adaptec ARCCONF command line utility, getconfig",
        )
    }),
    critical(told(
        &["failed stripes", ": yes"],
        Storage,
        "stripes of an array were lost: blocks on it cannot be read back as they were written",
        "Verify what lies on it (checksums, RMAN VALIDATE, pg_amcheck) and restore it",
        "Microsemi Adaptec ARCCONF command line utility, getconfig",
    )),
    told(
        &["segment ", ": missing"],
        Storage,
        "a disk of an array is missing",
        "Look at its slot, cable and power; replace it",
        "Microsemi Adaptec ARCCONF command line utility, getconfig",
    ),
    told(
        &["physicaldrive", "predictive failure"],
        Storage,
        "a disk of the RAID controller is about to fail (predictive failure)",
        "See that the group is whole and backed up, then replace this disk; wait for a rebuild that runs",
        "HPE Smart Storage Administrator user guide",
    ),
    Entry {
        any: &["recovering", "rebuilding", "ready for rebuild", "queued for rebuild"],
        ..told(
            &["logicaldrive", ","],
            Storage,
            "a RAID group of the controller is being rebuilt: it is slower, and not redundant until then",
            "Let it finish; replace no other disk of the group meanwhile",
            "HPE Smart Storage Administrator user guide",
        )
    },
    critical(told(
        &["logicaldrive", ", failed"],
        Storage,
        "a RAID group of the controller has failed: its data cannot be reached",
        "ssacli ctrl all show config detail: which disks failed; ask the vendor before it is enabled again",
        "HPE Smart Storage Administrator user guide",
    )),
    told(
        &[" drive ", " failed "],
        Storage,
        "a disk of the RAID controller has failed: the line names its enclosure and slot",
        "Replace it",
        "Broadcom StorCLI reference manual, states of physical drives",
    ),
    Entry {
        any: &["linkdown", "offline", "error"],
        ..told(
            &["class device", "port_state", "= "],
            Storage,
            "a Fibre Channel port of this host has no link: every path over it is down",
            "Its cable, transceiver and switch port (is it on, in the right zone and speed); `multipath -ll` shows what is left",
            "Linux Documentation/ABI/testing/sysfs-class-fc_host, port_state",
        )
    },
    told(
        &["disk operation error"],
        Storage,
        "AIX logged an error of a disk",
        "Look at the path and the array at that time (errpt -a)",
        "AIX errpt(8)",
    ),
    told(
        &["governor \"powersave\""],
        Host,
        "the CPUs run under the governor powersave, which with acpi-cpufreq keeps the lowest clock",
        "cpupower frequency-set -g performance, then measure again",
        "Linux Documentation/admin-guide/pm/cpufreq.rst",
    ),
    told(
        &["current cache policy", "writethrough"],
        Storage,
        "the RAID controller writes through its cache (WriteThrough): each commit waits for the disks themselves; without a charged battery or capacitor it does that by itself",
        "See the battery or capacitor first (storcli /cALL/bbu show, /cALL/cv show); set write back only with one that is healthy",
        "Broadcom StorCLI reference manual, cache policies",
    ),
    Entry {
        any: &["cache status", "write cache"],
        ..told(
            &["temporarily disabled"],
            Storage,
            "the write cache of the RAID controller is disabled for the time being, usually because its battery or capacitor is not charged: each commit waits for the disks",
            "See the battery or capacitor (ssacli ctrl all show detail); it comes back by itself once that is charged",
            "HPE Smart Storage Administrator user guide, cache status; cciss_vol_status(8)",
        )
    },
    told(
        &["cache status", "permanently disabled"],
        Storage,
        "the write cache of the RAID controller is disabled for good: its module or battery failed, and each commit waits for the disks",
        "Replace the cache module or its battery (ssacli ctrl all show detail tells which)",
        "HPE Smart Storage Administrator user guide, cache status",
    ),
    told(
        &["battery/capacitor status", "failed"],
        Storage,
        "the battery or capacitor of the RAID controller failed: it writes through, and each commit waits for the disks",
        "Replace the battery or capacitor",
        "HPE Smart Storage Administrator user guide",
    ),
    told(
        &["battery replacement required", "yes"],
        Storage,
        "the battery of the RAID controller is worn out: it writes through, and each commit waits for the disks",
        "Replace the battery",
        "Broadcom StorCLI reference manual, bbu",
    ),
    told(
        &["write-caching", "0 (off)"],
        Storage,
        "the write cache of this drive is off: each write waits for the medium",
        "That is right for a disk without protection against loss of power below a database; a drive with it (or a controller with a battery) may have it on",
        "hdparm(8), -W",
    ),
    told(
        &["currently unreadable", "sectors"],
        Storage,
        "SMART counts sectors that this disk cannot read: it is failing",
        "See that the data are safe elsewhere, then replace this disk",
        "smartd(8), attribute 197",
    ),
    told(
        &["offline uncorrectable sectors"],
        Storage,
        "SMART counts sectors that this disk cannot read any more",
        "See that the data are safe elsewhere, then replace this disk",
        "smartd(8), attribute 198",
    ),
    critical(told(
        &["self-assessment test result: failed"],
        Storage,
        "the drive says itself that it is failing (SMART)",
        "See that the data are safe elsewhere, then replace this drive",
        "smartctl(8), -H",
    )),
    Entry {
        any: &["100% /", "99% /"],
        ..told(
            &["inodes of ", "% /"],
            Host,
            "a file system has no inodes left, or hardly any: no file can be created on it, however much room it has",
            "Remove small files that nobody needs (audit files, traces, sessions, mails), or move them; XFS makes more with xfs_growfs -m, ext4 only when it is made again",
            "df(1), -i; mkfs.ext4(8), -N",
        )
    },
    told(
        &["100% /"],
        Host,
        "a file system is full: nothing can be written to it",
        "Make room on it, then find what filled it",
        "df(1)",
    ),
    told(
        &["99% /"],
        Host,
        "a file system is nearly full",
        "Make room on it, then find what fills it",
        "df(1)",
    ),
];
