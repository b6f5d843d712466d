use crate::said::{Entry, number};
use fullwire_model::LoggedLine;

mod chain;
use chain::chain;

rule! {
    /// # What it checks
    /// Passes when no line of the logs and outputs given reports trouble that is known here: lines of the kernel, its drivers,
    /// RAID controllers, cluster and storage software, and databases. Of a line that the table does not know, its writer and its
    /// verb tell what kind of trouble it is; where neither is known it is shown as a note.
    /// # Why it matters
    /// One line often names the layer at fault, long before any figure shows it.
    /// # Evidence
    /// The line itself, how often lines like it were logged, and the longest time that one names.
    /// # Remedy
    /// By what the line reports; each finding says it, and the source that it is from.
    /// # Source
    /// Beside each line of the table: the kernel's and drivers' own sources, and the vendors' message references.
    code: "log-line",
    title: "a line of a log or an output reports trouble",
    layer: Host, severity: Critical,
    on: [Adapter, Bond, Disk, File, IscsiSession, MultipathMap, Nic, NvmeController, RemotePort],

    /// Unknown lines that are shown, and findings of known ones.
    const MOST: usize = 12;

    /// Characters of a line that a sentence quotes.
    const QUOTED: usize = 120;

    /// What says that something failed and not what: it follows what tells more. An I/O that failed tells more than the end
    /// of the instance.
    const GENERAL: [&str; 12] =
        ["disk-reset", "io-error", "archiving", "short-file", "crash", "ended", "internal", "os-refused", "ceph-in-error", "smart-reallocated", "rman-job", said::STANDBY_LAG];
}

/// An entry, what it is about, and the lines that it knows.
type Known<'a> = (&'static Entry, Subject, Vec<&'a LoggedLine>);

fn check(run: &Facts) -> Vec<Outcome> {
    if run.logged.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Known> = Vec::new();
    let mut unknown: Vec<&LoggedLine> = Vec::new();
    let mut unread: Vec<Outcome> = Vec::new();
    for line in run.logged.iter().filter(|line| !said::is_judged(line)) {
        let lower = line.text.to_lowercase();
        let Some(entry) = said::of_any(line, &run.logged).or_else(|| said::by_words(&line.text)) else {
            unknown.push(line);
            continue;
        };
        match entry.least.map(|(behind, least)| number(&lower, behind).map(|number| number < least)) {
            _ if entry.is_harmless() => continue,
            Some(Some(true)) => continue,
            // A share of nothing.
            Some(None) if entry.least.is_some_and(|(behind, _)| behind.contains('÷')) => continue,
            Some(None) => {
                unread.push(unknown!("{}: the number in \"{}\" could not be read", line.source, line.text));
                continue;
            }
            _ => {}
        }
        let subject = subject(&lower).map_or_else(|| file(&line.source), |name| said::thing(&name));
        match found.iter_mut().find(|(known, about, _)| known.name == entry.name && *about == subject) {
            Some((.., lines)) => lines.push(line),
            None => found.push((entry, subject, vec![line])),
        }
    }
    found = once(found);
    // Where an array has lost too many members, the advice for one of its disks would lose the rest.
    if found.iter().any(|(entry, ..)| entry.name == said::STOPPED_ARRAY) {
        found.retain(|(entry, subject, _)| {
            entry.name == said::STOPPED_ARRAY || !matches!(subject.kind, Kind::Disk | Kind::Adapter)
        });
    }
    // Of many the worst are shown; after an oops nothing else of the kernel can be relied on.
    let general = |name: &str| GENERAL.iter().position(|known| *known == name).map_or(0, |place| 1 + place);
    let place = |name: &str| if name == "kernel-oops" { 0 } else { 1 + general(name) };
    found.sort_by_key(|(entry, ..)| (std::cmp::Reverse(entry.severity), place(entry.name)));
    let chain = chain(&found, &run.logged);
    let mut outcomes: Vec<Outcome> = Vec::new();
    for (place, one) in found.iter().enumerate().take(MOST) {
        match &chain {
            Some(chain) if chain.cause == place => outcomes.insert(0, chain.first(run, one).into()),
            // Worth knowing, and no more.
            Some(chain) if chain.effects.contains(&place) => {
                outcomes.push(fires(run, one).severity(Severity::Info).into());
            }
            _ => outcomes.push(fires(run, one).into()),
        }
    }
    outcomes.append(&mut unread);
    outcomes.extend(not_known(&unknown));
    if outcomes.is_empty() { vec![Outcome::Passes] } else { outcomes }
}

/// What several lines say of one file system's end, told once.
fn once(found: Vec<Known>) -> Vec<Known> {
    let stage = |entry: &Entry| said::STAGES.iter().position(|name| *name == entry.name);
    let mut kept: Vec<Known> = Vec::new();
    for (entry, subject, lines) in found {
        let same = kept
            .iter_mut()
            .find(|(other, about, _)| *about == subject && stage(other).is_some() && stage(entry).is_some());
        match same {
            Some(known) => {
                if stage(entry) > stage(known.0) {
                    known.0 = entry;
                }
                known.2.extend(lines);
            }
            None => kept.push((entry, subject, lines)),
        }
    }
    kept
}

fn times(lines: &[&LoggedLine]) -> u64 {
    lines.iter().map(|line| line.count).fold(0, u64::saturating_add)
}

fn fires(run: &Facts, known: &Known) -> Finding {
    let (entry, subject, lines) = known;
    let longest = |line: &LoggedLine| line.longest_s.unwrap_or(0.0);
    // Of rows that have a figure the largest.
    let figure = |line: &LoggedLine| number(&line.text, " is=").unwrap_or(0.0);
    let by = |a: &&&LoggedLine, b: &&&LoggedLine| {
        longest(a).total_cmp(&longest(b)).then(figure(a).total_cmp(&figure(b)))
    };
    let worst = lines.iter().max_by(by).copied().unwrap_or(lines[0]);
    let most =
        |behind| lines.iter().filter_map(|line| number(&line.text.to_lowercase(), behind)).reduce(f64::max);
    let value = entry.least.and_then(|(behind, _)| most(behind));
    let value = value.map_or_else(String::new, plain);
    let longest = worst.longest_s.map_or_else(|| "a long time".to_owned(), seconds);
    // A file is no device that something happened to.
    let about = if subject.kind == Kind::File { "a device".to_owned() } else { subject.to_string() };
    let said = entry.message(&about, &worst.text, &value, &longest);
    let often = match (times(lines), stamps(lines)) {
        (0 | 1, None) => String::new(),
        (0 | 1, Some((first, _))) => format!(" ({first})"),
        (times, None) => format!(" ({times} lines)"),
        (times, Some((first, last))) => format!(" ({times} lines, {first} to {last})"),
    };
    // Where no device is named, the line itself tells what it is about, but for a row whose figures are said already.
    let is_row = worst.text.split_once(": ").is_some_and(|(_, rest)| {
        rest.split_whitespace().next().is_some_and(|cell| cell.contains('=') && !cell.starts_with('='))
    });
    let is_said = entry.says.contains('{') && worst.first.is_empty() && is_row;
    let itself = if subject.kind == Kind::File && !is_said {
        format!(": {}", quoted(&worst.text))
    } else {
        String::new()
    };
    let mut finding = finding!(subject.clone(), "{said}{often}{itself}");
    finding.layer = entry.layer.or_else(|| said::layer_of(subject.kind)).unwrap_or(RULE.layer);
    finding = finding.severity(severity(known));
    for line in lines.iter().take(4) {
        let count = if line.count > 1 { format!(" ({} such lines)", line.count) } else { String::new() };
        finding = finding.evidence(format!("{}{count}", line.text), &line.source);
    }
    let finding = finding.advice(entry.advice(&run.host));
    // The state of the session says the same, and for certain.
    facts::lost::Lost::takes(facts::lost::lost_session_named(run, &worst.text).as_ref(), finding, false)
}

/// What happened to a device that the line names is no note; what is known of a kind of lines may be one.
fn severity((entry, _, lines): &Known) -> Severity {
    let own = entry.severity_of(|| times(lines)).unwrap_or(Severity::Warning);
    if entry.has_subject() { own } else { own.max(Severity::Warning) }
}

/// The first and the last stamp.
fn stamps<'a>(lines: &[&'a LoggedLine]) -> Option<(&'a str, &'a str)> {
    let first = lines.iter().map(|line| line.first.as_str()).find(|stamp| !stamp.is_empty())?;
    let last = lines.iter().rev().map(|line| line.last.as_str()).find(|stamp| !stamp.is_empty())?;
    Some((first, last))
}

/// Lines that sound like trouble, and of which neither the writer nor what they say is known.
fn not_known(lines: &[&LoggedLine]) -> Option<Outcome> {
    let first = quoted(&lines.first()?.text);
    let what = match times(lines) {
        1 => "a line looks like trouble but is not known to fullwire; it".to_owned(),
        count => format!("{count} lines look like trouble but are not known to fullwire; one"),
    };
    let mut finding =
        finding!(file(&lines[0].source), "{what} may be the cause: {first}").severity(Severity::Info);
    for line in lines.iter().take(MOST) {
        finding = finding.evidence(line.text.clone(), &line.source);
    }
    let advice = because("What is not known is shown, not judged.")
        .now("Search the vendor's support site for the first line");
    Some(finding.advice(advice.expecting("the line does not appear again")).into())
}

/// The beginning of a line, of a long one up to the end of a word.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        None => text.to_owned(),
        Some((end, _)) => {
            let end = text[..end].rfind(' ').unwrap_or(end);
            format!("{} \u{2026}", &text[..end])
        }
    }
}

/// `7.6 s`, `850 ms`
fn seconds(value: f64) -> String {
    if value < 1.0 {
        format!("{:.0} ms", value * 1e3)
    } else if value < 100.0 {
        format!("{value:.1} s")
    } else {
        format!("{value:.0} s")
    }
}

fn plain(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

fn file(source: &str) -> Subject {
    Kind::File.named(source.rsplit('/').next().unwrap_or(source))
}

/// Beginnings of names of devices, each followed by a digit or by letters of a disk.
const NUMBERED: [&str; 27] = [
    "loop", "nbd", "rbd", "zram", "session", "nvme", "ata", "mpt2sas", "mpt3sas", "bond", "eth", "ens",
    "enp", "eno", "em", "md", "dm-", "osd.", "connection", "mmcblk", "ib", "host", "drbd", "mpath", "rport-",
    "emcpower", "team",
];

/// The journal of a file system has a name of its own, by the device: `jbd2/dm-3-8`, `xfsaild/dm-3`, `device dm-3-8`.
const JOURNALS: [&str; 5] =
    ["jbd2/", "xfsaild/", "xfs-log/", "aborting journal on device ", "journal superblock for "];

/// The device that a line names.
fn subject(lower: &str) -> Option<String> {
    let is_separator = |c: char| {
        c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | ',' | '=' | '\'' | '"' | '<' | '>' | '!')
    };
    let words = || {
        lower
            .split(is_separator)
            .map(|word| word.trim_matches([':', '.', ';', '/']))
            .filter(|word| word.len() > 2)
    };
    let is_disk = |word: &str| {
        let word = word.strip_prefix("/dev/").unwrap_or(word);
        let rest = ["xvd", "sd", "vd"].iter().find_map(|start| word.strip_prefix(start));
        word != "vdev"
            && rest.is_some_and(|rest| {
                let letters = rest.trim_end_matches(|c: char| c.is_ascii_digit());
                (1..=3).contains(&letters.len()) && letters.bytes().all(|byte| byte.is_ascii_lowercase())
            })
    };
    let is_numbered = |word: &str| {
        NUMBERED.iter().any(|start| {
            word.strip_prefix(start).is_some_and(|rest| {
                let rest = rest.trim_start_matches("_cm");
                rest.starts_with(|c: char| c.is_ascii_digit()) && rest.len() < 16
                    || (["mpath", "emcpower"].contains(start)
                        && rest.len() < 6
                        && !rest.is_empty()
                        && rest != "d")
            })
        })
    };
    let server = || lower.split_once("nfs: server ")?.1.split_whitespace().next();
    // The member of a bond, not the bond.
    let member = ["(slave ", "down for interface "].iter().find_map(|before| {
        let (_, rest) = lower.split_once(before)?;
        rest.split([')', ',', ' ']).next()
    });
    // `2:0:0:1` of the SCSI layer, `0000:05:00.0` of PCI.
    let is_address = |word: &str| {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let parts: Vec<&str> = word.split([':', '.']).collect();
        // `22:55:20.815` is a time.
        let of_pci = || word.matches(':').count() == 2 && parts[0].len() == 4 && parts[3].len() == 1;
        parts.len() == 4 && parts.iter().all(|part| digits(part)) && (!word.contains('.') || of_pci())
    };
    let journal = JOURNALS.iter().find_map(|task| {
        let name = lower.split_once(task)?.1.split([':', ' ', ']']).next()?.trim_end_matches('.');
        Some(name.rsplit_once('-').map_or(name, |(device, number)| {
            if number.parse::<u32>().is_ok() && device != "dm" { device } else { name }
        }))
    });
    let device = member
        .or(journal)
        .or_else(|| words().find(|word| is_disk(word)))
        .or_else(|| words().find(|word| is_numbered(word)))
        .or_else(server)
        .or_else(|| words().find(|word| is_address(word)))?;
    Some(device.trim_start_matches("/dev/").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::host::IscsiSession;

    /// The lines by which a file system ends are one finding, by its last stage.
    #[test]
    fn the_end_of_a_file_system_is_told_once() {
        let line = |text: &str| LoggedLine { text: text.into(), count: 1, ..LoggedLine::default() };
        let lines = [
            "XFS (dm-7): log I/O error -5",
            "XFS (dm-7): Log I/O Error Detected. Shutting down filesystem",
            "XFS (dm-8): log I/O error -5",
        ];
        let run = Run { logged: lines.iter().map(|text| line(text)).collect(), ..Run::default() };
        let told: Vec<String> = crate::assess(&run).findings.into_iter().map(|one| one.message).collect();
        assert_eq!(told.len(), 2, "{told:#?}");
        assert!(
            told[0].starts_with("XFS shut the file system down") && told[0].contains("(2 lines)"),
            "{told:#?}"
        );
        assert!(told[1].contains("could not write to its device"), "{told:#?}");
    }

    /// What a standby's broker says of its lag comes behind what stopped it, and is told once.
    #[test]
    fn what_stopped_a_standby_comes_before_its_lag() {
        let line = |text: &str| LoggedLine { text: text.into(), ..LoggedLine::default() };
        let lines = [
            "Apply Lag: 3 hours 12 minutes 41 seconds (computed 1 second ago)",
            "ORA-16853: apply lag has exceeded specified threshold",
            "ORA-16766: Redo Apply is stopped",
        ];
        let run = Run { logged: lines.iter().map(|text| line(text)).collect(), ..Run::default() };
        let told: Vec<String> = crate::assess(&run).findings.into_iter().map(|one| one.message).collect();
        assert_eq!(told.len(), 2, "{told:#?}");
        assert!(told[0].starts_with("redo apply of the standby is stopped"), "{told:#?}");
    }

    /// A link falls, the session over it does not come back, its disk is given up: the link is the cause, whatever is worst.
    #[test]
    fn the_first_and_lowest_of_a_chain_is_its_cause() {
        let told = |lines: &[(&str, &str)]| {
            let line = |(stamp, text): &(&str, &str)| LoggedLine {
                text: (*text).into(),
                first: (*stamp).into(),
                last: (*stamp).into(),
                ..LoggedLine::default()
            };
            let run = Run { logged: lines.iter().map(line).collect(), ..Run::default() };
            crate::assess(&run).findings
        };
        let chain = [
            ("Dec 24 08:03:14", "igb 0000:07:00.0 eth7: igb: eth7 NIC Link is Down"),
            ("Dec 24 08:03:28", "connection7:0: detected conn error (1022)"),
            ("Dec 24 08:05:28", "sd 7:0:0:0: rejecting I/O to offline device"),
        ];
        let found = told(&chain);
        assert_eq!(found[0].subject, "eth7", "{found:#?}");
        assert!(found[0].message.contains("7:0:0:0"), "{}", found[0].message);
        assert!(found[1..].iter().all(|one| one.severity == Severity::Info));
        // A port whose link comes back is a note, but for what it brings about.
        let fabric = [
            ("Jun  3 02:14:11", "qla2xxx [0000:05:00.0]-500b:7: LOOP DOWN detected (2 7 0 0)."),
            (
                "Jun  3 02:14:41",
                "rport-7:0-2: blocked FC remote port time out: removing target and saving binding",
            ),
            ("Jun  3 02:14:42", "multipathd: mpathd: remaining active paths: 2"),
        ];
        let found = told(&fabric);
        assert_eq!(
            (&*found[0].subject, found[0].severity),
            ("0000:05:00.0", Severity::Warning),
            "{found:#?}"
        );
        assert_eq!(told(&fabric[..1])[0].severity, Severity::Info);
        let hung = [
            ("2026-11-30T14:02:11", "nvme nvme7: I/O 12 QID 8 timeout, reset controller"),
            ("2026-11-30T14:04:12", "INFO: task postgres:812 blocked for more than 122 seconds."),
        ];
        let found = told(&hung);
        assert_eq!((&*found[0].subject, found[0].severity), ("nvme7", Severity::Critical), "{found:#?}");
        assert!(found[1..].iter().all(|one| one.severity == Severity::Info), "{found:#?}");
        // An hour later, or before the link: each stands for itself.
        for other in ["Dec 24 09:05:28", "Dec 24 08:01:28"] {
            let mut lines = chain.to_vec();
            lines.remove(1);
            lines[1].0 = other;
            if other < lines[0].0 {
                lines.swap(0, 1);
            }
            let found = told(&lines);
            assert!(found.iter().all(|one| one.severity >= Severity::Warning), "{other}");
        }
    }

    /// A node that lost its peer or its disk is told of by several lines: one cause, and what came of it.
    #[test]
    fn a_mirror_that_loses_its_peer_or_its_disk_has_one_cause() {
        let told = |lines: &[&str]| {
            let line = |text: &&str| LoggedLine { text: (*text).into(), count: 1, ..LoggedLine::default() };
            crate::assess(&Run { logged: lines.iter().map(line).collect(), ..Run::default() }).findings
        };
        let peer = told(&[
            "drbd pg n2: PingAck did not arrive in time.",
            "drbd pg n2: conn( Connected -> NetworkFailure ) peer( Secondary -> Unknown )",
            "drbd pg/0 drbd5: quorum( yes -> no )",
            "INFO: task postgres:77 blocked for more than 122 seconds. [waits in drbd_make_request]",
        ]);
        assert!(peer[0].message.starts_with("a DRBD resource lost the connection"), "{peer:#?}");
        assert!(peer[0].message.ends_with("; drbd5 failed with it"), "{}", peer[0].message);
        assert_eq!(peer[0].severity, Severity::Critical);
        assert!(peer[1..].iter().all(|one| one.severity == Severity::Info), "{peer:#?}");
        let disk = told(&[
            "blk_update_request: critical medium error, dev sdq, sector 77 op 0x1:(WRITE)",
            "drbd pg/0 drbd5: local WRITE IO error sector 77+8 on sdq",
            "drbd pg/0 drbd5: disk( UpToDate -> Failed )",
            "drbd pg/0 drbd5: disk( Failed -> Diskless )",
        ]);
        assert_eq!(disk[0].subject, "sdq", "{disk:#?}");
        assert!(disk[0].message.ends_with("; drbd5 failed with it"), "{}", disk[0].message);
        assert!(disk[1..].iter().all(|one| one.severity == Severity::Info), "{disk:#?}");
        let alone = told(&[
            "drbd pg/0 drbd5: disk( UpToDate -> Failed )",
            "drbd pg/0 drbd5: disk( Failed -> Diskless )",
        ]);
        assert_eq!(alone.len(), 1, "{alone:#?}");
        assert_eq!(alone[0].severity, Severity::Warning);
    }

    /// An instance that ends itself says so first, and why only then.
    #[test]
    fn the_io_that_failed_comes_before_the_end_of_the_instance() {
        let line = |text: &str| LoggedLine { text: text.into(), count: 1, ..LoggedLine::default() };
        let lines = [
            "LGWR: terminating instance due to error 340",
            "ORA-00345: redo log write error block 7 count 3",
        ];
        let run = Run { logged: lines.map(line).into(), ..Run::default() };
        let found = crate::assess(&run).findings;
        assert!(found[0].message.starts_with("a read or write of the database failed"), "{found:#?}");
    }

    /// Light that is lost once is a cable that was moved; light that comes and goes is one that fails.
    #[test]
    fn a_port_of_the_fabric_that_comes_and_goes_is_no_note() {
        let of = |count| {
            let text = "qla2xxx [0000:41:00.1]-500b:5: LOOP DOWN detected (2 7 0 0).".into();
            let logged = vec![LoggedLine { text, count, ..LoggedLine::default() }];
            crate::assess(&Run { logged, ..Run::default() }).findings[0].severity
        };
        assert_eq!((of(1), of(2), of(3)), (Severity::Info, Severity::Info, Severity::Warning));
    }

    /// One lost session is one finding, however many lines tell of it.
    #[test]
    fn lines_of_a_session_that_is_lost_follow_from_it() {
        let line =
            LoggedLine { text: "connection2:0: detected conn error (1022)".into(), ..LoggedLine::default() };
        let of = |state: &str| {
            let session =
                IscsiSession { name: "session2".into(), state: state.into(), ..IscsiSession::default() };
            let host = Host { iscsi_sessions: vec![session], ..Host::default() };
            let run = Run { host, logged: vec![line.clone()], ..Run::default() };
            let found = crate::assess(&run).findings;
            found.iter().find(|one| one.code == "log-line").map(|one| one.severity)
        };
        assert_eq!((of("FREE"), of("LOGGED_IN")), (Some(Severity::Info), Some(Severity::Warning)));
    }

    #[test]
    fn the_device_of_a_line_is_its_subject() {
        let of = |text: &str| subject(&text.to_lowercase());
        let is = |text: &str, name: &str| assert_eq!(of(text).as_deref(), Some(name), "{text}");
        is("sd 0:0:11:0: [sdl] Sense Key : Medium Error [current]", "sdl");
        is("end_request: critical medium error, dev sdl, sector 657746440", "sdl");
        is("nvme nvme0: controller is down; will reset: CSTS=0xffffffff", "nvme0");
        is("ata4.00: failed command: FLUSH CACHE EXT", "ata4.00");
        is("mpt2sas0: fault_state(0x5841)!", "mpt2sas0");
        is("connection1:0: detected conn error (1022)", "connection1:0");
        is("nfs: server nas01 not responding, still trying", "nas01");
        is("bonding: bond0: Warning: No 802.3ad response", "bond0");
        is("pcieport 0000:05:00.0: AER: error", "0000:05:00.0");
        is("sd 2:0:0:1: rejecting I/O", "2:0:0:1");
        is("INFO: task jbd2/sdx1-8:404 blocked for more than 120 seconds.", "sdx1");
        is("INFO: task jbd2/dm-3-8:404 blocked for more than 120 seconds.", "dm-3");
        is("INFO: task xfsaild/dm-3:404 blocked for more than 120 seconds.", "dm-3");
        is("Aborting journal on device dm-3-8.", "dm-3");
        assert_eq!(of("Out of memory: Killed process 7 (java)"), None);
        assert_eq!(of("Thu | 2022-12-29 22:55:20.815 GMT [17528] LOG: terminating"), None);
    }

    #[test]
    fn a_number_stands_behind_its_words() {
        let line = "busy:60010ms rwnd_limited:58930ms(98.2%) unacked:45";
        assert_eq!(number(line, "rwnd_limited:*("), Some(98.2));
        assert_eq!(number("write=72.542 s, sync=17.164 s", "sync="), Some(17.164));
        assert_eq!(number("no such thing", "sync="), None);
        assert_eq!(number("| innodb_log_waits     | 84213 |", "innodb_log_waits"), Some(84_213.0));
    }
}
