//! Lines of logs and outputs that may tell of trouble: without their stamps, those that differ in numbers alone counted as
//! one. What they mean is not known here.

use crate::page;
use fullwire_model::LoggedLine;
use fullwire_model::host::database_log;
use fullwire_model::host::trouble::{Known, is_denied_to_database, is_report, says_trouble};
use fullwire_model::host::words::Words;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Lines that are distinguished.
const MOST_KINDS: usize = 400;
/// Characters of a line that are kept.
const LONGEST: usize = 600;

/// What tells of it with less certainty, beside the words of trouble of every log; in lower case.
const ALSO: &[&str] = &[
    "time out",
    "not respond",
    "expected less",
    "blocked",
    "waited",
    "medium",
    "exceed",
    "out of memory",
    "invalid",
    "must be",
    "was retried",
    "too long",
    "took",
    "bad device",
    "not supported",
    "could not",
    "cannot",
    "sense key",
    "not complete",
    "watchdog",
    "no space",
    "not scheduled",
    "split-brain",
    "not accessible",
    "not ready",
];

/// Lines with such words that report nothing.
const HARMLESS: &[&str] = &[
    "command line",
    "% /snap/",
    "% /media/",
    "% /cdrom",
    "/dev/sr",
    "dev fd",
    // A port without a drive.
    "sata link down (sstatus 0",
    "dev sr",
    "private strand flush not complete",
    "linux-x86_64 error:",
    "linux-aarch64 error:",
    "shutdown timeout set",
    "audit",
    "0 errors",
    "no error",
    "errors=remount",
    "err= 0",
    "success",
    // Optics (`ethtool -m`): flags that are not set, and where they would be.
    ": off",
    "alarm threshold",
    "warning threshold",
    "acpi",
    "perf: interrupt took too long",
    "error handler",
    "enabling error",
    "link up",
    "pages scanned",
    "failover",
    "fail-over mac",
    "default",
    "registered",
    "aer enabled",
    "statement: ",
    "ratelimit",
    " 0 failed",
    "failed transactions: 0",
    "ioping statistics",
    "statement latencies",
    "kthr",
    "statistics",
    "raw_read_error_rate",
    "seek_error_rate",
    "hung_task_timeout_secs",
    // The line after it says why.
    "cannot allocate new log",
];

/// The notable lines of a text: those of a known meaning, and those with words of trouble.
pub fn lines(text: &str, source: &str, meaning: Known) -> Vec<LoggedLine> {
    static HARMLESS_WORDS: LazyLock<Words> = LazyLock::new(|| Words::new(HARMLESS));
    static ALSO_WORDS: LazyLock<Words> = LazyLock::new(|| Words::new(ALSO));
    let mut found: Vec<LoggedLine> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut stamp = String::new();
    for line in joined(text) {
        let (own, rest) = split_stamp(&line);
        if rest.is_empty() {
            // Oracle's logs have a line for the time of those that follow.
            own.clone_into(&mut stamp);
            continue;
        }
        let lower = rest.to_lowercase();
        let harmless =
            HARMLESS_WORDS.is_any_in(&lower) && !lower.contains("statement: commit") || is_report(&lower);
        // A socket's own fields are no words of trouble; a line of capitals alone is a heading.
        let fields = lower.contains(" rto:") && !lower.contains("_limited:") && !lower.contains("resent=(");
        let heading = !rest.contains(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        // A database's line that has its own meaning needs no word of trouble.
        let is_known = database_log::kind_of(rest)
            .is_some_and(|kind| ![database_log::STARTED, database_log::UNKNOWN].contains(&kind));
        let is_trouble = says_trouble(&lower) || ALSO_WORDS.is_any_in(&lower) || (meaning.0)(rest);
        let of_client = ["ERROR:  ", "FATAL:  ", "LOG:  "].iter().any(|level| rest.contains(level))
            && database_log::is_of_client(rest);
        let denied = is_denied_to_database(&lower);
        if !is_known && !denied && (of_client || harmless || fields || heading || !is_trouble) {
            continue;
        }
        let at = if own.is_empty() { stamp.as_str() } else { own };
        let longest_s = longest_s(&lower);
        let shape = shape(&lower);
        if let Some(&index) = known.get(&shape) {
            let one = &mut found[index];
            one.count += 1;
            at.clone_into(&mut one.last);
            if longest_s >= one.longest_s {
                one.longest_s = longest_s;
                one.text = rest.chars().take(LONGEST).collect();
            }
        } else if found.len() < MOST_KINDS {
            known.insert(shape, found.len());
            found.push(LoggedLine {
                source: source.to_owned(),
                text: rest.chars().take(LONGEST).collect(),
                count: 1,
                first: at.to_owned(),
                last: at.to_owned(),
                longest_s,
            });
        }
    }
    found
}

/// The lines of a text: those of a socket in one, and a group of a multipath map with its map and its paths.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (mut map, mut wanted): (Option<String>, bool) = (None, false);
    for line in text.lines().map(unquoted) {
        let plain = page::plain(line);
        let bare = plain.trim();
        let indented = plain.starts_with([' ', '\t']);
        let of_socket = lines.last().is_some_and(|last| last.contains("ESTAB") || last.contains(" rto:"));
        if bare.contains(" dm-") && !bare.contains(':') {
            map = bare.split_whitespace().next().map(str::to_owned);
        } else if let (Some(map), true) = (&map, bare.contains("policy='") && bare.contains("prio=")) {
            lines.push(format!(
                "multipath {map} {} paths=0",
                bare.trim_start_matches(['|', '`', '-', '+', '=', ' '])
            ));
            wanted = true;
            continue;
        } else if wanted && bare.starts_with(['|', '`', ' ', '\\']) && bare.matches(':').count() >= 4 {
            count_path(lines.last_mut());
            continue;
        }
        wanted = false;
        match lines.last_mut() {
            Some(last) if indented && of_socket && last.len() < 4 * LONGEST => {
                last.push(' ');
                last.push_str(bare);
            }
            _ if !bare.is_empty() => lines.push(bare.to_owned()),
            _ => {}
        }
    }
    lags(&mut lines);
    for line in &mut lines {
        if let Some(missing) = missing(line) {
            let _ = write!(line, " missing={missing}");
        }
    }
    sized_pings(&mut lines);
    traced_mtu(&mut lines);
    read_only(text, &mut lines);
    for line in lines.iter_mut().filter(|line| line.contains(" rto:")) {
        if let Some(share) = resent(line) {
            let _ = write!(line, " resent=({share:.1}%)");
        }
    }
    lines
}

/// Pings of two sizes, of which the larger are not answered: `ping: of 8972 bytes not answered, of 1472 answered`.
fn sized_pings(lines: &mut Vec<String>) {
    let (mut size, mut lost, mut passed): (Option<u64>, Option<u64>, Option<u64>) = (None, None, None);
    for line in lines.iter() {
        if let Some((_, rest)) = line.split_once("PING ").and_then(|(_, rest)| rest.split_once(") ")) {
            size = rest.split(['(', ' ']).next().and_then(|bytes| bytes.parse().ok());
        } else if line.contains(" packets transmitted") {
            match line.split_whitespace().find_map(|word| word.strip_suffix('%')) {
                Some("100") => lost = size.or(lost),
                Some("0") => passed = size.or(passed),
                _ => {}
            }
        }
    }
    if let Some((lost, passed)) = lost.zip(passed).filter(|(lost, passed)| lost > passed) {
        lines.retain(|line| !line.contains(" packets transmitted"));
        lines.push(format!("ping: of {lost} bytes not answered, of {passed} answered"));
    }
}

/// What tracepath found, where it is less than this host sends: `tracepath: pmtu falls from 9000 to 1500`.
fn traced_mtu(lines: &mut Vec<String>) {
    let of = |line: &String| line.split_once("pmtu ")?.1.split_whitespace().next()?.parse::<u64>().ok();
    let own = lines.iter().find(|line| line.contains("[LOCALHOST]")).and_then(of);
    let path = lines.iter().find(|line| line.starts_with("Resume: pmtu")).and_then(of);
    if let Some((own, path)) = own.zip(path).filter(|(own, path)| path < own) {
        lines.push(format!("tracepath: pmtu falls from {own} to {path}"));
    }
}

/// Mounted devices that `lsblk` lists with RO 1: `lsblk: sdb1 is read-only below /u01`. A snap is always so, and a CD.
fn read_only(text: &str, lines: &mut Vec<String>) {
    let columns = |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    let mut heading: Option<usize> = None;
    for line in text.lines().map(unquoted) {
        let cells = columns(line.trim_start_matches([' ', '|', '`', '-', '│', '├', '└', '─']));
        if cells.first().is_some_and(|name| name == "NAME") {
            heading = cells.iter().position(|name| name == "RO");
        } else if let (Some(column), [name, .., mount]) = (heading, cells.as_slice())
            && cells.get(column).is_some_and(|flag| flag == "1")
            && mount.starts_with('/')
            && !mount.starts_with("/snap/")
            && !["loop", "sr"].iter().any(|kind| name.starts_with(kind))
        {
            lines.push(format!("lsblk: {name} is read-only below {mount}"));
        }
    }
}

/// A row of `pg_stat_replication` below its heading becomes a line for each lag: `replication NAME flush_lag=4.8`, s.
fn lags(lines: &mut Vec<String>) {
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    let heading = lines.iter().position(|line| line.contains('|') && line.contains("flush_lag"));
    let Some(first) = heading else { return };
    let columns = cells(&lines[first]);
    let mut told = Vec::new();
    for row in lines.iter().skip(first + 1).map(|line| cells(line)).filter(|row| row.len() == columns.len()) {
        for (name, cell) in columns.iter().zip(&row).filter(|(name, _)| name.ends_with("_lag")) {
            told.extend(interval_s(cell).map(|lag_s| format!("replication {} {name}={lag_s:.3}", row[0])));
        }
    }
    lines.extend(told);
}

/// `00:00:04.812331`, s.
fn interval_s(text: &str) -> Option<f64> {
    let parts: Vec<f64> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    (parts.len() == 3).then(|| parts.iter().fold(0.0, |sum, part| sum * 60.0 + part))
}

/// Disks that an array of md started without: `active with 3 out of 4 devices`.
fn missing(line: &str) -> Option<u32> {
    let (there, all) = line.split_once(" active with ")?.1.split_once(" out of ")?;
    let all: u32 = all.split(' ').next()?.parse().ok()?;
    all.checked_sub(there.parse().ok()?)
}

/// The share of a socket's segments that were sent again, %: `retrans:3/28476` (now and in all) of `segs_out:812331` (ss(8)).
fn resent(line: &str) -> Option<f64> {
    let field = |name: &str| line.split_whitespace().find_map(|word| word.strip_prefix(name));
    let again: f64 = field("retrans:")?.split_once('/')?.1.parse().ok()?;
    let all: f64 = field("segs_out:")?.parse().ok()?;
    (all > 0.0).then(|| again / all * 100.0)
}

/// Priorities that a path of ALUA has by itself (multipath-tools `libmultipath/prioritizers/alua.c`), and those without it.
const OWN_PRIORITIES: [u32; 7] = [0, 1, 5, 10, 50, 60, 80];

/// One more path in the group: a priority that no single path has is the mean of several.
fn count_path(group: Option<&mut String>) {
    let Some(group) = group else { return };
    let Some((before, count)) = group.split_once(" paths=") else { return };
    let paths = count.split(' ').next().and_then(|count| count.parse::<u32>().ok()).unwrap_or(0) + 1;
    let prio = before.split_once("prio=").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u32>().ok());
    let mixed = prio.filter(|prio| paths > 1 && !OWN_PRIORITIES.contains(prio)).unwrap_or(0);
    *group = format!("{before} paths={paths} mixed={mixed}");
}

/// Without the signs of quoting of a mail.
fn unquoted(line: &str) -> &str {
    let bare = line.trim_start_matches(['>', ' ']);
    if line.starts_with('>') { bare } else { line }
}

/// The time stamp in front of a line, and the rest without the host and `kernel:`.
fn split_stamp(line: &str) -> (&str, &str) {
    if let Some((stamp, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let stamp = stamp.trim();
        if stamp.starts_with(|c: char| c.is_ascii_digit()) || stamp.matches(':').count() == 2 {
            return (stamp, rest.trim());
        }
    }
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).take(6).collect();
    let is_time =
        |word: &str| word.matches(':').count() == 2 && word.starts_with(|c: char| c.is_ascii_digit());
    let is_date = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.matches(['-', '/']).count() == 2
            && word.len() >= 8
    };
    let first = words.first().copied().unwrap_or("");
    let month = |word: &str| {
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].contains(&word)
    };
    // 2026-11-03T13:22:30.5+00:00 db1 kernel: ...
    if first.contains('T') && is_date(first.split('T').next().unwrap_or("")) {
        return (first, without_host(line[line.find(first).unwrap_or(0) + first.len()..].trim()));
    }
    match words.as_slice() {
        // 2018-10-25 16:20:35.185438 W | ...
        [date, time, ..] if is_date(date) && is_time(time.split([',', 'Z', '+']).next().unwrap_or("")) => {
            let end = line.find(time).map_or(0, |at| at + time.len());
            (&line[..end], without_head(&line[end..]))
        }
        // Mar  7 05:02:55 db01 kernel: ...
        [name, day, time, ..] if month(name) && is_time(time) && day.parse::<u8>().is_ok() => {
            let end = line.find(time).map_or(0, |at| at + time.len());
            (&line[..end], without_host(line[end..].trim()))
        }
        // Sat Mar 07 05:03:10 2015
        [_, name, day, time, year]
            if month(name) && is_time(time) && day.parse::<u8>().is_ok() && year.len() == 4 =>
        {
            (line, "")
        }
        _ => ("", line),
    }
}

/// `db01 kernel: text` without the host and the kernel's name.
fn without_host(rest: &str) -> &str {
    let rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
    rest.strip_prefix("kernel:").unwrap_or(rest).trim()
}

/// `W | wal: ...` without the level; a server's own fields stay.
fn without_head(rest: &str) -> &str {
    let rest = rest.trim_start();
    rest.split_once(" | ").filter(|(level, _)| level.len() == 1).map_or(rest, |(_, rest)| rest)
}

/// Numbers as one sign, so that lines that differ in them are alike.
fn shape(lower: &str) -> String {
    let mut shape = String::with_capacity(lower.len());
    let mut number = false;
    for word in lower.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let bare = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        // `7`, `0x5841`, `645129468s`, `23s!`; names of devices begin with a letter.
        let digits = bare.starts_with(|c: char| c.is_ascii_digit());
        let hex = bare.len() >= 4
            && bare.bytes().all(|byte| byte.is_ascii_hexdigit())
            && bare.bytes().any(|byte| byte.is_ascii_digit());
        if hex || digits {
            if !number {
                shape.push('#');
            }
            number = true;
        } else {
            number = false;
            shape.push_str(word);
        }
    }
    shape
}

/// The longest time that a line names, s. Of a checkpoint its fsync phase counts, which nothing but the storage makes long.
fn longest_s(lower: &str) -> Option<f64> {
    if let Some((_, rest)) = lower.split_once(" sync=") {
        return rest.split(' ').next()?.parse().ok();
    }
    let mut longest: Option<f64> = None;
    let bytes = lower.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit()
            || (at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'.'))
        {
            at += 1;
            continue;
        }
        let end = lower[at..]
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .map_or(bytes.len(), |length| at + length);
        let value = lower[at..end].trim_end_matches('.').parse::<f64>().ok();
        let rest = lower[end..].trim_start_matches(' ');
        let unit: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
        let factor = match unit.as_str() {
            "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
            "ms" | "msec" | "msecs" | "milliseconds" => Some(1e-3),
            "us" | "µs" | "usec" => Some(1e-6),
            "min" | "minutes" => Some(60.0),
            _ => None,
        };
        if let (Some(value), Some(factor)) = (value, factor) {
            longest = Some(longest.unwrap_or(0.0).max(value * factor));
        }
        at = end.max(at + 1);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: Known = Known(|line| {
        ["_lag=", "packet loss", "not answered", "read-only below", "pmtu falls", "low alarm"]
            .iter()
            .any(|words| line.contains(words))
    });

    #[test]
    fn alike_lines_are_one_with_the_longest_time() {
        let text = "2018-10-25 16:20:35.185438 W | wal: sync duration of 1.134771573s, expected less than 1s\n\
                    2018-10-25 17:30:10.292188 W | wal: sync duration of 7.645129468s, expected less than 1s\n\
                    2018-10-25 18:10:37.253827 W | wal: sync duration of 3.381123605s, expected less than 1s\n";
        let lines = lines(text, "etcd.log", Known::default());
        assert_eq!(lines.len(), 1);
        assert_eq!((lines[0].count, lines[0].longest_s), (3, Some(7.645_129_468)));
        assert_eq!(lines[0].text, "wal: sync duration of 7.645129468s, expected less than 1s");
        assert_eq!(lines[0].first, "2018-10-25 16:20:35.185438");
    }

    #[test]
    fn stamps_of_all_kinds_are_taken_off() {
        let rest = |line: &'static str| split_stamp(line).1;
        assert_eq!(rest("[8605.689789] ata4.00: failed command: FLUSH"), "ata4.00: failed command: FLUSH");
        assert_eq!(rest("Mar  7 05:02:55 db01 kernel: Error:Mpx:x"), "Error:Mpx:x");
        assert_eq!(rest("Apr 12 08:40:12 db01 iscsid: Kernel reported"), "iscsid: Kernel reported");
        assert_eq!(rest("2026-11-03T13:22:30.5+00:00 db1 kernel: nfs: x"), "nfs: x");
        assert_eq!(split_stamp("Sat Mar 07 05:03:10 2015"), ("Sat Mar 07 05:03:10 2015", ""));
        assert_eq!(rest("WARNING: Waited 15 secs"), "WARNING: Waited 15 secs");
    }

    #[test]
    fn two_pings_and_a_write_protected_mount_are_one_line_each() {
        let pings = "PING 192.168.10.2 (192.168.10.2) 8972(9000) bytes of data.\n3 packets transmitted, 0 received, 100% packet loss, time 11999ms\n\
                     PING 192.168.10.2 (192.168.10.2) 1472(1500) bytes of data.\n3 packets transmitted, 3 received, 0% packet loss, time 2001ms\n";
        let texts = |text: &str| -> Vec<String> {
            lines(text, "x", KNOWN).into_iter().map(|line| line.text).collect()
        };
        assert_eq!(texts(pings), ["ping: of 8972 bytes not answered, of 1472 answered"]);
        let one = pings.lines().take(2).collect::<Vec<_>>().join("\n");
        assert!(texts(&one)[0].contains("100% packet loss"));
        let traced = " 1?: [LOCALHOST]                      pmtu 9000\n 2:  10.5.5.1      1.201ms pmtu 1500\n     Resume: pmtu 1500 hops 2 back 2\n";
        assert_eq!(texts(traced), ["tracepath: pmtu falls from 9000 to 1500"]);
        let optics = "Laser rx power low alarm    : On\nLaser bias current low alarm    : Off\nLaser bias current low alarm threshold : 2.000 mA\n";
        assert_eq!(texts(optics), ["Laser rx power low alarm    : On"]);
        let lsblk = "NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\nloop0    7:0    0   10M  1 loop /snap/core\nsdb      8:16   0  500G  1 disk\n\
                     └─sdb1   8:17   0  500G  1 part /u01\nsr0     11:0    1 1024M  1 rom  /media/cd\n";
        assert_eq!(texts(lsblk), ["lsblk: sdb1 is read-only below /u01"]);
    }

    #[test]
    fn a_map_and_its_group_are_one_line() {
        let text = "mpatha (3600507) dm-16 IBM     ,2145\nsize=100G features='1 queue_if_no_path' hwhandler='0' wp=rw\n\
                    `-+- policy='round-robin 0' prio=30 status=active\n  |- 8:0:1:18 sdv 65:80 active ready  running\n  \
                    `- 9:0:2:18 sded 128:80 active ready running\n";
        let lines = joined(text);
        assert_eq!(
            lines.last().unwrap(),
            "multipath mpatha policy='round-robin 0' prio=30 status=active paths=2 mixed=30"
        );
    }

    #[test]
    fn each_lag_of_a_standby_is_a_line() {
        let text = " application_name | state | write_lag | flush_lag | replay_lag\n\
                    ------------------+-------+-----------+-----------+------------\n \
                    sb1 | streaming | 00:00:00.1 | 00:00:04.5 | 00:01:04.6\n";
        let found: Vec<String> = lines(text, "x", KNOWN).into_iter().map(|line| line.text).collect();
        assert_eq!(
            found.iter().filter(|line| line.starts_with("replication")).collect::<Vec<_>>(),
            [
                "replication sb1 write_lag=0.100",
                "replication sb1 flush_lag=4.500",
                "replication sb1 replay_lag=64.600"
            ]
        );
        assert_eq!(interval_s("4 days"), None);
    }

    #[test]
    fn what_clients_bring_about_is_passed_over_and_a_refusal_to_a_database_is_not() {
        let text = "2026-11-25 10:11:12 UTC [4711] ERROR:  duplicate key value violates unique constraint \"t_pkey\"\n\
                    audit: type=1400 audit(1.1:5): apparmor=\"DENIED\" operation=\"open\" profile=\"/usr/sbin/mysqld\" name=\"/data\"\n\
                    audit: type=1400 audit(1.1:5): apparmor=\"DENIED\" operation=\"open\" profile=\"/usr/bin/man\" name=\"/x\"\n";
        let found = lines(text, "x", KNOWN);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].text.contains("mysqld"));
    }

    /// Whatever is cut off, nothing panics.
    #[test]
    fn every_cut_of_a_text_is_read() {
        let text = "> [1.5] nvme nvme0: I/O 22 QID 3 timeout µs 5 µs\nSat Mar 07 05:03:10 2015\nWaited 36 secs für IO\n\ttcp ESTAB 0 0 a b\n\t rto:2 rwnd_limited:5ms(9%)";
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let _ = lines(&text[..end], "x", Known::default());
        }
    }
}
