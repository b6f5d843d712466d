//! Processes: one cheap pass over all of them, details for the few that matter to the I/O path.

use super::process_stat::{ProcessStat, parse_stat};
use super::{ps, stat};
use crate::kept::command_line;
use crate::root::gap_of;
use crate::{Root, text};
use fullwire_model::host::{Database, Limits, Process, Runtime};
use fullwire_model::{Gap, GapReason};

/// Processes beyond this are not looked at.
const MAX_PROCESSES: usize = 65_536;

/// This many of the busiest are listed, and of the largest.
const TOP: usize = 10;

/// Daemons that the I/O path leans on, by the first 15 bytes of their names (all that the kernel keeps).
const DAEMONS: [&str; 44] = [
    "ext4lazyinit", "multipathd", "iscsid", "chronyd", "ntpd", "systemd-timesyn", "systemd-logind", "ptp4l",
    "phc2sys", "irqbalance", "tuned", "teamd", "rpc.gssd", "rpc.statd", "rpcbind", "nfsd", "NetworkManager",
    "systemd-network", "wickedd", "firewalld", "ksmd", "kswapd0", "numad", "crond", "ocssd.bin", "crsd.bin",
    "ohasd.bin", "cssdagent", "gipcd.bin", "OSWatcher", "sadc", "falcon-sensor", "clamd", "ds_agent",
    "ds_am", "mfetpd", "isectpd", "wdavdaemon", "clamonacc", "savscand", "av-scanner", "kesl", "bdsecd",
    "s1-agent",
];

/// Oracle's processes whose priority matters, by the beginnings of their names.
const PRIORITISED: [&str; 3] = ["ora_lms", "ora_vktm", "ora_lgwr"];

/// All processes; from a captured `ps` where there is no `/proc`.
pub(super) fn all(root: &Root, gaps: &mut Vec<Gap>) -> Vec<ProcessStat> {
    let (tick_ns, page_bytes) = (stat::tick_ns(root), super::os::page_bytes(root, &mut Vec::new()));
    let pids = root.list_expected("/proc", gaps).into_iter().filter(|name| name.parse::<u32>().is_ok());
    let mut processes: Vec<ProcessStat> = Vec::new();
    for pid in pids.take(MAX_PROCESSES) {
        let path = format!("/proc/{pid}/stat");
        let Some(line) = root.attribute(&path) else { continue }; // it ended meanwhile
        match parse_stat(&line, tick_ns, page_bytes) {
            Some(process) => processes.push(process),
            None => gaps.push(crate::root::malformed(&path, 1, "not the stat line of a process")),
        }
    }
    if processes.is_empty() && !root.is_live() {
        processes = ps::captured(root, gaps);
    }
    if processes.is_empty() {
        gaps.push(Gap::new(
            "/proc/PID",
            GapReason::Absent,
            "no processes found: neither /proc/PID nor a captured ps",
        ));
    }
    processes
}

/// The processes that go into the record: daemons, databases' own, the busiest and the largest.
pub(super) fn chosen(root: &Root, all: &[ProcessStat], databases: &[Database]) -> Vec<Process> {
    let mut pids: Vec<u32> = all
        .iter()
        .filter(|process| {
            DAEMONS.contains(&process.name.as_str())
                || PRIORITISED.iter().any(|start| process.name.starts_with(start))
        })
        .map(|process| process.pid)
        .chain(databases.iter().map(|database| database.pid))
        .collect();
    let mut top = |key: fn(&ProcessStat) -> u64| {
        let mut order: Vec<&ProcessStat> = all.iter().filter(|process| key(process) > 0).collect();
        order.sort_by_key(|process| std::cmp::Reverse(key(process)));
        pids.extend(order.iter().take(TOP).map(|process| process.pid));
    };
    top(ProcessStat::cpu_ns);
    top(|process| process.rss_bytes);
    pids.sort_unstable();
    pids.dedup();
    all.iter()
        .filter(|process| pids.binary_search(&process.pid).is_ok())
        .map(|process| details(root, process))
        .collect()
}

fn details(root: &Root, process: &ProcessStat) -> Process {
    Process {
        pid: process.pid,
        parent_pid: process.parent_pid,
        name: process.name.clone(),
        command_line: command_line::shown(&arguments(root, process)),
        uid: uid(root, process),
        state: process.state.to_string(),
        threads: process.threads,
        cpu_ns: process.cpu_ns(),
        rss_bytes: process.rss_bytes,
        limits: limits(root, process.pid).ok(),
        scheduling: process.scheduling().to_owned(),
    }
}

/// Of a process's arguments those that are kept; empty for a kernel thread.
pub(super) fn arguments(root: &Root, process: &ProcessStat) -> Vec<String> {
    if !process.command_line.is_empty() {
        let words: Vec<String> = process.command_line.split(' ').map(str::to_owned).collect();
        return command_line::kept(&words);
    }
    let path = format!("/proc/{}/cmdline", process.pid);
    let kept = root.read_settings(&path, 16 << 10, None, command_line::kept_of_file);
    command_line::words(&kept.unwrap_or_default())
}

/// Its effective owner.
pub(super) fn uid(root: &Root, process: &ProcessStat) -> Option<u32> {
    let status = || root.attribute(&format!("/proc/{}/status", process.pid));
    process.uid.or_else(|| text::field(&status()?, "Uid")?.split_whitespace().nth(1)?.parse().ok())
}

/// Its root is not ours: its paths name the files of its container. Where only the host itself could tell, by its numbers (`NSpid`
/// of proc(5) has one for each level of process namespaces below ours) and by who made its control group.
pub(crate) fn is_elsewhere(root: &Root, pid: u32) -> bool {
    root.has_other_root(pid).unwrap_or_else(|| {
        let status = root.attribute(&format!("/proc/{pid}/status")).unwrap_or_default();
        let levels = text::field(&status, "NSpid").map_or(1, |numbers| numbers.split_whitespace().count());
        let group = super::cgroup::path_of(root, &pid.to_string()).unwrap_or_default();
        levels > 1 || Runtime::of_group(&group).is_some()
    })
}

/// Who answers for what a process says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    /// This user: all of the process's ids are this one, and its program lends nobody root's.
    User(u32),
    /// The status cannot be read.
    Unknown,
    /// Nobody: a set-uid program has its owner's rights and its caller's words.
    Nobody,
}

/// The one user who has started a process, by all four ids of `Uid:` (proc(5)) and the mode of its program. That of Oracle
/// is set-uid to its own user, who starts the instance: only a program that is set-uid to root can have become root since.
pub(super) fn answers(root: &Root, process: &ProcessStat) -> Answers {
    let status = root.attribute(&format!("/proc/{}/status", process.pid));
    let program = format!("/proc/{}/exe", process.pid);
    let lent = root.uid_of(&program, None) == Some(0)
        && root.mode_of(&program, None).is_some_and(|mode| mode & SET_UID != 0);
    let ids = status.as_deref().and_then(|status| text::field(status, "Uid"));
    match (lent, ids, process.uid) {
        (true, ..) => Answers::Nobody,
        (false, Some(ids), _) => one_id(ids),
        (false, None, Some(uid)) => Answers::User(uid),
        (false, None, None) => Answers::Unknown,
    }
}

/// `S_ISUID`.
const SET_UID: u32 = 0o4000;

/// `0  0  0  0`: real, effective, saved, file system.
fn one_id(ids: &str) -> Answers {
    let mut ids = ids.split_whitespace().map(|word| word.parse::<u32>().ok());
    match ids.next().flatten() {
        Some(real) if ids.all(|id| id == Some(real)) => Answers::User(real),
        Some(_) => Answers::Nobody,
        None => Answers::Unknown,
    }
}

/// Its resource limits, or why they are not known.
pub(super) fn limits(root: &Root, pid: u32) -> Result<Limits, Gap> {
    let path = format!("/proc/{pid}/limits");
    let (text, _) = root.try_read(&path, 1 << 14).map_err(|error| gap_of(&path, &error))?;
    parse_limits(&text)
        .ok_or_else(|| Gap::new(&path, GapReason::Malformed, format!("{path}:1: not a table of limits")))
}

/// `Max locked memory         65536                65536                bytes`.
fn parse_limits(text: &str) -> Option<Limits> {
    let both = |name: &str| -> Option<[u64; 2]> {
        let mut words = text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace();
        let mut number = || match words.next()? {
            "unlimited" => Some(u64::MAX),
            word => word.parse().ok(),
        };
        Some([number()?, number()?])
    };
    let [memlock_soft_bytes, memlock_hard_bytes] = both("Max locked memory")?;
    let [nofile_soft, nofile_hard] = both("Max open files")?;
    let [nproc_soft, nproc_hard] = both("Max processes")?;
    Some(Limits { memlock_soft_bytes, memlock_hard_bytes, nofile_soft, nofile_hard, nproc_soft, nproc_hard })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "4242 (ora (lg) wr) D 1 4242 4242 0 -1 4194560 1 2 3 4 250 150 0 0 20 0 7 0 5000 999 321 18446744073709551615 1 1 0";

    #[test]
    fn a_name_may_hold_anything() {
        let process = parse_stat(LINE, 10_000_000, 4096).expect("a good line");
        assert_eq!((process.pid, process.parent_pid, process.name.as_str()), (4242, 1, "ora (lg) wr"));
        assert_eq!((process.state, process.threads), ('D', 7));
        assert_eq!((process.cpu_ns(), process.started_ns), (4_000_000_000, 50_000_000_000));
        assert_eq!(process.rss_bytes, 321 * 4096);
    }

    #[test]
    fn the_scheduling_policy_is_field_41() {
        // Fields 29 to 41 of proc(5): the last two are the real-time priority and the policy.
        let line = format!("{LINE} 0 0 0 0 0 0 0 0 0 17 3 99 2");
        let process = parse_stat(&line, 10_000_000, 4096).expect("a good line");
        assert_eq!(process.scheduling(), "rr");
        assert_eq!(parse_stat(LINE, 10_000_000, 4096).expect("a good line").scheduling(), "");
    }

    #[test]
    fn a_process_with_several_ids_answers_for_nothing() {
        assert_eq!(one_id("1000\t1000\t1000\t1000"), Answers::User(1000));
        assert_eq!(one_id("0\t0\t0\t0"), Answers::User(0));
        for ids in ["1000\t0\t0\t0", "0\t1000\t0\t1000", "1000\t1000\t0\t1000", "1000\tx\t1000\t1000"] {
            assert_eq!(one_id(ids), Answers::Nobody, "{ids}");
        }
        assert_eq!(one_id(""), Answers::Unknown);
    }

    /// Like su and sudo, which set all their ids to root's: by its ids alone the process would be root's.
    #[test]
    fn a_set_uid_program_that_became_root_altogether_answers_for_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let tree = tempfile::tempdir().expect("a place");
        let proc = tree.path().join("proc/4242");
        std::fs::create_dir_all(&proc).expect("made");
        std::fs::write(proc.join("status"), "Name:\tsu\nUid:\t0\t0\t0\t0\n").expect("written");
        let program = proc.join("exe");
        std::fs::write(&program, "").expect("written");
        if std::os::unix::fs::chown(&program, Some(0), Some(0)).is_err() {
            return crate::skips::skipped("needs root, whose the program is");
        }
        let process = parse_stat(LINE, 10_000_000, 4096).expect("a good line");
        for (mode, expected) in [(0o755, Answers::User(0)), (0o4755, Answers::Nobody)] {
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(mode)).expect("changed");
            let root = Root::live_below(tree.path()).expect("opened");
            assert_eq!(answers(&root, &process), expected, "{mode:o}");
        }
    }

    #[test]
    fn reads_limits() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max processes             4096                 16384                processes \n\
                    Max open files            1024                 65536                files     \n\
                    Max locked memory         8388608              unlimited            bytes     \n";
        let limits = parse_limits(text).expect("a good table");
        assert_eq!((limits.memlock_soft_bytes, limits.memlock_hard_bytes), (8_388_608, u64::MAX));
        assert_eq!((limits.nofile_hard, limits.nproc_soft), (65_536, 4096));
        assert_eq!(parse_limits("Max processes many few\n"), None);
    }

    proptest! {
        #[test]
        fn mangled_lines_never_panic(cut in 0..LINE.len(), noise in ".{0,60}") {
            let mangled: String = LINE.chars().take(cut).chain(noise.chars()).collect();
            if let Some(process) = parse_stat(&mangled, u64::MAX, u64::MAX) {
                prop_assert!(mangled.contains(&process.name));
            }
            let _ = parse_limits(&mangled);
        }
    }
}
