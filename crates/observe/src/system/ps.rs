//! Processes as a captured `ps` lists them (a sosreport holds no `/proc/PID`).

use super::ipc;
use super::process_stat::ProcessStat;
use crate::Root;
use crate::kept::command_line;
use crate::root::malformed;
use fullwire_model::Gap;
use std::collections::BTreeMap;

/// Where sosreport keeps its listings, the fullest first.
const DIRECTORY: &str = "/sos_commands/process";

/// Processes that are taken from a listing.
const MAX_PROCESSES: usize = 65_536;

pub(super) fn captured(root: &Root, gaps: &mut Vec<Gap>) -> Vec<ProcessStat> {
    let mut names: Vec<String> = root.list(DIRECTORY);
    names.retain(|name| ["ps_alx", "ps_aux", "ps_axo"].iter().any(|prefix| name.starts_with(prefix)));
    let mut best: Vec<ProcessStat> = Vec::new();
    let mut policies = BTreeMap::new();
    let owners = ipc::owners(root);
    for name in names {
        let path = format!("{DIRECTORY}/{name}");
        let Ok(text) = root.read_settings(&path, crate::MAX_READ_BYTES, None, kept) else { continue };
        if is_without_arguments(&text) {
            continue;
        }
        let processes = parse(&path, &text, &owners, gaps);
        policies.extend(processes.iter().filter_map(|process| Some((process.pid, process.policy?))));
        if processes.len() > best.len() {
            best = processes;
        }
    }
    // Only one of the listings tells it, and it need not be the fullest.
    for process in &mut best {
        process.policy = process.policy.or_else(|| policies.get(&process.pid).copied());
    }
    best
}

/// What follows the command in a listing (`ps axo ...,comm,cgroup`, sos 3.3 and later) is another column: the command
/// is the bare name of the program, which says nothing of a database's directory.
fn is_without_arguments(text: &str) -> bool {
    let columns = text.lines().next().and_then(Columns::of);
    columns.is_some_and(|columns| columns.command + 1 < columns.header.len())
}

/// The column `CLS` of ps(1), as the kernel's number (sched.h).
fn policy(class: &str) -> Option<u64> {
    let classes = [("TS", 0), ("FF", 1), ("RR", 2), ("B", 3), ("IDL", 5), ("DLN", 6)];
    classes.iter().find(|(name, _)| *name == class).map(|(_, number)| *number)
}

/// Where a listing has what, by the names in its header; the command is the last column and may hold blanks.
struct Columns {
    header: Vec<String>,
    pid: usize,
    command: usize,
}

impl Columns {
    fn of(header: &str) -> Option<Self> {
        let header: Vec<String> = header.split_whitespace().map(str::to_owned).collect();
        let at = |names: &[&str]| header.iter().position(|column| names.contains(&column.as_str()));
        let (pid, command) = (at(&["PID"])?, at(&["COMMAND", "CMD"])?);
        Some(Self { header, pid, command })
    }

    /// A line's words by column: the date of `lstart` (`Wed Feb 29 11:01:52 2012`) is one column of five words.
    fn words<'a>(&self, line: &'a str) -> Vec<&'a str> {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let dates = self.header.iter().enumerate().filter(|(_, column)| *column == "STARTED");
        for (at, _) in dates {
            if words.get(at).is_some_and(|word| is_weekday(word)) && words.len() > at + 5 {
                words.splice(at..at + 5, ["-"]);
            }
        }
        words
    }

    fn word<'a>(&self, words: &[&'a str], names: &[&str]) -> Option<&'a str> {
        let at = self.header.iter().position(|column| names.contains(&column.as_str()))?;
        words.get(at).copied()
    }
}

/// In the C locale, in which sosreport runs its commands.
fn is_weekday(word: &str) -> bool {
    ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].contains(&word)
}

/// A listing with those arguments only that are kept of a command line.
fn kept(text: &str) -> String {
    let mut lines = text.lines();
    let Some(header) = lines.next() else { return String::new() };
    let Some(columns) = Columns::of(header) else { return format!("{header}\n") };
    let mut kept = format!("{header}\n");
    for line in lines {
        let words = columns.words(line);
        let (before, command) = words.split_at(columns.command.min(words.len()));
        let command: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        kept.push_str(&before.join(" "));
        for argument in command_line::kept(&command) {
            kept.push(' ');
            kept.push_str(&argument);
        }
        kept.push('\n');
    }
    kept
}

/// The processes of a listing.
fn parse(path: &str, text: &str, owners: &Owners, gaps: &mut Vec<Gap>) -> Vec<ProcessStat> {
    let mut lines = text.lines().enumerate();
    let Some(columns) = lines.next().and_then(|(_, header)| Columns::of(header)) else {
        gaps.push(malformed(path, 1, "the header has no PID and COMMAND"));
        return Vec::new();
    };
    let mut processes = Vec::new();
    for (index, line) in lines.take(MAX_PROCESSES) {
        let words = columns.words(line);
        let word = |names: &[&str]| columns.word(&words, names);
        let own = words.get(columns.pid).copied();
        let Some(pid) = own.and_then(|word| word.parse::<u32>().ok()) else {
            if own != Some("-") && !line.trim().is_empty() {
                gaps.push(malformed(path, index + 1, "the PID is not a number"));
            }
            continue; // "-" marks a thread's line
        };
        let Some(arguments) = words.get(columns.command..).filter(|words| !words.is_empty()) else {
            gaps.push(malformed(path, index + 1, "no command"));
            continue;
        };
        let number = |names: &[&str]| word(names).and_then(|word| word.parse::<u64>().ok());
        let small = |names: &[&str]| number(names).and_then(|number| u32::try_from(number).ok());
        processes.push(ProcessStat {
            pid,
            parent_pid: small(&["PPID"]).unwrap_or(0),
            name: name_of(arguments),
            state: word(&["STAT", "S"]).and_then(|word| word.chars().next()).unwrap_or('?'),
            threads: 1,
            user_ns: word(&["TIME"]).and_then(cpu_time_ns).unwrap_or(0),
            rss_bytes: number(&["RSS"]).unwrap_or(0).saturating_mul(1024),
            uid: small(&["UID", "USER"]).or_else(|| owner(owners, word(&["UID", "USER"])?)),
            policy: word(&["CLS"]).and_then(policy),
            command_line: arguments.join(" "),
            ..ProcessStat::default()
        });
    }
    processes
}

/// User ids by the names of users.
type Owners = BTreeMap<String, u32>;

/// The user id of a name, which ps(1) may have cut (`oracle1+`).
fn owner(owners: &Owners, name: &str) -> Option<u32> {
    let Some(start) = name.strip_suffix('+') else { return owners.get(name).copied() };
    let mut likely = owners.iter().filter(|(owner, _)| owner.starts_with(start));
    let (_, uid) = likely.next()?;
    likely.next().is_none().then_some(*uid)
}

/// The command name as the kernel would keep it: the last part of the path of the program or script, or the bracketed kernel
/// thread.
fn name_of(arguments: &[&str]) -> String {
    let first = arguments.first().copied().unwrap_or("");
    let bare = first.trim_start_matches('[').trim_end_matches(']').trim_end_matches(':');
    let last_part = |path: &str| path.rsplit('/').next().unwrap_or("").chars().take(15).collect::<String>();
    let name = last_part(bare);
    let interpreted = ["python", "perl", "ruby"].iter().any(|start| name.starts_with(start));
    // A script that names its interpreter itself has its own name.
    let script = arguments.get(1).filter(|script| interpreted && script.starts_with('/'));
    script.map_or(name, |script| last_part(script))
}

/// `[DD-]HH:MM:SS`, `MMM:SS`.
fn cpu_time_ns(text: &str) -> Option<u64> {
    let (days, clock) =
        text.split_once('-').map_or((Some(0_u64), text), |(days, clock)| (days.parse().ok(), clock));
    let seconds =
        clock.split(':').try_fold(0_u64, |sum, part| sum.checked_mul(60)?.checked_add(part.parse().ok()?))?;
    days?.checked_mul(86_400)?.checked_add(seconds)?.checked_mul(1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{rooted, written};
    use proptest::prelude::*;

    const TEXT: &str = "F   UID     PID    PPID PRI  NI    VSZ   RSS WCHAN  STAT TTY        TIME COMMAND\n\
                        4     0       1       0  20   0 225712  9520 -      Ss   ?        151:16 /lib/systemd/systemd --system\n\
                        1     0       2       0  20   0      0     0 -      S    ?          0:13 [kthreadd]\n\
                        4   112    4242       1  20   0 999999 40960 -      Ssl  ?        1-02:00:01 /usr/sbin/mysqld --daemonize\n";

    #[test]
    fn reads_a_listing_by_its_header() {
        let mut gaps = Vec::new();
        let processes = parse("ps", TEXT, &Owners::new(), &mut gaps);
        assert_eq!(gaps, []);
        assert_eq!(processes[0].cpu_ns(), (151 * 60 + 16) * 1_000_000_000);
        assert_eq!(processes[1].name, "kthreadd");
        assert_eq!(
            (processes[2].name.as_str(), processes[2].uid, processes[2].parent_pid),
            ("mysqld", Some(112), 1)
        );
        assert_eq!(processes[2].cpu_ns(), 93_601_000_000_000);
    }

    /// A supportconfig lists names of users alone; who they are the tables of System V IPC tell.
    #[test]
    fn users_are_known_by_what_they_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |path: &str, text: &str| written(folder.path(), path, text);
        file(
            "sos_commands/process/ps_axo",
            "USER       PID  PPID %CPU %MEM    VSZ   RSS STAT     TIME CMD\n\
             prdadm    8000     1  0.1  0.0 400000 20000 Ss   00:12:31 sapstartsrv pf=PRD_D00\n\
             oraprd+  20002     1  0.4  0.0 135417 60000 Ss   00:12:31 ora_pmon_PRD\n\
             1010     20003     1  0.4  0.0 135417 60000 Ss   00:12:31 ora_dbw0_PRD\n\
             polkitd    900     1  0.0  0.0 400000 20000 Ss   00:00:31 polkitd\n",
        );
        file(
            "proc/sysvipc/shm",
            "       key      shmid perms        size  cpid  lpid nattch   uid   gid  cuid  cgid\n\
             \x20        0          2  640  137438953472 20002 20002    200  1010  1001  1010  1001\n\
             \x20    10057          4  640    8589934592  8010  8010     42  1011  1001  1011  1001\n",
        );
        file(
            "sos_commands/sysvipc/ipcs",
            "------ Message Queues --------\n\
             key        msqid      owner      perms      used-bytes   messages\n\
             0x00000000 2          nobody     640        0            0\n\n\
             ------ Shared Memory Segments --------\n\
             key        shmid      owner      perms      bytes      nattch     status\n\
             0x00000000 2          oraprd1    640        137438953472 200\n\
             0x00002749 4          prdadm     640        8589934592 42\n",
        );
        let processes = captured(&Root::tree(folder.path()).expect("a tree"), &mut Vec::new());
        let uids: Vec<Option<u32>> = processes.iter().map(|process| process.uid).collect();
        assert_eq!(uids, [Some(1011), Some(1010), Some(1010), None]);
    }

    #[test]
    fn the_scheduling_policy_comes_from_the_listing_that_has_it() {
        let full = "  PID  PPID   RSS STAT     TIME COMMAND\n    1     0     9 Ss   00:00:01 init\n\
                    40     1  9000 Ss   00:10:00 ora_lms0_P1\n   41     1  9000 Ss   00:10:00 ora_lms1_P1\n";
        let classes =
            "  PID CLS     TIME CMD\n   40 RR  00:10:00 ora_lms0_P1\n   41  TS 00:10:00 ora_lms1_P1\n";
        let (_folder, root) = rooted(&[
            ("sos_commands/process/ps_alxwww", full),
            ("sos_commands/process/ps_axo_pid_cls", classes),
        ]);
        let processes = captured(&root, &mut Vec::new());
        let policies: Vec<&str> = processes.iter().map(ProcessStat::scheduling).collect();
        assert_eq!(policies, ["", "rr", "other"]);
    }

    /// As `ps` of a report by sos 4.12 on Debian 12: the listing of control groups has one line more than the others.
    #[test]
    fn a_listing_whose_command_is_not_last_gives_no_processes() {
        let full = "F   UID   PID  PPID PRI  NI    VSZ   RSS WCHAN  STAT TTY  TIME COMMAND\n\
                    4   101  4242     1  20   0 217256 30236 poll_s Ss   ?    0:00 /usr/lib/postgresql/15/bin/postgres -D /pg/main\n";
        let groups = "  PID  PPID USER     GROUP      LWP NLWP START COMMAND         CGROUP\n\
                      4242     1 postgres postgres  4242    1 20:19 postgres        4:memory:/db\n\
                      4250  4242 postgres postgres  4250    1 20:19 postgres        4:memory:/db\n";
        let (_folder, root) = rooted(&[
            ("sos_commands/process/ps_alxwww", full),
            ("sos_commands/process/ps_axo_pid_ppid_user_group_lwp_nlwp_start_time_comm_cgroup", groups),
        ]);
        let processes = captured(&root, &mut Vec::new());
        let lines: Vec<&str> = processes.iter().map(|process| process.command_line.as_str()).collect();
        assert_eq!(lines, ["/usr/lib/postgresql/15/bin/postgres -D /pg/main"]);
    }

    /// sosreport's `ps axo …,lstart,…`: the date is one column of five words, with blanks for a day of one digit.
    #[test]
    fn reads_a_listing_with_dates() {
        let text = "F S   UID     PID    PPID    PGID     SID CLS PRI ADDR SZ WCHAN                                 STARTED TT           TIME CMD\n\
                    4 S     0       1       0       1       1  TS  19 - 43796 ep_poll             Thu Feb  9 11:01:52 2023 ?        00:00:38 /sbin/init --x hunter2\n\
                    0 S 54321    4242       1    4242    4242  TS  19 - 99999 -                   Wed Mar 15 01:02:03 2023 ?        1-00:00:01 ora_pmon_PROD1\n\
                    4 S    27    4300       1    4300    4300  TS  19 - 99999 -                   Wed Mar 15 01:02:03 2023 ?        00:01:00 /usr/sbin/mysqld --port=3307 --x=hunter2\n";
        let listing = kept(text);
        assert!(!listing.contains("hunter2"), "{listing}");
        assert_eq!(kept(&listing), listing, "read again from a capture it is the same");
        let mut gaps = Vec::new();
        let processes = parse("ps", &listing, &Owners::new(), &mut gaps);
        assert_eq!(gaps, []);
        let seen: Vec<(&str, Option<u32>, u64)> = processes
            .iter()
            .map(|process| (process.name.as_str(), process.uid, process.cpu_ns() / 1_000_000_000))
            .collect();
        assert_eq!(
            seen,
            [("init", Some(0), 38), ("ora_pmon_PROD1", Some(54321), 86_401), ("mysqld", Some(27), 60)]
        );
        assert_eq!(processes[2].command_line, "/usr/sbin/mysqld --port=3307");
    }

    proptest! {
        #[test]
        fn mangled_listings_never_panic(cut in 0..TEXT.len(), noise in "(?s).{0,80}") {
            let mangled: String = TEXT.chars().take(cut).chain(noise.chars()).collect();
            let mut gaps = Vec::new();
            parse("/ps", &mangled, &Owners::new(), &mut gaps);
            prop_assert!(gaps.iter().all(|gap| gap.detail.starts_with("/ps:")));
        }
    }
}
