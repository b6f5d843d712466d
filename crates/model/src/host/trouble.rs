//! Words by which a line of any log tells of trouble.

use super::words::{Words, is_word_at};
use std::sync::LazyLock;

/// What is known of a line of a log or an output, whatever words it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing.
    Unknown,
    /// It is a line that may tell of trouble, and its figure says that there is none.
    Well,
    /// It tells of trouble, or of its end.
    Trouble,
}

impl From<bool> for Meaning {
    fn from(is_trouble: bool) -> Self {
        if is_trouble { Self::Trouble } else { Self::Unknown }
    }
}

/// Says of a line what it means. Who has the table of meanings hands it in.
#[derive(Debug, Clone, Copy)]
pub struct Known(pub fn(&str) -> Meaning);

impl Known {
    /// The line tells of trouble.
    #[must_use]
    pub fn is_trouble(self, line: &str) -> bool {
        (self.0)(line) == Meaning::Trouble
    }
}

impl Default for Known {
    /// Words alone tell.
    fn default() -> Self {
        Self(|_| Meaning::Unknown)
    }
}

/// Words and beginnings of words, in lower case, with any ending: `fail` is in `failed` and `failure`. `assertion`, for an event log
/// says `Asserted` of each event.
const STEMS: &[&str] = &[
    "abort", "assertion", "batter", "conflict", "congest", "corrupt", "deadlock", "degrad", "denied", "died",
    "dismount", "dropp", "error", "evict", "exception", "expire", "fail", "fatal", "fault",
    "inconsisten", // typos: as it is
    "insufficient", "kicking", "killed", "killing", "limiting", "lockup", "malicious", "martian", "mismatch",
    "offlin", "overflow", "overheat", "panic", "punctur", "refus", "reject", "reset", "segfault", "stall",
    "suspended", "throttl", "timedout", "timeout", "unable", "uncorrect", "unreach", "unreadable",
    "unrecover", "unrespons", "unstable", "unsupported", "unusable", "withdraw",
];
/// Whole words.
const WORDS: &[&str] = &[
    "assert", "changed", "critical", "dead", "down", "hang", "hung", "learn", "lost", "reaped", "retrying",
    "slow", "stuck", "threshold",
];
/// Several words.
const PHRASES: &[&str] = &[
    "timed out", "time-out", "not responding", "not responded", "no response", "write through",
    "no 802.3ad response", "over max size", "heartbeat", "over heated", "fan has stopped", "issue detected",
    "page discard", "own address as source", "suspect gro", "bandwidth, limited by", "no usable path",
    "no available path", "too many", "cmci storm", "nmi received", "containment event", "mark as ",
    "unexpected sense", "medium error", "bad block", "temperature is high", "temperature exceeded",
    "removing handle", "firmware dump", "without any active", "class=delay", "too large", "behind by",
    "clock behind", "time jump", "lagging", "can not be", "giving up", "gave up", "will not", "no longer",
    "not operational", "not logged in", "went away", "unexpected", "unknown state", "kill request", "csum",
    "no node with", "illegal", "fpin", "lip occurred", "no free", "significantly different", "can't",
    "couldn't", "disable queueing", "emergency remount", "file-max limit", "operation continuing on",
    "/warn)", "/crit)", "unplugged", "dig_err", "emergency fallback", "was fenced", "soft threshold",
    "has fallen to", "far in the past",
];

/// What is no more taken because it is full; `duplex: full` is no such thing.
const FULL: &[&str] = &[
    "is", "was", "are", "queue", "ring", "buffer", "fifo", "set", "disk", "table", "log", "pool", "system",
    "space", "near", "nearly", "almost",
];

/// `SELinux` or `AppArmor` refused a database's program what it asked for: the one trouble that the audit log tells of.
pub fn is_denied_to_database(lower: &str) -> bool {
    ["apparmor=\"denied\"", "avc:  denied", "selinux is preventing"].iter().any(|mark| lower.contains(mark))
        && ["mysqld", "mariadbd", "postgres", "oracle", "mongod"].iter().any(|name| lower.contains(name))
}

/// What healthy hosts and servers print with such words: settings at boot, ends of trouble, requests of tools that a device
/// need not know.
const REPORTS: &[&str] = &[
    "taskabort/reset timeout",
    "max timeout of",
    "missing or invalid subnqn field",
    "to optimal(",
    "can't disable aspm",
    "aborts not supported",
    "llq is not supported",
    "tsc calibration failed",
    "config_ima_disable_htable",
    "temperature_celsius changed",
    "crash dump\t: no",
    "crash dump : no",
    "my-010055",
    "machine check architecture supported",
    "transparent learn cycle",
    // The CPU's abilities in dmidecode.
    "(machine check",
    "machine check reporting enabled",
    "ora-01013",
    // Of smartd and of inquiries: what a virtual disk does not know (SBC-4 and SAT-5, operation codes).
    "cmd 0x85 status:",
    "cmd 0xa1 status:",
    "cmd 0x4d status:",
    "cmd 0x1a status:",
    "cmd 0x5a status:",
    "cmd 0x12 status:",
    // Of bcache, at each boot and change: udev registers what is registered (drivers/md/bcache/super.c, register_bcache).
    "device already registered",
    // Of parted, about a disk without partitions.
    "unrecognised disk label",
    // What an adapter can do (drivers/scsi/mpt3sas/mpt3sas_base.c, _base_display_ioc_capabilities).
    "capabilities=(",
    // Steps of each start and reset (drivers/scsi/mpt3sas/mpt3sas_scsih.c, _scsih_search_responding_*).
    "search for expanders",
    "search for end-devices",
    // Of each start: what is in the port (drivers/scsi/qla2xxx/qla_init.c, qla24xx_detect_sfp).
    "sfp detect: ",
    // A drive for discs without one, as each management controller has: no disk of a database (drivers/scsi/sr.c).
    ": [sr",
    "medium not present",
    // Of an error that was put right (drivers/firmware/efi/cper.c).
    "corrected by h/w and requires no further action",
    // The answer of a target without NVMe, and of a login that the other end began itself (drivers/scsi/lpfc/lpfc_hw.h, reason
    // 0x0b, command not supported; lpfc_els.c).
    "status:x9/xb",
    "status:x3/x103",
    "failed: x0 sns",
    // InnoDB does without, where a kernel or a container has none (storage/innobase/srv/srv0start.cc).
    "native aio interface is not supported",
    "native aio disabled",
    // Of each suspend and resume (mm/oom_kill.c, oom_killer_enable).
    "oom killer enabled",
    "oom killer disabled",
    // What a driver does not know or do (drivers/scsi/be2iscsi/be_main.c, hpsa.c).
    "error recovery not supported",
    "unrecognized board id",
    // What an interface is called, and that it joins or leaves a bridge, is its owner's affair (net/core/dev.c, net/bridge/br_stp.c).
    ": renamed from ",
    " entered disabled state",
    " entered blocking state",
    " entered promiscuous mode",
    " left promiscuous mode",
    // What a PCIe port can contain, and that it watches (drivers/pci/pcie/dpc.c, dpc_probe); a pool whose disk takes no discards
    // keeps them to itself (drivers/md/dm-thin.c, disable_passdown_if_not_supported).
    "error containment capabilities",
    ": dpc: enabled with irq",
    ": disabling discard passdown",
    // What is tried first at a boot, and ports that are switched off (fs/ext4/super.c; drivers/ata/libata-core.c, `SStatus` of the
    // SATA specification: 4, the phy is offline).
    " due to feature incompatibilities",
    "sata link down (sstatus 4",
    // A feature of its firmware (drivers/scsi/smartpqi/smartpqi_init.c, pqi_firmware_feature_status).
    " iu timeout enabled",
    " iu timeout not supported",
    // A link without an address of its network, as a bridge's member or a tunnel is (networkctl(1)).
    "state: degraded (",
];

/// Whether a line, in lower case, reports what is no trouble, whatever words it has.
pub fn is_report(lower: &str) -> bool {
    static ALL: LazyLock<Words> = LazyLock::new(|| Words::new(REPORTS));
    ALL.is_any_in(lower)
}

/// Whether a line, in lower case, holds words of trouble. `default` holds no fault, and `failover` no failure.
pub fn says_trouble(lower: &str) -> bool {
    static ANY: LazyLock<Words> = LazyLock::new(|| {
        let own = STEMS.iter().chain(PHRASES).map(|words| (*words).to_owned());
        Words::new(own.chain(FULL.iter().map(|what| format!("{what} full"))))
    });
    static WHOLE: LazyLock<Words> = LazyLock::new(|| Words::new(WORDS));
    let follows = |at: usize| lower.as_bytes().get(at).is_some_and(u8::is_ascii_alphabetic);
    ANY.is_any_word_in(lower)
        || WHOLE.found_in(lower).any(|(_, at)| is_word_at(lower, &at) && !follows(at.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_without_a_disc_is_no_trouble() {
        for line in
            ["sr 1:0:0:0: [sr0] tag#12 sense key : not ready [current]", "add. sense: medium not present"]
        {
            assert!(is_report(line), "{line}");
        }
        assert!(!is_report("sd 1:0:0:0: [sdb] tag#12 sense key : not ready [current]"));
    }

    #[test]
    fn words_of_trouble_begin_where_words_begin() {
        for line in ["tx_timeout", "fault_state(0x5841)!", "mmp: over heated", "rejected i/o", "100 errors"] {
            assert!(says_trouble(line), "{line}");
        }
        for line in [
            "re-mounted with default options",
            "bonding: failover",
            "carefully done",
            "eth0: renamed",
            "ofpinstruction",
            "a deadline",
        ] {
            assert!(!says_trouble(line), "{line}");
        }
    }
}
