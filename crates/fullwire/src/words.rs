//! The words that headlines, tables and documents use for a result: `fullwire explain` knows them as it knows codes.

mod columns;

pub(crate) use columns::COLUMNS;

/// A word of the output, or a column of another tool.
pub(crate) struct Word {
    /// As documents write it; headlines may write a space for the hyphen and capital letters. Columns that mean the same
    /// follow, separated by spaces.
    name: &'static str,
    /// One line.
    pub(crate) title: &'static str,
    /// What it means and what to do about it.
    pub(crate) text: &'static str,
}

impl Word {
    pub(crate) fn name(&self) -> &'static str {
        self.names().next().unwrap_or_default()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.name.split_whitespace()
    }
}

/// Verdicts, answers of a comparison, severities, reasons of gaps.
pub(crate) const WORDS: [Word; 36] = [
    Word {
        name: "full-wire",
        title: "verdict: the path carries at least 90 % of its lowest ceiling",
        text: "Nothing on this path is worth changing for throughput. More is possible only if the ceiling itself is \
               raised: a faster link, more links, a faster medium.",
    },
    Word {
        name: "good",
        title: "verdict: the path carries 70 to 90 % of its lowest ceiling",
        text: "The headline names what limits the rest, and what would be reached without it.",
    },
    Word {
        name: "poor",
        title: "verdict: the path carries less than 70 % of its lowest ceiling, or less than the database needs",
        text: "The headline names the cause and what remains once it is removed. A path is also poor if no ceiling is \
               known and a finding of severity warning limits it.",
    },
    Word {
        name: "not-driven",
        title: "verdict: the load did not reach a limit, so nothing is known about the path",
        text: "The measured rate was still growing with the load: a single stream or a shallow queue does not show what \
               the path can carry. Measure with more load: `fullwire net HOST --streams 4` or `fullwire disk TARGET \
               --sweep depth`. It is neither a good nor a bad result.",
    },
    Word {
        name: "unknown",
        title: "verdict: no ceiling of the path is known; of a check: a fact is missing",
        text: "The figure is right, but nothing says what it should be: a virtual NIC reports no speed that can be \
               believed, a disk no rate. Give the rate that you were promised: `--expect 10Gbit` for a network path, \
               `--expect-disk iops=3000,rate=125MB` for storage.\n\nA check is unknown if a fact that it needs could not be \
               read. `-v` lists these checks with what is missing; running as root often supplies it.",
    },
    Word {
        name: "ceiling",
        title: "the most that a layer of the path can carry, with the arithmetic that says so",
        text: "A link's speed less headers, a queue's depth over the latency, a limit that someone set. The lowest ceiling of wire \
               or medium is what the verdict compares with. `fullwire explain KIND` explains one; `-v` shows the arithmetic.",
    },
    Word {
        name: "estimate ~",
        title: "a ceiling marked with ~: its inputs are guesses or may be exceeded",
        text: "It is drawn for orientation and carries no verdict: a virtual NIC's speed, a latency that may change with the load.",
    },
    Word {
        name: "bottleneck",
        title: "what limits the path: its primary cause",
        text: "The cause that explains most of the figure, by its bound and by the counters that were read around the load. The \
               headline names it, and what would limit next.",
    },
    Word {
        name: "noise ± +-",
        title: "the ± next to a figure: half of what its repeats lie apart",
        text: "Where nothing was repeated there is no ±, and the figure says one pass: how far it scatters is not known. `--repeats 3` \
               measures it. Comparisons (`diff`, `prove`, `history --changes`) use the scatter between runs instead.",
    },
    Word {
        name: "headroom",
        title: "what is added to the redo rate for the path to be enough",
        text: "30 % of the peak unless `--headroom` says otherwise. Oracle's MAA divides the peak by 0.7, which is shown as well.",
    },
    Word {
        name: "kept",
        title: "answer: the path carries what was promised (--expect, --expect-disk)",
        text: "At least 95 % of the promise was measured: a probe of seconds knows a rate no better. `missed` says how much is missing, \
               `exceeded` by how much more was measured.",
    },
    Word {
        name: "missed",
        title: "answer: the path carries less than 95 % of what was promised (--expect, --expect-disk)",
        text: "The answer says how much is missing and what limits it. Show it to whoever promised it, with the run.",
    },
    Word {
        name: "exceeded",
        title: "answer: more was measured than was promised (--expect, --expect-disk)",
        text: "Either a cache or a burst answered, which a longer test shows (`--duration 5m`), or what was promised is not what \
               was bought.",
    },
    Word {
        name: "verdict",
        title: "how near a path comes to its lowest ceiling, or to what the database needs",
        text: "One of full-wire, good, poor, not-driven and unknown. Of several paths the worst counts.",
    },
    Word {
        name: "demand",
        title: "what a report or a running database needs of a path (--demand)",
        text: "Its redo, reads, writes and commits a second. Each figure of the path stands beside it.",
    },
    Word {
        name: "depth",
        title: "I/Os that are kept in flight at a time (qd)",
        text: "At depth 1 the figure is one divided by the latency; what a device can do shows where more no longer helps \
               (`fullwire disk TARGET --sweep depth`).",
    },
    Word {
        name: "resent",
        title: "TCP segments that were sent again",
        text: "They were lost, or arrived after others. A few at the beginning of a stream are how TCP finds the rate of a path.",
    },
    Word {
        name: "p99",
        title: "the time that 99 of 100 I/Os or messages do not exceed; p50 is the median, p99.9 leaves out one in a thousand",
        text: "A mean hides the tail for which users wait. A percentile is shown where there are enough of them to tell it.",
    },
    Word {
        name: "enough",
        title: "answer: the path carries what the database needs, with headroom",
        text: "Where a report has only means, the answer says of how long, and up to how many times the mean would still fit: the \
               true peak is higher than a mean.",
    },
    Word {
        name: "critical",
        title: "severity: data, redundancy or the service is at risk, or the path is down",
        text: "Fix it first. The exit status is 1 with `--fail-on critical`, the default of all but `net`, `disk` and `mtu`.",
    },
    Word {
        name: "warning",
        title: "severity: it costs performance, or it will cause a fault under load",
        text: "Fix it in the next maintenance window, or waive it with a reason (`--waivers FILE`).",
    },
    Word {
        name: "info",
        title: "severity: worth knowing; no action is urgent",
        text: "Settings that differ from recommendations without a measured effect, and consequences of another finding.",
    },
    Word {
        name: "better",
        title: "comparison: the difference is larger than the noise and larger than what matters",
        text: "The interval of the change excludes zero in the good direction. What matters is 3 % for throughput and 5 % \
               for the median latency; `--delta` changes it.",
    },
    Word {
        name: "worse",
        title: "comparison: the difference is larger than the noise, in the bad direction",
        text: "`fullwire diff` lists the settings that differ between both sides, first those that affect a check or a \
               ceiling.",
    },
    Word {
        name: "same",
        title: "comparison: no difference that matters",
        text: "The interval of the change lies within what matters (`--delta`). A smaller difference may exist.",
    },
    Word {
        name: "cannot-tell",
        title: "comparison: the runs differ too much among themselves",
        text: "The interval contains both no change and a change that matters. The line says how many more runs would \
               settle it.",
    },
    Word {
        name: "not-comparable",
        title: "comparison: the two sides did not measure the same thing",
        text: "Another target, mode, block size, duration or number of streams: repeat one side with the options of the \
               other.",
    },
    Word {
        name: "gap",
        title: "something that could not be read or measured, with the reason",
        text: "A gap never fails a run and is never hidden. Checks that need the missing fact are unknown, not passed.",
    },
    Word {
        name: "denied",
        title: "gap: permission is missing",
        text: "Run as root to close it. What the run does without root is right, but fewer checks can be decided.",
    },
    Word {
        name: "absent",
        title: "gap: this host does not have it",
        text: "The kernel is older, a module is not loaded, or a tool is not installed. The detail says which.",
    },
    Word {
        name: "unsupported",
        title: "gap: the kernel or the device has it but does not report it",
        text: "Nothing on this host changes that. Where a rate is missing, give it with `--expect` or `--expect-disk`.",
    },
    Word {
        name: "timeout",
        title: "gap: it did not answer within its time",
        text: "A device, a mount or a peer that does not answer. If it is storage, look for a finding about a suspended \
               device, a frozen file system or an NFS server that does not respond.",
    },
    Word {
        name: "malformed",
        title: "gap: it was read and makes no sense",
        text: "A file in a format that this version does not know, or one that was cut. Please report it.",
    },
    Word {
        name: "skipped",
        title: "gap: it was left out on purpose",
        text: "An option, a limit or safety prevented it. The detail says which.",
    },
    Word {
        name: "interrupted",
        title: "a signal ended the run early",
        text: "What was measured until then is shown and marked, in text, JSON and on the page. The exit status is 130.",
    },
    Word {
        name: "refuted",
        title: "a ceiling that the measurement exceeded by more than 10 %",
        text: "One of its inputs is wrong: an outdated link speed, another interface, a rate given too low with \
               `--expect`. It is shown and not used for the verdict.",
    },
];

/// The word of this name, however it is written: `not-driven`, `NOT DRIVEN`.
pub(crate) fn word(name: &str) -> Option<&'static Word> {
    let name = name.to_lowercase().replace(' ', "-");
    words().find(|word| word.names().any(|own| own.eq_ignore_ascii_case(&name)))
}

/// All of them.
pub(crate) fn words() -> impl Iterator<Item = &'static Word> {
    WORDS.iter().chain(&COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::GapReason as G;
    use fullwire_model::assessment::{Severity, Verdict};
    use fullwire_model::comparison::Answer;
    use fullwire_rules::ceiling;
    use serde::Serialize;

    fn as_written(value: impl Serialize) -> String {
        serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
    }

    #[test]
    fn every_result_that_is_shown_has_its_word() {
        let verdicts =
            [Verdict::FullWire, Verdict::Unknown, Verdict::NotDriven, Verdict::Good, Verdict::Poor];
        let answers =
            [Answer::Better, Answer::Same, Answer::CannotTell, Answer::NotComparable, Answer::Worse];
        let severities = [Severity::Info, Severity::Warning, Severity::Critical];
        let gaps = [G::Denied, G::Absent, G::Unsupported, G::Timeout, G::Malformed, G::Skipped];
        let shown = verdicts.map(as_written).into_iter().chain(answers.map(as_written));
        let shown = shown.chain(severities.map(as_written)).chain(gaps.map(as_written));
        for name in shown {
            assert!(word(&name).is_some(), "{name}");
        }
        assert_eq!(word("NOT DRIVEN").map(Word::name), Some("not-driven"));
    }

    #[test]
    fn the_columns_of_other_tools_are_explained_and_point_to_what_exists() {
        // The headings of iostat -x, vmstat and sar -A (sysstat 12), of iperf3, fio and bonnie++.
        let headings = "svctm await avgqu-sz %util avgrq-sz wa b txqueuelen \
            r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz d/s d_await f/s f_await aqu-sz \
            r swpd buff cache si so bi bo in cs us sy id st \
            %user %nice %system %iowait %steal %idle proc/s cswch/s pswpin/s pgpgin/s fault/s majflt/s pgscank/s %vmeff \
            tps bread/s kbmemfree %memused %commit runq-sz plist-sz ldavg-1 blocked rxpck/s rxkB/s %ifutil \
            rxerr/s coll/s rxdrop/s txcarr/s rxfram/s rxfifo/s call/s retrans/s \
            Retr Cwnd jitter lost/total slat clat lat bw iops %CP +++++ mdev LIO PIO";
        for name in headings.split_whitespace().chain(["Load average"]) {
            assert!(word(name).is_some(), "{name}");
        }
        for column in &COLUMNS {
            assert!(column.text.contains("Here: "), "{} says what to look at instead", column.name);
        }
    }

    #[test]
    fn a_name_means_one_thing() {
        let mut seen = std::collections::BTreeSet::new();
        for name in words().flat_map(Word::names) {
            assert!(seen.insert(name.to_lowercase()), "{name}");
            let taken = fullwire_rules::rule(name).is_some() || ceiling::kind(name).is_some();
            assert!(!taken && fullwire_mesh::code(name).is_none(), "{name}");
        }
    }
}
