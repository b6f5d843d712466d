//! Lines of outputs that mean something together: each becomes one line in the words of the output, for the tables to know.

mod clocks;
mod csv;
mod figures;
mod forms;
mod hung;
pub(crate) mod listed;
mod maps;
mod network;
mod nfs;
mod past;
mod replication;
mod settings;
mod traced;
mod volumes;

use crate::{clock, page, sheet};
use fullwire_model::host::errno::is_of_oracle;
use fullwire_model::host::words::Words;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use figures::{
    disk_totals, histograms, interrupts, numbered_sense, one_by_one, power_histograms, rings,
    smart_attributes,
};
use network::{answers, lost_from_hop, offloads, routes, sized_pings, traced_mtu, unmonitored};

/// A statement that took less is not slow, whatever it waited for: a log may have been told to have all, s (own choice).
pub(crate) const SLOW_S: f64 = 1.0;

/// Characters of a line that are kept.
pub(crate) const LONGEST: usize = 600;

/// Rewrites lines that mean something together.
type Join = fn(&mut Vec<String>);

/// What a text must hold one of, and what several of its lines then mean together.
const DERIVED: [(&[&str], Join); 54] = [
    (&["RPC iostats version"], nfs::operations),
    (&["path_grouping_policy", "no_path_retry", "queue_if_no_path"], settings::multipath),
    (&["clat ("], traced::completions),
    (&["LAT(ms)", "LATms", "LADDR:LPORT"], one_by_one),
    (&["Lag in MB"], replication::timelines),
    (&[": count ", ": I/O ", "|@"], power_histograms),
    (&["CPU0 "], interrupts),
    (&["of NTP time"], |lines| clocks::tracking(lines)),
    (&[" refid "], clocks::ntpq),
    (&["MS Name/IP address"], clocks::chronyc),
    (&["nfs: server"], past::answered),
    (&["Ring parameters for "], rings),
    (&["disk- ---", "       0 ", " milli "], disk_totals),
    (&["PING ", "packets transmitted"], sized_pings),
    (&["icmp_seq="], answers),
    (&["traceroute to "], routes),
    (&["pmtu "], traced_mtu),
    (&[".|--"], lost_from_hop),
    (&["thin-pool", " multipath ", "wi-", "wI-", "wc-", "wn-", "wl-", "ri-", "Ri-"], pools),
    (&["_timed"], shares),
    (&["cannot allocate new log"], standstills),
    (&["advanced to log sequence"], figures::switches),
    (&["  01  ", " 01 02 ", " h1 ", " H01 "], figures::by_hour),
    (&["Features for "], offloads),
    (&["ora."], resources),
    (&["Critical Warning:"], figures::worn),
    (&["critical_warning"], figures::smart_log),
    (&["PERCENT_SPACE_USED", "percent_space_used"], figures::recovery_area),
    (&["% of total activity"], traced::findings_of_addm),
    (&[" ##,##"], maps::left_over),
    (&["FLASH_", " normal"], volumes::cell_disks),
    (&["> mtu "], network::stacked),
    (&["Seconds_Behind_"], replication::behind),
    (&["Isr: "], replication::in_sync),
    (&["Event waited on"], traced),
    (&["# Query_time: "], traced::slow_queries),
    (&[" protocol:op_"], traced::slow_operations),
    (&["I/O Timings:"], traced::reads_of_a_plan),
    (&["# Status Counters"], |lines| traced::counters_of_mysql(lines)),
    (&[" free: "], traced::nodes_of_memory),
    (&["reinstated"], reinstated),
    (&["view_id(PRIM"], past::joining),
    (&["clear logfile"], past::cleared),
    (&["Recovered page"], past::recovered),
    (&["read error corrected"], past::corrected),
    (&["found valid data"], past::read_again),
    (&["not ready after error recovery"], past::given_up),
    (&["Pending flushes (fsync)", "pending log flushes"], flushing),
    (&["unrecognized board ID"], past::of_others),
    (&["BONDING_OPTS="], unmonitored),
    (&["_bucket{"], histograms),
    (&[" - ", " NOW"], smart_attributes),
    (&["=0x", " : 0x"], numbered_sense),
    (
        &[
            "RAID", "vol_id", " raid ", " Volume ", "Array State", "ogical drive", "olume state", "GB ",
            "   array ", "operation  ", "HDD", " SSD ",
        ],
        volumes::volumes,
    ),
];

/// Which of [`DERIVED`] a text has the signs of, in one search: logs are long, and a long one has none of most.
fn derived(text: &str) -> impl Iterator<Item = Join> {
    static SIGNS: LazyLock<Words> =
        LazyLock::new(|| Words::new(DERIVED.iter().flat_map(|(signs, _)| *signs)));
    let owners = DERIVED.iter().enumerate().flat_map(|(place, (signs, _))| signs.iter().map(move |_| place));
    let owners: Vec<usize> = owners.collect();
    let mut found = [false; DERIVED.len()];
    for (sign, _) in SIGNS.found_in(text) {
        found[owners[sign]] = true;
    }
    DERIVED.iter().zip(found).filter(|(_, found)| *found).map(|((_, join), _)| *join)
}

/// One flush of `InnoDB`'s log is under way at most moments of a server that commits: it tells of trouble where none completes.
fn flushing(lines: &mut Vec<String>) {
    let stands =
        [" 0.00 fsyncs/s", " 0.00 writes/s"].iter().any(|rate| lines.iter().any(|line| line.contains(rate)));
    for line in lines {
        if line.starts_with("Pending flushes (fsync) log: 1;") && !stands {
            *line = line.replacen("log: 1;", "log: 0;", 1);
        } else if let (Some((_, rest)), true) = (line.split_once(", flush list "), stands) {
            *line = format!("InnoDB writes pages pending={rest}");
        }
    }
}

/// Waits of a traced statement below their heading: `tkprof: log file sync takes 12.1 ms, 811 times`.
fn traced(lines: &mut Vec<String>) {
    let first = lines.iter().position(|line| line.starts_with("Event waited on")).unwrap_or(lines.len());
    let wait = |line: &String| {
        let mut words = line.split_whitespace().rev();
        let (total_s, _, times) = (words.next()?, words.next()?.parse::<f64>().ok()?, words.next()?);
        let (total_s, times) =
            (total_s.parse::<f64>().ok()?, times.parse::<f64>().ok().filter(|times| *times >= 10.0)?);
        let name = line.split("  ").next()?;
        Some(format!("tkprof: {name} takes {:.1} ms, {times:.0} times", total_s / times * 1e3))
    };
    let told: Vec<String> = lines.iter().skip(first).filter_map(wait).collect();
    lines.extend(told);
}

/// multipathd counts the paths of a map when one comes back too: that is no trouble.
fn reinstated(lines: &mut Vec<String>) {
    let mut back = false;
    lines.retain(|line| {
        let counts = line.contains("remaining active paths");
        let drop = counts && back && !line.ends_with(": 0");
        back = line.contains("reinstated") || line.contains("path is up") || (back && counts);
        !drop
    });
}

/// The lines of a text: those of a socket in one, and a group of a multipath map with its map and its paths.
pub(crate) fn joined(text: &str) -> Vec<String> {
    let text = &*csv::as_text(text);
    let mut lines: Vec<String> = Vec::new();
    let mut map = maps::Map::default();
    let (mut headings, mut inodes) = (Headings::default(), false);
    let mut hung = hung::Hung::default();
    let listed = listed::read(text);
    for (number, line) in text.lines().map(unquoted).enumerate() {
        if listed.at.contains(&number) || hung.takes(line, &mut lines) {
            continue;
        }
        let plain = page::plain(line);
        let bare = plain.trim();
        let indented = plain.starts_with([' ', '\t']);
        let of_socket = lines.last().is_some_and(|last| last.contains("ESTAB") || last.contains(" rto:"));
        if map.takes(bare, &mut lines) {
            continue;
        }
        let heading = headings.of(line);
        if bare.starts_with("Filesystem") {
            inodes = bare.contains("IUse%") || bare.contains("iused");
        }
        match lines.last_mut() {
            Some(last) if indented && of_socket && last.len() < 4 * LONGEST => {
                last.push(' ');
                last.push_str(bare);
            }
            // What the system answered to it.
            Some(last) if last.starts_with("ORA-") && is_of_oracle(bare) => _ = write!(last, " ({bare})"),
            _ if inodes && bare.contains("% /") => lines.push(format!("inodes of {bare}")),
            _ if !bare.is_empty() => lines.push(
                heading.map_or_else(|| bare.to_owned(), |of| format!("{bare} (of {})", page::plain(of))),
            ),
            _ => {}
        }
    }
    hung.end(&mut lines);
    lines.extend(listed.lines);
    replication::lags(&mut lines);
    for line in &mut lines {
        if let Some(missing) = missing(line) {
            let _ = write!(line, " missing={missing}");
        }
    }
    for derived in derived(text) {
        derived(&mut lines);
    }
    without_form(&mut lines);
    volumes::listed_blocks(text, &mut lines);
    for line in lines.iter_mut().filter(|line| line.contains(" rto:")) {
        if let Some(share) = resent(line) {
            let _ = write!(line, " resent=({share:.1}%)");
        }
    }
    lines
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

/// Lines that say little without the one above them that is indented less: what they are of.
const BELOW: [&str; 7] = [
    "Sent ", "port_state", "backlog wait:", "Status of logical device", "Status of Logical Device",
    "Link detected: no", "Speed: 10",
];

/// The lines above by their indentation.
#[derive(Default)]
struct Headings<'a>(Vec<(usize, &'a str)>);

impl<'a> Headings<'a> {
    /// What a line is of, where it does not say so itself.
    fn of(&mut self, line: &'a str) -> Option<&'a str> {
        let bare = line.trim();
        if bare.is_empty() || is_ruler(bare) || bare.starts_with("Class Device path") {
            return None;
        }
        let indent = line.len() - line.trim_start().len();
        self.0.retain(|(above, _)| *above < indent);
        self.0.push((indent, bare));
        let above = self.0.len().checked_sub(2)?;
        // Which class htb takes for the rest (tc-htb(8)) is no part of what a queue is called.
        let name = self.0[above].1.split(" default ").next();
        name.filter(|_| BELOW.iter().any(|start| bare.starts_with(start)))
    }
}

/// A line below a heading: `-----+----`, `======`.
fn is_ruler(line: &str) -> bool {
    line.len() >= 8 && sheet::is_rule(line)
}

/// Takes out what is no message by its form: names of columns above a ruler, a legend (`Optl=Optimal|RO=Read Only`), a
/// field without a value.
fn without_form(lines: &mut Vec<String>) {
    let columns = |line: &str| line.split([' ', '|', '\t']).filter(|word| !word.is_empty()).count();
    let legend = |line: &str| {
        let mut parts = line.split('|').filter(|part| !part.is_empty());
        line.contains('|') && parts.all(|part| part.contains('='))
    };
    let empty = |line: &str| line.ends_with(':') && !line.contains(' ');
    without_legend(lines);
    let below: Vec<bool> = lines.iter().skip(1).map(|line| is_ruler(line)).chain([false]).collect();
    let mut below = below.into_iter();
    lines.retain(|line| {
        let heading = below.next() == Some(true)
            && columns(line) >= 3
            && !line.contains(|c: char| c == ':' || c.is_ascii_digit());
        listed::is_row(line) || !(heading || legend(line) || empty(line))
    });
}

/// Takes out what explains signs: the lines below `Legend:` that begin with one, `(*) - local port is down`.
fn without_legend(lines: &mut Vec<String>) {
    let mut explains = false;
    lines.retain(|line| {
        let sign = line.split_once(" - ").or_else(|| line.split_once('=')).map(|(sign, _)| sign.trim());
        let is_sign = sign.is_some_and(|sign| !sign.contains(' ') && sign.len() <= 4);
        let begins = line.starts_with("Legend") && line.trim_end().ends_with(':');
        explains = begins || explains && is_sign;
        !explains || begins
    });
}

/// What device mapper says of pools and paths: `dmsetup status` and `lvs` in the same words.
fn pools(lines: &mut Vec<String>) {
    let share = |word: &str| {
        let (used, all) = word.split_once('/')?;
        let (used, all) = (used.parse::<f64>().ok()?, all.parse::<f64>().ok()?);
        (all > 0.0).then(|| used / all * 100.0)
    };
    let told = |line: &String| {
        // Of thousands of lines few have such words.
        let mut third = line.split_whitespace().skip(2);
        let may_be = third.next().is_some_and(|word| word.len() == 10)
            || third.next().is_some_and(|word| ["thin-pool", "multipath"].contains(&word));
        let words: Vec<&str> = line.split_whitespace().take(if may_be { usize::MAX } else { 0 }).collect();
        match words.as_slice() {
            [name, _, _, "thin-pool", _, metadata, data, rest @ ..] => {
                let name = name.trim_end_matches(':');
                Some(pool(name, share(data)?, share(metadata)?, &rest.join(" ")))
            }
            [name, _, _, "multipath", rest @ ..] => {
                let state = |pair: &[&str]| {
                    pair[0].split_once(':').is_some_and(|(major, _)| major.parse::<u32>().is_ok())
                };
                let paths: Vec<&str> =
                    rest.windows(2).filter(|pair| state(pair)).map(|pair| pair[1]).collect();
                let failed = paths.iter().filter(|state| **state == "F").count();
                let left = if failed == paths.len() { "no path left" } else { "paths failed" };
                let name = name.trim_end_matches(':');
                (failed > 0).then(|| format!("dmsetup: {name} has {left}, {failed} of {}", paths.len()))
            }
            [name, _, attributes, _, rest @ ..] if is_attributes(attributes) => {
                let figure = |word: &&str| {
                    word.replace(',', ".").parse::<f64>().ok().filter(|_| word.contains(['.', ',']))
                };
                let figures: Vec<f64> = rest.iter().filter_map(figure).collect();
                // lvs(8): the ninth is the health of the volume.
                let health = [
                    ('F', "failed"),
                    ('D', "out_of_data_space"),
                    ('M', "ro"),
                    ('p', "partial"),
                    ('r', "refresh needed"),
                    ('m', "mismatches"),
                ];
                let health = health.iter().find(|(letter, _)| attributes.chars().nth(8) == Some(*letter));
                let state = health.map_or("", |(_, state)| *state);
                match (attributes.chars().next()?, figures.as_slice()) {
                    ('t', [data, metadata, ..]) => Some(pool(name, *data, *metadata, state)),
                    ('s', [data, ..]) => {
                        Some(format!("lvs: {name} Allocated to snapshot {data:.1}% {state}"))
                    }
                    ('r' | 'R' | 'm' | 'M' | '-', _) if !state.is_empty() => {
                        Some(format!("lvs: {name} is {state}"))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    };
    let told: Vec<String> = lines.iter().filter_map(told).collect();
    lines.extend(told);
}

/// Of a volume (lvs(8), `lv_attr`): ten letters or dashes, the second of which tells how it may be written.
fn is_attributes(word: &str) -> bool {
    let letters = word.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-0?".contains(&byte));
    word.len() == 10 && letters && b"wrRM-".contains(&word.as_bytes()[1])
}

fn pool(name: &str, data: f64, metadata: f64, state: &str) -> String {
    format!("thin pool {name}: data used=({data:.1}%) metadata used=({metadata:.1}%) {state}")
}

/// Counters that a view lists by name, of which one is a part of the sum: the part, the others, and what the share is of.
const PARTS: [(&str, &[&str], &str); 3] = [
    ("checkpoints_req", &["checkpoints_timed"], "checkpoints requested"),
    ("num_requested", &["num_timed"], "checkpoints requested"),
    ("buffers_backend", &["buffers_checkpoint", "buffers_clean"], "buffers written by backends"),
];
/// Fewer are no habit.
const FEWEST: f64 = 100.0;

/// `checkpoints requested=(97.7%)` of the rows `checkpoints_req | 5112` and `checkpoints_timed | 121`.
fn shares(lines: &mut Vec<String>) {
    let pair = |line: &String| {
        let (name, value) = line.trim_matches(['|', ' ']).split_once('|')?;
        Some((name.trim().to_owned(), value.trim().parse::<f64>().ok()?))
    };
    let cells = lines.iter().flat_map(|line| listed::cells(line));
    let cells = cells.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    let rows: BTreeMap<String, f64> = lines.iter().filter_map(pair).chain(cells).collect();
    for (part, others, of) in PARTS {
        let others = others.iter().filter_map(|name| rows.get(*name)).sum::<f64>();
        if let Some(part) = rows.get(part).filter(|part| **part >= FEWEST) {
            lines.push(format!("{of}=({:.1}%)", part / (part + others) * 100.0));
        }
    }
}

/// Oracle's sessions stand still from `cannot allocate new log` to the switch: `advanced to log sequence 8: stood still for 7.2 s`.
#[expect(clippy::ptr_arg, reason = "as the others of the table")]
fn standstills(lines: &mut Vec<String>) {
    let mut since = None;
    for (line, now) in clock::times_of_day(lines).into_iter().enumerate() {
        let line = &mut lines[line];
        if line.contains("cannot allocate new log") {
            since = now;
        } else if line.contains("Private strand flush not complete") {
            // Redo of open transactions is copied first: that is how a log is switched.
            since = None;
        } else if line.contains("advanced to log sequence")
            && let Some((from, to)) = since.take().zip(now)
        {
            let _ = write!(line, ": stood still for {:.1} s", clock::passed_s(from, to));
        }
    }
}

/// The column of a resource's state, which is as wide as `INTERMEDIATE` and a blank.
const WIDEST_STATE: usize = 13;

/// Rows of `crsctl stat res -t` below the name of their resource: `ora.net1.network is OFFLINE on db2, its target is ONLINE`.
/// What is meant to be off is no trouble.
fn resources(lines: &mut Vec<String>) {
    let is_state = |word: &str| ["ONLINE", "OFFLINE", "INTERMEDIATE", "UNKNOWN"].contains(&word);
    let mut name = String::new();
    lines.retain_mut(|line| {
        if line.starts_with("ora.") {
            name.clone_from(line);
        }
        let words: Vec<&str> = line.split_whitespace().take(4).collect();
        let Some(at) = words.windows(2).position(|pair| is_state(pair[0]) && is_state(pair[1])) else {
            return true;
        };
        let told = words[at] == "ONLINE" && words[at + 1] != "ONLINE";
        // The name of the server stands right behind the state; where there is none, what follows is a remark.
        let behind = line.rsplit_once(words[at + 1]).map_or("", |(_, rest)| rest);
        let is_server = behind.len() - behind.trim_start().len() < WIDEST_STATE;
        let on = words
            .get(at + 2)
            .filter(|server| is_server && server.contains(|c: char| c.is_lowercase()))
            .map_or(String::new(), |server| format!(" on {server}"));
        *line = format!("{name} is {}{on}, its target is ONLINE", words[at + 1]);
        told
    });
}

/// Without the signs of quoting of a mail.
fn unquoted(line: &str) -> &str {
    let bare = line.trim_start_matches(['>', ' ']);
    if line.starts_with('>') { bare } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_other_tools_are_told_in_words_that_are_known() {
        let smart = "Smart Log for NVME device:nvme7\ncritical_warning  : 0x2\nmedia_errors   : 7\n";
        assert_eq!(joined(smart)[1..], ["critical warning: 0x02", "data integrity errors: 7"]);
        let trace = "  Event waited on     Times   Max. Wait  Total Waited\n  -----------------   Waited  ----------  ------------\n  \
                     db file sequential read      1000        0.81       12.00\n  log file sync      1        0.00          0.00\n";
        let told = joined(trace);
        let told: Vec<&String> = told.iter().filter(|line| line.starts_with("tkprof")).collect();
        assert_eq!(told, ["tkprof: db file sequential read takes 12.0 ms, 1000 times"]);
        let back = "mpathq: 8:32: reinstated\nmpathq: remaining active paths: 4\nmpathq: remaining active paths: 3\n";
        assert_eq!(joined(&format!("x\n{back}")), ["x", "mpathq: 8:32: reinstated"]);
        let gone = "checker failed path 8:32 in map mpathq\nmpathq: remaining active paths: 3\nreinstated\n";
        assert_eq!(joined(gone).len(), 3);
    }

    #[test]
    fn a_flush_under_way_is_one_where_others_complete() {
        let status = |rate: &str| {
            format!("Pending flushes (fsync) log: 1; buffer pool: 0\n0.00 reads/s, {rate} fsyncs/s\n")
        };
        assert!(joined(&status("81.20"))[0].contains("log: 0;"));
        assert!(joined(&status("0.00"))[0].contains("log: 1;"));
    }

    /// What is derived of several lines, and that nothing is where all is well.
    #[test]
    fn a_log_of_words_is_no_volume() {
        let log = "time=9 level=error msg=\"Writer timeout 7.5 on 8.5\n";
        assert_eq!(joined(log).len(), 1, "no volume of LVM");
    }

    #[test]
    fn each_form_becomes_one_line_and_its_healthy_twin_none() {
        for (text, derived) in [
            (
                "  1.|-- 10.8.0.1   0.0%  100\n  2.|-- 10.9.7.2  11.5%  100\n  3.|-- ???  100.0  100\n  4.|-- db1  12.5%  100\n",
                &["mtr: loss from hop 2 (10.9.7.2) to the last (12.5%)"][..],
            ),
            ("  1.|-- 10.8.0.1   0.0%  100\n  2.|-- 10.9.7.2  85.0%  100\n  3.|-- db1  0.0%  100\n", &[]),
            (
                "vg0-tp: 0 209715200 thin-pool 17 4011/4096 16000/16000 - out_of_data_space queue_if_no_space\n",
                &[
                    "thin pool vg0-tp: data used=(100.0%) metadata used=(97.9%) - out_of_data_space queue_if_no_space",
                ],
            ),
            (
                "  tp0   vg0  twi-aotzD- 100,00g        100,00 97,93\n  root  vg0  -wi-ao---- 20,00g\n  mir vg0 rwi-aor-p- 20.00g  100.00\n",
                &[
                    "thin pool tp0: data used=(100.0%) metadata used=(97.9%) out_of_data_space",
                    "lvs: mir is partial",
                ],
            ),
            ("  snap7 vg0 swi-aos--- 9.00g data7 97.81\n", &["lvs: snap7 Allocated to snapshot 97.8% "]),
            (
                "mpatha: 0 2097152 multipath 2 0 1 0 2 1 A 0 1 2 8:16 F 3 0 1 E 0 1 2 8:32 A 0 0 1\n",
                &["dmsetup: mpatha has paths failed, 1 of 2"],
            ),
            (
                "mpathb: 0 2097152 multipath 2 0 0 0 1 1 E 0 2 2 8:48 F 7 0 1 8:64 F 9 0 1\n",
                &["dmsetup: mpathb has no path left, 2 of 2"],
            ),
            ("mpathc: 0 2097152 multipath 2 0 0 0 1 1 A 0 2 2 8:48 A 0 0 1 8:64 A 0 0 1\n", &[]),
            (
                "checkpoints_timed | 100\ncheckpoints_req   | 300\nbuffers_checkpoint | 60\nbuffers_backend | 140\n",
                &[
                    "pg_stat_bgwriter: checkpoints_timed=100; checkpoints_req=300; buffers_checkpoint=60; buffers_backend=140",
                    "checkpoints requested=(75.0%)",
                    "buffers written by backends=(70.0%)",
                ],
            ),
            (
                "2026-11-24T10:01:12.101234+01:00\nThread 1 cannot allocate new log, sequence 2474\nCheckpoint not complete\n2026-11-24T10:01:19.301212+01:00\nThread 1 advanced to log sequence 2474 (LGWR switch)\n",
                &["Thread 1 advanced to log sequence 2474 (LGWR switch): stood still for 7.2 s"],
            ),
            (
                "Tue Nov 24 23:59:58 2026\nThread 1 cannot allocate new log, sequence 7\nPrivate strand flush not complete\nTue Nov 24 23:59:58 2026\nThread 1 advanced to log sequence 7\n",
                &[],
            ),
            (
                "ora.net1.network\n               ONLINE  ONLINE       db1      STABLE\n               ONLINE  OFFLINE      db2      STABLE\nora.proxy\n               OFFLINE OFFLINE      db1      STABLE\n",
                &["ora.net1.network is OFFLINE on db2, its target is ONLINE"],
            ),
            (
                "ora.db7.db\n      2        ONLINE  OFFLINE                               Instance Shutdown,STABLE\n",
                &["ora.db7.db is OFFLINE, its target is ONLINE"],
            ),
            (
                "SMART overall-health: PASSED\nCritical Warning:                   0x05\nPercentage Used:                    103%\n",
                &["critical warning: 0x01"],
            ),
            (
                "mpathq (36007) dm-9 ##,##\nsize=9G features='0' hwhandler='0' wp=rw\n",
                &["map mpathq is left over"],
            ),
            (
                "Features for eth7:\ntcp-segmentation-offload: off\ngeneric-receive-offload: on\nrx-checksumming: off [fixed]\n",
                &["eth7 works without tcp-segmentation-offload"],
            ),
        ] {
            let own: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
            let found: Vec<String> = joined(text).into_iter().filter(|line| !own.contains(line)).collect();
            assert_eq!(found, derived, "{text}");
        }
    }

    #[test]
    fn a_line_has_the_heading_that_it_is_of_and_headings_are_none() {
        let tc = "qdisc tbf 8001: root refcnt 2 rate 100Mbit\n Sent 912 bytes 6 pkt (dropped 21993, overlimits 9)\n backlog 6Kb\n";
        assert!(joined(tc).contains(&"Sent 912 bytes 6 pkt (dropped 21993, overlimits 9) (of qdisc tbf 8001: root refcnt 2 rate 100Mbit)".to_owned()));
        let htb =
            "qdisc htb 1: root refcnt 2 default 0x30\n Sent 912 bytes 6 pkt (dropped 21993, overlimits 9)\n";
        assert!(
            joined(htb)[1].ends_with("overlimits 9) (of qdisc htb 1: root refcnt 2)"),
            "{:?}",
            joined(htb)
        );
        let nfs =
            "WRITE:\n\t2848726 ops (41%)\n\tbacklog wait: 880.6 \tRTT: 3.1 \ttotal execute time: 884.8\n";
        assert!(joined(nfs)[1].ends_with("total execute time: 884.8 (of WRITE:)"), "{:?}", joined(nfs));
        let inodes = "Filesystem  Inodes  IUsed IFree IUse% Mounted on\n/dev/sdb1  655 655 0 100% /u01\n";
        assert_eq!(joined(inodes)[1], "inodes of /dev/sdb1  655 655 0 100% /u01");
        assert_eq!(clock::interval_s("4 days"), None);
        let noise = "###  HW Path   I/O Paths  Q-IOs Errors\n==========================\nOfLn=OffLine|Pdgd=Partially Degraded|dgrd=Degraded\nLast_Error:\n";
        assert!(joined(noise).iter().all(|line| is_ruler(line)), "{:?}", joined(noise));
    }
}
