//! Outputs of figures, of which a line alone tells nothing: histograms, attributes, and what each of many takes.

use super::listed;
use crate::{clock, page};
use std::collections::BTreeMap;

/// What is told of a histogram.
const QUANTILE: f64 = 0.99;
/// Fewer tell nothing of a percentile.
const FEWEST: f64 = 100.0;

/// The name of a histogram and its buckets: the upper bound of each, and how many were at most so large.
type Histogram<'a> = (&'a str, Vec<(f64, f64)>);

/// Buckets of Prometheus' text format (cumulative, by `le`): `etcd_x_seconds 99th percentile=994 ms of 1844`. The quantile is
/// taken as Prometheus' `histogram_quantile` does, by interpolation within a bucket.
pub(super) fn histograms(lines: &mut Vec<String>) {
    let told: Vec<String> = {
        let mut all: Vec<Histogram<'_>> = Vec::new();
        for (name, bound, count) in lines.iter().filter_map(|line| bucket(line)) {
            // The bounds grow: a smaller one begins a series with other labels.
            match all
                .last_mut()
                .filter(|(last, buckets)| *last == name && buckets.last().is_some_and(|last| last.0 < bound))
            {
                Some((_, buckets)) => buckets.push((bound, count)),
                None => all.push((name, vec![(bound, count)])),
            }
        }
        let tell = |(name, buckets): Histogram<'_>| {
            let (last, all) = *buckets.last().filter(|(_, all)| *all >= FEWEST)?;
            let wanted = all * QUANTILE;
            let at = buckets.iter().position(|(_, count)| *count >= wanted)?;
            // Of a series that was cut off below, the percentile is at least what its rest says; above, nothing is known.
            if last.is_finite() && at == 0 {
                return None;
            }
            let (from, below) = at.checked_sub(1).map_or((0.0, 0.0), |before| buckets[before]);
            let (to, count) = buckets[at];
            let value = if to.is_infinite() {
                from
            } else {
                from + (to - from) * (wanted - below) / (count - below).max(1.0)
            };
            Some(format!("{name} 99th percentile={:.1} ms of {all:.0}", value * 1e3))
        };
        all.into_iter().filter_map(tell).collect()
    };
    lines.retain(|line| bucket(line).is_none());
    lines.extend(told);
}

/// Operations that BCC's tools list one by one (biosnoop, nfsslower, ext4slower, tcpretrans): `bcc: the slowest of 10 operations
/// took ms=24.3`, `bcc: segments resent=3`.
pub(super) fn one_by_one(lines: &mut Vec<String>) {
    let Some(first) = lines.iter().position(|line| {
        ["TIME", "COMM", "STARTs"].iter().any(|start| line.starts_with(start)) && line.contains(" PID ")
    }) else {
        return;
    };
    let heading: Vec<&str> = lines[first].split_whitespace().collect();
    let latency = ["LAT(ms)", "LATms"];
    let is_row = |line: &&String| {
        line.starts_with(|c: char| c.is_ascii_digit()) || line.split_whitespace().count() == heading.len()
    };
    let rows = lines[first + 1..].iter().take_while(is_row);
    let told = if let Some(column) = heading.iter().position(|name| latency.contains(name)) {
        // A command may have several words.
        let behind = heading.len() - column;
        let value = |row: &String| row.split_whitespace().rev().nth(behind - 1)?.parse::<f64>().ok();
        let all: Vec<f64> = rows.filter_map(value).collect();
        let most = all.iter().copied().reduce(f64::max);
        most.map(|most| format!("bcc: the slowest of {} operations took ms={most}", all.len()))
    } else {
        Some(format!("bcc: segments resent={}", rows.count()))
    };
    lines.retain(|line| !line.starts_with(|c: char| c.is_ascii_digit()));
    lines.extend(told);
}

/// Histograms of BCC and bpftrace's tools, by powers of two below `usecs : count distribution`: `histogram of block device I/O
/// 99th percentile=32.8 ms of 277`, by the upper bound of its bucket; those of perf-tools have `>=(ms) .. <(ms)   : I/O` above.
/// Sources: BCC, `tools/biolatency_example.txt`; perf-tools, `iolatency(8)`.
pub(super) fn power_histograms(lines: &mut Vec<String>) {
    let number = |text: &str| {
        let bare = text.trim().trim_end_matches(char::is_alphabetic);
        Some(bare.parse::<f64>().ok()? * page::capital_power(&text.trim()[bare.len()..], 1024.0)?)
    };
    let row = |line: &String| {
        let (bounds, rest) = line.split_once(':').or_else(|| line.split_once([')', ']']))?;
        // `[64, 128)` and `[1]` of bpftrace.
        let of_bpftrace = || bounds.strip_prefix('[').map(|one| one.split_once(',').unwrap_or((one, one)));
        let (least, most) = bounds.split_once("->").or_else(of_bpftrace)?;
        let count = rest.split_whitespace().next()?.parse::<f64>().ok()?;
        let (least, most) = (number(least)?, number(most)?);
        // `4 -> 7` of BCC, `4 -> 8` of perf-tools.
        Some((if most >= 2.0 * least && least >= 1.0 { most } else { most + 1.0 }, count))
    };
    let units = [("nsecs", 1e-6), ("usecs", 1e-3), ("msecs", 1.0)];
    let (mut of, mut whole, mut told, mut at) = (String::new(), String::new(), Vec::new(), 0);
    while at < lines.len() {
        let line = lines[at].trim();
        let is_head = |unit: &str| {
            line.starts_with(unit) && line.contains(": count")
                || line.starts_with(&format!(">=({}) .. <(", &unit[..2])) && line.contains(": I/O")
                || map_of(line).is_some_and(|name| {
                    name.split('_').any(|part| part == unit || part.strip_prefix(&unit[..1]) == Some("s"))
                })
        };
        let unit = units.iter().find(|(unit, _)| is_head(unit));
        at += 1;
        let Some((_, ms)) = unit else {
            let title = line
                .strip_prefix("Tracing ")
                .and_then(|rest| rest.split_once("...").or_else(|| rest.split_once(". ")));
            let part = || line.split_once(" = ").map(|(_, name)| name.trim_matches('\''));
            if let Some((what, _)) = title {
                (of, whole) = (what.to_owned(), format!("{what} of "));
            } else if let Some(name) = part() {
                of = format!("{whole}{name}");
            }
            continue;
        };
        let rows: Vec<(f64, f64)> = lines[at..].iter().map_while(row).collect();
        of = map_of(line).filter(|_| of.is_empty()).map_or(of, |name| format!("@{name}"));
        let all: f64 = rows.iter().map(|(_, count)| count).sum();
        let mut sum = 0.0;
        let bound = rows.iter().find(|(_, count)| {
            sum += count;
            sum >= all * QUANTILE
        });
        if let Some((most, _)) = bound.filter(|_| all >= FEWEST) {
            told.push(format!("histogram of {of} 99th percentile={:.1} ms of {all:.0}", most * ms));
        }
        at += rows.len();
    }
    lines.retain(|line| row(line).is_none());
    lines.extend(told);
}

/// The name of a map that bpftrace prints: `@usecs[nvme7n1]:`.
fn map_of(line: &str) -> Option<&str> {
    line.strip_prefix('@')?.strip_suffix(':')?.split('[').next()
}

/// Queues of one thing, which all interrupt the same CPU, of `/proc/interrupts`: `interrupts of eth7: 99 % of 812 from 4
/// queues`.
pub(super) fn interrupts(lines: &mut Vec<String>) {
    const QUEUES: usize = 3;
    const QUEUE: [&str; 6] = ["-TxRx", "-Tx-Rx", "-rx", "-tx", "-fp", "-input"];
    // Fewer are no load (own choice).
    const MANY: f64 = 1e6;
    let head = lines.iter().find(|line| line.starts_with("CPU0 "));
    let cpus = head.map_or(0, |line| line.split_whitespace().filter(|word| word.starts_with("CPU")).count());
    let mut queues: BTreeMap<&str, (usize, Vec<f64>)> = BTreeMap::new();
    for line in lines.iter() {
        let Some((_, rest)) = line.split_once(": ").filter(|(irq, _)| irq.parse::<u32>().is_ok()) else {
            continue;
        };
        let counts: Vec<f64> =
            rest.split_whitespace().map_while(|word| word.parse().ok()).take(cpus).collect();
        let name = rest.rsplit(' ').next().unwrap_or("");
        let stem = name.trim_end_matches(|c: char| !c.is_alphabetic());
        let stem = QUEUE.iter().find_map(|of| stem.strip_suffix(of)).unwrap_or(stem);
        if counts.len() == cpus && stem.len() < name.len() {
            let (number, sums) = queues.entry(stem).or_insert_with(|| (0, vec![0.0; cpus]));
            *number += 1;
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    let told = queues.into_iter().filter(|(_, (number, _))| cpus > 1 && *number >= QUEUES).filter_map(
        |(stem, (number, sums))| {
            let all: f64 = sums.iter().sum();
            let most = sums.iter().copied().fold(0.0, f64::max);
            (all >= MANY).then(|| {
                format!("interrupts of {stem}: {:.0} % of {all:.0} from {number} queues", most / all * 100.0)
            })
        },
    );
    let told: Vec<String> = told.collect();
    lines.extend(told);
}

/// `NAME_bucket{job="x",le="0.004"} 194`
fn bucket(line: &str) -> Option<(&str, f64, f64)> {
    let (name, rest) = line.split_once("_bucket{")?;
    let (labels, count) = rest.rsplit_once('}')?;
    let (_, bound) = labels.split_once("le=\"")?;
    let bound = bound.split('"').next()?;
    let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().ok()? };
    Some((name.trim(), bound, count.split_whitespace().next()?.parse().ok()?))
}

/// Totals of disks since boot, of `/proc/diskstats` and `vmstat -d`, as what one request took: `disk totals: sda write takes
/// 2.9 ms, 50851 times` (Linux Documentation/admin-guide/iostats.rst, vmstat(8)). Of partitions none: they are in their disk.
pub(super) fn disk_totals(lines: &mut Vec<String>) {
    // Fewer were at its start.
    const FEWEST: u64 = 1_000;
    // Of two readings one after the other what lies between them counts.
    const FEWEST_BETWEEN: u64 = 20;
    let mut rows: Vec<(&str, Vec<u64>)> = Vec::new();
    let mut between: Vec<(&str, Vec<u64>)> = Vec::new();
    for (name, counts) in lines.iter().filter_map(|line| page::disk_counters(line)) {
        match rows.iter_mut().find(|(known, _)| *known == name) {
            Some((_, first)) => {
                let grown = counts.iter().zip(&*first).map(|(now, before)| now.saturating_sub(*before));
                between.push((name, grown.collect()));
                *first = counts;
            }
            None => rows.push((name, counts)),
        }
    }
    let is_part = |name: &str| {
        let of = |(disk, _): &(&str, Vec<u64>)| {
            let number = name.strip_prefix(*disk).map(|rest| rest.trim_start_matches('p'));
            number.is_some_and(|number| number.parse::<u32>().is_ok())
        };
        rows.iter().any(of) || name.starts_with("loop")
    };
    let mut told = Vec::new();
    let all = rows.iter().map(|row| ("totals", FEWEST, row));
    let all = all.chain(between.iter().map(|row| ("between", FEWEST_BETWEEN, row)));
    for (totals, fewest, (name, counts)) in all.filter(|(.., (name, _))| !is_part(name)) {
        for (what, at) in [("read", 0), ("write", 4)] {
            let (times, total_ms) = (counts[at], counts[at + 3]);
            if times >= fewest {
                let each_ms = total_ms as f64 / times as f64;
                told.push(format!("disk {totals}: {name} {what} takes {each_ms:.1} ms, {times} times"));
            }
        }
    }
    // `vmstat -D` has the sums of all.
    let sum =
        |name: &str| lines.iter().find_map(|line| line.trim().strip_suffix(name)?.trim().parse::<u64>().ok());
    for (what, times, total_ms) in
        [("read", " total reads", " milli reading"), ("write", " writes", " milli writing")]
    {
        if let Some((times, total_ms)) = sum(times).zip(sum(total_ms)).filter(|(times, _)| *times >= FEWEST) {
            let each_ms = total_ms as f64 / times as f64;
            told.push(format!("disk totals: all {what} takes {each_ms:.1} ms, {times} times"));
        }
    }
    lines.extend(told);
}

/// A receive ring that is small for its adapter: `ring of eth0: RX 200 of 2047`.
pub(super) fn rings(lines: &mut Vec<String>) {
    /// Drivers begin with as many or more, usually.
    const USUAL: u64 = 256;
    let of = lines.iter().find_map(|line| line.strip_prefix("Ring parameters for "));
    let of = of.unwrap_or_default().trim_end_matches(':').to_owned();
    let sizes = lines.iter().filter_map(|line| line.strip_prefix("RX:")?.trim().parse::<u64>().ok());
    if let [most, now] = sizes.collect::<Vec<_>>()[..]
        && now < USUAL
        && now * 4 < most
    {
        lines.push(format!("ring of {of}: RX {now} of {most}"));
    }
}

/// Rows of SMART's attributes (smartctl(8), -A): their names sound of trouble, and their values tell whether there is any. Those
/// at or below the threshold of their maker, and those that have failed, remain as they are; of the others the name and the raw
/// value, for those who know what they count: `SMART attribute 5 Reallocated_Sector_Ct: 12`.
pub(super) fn smart_attributes(lines: &mut Vec<String>) {
    for line in lines {
        // Of a log few lines begin with such a number.
        if line.split(' ').next().is_none_or(|id| id.parse::<u8>().is_err()) {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().take(10).collect();
        let Some(&[id, name, flag, value, worst, threshold]) = words.first_chunk() else { continue };
        // With `-x` flags are letters, and two columns fewer follow.
        let brief = flag.len() == 6 && flag.chars().all(|c| "POSRCK-".contains(c));
        let Some(&[failed, raw]) = words.get(if brief { 6 } else { 8 }..).and_then(|rest| rest.first_chunk())
        else {
            continue;
        };
        let numbers: Option<Vec<u32>> =
            [id, value, worst, threshold].iter().map(|word| word.parse().ok()).collect();
        let Some(numbers) = numbers.filter(|_| brief || flag.starts_with("0x")) else { continue };
        // Of flash the value falls from 100 to 1 as its rated writes are used up; few makers give it a threshold.
        let wears = ["Wear_Level", "Wearout", "Life_Left", "Lifetime_Remain", "Percent_Life"];
        if (1..=WORN).contains(&numbers[1]) && numbers[3] == 0 && wears.iter().any(|part| name.contains(part))
        {
            *line = format!("SMART attribute {id} {name}: worn to {} of 100", numbers[1]);
        } else if failed == "NOW" {
            *line = format!("SMART attribute {id} {name} FAILING_NOW {raw}");
        } else if failed == "-" && numbers[1] > numbers[3] && is_packed(raw) {
            line.clear();
        } else if failed == "-" && numbers[1] > numbers[3] {
            *line = format!("SMART attribute {id} {name}: {raw}");
        }
    }
}

/// nvme-cli's own form in the words of smartctl: `critical_warning : 0x2`.
pub(super) fn smart_log(lines: &mut Vec<String>) {
    for line in &mut *lines {
        let Some((name, value)) = line.split_once(" : ") else { continue };
        let name = name.trim().replace('_', " ").replace("media errors", "data integrity errors");
        let value = value.trim();
        let value = value
            .strip_prefix("0x")
            .filter(|hex| hex.len() == 1)
            .map(|hex| format!("0x0{hex}"))
            .unwrap_or(value.to_owned());
        *line = format!("{name}: {value}");
    }
    worn(lines);
}

/// A line for each bit of an NVMe device's warning. It sets 0x04 when its endurance is used up, too: then the line of its wear
/// tells what it is.
pub(super) fn worn(lines: &mut Vec<String>) {
    const UNRELIABLE: u8 = 0x04;
    let value = |line: &str, name: &str| {
        let (own, value) = line.split_once(':')?;
        own.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    };
    let used = |line: &String| value(line, "percentage used")?.trim_end_matches('%').parse::<f64>().ok();
    let is_worn = lines.iter().filter_map(used).any(|used| used >= 100.0);
    let bits = |line: String| {
        let set = value(&line, "critical warning")
            .and_then(|value| u8::from_str_radix(value.strip_prefix("0x")?, 16).ok());
        let each = (0..8).map(|bit| 1 << bit).filter(move |bit| set.is_some_and(|set| set & bit != 0));
        let each = each.filter(move |bit| !(is_worn && *bit == UNRELIABLE));
        let told: Vec<String> = each.map(|bit| format!("critical warning: {bit:#04x}")).collect();
        if set.is_some_and(|set| set > 0) { told } else { vec![line] }
    };
    *lines = std::mem::take(lines).into_iter().flat_map(bits).collect();
}

/// What each kind of file takes of the recovery area, all together: `recovery area: used=97.3; kept=95.4`, %, of which the latter
/// cannot be given back (Oracle Database Reference, `V$RECOVERY_AREA_USAGE`).
pub(super) fn recovery_area(lines: &mut Vec<String>) {
    let rows = || lines.iter().filter(|line| line.starts_with("v$recovery_area_usage: "));
    let sum = |name: &str| -> f64 {
        let cells = rows().flat_map(|row| listed::cells(row)).filter(|(own, _)| *own == name);
        cells.filter_map(|(_, value)| value.parse::<f64>().ok()).sum()
    };
    let used = sum("percent_space_used");
    let told = format!("recovery area: used={used:.1}; kept={:.1}", used - sum("percent_space_reclaimable"));
    if rows().next().is_some() {
        lines.push(told);
    }
}

/// Of 100: the last tenth of what the maker rates (own choice).
const WORN: u32 = 10;

/// Results of commands as a kernel without words for them prints them (`CONFIG_SCSI_CONSTANTS` off), and those words. Source:
/// Linux `drivers/scsi/constants.c`, `include/scsi/scsi_status.h`, T10 SPC (sense keys).
const NUMBERED: [(&str, &str); 14] = [
    ("Sense Key : 0x1 ", "Sense Key : Recovered Error "),
    ("Sense Key : 0x2 ", "Sense Key : Not Ready "),
    ("Sense Key : 0x3 ", "Sense Key : Medium Error "),
    ("Sense Key : 0x4 ", "Sense Key : Hardware Error "),
    ("Sense Key : 0x6 ", "Sense Key : Unit Attention "),
    ("Sense Key : 0x7 ", "Sense Key : Data Protect "),
    ("Sense Key : 0xb ", "Sense Key : Aborted Command "),
    ("hostbyte=0x01", "hostbyte=DID_NO_CONNECT"),
    ("hostbyte=0x03", "hostbyte=DID_TIME_OUT"),
    ("hostbyte=0x04", "hostbyte=DID_BAD_TARGET"),
    ("hostbyte=0x07", "hostbyte=DID_ERROR"),
    ("hostbyte=0x0b", "hostbyte=DID_SOFT_ERROR"),
    ("hostbyte=0x0e", "hostbyte=DID_TRANSPORT_DISRUPTED"),
    ("hostbyte=0x0f", "hostbyte=DID_TRANSPORT_FAILFAST"),
];

/// Numbers of results as words, for those who know these.
pub(super) fn numbered_sense(lines: &mut Vec<String>) {
    for line in lines {
        let may_be = line.contains("=0x") || line.contains(" : 0x");
        if let Some((number, words)) = NUMBERED.iter().find(|(number, _)| may_be && line.contains(number)) {
            *line = line.replace(number, words);
        }
    }
}

/// A raw value has 48 bits, into which makers pack several numbers (smartctl(8), -v: `raw24/raw32` and others); all ones in 32 of
/// them are a value that is not kept. No disk counts so many errors, and none has so many spare sectors.
fn is_packed(raw: &str) -> bool {
    raw.parse::<u64>().is_ok_and(|raw| raw >= u64::from(u32::MAX))
}

/// How often an alert log tells of a switch of the redo log: `log switches: count=5; per_hour=155`.
pub(super) fn switches(lines: &mut Vec<String>) {
    /// Fewer are no habit.
    const SOME: usize = 4;
    const HOUR_S: f64 = 3_600.0;
    let times = clock::times_of_day(lines).into_iter().zip(&*lines);
    let at: Vec<f64> = times
        .filter(|(_, line)| line.contains("advanced to log sequence"))
        .filter_map(|(now, _)| now)
        .collect();
    let passed_s: f64 = at.windows(2).map(|pair| clock::passed_s(pair[0], pair[1])).sum();
    if at.len() >= SOME && passed_s > 0.0 {
        let per_hour = (at.len() - 1) as f64 * HOUR_S / passed_s;
        lines.push(format!("log switches: count={}; per_hour={per_hour:.1}", at.len()));
    }
}

/// A table of days by hours (`DAY 00 01 02 ...`, `h0 h1 ...`), which scripts print of the switches of the redo log: as above, or
/// `by hour: most=161` where nothing says what it counts.
pub(super) fn by_hour(lines: &mut Vec<String>) {
    const COUNTED: [&str; 4] = ["switch", "log_history", "archived_log", "archivelog"];
    let hour = |word: &&str| word.trim_start_matches(['h', 'H']).parse::<usize>().ok();
    let first = |line: &String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let hours = |at: &usize| (0..4).all(|after| words.get(at + after).and_then(hour) == Some(after));
        (0..words.len()).find(hours).map(|at| (at, words.len()))
    };
    let Some((heading, (at, columns))) =
        lines.iter().enumerate().find_map(|(heading, line)| Some((heading, first(line)?)))
    else {
        return;
    };
    let row = |line: &String| -> Option<Vec<f64>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words.len() == columns).then(|| words[at..].iter().filter_map(|word| word.parse().ok()).collect())
    };
    let counts: Vec<f64> = lines[heading + 1..].iter().filter_map(row).flatten().collect();
    let most = counts.iter().copied().fold(0.0, f64::max);
    let is_counted = lines.iter().any(|line| COUNTED.iter().any(|word| line.to_lowercase().contains(word)));
    lines.push(if is_counted {
        format!("log switches: count={}; per_hour={most}", counts.iter().sum::<f64>())
    } else {
        format!("by hour: most={most}")
    });
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    #[test]
    fn a_table_of_days_by_hours_has_its_busiest_hour() {
        let table =
            "DAY        00  01  02  03  04\n--------- --- --- --- --- ---\n02-MAR-21  12  11  14 155  12\n";
        assert_eq!(joined(table).pop().as_deref(), Some("by hour: most=155"));
        let named = "Log switches by hour\nDate Total h0 h1 h2 h3\n2021-03-02 197 12 11 14 160\n";
        assert_eq!(joined(named).pop().as_deref(), Some("log switches: count=197; per_hour=160"));
        assert!(!joined("a 01 02 03 04\n1 2 3 4 5\n").iter().any(|line| line.contains("hour")));
    }

    #[test]
    fn switches_of_an_alert_log_are_counted_by_the_hour() {
        let switch = |minute: u32, second: u32| {
            format!(
                "2026-11-30T10:{minute:02}:{second:02}.812+01:00\nThread 1 advanced to log sequence 7 (LGWR switch)\n"
            )
        };
        let often: String =
            [(2, 0), (2, 24), (2, 48), (3, 12)].map(|(minute, second)| switch(minute, second)).concat();
        assert_eq!(joined(&often).pop().as_deref(), Some("log switches: count=4; per_hour=150.0"));
        let few = switch(2, 0) + &switch(2, 24);
        assert!(!joined(&few).iter().any(|line| line.starts_with("log switches")));
    }

    #[test]
    fn a_histogram_is_its_percentile() {
        let buckets = [("0.001", 10), ("0.01", 90), ("0.1", 200), ("+Inf", 200)];
        let text: String = buckets
            .iter()
            .map(|(le, count)| format!("x_fsync_duration_seconds_bucket{{le=\"{le}\"}} {count}\n"))
            .collect();
        // 198 of 200 is 108 of 110 in the bucket from 0.01 to 0.1 s.
        assert_eq!(joined(&text), ["x_fsync_duration_seconds 99th percentile=98.4 ms of 200"]);
        assert_eq!(joined("x_bucket{le=\"1\"} 4\nx_bucket{le=\"+Inf\"} 4\n"), Vec::<String>::new());
    }

    #[test]
    fn an_attribute_above_its_threshold_is_a_name_and_a_number() {
        let row = |value, failed| {
            format!("  5 Reallocated_Sector_Ct 0x0033 {value} 001 010 Pre-fail Always {failed} 812")
        };
        assert_eq!(joined(&row("100", "-")), ["SMART attribute 5 Reallocated_Sector_Ct: 812"]);
        let brief = "  5 Reallocated_Sector_Ct   PO--CK   100   100   010    -    812";
        assert_eq!(joined(brief), ["SMART attribute 5 Reallocated_Sector_Ct: 812"]);
        assert!(joined(&brief.replace(" - ", " NOW "))[0].ends_with("FAILING_NOW 812"));
        let worn = "177 Wear_Leveling_Count 0x0013 002 002 000 Pre-fail Always - 812";
        assert_eq!(joined(worn), ["SMART attribute 177 Wear_Leveling_Count: worn to 2 of 100"]);
        let sense = "sd 7:0:0:0: [sdq] tag#8 Sense Key : 0x3 [current]";
        assert!(joined(sense)[0].contains("Sense Key : Medium Error [current]"));
        let packed = "198 Offline_Uncorrectable 0x0033 110 110 000 Old_age Always - 8123456789012";
        assert!(joined(packed).iter().all(String::is_empty), "no count of sectors");
        assert!(joined(&row("009", "FAILING_NOW"))[0].ends_with("FAILING_NOW 812"));
    }
}
