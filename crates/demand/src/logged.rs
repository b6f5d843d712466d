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
use fullwire_model::host::kernels_own::{
    is_crash_of_database, is_numbered, kernels_own, of_kernel, program_of,
};
use fullwire_model::host::trouble::{Known, Meaning, is_denied_to_database, is_report, says_trouble};
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
/// a client sent, but for the plan of a statement. systemd's journal goes on behind blanks with what a program wrote in several lines.
fn shortened(text: &str) -> Cow<'_, str> {
    const INDENTS: [char; 2] = ['\t', ' '];
    let goes_on = ["\n\t", "\n "].iter().any(|indented| text.contains(indented));
    if !goes_on && text.lines().all(|line| line.len() <= READ_BYTES) {
        return text.into();
    }
    let of_postgresql = goes_on && text.lines().any(database_log::is_of_postgresql);
    let is_of_a_program = |line: &str| {
        let (stamp, said) = split_stamp(line);
        !stamp.is_empty() && is_numbered(said)
    };
    let mut is_anyones = false;
    let is_read = |line: &&str| {
        let goes_on = line.starts_with(INDENTS);
        if !goes_on {
            is_anyones = if of_postgresql { !line.contains(" plan:") } else { is_of_a_program(line) };
        }
        !goes_on || !is_anyones
    };
    text.lines().filter(is_read).flat_map(|line| [page::prefix(line, READ_BYTES), "\n"]).collect()
}

/// Whether a harmless word is only a part of what a line says.
fn is_cut_short(lower: &str) -> bool {
    const SPOKEN: [&str; 7] = [
        "statement: commit", "waiting for link up", "default erp", "backlog limit exceeded", "unsuccessful",
        "not successful", "statistics file",
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
        let Some(meant) = meant(&line, own, rest) else { continue };
        // What counts is what is kept: it is judged again, and without its beginning nobody knows whose words they are.
        let shown = if *meant == *CRASHED { rest } else { &*meant };
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
        let known_as = (meaning.0)(rest);
        let is_trouble = known_as != Meaning::Unknown || !named && sounds();
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
    if found.iter().any(|line| meaning.is_trouble(&line.text)) {
        return found;
    }
    let mut judged = judge(text);
    if !judged.bad.is_empty() && is_known(text, meaning) {
        // Of a block of which a line is known that line says more than the names of its columns.
        let blocks = text.split("\n\n").filter(|block| !is_known(block, meaning));
        judged = judge(&blocks.flat_map(|block| [block, "\n\n"]).collect::<String>());
    }
    if judged.bad.is_empty() {
        // The words of a row are those of its state.
        found.retain(|line| !judged.has(&line.text));
        return found;
    }
    judged.bad.iter().map(|text| row(text.clone(), source)).collect()
}

/// A line of the text may tell of trouble: what it is an output of is known, whether or not there is any.
pub(crate) fn is_known(text: &str, meaning: Known) -> bool {
    joined(text).iter().any(|line| (meaning.0)(split_stamp(line).1) != Meaning::Unknown)
}

fn row(text: String, source: &str) -> LoggedLine {
    LoggedLine { source: source.to_owned(), text, count: 1, ..LoggedLine::default() }
}

/// What was judged of an output in which nothing is bad: `judged: things=8; by=State, PCT_USED; highest=81% (USERS)`.
pub fn judged(text: &str, source: &str) -> Option<LoggedLine> {
    judge(text).told().map(|text| row(text, source))
}

/// What the kernel says of a program that crashed.
const CRASHED: &str = "segfault at";

/// Of a line of the kernel's what is its own: what any user had it repeat is shown, and means nothing. `None`: all of it.
fn meant<'a>(line: &'a str, stamp: &str, rest: &'a str) -> Option<Cow<'a, str>> {
    // Who calls himself so: the kernel has no number, and the system's manager has the first.
    let is_called = |name: &str| program_of(rest) == Some(name);
    if is_called("kernel") || is_called("systemd") && !rest.starts_with("systemd[1]:") {
        return None;
    }
    if of_kernel(line).is_some_and(|(_, said)| is_numbered(said) && program_of(said).is_none())
        && !is_crash_of_database(line)
    {
        return None;
    }
    let of_kernel = of_kernel(line).is_some()
        || line.starts_with('[') && (stamp.parse::<f64>().is_ok() || stamp.split_whitespace().count() == 5);
    if !of_kernel || is_crash_of_database(line) {
        return Some(rest.into());
    }
    let kernels = kernels_own(line);
    match split_stamp(&kernels).1 {
        "" if rest.contains("]: segfault at ") => Some(CRASHED.into()),
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
        // `512m` is a size, and nothing waits for days.
        let ns = page::nanoseconds(&unit).filter(|ns| *ns < 86_400e9 && (unit == "s" || unit.len() > 1));
        if let (Some(value), Some(ns)) = (value, ns) {
            longest = Some(longest.unwrap_or(0.0).max(value * ns / 1e9));
        }
        at = end.max(at + 1);
    }
    longest
}

#[cfg(test)]
mod tests;
