//! What the form of a line says, whatever words it has: that it is of a list, a field, a count of none, or a program's own step.

use crate::page::each;
use std::borrow::Cow;

/// A module's parameter (modinfo(8)): it tells what may be set.
pub(super) fn is_parameter(rest: &str) -> bool {
    rest.starts_with("parm: ")
}

/// A file as `ls -l` lists it: of its name no word is one of trouble, though a link may lead where it should not.
pub(super) fn is_file(rest: &str) -> bool {
    let (mode, after) = rest.as_bytes().split_at(rest.len().min(10));
    let is_mode =
        |mode: &[u8; 10]| b"-dlbcps".contains(&mode[0]) && mode[1..].iter().all(|c| b"rwxsStT-".contains(c));
    mode.try_into().is_ok_and(is_mode) && after.first().is_some_and(|c| b" .+".contains(c))
}

/// What a package manager did, and to which package: dpkg.log, apt's history and term.log, yum.log, dnf.rpm.log, pacman.log,
/// alternatives.log. Names are no words (dpkg(1), apt-get(8), yum(8), dnf(8), pacman(8), update-alternatives(1)).
pub(super) fn is_package(line: &str, rest: &str) -> bool {
    const STEPS: &[&str] = &[
        "status installed ¦status unpacked ¦status half-¦status config-files ¦status not-installed ",
        "status triggers-¦install ¦upgrade ¦configure ¦trigproc ¦remove ¦Install: ¦Upgrade: ¦Remove: ",
        "Commandline: ¦Setting up ¦Unpacking ¦Preparing to unpack ",
        "Selecting previously unselected package ¦Processing triggers for ¦Removing ¦Get:¦[ALPM] ",
        "update-alternatives: using ",
    ];
    const OF_RPM: [&str; 6] =
        [" Installed: ", " Updated: ", " Erased: ", " Upgrade: ", " Upgraded: ", " Obsoleted: "];
    each(STEPS).any(|step| rest.starts_with(step))
        || OF_RPM.iter().any(|step| line.contains(step))
        || line.starts_with("update-alternatives ")
}

/// A line without the names of files and packages in it, whose parts are no words.
pub(super) fn without_names(lower: &str) -> Cow<'_, str> {
    const ENDS: [&str; 10] =
        [".gz", ".so", ".rpm", ".deb", ".conf", ".service", ".log", ".html", "-dev", "-devel"];
    let is_name = |word: &str| {
        let word = word.trim_end_matches([',', ';', ':', ')']);
        word.starts_with('/') && word.len() > 1
            || word.starts_with("lib") && word.contains('-')
            || ENDS.iter().any(|end| word.ends_with(end))
    };
    if !lower.split(' ').any(is_name) {
        return Cow::Borrowed(lower);
    }
    Cow::Owned(lower.split(' ').filter(|word| !is_name(word)).collect::<Vec<_>>().join(" "))
}

/// Of a field of JSON its value: keys name what is set or counted. Of any other line the whole.
pub(super) fn value_of(lower: &str) -> &str {
    let field = lower.strip_prefix('"').and_then(|rest| rest.split_once("\":"));
    field.filter(|(key, _)| !key.contains([' ', '"'])).map_or(lower, |(_, value)| value)
}

/// Of a field of an output its value, unless its name is how bad the line is: `Error correction: 11 bits` reports nothing, and
/// `ERROR: the volume` does.
pub(super) fn said_of(lower: &str) -> &str {
    const LEVELS: [&str; 9] =
        ["error", "err", "warning", "warn", "fatal", "critical", "failed", "failure", "panic"];
    let (name, value) = lower.split_once(": ").unwrap_or(("", lower));
    // `ipv4.may-fail: yes`: a setting of NetworkManager.
    let is_setting = name.contains('.') && !name.contains(' ');
    let is_field = is_setting || name.contains(' ') && name.split_whitespace().count() <= 6;
    // `Failed Devices : 1`, `Battery Replacement required : Yes`: the name tells what, and the value that it is so.
    let is_so = !is_setting && value.trim() == "yes" || value.trim().parse::<u64>().is_ok();
    let is_level = |word: &str| LEVELS.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()));
    if is_field && !is_so && !name.split_whitespace().next_back().is_some_and(is_level) {
        value
    } else {
        lower
    }
}

/// Names of columns: many short words, without a figure and without a sentence's signs.
pub(super) fn is_heading(line: &str) -> bool {
    /// Fewer may be a sentence.
    const WORDS: usize = 8;
    /// A sentence has as many.
    const SENTENCE: usize = 4;
    /// Letters of a word on average; of English about five.
    const LENGTH: usize = 5;
    /// Every sentence has one of them.
    const OF_SENTENCES: [&str; 10] = ["the", "of", "is", "was", "has", "not", "to", "a", "and", "be"];
    // `LACP state:  Role  Exp  Def`: what the table is of stands before its names.
    let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let names = line.split_once(": ").map(|(_, names)| names);
    let line = names.filter(|names| names.split_whitespace().all(is_name)).unwrap_or(line);
    let words = line.split_whitespace().count();
    // `Failed Actions:`
    if line.ends_with(':') && words < SENTENCE {
        return true;
    }
    let letters = line.chars().filter(|c| !c.is_whitespace()).count();
    let is_sentence = line.split_whitespace().any(|word| OF_SENTENCES.contains(&word));
    words >= WORDS
        && letters <= words * LENGTH
        && !is_sentence
        && !line.contains(':')
        && !line.split_whitespace().any(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// A line without what it counts none of: of `0 input errors, 3 CRC` and `wr 2, corrupt 0` the other half.
pub(super) fn counted(lower: &str) -> String {
    /// A number and the name of what is counted; more words are a sentence, which may end with a number too.
    const WORDS: usize = 4;
    let none = |clause: &&str| {
        let said = clause.rsplit_once(": ").map_or(*clause, |(_, said)| said);
        let words: Vec<&str> = said.split_whitespace().collect();
        match words.as_slice() {
            ["0", rest @ ..] => rest.len() < WORDS,
            [_, "0"] => true,
            _ => false,
        }
    };
    let told = lower.split(',').filter(|clause| !none(clause)).collect::<Vec<_>>().join(",");
    if told.contains('=') { without_settings(&told) } else { told }
}

/// A line without what is set to nothing in it: `soft_panic=0`, `errors=remount-ro`; and without limits, `timeout=30`.
fn without_settings(lower: &str) -> String {
    const NOTHING: [&str; 7] = ["0", "0x0", "no", "n", "off", "none", "remount-ro"];
    const LIMITS: [&str; 5] = ["timeout", "limit", "retries", "retry", "threshold"];
    let is_setting = |word: &&str| {
        word.split_once('=').is_some_and(|(name, value)| {
            let value = value.trim_end_matches([',', ';', '.', ')']);
            let is_limit = LIMITS.iter().any(|limit| name.ends_with(limit));
            NOTHING.contains(&value) || is_limit && value.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    lower.split(' ').filter(|word| !is_setting(word)).collect::<Vec<_>>().join(" ")
}

/// How much a program itself makes of its line.
#[derive(PartialEq)]
pub(super) enum Level {
    /// What it does, step by step: nothing of it is trouble.
    Debug,
    /// What it reports in good order: only a known meaning counts, and no word.
    Info,
    /// Anything else.
    Any,
}

pub(super) fn level(line: &str) -> Level {
    let has = |marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
    if has(&[" DEBUG ", "[DEBUG]", "|DBG|", "level=debug"]) {
        Level::Debug
    } else if is_glog_info(line)
        || has(&[" INFO ", "[INFO]", "|INFO|", "level=info", "[INF]", "[Note]", "[System]"])
    {
        Level::Info
    } else {
        Level::Any
    }
}

/// `I200527 19:02:20.779025 ...` of programs that log as Google's do.
fn is_glog_info(line: &str) -> bool {
    line.strip_prefix('I')
        .is_some_and(|rest| rest.len() > 4 && rest.bytes().take(4).all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packages_and_files_are_no_words() {
        for (line, rest) in [
            ("x", "status installed libgpg-error-dev:amd64 1.5"),
            ("Nov 27 10:00:00 Installed: libgpg-error-1.31", "libgpg-error-1.31"),
            ("x", "[ALPM] upgraded libgpg-error (1 -> 2)"),
            ("update-alternatives 2026-11-27 10:00:00: link group failed.1.gz", "x"),
        ] {
            assert!(is_package(line, rest), "{line} {rest}");
        }
        assert!(!is_package("x", "dpkg: error processing package xyz"));
        assert_eq!(without_names("link /etc/fail.conf to dropdb.1.gz, libgpg-error-dev"), "link to");
        assert_eq!(without_names("sdq failed"), "sdq failed");
    }

    #[test]
    fn a_field_and_a_heading_report_nothing_by_their_names() {
        assert_eq!(said_of("error correction: 11 bits per 240 bytes"), "11 bits per 240 bytes");
        assert_eq!(said_of("pvs error: the label is gone"), "pvs error: the label is gone");
        assert_eq!(said_of("sdq: write failed"), "sdq: write failed");
        assert!(is_heading("tx rx in err g_eof out c3 fail sync sig"));
        assert!(is_heading("Bond state:  Who   Exp  Def  Dis  Col  Syn  Agg  Timeout"));
        assert!(!is_heading("the array has failed and no disk of it can be read"));
    }

    #[test]
    fn what_none_is_counted_of_is_left_out() {
        assert_eq!(counted("0 input errors, 7 crc errors"), " 7 crc errors");
        assert_eq!(counted("wr 2, corrupt 0"), "wr 2");
        assert_eq!(counted("the read failed at sector 0"), "the read failed at sector 0");
        assert_eq!(counted("thing: ready. soft_panic=0 timeout=30 err=-5"), "thing: ready. err=-5");
    }
}
