//! Processes as a captured `ps` lists them (a sosreport holds no `/proc/PID`).

use super::process::ProcessStat;
use crate::Root;
use crate::root::malformed;
use fullwire_model::Gap;

/// Where sosreport keeps its listings, the fullest first.
const DIRECTORY: &str = "/sos_commands/process";

/// Processes that are taken from a listing.
const MAX_PROCESSES: usize = 65_536;

pub(super) fn captured(root: &Root, gaps: &mut Vec<Gap>) -> Vec<ProcessStat> {
    let mut names: Vec<String> = root.list(DIRECTORY);
    names.retain(|name| ["ps_alx", "ps_aux", "ps_axo"].iter().any(|prefix| name.starts_with(prefix)));
    let mut best: Vec<ProcessStat> = Vec::new();
    for name in names {
        let path = format!("{DIRECTORY}/{name}");
        let Some(text) = root.read_optional(&path, gaps) else { continue };
        let processes = parse(&path, &text, gaps);
        if processes.len() > best.len() {
            best = processes;
        }
    }
    best
}

/// A listing, by the names in its header; the command is the last column and may hold blanks.
fn parse(path: &str, text: &str, gaps: &mut Vec<Gap>) -> Vec<ProcessStat> {
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> =
        lines.next().map(|(_, line)| line.split_whitespace().collect()).unwrap_or_default();
    let at = |names: &[&str]| header.iter().position(|column| names.contains(column));
    let (Some(pid), Some(command)) = (at(&["PID"]), at(&["COMMAND", "CMD"])) else {
        gaps.push(malformed(path, 1, "the header has no PID and COMMAND"));
        return Vec::new();
    };
    let (parent, uid, rss, state, time) =
        (at(&["PPID"]), at(&["UID"]), at(&["RSS"]), at(&["STAT", "S"]), at(&["TIME"]));
    let mut processes = Vec::new();
    for (index, line) in lines.take(MAX_PROCESSES) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let word = |column: Option<usize>| column.and_then(|column| words.get(column).copied());
        let Some(pid) = word(Some(pid)).and_then(|word| word.parse::<u32>().ok()) else {
            if word(Some(pid)) != Some("-") && !line.trim().is_empty() {
                gaps.push(malformed(path, index + 1, "the PID is no number"));
            }
            continue; // "-" marks a thread's line
        };
        let Some(arguments) = words.get(command..).filter(|words| !words.is_empty()) else {
            gaps.push(malformed(path, index + 1, "no command"));
            continue;
        };
        processes.push(ProcessStat {
            pid,
            parent_pid: word(parent).and_then(|word| word.parse().ok()).unwrap_or(0),
            name: name_of(arguments),
            state: word(state).and_then(|word| word.chars().next()).unwrap_or('?'),
            threads: 1,
            user_ns: word(time).and_then(cpu_time_ns).unwrap_or(0),
            rss_bytes: word(rss).and_then(|word| word.parse::<u64>().ok()).unwrap_or(0).saturating_mul(1024),
            uid: word(uid).and_then(|word| word.parse().ok()),
            command_line: arguments.join(" "),
            ..ProcessStat::default()
        });
    }
    processes
}

/// The command name as the kernel would keep it: the program's last path part, or the bracketed kernel thread.
fn name_of(arguments: &[&str]) -> String {
    let first = arguments.first().copied().unwrap_or("");
    let bare = first.trim_start_matches('[').trim_end_matches(']').trim_end_matches(':');
    bare.rsplit('/').next().unwrap_or(bare).chars().take(15).collect()
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
    use proptest::prelude::*;

    const TEXT: &str = "F   UID     PID    PPID PRI  NI    VSZ   RSS WCHAN  STAT TTY        TIME COMMAND\n\
                        4     0       1       0  20   0 225712  9520 -      Ss   ?        151:16 /lib/systemd/systemd --system\n\
                        1     0       2       0  20   0      0     0 -      S    ?          0:13 [kthreadd]\n\
                        4   112    4242       1  20   0 999999 40960 -      Ssl  ?        1-02:00:01 /usr/sbin/mysqld --daemonize\n";

    #[test]
    fn reads_a_listing_by_its_header() {
        let mut gaps = Vec::new();
        let processes = parse("ps", TEXT, &mut gaps);
        assert_eq!(gaps, []);
        assert_eq!(processes[0].cpu_ns(), (151 * 60 + 16) * 1_000_000_000);
        assert_eq!(processes[1].name, "kthreadd");
        assert_eq!(
            (processes[2].name.as_str(), processes[2].uid, processes[2].parent_pid),
            ("mysqld", Some(112), 1)
        );
        assert_eq!(processes[2].cpu_ns(), 93_601_000_000_000);
    }

    proptest! {
        #[test]
        fn mangled_listings_never_panic(cut in 0..TEXT.len(), noise in "(?s).{0,80}") {
            let mangled: String = TEXT.chars().take(cut).chain(noise.chars()).collect();
            let mut gaps = Vec::new();
            parse("/ps", &mangled, &mut gaps);
            prop_assert!(gaps.iter().all(|gap| gap.detail.starts_with("/ps:")));
        }
    }
}
