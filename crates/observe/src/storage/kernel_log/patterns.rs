//! Which lines of the kernel's log tell of trouble, and of which kind.

use fullwire_model::host::kernels_own::{
    SERVICES, is_crash_of_database, is_dated, kernels_own, of_kernel, written_by,
};
use fullwire_model::host::trouble::{Known, is_denied_to_database, is_report, says_trouble};

/// What a line holds that matches, and reports no trouble: a setting, a feature of a file system, or names and values that
/// someone set, such as `nvme_core.io_timeout=255`.
const HARMLESS: &[&str] = &[
    "Shutdown timeout set to", "BTRFS info", "Command line:", "command line:", "command line parameters",
    "audit: type=", "audit(",
    // Behind the name of any program: fs/locks.c, kernel/exit.c.
    "LOCK_MAND lock via flock", "used greatest stack depth",
];

/// What a line must hold to match, all of it, and the pattern's name. The first that matches counts.
/// Sources: the kernel's own messages in block/blk-core.c (`blk_errors`), fs/{ext4,xfs,btrfs}, `kernel/hung_task.c`,
/// `kernel/watchdog.c`, `mm/oom_kill.c`, `mm/page_alloc.c`, arch/x86/mm/fault.c, drivers/scsi, drivers/md/dm-mpath.c,
/// drivers/md/dm-thin.c, drivers/pci/pcie/aer.c, net/sunrpc/clnt.c, `net/sched/sch_generic.c`, net/core/neighbour.c,
/// `net/netfilter/nf_conntrack_core.c`, `fs/file_table.c` (`alloc_empty_file`), arch/x86 `therm_throt.c`,
/// drivers/nvme/host/{core,fabrics,tcp}.c, `drivers/scsi/{vmw_pvscsi,scsi_error,scsi_logging}.c` (`scsi_print_result`, "thin
/// provisioning soft threshold"), drivers/scsi/{qla2xxx,lpfc,hpsa,smartpqi,megaraid,mpt3sas}, drivers/md/{raid1,raid10,raid5},
/// dm-snap.c, `fs/iomap/buffered-io.c`, `mm/memory-failure.c`, kernel/audit.c, `kernel/cgroup/pids.c`, fs/nfs/nfs4state.c,
/// drivers/iommu, and node-problem-detector's list.
const PATTERNS: &[(&str, &[&str])] = &[
    ("oom", &["Out of memory"]),
    ("oom", &["invoked oom-killer"]),
    ("oom", &["Memory cgroup out of memory"]),
    ("oom", &["oom-kill:constraint="]),
    ("hung-task", &["blocked for more than", "seconds"]),
    ("hung-task", &["soft lockup"]),
    ("hung-task", &["hard LOCKUP"]),
    ("hung-task", &["rcu", "detected stall"]),
    ("hung-task", &["rcu", "self-detected stall"]),
    ("hung-task", &["rcu", "detected expedited stall"]),
    ("hung-task", &["rcu_sched", "stall"]),
    ("hung-task", &["BUG: workqueue lockup"]),
    ("kernel-oops", &["BUG: unable to handle"]),
    ("kernel-oops", &["Unable to handle kernel"]),
    ("kernel-oops", &["kernel BUG at"]),
    ("kernel-oops", &["Oops: "]),
    ("kernel-oops", &["BUG: Bad page"]),
    // Without this, a program's own fault, which is its program's affair.
    ("kernel-oops", &["general protection fault", "[#"]),
    ("kernel-oops", &["general protection fault, probably for"]),
    ("rt-throttled", &["sched: RT throttling activated"]),
    ("fs-error", &["EXT4-fs error"]),
    ("fs-error", &["EXT4-fs", "Remounting filesystem read-only"]),
    ("fs-error", &["EXT4-fs warning", "I/O error", "writing to inode"]),
    ("fs-error", &["EXT4-fs (", "error count since last fsck"]),
    (MOUNTED, &["EXT4-fs (", "mounted filesystem"]),
    ("fs-error", &["XFS", "orruption"]),
    ("fs-error", &["XFS (", "Internal error"]),
    ("fs-error", &["XFS (", "Metadata CRC error detected"]),
    ("fs-error", &["XFS (", "nmount and run xfs_repair"]),
    ("fs-error", &["XFS (", "xfs_log_force: error -"]),
    ("fs-error", &["XFS (", "log I/O error"]),
    // fs/iomap, and XFS itself before it.
    ("fs-error", &["writeback error on "]),
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
    ("fs-error", &["BTRFS critical"]),
    ("fs-error", &["BTRFS", "csum failed"]),
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
    ("io-error", &["md/raid", "unrecoverable I/O read error"]),
    ("io-error", &["md/raid", "read error not correctable"]),
    ("io-error", &["md: super_written gets error="]),
    ("io-error", &["Sense Key : Medium Error"]),
    ("io-error", &["Sense Key : Hardware Error"]),
    ("io-error", &["FAILED Result: hostbyte=DID_NO_CONNECT"]),
    ("io-error", &["FAILED Result: hostbyte=DID_TIME_OUT"]),
    ("io-error", &["FAILED Result: hostbyte=DID_ERROR"]),
    ("io-error", &["FAILED Result: hostbyte=DID_ABORT"]),
    ("io-error", &["FAILED Result: hostbyte=DID_TRANSPORT_"]),
    ("array-thin", &["reached a thin provisioning soft threshold"]),
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
    ("scsi-timeout", &["nvme", "Removing after probe failure"]),
    ("scsi-timeout", &["nvme", "Disabling device after reset failure"]),
    ("scsi-timeout", &["ata", "failed command"]),
    ("scsi-timeout", &[".00: disabled"]),
    ("scsi-timeout", &[".00: disable device"]),
    ("scsi-timeout", &["qla2xxx", "Abort command issued"]),
    ("scsi-timeout", &["qla2xxx", " RESET ISSUED"]),
    ("scsi-timeout", &["lpfc", "SCSI layer issued"]),
    ("scsi-timeout", &["hpsa", ": resetting "]),
    ("scsi-timeout", &["smartpqi", "resetting scsi"]),
    ("scsi-timeout", &["ping timeout of", "secs expired"]),
    ("adapter-fault", &["qla2xxx", "ISP System Error"]),
    ("adapter-fault", &["lpfc", "Adapter Hardware Error"]),
    ("adapter-fault", &["megaraid_sas", "in FAULT state"]),
    ("adapter-fault", &["mpt", "sas_cm", "fault_state("]),
    ("adapter-fault", &["hpsa", "lockup detected"]),
    ("adapter-fault", &["smartpqi", "controller is offline"]),
    ("adapter-fault", &["mlx5_core", "health compromised"]),
    ("nfs-timeout", &["nfs: server", "not responding"]),
    ("nfs-state", &["NFS", "Lock reclaim failed"]),
    ("nfs-state", &["NFS", "state manager", "failed on NFSv4 server"]),
    ("nfs-state", &["NFSv4: state recovery failed"]),
    (BACK, &["nfs: server", " OK"]),
    ("file-max", &["VFS: file-max limit", "reached"]),
    ("thermal", &["temperature", "above threshold", "throttled"]),
    ("machine-check", &["Machine check events logged"]),
    ("machine-check", &["[Hardware Error]"]),
    ("machine-check", &["hardware memory corruption"]),
    ("machine-check", &["Memory failure: 0x", "recovery action"]),
    ("machine-check", &["EDAC", " CE "]),
    ("machine-check", &["EDAC", " UE "]),
    ("pcie-error", &["AER: ", "ncorrect", "error"]),
    ("pcie-error", &["PCIe Bus Error", "severity=Uncorrect"]), // typos: as it is
    ("iommu-fault", &["DMAR: [", "fault addr"]),
    ("iommu-fault", &["AMD-Vi: Event logged [IO_PAGE_FAULT"]),
    ("audit-backlog", &["audit: audit_backlog=", " > audit_backlog_limit="]),
    ("fork-rejected", &["cgroup: fork rejected by pids controller"]),
    ("raid-degraded", &["megaraid_sas", " VD ", "is now", "DEGRADED"]),
    ("raid-degraded", &["megaraid_sas", " VD ", "is now OFFLINE"]),
    ("pool-full", &["device-mapper: thin", "reached low water mark"]),
    ("pool-full", &["device-mapper: thin", "out-of-data-space"]),
    ("pool-full", &["device-mapper: thin", "no free", "space"]),
    ("pool-full", &["device-mapper: thin", "switching pool to read-only mode"]),
    ("pool-full", &["device-mapper: thin", "switching pool to fail mode"]),
    ("pool-full", &["device-mapper: snapshots: Invalidating snapshot"]),
    ("nic-timeout", &["NETDEV WATCHDOG", "timed out"]),
    ("nic-timeout", &["Detected Tx Unit Hang"]),
    ("nic-timeout", &["Detected Hardware Unit Hang"]),
    ("nic-timeout", &["TX timeout detected"]),
    ("nic-timeout", &["TX driver issue detected"]),
    ("nic-timeout", &["vmxnet3", ": tx hang"]),
    ("conntrack-full", &["conntrack", "table full"]),
    ("neighbour-full", &["eighbour table overflow"]),
    ("neighbour-full", &["neighbor table overflow"]),
    ("allocation-failure", &["page allocation failure"]),
    ("allocation-failure", &["possible memory allocation deadlock"]),
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

/// A line of the kernel's that holds words of trouble and matches no pattern: what it means is decided elsewhere.
pub(super) const TROUBLE: &str = "trouble";

/// What they write where no name stands before it.
const OF_SERVICES: &[&str] = &["wal: sync duration", "slow request"];

fn tells(line: &str, meaning: Known) -> bool {
    says_trouble(&line.to_ascii_lowercase()) || meaning.is_trouble(line)
}

/// The kernel wrote it: `dmesg`, or a system log that names it. A line without either has no writer's name.
fn is_of_the_kernel(line: &str) -> bool {
    of_kernel(line).is_some() || !is_dated(line.trim_start())
}

/// A line of one of the services above that tells of trouble.
fn is_of_a_service(line: &str, meaning: Known) -> bool {
    let named = |name: &str| {
        written_by(line, name).is_some_and(|rest| {
            rest.trim_start_matches(|c: char| c.is_ascii_lowercase() || "-.0123456789".contains(c))
                .starts_with(['[', ':'])
        })
    };
    of_kernel(line).is_none()
        && (SERVICES.iter().any(|name| named(name)) || OF_SERVICES.iter().any(|words| line.contains(words)))
        && (tells(line, meaning) || line.contains("sync duration of"))
}

/// Bytes of a line that are looked at: the kernel makes none longer (`kernel/printk`), a captured tree may have a line of any length.
const LONGEST_BYTES: usize = 8192;

/// The kind of trouble that a line tells of: by its words, or because its meaning is known.
pub(super) fn pattern_of(line: &str, meaning: Known) -> Option<&'static str> {
    // It goes on with the line above, whoever wrote that: a message in systemd's journal may have several lines.
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let line = (0..4).find_map(|less| line.get(..LONGEST_BYTES - less)).unwrap_or(line);
    if is_crash_of_database(line) {
        return Some("segfault");
    }
    let line = &*kernels_own(line);
    if is_denied_to_database(&line.to_ascii_lowercase()) {
        return Some(TROUBLE);
    }
    if HARMLESS.iter().any(|part| line.contains(part)) || is_report(&line.to_ascii_lowercase()) {
        return None;
    }
    if is_of_a_service(line, meaning) {
        return Some(TROUBLE);
    }
    if is_of_a_program(line) {
        return None;
    }
    let matching = PATTERNS.iter().find(|(_, parts)| parts.iter().all(|part| line.contains(part)));
    let link = || {
        let line = line.to_ascii_lowercase();
        LINK_DOWN.iter().any(|part| line.contains(part)).then_some("link-down")
    };
    let other = || (is_of_the_kernel(line) && tells(line, meaning)).then_some(TROUBLE);
    matching.map(|(name, _)| *name).or_else(link).or_else(other)
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
    let words: Vec<&str> = line.split_whitespace().take(HEAD).collect();
    let is_time = |word: &str| word.len() == 8 && word.as_bytes()[2] == b':';
    // `Dec  1 08:40:00 db1 ada: ...`, of hosts without systemd.
    let is_named = words.get(2).is_some_and(|time| is_time(time))
        && words.get(4).is_some_and(|name| name.ends_with(':'));
    of_kernel(line).is_none()
        && written_by(line, "multipathd").is_none()
        && (is_named || words.into_iter().any(is_program))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern_of(line: &str) -> Option<&'static str> {
        super::pattern_of(line, Known::default())
    }

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
    fn what_a_user_named_so_is_no_trouble() {
        for (line, pattern) in [
            ("overlayfs: failed to resolve '/EXT4-fs error (device sda1)': -2", None),
            ("overlayfs: failed to resolve '/Out of memory': -2", None),
            ("BTRFS: device label EXT4-fs error (device sda1) devid 1 transid 5 /dev/loop0", None),
            ("request_module: modprobe fs-sd 0:0:0:0: I/O error, dev sda cannot be processed", None),
            ("lockd: cannot monitor critical medium error", None),
            ("Filesystem sda1: I/O error, dev sda is not supported", None),
            ("sd0-offline: renamed from veth0", None),
            ("INFO: task I/O error, dev:4711 blocked for more than 120 seconds.", Some("hung-task")),
            ("cgroup: fork rejected by pids controller in /user.slice/I/O error, dev", Some("fork-rejected")),
            (
                "Out of memory: [22918]: segfault at 8 ip 0000558193eda193 sp 00007ffe20c6f2a0 error 6 in x[1]",
                None,
            ),
            ("seg[22918]: segfault at 8 ip 00 sp 00 error 6 in Out of memory[1193,5+1000]", None),
            ("traps: EXT4-fs error[12] general protection fault ip:1 sp:2 error:0 in x[1]", None),
            ("process './XFS (sda1): Internal error' launched 'x' with NULL argv: empty string added", None),
            (
                "cgroup: fork rejected by pids controller in /user.slice/EXT4-fs error (device sda1)",
                Some("fork-rejected"),
            ),
            ("CPU: 3 UID: 1000 PID: 77 Comm: EXT4-fs error ( Not tainted 6.12.0 #1", None),
            ("Memory cgroup stats for /user.slice/EXT4-fs error (device sda1):", None),
            (
                "oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/user.slice/XFS (sda1): Internal error,task=x,pid=1",
                Some("oom"),
            ),
            // The kernel's own line, about a program that calls itself so.
            ("EXT4-fs error (device sda1): ext4_lookup:1: inode #2: comm traps: : deleted", Some("fs-error")),
            ("EXT4-fs error (device sda1): ext4_find:1: comm ]: segfault at : bad", Some("fs-error")),
        ] {
            for head in
                ["[   90.000000] ", "Nov 22 10:00:00 db kernel: ", "Nov 22 10:00:00 db kernel: [ 90.0] ", ""]
            {
                assert_eq!(pattern_of(&format!("{head}{line}")), pattern, "{head}{line}");
            }
        }
    }

    /// logger(1), or a unit of a user's own: the journal sets a number behind its name, older logs none.
    #[test]
    fn what_a_program_says_is_not_the_kernels() {
        let said = [
            "EXT4-fs error (device sda1): x",
            "XFS (dm-0): Internal error",
            "Out of memory: Killed process 7",
        ];
        for by in [
            "ada: ", "ada[77]: ", "kernel[77]: ", "ada: kernel: ", "ada[77]: x kernel: ",
            "ada[77]: smartd: ", "ada[7]: multipathd: ",
        ] {
            for said in said.into_iter().chain(["postgres[77]: segfault at 8 ip 0"]) {
                for date in ["Dec  1 08:40:00 db1 ", "2026-12-01T08:40:00.5+00:00 db1 "] {
                    // Without a number and a known date nothing tells who wrote it.
                    if date.starts_with('D') || by.contains('[') {
                        assert_eq!(pattern_of(&format!("{date}{by}{said}")), None, "{date}{by}{said}");
                    }
                }
            }
        }
        for said in said {
            assert!(pattern_of(&format!("Dec  1 08:40:00 db1 kernel: {said}")).is_some(), "{said}");
        }
        assert_eq!(
            pattern_of("Dec  1 08:40:00 db1 kernel: postgres[77]: segfault at 8 ip 0"),
            Some("segfault")
        );
    }

    /// Whoever makes a namespace mounts in it with any options: the kernel repeats those that it does not know.
    #[test]
    fn what_the_kernel_repeats_of_a_user_is_no_trouble() {
        for line in [
            "tmpfs: Unknown parameter 'EXT4-fs error (device sda1): a'",
            "tmpfs: Unknown parameter 'a' EXT4-fs error (device sda1): I/O error, dev sda'",
            "cgroup: Unknown subsys name \"nvme nvme0: I/O timeout\"",
            "memfd_create() without MFD_EXEC nor MFD_NOEXEC_SEAL, pid=1 'EXT4-fs error ('",
            "process `XFS (sda1): Internal error' is using deprecated sysctl",
            "EXT4-fs error ([22918] bad frame in rt_sigreturn frame:1 ip:2 sp:3 orax:f in x[1]",
            "proc: unknown value of hidepid - EXT4-fs error (device sda1)",
            "cgroup: EXT4-fs error ( (4711) created nested cgroup for controller \"memory\"",
            "EXT4-fs error (4711): Attempt to set a LOCK_MAND lock via flock(2)",
            "smartd[22918] bad frame in rt_sigreturn frame:1 ip:2 sp:3 orax:f in EXT4-fs error (device sda)[1]",
            "[   4711]  1000  4711  1234  99  0  0  0  EXT4-fs error (",
            // Of Linux 6.18, said of a program that calls itself so.
            "futex_wake_op: EXT4-fs error ( tries to shift op by 40; fix this program",
            "EXT4-fs error ( uses obsolete (PF_INET,SOCK_PACKET)",
            "hugetlbfs: EXT4-fs error ( (5599): Using mlock ulimits for SHM_HUGETLB is obsolete",
            "EXT4-fs error ( (5599): /proc/5599/oom_adj is deprecated, please use /proc/5599/oom_score_adj instead.",
            "mmap: EXT4-fs error ( (5599) uses deprecated remap_file_pages() syscall.",
            "EXT4-fs error ( calls setitimer() with new_value NULL pointer. Misfeature support will be removed",
            "mmap: EXT4-fs error ( (5600): VmData 67203072 exceed data ulimit 1048576.",
            "umip: nvme: timeout a[5604] ip:55e15831e20d sp:7fff27c675b0: SGDT instruction cannot be used by applications.",
            "umip: I/O error, dev [5607] ip:55e15831e20d sp:7fff27c675b0: For now, expensive software emulation returns",
            "4711 (EXT4-fs error (): Uhuuh, elf segment at 0000000000400000 requested but the memory is mapped already",
            "Process 4711(EXT4-fs error () has RLIMIT_CORE set to 1",
            "]nvme: timeout[22918] bad frame in rt_sigreturn frame:1 ip:2 sp:3 orax:f in x[1]",
            "]: segfault at [5612]: segfault at 8 ip 0 sp 0 error 6 in Out of memory[14c4,55e15831e000+1000]",
        ] {
            for head in ["[   90.000000] ", "Nov 22 10:00:00 db kernel: "] {
                assert_eq!(pattern_of(&format!("{head}{line}")), None, "{head}{line}");
            }
        }
        for (line, pattern) in [
            (
                "EXT4-fs error (: page allocation failure: order:4, mode:0xc0c0c0(GFP_KERNEL)",
                "allocation-failure",
            ),
            (
                "EXT4-fs error (: vmalloc error: size 4096, failed to allocate pages, mode:0xcc0(GFP_KERNEL)",
                TROUBLE,
            ),
            ("XFS (sda1): Inter invoked oom-killer: gfp_mask=0xcc0, order=0", "oom"),
            ("scsi(4): LOOP DOWN detected", "link-down"),
        ] {
            assert_eq!(pattern_of(&format!("[   90.0] {line}")), Some(pattern), "{line}");
        }
        let health = "[   90.0] mlx5_core 0000:18:00.0: device's health compromised - reached 'miss' count";
        assert_eq!(pattern_of(health), Some("adapter-fault"));
    }

    const LINES: &[(&str, &str)] = &[
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
        ("hung-task", "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:"),
        ("hung-task", "rcu: INFO: rcu_sched self-detected stall on CPU"),
        ("hung-task", "BUG: workqueue lockup - pool cpus=3 node=0 flags=0x0 nice=0 stuck for 45s!"),
        ("kernel-oops", "BUG: Bad page state in process oracle  pfn:12345"),
        ("fs-error", "EXT4-fs warning (device dm-2): ext4_end_bio:323: I/O error 10 writing to inode 123"),
        ("fs-error", "EXT4-fs (dm-2): error count since last fsck: 4"),
        ("fs-error", "XFS (dm-3): Metadata corruption detected at xfs_agf_read_verify+0x70/0x120 [xfs]"),
        (
            "fs-error",
            "XFS (dm-9): Metadata CRC error detected at xfs_allocbt_read_verify+0x12/0xb0 [xfs], xfs_bnobt",
        ),
        ("fs-error", "XFS (dm-9): Unmount and run xfs_repair"),
        ("fs-error", "XFS (dm-9): xfs_log_force: error -5 returned."),
        ("io-error", "md: super_written gets error=-5"),
        ("io-error", "sd 3:0:0:0: [sdf] tag#17 FAILED Result: hostbyte=DID_ABORT driverbyte=DRIVER_OK"),
        ("fs-error", "XFS (dm-3): Internal error XFS_WANT_CORRUPTED_GOTO at line 1635"),
        ("fs-error", "dm-5: writeback error on inode 123, offset 0, sector 1234"),
        ("fs-error", "BTRFS critical (device sdb): corrupt leaf: root=5 block=30883840 slot=19"),
        ("fs-error", "BTRFS warning (device sdb): csum failed root 5 ino 257 off 0"),
        ("io-error", "md/raid1:md0: sdb1: unrecoverable I/O read error for block 12345"),
        ("io-error", "md/raid:md0: read error not correctable (sector 12345 on sdb1)."),
        ("io-error", "sd 3:0:0:0: [sdf] tag#17 Sense Key : Medium Error [current]"),
        ("io-error", "sd 3:0:0:0: [sdf] tag#17 FAILED Result: hostbyte=DID_NO_CONNECT driverbyte=DRIVER_OK"),
        ("array-thin", "Received an indication that the LUN reached a thin provisioning soft threshold."),
        ("scsi-timeout", "nvme nvme0: Disabling device after reset failure: -19"),
        ("scsi-timeout", "qla2xxx [0000:3b:00.0]-801c:8: Abort command issued nexus=8:0:3 -- 2002."),
        ("scsi-timeout", "lpfc 0000:3b:00.0: 8:(0):0713 SCSI layer issued Device Reset (3, 5) return x2002"),
        ("scsi-timeout", "connection1:0: ping timeout of 5 secs expired, recv timeout 5, last rx 4295071700"),
        ("scsi-timeout", "ata1.00: disabled"),
        ("adapter-fault", "megaraid_sas 0000:01:00.0: FW in FAULT state Fault code:0x10000 subcode:0x0"),
        ("adapter-fault", "mpt3sas_cm0: fault_state(0x265d)!"),
        ("adapter-fault", "mlx5_core 0000:18:00.0: device's health compromised - reached miss count"),
        ("nfs-state", "NFS: nfs4_reclaim_open_state: Lock reclaim failed!"),
        ("machine-check", "Memory failure: 0x1234567: recovery action for dirty LRU page: Recovered"),
        ("machine-check", "MCE 0x1234567: Killing oracle:4711 due to hardware memory corruption"),
        ("iommu-fault", "DMAR: [DMA Write] Request device [3b:00.0] fault addr ffffe000 [fault reason 05]"),
        ("audit-backlog", "audit: audit_backlog=8193 > audit_backlog_limit=8192"),
        ("fork-rejected", "cgroup: fork rejected by pids controller in /system.slice/oracle-erp.service"),
        ("segfault", "postgres[4711]: segfault at 8 ip 00007f1 sp 00007ffc error 4 in postgres[400000+1000]"),
        ("pool-full", "device-mapper: thin: 253:6: switching pool to read-only mode"),
        ("pool-full", "device-mapper: snapshots: Invalidating snapshot: Unable to allocate exception."),
        ("nic-timeout", "ixgbe 0000:18:00.0 eno1: Detected Tx Unit Hang"),
        ("nic-timeout", "vmxnet3 0000:0b:00.0 ens192: tx hang"),
        (
            "allocation-failure",
            "XFS: oracle(4711) possible memory allocation deadlock size 65552 in kmem_alloc",
        ),
        ("thermal", "mce: CPU0: Core temperature above threshold, cpu clock throttled (total events = 7)"),
        (
            "thermal",
            "mce: CPU3: Package temperature is above threshold, cpu clock is throttled (total events = 7)",
        ),
        ("scsi-timeout", "nvme nvme3: Failed reconnect attempt 12"),
        ("scsi-timeout", "nvme nvme3: failed to connect socket: -110"),
        ("scsi-timeout", "sd 3:0:0:0: [sdf] tag#17 task abort on host 3, 00000000c1d2e3f0"),
        (
            "scsi-timeout",
            " connection1:0: ping timeout of 5 secs expired, recv timeout 5, last rx 4295071700",
        ),
        ("multipath-failed", "Error:Mpx:Path Bus 7 Tgt 0 Lun 1 to 000297800555 is dead."),
        ("multipath-failed", "Emcpmp:Error:Mpx:Path Bus 7 Tgt 0 Lun 1 to 000297800555 is dead."),
        ("allocation-failure", "kworker/3:1: page allocation failure: order:4, mode:0xc0c0c0(GFP_KERNEL)"),
        ("pool-full", "device-mapper: thin: 253:5: reached low water mark for data device: sending event."),
        ("pool-full", "device-mapper: thin: 253:5: switching pool to out-of-data-space (queue IO) mode"),
        ("pcie-error", "pcieport 0000:00:01.0: AER: Uncorrected (Non-Fatal) error received: 0000:00:01.0"),
        (
            "pcie-error",
            "nvme 0000:01:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer",
        ),
        ("raid-degraded", "megaraid_sas 0000:65:00.0: 4711 (7121s/0x0001/CRIT) - VD 01/1 is now DEGRADED"),
        ("fs-error", "EXT4-fs (vdb1): This should not happen!! Data will be lost"),
        ("fs-error", "XFS (dm-2): Filesystem has been shut down due to log error (0x2)."),
        (
            "io-error",
            "blk_update_request: critical space allocation error, dev dm-3, sector 8 op 0x1:(WRITE)",
        ),
        ("io-error", "recoverable transport error, dev dm-3, sector 8 op 0x1:(WRITE)"),
    ];

    #[test]
    fn the_kernels_own_words_for_each_trouble() {
        for (pattern, line) in LINES {
            assert_eq!(pattern_of(&format!("[   90.0] {line}")), Some(*pattern), "{line}");
        }
        let of_a_program =
            "[   90.0] traps: java[811] general protection fault ip:7f1 sp:7f2 error:0 in libc.so";
        assert_ne!(pattern_of(of_a_program), Some("kernel-oops"));
        let corrected = "[   90.0] pcieport 0000:00:01.0: AER: Corrected error received: 0000:00:01.0";
        assert_ne!(pattern_of(corrected), Some("pcie-error"));
    }

    /// What hosts in good health log as well.
    #[test]
    fn harmless_lines_of_the_same_drivers_are_passed_over() {
        for line in [
            "sd 3:0:0:0: [sdf] Sense Key : Unit Attention [current]",
            "sd 3:0:0:0: [sdf] Sense Key : Illegal Request [current]",
            "sd 3:0:0:0: [sdf] Sense Key : Recovered Error [current]",
            "sd 3:0:0:0: [sdf] Synchronize Cache(10) failed: Result: hostbyte=DID_NO_CONNECT driverbyte=DRIVER_OK",
            "mpt3sas_cm0: log_info(0x31110e05): originator(PL), code(0x11), sub_code(0x0e05)",
            "device-mapper: thin: 253:6: switching pool to write mode",
            "md/raid1:md0: read error corrected (8 sectors at 2048 on sdb1)",
            "md: md0: data-check done.",
            "java[4711]: segfault at 8 ip 00007f1 sp 00007ffc error 4 in libjvm.so[400000+1234000]",
            "perf: interrupt took too long (2503 > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
            "workqueue: dm_worker hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND",
            "TCP: request_sock_TCP: Possible SYN flooding on port 1521. Sending cookies.",
            "EXT4-fs warning (device dm-2): ext4_dx_add_entry:2184: Directory (ino: 391) index full",
            "audit: audit_lost=1 audit_rate_limit=0 audit_backlog_limit=64",
        ] {
            let pattern = pattern_of(&format!("[   90.0] {line}"));
            assert!(pattern.is_none_or(|pattern| pattern == TROUBLE), "{line}: {pattern:?}");
        }
    }

    /// What no pattern knows is kept by its words; where it only quotes such a word it is not.
    #[test]
    fn trouble_is_known_by_its_words() {
        for line in [
            "[   90.0] mpt2sas0: fault_state(0x5841)!",
            "Feb 14 10:53:28 db01 kernel: mpt2sas0: fault_state(0x5841)!",
            "[   90.0] aacraid: Host adapter abort request (0,1,0,0)",
            "Sep 16 18:37:52 db01 Server Administrator: Storage Service EventID: 2188  The controller write policy has been changed to Write Through.:  Battery 0",
            "2018-10-25 16:20:35.185438 W | wal: sync duration of 1.134771573s, expected less than 1s",
        ] {
            assert_eq!(pattern_of(line), Some(TROUBLE), "{line}");
        }
        for line in [
            "[   90.0] EXT4-fs (sda1): re-mounted with default options",
            "Feb 14 10:53:28 db01 sshd: authentication failure for root",
            "[   90.0] eth0: renamed from veth7",
            "[    1.2] pcieport 0000:00:1d.0: DPC: error containment capabilities: Int Msg #0, RPExt+ PoisonedTLP+",
            "[    5.0] device-mapper: thin: Data device (dm-3) discard unsupported: Disabling discard passdown.",
            "[    5.1] EXT4-fs (sda2): couldn't mount as ext3 due to feature incompatibilities",
            "[    5.2] ata5: SATA link down (SStatus 4 SControl 300)",
            "[    5.3] smartpqi 0000:5c:00.0: RAID IU Timeout enabled",
            "[    9.0] bcache: register_bcache() error : device already registered (emitting change event)",
            "[    9.0] bcache: register_bcache() error /dev/sdq7: device already registered",
            "[    4.1] mpt3sas_cm7: Protocol=(Initiator), Capabilities=(TLR,EEDP,Task Set Full,NCQ)",
            "[    5.1] mpt3sas_cm7: search for expanders: start",
            "[    6.1] qla2xxx [0000:81:00.0]-011c:7: SFP detect: Short-Range SFP (nvr=1 ll=4 lr=0 lrd=0).",
            "Feb 14 10:53:28 db01 kernel: xyz: OFPInstructionGotoTable is an instruction",
        ] {
            assert_eq!(pattern_of(line), None, "{line}");
        }
    }
}
