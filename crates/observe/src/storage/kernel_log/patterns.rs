//! Which lines of the kernel's log tell of trouble, and of which kind.

/// What a line holds that matches, and reports no trouble: a setting, a feature of a file system, or names and values that
/// someone set, such as `nvme_core.io_timeout=255`.
const HARMLESS: &[&str] = &[
    "Shutdown timeout set to",
    "BTRFS info",
    "Command line:",
    "command line:",
    "command line parameters",
    "audit: type=",
    "audit(",
];

/// What a line must hold to match, all of it, and the pattern's name. The first that matches counts.
/// Sources: the kernel's own messages in block/blk-core.c (`blk_errors`), fs/{ext4,xfs,btrfs}, `kernel/hung_task.c`,
/// `kernel/watchdog.c`, `mm/oom_kill.c`, `mm/page_alloc.c`, arch/x86/mm/fault.c, drivers/scsi, drivers/md/dm-mpath.c,
/// drivers/md/dm-thin.c, drivers/pci/pcie/aer.c, net/sunrpc/clnt.c, `net/sched/sch_generic.c`, net/core/neighbour.c,
/// `net/netfilter/nf_conntrack_core.c`, `fs/file_table.c` (`alloc_empty_file`), arch/x86 `therm_throt.c`,
/// drivers/nvme/host/fabrics and tcp.c, `drivers/scsi/vmw_pvscsi.c`, and node-problem-detector's list.
const PATTERNS: &[(&str, &[&str])] = &[
    ("oom", &["Out of memory"]),
    ("oom", &["invoked oom-killer"]),
    ("oom", &["Memory cgroup out of memory"]),
    ("oom", &["oom-kill:constraint="]),
    ("hung-task", &["blocked for more than", "seconds"]),
    ("hung-task", &["soft lockup"]),
    ("hung-task", &["hard LOCKUP"]),
    ("hung-task", &["rcu_sched", "stall"]),
    ("kernel-oops", &["BUG: unable to handle"]),
    ("kernel-oops", &["Unable to handle kernel"]),
    ("kernel-oops", &["kernel BUG at"]),
    ("kernel-oops", &["Oops: "]),
    // Without this, a program's own fault, which is its program's affair.
    ("kernel-oops", &["general protection fault", "[#"]),
    ("kernel-oops", &["general protection fault, probably for"]),
    ("rt-throttled", &["sched: RT throttling activated"]),
    ("fs-error", &["EXT4-fs error"]),
    ("fs-error", &["EXT4-fs", "Remounting filesystem read-only"]),
    ("fs-error", &["XFS", "Corruption"]),
    ("fs-error", &["XFS", "hutting down filesystem"]),
    ("fs-error", &["XFS", "has been shut down"]),
    ("fs-error", &["XFS", "xfs_do_force_shutdown"]),
    ("fs-error", &["XFS", "Please unmount the filesystem"]),
    ("fs-error", &["XFS", "metadata I/O error"]),
    (MOUNTED, &["XFS (", "Mounting V"]),
    ("fs-error", &["EXT4-fs", "Data will be lost"]),
    ("fs-error", &["EXT4-fs", "potential data loss"]),
    ("fs-error", &["EXT4-fs", "Delayed block allocation failed"]),
    ("fs-error", &["BTRFS", "error"]),
    ("fs-error", &["JBD2", "Error"]),
    ("fs-error", &["Aborting journal"]),
    ("multipath-failed", &["multipath", "Failing path"]),
    ("multipath-failed", &["multipathd", "remaining active paths"]),
    ("multipath-failed", &["device-mapper: multipath", "ail"]),
    // PowerPath's driver.
    ("multipath-failed", &["Path Bus", " Tgt ", "is dead"]),
    ("io-error", &["Buffer I/O error"]),
    ("io-error", &["blk_update_request", "error"]),
    ("io-error", &["I/O error, dev"]),
    ("io-error", &["critical medium error"]),
    ("io-error", &["critical target error"]),
    ("io-error", &[" error, dev ", ", sector "]),
    ("io-error", &["lost page write due to I/O error"]),
    ("io-error", &["md/raid", "Disk failure"]),
    ("scsi-timeout", &["rejecting I/O to offline device"]),
    ("scsi-timeout", &["Device offlined"]),
    ("scsi-timeout", &["abort", "scsi"]),
    ("scsi-timeout", &["timing out command"]),
    ("scsi-timeout", &["attempting task abort"]),
    ("scsi-timeout", &["task abort on host"]),
    ("scsi-timeout", &["rport", "blocked FC remote port time out"]),
    ("scsi-timeout", &["session recovery timed out"]),
    ("scsi-timeout", &["nvme", "timeout"]),
    ("scsi-timeout", &["nvme", "controller is down"]),
    ("scsi-timeout", &["nvme", "Failed reconnect attempt"]),
    ("scsi-timeout", &["nvme", "failed to connect socket"]),
    ("scsi-timeout", &["ata", "failed command"]),
    ("nfs-timeout", &["nfs: server", "not responding"]),
    (BACK, &["nfs: server", " OK"]),
    ("file-max", &["VFS: file-max limit", "reached"]),
    ("thermal", &["temperature", "above threshold", "throttled"]),
    ("machine-check", &["Machine check events logged"]),
    ("machine-check", &["[Hardware Error]"]),
    ("machine-check", &["EDAC", " CE "]),
    ("machine-check", &["EDAC", " UE "]),
    ("pcie-error", &["AER: ", "ncorrect", "error"]),
    ("pcie-error", &["PCIe Bus Error", "severity=Uncorrect"]), // typos: as it is
    ("raid-degraded", &["megaraid_sas", " VD ", "is now", "DEGRADED"]),
    ("raid-degraded", &["megaraid_sas", " VD ", "is now OFFLINE"]),
    ("pool-full", &["device-mapper: thin", "reached low water mark"]),
    ("pool-full", &["device-mapper: thin", "out-of-data-space"]),
    ("pool-full", &["device-mapper: thin", "no free", "space"]),
    ("nic-timeout", &["NETDEV WATCHDOG", "timed out"]),
    ("conntrack-full", &["conntrack", "table full"]),
    ("neighbour-full", &["eighbour table overflow"]),
    ("neighbour-full", &["neighbor table overflow"]),
    ("allocation-failure", &["page allocation failure"]),
    ("link-down", &["link status definitely down"]),
    ("link-down", &["LOOP DOWN"]),
];

/// Drivers agree on the words, not on their case: `Link down` (mlx5), `Link is down` (tg3, qede), `Link DOWN` (enic),
/// `NIC Link is Down` (Intel, bnxt).
const LINK_DOWN: &[&str] = &["link is down", "link down"];

/// A server that answers again: it is kept where it was logged as not responding before.
pub(super) const BACK: &str = "nfs-back";

/// A file system that is mounted: it is kept where an error of the same was logged before, which it ends.
pub(super) const MOUNTED: &str = "fs-mounted";

/// The kind of trouble that a line tells of.
pub(super) fn pattern_of(line: &str) -> Option<&'static str> {
    if HARMLESS.iter().any(|part| line.contains(part)) || is_of_a_program(line) {
        return None;
    }
    let matching = PATTERNS.iter().find(|(_, parts)| parts.iter().all(|part| line.contains(part)));
    let link = || {
        let line = line.to_ascii_lowercase();
        LINK_DOWN.iter().any(|part| line.contains(part)).then_some("link-down")
    };
    matching.map(|(name, _)| *name).or_else(link)
}

/// `systemd[1]: ...`: a program wrote it, about whatever names it was given. Of programs multipathd alone is read.
fn is_of_a_program(line: &str) -> bool {
    /// Words of a system log's line before its message: date, host, program.
    const HEAD: usize = 6;
    let is_program = |word: &str| {
        let parts = word.strip_suffix("]:").and_then(|word| word.split_once('['));
        parts.is_some_and(|(name, number)| {
            !name.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let says_so = || line.split_whitespace().take(HEAD).any(is_program);
    !line.contains(" kernel: ") && !line.contains("multipathd") && says_so()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_a_link_in_the_words_of_each_driver() {
        let lines = [
            "mlx5_core 0000:b1:00.0 ens2f0: Link down",
            "mlx4_en: eth0: Link Down",
            "tg3 0000:01:00.0 eno1: Link is down",
            "enic 0000:06:00.0 eth0: Link DOWN",
            "bnxt_en 0000:41:00.0 eno1np0: NIC Link is Down",
            "bnx2 0000:02:00.0 em1: NIC Copper Link is Down",
            "octeontx2 0002:02:00.0 eth1: NIC Link is DOWN",
            "be2net 0000:04:00.0 p4p1: Link is Down",
            "bond0: (slave ens4f1): link status definitely down, disabling slave",
        ];
        for line in lines {
            assert_eq!(pattern_of(&format!("[   90.0] {line}")), Some("link-down"), "{line}");
        }
        assert_eq!(pattern_of("[   90.0] mlx5_core 0000:b1:00.0 ens2f0: Link up"), None);
    }

    #[test]
    fn the_kernels_own_words_for_each_trouble() {
        let lines = [
            ("kernel-oops", "BUG: unable to handle page fault for address: ffffa0b1c2d3e4f5"),
            ("kernel-oops", "Oops: 0002 [#1] SMP NOPTI"),
            ("kernel-oops", "general protection fault: 0000 [#1] SMP PTI"),
            ("hung-task", "NMI watchdog: Watchdog detected hard LOCKUP on cpu 12"),
            ("nic-timeout", "NETDEV WATCHDOG: eth0 (bnx2x): transmit queue 0 timed out"),
            ("nic-timeout", "NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out 5120 ms"),
            ("conntrack-full", "nf_conntrack: nf_conntrack: table full, dropping packet"),
            ("neighbour-full", "neighbour: arp_cache: neighbor table overflow!"),
            ("neighbour-full", "Neighbour table overflow."),
            ("file-max", "VFS: file-max limit 6815744 reached"),
            (
                "thermal",
                "mce: CPU0: Core temperature above threshold, cpu clock throttled (total events = 7)",
            ),
            (
                "thermal",
                "mce: CPU3: Package temperature is above threshold, cpu clock is throttled (total events = 7)",
            ),
            ("scsi-timeout", "nvme nvme3: Failed reconnect attempt 12"),
            ("scsi-timeout", "nvme nvme3: failed to connect socket: -110"),
            ("scsi-timeout", "sd 3:0:0:0: [sdf] tag#17 task abort on host 3, 00000000c1d2e3f0"),
            ("multipath-failed", "Emcpmp:Error:Mpx:Path Bus 7 Tgt 0 Lun 1 to 000297800555 is dead."),
            (
                "allocation-failure",
                "kworker/3:1: page allocation failure: order:4, mode:0xc0c0c0(GFP_KERNEL)",
            ),
            (
                "pool-full",
                "device-mapper: thin: 253:5: reached low water mark for data device: sending event.",
            ),
            ("pool-full", "device-mapper: thin: 253:5: switching pool to out-of-data-space (queue IO) mode"),
            (
                "pcie-error",
                "pcieport 0000:00:01.0: AER: Uncorrected (Non-Fatal) error received: 0000:00:01.0",
            ),
            (
                "pcie-error",
                "nvme 0000:01:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer",
            ),
            (
                "raid-degraded",
                "megaraid_sas 0000:65:00.0: 4711 (7121s/0x0001/CRIT) - VD 01/1 is now DEGRADED",
            ),
            ("fs-error", "EXT4-fs (vdb1): This should not happen!! Data will be lost"),
            ("fs-error", "XFS (dm-2): Filesystem has been shut down due to log error (0x2)."),
            (
                "io-error",
                "blk_update_request: critical space allocation error, dev dm-3, sector 8 op 0x1:(WRITE)",
            ),
            ("io-error", "recoverable transport error, dev dm-3, sector 8 op 0x1:(WRITE)"),
        ];
        for (pattern, line) in lines {
            assert_eq!(pattern_of(&format!("[   90.0] {line}")), Some(pattern), "{line}");
        }
        let of_a_program =
            "[   90.0] traps: java[811] general protection fault ip:7f1 sp:7f2 error:0 in libc.so";
        assert_eq!(pattern_of(of_a_program), None);
        let corrected = "[   90.0] pcieport 0000:00:01.0: AER: Corrected error received: 0000:00:01.0";
        assert_eq!(pattern_of(corrected), None);
    }
}
