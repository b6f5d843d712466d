//! Words by which a line of any log tells of trouble.

/// Beginnings of words, in lower case: `fail` is in `failed` and `failure`. Words part at whatever is no letter.
const STEMS: &[&str] = &[
    "abort",
    "assert",
    "batter",
    "conflict",
    "congest",
    "corrupt",
    "deadlock",
    "degrad",
    "denied",
    "died",
    "dismount",
    "dropp",
    "error",
    "evict",
    "exception",
    "expire",
    "fail",
    "fatal",
    "fault",
    "inconsisten", // typos: as it is
    "insufficient",
    "kicking",
    "killed",
    "killing",
    "limiting",
    "lockup",
    "malicious",
    "martian",
    "mismatch",
    "offlin",
    "overflow",
    "overheat",
    "panic",
    "punctur",
    "refus",
    "reject",
    "reset",
    "segfault",
    "stall",
    "suspended",
    "throttl",
    "timedout",
    "timeout",
    "unable",
    "uncorrect",
    "unreach",
    "unreadable",
    "unrecover",
    "unrespons",
    "unstable",
    "unsupported",
    "unusable",
    "withdraw",
];
/// Whole words.
const WORDS: &[&str] = &[
    "changed",
    "critical",
    "dead",
    "down",
    "full",
    "hang",
    "hung",
    "learn",
    "lost",
    "reaped",
    "retrying",
    "slow",
    "stuck",
    "threshold",
];
/// Words that begin like one of the above and tell of none.
const NOT: &[&str] = &["failover", "failback", "failfast", "failsafe"];
/// Several words, or parts of one.
const PHRASES: &[&str] = &[
    "timed out",
    "time-out",
    "not responding",
    "not responded",
    "no response",
    "write through",
    "no 802.3ad response",
    "over max size",
    "heartbeat",
    "over heated",
    "fan has stopped",
    "issue detected",
    "page discard",
    "own address as source",
    "suspect gro",
    "bandwidth, limited by",
    "no usable path",
    "no available path",
    "too many",
    "cmci storm",
    "nmi received",
    "containment event",
    "mark as ",
    "unexpected sense",
    "medium error",
    "bad block",
    "temperature is high",
    "temperature exceeded",
    "removing handle",
    "firmware dump",
    "without any active",
    "class=delay",
    "too large",
    "behind by",
    "clock behind",
    "time jump",
    "lagging",
    "can not be",
    "giving up",
    "gave up",
    "will not",
    "no longer",
    "went away",
    "unexpected",
    "unknown state",
    "kill request",
    "csum",
    "no node with",
    "illegal",
    "fpin",
    "lip occurred",
    "no free",
    "significantly different",
    "can't",
    "couldn't",
    "/warn)",
    "/crit)",
    "unplugged",
    "dig_err",
    "emergency fallback",
    "was fenced",
    "soft threshold",
    "has fallen to",
    "far in the past",
];

/// `SELinux` or `AppArmor` refused a database's program what it asked for: the one trouble that the audit log tells of.
pub fn is_denied_to_database(lower: &str) -> bool {
    ["apparmor=\"denied\"", "avc:  denied", "selinux is preventing"].iter().any(|mark| lower.contains(mark))
        && ["mysqld", "mariadbd", "postgres", "oracle", "mongod"].iter().any(|name| lower.contains(name))
}

/// Whether a line, in lower case, holds words of trouble. `default` holds no fault, and `failover` no failure.
pub fn says_trouble(lower: &str) -> bool {
    let mut words = lower.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 2);
    let tells = |word: &str| {
        WORDS.contains(&word) || STEMS.iter().any(|stem| word.starts_with(stem)) && !NOT.contains(&word)
    };
    words.any(tells) || PHRASES.iter().any(|phrase| lower.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_trouble_begin_where_words_begin() {
        for line in ["tx_timeout", "fault_state(0x5841)!", "mmp: over heated", "rejected i/o", "100 errors"] {
            assert!(says_trouble(line), "{line}");
        }
        for line in
            ["re-mounted with default options", "bonding: failover", "carefully done", "eth0: renamed"]
        {
            assert!(!says_trouble(line), "{line}");
        }
    }
}
