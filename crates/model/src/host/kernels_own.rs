//! What in a line of the kernel's log is the kernel's own: it repeats names that any user may have chosen.

use std::borrow::Cow;

/// Beginnings of what the kernel says of storage, memory, network and hardware without naming a device first. Everything else that
/// begins with no device may repeat what any user chose, at any place: a label (`BTRFS: device label ...`), a type of file system
/// (`request_module: modprobe fs-...`), a name of a mount, a control group, a program, a client or an initiator. Of a part that
/// repeats such names too (`BTRFS`, `lockd`) only what it says of its own is here.
#[rustfmt::skip]
const TELLS: &[&str] = &[
    // block, drivers/{scsi,md,ata,nvme,block}, mm/page_io.c
    "blk_update_request: ", "print_req_error: ", "end_request: ", "__blk_", "Buffer I/O error", "I/O error, dev ",
    "critical ", "recoverable transport error", "timeout error, dev ", "operation not supported error", "reservation conflict error",
    "protection error, dev ", "device offline error", "kernel resource error", "device resource error", "nonblocking retry error",
    "lost page write", "Received an indication", "device-mapper: ", "dm-", "md: ", "md/", "bcache: ", "drbd", "nbd: ", "rbd: ", "nvme",
    "scsi", "SCSI", "sd ", "ata", "ahci", "swap", "Read-error on swap-device", "Write-error on swap-device", "zram: ", "zswap: ",
    "get_swap_device", "kvdo", "vdo", "Emcp", "Error:Mpx:", "Warning:Mpx:", "LUN", "multipath", "iscsi: ", "target_core", "tcmu", "rport-", "connection",
    "ABORT_TASK", "TARGET_CORE",
    // fs
    "EXT4-fs ", "EXT3-fs ", "EXT2-fs ", "JBD2", "Aborting journal", "XFS (", "XFS: ", "CPU ", "BTRFS error", "BTRFS critical", "BTRFS warning",
    "BTRFS (", "BTRFS: error", "writeback error on ", "F2FS-fs", "GFS2: ", "OCFS2: ", "ocfs2: ", "(", "JFS: ", "NILFS", "FAT-fs ", "VFS: ",
    "SPL: ", "ZFS: ", "zio pool=", "LustreError", "Lustre: ", "beegfs", "mmfs", "[Oracle O", "ADVM", "OKS", "nfs: server ",
    "nfs4: ", "NFS: nfs4_", "NFS: state manager", "NFS: v4 server", "NFS: Server", "NFSv4: ", "rpcrdma: ", "RPC: ", "rpc: ", "xprt",
    "nfsd: last server", "NFSD: ", "lockd: server ", "CIFS: VFS: ", "ceph: ", "dlm: ", "o2net: ", "o2hb: ", "o2cb: ",
    "o2quo", "o2dlm", "slow request", "INFO: ",
    // kernel, mm, arch
    "rcu: ", "rcu_sched", "NMI", "Watchdog detected", "BUG: ", "kernel BUG at", "Kernel panic", "Oops: ", "Unable to handle",
    "general protection fault, probably for", "general protection fault: ", "Fixing recursive fault", "WARNING: ", "sched: ", "workqueue: ", "clocksource: ", "Clocksource ", "tsc: ", "TSC ",
    "timekeeping", "hrtimer: interrupt", "perf: interrupt", "hung_task: ", "oom_kill", "Memory failure: ", "MCE ", "mce: ", "[Hardware Error]", "{", "EDAC", "GHES: ", "ghes", "ERST", "HEST", "DIMM",
    "Core temperature", "Package temperature", "thermal", "AER: ", "DMAR: ", "dmar: ", "AMD-Vi: ", "iommu", "IOMMU", "SError", "ACPI",
    "pci", "PCI", "irq", "do_IRQ", "Uhhuh", "Dazed", "page:", "audit: audit_", "audit: type=1400 audit(", "audit_", "systemd-oomd", "hv_", "vmbus", "xen",
    "Xen", "grant", "Out of memory", "vmw_", "balloon", "virtio", "softdog", "watchdog", "iTCO", "hpwdt", "ipmi", "IPMI", "soft ", "hard ",
    "hugetlb", "HugeTLB", "numa", "SLUB: ", "SLAB: ", "power_supply ",
    // net, drivers/{net,infiniband}
    "NETDEV WATCHDOG", "nf_conntrack", "ip_conntrack", "neighbour: ", "neighbor: ", "Neighbour", "net_ratelimit", "bond", "team", "br_", "TCP: ", "UDP: ", "IPv4: ",
    "IPv6: ", "ICMP", "arp_cache", "dst cache overflow", "IPVS: ", "openvswitch", "vxlan", "rds", "RDS", "ib_", "rdma", "infiniband", "iw_", "e1000", "igb", "igc", "ixgb",
    "i40e", "iavf", "ice", "idpf", "tg3", "bnx", "be2", "mlx", "qed", "qeth", "ql", "sfc", "enic", "cxgb", "hns", "hinic",
    "atlantic", "nfp", "ionic", "octeontx", "r8", "xgbe", "amd-xgbe", "alx", "sky2", "skge", "forcedeth", "stmmac", "netxen", "vmxnet",
    "ena", "gve", "mana", "ibmv", "mp", "mega", "aac", "hpsa", "cciss", "smartpqi", "arcmsr", "pm80xx", "mv", "3w", "lpfc", "bfa",
    "fnic", "lib", "zfcp", "csio", "fcoe", "efct", "storvsc", "blkfront", "sas", "ses", "hisi",
];

/// Behind these stands a path of control groups, which has any words, and nothing of the kernel's.
const UP_TO_A_PATH: &[&str] = &["oom-kill:constraint=", "cgroup: fork rejected by pids controller in "];

/// What follows where a name of a program ends that has no number behind it (`mm/oom_kill.c`, `mm/page_alloc.c`, fs/xfs/kmem.c,
/// block/blk-core.c, `block/scsi_ioctl.c`, `crypto/af_alg.c`, net/socket.c, kernel/time/itimer.c).
const BEHIND_A_NAME: &[&str] = &[
    " invoked oom-killer",
    ": page allocation ",
    ": vmalloc ",
    " possible memory allocation deadlock",
    ": attempt to access beyond end of device",
    " uses obsolete (PF_INET",
    " calls setitimer() with ",
    " sent an empty control message ",
    " is using a deprecated SCSI ioctl",
    " blocked for more than ",
    ": potentially unexpected fatal signal ",
];

/// Programs whose lines in the system log tell of storage, memory, time or the cluster: the name before `[PID]:` or `:`.
pub const SERVICES: &[&str] = &[
    "Server Administrator", "iscsid", "etcd", "ceph", "smartd", "mdadm", "zed", "mcelog", "rasdaemon",
    "patroni", "repmgrd", "corosync", "pacemaker", "sbd", "drbd", "systemd-oomd", "setroubleshoot",
    "keepalived",
];

/// `postgres[4711]: segfault at 8 ip ...` (arch/x86/mm/fault.c): the kernel wrote it, about a program. Crashes of other
/// programs are their owners' affair.
pub fn is_crash_of_database(line: &str) -> bool {
    let text = of_kernel(line).map_or(line, |(_, text)| text);
    // A program may say so, too.
    let Some((head, _)) = text.split_once("]: segfault at ").filter(|(head, _)| !head.contains(": ")) else {
        return false;
    };
    let name = head.rsplit_once('[').map(|(before, _)| before.rsplit([' ', ']']).next().unwrap_or(before));
    name.is_some_and(|name| {
        matches!(name, "postgres" | "postmaster" | "mysqld" | "mariadbd" | "oracle")
            || ["oracle_", "ora_", "asm_"].iter().any(|start| name.starts_with(start))
    })
}

/// Date and host of a line of the system log, and what the kernel says there: before its name stands no other writer's, whose
/// message may have any words (logger(1)).
pub fn of_kernel(line: &str) -> Option<(&str, &str)> {
    line.split_once(" kernel: ").filter(|(head, _)| !head.contains(": ") && !head.ends_with(':'))
}

/// What follows the name of this program, if it is who wrote the line: it stands first, or behind date and host.
pub fn written_by<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (head, rest) = line.split_once(name)?;
    (head.is_empty() || head.ends_with(' ') && !head.contains(": ")).then_some(rest)
}

/// The program that wrote a line without date and host, by the number that systemd's journal sets behind its name:
/// `smartd[77]: ...`. The kernel has none, and whoever calls himself `kernel` gets one (systemd.journal-fields(7)).
pub fn program_of(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('[')?;
    let (pid, _) = rest.split_once("]: ")?;
    let is_name = !name.is_empty() && !name.contains([' ', ':']);
    (is_name && !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

/// A line without the words that any user can have put into it: a name of a program, whatever the kernel has in quotes (`tmpfs: Unknown
/// parameter '...'`, `fs/fs_context.c`), and all that follows who speaks, unless that is a device or begins as in [`TELLS`].
pub fn kernels_own(line: &str) -> Cow<'_, str> {
    let own = of_kernel(line).map(|(_, text)| text);
    let text = own.unwrap_or(line.trim_start());
    let stamp = text.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let stamped = stamp.filter(|(stamp, _)| stamp.contains(['.', ':'])).map(|(_, text)| text);
    // iSCSI's lines begin with a blank (drivers/scsi/scsi_transport_iscsi.c).
    let text = stamped.unwrap_or(text).trim_start();
    let is_crash = |(head, _): (&str, &str)| head.ends_with(|c: char| c.is_ascii_digit());
    let head = &line[..line.len() - text.len()];
    if let Some(start) = UP_TO_A_PATH.iter().find(|start| text.starts_with(**start)) {
        return line[..head.len() + start.len()].into();
    }
    // The last one is the kernel's: the name before it may hold another.
    if let Some(behind) = BEHIND_A_NAME.iter().filter_map(|words| text.rfind(words)).max() {
        let (name, said) = text.split_at(behind);
        let start = if name.starts_with(HUNG) { HUNG.len() } else { 0 };
        return format!("{head}{}{}{said}", &name[..start], as_a_word(&name[start..])).into();
    }
    if text.split_once("]: segfault at ").is_some_and(is_crash) {
        return "".into();
    }
    let named = name_in(text).map(|name| name.start + head.len()..name.end + head.len());
    let line: Cow<'_, str> = match named {
        Some(name) => {
            format!("{}{}{}", &line[..name.start], as_a_word(&line[name.clone()]), &line[name.end..]).into()
        }
        None => line.into(),
    };
    let is_service = ["multipathd"].iter().chain(SERVICES).any(|name| text.starts_with(name));
    if own.is_none() && stamped.is_none() && (is_dated(text) || is_service) {
        return line;
    }
    if begins_with_a_program(text) || own.is_some() && is_numbered(text) {
        return "".into();
    }
    if begins_with_a_device(text) || TELLS.iter().any(|start| text.starts_with(start)) {
        return unquoted(&line).into_owned().into();
    }
    let speaker = text.split([' ', ':']).next().unwrap_or("");
    line[..head.len() + speaker.len()].to_owned().into()
}

/// A line of a log that dates its lines, and names their writer then.
pub fn is_dated(line: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    line.starts_with(|c: char| c.is_ascii_digit()) || MONTHS.iter().any(|month| line.starts_with(month))
}

/// How a line about a task that hangs begins (`kernel/hung_task.c`).
const HUNG: &str = "INFO: task ";

/// A name that a user chose, where it is one word: what is known of a line has several.
fn as_a_word(name: &str) -> &str {
    if name.contains(' ') { "?" } else { name }
}

/// Where a name of a program stands behind its number, or before it at the end: `Killed process 12 (x)`, `stuck for 22s! [x:12]`.
fn name_in(text: &str) -> Option<std::ops::Range<usize>> {
    let killed = || {
        let at = text.find("Out of memory: ").or_else(|| text.find("out of memory: "))?;
        let open = at + text[at..].find(" (")? + 2;
        Some(open..text.rfind(')')?)
    };
    let stuck = || {
        let (before, number) = text.strip_suffix(']')?.rsplit_once(':')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        Some(before.find("! [")? + 3..before.len()).filter(|_| is_number)
    };
    stuck().or_else(killed).filter(|name| name.start < name.end)
}

/// `sd 0:0:0:0: `, `nvme nvme0: `, `mlx5_core 0000:b1:00.0 ens2f0: `, `sda1: `: who speaks is a device, which has a number, and its
/// driver has no words but its own.
fn begins_with_a_device(text: &str) -> bool {
    /// Of driver, address and interface.
    const WORDS: usize = 3;
    /// What is plugged in says who it is.
    const PLUGGED: [&str; 3] = ["usb ", "hid", "input"];
    let is_numbered = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let is_driver = |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase());
    text.split_once(": ").is_some_and(|(speaker, _)| {
        let first = speaker.split(' ').next().unwrap_or("");
        is_numbered(speaker)
            && (is_driver(first) || is_numbered(first))
            && speaker.split(' ').count() <= WORDS
            && !PLUGGED.iter().any(|start| text.starts_with(start))
    })
}

/// A number stands behind a name, whatever is in it: `sd_journal_send` takes blanks and colons (systemd.journal-fields(7)), the kernel has
/// no number.
pub fn is_numbered(text: &str) -> bool {
    text.match_indices("]: ").any(|(end, _)| {
        let name = text[..end].trim_end_matches(|c: char| c.is_ascii_digit());
        name.len() < end && name.ends_with('[')
    })
}

/// `NAME[PID]`, `NAME (PID)` or `PID (NAME)`, also behind the name of a part of the kernel (`umip: `, `mmap: `) or `Process `
/// (fs/coredump.c): the user chose it (prctl(2), `PR_SET_NAME`: 15 bytes). Or `[ PID ]`, a row of the table of an
/// out-of-memory kill (`mm/oom_kill.c`), which ends with it. Not a service that wrote into the kernel's log.
fn begins_with_a_program(text: &str) -> bool {
    let is_part =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-/".contains(&byte));
    let behind = text.split_once(": ").filter(|(name, _)| is_part(name)).map(|(_, rest)| rest);
    let called = ["Process ", "Pid "].iter().find_map(|word| text.strip_prefix(word));
    [Some(text), behind, called].into_iter().flatten().any(is_program)
}

fn is_program(text: &str) -> bool {
    /// `TASK_COMM_LEN` without its zero, and a blank.
    const LONGEST: usize = 16;
    /// Drivers number adapters in parentheses (`scsi(4)`); a user's processes have larger numbers (kernel/pid.c, `RESERVED_PIDS`).
    const DIGITS: usize = 3;
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits(text);
    if numbered >= DIGITS && text[numbered..].trim_start().starts_with('(') {
        return true;
    }
    let mut opened = text.match_indices(['[', '(']).take_while(|(at, _)| *at <= LONGEST);
    opened.any(|(at, bracket)| {
        let inner = text[at + 1..].trim_start();
        let (pid, rest) = inner.split_at(digits(inner));
        let name = &text[..at];
        let is_service = rest.starts_with("]:") && (name == "multipathd" || SERVICES.contains(&name));
        let (end, least) = if bracket == "[" { (']', 1) } else { (')', DIGITS) };
        !is_service && pid.len() >= least && rest.starts_with(end)
    })
}

/// Without what stands in quotes, from the first one to the last: what is between may have some of its own.
fn unquoted(line: &str) -> Cow<'_, str> {
    let opens = |(at, c): &(usize, char)| {
        let before = line[..*at].chars().next_back();
        matches!(c, '\'' | '"' | '`') && before.is_none_or(|c| " (=:,".contains(c))
    };
    let Some((from, quote)) = line.char_indices().find(opens) else { return line.into() };
    let to = line.rfind(if quote == '"' { '"' } else { '\'' }).filter(|to| *to > from);
    format!("{}{}", &line[..from], to.map_or("", |to| &line[to + 1..])).into()
}

#[cfg(test)]
mod tests {
    use super::TELLS;

    #[test]
    fn no_beginning_has_another_in_it() {
        for start in TELLS {
            let within: Vec<&&str> = TELLS.iter().filter(|one| start.starts_with(**one)).collect();
            assert_eq!(within, [start], "the shorter one says it all");
        }
    }
}
