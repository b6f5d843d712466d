//! Lines of the kernel's log that tell of trouble on the I/O path.
//!
//! Live they come from `/dev/kmsg` (root, or anyone where `kernel.dmesg_restrict` is 0), in a captured tree
//! from `dmesg` or the system log. Only lines that match are kept; alike ones are counted.

mod clock;
mod namespace;
mod patterns;

use crate::root::gap_of;
use crate::{Root, secrets};
use clock::Clock;
use fullwire_model::host::LogLine;
use fullwire_model::host::kernels_own::of_kernel;
use fullwire_model::host::stack::{Stack, frame_of, hung_task};
use fullwire_model::host::trouble::Known;
use fullwire_model::{Gap, GapReason};
use patterns::{BACK, MOUNTED, TROUBLE, pattern_of};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
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
    "/sos_commands/logs/journalctl_--no-pager_--boot",
    "/sos_commands/logs/journalctl_--no-pager_--catalog_--boot",
];

/// Limits of one reading: records, time, lines that are distinguished, and of those the newest that are kept.
const RECORDS_LIMIT: usize = 100_000;
const TIME_LIMIT: Duration = Duration::from_millis(200);
const KINDS_LIMIT: usize = 10_000;
const LINES_LIMIT: usize = 200;
/// Of them, those that are known by words of trouble alone.
const TROUBLE_LIMIT: usize = 80;

/// Characters of a line that are kept.
const TEXT_LIMIT: usize = 400;

/// The largest record that the kernel hands out.
const RECORD_BYTES: usize = 8192;

/// Reads the log's lines that tell of trouble.
pub(crate) fn read_log(root: &Root, meaning: Known, gaps: &mut Vec<Gap>) -> Vec<LogLine> {
    let mut lines = of_all_namespaces(root, meaning, gaps);
    lines.retain(|line| {
        let foreign = namespace::is_foreign(root, &line.pattern, &line.text);
        if foreign {
            let detail =
                format!("the host's own counters know nothing of it, so it is another network namespace's or older than they are: {}", line.text);
            gaps.push(Gap::new("kernel log", GapReason::Skipped, detail));
        }
        !foreign
    });
    lines
}

fn of_all_namespaces(root: &Root, meaning: Known, gaps: &mut Vec<Gap>) -> Vec<LogLine> {
    match root.answer("kernel log", || live().map(|text| parse(&text, None, meaning))) {
        Ok(lines) => lines,
        Err(gap) if root.is_live() => {
            gaps.push(gap);
            Vec::new()
        }
        Err(gap) => {
            let text =
                |path| root.read_settings(path, crate::MAX_READ_BYTES, None, |text| kept(text, meaning)).ok();
            // An empty file is what dmesg leaves to users who may not read it.
            let found = CAPTURED.iter().copied().filter_map(text).find(|text| !text.is_empty());
            if found.is_none() {
                gaps.push(gap);
            }
            let clock = Clock::of(root);
            found.map(|text| parse(&text, clock, meaning)).unwrap_or_default()
        }
    }
}

/// Of a log, which holds anyone's messages, the lines that are read; an empty one for each other.
fn kept(text: &str, meaning: Known) -> String {
    text.lines()
        .map(|line| {
            let read = pattern_of(line, meaning).is_some() || frame_of(line).is_some();
            if read { format!("{line}\n") } else { "\n".to_owned() }
        })
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
    parse(text, None, Known::default())
}

/// The same, with the clock that dates lines which have the time of day alone.
fn parse(text: &str, clock: Option<Clock>, meaning: Known) -> Vec<LogLine> {
    let mut lines: Vec<LogLine> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut last: Vec<usize> = Vec::new();
    // File systems with errors, and whether these came since the last mount; servers that did not answer.
    let (mut erred, mut silent): (BTreeMap<&str, bool>, BTreeSet<Option<&str>>) = Default::default();
    // A hung task's stack follows its line: the functions say what it waits for.
    let mut stack: Option<Stack> = None;
    for (number, line) in text.lines().enumerate() {
        // The name of a function is no message.
        if let Some(frame) = frame_of(line) {
            if let Some(open) = &mut stack {
                open.push(frame);
            }
            continue;
        }
        let Some(pattern) = pattern_of(line, meaning) else { continue };
        if let Some(closed) = stack.take() {
            tell(&closed, &mut lines);
        }
        let (seconds, text) = split_stamp(line, clock);
        match pattern {
            "fs-error" => erred.extend(device_of(text).map(|device| (device, true))),
            "nfs-timeout" => _ = silent.insert(server_of(text)),
            BACK if !silent.contains(&server_of(text)) => continue,
            MOUNTED => {
                let Some((device, since)) = device_of(text).and_then(|of| Some((of, erred.get_mut(of)?)))
                else {
                    continue;
                };
                // What comes from now on is of this mount, not of the one before.
                if std::mem::take(since) {
                    known.retain(|_, index| device_of(&lines[*index].text) != Some(device));
                }
            }
            _ => {}
        }
        let alike = alike(pattern, text);
        if let Some(&index) = known.get(&alike) {
            let line = &mut lines[index];
            line.count += 1;
            line.seconds = seconds.or(line.seconds);
            line.text = shown(text);
            last[index] = number;
            stack = hung_task(text).map(|_| Stack::below(index));
        } else if lines.len() < KINDS_LIMIT {
            last.push(number);
            known.insert(alike, lines.len());
            stack = hung_task(text).map(|_| Stack::below(lines.len()));
            let text = shown(text);
            lines.push(LogLine {
                pattern: pattern.to_owned(),
                text,
                seconds,
                first_seconds: seconds,
                count: 1,
            });
        }
    }
    if let Some(closed) = stack {
        tell(&closed, &mut lines);
    }
    newest(lines, &last)
}

/// A line without secrets, cut to what is kept. The sense key of a SCSI command is none.
fn shown(text: &str) -> String {
    let text = if text.contains("Sense Key :") { text.to_owned() } else { secrets::text(text) };
    text.chars().take(TEXT_LIMIT).collect()
}

/// Adds what a hung task waits in to the line of the task.
fn tell(stack: &Stack<'_>, lines: &mut [LogLine]) {
    if let (Some(line), Some(told)) = (lines.get_mut(stack.line), stack.told()) {
        line.text = format!("{}{told}", line.text).chars().take(TEXT_LIMIT).collect();
    }
}

/// Of more lines than are kept those that came last, in their order. Lines that are known by their words alone do not push
/// others out.
fn newest(lines: Vec<LogLine>, last: &[usize]) -> Vec<LogLine> {
    let mut loose: Vec<usize> =
        lines.iter().zip(last).filter(|(line, _)| line.pattern == TROUBLE).map(|(_, last)| *last).collect();
    loose.sort_unstable();
    let first_loose =
        loose.len().checked_sub(TROUBLE_LIMIT).map_or(0, |surplus| loose.get(surplus).copied().unwrap_or(0));
    let kept = |(line, last): &(LogLine, usize)| line.pattern != TROUBLE || *last >= first_loose;
    let (lines, last): (Vec<LogLine>, Vec<usize>) =
        lines.into_iter().zip(last.iter().copied()).filter(kept).unzip();
    let Some(surplus) = lines.len().checked_sub(LINES_LIMIT).filter(|surplus| *surplus > 0) else {
        return lines;
    };
    let mut order = last.clone();
    order.sort_unstable();
    let first_kept = order[surplus];
    lines.into_iter().zip(last).filter(|(_, last)| *last >= first_kept).map(|(line, _)| line).collect()
}

/// `filer` of `nfs: server filer not responding, still trying` and of `nfs: server filer OK`.
fn server_of(text: &str) -> Option<&str> {
    text.split_once("server ")?.1.split_whitespace().next()
}

/// `dm-2` of `XFS (dm-2): ...` and of `EXT4-fs error (device dm-2): ...`.
fn device_of(text: &str) -> Option<&str> {
    let (head, rest) = text.split_once('(')?;
    let (device, _) =
        rest.split_once(')').filter(|_| head.starts_with("XFS") || head.starts_with("EXT4-fs"))?;
    Some(device.trim_start_matches("device "))
}

/// Takes `[ 123.456]`, `[Wed Feb 29 11:01:52 2012]` or `Feb 29 11:01:52 host kernel:` off.
fn split_stamp(line: &str, clock: Option<Clock>) -> (Option<f64>, &str) {
    let line = line.trim();
    let (logged, line) = match of_kernel(line) {
        Some((head, rest)) => (Some(head), rest),
        None => service_line(line).map_or((None, line), |(head, rest)| (Some(head), rest)),
    };
    let dated = |stamp: &str| clock.and_then(|clock| clock.since_boot(stamp));
    let (own, text) = match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((stamp, rest)) => match stamp.trim().parse::<f64>() {
            Ok(seconds) if seconds.is_finite() => (Some(seconds), rest),
            _ if stamp.contains(':') => (dated(stamp), rest),
            _ => (None, line),
        },
        None => (None, line),
    };
    // The system log reaches back before the boot: seconds in it are of this boot only where its dates are.
    match logged.filter(|_| clock.is_some()) {
        Some(head) => (dated(head), text),
        None => (own, text),
    }
}

/// Date and host, and the rest with the program's name, of a line of the system log that a service wrote: `Sep 16 18:37:52
/// db01 Server Administrator: ...`.
fn service_line(line: &str) -> Option<(&str, &str)> {
    let is_month = line.get(..3).is_some_and(|month| month.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let time =
        line.split_whitespace().nth(2).is_some_and(|time| time.len() == 8 && time.as_bytes()[2] == b':');
    if !is_month || !time {
        return None;
    }
    let (mut words, mut at) = (0, 0);
    for (place, c) in line.char_indices() {
        let starts = c != ' ' && (place == 0 || line.as_bytes()[place - 1] == b' ');
        words += usize::from(starts);
        if words == 5 {
            at = place;
            break;
        }
    }
    (at > 0).then(|| line.split_at(at))
}

/// What lines have in common that are counted as one.
fn alike(pattern: &str, text: &str) -> String {
    // Of a corrected error of memory the module counts; the cell follows in parentheses.
    let text = text.split(" (").next().filter(|_| text.starts_with("EDAC")).unwrap_or(text);
    format!("{pattern} {}", without_numbers(text))
}

/// `CPU#17`, `tag#3`, `23s!`, `59/60`, `total-vm:2048kB,`, `[kworker/17:1:812]`: what such a word is without its number.
fn without_count(word: &str) -> Option<&str> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let mut starts = ["CPU#", "CPU", "tag#"].into_iter();
    let numbered = starts.find(|start| bare.strip_prefix(start).is_some_and(digits));
    let is_count = bare.strip_suffix('s').is_some_and(digits) || bare.split('/').all(digits);
    let is_task = word.starts_with('[') && bare.contains(':') && bare.contains(|c: char| c.is_alphabetic());
    match () {
        () if numbered.is_some() => numbered,
        () if is_count || is_task => Some("#"),
        () if bare.ends_with("kB") => word.split(|c: char| c.is_ascii_digit()).next(),
        () => None,
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
    let plain = |word| if is_number(word) { "#" } else { without_count(word).unwrap_or(word) };
    let words: Vec<&str> = text.split(' ').map(plain).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;

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

    /// `dmesg -T` of a supportconfig: what `date` and `uptime` said dates its lines.
    #[test]
    fn the_time_of_day_becomes_the_time_since_boot() {
        let command = |title: &str, text: &str| format!("\n#==[ Command ]===#\n# {title}\n{text}\n\n");
        let up = " 14:22:30 up 2 days,  0:00,  3 users,  load average: 1.00, 1.00, 1.00";
        let log = "[Tue Nov  3 13:22:30 2026] watchdog: BUG: soft lockup - CPU#17 stuck for 23s! [kworker/17:1:812]";
        let (_tree, root) = rooted(&[
            ("basic-environment.txt", &command("/usr/bin/date", "Tue Nov  3 14:22:30 UTC 2026")),
            ("basic-health-check.txt", &command("/usr/bin/uptime", up)),
            ("boot.txt", &command("/usr/bin/dmesg -T", log)),
        ]);
        let lines = read_log(&root, Known::default(), &mut Vec::new());
        assert_eq!(lines.iter().map(|line| line.seconds).collect::<Vec<_>>(), [Some(169_200.0)]);
    }

    /// The system log alone: its lines of the boot before carry no time since this one.
    #[test]
    fn the_system_log_is_dated_and_reaches_back_before_the_boot() {
        let (_tree, root) = rooted(&[
            ("proc/uptime", "172800.00 1.00\n"),
            ("sos_commands/date/date", "Tue Nov  3 14:22:30 UTC 2026\n"),
            (
                "var/log/messages",
                "Oct 24 13:00:00 db1 kernel: [99.5] Out of memory: Killed process 7 (java)\n\
                 2026-11-03T13:22:30.5+00:00 db1 kernel: [99.5] nfs: server filer not responding, still trying\n",
            ),
        ]);
        let seconds: Vec<_> =
            read_log(&root, Known::default(), &mut Vec::new()).iter().map(|line| line.seconds).collect();
        assert_eq!(seconds, [None, Some(169_200.0)]);
    }

    #[test]
    fn a_sense_key_is_no_secret() {
        let lines = parse_log("[ 10.0] sd 0:0:11:0: [sdl] Sense Key : Medium Error [current]\n");
        assert_eq!(lines[0].text, "sd 0:0:11:0: [sdl] Sense Key : Medium Error [current]");
    }

    /// The functions of its stack are of the task.
    #[test]
    fn a_hung_task_tells_what_it_waits_in() {
        let text = "[ 100.0] INFO: task ora_lgwr:4711 blocked for more than 120 seconds.\n\
                    [ 100.0]       Tainted: G           OE\n\
                    [ 100.0] Call Trace:\n\
                    [ 100.0]  __schedule+0x2d1/0x870\n\
                    [ 100.0]  jbd2_log_wait_commit+0xc5/0x140 [jbd2]\n\
                    [ 100.0]  ext4_sync_file+0xd3/0x440 [ext4]\n\
                    [ 101.0] sd 0:0:0:0: [sda] rejecting I/O to offline device\n";
        let lines = parse_log(text);
        assert!(
            lines[0].text.ends_with("[waits in jbd2_log_wait_commit ext4_sync_file]"),
            "{}",
            lines[0].text
        );
        assert_eq!(lines.len(), 2, "{lines:?}");
    }

    /// Paths of a large host fill a log: what was logged last is kept.
    #[test]
    fn of_many_lines_the_newest_are_kept() {
        let letters = |n: usize| -> String {
            [n / 26 / 26, n / 26 % 26, n % 26]
                .map(|at| char::from(b"abcdefghijklmnopqrstuvwxyz"[at]))
                .iter()
                .collect()
        };
        let mut text: String = (0..LINES_LIMIT + 100)
            .map(|n| format!("[  {n}.0] I/O error, dev sd{}, sector 8\n", letters(n)))
            .collect();
        text.push_str(
            "[  900.0] I/O error, dev sdaaa, sector 16\n[ 1000.0] Out of memory: Killed process 7 (mysqld)\n",
        );
        let lines = parse_log(&text);
        assert_eq!(lines.len(), LINES_LIMIT);
        let ends = [&lines[0], &lines[LINES_LIMIT - 1]].map(|line| (line.pattern.as_str(), line.seconds));
        assert_eq!(ends, [("io-error", Some(900.0)), ("oom", Some(1000.0))]);
    }

    /// One event that many lines tell of is one line, with the words and the time of the last.
    #[test]
    fn lines_that_differ_in_counts_are_one() {
        for (first, last) in [
            (
                "BUG: soft lockup - CPU#17 stuck for 22s! [postmaster:7100]",
                "BUG: soft lockup - CPU#24 stuck for 43s! [kworker/24:1:7]",
            ),
            (
                "mce: CPU0: Package temperature above threshold, cpu clock throttled (total events = 7000)",
                "mce: CPU1: Package temperature above threshold, cpu clock throttled (total events = 7041)",
            ),
            (
                "EDAC MC1: 1 CE memory read error on DIMM#0 (channel:2 page:0x1c3a13d)",
                "EDAC MC1: 2 CE memory read error on DIMM#0 (channel:2 page:0x1c3a26d)",
            ),
            (
                "Out of memory: Killed process 1701 (mysqld) total-vm:12582kB, UID:27",
                "Out of memory: Killed process 1799 (mysqld) total-vm:12599kB, UID:27",
            ),
            ("nvme nvme3: Failed reconnect attempt 1/60", "nvme nvme3: Failed reconnect attempt 2/60"),
            (
                "sd 3:0:0:0: [sdf] tag#17 task abort on host 3, 00000000c1d2e3f0",
                "sd 3:0:0:0: [sdf] tag#18 task abort on host 3, 00000000c1d2e3f1",
            ),
        ] {
            let lines = parse_log(&format!("[  10.0] {first}\n[  20.0] {last}\n"));
            let seen: Vec<_> = lines
                .iter()
                .map(|line| (line.text.as_str(), line.count, line.first_seconds, line.seconds))
                .collect();
            assert_eq!(seen, [(last, 2, Some(10.0), Some(20.0))]);
        }
        for (one, other) in [
            ("EDAC MC1: 1 CE error on DIMM#0 (x)", "EDAC MC1: 1 CE error on DIMM#1 (x)"),
            ("device-mapper: multipath: Failing path 8:16.", "device-mapper: multipath: Failing path 8:32."),
            (
                "INFO: task ora_lgwr:4711 blocked for more than 120 seconds.",
                "INFO: task ora_dbw0:4712 blocked for more than 120 seconds.",
            ),
        ] {
            assert_eq!(parse_log(&format!("{one}\n{other}\n")).len(), 2, "{one}");
        }
    }

    #[test]
    fn a_server_that_came_back_is_kept_where_it_was_missed() {
        let back = "[   30.0] nfs: server filer OK\n";
        assert_eq!(parse_log(back), []);
        let lines = parse_log(&format!(
            "[   20.0] nfs: server filer not responding, still trying\n{back}[   31.0] nfs: server nas OK\n"
        ));
        let seen: Vec<_> = lines.iter().map(|line| (line.pattern.as_str(), line.seconds)).collect();
        assert_eq!(seen, [("nfs-timeout", Some(20.0)), ("nfs-back", Some(30.0))]);
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
