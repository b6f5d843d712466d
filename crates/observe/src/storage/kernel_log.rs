//! Lines of the kernel's log that tell of trouble on the I/O path.
//!
//! Live they come from `/dev/kmsg` (root, or anyone where `kernel.dmesg_restrict` is 0), in a captured tree
//! from `dmesg` or the system log. Only lines that match are kept; alike ones are counted.

use crate::root::gap_of;
use crate::{Root, secrets};
use fullwire_model::Gap;
use fullwire_model::host::LogLine;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const KMSG: &str = "/dev/kmsg";

/// Where captured trees have the log, the best first.
const CAPTURED: &[&str] = &[
    "/sos_commands/kernel/dmesg",
    "/sos_commands/kernel/dmesg_-T",
    "/sos_commands/general/dmesg",
    "/dmesg",
    "/var/log/dmesg",
    "/var/log/kern.log",
    "/var/log/messages",
    "/var/log/syslog",
];

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

/// Limits of one reading: records, time, and lines that are distinguished.
const RECORDS_LIMIT: usize = 100_000;
const TIME_LIMIT: Duration = Duration::from_millis(200);
const LINES_LIMIT: usize = 200;

/// Characters of a line that are kept.
const TEXT_LIMIT: usize = 400;

/// The largest record that the kernel hands out.
const RECORD_BYTES: usize = 8192;

/// What a line must hold to match, all of it, and the pattern's name. The first that matches counts.
/// Sources: the kernel's own messages in block/blk-core.c (`blk_errors`), fs/{ext4,xfs,btrfs}, `kernel/hung_task.c`,
/// `kernel/watchdog.c`, `mm/oom_kill.c`, `mm/page_alloc.c`, arch/x86/mm/fault.c, drivers/scsi, drivers/md/dm-mpath.c,
/// drivers/md/dm-thin.c, drivers/pci/pcie/aer.c, net/sunrpc/clnt.c, `net/sched/sch_generic.c`, net/core/neighbour.c,
/// `net/netfilter/nf_conntrack_core.c`, and node-problem-detector's list.
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
    ("scsi-timeout", &["rport", "blocked FC remote port time out"]),
    ("scsi-timeout", &["session recovery timed out"]),
    ("scsi-timeout", &["nvme", "timeout"]),
    ("scsi-timeout", &["nvme", "controller is down"]),
    ("scsi-timeout", &["ata", "failed command"]),
    ("nfs-timeout", &["nfs: server", "not responding"]),
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

/// A file system that is mounted: it is kept where an error of the same was logged before, which it ends.
const MOUNTED: &str = "fs-mounted";

/// Reads the log's lines that tell of trouble.
pub(crate) fn read_log(root: &Root, gaps: &mut Vec<Gap>) -> Vec<LogLine> {
    match root.answer("kernel log", || live().map(|text| parse_log(&text))) {
        Ok(lines) => lines,
        Err(gap) if root.is_live() => {
            gaps.push(gap);
            Vec::new()
        }
        Err(gap) => {
            let text = |path| root.read_settings(path, crate::MAX_READ_BYTES, None, kept).ok();
            // An empty file is what dmesg leaves to users who may not read it.
            let found = CAPTURED.iter().copied().filter_map(text).find(|text| !text.is_empty());
            if found.is_none() {
                gaps.push(gap);
            }
            found.map(|text| parse_log(&text)).unwrap_or_default()
        }
    }
}

/// Of a log, which holds anyone's messages, the lines that are read; an empty one for each other.
fn kept(text: &str) -> String {
    text.lines()
        .map(|line| if pattern_of(line).is_some() { format!("{line}\n") } else { "\n".to_owned() })
        .collect()
}

/// All records of `/dev/kmsg`, as lines of `[SECONDS] TEXT`.
fn live() -> Result<String, Gap> {
    let gap = |errno: Errno| Gap { subject: "kernel log".to_owned(), ..gap_of(KMSG, &errno.into()) };
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let log = rustix::fs::open(KMSG, flags, Mode::empty()).map_err(gap)?;
    let mut text = String::new();
    let mut record = [0_u8; RECORD_BYTES];
    let deadline = Instant::now() + TIME_LIMIT;
    for _ in 0..RECORDS_LIMIT {
        match rustix::io::read(&log, &mut record) {
            Ok(0) | Err(Errno::AGAIN) => break,
            Ok(length) => text.extend(kmsg_record(&String::from_utf8_lossy(&record[..length]))),
            // EPIPE: records were overwritten while we read; INVAL: one is longer than any should be.
            Err(Errno::PIPE | Errno::INTR | Errno::INVAL) => {}
            Err(errno) => return Err(gap(errno)),
        }
        if Instant::now() > deadline {
            break;
        }
    }
    Ok(text)
}

/// `PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;TEXT`, with the facility in the priority: 0 is the kernel itself.
fn kmsg_record(record: &str) -> Option<String> {
    let (head, rest) = record.split_once(';')?;
    let mut head = head.split(',');
    let priority: u32 = head.next()?.parse().ok()?;
    let microseconds: u64 = head.nth(1)?.parse().ok()?;
    // The kernel writes what is not printable as `\x0a`.
    let text = rest.lines().next()?.replace("\\x0a", " ");
    let text = text.trim_end();
    (priority < 8).then(|| format!("[{}.{:06}] {text}\n", microseconds / 1_000_000, microseconds % 1_000_000))
}

/// Finds the lines that match in a log's text: `dmesg`, `dmesg -T` or a system log.
pub fn parse_log(text: &str) -> Vec<LogLine> {
    let mut lines: Vec<LogLine> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines() {
        let Some(pattern) = pattern_of(line) else { continue };
        let (seconds, text) = split_stamp(line);
        if pattern == MOUNTED {
            let Some(device) = device_of(text) else { continue };
            let errors = |line: &LogLine| line.pattern == "fs-error" && device_of(&line.text) == Some(device);
            if !lines.iter().any(errors) {
                continue;
            }
            // What comes from now on is of this mount, not of the one before.
            known.retain(|_, index| device_of(&lines[*index].text) != Some(device));
        }
        let alike = format!("{pattern} {}", without_numbers(text));
        if let Some(&index) = known.get(&alike) {
            lines[index].count += 1;
            lines[index].seconds = seconds.or(lines[index].seconds);
        } else if lines.len() < LINES_LIMIT {
            known.insert(alike, lines.len());
            let text = secrets::text(text).chars().take(TEXT_LIMIT).collect();
            lines.push(LogLine { pattern: pattern.to_owned(), text, seconds, count: 1 });
        }
    }
    lines
}

/// `dm-2` of `XFS (dm-2): ...`.
fn device_of(text: &str) -> Option<&str> {
    let (device, _) = text.strip_prefix("XFS (")?.split_once(')')?;
    Some(device)
}

fn pattern_of(line: &str) -> Option<&'static str> {
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

/// Takes `[ 123.456]`, `[Wed Feb 29 11:01:52 2012]` or `Feb 29 11:01:52 host kernel:` off.
fn split_stamp(line: &str) -> (Option<f64>, &str) {
    let line = line.trim();
    let line = match line.split_once(" kernel: ") {
        Some((_, rest)) => rest,
        None => line,
    };
    match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((stamp, rest)) => match stamp.trim().parse::<f64>() {
            Ok(seconds) if seconds.is_finite() => (Some(seconds), rest),
            _ if stamp.contains(':') => (None, rest),
            _ => (None, line),
        },
        None => (None, line),
    }
}

/// Lines that differ only in numbers (sectors, addresses, times) are alike; names of devices hold letters.
fn without_numbers(text: &str) -> String {
    let is_number = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let bare = bare.strip_prefix("0x").unwrap_or(bare);
        !bare.is_empty()
            && bare.bytes().all(|byte| byte.is_ascii_hexdigit())
            && bare.bytes().any(|byte| byte.is_ascii_digit())
    };
    let words: Vec<&str> = text.split(' ').map(|word| if is_number(word) { "#" } else { word }).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_lines_are_counted_once() {
        let text = "[   12.5] blk_update_request: I/O error, dev sdb, sector 1024 op 0x0:(READ)\n\
                    [   13.5] blk_update_request: I/O error, dev sdb, sector 2048 op 0x0:(READ)\n\
                    [   14.0] blk_update_request: I/O error, dev sdc, sector 8\n\
                    Feb 29 11:01:52 db01 kernel: nfs: server filer not responding, still trying\n\
                    [Wed Feb 29 11:01:52 2012] INFO: task ora_lgwr:4711 blocked for more than 120 seconds.\n\
                    [   15.0] random: crng init done\n";
        let lines = parse_log(text);
        let seen: Vec<(&str, u64, Option<f64>)> =
            lines.iter().map(|line| (line.pattern.as_str(), line.count, line.seconds)).collect();
        assert_eq!(
            seen,
            [
                ("io-error", 2, Some(13.5)),
                ("io-error", 1, Some(14.0)),
                ("nfs-timeout", 1, None),
                ("hung-task", 1, None)
            ]
        );
        assert_eq!(lines[2].text, "nfs: server filer not responding, still trying");
    }

    /// Lines of healthy hosts, each of which was taken for trouble once.
    #[test]
    fn what_reports_no_trouble_is_passed_over() {
        let text = "[    1.2] nvme nvme0: Shutdown timeout set to 10 seconds\n\
                    [   10.4] BTRFS info (device sda2): enabling error tags\n\
                    [   10.5] BTRFS info (device sda2): bdev /dev/sda2 errs: wr 0, rd 0\n";
        assert_eq!(parse_log(text), []);
        let text = "[    9.9] nvme nvme0: I/O 22 QID 3 timeout, aborting\n\
                    [   10.4] BTRFS error (device sda2): bad tree block start\n";
        assert_eq!(parse_log(text).len(), 2);
    }

    /// The words of a setting or of a program are no event, whatever they hold.
    #[test]
    fn lines_that_quote_parameters_tell_of_nothing() {
        let text = "[    0.0] Command line: root=/dev/sda1 nvme_core.io_timeout=4294967295\n\
                    [    0.1] Kernel command line: root=/dev/sda1 nvme_core.io_timeout=4294967295\n\
                    [    0.1] Unknown kernel command line parameters \"nvme timeout=3\", will be passed to user space.\n\
                    [    7.0] systemd[1]: Starting nvme timeout setup...\n\
                    [   90.0] audit: type=1400 audit(1722.1:44): name=\"/etc/nvme-timeout\"\n\
                    Feb 29 11:01:52 db01 NetworkManager[812]: <info> device (ens1f0): link down\n";
        assert_eq!(parse_log(text), []);
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

    /// A mount is kept after an error of the same file system, and parts what came before it from what came later.
    #[test]
    fn a_mount_after_an_error() {
        let mount = "XFS (dm-2): Mounting V5 Filesystem\n";
        let shut = "XFS (dm-2): Log I/O Error Detected. Shutting down filesystem\n";
        let patterns = |text: &str| {
            parse_log(text).iter().map(|line| (line.pattern.clone(), line.count)).collect::<Vec<_>>()
        };
        let error = |count| ("fs-error".to_owned(), count);
        let mounted = (MOUNTED.to_owned(), 1);
        assert_eq!(patterns(&format!("{mount}{shut}{shut}")), [error(2)]);
        assert_eq!(patterns(&format!("{shut}XFS (dm-3): Mounting V5 Filesystem\n")), [error(1)]);
        let twice = format!("{shut}{mount}{shut}{mount}");
        assert_eq!(patterns(&twice), [error(1), mounted.clone(), error(1), mounted]);
    }

    #[test]
    fn records_of_the_kernel_alone() {
        let record = "3,771,4711000123,-;sd 0:0:0:0: [sda] x\n SUBSYSTEM=scsi\n";
        assert_eq!(kmsg_record(record).as_deref(), Some("[4711.000123] sd 0:0:0:0: [sda] x\n"));
        let broken = "4,772,1000000,-;Tainted: G\\x0aHardware name: x\\x0a";
        assert_eq!(kmsg_record(broken).as_deref(), Some("[1.000000] Tainted: G Hardware name: x\n"));
        assert_eq!(kmsg_record("30,1,2,-;systemd[1]: link down"), None);
        assert_eq!(kmsg_record("rubbish"), None);
    }
}
