//! Adapters of disks: SAS, RAID, Fibre Channel.

use super::{EMPTY, Entry};
use fullwire_model::assessment::Layer;
use fullwire_model::assessment::Severity::{Critical, Info, Warning};

pub(super) const FC_LINK: &str = "fc-link";

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "adapter-mpt-report",
        whose: &["mpt2sas", "mpt3sas", "mptsas", "mptbase"],
        any: &[
            "log_info(",
            "message unit reset",
            "diag reset: SUCCESS",
            "port enable",
            "Protocol=(",
            "FWVersion(",
            "search_responding",
            "host reset: SUCCESS",
        ],
        source: "Linux drivers/scsi/mpt3sas/mpt3sas_base.c: what it logs about each reset and each device that answered late",
        ..EMPTY
    },
    Entry {
        name: "adapter-pqi-report",
        whose: &["smartpqi"],
        all: &["reset of scsi", "success"],
        source: "Linux drivers/scsi/smartpqi/smartpqi_init.c: the end of a reset that it logged before",
        ..EMPTY
    },
    Entry {
        name: "adapter-zfcp",
        whose: &["zfcp"],
        any: &["erp failed", "local link is down", "setting up the qdio", "no light", "lost its path"],
        layer: Some(Layer::Storage),
        severity: Some(Warning),
        has_subject: true,
        says: "an FCP channel of the mainframe lost its link, or could not bring back a port or unit of the array",
        why: "What lies behind this path is reached over the others, or not at all.",
        now: "`lszfcp -HPD` and `multipath -ll`: which paths are left. Then the channel, its optics and the switch port; zoning and the array's port where the link is up",
        source: "Linux drivers/s390/scsi/zfcp_erp.c and zfcp_fsf.c",
        ..EMPTY
    },
    // What the driver prints of the controller's own events, before its faults.
    Entry {
        name: "raid-battery-learn",
        any: &[
            "learn cycle",
            "relearn started",
            "battery relearn",
            "BBU relearn",
            "Battery is discharging",
            "battery is discharging",
            "battery charge level is below",
        ],
        severity: Some(Info),
        says: "runs the learn cycle of its battery and writes through meanwhile",
        why: "The RAID controller measures its battery some times a year: it discharges and charges it. Until it is charged the write cache is off (write through), so every commit waits for the disks. It ends by itself, and nothing is broken.",
        now: "Wait: the cache comes back with the charge, within hours. Do not turn the cache on without its battery: a power failure would lose commits",
        lasting: "Schedule the learn cycle out of hours in the controller's tool (perccli, storcli, ssacli)",
        source: "Dell OpenManage Server Administrator messages reference (2176, 2188, 2248, 2278, 2415); Linux drivers/scsi/megaraid/megaraid_sas_base.c (events)",
        ..EMPTY
    },
    Entry {
        name: "raid-battery-learn",
        any: &["changed to Write Through", "to WriteThrough", "to WT", "cache policy has changed"],
        beside: &["learn cycle", "relearn"],
        severity: Some(Info),
        says: "writes through while its battery runs a learn cycle",
        why: "The RAID controller measures its battery some times a year: it discharges and charges it. Until it is charged the write cache is off, so every commit waits for the disks. It ends by itself, and nothing is broken.",
        now: "Wait: the cache comes back with the charge, within hours. Do not turn the cache on without its battery: a power failure would lose commits",
        lasting: "Schedule the learn cycle out of hours in the controller's tool (perccli, storcli, ssacli)",
        source: "Dell OpenManage Server Administrator messages reference (2188, 2199)",
        ..EMPTY
    },
    Entry {
        name: "raid-write-through",
        any: &[
            "changed to Write Through",
            "to WriteThrough",
            "Battery has failed",
            "battery needs replacement",
            "BBU disabled",
            "Battery not present",
            "supercapacitor failed",
        ],
        severity: Some(Warning),
        says: "has turned its write cache off: it writes through",
        why: "The RAID controller does not trust its battery or capacitor. Every commit now waits for the disks instead of the cache: milliseconds in place of microseconds.",
        now: "The state of the battery in the controller's tool (`perccli /cALL/bbu show`, `storcli /cALL/cv show`, `ssacli ctrl all show status`)",
        lasting: "Replace the battery or capacitor module. Do not turn the cache on without it: a power failure would lose commits",
        source: "Linux drivers/scsi/megaraid/megaraid_sas_base.c (megasas_decode_evt); Dell OpenManage messages reference (2188)",
        ..EMPTY
    },
    Entry {
        name: "raid-disk-failed",
        all: &["megaraid"],
        any: &["Predictive failure", "to FAILED(", "Error: Disk"],
        severity: Some(Warning),
        says: "a disk behind the RAID controller failed or is about to",
        has_subject: true,
        why: "The RAID controller itself reports it. Until the disk is replaced its volume has no redundancy, and a rebuild takes I/O from the database.",
        now: "`storcli /cALL/eALL/sALL show`: which disk, and the state of its volume",
        lasting: "Replace that one disk; the controller rebuilds the volume",
        source: "Linux drivers/scsi/megaraid/megaraid_sas_base.c (megasas_decode_evt): events of the controller",
        ..EMPTY
    },
    Entry {
        name: "raid-cache-pinned",
        any: &["cache pinned", "unable to recover cache data", "cache data lost"],
        severity: Some(Warning),
        says: "the RAID controller holds or lost writes that never reached their volume",
        has_subject: true,
        why: "A volume went away while the controller had writes for it: files and redo on it may lack what was committed.",
        now: "Bring the volume back before anything else; do not discard the pinned cache (`storcli /cALL show preservedcache`)\nVerify the databases on it (rman validate, pg_amcheck, mysqlcheck)",
        lasting: "Fix what took the volume away: disks, enclosure, cable",
        source: "Broadcom StorCLI reference manual, preserved cache; megaraid_sas events",
        ..EMPTY
    },
    Entry {
        name: "raid-volume-offline",
        all: &["megaraid", "VD "],
        any: &["is now OFFLINE", "to OFFLINE"],
        severity: Some(Critical),
        says: "a volume of the RAID controller lost more disks than it can tolerate, and is offline",
        has_subject: true,
        why: "Its data are on the disks that went away together, usually because power, a cable or an enclosure failed. A new disk in place of one of them loses the volume.",
        now: "Replace nothing and discard nothing: the pinned cache holds writes of this volume (`storcli /cALL show preservedcache`)\nBring the same disks back: enclosure, cable, power; then import them as a foreign configuration (`storcli /cALL/fall show`) with the vendor's support",
        lasting: "Fix what took the disks away; then verify the databases on the volume",
        source: "Broadcom StorCLI reference manual, foreign configurations and preserved cache; megaraid_sas events",
        ..EMPTY
    },
    Entry {
        name: "raid-volume-degraded",
        all: &["megaraid", "VD "],
        any: &["is now DEGRADED", "to DEGRADED", "is now PARTIALLY DEGRADED"],
        severity: Some(Warning),
        says: "a volume of the RAID controller lost a disk",
        has_subject: true,
        why: "The volume runs without redundancy.",
        now: "`storcli /cALL/vALL show` and `storcli /cALL/eALL/sALL show`: which disk",
        lasting: "Replace the disk that failed; the controller rebuilds the volume",
        source: "Linux drivers/scsi/megaraid/megaraid_sas_base.c (megasas_decode_evt): events of the controller",
        ..EMPTY
    },
    Entry {
        name: "disk-reset",
        any: &[
            "resetting scsi",
            "resetting logical",
            "SCSI layer issued",
            "DEVICE RESET ISSUED",
            "TARGET RESET ISSUED",
            "abort on host",
            "vmw_pvscsi: abort",
            "megasas: RESET",
            "commands to complete for scsi",
            "DID_BUS_BUSY",
        ],
        severity: Some(Warning),
        says: "a disk did not answer in time: its command was aborted or the disk reset",
        has_subject: true,
        why: "All I/O of the disk waits meanwhile. Of an array or a virtual disk the target or the path was slow; of a local disk the disk is.",
        now: "Several disks together: the controller, the path or the hypervisor. One alone: `smartctl -x` of it\nThe load and the log of the array or the hypervisor at that time",
        lasting: "Fix what did not answer; a longer timeout only hides it",
        source: "Linux drivers/scsi: hpsa.c, smartpqi_init.c, lpfc_scsi.c, qla2xxx/qla_os.c, vmw_pvscsi.c (error handlers)",
        ..EMPTY
    },
    Entry {
        name: "fc-port-lost",
        any: &["from ONLINE to LOST", "Devloss timeout", "blocked FC remote port time out"],
        severity: Some(Warning),
        says: "a port of the array left the fabric",
        has_subject: true,
        why: "The port left the fabric for longer than its timeout: all paths over it failed. The disks are not at fault.",
        now: "The switch's port log and the array's port at that time; was a zone changed, or a controller restarted?",
        lasting: "Fix the port, its link or the zone",
        source: "Linux drivers/scsi/qla2xxx/qla_init.c, lpfc/lpfc_hbadisc.c, scsi_transport_fc.c (fc_timeout_deleted_rport)",
        ..EMPTY
    },
    Entry {
        name: "fc-congestion",
        any: &["FPIN", "Congestion Rcv", "Congestion Signal", "Credit Stall", "Oversubscription"],
        severity: Some(Warning),
        says: "the fabric reports a port that is congested, or whose link is failing (FPIN)",
        has_subject: true,
        why: "A port that takes frames too slowly holds up all others that share its links: latency rises without any error.",
        now: "The switch's counters of the port that is named: credits at zero, discards",
        lasting: "Relieve or repair the slow port: its speed, its link, the number of hosts on it",
        source: "Linux drivers/scsi/lpfc/lpfc_els.c (lpfc_els_rcv_fpin); T11 FC-LS-5, Fabric Performance Impact Notification",
        ..EMPTY
    },
    Entry {
        name: FC_LINK,
        any: &["LOOP DOWN detected", "Link Down Event"],
        all: &[],
        severity: Some(Info),
        says: "a Fibre Channel port lost its link",
        has_subject: true,
        why: "Every path over the port waits until its timeout, then another path takes the I/O. The light was lost: no disk is at fault.",
        now: "The switch's log at that time: was the port, the switch or a zone changed? Error counters of both ends",
        lasting: "Clean or replace transceiver and cable of this port if the counters grow; otherwise fix what the switch reports",
        source: "Linux drivers/scsi/qla2xxx/qla_isr.c (LOOP DOWN detected), lpfc_els.c (Link Down Event)",
        ..EMPTY
    },
];
