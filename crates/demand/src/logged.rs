//! Lines of logs and outputs that may tell of trouble: without their stamps, those that differ in numbers alone counted as
//! one. What they mean is not known here.

mod form;
mod said;

use crate::joined::listed::{self, is_row};
use crate::joined::{LONGEST, joined};
use crate::judged::judge;
use crate::page;
use crate::stamp::{is_log, split_stamp};
use form::{
    Level, counted, is_file, is_heading, is_package, is_parameter, level, said_of, value_of, without_names,
};
use fullwire_model::LoggedLine;
use fullwire_model::host::database_log;
use fullwire_model::host::kernels_own::{is_crash_of_database, kernels_own, of_kernel, program_of};
use fullwire_model::host::trouble::{Known, is_denied_to_database, is_report, says_trouble};
use fullwire_model::host::words::Words;
use said::{ALSO_WORDS, HARMLESS_WORDS, STATE_WORDS};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Lines that are distinguished.
const MOST_KINDS: usize = 400;

/// The rows of a recording that mean something each, too: esxtop counts what the hypervisor itself holds back.
pub fn rows(text: &str) -> String {
    listed::read(text).lines.iter().fold(String::new(), |all, row| all + row + "\n")
}

/// Bytes of a line that are read: what follows are a statement's values. Words are looked for between each other.
const READ_BYTES: usize = 16 << 10;

/// A text with lines of no more than that. PostgreSQL goes on with a message behind a tab (`elog.c`), or blanks in what was pasted, and what goes on there is what
/// a client sent, but for the plan of a statement.
fn shortened(text: &str) -> Cow<'_, str> {
    const INDENTS: [char; 2] = ['\t', ' '];
    let of_postgresql = ["\n\t", "\n "].iter().any(|indented| text.contains(indented))
        && text.lines().any(database_log::is_of_postgresql);
    if !of_postgresql && text.lines().all(|line| line.len() <= READ_BYTES) {
        return text.into();
    }
    let mut is_a_clients = false;
    let is_read = |line: &&str| {
        let goes_on = line.starts_with(INDENTS);
        is_a_clients = of_postgresql && if goes_on { is_a_clients } else { !line.contains(" plan:") };
        !goes_on || !is_a_clients
    };
    text.lines().filter(is_read).flat_map(|line| [page::prefix(line, READ_BYTES), "\n"]).collect()
}

/// Whether a harmless word is only a part of what a line says.
fn is_cut_short(lower: &str) -> bool {
    const SPOKEN: [&str; 7] = [
        "statement: commit",
        "waiting for link up",
        "default erp",
        "backlog limit exceeded",
        "unsuccessful",
        "not successful",
        "statistics file",
    ];
    SPOKEN.iter().any(|words| lower.contains(words))
}

/// The notable lines of a text: those of a known meaning, and those with words of trouble.
pub fn lines(text: &str, source: &str, meaning: Known) -> Vec<LoggedLine> {
    let text = &*shortened(text);
    let mut found: Vec<LoggedLine> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut stamp = String::new();
    let is_log = is_log(text);
    let (boots, explains) = kind_of_log(text);
    for line in joined(text) {
        let (own, rest) = split_stamp(&line);
        if rest.is_empty() {
            // Oracle's logs have a line for the time of those that follow.
            own.clone_into(&mut stamp);
            continue;
        }
        if is_parameter(rest) || is_package(&line, rest) {
            continue;
        }
        let shown = rest;
        let Some(meant) = meant(&line, own, rest) else { continue };
        let rest = &*meant;
        let lower = rest.to_lowercase();
        let harmless = HARMLESS_WORDS.is_any_in(&lower) && !is_cut_short(&lower)
            || is_report(&lower)
            || is_of_snap(&lower);
        // A socket's own fields are no words of trouble; a line of capitals alone is a heading.
        let fields = lower.contains(" rto:")
            && !["_limited:", "resent=(", "backoff:"].iter().any(|field| lower.contains(field));
        let heading = !rest.contains(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        // A database's line that has its own meaning needs no word of trouble.
        let is_known = database_log::kind_of(rest)
            .is_some_and(|kind| ![database_log::STARTED, database_log::UNKNOWN].contains(&kind));
        let level = level(&line);
        let is_message = || {
            is_log
                || !own.is_empty()
                || STATE_WORDS.is_any_word_in(&lower)
                || is_sentence(rest)
                || is_count(rest)
        };
        let sounds = || {
            let field = if is_log || !own.is_empty() { &lower } else { said_of(&lower) };
            let heard = counted(&without_names(value_of(field))).replace('_', " ");
            level == Level::Any
                // A name alone is no message.
                && rest.contains(' ')
                && !explains
                && !is_file(rest)
                && !is_heading(rest)
                && is_message()
                && (says_trouble(&heard) || ALSO_WORDS.is_any_word_in(&heard))
                && !is_nothing(&lower)
                && !(boots && is_at_start(own))
        };
        // What an attribute counts is known by its name, or no trouble at all.
        let listed = is_row(rest);
        let named = listed || rest.starts_with("SMART attribute ");
        let is_meant = (meaning.0)(rest);
        let is_trouble = is_meant || (!named && sounds());
        let of_client = ["ERROR:  ", "FATAL:  ", "LOG:  "].iter().any(|level| rest.contains(level))
            && database_log::is_of_client(rest);
        let denied = is_denied_to_database(&lower);
        let quiet = of_client
            || level == Level::Debug
            || !is_trouble
            || !listed && (harmless || fields || heading || is_well(&lower));
        if !is_known && !denied && quiet {
            continue;
        }
        let at = if own.is_empty() { stamp.as_str() } else { own };
        let longest_s = longest_s(&lower);
        // Of an output each figure is of another thing: the first ping lost all, the second nothing.
        let of_output = !is_log && at.is_empty();
        let shape = if listed || of_output { lower } else { shape(&lower) };
        if let Some(&index) = known.get(&shape) {
            let one = &mut found[index];
            one.count += 1;
            at.clone_into(&mut one.last);
            if longest_s >= one.longest_s {
                one.longest_s = longest_s;
                one.text = shown.chars().take(LONGEST).collect();
            }
        } else if found.len() < MOST_KINDS {
            known.insert(shape, found.len());
            found.push(LoggedLine {
                source: source.to_owned(),
                text: shown.chars().take(LONGEST).collect(),
                count: 1,
                first: at.to_owned(),
                last: at.to_owned(),
                longest_s,
            });
        }
    }
    // Of an output without a line of its own meaning what decides in it tells.
    if found.iter().any(|line| (meaning.0)(&line.text)) {
        return found;
    }
    let judged = judge(text);
    if judged.bad.is_empty() {
        // The words of a row are those of its state.
        found.retain(|line| !judged.has(&line.text));
        return found;
    }
    judged.bad.iter().map(|text| row(text.clone(), source)).collect()
}

fn row(text: String, source: &str) -> LoggedLine {
    LoggedLine { source: source.to_owned(), text, count: 1, ..LoggedLine::default() }
}

/// What was judged of an output in which nothing is bad: `judged: things=8; by=State, PCT_USED; highest=81% (USERS)`.
pub fn judged(text: &str, source: &str) -> Option<LoggedLine> {
    judge(text).told().map(|text| row(text, source))
}

/// Of a line of the kernel's what is its own: what any user had it repeat is shown, and means nothing. `None`: all of it.
fn meant<'a>(line: &'a str, stamp: &str, rest: &'a str) -> Option<Cow<'a, str>> {
    // Who calls himself so: the kernel has no number.
    if program_of(rest) == Some("kernel") {
        return None;
    }
    let of_kernel = of_kernel(line).is_some()
        || line.starts_with('[') && (stamp.parse::<f64>().is_ok() || stamp.split_whitespace().count() == 5);
    if !of_kernel || is_crash_of_database(line) {
        return Some(rest.into());
    }
    let kernels = kernels_own(line);
    match split_stamp(&kernels).1 {
        "" if rest.contains("]: segfault at ") => Some("segfault at".into()),
        // A service wrote it there: `systemd[1]: ...`.
        "" => rest.split_once(']').filter(|(_, said)| said.starts_with(':')).map(|_| rest.into()),
        own => Some(own.to_owned().into()),
    }
}

/// What the kernel says first of all: the log is of a start, where drivers report each thing that a host does not have.
const BOOTS: [&str; 4] =
    ["Linux version ", "BIOS-provided physical RAM map", "BIOS-e820:", "Command line: BOOT_IMAGE"];

/// Outputs that explain at length what they can report (smartctl(8)): their figures and verdicts are known by name, and words
/// between them are of the manual.
const EXPLAINED: [&str; 3] = ["=== START OF ", "ID# ATTRIBUTE_NAME", "Error Log Entries for device"];

/// The text is the log of a host's start, or an output that explains itself; looked for at once.
fn kind_of_log(text: &str) -> (bool, bool) {
    static SIGNS: LazyLock<Words> = LazyLock::new(|| Words::new(BOOTS.into_iter().chain(EXPLAINED)));
    SIGNS.found_in(text).fold((false, false), |(boots, explains), (sign, _)| {
        let of_start = sign < BOOTS.len();
        (boots || of_start, explains || !of_start)
    })
}

/// The log of a host's start.
pub(crate) fn starts(text: &str) -> bool {
    kind_of_log(text).0
}

/// A line of the kernel's start, by its time since then; of old kernels, which print none, any.
fn is_at_start(stamp: &str) -> bool {
    /// Drivers, file systems and links are there by then, s (own choice).
    const STARTS_S: f64 = 60.0;
    stamp.is_empty() || stamp.parse::<f64>().is_ok_and(|since_s| since_s < STARTS_S)
}

/// `nvme nvme7: I/O 812 QID 4 timeout, aborting`: who says it, and what. Fields have fewer words.
fn is_sentence(line: &str) -> bool {
    const LEAST: usize = 4;
    line.split_once(": ").is_some_and(|(_, rest)| rest.split_whitespace().count() >= LEAST)
}

/// How often something happened, that is none: `Other Error Count: 556475`.
fn is_count(line: &str) -> bool {
    line.rsplit_once(':').is_some_and(|(_, value)| value.trim().parse::<u64>().is_ok_and(|count| count > 0))
}

/// A flush of a loop device, which has no data with it: a snap, an image that is only read, when it is taken away (loop(4)).
fn is_of_snap(lower: &str) -> bool {
    lower.contains("dev loop") && lower.contains("phys_seg 0")
}

/// A field whose value is none: `Failed Devices : 0`, `Critical Warning: 0x00`.
fn is_nothing(lower: &str) -> bool {
    /// More are a sentence, whatever its last figure is.
    const WORDS: usize = 10;
    if lower.split_whitespace().count() > WORDS {
        return false;
    }
    let value =
        lower.trim_end_matches(['|', ' ', ',']).rsplit([':', '=', '|', '-']).next().unwrap_or("").trim();
    value.len() < lower.len() && ["0", "0x0", "0x00", "0x0000", "0%", "none", "(none)", "no"].contains(&value)
}

/// A field whose value says that all is well, whatever its name is: `Battery Status: Optimal`; or none of what its name
/// counts: `Medium Error Count : 0`, `Learn Cycle Active : No`.
fn is_well(lower: &str) -> bool {
    // The last column of a list of alarms.
    if lower.ends_with(" cleared") || lower.ends_with(" resolved") {
        return true;
    }
    let Some((name, value)) = lower.rsplit_once(':') else { return false };
    // `... timeout, aborting req_op:FLUSH(2) size:0` is a sentence, and no field; who says it may stand before it.
    let name = name.rsplit(": ").next().unwrap_or(name);
    let is_field = !name.contains(':') && name.split_whitespace().count() <= 6;
    let first = value.split([' ', ',']).find(|word| !word.is_empty()).unwrap_or("");
    if is_field && ["enabled", "disabled"].contains(&first) && !STATE_WORDS.is_any_word_in(value) {
        return true;
    }
    match value.trim().trim_end_matches(['.', ',']) {
        "ok" | "optimal" | "good" | "normal" | "passed" | "operational" => true,
        // What can be set, and whether it is.
        "enabled" | "disabled" | "supported" | "not supported" | "enable" | "disable" => is_field,
        "0" | "0x0" | "0x00" | "0x0000" | "none" | "no" => {
            is_field && (says_trouble(name) || ALSO_WORDS.is_any_word_in(name))
        }
        _ => false,
    }
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
    fn what_a_client_sent_in_several_lines_is_not_read() {
        let text = "2026-12-01 08:00:00 UTC [7] STATEMENT:  select 1\n\tPANIC:  could not write to file \"x\": No space left on device\n\
                    2026-12-01 08:00:01 UTC [7] LOG:  duration: 7 ms  plan:\n\tSeq Scan on x\n";
        for text in [text, &text.replace('\t', "    ")] {
            let read = shortened(text);
            assert!(!read.contains("PANIC") && read.contains("Seq Scan"), "{read}");
            assert_eq!(lines(text, "x", Known::default()), []);
        }
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
        assert_eq!(texts(&one), ["ping: of 8972 bytes not answered, smaller ones were not tried"]);
        let traced = " 1?: [LOCALHOST]                      pmtu 9000\n 2:  10.5.5.1      1.201ms pmtu 1500\n     Resume: pmtu 1500 hops 2 back 2\n";
        assert_eq!(texts(traced), ["tracepath: pmtu falls from 9000 to 1500"]);
        let optics = "Laser rx power low alarm    : On\nLaser bias current low alarm    : Off\nLaser bias current low alarm threshold : 2.000 mA\n";
        assert_eq!(texts(optics), ["Laser rx power low alarm    : On"]);
        let lsblk = "NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\nloop0    7:0    0   10M  1 loop /snap/core\nsdb      8:16   0  500G  1 disk\n\
                     └─sdb1   8:17   0  500G  1 part /u01\nsr0     11:0    1 1024M  1 rom  /media/cd\n";
        assert_eq!(texts(lsblk), ["lsblk: sdb1 is read-only below /u01"]);
    }

    /// Anyone mounts in a namespace of their own, and calls a program, what they like.
    #[test]
    fn what_the_kernel_repeats_of_a_user_means_nothing() {
        let known =
            Known(|line| ["Corruption", "I/O error", "segfault at"].iter().any(|words| line.contains(words)));
        for head in ["Nov 30 12:00:02 db01 kernel: ", "[ 9000.100000] ", "[Mon Nov 30 12:00:02 2026] "] {
            let found = |line: &str| {
                lines(&format!("{head}{line}\n"), "x", known)
                    .into_iter()
                    .map(|line| line.text)
                    .collect::<Vec<_>>()
            };
            for line in [
                "overlayfs: failed to resolve 'x: XFS (dm-2): Corruption detected': -2",
                "tmpfs: Unknown parameter 'I/O error, dev sda, sector 8'",
                "I/O error [4711] bad frame in rt_sigreturn frame:1 ip:2 sp:3 orax:f in x[1]",
            ] {
                assert_eq!(found(line), [""; 0], "{head}{line}");
            }
            for line in [
                "XFS (dm-2): Corruption detected. Unmount and run xfs_repair",
                "postgres[4711]: segfault at 8 ip 0 sp 0 error 4 in postgres[400000+1000]",
                "systemd[1]: I/O error of a unit",
            ] {
                assert_eq!(found(line), [line], "{head}{line}");
            }
        }
        let own = lines("2026-11-30 12:00:02 ERROR 'I/O error' was read\n", "x", known);
        assert_eq!(own.len(), 1, "another program's quotes are its own");
    }

    #[test]
    fn totals_and_sizes_become_figures_and_duplicates_are_no_loss() {
        let known = Known(|line| {
            ["takes", "ring of", "packet loss", "primary has"].iter().any(|word| line.contains(word))
        });
        let texts = |text: &str| -> Vec<String> {
            lines(text, "x", known).into_iter().map(|line| line.text).collect()
        };
        let disks = "   8       0 sdq 2000 0 9 4000 1000 0 9 81000 0 9 9\n   8       1 sdq1 2000 0 9 4000 1000 0 9 81000 0 9 9\n";
        assert_eq!(
            texts(disks),
            [
                "disk totals: sdq read takes 2.0 ms, 2000 times",
                "disk totals: sdq write takes 81.0 ms, 1000 times"
            ]
        );
        let ring = "Ring parameters for eth7:\nPre-set maximums:\nRX: 2047\nTX: 511\nCurrent hardware settings:\nRX: 200\nTX: 511\n";
        assert_eq!(texts(ring), ["ring of eth7: RX 200 of 2047"]);
        assert_eq!(texts(&ring.replace("200", "512")), [""; 0]);
        let pings = "2 packets transmitted, 2 received, +19 duplicates, 0% packet loss, time 9ms\n3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 9ms\n";
        assert_eq!(
            texts(pings),
            [
                "2 packets transmitted, 2 received, 0% packet loss, time 9ms",
                "3 packets transmitted, 0 received, 100% packet loss, time 9ms"
            ]
        );
        let bond = "BONDING_OPTS=\"mode=2 miimon=100 primary=eth7\"\n";
        assert_eq!(texts(bond).len(), 1);
        assert_eq!(texts(&bond.replace("mode=2", "mode=1")), [""; 0]);
        // A count of errors is told where nobody else knows it; a setting and a snap are not.
        assert_eq!(texts("Gizmo Error Count: 812\nipv4.may-fail: yes\n"), ["Gizmo Error Count: 812"]);
        let snap = "[1530.8] blk_update_request: I/O error, dev loop7, sector 0 op 0x1:(WRITE) phys_seg 0 prio class 0\n";
        assert_eq!(texts(snap), [""; 0]);
        assert_eq!(texts(&snap.replace("loop7", "sdq")).len(), 1);
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
    }

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
    fn a_field_without_a_value_and_what_strangers_try_is_no_trouble() {
        let text = " Failed Devices : 0\nCritical Warning:                   0x00\n| wsrep_local_cert_failures | 0 |\n\
                    Non-medium error count:       12\nNov 26 10:00:01 db1 sshd[811]: error: maximum authentication attempts exceeded\n";
        assert_eq!(lines(text, "x", Known::default()), []);
        assert_eq!(lines(" Failed Devices : 1\n", "x", Known::default()).len(), 1);
        assert_eq!(
            lines("2026-11-26 10:00:01 critical  Drive 7 failed  cleared\n", "x", Known(|_| true)),
            []
        );
    }

    /// In an output without stamps such words name what is counted.
    #[test]
    fn words_of_an_output_that_tell_no_state_are_none() {
        let output = "Power limit threshold  24.75W\nlatency timeout is 16 us\nError correction 11 bits\n";
        assert_eq!(lines(output, "x", Known::default()), []);
        for told in ["Volume 1 DEGRADED", "xyz0: adapter reset after a timeout of 30 s"] {
            assert_eq!(lines(told, "x", Known::default()).len(), 1, "{told}");
        }
    }

    #[test]
    fn what_can_be_set_is_no_trouble_and_what_is_wrong_is() {
        let set = "Error Recovery : Enabled\nAbort CC on Error: Disabled\nfast path fail over : Supported\n\
                   mpt3sas_cm0: Protocol=(Initiator), Capabilities=(TLR,Task Set Full,NCQ)\nSMART attribute 168 SATA_Phy_Error_Count: 4\n";
        assert_eq!(lines(set, "x", Known::default()), []);
        for wrong in
            ["Battery Replacement required : Yes", "Failed stripes : Yes", "Link failure detected : Yes"]
        {
            assert_eq!(lines(wrong, "x", Known(|line| line.contains("Replacement"))).len(), 1, "{wrong}");
        }
    }

    #[test]
    fn what_none_is_counted_of_is_no_trouble() {
        let counts = |crc| {
            format!(
                "     0 input errors, {crc} CRC errors, 0 frame\nNov 26 10:00:01 db1 xyz: errors 0, failed 0\n"
            )
        };
        assert_eq!(lines(&counts(0), "x", Known::default()), []);
    }

    /// Names of files, parameters and settings, and what a program tells of its steps.
    #[test]
    fn a_listing_and_a_programs_steps_are_no_trouble() {
        let text = "-rw-r--r-- 1 root root 81 May 14 2024 crash-error.service\nparm:           xyz_recover:Go on after fatal errors (int)\n\
                    \"xyz_op_timeout\": \"60\",\n2026-11-26 10:00:01.812 DEBUG xyz: connect timeout after error = 5\n\
                    2026-11-26 10:00:01.812 INFO xyz: downloading error pages\n";
        assert_eq!(lines(text, "x", Known(|line| line.contains("fatal"))), []);
        let link = "lrwxrwxrwx 1 root root 9 May 14 2024 libx.so -> libx-off.so\n";
        assert_eq!(lines(link, "x", Known(|line| line.contains("-> libx-off"))).len(), 1);
        let said = "\"message\": \"disk 7 failed\",\n";
        assert_eq!(lines(said, "x", Known::default())[0].text, "\"message\": \"disk 7 failed\",");
    }

    #[test]
    fn a_number_at_the_end_of_a_sentence_is_no_value() {
        let text = "nvme nvme7: I/O tag 12 (500c) QID 5 timeout, aborting req_op:FLUSH(2) size:0\n";
        assert_eq!(lines(text, "x", Known(|line| line.contains("aborting"))).len(), 1);
    }

    #[test]
    fn the_value_of_a_field_decides_and_not_its_name() {
        let known =
            Known(|line| ["Medium Error", "Learn Cycle", "status"].iter().any(|words| line.contains(words)));
        for (ill, well) in [
            ("   Medium Error Count   : 7", "   Medium Error Count   : 0"),
            ("  Learn Cycle Active         : Yes", "  Learn Cycle Active         : No"),
            ("Enclosure X7 (S/N: 9) status: Temperature problem.", "Enclosure X7 (S/N: 9) status: OK."),
            ("Battery Replacement required : Yes", "Battery Replacement required : No"),
            ("a disk of it is full", "Duplex: Full\nFull List of Resources:"),
            (
                "Settings for eth7:\n\tLink detected: no, error",
                "Settings for veth9a:\n\tLink detected: no, error",
            ),
        ] {
            assert_eq!(lines(ill, "x", known).len(), 1, "{ill}");
            assert_eq!(lines(well, "x", known), [], "{well}");
        }
    }

    #[test]
    fn what_clients_bring_about_is_passed_over_and_a_refusal_to_a_database_is_not() {
        let text = "2026-11-25 10:11:12 UTC [4711] ERROR:  duplicate key value violates unique constraint \"t_pkey\"\n\
                    audit: type=1400 audit(1.1:5): apparmor=\"DENIED\" operation=\"open\" profile=\"/usr/sbin/mysqld\" name=\"/data\"\n\
                    audit: type=1400 audit(1.1:5): apparmor=\"DENIED\" operation=\"open\" profile=\"/usr/bin/man\" name=\"/x\"\n";
        let found = lines(text, "x", Known::default());
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

    #[test]
    fn a_line_without_an_end_is_read_so_far() {
        let known = Known(|line| line.contains("tail"));
        let line = |before: usize| format!("kernel: {}tail\n", "x ".repeat(before));
        assert_eq!(lines(&line(READ_BYTES / 2), "messages", known).len(), 0);
        assert_eq!(lines(&line(READ_BYTES / 4), "messages", known).len(), 1);
    }
}
