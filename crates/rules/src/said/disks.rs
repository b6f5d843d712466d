//! Disks, their commands and their links.

use super::{EMPTY, Entry};
use fullwire_model::assessment::Severity::{Critical, Info, Warning};

const LIBATA: &str =
    "Linux drivers/ata/libata-eh.c (ata_eh_link_report: the failed command, SError and error bits)";
const SENSE: &str = "Linux drivers/scsi/constants.c and T10 SPC: sense keys and additional sense codes";
const NVME: &str = "Linux drivers/nvme/host/pci.c (nvme_warn_reset); NVM Express Base Specification, CSTS";

/// An array that has no room for a write.
pub(super) const THIN_SPACE: Entry = Entry {
    name: "thin-space",
    any: &["Space allocation failed write protect", "critical space allocation error"],
    severity: Some(Critical),
    says: "has no space left in the thin pool of its array",
    why: "Writes to blocks that are new fail, although the file system has room.",
    now: "Add space to the pool of the array first",
    lasting: "An alarm on the pool; `fstrim` gives back what file systems no longer use",
    source: SENSE,
    ..EMPTY
};

pub(super) const ENTRIES: &[Entry] = &[
    // What the link says, before what failed over it.
    Entry {
        name: "ata-link",
        all: &["ata"],
        any: &[
            "BadCRC",
            "ICRC",
            "10B8B",
            "Handshk",
            "Dispar",
            "LinkSeq",
            "PHYRdyChg",
            "PHY RDY changed",
            "connection status changed",
        ],
        severity: Some(Warning),
        says: "has errors or interruptions on its SATA link",
        why: "Commands that fail on the link are sent again after a reset: each costs seconds. The link is at fault and not the disk's medium.",
        now: "`smartctl -a` of the disk: UDMA_CRC_Error_Count grows with each of them",
        lasting: "Reseat or replace the cable or the place in the backplane; if another disk fails there too, it is the port",
        source: LIBATA,
        ..EMPTY
    },
    Entry {
        name: "ata-link",
        all: &["ata", "failed command:"],
        beside: &[
            "BadCRC",
            "ICRC",
            "10B8B",
            "Dispar",
            "PHYRdyChg",
            "PHY RDY changed",
            "connection status changed",
        ],
        severity: Some(Warning),
        says: "lost a command to errors or an interruption of its SATA link",
        why: "Commands that fail on the link are sent again after a reset: each costs seconds. The link is at fault and not the disk's medium.",
        now: "`smartctl -a` of the disk: UDMA_CRC_Error_Count grows with each of them",
        lasting: "Reseat or replace the cable or the place in the backplane; if another disk fails there too, it is the port",
        source: LIBATA,
        ..EMPTY
    },
    Entry {
        name: "ata-flush",
        all: &["failed command: FLUSH CACHE"],
        severity: Some(Warning),
        says: "did not finish FLUSH CACHE within 30 s",
        why: "The drive itself does not empty its write cache in time; its link reports no errors. Every commit waits for that half minute, and the reset stops all other requests of the drive.",
        now: "`smartctl -a` of the drive: pending and reallocated sectors, and the version of its firmware",
        lasting: "Update the drive's firmware: flushes that hang beside queued commands (NCQ) are a known fault of some\nIf it goes on, replace the drive",
        source: LIBATA,
        ..EMPTY
    },
    Entry {
        name: "medium",
        all: &["ata", "error: { UNC"],
        severity: Some(Critical),
        says: "cannot read sectors of its medium any more",
        why: "The drive gave up after its own retries, which take seconds each: it is failing, and slows down the array that it belongs to.",
        now: "`smartctl -a` of this drive: pending and reallocated sectors\nBack up what is on it if it has no mirror",
        lasting: "Replace this one drive, once the redundancy above it is whole",
        source: LIBATA,
        ..EMPTY
    },
    Entry {
        name: "medium",
        all: &["ata", "failed command: READ"],
        beside: &["error: { UNC", "(media error)"],
        severity: Some(Critical),
        says: "cannot read sectors of its medium any more",
        why: "The drive gave up after its own retries, which take seconds each: it is failing, and slows down the array that it belongs to.",
        now: "`smartctl -a` of this drive: pending and reallocated sectors\nBack up what is on it if it has no mirror",
        lasting: "Replace this one drive, once the redundancy above it is whole",
        source: LIBATA,
        ..EMPTY
    },
    Entry {
        name: "ata-timeout",
        all: &["ata", "failed command:"],
        severity: Some(Warning),
        says: "did not answer a command in time",
        why: "The kernel reset the link and sent the command again: all requests of the drive waited for half a minute.",
        now: "`smartctl -a` and `smartctl -l error` of the drive\nThe lines beside it: SError bits mean the link, UNC the medium; neither, the drive or its firmware",
        lasting: "Update the drive's firmware; if it goes on, replace what the lines beside it mean",
        source: LIBATA,
        ..EMPTY
    },
    Entry {
        name: "ata-report",
        any: &[
            "exception Emask",
            "hard resetting link",
            "soft resetting link",
            "SATA link up",
            "EH complete",
            "retrying FLUSH",
            "SATA link down (SStatus 0",
        ],
        source: LIBATA,
        ..EMPTY
    },
    Entry { name: "ata-report", all: &["ata", "status: {"], source: LIBATA, ..EMPTY },
    Entry { name: "ata-report", all: &["ata", "SError: {"], source: LIBATA, ..EMPTY },
    Entry {
        name: "nvme-power",
        all: &["nvme", "controller is down", "CSTS=0xffffffff"],
        severity: Some(Warning),
        says: "disappeared from the bus and was reset: a power-saving state that it does not wake from",
        why: "All registers read as ones: the controller does not answer at all. Power saving of the drive (APST) or of its link (ASPM) switches it off; each time its I/O waits for a reset, and a reset that fails takes the disk away. The SSD is not broken.",
        now: "`nvme get-feature -f 0x0c -H` of the device: which power states it goes to by itself",
        boot: &[("nvme_core.default_ps_max_latency_us", "0"), ("pcie_aspm", "off")],
        lasting: "A newer firmware of the SSD; if it disappears with both parameters too, its slot or its power supply",
        source: NVME,
        ..EMPTY
    },
    Entry {
        name: "nvme-power-hint",
        all: &["nvme"],
        any: &["faulty power saving mode", "default_ps_max_latency_us=0", "abort status"],
        source: NVME,
        ..EMPTY
    },
    Entry {
        name: "nvme-fatal",
        all: &["nvme"],
        any: &["controller is down", "persistent internal error"],
        severity: Some(Warning),
        says: "reported a fatal state of its controller and was reset",
        why: "The firmware of the SSD stopped; its I/O waited for the reset.",
        now: "`nvme smart-log` and `nvme error-log` of the device; its temperature",
        lasting: "Update the firmware of the SSD; replace it if the state comes again",
        source: NVME,
        ..EMPTY
    },
    Entry {
        name: "nvme-gone",
        all: &["nvme"],
        any: &[
            "Removing after probe failure",
            "Disabling device after reset failure",
            "Device not ready; aborting",
            "reset failed",
            "Max reconnect attempts reached",
            "Removing controller",
        ],
        severity: Some(Critical),
        says: "did not come back after a reset: its disks are gone",
        why: "What was on it is unreachable, and arrays above it run degraded.",
        now: "`nvme list`, `lspci` and, of a remote one, `nvme list-subsys`: is the device or the controller seen at all?",
        lasting: "A local SSD: firmware, slot, power, then replace. A remote one: repair the network or target, then connect again",
        source: NVME,
        ..EMPTY
    },
    Entry {
        name: "nvmeof-lost",
        all: &["nvme"],
        any: &[
            "starting error recovery",
            "Reconnecting in",
            "Failed reconnect attempt",
            "failed nvme_keep_alive",
            "keep-alive",
            "failed to connect socket",
            "failed to connect queue",
            "digest error",
            "controller connectivity lost",
            "lldd error",
            "timeout cid",
            "timeout request",
        ],
        severity: Some(Warning),
        says: "lost the connection to its target over the network",
        why: "The target did not answer in time: all I/O over this path waits, until another path takes it or the controller is given up. No disk is at fault.",
        now: "Loss and MTU of the path to the target: `fullwire net`, `fullwire mtu`\n`nvme list-subsys`: which paths are live",
        lasting: "Fix the network or the target; a second path over another network",
        source: "Linux drivers/nvme/host/{tcp,rdma,fc,fabrics}.c (error recovery, reconnect)",
        ..EMPTY
    },
    Entry {
        name: "nvme-ana",
        all: &["nvme"],
        any: &["ANATT timeout", "ANA log"],
        severity: Some(Warning),
        says: "waited too long for its array to move a namespace between controllers (ANA)",
        why: "The state 'change' did not end in the time that the array states; the controller is reset.",
        now: "The array's own log at that time: a failover or an upgrade of a controller",
        lasting: "Update the array's and the host's software to a pair that the vendor lists",
        source: "Linux drivers/nvme/host/multipath.c (nvme_anatt_timeout); NVM Express, Asymmetric Namespace Access",
        ..EMPTY
    },
    Entry {
        name: "alua-change",
        any: &["Asymmetric access state changed", "alua: port group"],
        severity: Some(Info),
        says: "was told by its array that another controller serves the unit now",
        why: "A unit that moves between controllers often costs a pause each time: a controller that restarts, or two hosts that pull it back and forth.",
        now: "How often, and at the same time as the complaint? `multipath -ll`: prio and status of the groups",
        lasting: "Balance the units over the controllers on the array; failback immediate or followover as the vendor has it",
        source: "Linux drivers/scsi/device_handler/scsi_dh_alua.c; T10 SPC-4, asymmetric logical unit access",
        ..EMPTY
    },
    Entry {
        name: "alua-failed",
        any: &["alua: rtpg failed", "alua: stpg failed", "rtpg retry", "emergency fallback"],
        severity: Some(Warning),
        says: "does not tell which of its paths are the better ones (ALUA)",
        why: "The array did not answer the question for the states of its ports: paths may be grouped wrongly.",
        now: "The array's log at that time; `multipath -ll`",
        lasting: "Fix the array's port or controller that does not answer",
        source: "Linux drivers/scsi/device_handler/scsi_dh_alua.c (alua_rtpg)",
        ..EMPTY
    },
    Entry {
        name: "unit-unmapped",
        any: &["Logical unit not supported", "LOGICAL UNIT NOT SUPPORTED"],
        severity: Some(Warning),
        says: "is no longer presented to this host by the array",
        why: "The unit was unmapped or moved while the host had it. It is no broken disk.",
        now: "Ask the storage team what they changed; `multipath -ll` shows what is left",
        lasting: "Take units out of use on the host before they are unmapped",
        source: SENSE,
        ..EMPTY
    },
    Entry {
        name: "unit-not-ready",
        any: &["Sense Key : Not Ready", "Logical unit not ready"],
        severity: Some(Warning),
        says: "is not ready, says its array or the disk",
        why: "The unit is offline, starts up, or was taken over by another controller.",
        now: "The array's view of the unit; of a local disk `smartctl -a`",
        lasting: "Bring the unit online on the array; replace a local disk that does not spin up",
        source: SENSE,
        ..EMPTY
    },
    THIN_SPACE,
    Entry {
        name: "md-read-error",
        all: &["md"],
        any: &[
            "rescheduling sector",
            "unrecoverable I/O read error",
            "read error not correctable",
            "redirecting sector",
            "read error corrected",
        ],
        severity: Some(Warning),
        says: "an md array could not read sectors of one disk: the others gave them",
        has_subject: true,
        why: "Nothing is lost yet. Each such read takes seconds, and the next disk that fails takes data.",
        now: "`smartctl -a` of the disk that the lines name: pending and reallocated sectors",
        lasting: "Replace that disk while the array is whole; check the array once a month",
        source: "Linux drivers/md/raid1.c, raid10.c, raid5.c",
        ..EMPTY
    },
    Entry {
        name: "snapshot-invalid",
        all: &["snapshots"],
        any: &["Invalidating", "marked invalid"],
        severity: Some(Warning),
        says: "is a snapshot that ran out of space and is invalid now; its origin is sound",
        why: "A snapshot that overflows is lost, and with it the backup that was read from it.",
        now: "`lvs -a -o+data_percent`: which one; take the backup again",
        lasting: "A larger snapshot, or snapshot_autoextend_threshold = 80 in lvm.conf",
        source: "Linux drivers/md/dm-snap.c (__invalidate_snapshot)",
        ..EMPTY
    },
    Entry {
        name: "trim-refused",
        any: &[
            "(DISCARD)",
            "(WRITE_ZEROES)",
            "(WRITE_SAME)",
            "CDB: Write same",
            "CDB: Unmap",
            "WRITE SAME failed",
        ],
        severity: Some(Info),
        says: "refuses to trim or to zero blocks",
        why: "The disk or array said that it knows the command and refuses it. No data was lost: the kernel does without, or writes zeros itself.",
        now: "`lsblk -D`: what the disk says it can; fstrim and the mount option discard make such commands",
        lasting: "Mount without discard, and leave trimming to the array; or set provisioning_mode of the disk to full by a udev rule",
        source: "Linux block/blk-lib.c and drivers/scsi/sd.c (WRITE SAME and UNMAP are turned off for a disk that refuses them)",
        ..EMPTY
    },
    Entry {
        name: "medium",
        any: &["critical medium error", "Medium Error", "Unrecovered read error"],
        severity: Some(Critical),
        says: "has sectors that cannot be read any more (medium error)",
        why: "The disk itself answers so after its own retries, which take seconds each: it is failing, and slows down the array that it belongs to.",
        now: "`smartctl -a` of this disk: grown defects, pending and reallocated sectors",
        lasting: "Replace this one disk, once its data are safe elsewhere and the redundancy above it is whole",
        source: SENSE,
        ..EMPTY
    },
    Entry {
        name: "hardware-error",
        any: &["Sense Key : Hardware Error", "Internal target failure"],
        severity: Some(Critical),
        says: "reports a fault of its own hardware",
        why: "The disk or the array's controller says itself that it failed.",
        now: "`smartctl -a` of the disk; of an array's unit the array's own log at that time",
        lasting: "Replace the disk; of an array have its vendor look at the controller",
        source: SENSE,
        ..EMPTY
    },
    Entry {
        name: "queue-full",
        any: &["QUEUE FULL", "TASK SET FULL", "TASK_SET_FULL", "queue_full"],
        severity: Some(Warning),
        says: "had requests refused because the queue of the array's port was full",
        why: "The port serves all hosts together: the sum of their queue depths is more than it takes. A refused request is sent again later.",
        now: "The array's own view of its front-end ports: which hosts fill the queue",
        lasting: "A lower queue depth on the hosts that share the port (their sum below what the vendor states for a port), or more ports",
        source: "T10 SAM (TASK SET FULL); Linux drivers/scsi/scsi_error.c (scsi_handle_queue_full)",
        ..EMPTY
    },
    Entry {
        name: "reservation",
        any: &["reservation conflict", "critical nexus error"],
        severity: Some(Info),
        says: "is reserved by another host",
        why: "A cluster keeps this host off the disk, or a reservation was left behind. The disk is sound.",
        now: "`sg_persist -r` of the disk: who holds the reservation",
        lasting: "Have the cluster's owner clear what was left behind; never clear it while the other host may write",
        source: "T10 SPC, persistent reservations",
        ..EMPTY
    },
    Entry {
        name: "request-too-large",
        all: &["over max size limit"],
        severity: Some(Critical),
        says: "gets larger requests from its map than the path accepts",
        why: "Every such request fails the path immediately: max_sectors_kb of the map is above that of the path. Path after path is lost, and none is broken.",
        now: "`grep . /sys/block/*/queue/max_sectors_kb`: a map must not have more than its paths",
        lasting: "max_sectors_kb in the device section of /etc/multipath.conf, so that multipathd sets the paths before the map",
        source: "Linux block/blk-mq.c (blk_insert_cloned_request)",
        ..EMPTY
    },
    Entry {
        name: "units-changed",
        any: &[
            "Reported LUNs data has changed",
            "LUN assignments on this target have changed",
            "Inquiry data has changed",
            "capacity data has changed",
        ],
        severity: Some(Info),
        says: "was told by the array that its units have changed",
        why: "A unit was mapped, unmapped or resized. What was unmapped while in use fails from then on.",
        now: "Ask the storage team what they changed; look whether a map has no path left (`multipath -ll`)",
        lasting: "Take units out of use on the host before they are unmapped; rescan for new ones",
        source: SENSE,
        ..EMPTY
    },
    Entry {
        name: "device-reset",
        any: &[
            "Power-on or device reset occurred",
            "Bus device reset",
            "Sense Key : Unit Attention",
            "Sense Key : Recovered Error",
        ],
        source: SENSE,
        ..EMPTY
    },
    Entry {
        name: "not-known",
        any: &["Sense Key : Illegal Request", "Invalid command operation code", "Invalid field in cdb"],
        source: SENSE,
        ..EMPTY
    },
    Entry {
        name: "sense-report",
        any: &[
            "Unhandled sense code",
            "Add. Sense:",
            "CDB: ",
            "hostbyte=DID_OK",
            "No Caching mode page found",
            "Assuming drive cache",
        ],
        source: "Linux drivers/scsi/scsi_logging.c: parts of the report of one command",
        ..EMPTY
    },
];
