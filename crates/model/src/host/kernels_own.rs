//! What in a line of the kernel's log is the kernel's own: it repeats names that any user may have chosen.

use std::borrow::Cow;

/// What the kernel says of any user's programs, mounts and control groups, in words that the user chose (fs/overlayfs,
/// arch/x86/kernel/traps.c, fs/exec.c, kernel/cgroup/pids.c, lib/nlattr.c, kernel/capability.c, mm/memcontrol.c, `lib/dump_stack.c`,
/// fs/devpts, kernel/futex, net/sctp): behind these beginnings nothing is the kernel's own.
const OF_USERS: &[&str] = &[
    "overlayfs: ",
    "devpts: called with bogus options: ",
    "Memory cgroup stats for ",
    "Tasks in ",
    "oom-kill:constraint=",
    "CPU: ",
    "traps: ",
    "process '",
    "warning: `",
    "x86/split lock detection: ",
    "cgroup: fork rejected by pids controller in ",
    "cgroup: ",
    "proc: ",
    "netlink: ",
    "capability: warning: ",
    "futex_wake_op: ",
    "sctp: [Deprecated]: ",
];

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

/// A line without the words that any user can have put into it: a name of a program, of a mount, of a control group, and whatever
/// the kernel has in quotes (`tmpfs: Unknown parameter '...'`, `fs/fs_context.c`).
pub fn kernels_own(line: &str) -> Cow<'_, str> {
    let own = of_kernel(line).map(|(_, text)| text);
    let text = own.unwrap_or(line.trim_start());
    let stamp = text.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let stamped = stamp.filter(|(stamp, _)| stamp.contains(['.', ':'])).map(|(_, text)| text);
    let text = stamped.unwrap_or(text);
    let is_crash = |(head, _): (&str, &str)| head.ends_with(|c: char| c.is_ascii_digit());
    let head = &line[..line.len() - text.len()];
    if let Some(start) = OF_USERS.iter().find(|start| text.starts_with(**start)) {
        return line[..head.len() + start.len()].into();
    }
    // The last one is the kernel's: the name before it may hold another.
    if let Some(behind) = BEHIND_A_NAME.iter().filter_map(|words| text.rfind(words)).max() {
        return format!("{head}{}", &text[behind..]).into();
    }
    if text.split_once("]: segfault at ").is_some_and(is_crash) {
        return "".into();
    }
    if own.is_none() && stamped.is_none() {
        return line.into();
    }
    if begins_with_a_program(text) { "".into() } else { unquoted(line) }
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
