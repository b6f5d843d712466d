//! What a report's largest class of waits means, in sentences.

use super::classes::{LOG_WRITES, MULTI_READS, SINGLE_READS, TRANSPORT};
use super::{DOMINANT, Spent, load};
use crate::database::report;
use crate::facts::percent;
use fullwire_model::assessment::{TimeClass, TimePart};
use fullwire_model::demand::AwrReport;

/// What sessions do that neither wait nor compute, where the host has no CPU left.
pub(super) const RUN_QUEUE: &str = "waits in the run queue";

/// A random read of a spinning disk, ms (worked figures: 6.8 to 14.2); twice of it is a queue.
pub(super) const DISK_MS: f64 = 10.0;
/// What flash answers within, ms; a busy array of it within twice that.
const FLASH_MS: f64 = 2.0;
/// Hosts that are busier than this have no CPU left (own choice; the mean of an interval hides its peaks).
const BUSY: f64 = 0.9;
/// Fewer active sessions than this are an idle database, whatever they wait for.
pub(super) const IDLE: f64 = 0.1;

/// What the database spent its time on; then what that means for the I/O path.
pub(super) fn sentences(
    report: &AwrReport,
    class: TimeClass,
    parts: &[TimePart],
    spent: &[Spent],
) -> Vec<String> {
    let mut first = match class {
        TimeClass::Mixed => mixed(parts),
        TimeClass::Io => io(report, &parts[0], spent),
        _ => not_io(report, &parts[0], parts, spent),
    };
    if let Some(load) = load(report).filter(|load| *load < IDLE) {
        first = format!("The database was nearly idle ({load:.2} active sessions). {first}");
    }
    let all = std::iter::once(first).chain(beside(class, parts, spent)).chain(calls(report));
    if report.db_time_min.is_none() && super::listed_s(report).is_some() {
        return all.map(|sentence| sentence.replace("of DB time", "of the waits listed")).collect();
    }
    all.collect()
}

fn mixed(parts: &[TimePart]) -> String {
    let named = |part: &TimePart| format!("{} {} ({})", name(part.class), percent(part.share), part.event);
    let largest: Vec<String> =
        parts.iter().filter(|part| part.class != TimeClass::Unknown).take(2).map(named).collect();
    format!(
        "No single cause takes {} of DB time; the largest are {}.",
        percent(DOMINANT),
        largest.join(" and ")
    )
}

fn io(report: &AwrReport, io: &TimePart, spent: &[Spent]) -> String {
    let main = spent.iter().find(|one| one.kind.class == TimeClass::Io);
    let Some(main) = main else { return format!("{} of DB time is I/O.", percent(io.share)) };
    let within = if main.share > 0.95 * io.share {
        format!("{} of DB time is I/O: {} ({})", percent(io.share), main.kind.part, main.event)
    } else {
        format!(
            "{} of DB time is I/O, most of it {} ({}, {})",
            percent(io.share),
            main.kind.part,
            main.event,
            percent(main.share)
        )
    };
    match meaning(report, main) {
        Some(meaning) => format!("{within}. {meaning}"),
        None => format!("{within}."),
    }
}

/// What the mean of a wait says of the storage below.
fn meaning(report: &AwrReport, main: &Spent) -> Option<String> {
    if [LOG_WRITES, TRANSPORT].contains(&main.kind.part) {
        return commit(report);
    }
    let Some(mean_ms) = main.mean_ms else {
        return Some(means(&main.event).trim_end().to_owned()).filter(|meaning| !meaning.is_empty());
    };
    if ![SINGLE_READS, MULTI_READS].contains(&main.kind.part) {
        return Some(format!("{}One wait takes {}.", means(&main.event), ms(mean_ms)));
    }
    let times = mean_ms / DISK_MS;
    Some(match mean_ms {
        _ if mean_ms >= 2.0 * DISK_MS => format!(
            "A read takes {}, {} times as long as a spinning disk: requests queue, the storage is overloaded.",
            ms(mean_ms),
            if times < 10.0 { format!("{times:.1}") } else { format!("{times:.0}") }
        ),
        _ if mean_ms > 0.5 * DISK_MS => {
            format!(
                "A read takes {}, as long as a spinning disk: either the storage is too slow for its load, or it consists of spinning disks.",
                ms(mean_ms)
            )
        }
        _ if mean_ms > FLASH_MS => {
            format!("A read takes {}: slower than flash, faster than a disk.", ms(mean_ms))
        }
        _ => format!(
            "A read takes {}, as flash does: the storage is fast, the number of reads{} costs the time.",
            ms(mean_ms),
            per_s(report, main.waits)
        ),
    })
}

/// What a wait means that its name does not tell a reader, by the name's beginning (Oracle Database Reference,
/// "Descriptions of Wait Events"; Performance Tuning Guide, "Wait Events Statistics").
const MEANINGS: [(&str, &str); 12] = [
    ("direct path read temp", SPILLS),
    ("direct path write temp", SPILLS),
    (
        "free buffer waits",
        "The database writer does not write blocks as fast as sessions need free buffers. ",
    ),
    ("log buffer space", "Sessions fill the log buffer faster than the log writer empties it. "),
    ("log file switch (archiving", "The archiver is slower than the redo, or its destination is full. "),
    ("log file switch (checkpoint", "The redo logs are too small for how fast the database writer writes. "),
    (
        "statement suspended",
        "Statements are suspended until they get space: a tablespace, undo or a quota is full. ",
    ),
    ("acknowledge over PGA limit", "The instance is at its limit of private memory (pga_aggregate_limit). "),
    ("enq: TM", "Often a foreign key without an index, or a LOCK TABLE. "),
    ("enq: HW", "Many sessions extend the same segment. "),
    ("enq: SQ", "The cache of a sequence is too small. "),
    ("enq: SV", "A sequence with ORDER, or with too small a cache, is handed from instance to instance. "),
];
const SPILLS: &str = "Sorts and hash joins do not fit into their work areas (PGA). ";

fn means(event: &str) -> &'static str {
    MEANINGS.iter().find(|(start, _)| event.starts_with(start)).map_or("", |(_, meaning)| meaning)
}

/// What calls do, other than their work, for a share of DB time that is worth a remedy.
fn calls(report: &AwrReport) -> Option<String> {
    let is_idle = load(report).is_some_and(|load| load < IDLE);
    let db_time_s = report.db_time_min.filter(|minutes| *minutes > 0.0 && !is_idle)? * 60.0;
    let share = |statistic: &str| Some(report.time_model_s.get(statistic)? / db_time_s);
    let worth = |share: &f64| *share >= report::WORTH_A_REMEDY;
    let hard =
        report.load_profile.iter().find(|(label, rate)| label.starts_with("hard parses") && **rate >= 1.0);
    let hard = hard.map_or(String::new(), |(_, rate)| format!(" ({rate:.0} hard parses a second)"));
    let parsing = share("parse time elapsed")
        .filter(worth)
        .map(|share| format!("Calls parse statements {} of DB time{hard}.", percent(share)));
    let logging_on = share("connection management call elapsed time")
        .filter(worth)
        .map(|share| format!("Sessions log on and off {} of DB time.", percent(share)));
    parsing.into_iter().chain(logging_on).reduce(|one, other| format!("{one} {other}"))
}

/// ` (5,900 a second)`
fn per_s(report: &AwrReport, waits: u64) -> String {
    let seconds = report.elapsed_min.map(|minutes| minutes * 60.0).filter(|seconds| *seconds > 0.0);
    seconds.map_or(String::new(), |seconds| format!(" ({:.0} a second)", waits as f64 / seconds))
}

/// `log file sync` taken apart.
fn commit(report: &AwrReport) -> Option<String> {
    let commit = report::commit_parts(report)?;
    let (sync, write) = (ms(commit.sync_ms), ms(commit.write_ms));
    if commit.is_standby() {
        return Some(format!(
            "A commit waits {sync}, the log write takes {write}; the standby's answer adds {}.",
            ms(commit.standby_ms)
        ));
    }
    let queued = commit.sync_ms > 2.0 * commit.write_ms;
    let busy = commit.busy.filter(|_| queued).map(|busy| {
        format!(
            " Commits queue behind each other's writes: the log writer is busy {} of the time.",
            percent(busy)
        )
    });
    let rate = report.commits_per_s.or(report.transactions_per_s);
    let many = rate.filter(|_| busy.is_some() && commit.write_ms <= FLASH_MS).map(|rate| {
        format!(" The log device is fast, the number of commits ({rate:.0} a second) costs the time.")
    });
    let (busy, many) = (busy.unwrap_or_default(), many.unwrap_or_default());
    Some(format!("A commit waits {sync}, the log write takes {write}.{busy}{many}"))
}

/// Blocks that did not arrive, where that takes time of its own: each is asked for again after half a second.
fn lost(spent: &[Spent]) -> String {
    let share: f64 = spent.iter().filter(|one| one.event.ends_with("block lost")).map(|one| one.share).sum();
    if share < LOST {
        return String::new();
    }
    format!(
        " {} of DB time are waits for blocks that were lost on the way: the private network, or a host's buffers, drops packets.",
        percent(share)
    )
}

/// A share of waits for lost blocks that is no accident (own choice).
const LOST: f64 = 0.02;

fn not_io(report: &AwrReport, part: &TimePart, parts: &[TimePart], spent: &[Spent]) -> String {
    let share = percent(part.share);
    if part.class == TimeClass::Unknown {
        return unexplained(&share, parts);
    }
    let event = if part.event.is_empty() || part.class == TimeClass::Cpu {
        String::new()
    } else if part.event_share > 0.95 * part.share {
        format!(" ({})", part.event)
    } else {
        format!(" ({}, {})", part.event, percent(part.event_share))
    };
    let what = match part.class {
        TimeClass::Cpu if part.event == RUN_QUEUE => "sessions wait for a CPU: the host has none left",
        TimeClass::Cpu if waits_for_cpu(report) => "it is CPU, and the host has none left",
        TimeClass::Cpu => "it is CPU",
        TimeClass::Locks => "sessions wait for locks of other sessions",
        TimeClass::Contention if part.event.starts_with("enq: ") => {
            "sessions wait for an enqueue that they share"
        }
        TimeClass::Contention => "sessions wait for latches, mutexes or blocks in memory",
        TimeClass::ResourceManager => "the resource manager holds sessions back",
        TimeClass::Commits => return commits(report, &share),
        TimeClass::Interconnect => {
            return format!(
                "{share} of DB time is the interconnect: sessions wait for other instances{event}.{}{}",
                lost(spent),
                rest(parts)
            );
        }
        TimeClass::Network => "sessions wait for clients or database links",
        TimeClass::Application => "sessions wait for what the application requests",
        _ => "sessions wait for something else",
    };
    let meaning = means(&part.event).trim_end();
    let meaning = if meaning.is_empty() { String::new() } else { format!(" {meaning}") };
    format!("{share} of DB time is not I/O: {what}{event}.{meaning}{}", rest(parts))
}

/// DB time that is in no wait event and on no CPU.
fn unexplained(share: &str, parts: &[TimePart]) -> String {
    let next = parts.iter().find(|part| part.class != TimeClass::Unknown);
    let next = next.map_or(String::new(), |part| {
        format!(
            " Of what is explained most is {}: {} ({}).",
            name(part.class),
            percent(part.share),
            part.event
        )
    });
    format!(
        "{share} of DB time is in no wait event and on no CPU: sessions waited for a CPU (run queue), or were in calls \
         that Oracle does not instrument.{next}"
    )
}

fn commits(report: &AwrReport, share: &str) -> String {
    let of_standby = |name: &&str| {
        ["LNS wait on SENDREQ", "SYNC Remote Write", "LGWR-LNS wait", "LNS-LGWR wait"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    let listed = report.top_events.iter().map(|event| event.name.as_str());
    let standby = listed.chain(report.waits.keys().map(String::as_str)).find(of_standby);
    match report::commit_parts(report) {
        Some(commit) => format!(
            "{share} of DB time is not I/O: commits wait {} (log file sync), but the log write takes {}: {}.",
            ms(commit.sync_ms),
            ms(commit.write_ms),
            if waits_for_cpu(report) {
                "the host has no CPU left, and the log writer waits for one"
            } else {
                "look for CPU that the log writer does not get, and at how often sessions commit"
            }
        ),
        None if standby.is_some() => format!(
            "{share} of DB time is commits (log file sync), and the report lists waits of redo transport ({}): with SYNC transport each commit waits for the standby too.",
            standby.unwrap_or_default()
        ),
        None => format!(
            "{share} of DB time is commits (log file sync). The report does not show log file parallel write, so nothing \
             tells whether the log device or something else makes them wait."
        ),
    }
}

/// What storage and network could save at most.
fn rest(parts: &[TimePart]) -> String {
    let io = parts.iter().find(|part| part.class == TimeClass::Io).map_or(0.0, |part| part.share);
    if io < 0.005 {
        return " Faster storage would not help.".to_owned();
    }
    let of = parts.iter().find(|part| part.class == TimeClass::Io && io >= NAMED);
    let of = of.map_or(String::new(), |part| format!(" ({})", part.event));
    format!(" I/O is {}{of}: faster storage saves no more than that.", percent(io))
}

/// What else takes a tenth of DB time.
fn beside(class: TimeClass, parts: &[TimePart], spent: &[Spent]) -> Option<String> {
    if [TimeClass::Mixed, TimeClass::Unknown].contains(&class) {
        return None;
    }
    let named = |part: &TimePart| {
        let second = spent
            .iter()
            .filter(|one| one.kind.class == part.class && one.event != part.event)
            .max_by(|a, b| a.share.total_cmp(&b.share));
        match second.filter(|one| one.share >= NAMED) {
            Some(other) => {
                format!("{} {} ({}, {})", name(part.class), percent(part.share), part.event, other.event)
            }
            None => format!("{} {} ({})", name(part.class), percent(part.share), part.event),
        }
    };
    let others: Vec<String> = parts
        .iter()
        .skip(1)
        .filter(|part| part.share >= NAMED && part.class != TimeClass::Unknown)
        // What storage could save is told already.
        .filter(|part| part.class != TimeClass::Io || class == TimeClass::Commits)
        .map(named)
        .collect();
    (!others.is_empty()).then(|| format!("Also: {}.", others.join(", ")))
}

/// A share that is worth a name.
const NAMED: f64 = 0.1;

/// The host's CPUs were busy, or had a queue, for the mean of the interval.
pub(super) fn waits_for_cpu(report: &AwrReport) -> bool {
    let of = |name: &str| report.os_statistics.get(name).copied();
    let busy = of("BUSY_TIME").zip(of("IDLE_TIME")).map(|(busy, idle)| busy / (busy + idle).max(1e-9));
    let busy = busy.or_else(|| of("%Idle").map(|idle| 1.0 - idle / 100.0));
    let queued = of("LOAD").zip(of("NUM_CPUS")).is_some_and(|(load, cpus)| cpus > 0.0 && load > 1.5 * cpus);
    busy.is_some_and(|busy| busy >= BUSY) || (queued && busy.is_none_or(|busy| busy >= 0.5))
}

/// As a person calls it.
pub(crate) fn name(class: TimeClass) -> &'static str {
    match class {
        TimeClass::Io => "I/O",
        TimeClass::Cpu => "CPU",
        TimeClass::Locks => "locks",
        TimeClass::Contention => "latches and mutexes",
        TimeClass::ResourceManager => "the resource manager",
        TimeClass::Commits => "commits",
        TimeClass::Interconnect => "the interconnect",
        TimeClass::Network => "clients and database links",
        TimeClass::Application => "the application",
        TimeClass::Other | TimeClass::Mixed | TimeClass::Unknown => "other waits",
    }
}

/// `0.51 ms`, `46 ms`, `391 ms`
pub(super) fn ms(value: f64) -> String {
    if value >= 10.0 { format!("{value:.0} ms") } else { format!("{value:.2} ms") }
}
