//! What a disk or an array answered to one command: sense codes of SCSI, status codes of NVMe, and how the adapter gave a
//! command back.

use super::disks::THIN_SPACE;
use super::{EMPTY, Entry};
use fullwire_model::assessment::Severity::{self, Critical, Info, Warning};

const SPC: &str = "T10 SPC-6, additional sense codes (as Linux drivers/scsi/sense_codes.h words them)";
const HOST: &str = "Linux include/scsi/scsi_status.h (host bytes) and Documentation/scsi/scsi_eh.rst";
const NVME: &str = "NVM Express Base Specification, status code types; Linux drivers/nvme/host/core.c";

const fn answered(
    any: &'static [&'static str],
    severity: Severity,
    says: &'static str,
    why: &'static str,
    todo: (&'static str, &'static str),
    source: &'static str,
) -> Entry {
    Entry {
        name: says,
        whose: WHOSE,
        any,
        severity: Some(severity),
        says,
        why,
        now: todo.0,
        lasting: todo.1,
        source,
        ..EMPTY
    }
}

/// How a report of a command begins, or what it holds.
const WHOSE: &[&str] = &["sd", "scsi", "sense", "nvme", "hostbyte", "bad block", "blk_update_request"];

const PATH: (&str, &str) = (
    "`multipath -ll` or `nvme list-subsys`: which paths are left, and over which port of the array they go",
    "Fix what the failed paths have in common: adapter, switch, zone, or the array's port",
);

pub(super) const ENTRIES: &[Entry] = &[
    answered(
        &[
            "failure prediction threshold exceeded",
            "impending failure",
            "asc=0x5d",
            "sense: 1/5d",
            "smart alert",
        ],
        Warning,
        "says itself that it is about to fail (SMART)",
        "The drive counts its own errors and predicts its failure. It still works: there is time to replace it in order.",
        (
            "`smartctl -a` of this drive; is the redundancy above it whole?",
            "Replace this one drive before it fails",
        ),
        SPC,
    ),
    answered(
        &["specified temperature exceeded", "celsius reached critical limit"],
        Warning,
        "is too hot, it says itself",
        "A hot drive slows down to protect itself, and ages.",
        ("`smartctl -a`: its temperature; those of its neighbours", "Fix fans and air flow of the enclosure"),
        SPC,
    ),
    answered(
        &[
            "iucrc error",
            "information unit",
            "scsi parity error",
            "ack/nak timeout",
            "nak received",
            "data phase",
            "initiator detected error",
            "asc=0x47",
            "asc=0x4b",
        ],
        Warning,
        "lost frames on its link: cable, expander or backplane",
        "The frame was damaged on the wire; the command is sent again. The link is at fault and not the medium.",
        (
            "`smartctl -l sasphy` of the disk, and the error counters of each phy on the way: which link counts",
            "Reseat or replace cable, backplane slot or expander, one at a time",
        ),
        SPC,
    ),
    answered(
        &[
            "guard check failed",
            "application tag check failed",
            "reference tag check failed",
            "protection error",
            "[pi]",
        ],
        Critical,
        "got data whose checksum is wrong (protection information): they changed on the way, or on the medium",
        "The checksum that goes with each block does not fit it: the block was damaged between adapter and disk, or on it. What was written may be wrong.",
        (
            "Does it come from one disk or from all behind one adapter? Firmware of both",
            "Verify the databases on it (RMAN validate, pg_amcheck, mysqlcheck); then repair the adapter, cable or disk, whichever they have in common",
        ),
        SPC,
    ),
    answered(
        &[
            "target port in standby state",
            "target port in unavailable state",
            "access state transition",
            "logical unit not accessible",
            "sct 0x3 / sc 0x0",
            "sct 0x3 / sc 0x1",
            "sct 0x3 / sc 0x2",
            "sct 0x3 / sc 0x3",
        ],
        Warning,
        "was asked over a path that does not serve it now (ALUA, ANA): the array's controllers moved it, or the path is gone",
        "The array answers on this path, but another controller serves the unit. Multipath takes another path; without one the I/O fails. The disk is sound.",
        PATH,
        NVME,
    ),
    answered(
        &["sct 0x3 / sc 0x70", "sct 0x3 / sc 0x71"],
        Warning,
        "had requests that this host cancelled itself, as it does when it resets the controller or loses the way to it",
        "The request was not refused: the controller did not answer in time, or the path to it went away. Without another path the I/O fails.",
        PATH,
        "Linux include/linux/nvme.h, NVME_SC_HOST_PATH_ERROR and NVME_SC_HOST_ABORTED_CMD",
    ),
    answered(
        &["did_soft_error", "did_imm_retry", "did_requeue"],
        Warning,
        "had a command that the adapter gave back unfinished: errors on its link, or the adapter's firmware",
        "The adapter, not the disk, ended the command; it is sent again, and fails after some tries.",
        (
            "The line of the adapter just before (log_info of mpt3sas: its code); `smartctl -l sasphy`: which link counts errors",
            "Reseat or replace cable, expander or slot; then firmware of the adapter",
        ),
        HOST,
    ),
    answered(
        &[
            "did_transport_",
            "did_no_connect",
            "did_bad_target",
            "no usable path",
            "no available path",
            "did_target_failure",
        ],
        Warning,
        "cannot be reached over this path: the transport below it was interrupted",
        "The path failed, not the disk: multipath tries another, and I/O stops where there is none.",
        PATH,
        HOST,
    ),
    answered(
        &["did_alloc_failure"],
        Critical,
        "got no room for a write from its array",
        "The array has no space left to allocate: writes to new blocks fail.",
        ("Room in the array's pool first", "An alarm on the pool"),
        HOST,
    ),
    answered(
        &["did_time_out", "did_reset", "did_abort", "timing out command"],
        Warning,
        "did not answer a command in time: it was aborted or the device reset",
        "All I/O behind it waited for the timeout, 30 s usually.",
        (
            "Several disks together: adapter, path or hypervisor. One alone: `smartctl -x` of it",
            "Fix what did not answer; a longer timeout only hides it",
        ),
        HOST,
    ),
    answered(
        &["soft threshold reached", "thin provisioning soft threshold"],
        Warning,
        "lies in a thin pool of its array that is nearly full",
        "Once the pool is full, writes to new blocks fail, although the file system has room.",
        (
            "Room in the array's pool",
            "An alarm on the pool; `fstrim` gives back what file systems no longer use",
        ),
        SPC,
    ),
    answered(
        &[
            "communication failure",
            "communication time-out",
            "does not respond to selection",
            "communication crc",
        ],
        Critical,
        "lost contact to its own disk: between the array's or enclosure's controller and the drive",
        "The unit is there, but what is behind it does not answer.",
        (
            "The array's or enclosure's own log; of a local disk its cable and slot",
            "Fix the connection behind the controller; then the drive",
        ),
        SPC,
    ),
    answered(
        &[
            "write error",
            "defect list error",
            "no defect spare",
            "auto reallocate failed",
            "record not found",
            "mechanical positioning",
            "sct 0x2 /",
            "sense: 3/",
            "puncturing bad block",
        ],
        Critical,
        "cannot read or write sectors of its medium any more",
        "The drive gave up after its own retries, which take seconds each: it is failing, and slows down the array that it belongs to.",
        (
            "`smartctl -a` of this one drive, or the RAID controller's list of drives; is the redundancy above it whole?",
            "Replace this one drive, after its data is safe",
        ),
        SPC,
    ),
    // The additional sense beside it says why the unit takes no writes.
    Entry { any: &["sense key : data protect"], beside: &["space allocation failed"], ..THIN_SPACE },
    answered(
        &[
            "add. sense: write protected",
            "hardware write protected",
            "software write protected",
            "sense key : data protect",
        ],
        Critical,
        "refuses writes: the array protects the unit (read-only)",
        "A unit is read-only as the target of a replication, as a snapshot, or after its pool ran full.",
        (
            "Ask the storage team for the state of the unit: role of its replication, snapshot, room in its pool",
            "Have the unit made writable on the array; then mount it again",
        ),
        SPC,
    ),
    answered(
        &["read capacity(16) failed", "read capacity(10) failed", "read capacity failed"],
        Info,
        "does not tell its size: a unit that is not ready, or a path that does not serve it",
        "While a host boots, units behind a controller in standby answer so.",
        PATH,
        "Linux drivers/scsi/sd.c (read_capacity_error)",
    ),
];
