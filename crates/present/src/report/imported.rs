//! What other tools recorded, as a table for each file: the figures that affect the I/O path first.

use super::results::Table;
use crate::format;
use fullwire_model::Run;
use fullwire_model::demand::{ImportedSeries, Series, Summary};

/// Rows of one file: the rest is in the JSON and on the page's charts.
const MOST_ROWS: usize = 30;

/// The metrics that tell most, by the beginning of their names.
const FIRST: [&str; 10] = [
    "util_ratio", "await_ns", "read_await_ns", "write_await_ns", "read_bytes", "write_bytes", "rx_bytes",
    "tx_bytes", "iowait", "io_per_s",
];

/// What metrics are called; others keep their name without its unit.
const NAMES: &[(&str, &str)] = &[
    ("active_bytes", "active memory"),
    ("active_per_s", "TCP connections opened"),
    ("anonpg_bytes", "anonymous memory"),
    ("atmptf_per_s", "TCP connections failed"),
    ("available_bytes", "memory available"),
    ("await_ns", "request wait"),
    ("blocked", "blocked tasks"),
    ("buffers_bytes", "buffers"),
    ("bufpg_per_s", "buffer pages added"),
    ("bytes_per_s", "throughput"),
    ("cached_bytes", "page cache"),
    ("campg_per_s", "cache pages added"),
    ("coll_per_s", "collisions"),
    ("commit_ratio", "share committed"),
    ("committed_bytes", "memory committed"),
    ("context_switches_per_s", "context switches"),
    ("cpu_pressure_ratio", "CPU pressure"),
    ("dentunusd", "unused directory entries"),
    ("dirty_bytes", "dirty pages"),
    ("discard_io_per_s", "discards"),
    ("estres_per_s", "TCP connections reset"),
    ("faults_per_s", "page faults"),
    ("file_nr", "open files"),
    ("flush_await_ns", "flush wait"),
    ("flush_io_per_s", "flushes"),
    ("free_bytes", "memory free"),
    ("frmpg_per_s", "memory pages freed"),
    ("hugfree_bytes", "huge pages free"),
    ("hugrsvd_bytes", "huge pages reserved"),
    ("hugsurp_bytes", "huge pages surplus"),
    ("hugused_bytes", "huge pages used"),
    ("hugused_ratio", "huge pages used"),
    ("idle_ratio", "idle"),
    ("inactive_bytes", "inactive memory"),
    ("inode_nr", "open inodes"),
    ("interrupts_per_s", "interrupts"),
    ("io_full_pressure_ratio", "I/O pressure, all"),
    ("io_per_s", "requests"),
    ("io_pressure_ratio", "I/O pressure"),
    ("iowait_ratio", "iowait"),
    ("ip_frag", "IP fragments queued"),
    ("isegerr_per_s", "TCP segments with errors"),
    ("kbhugfree", "huge pages free"),
    ("kstack_bytes", "kernel stacks"),
    ("ldavg_1", "load, 1 min"),
    ("ldavg_15", "load, 15 min"),
    ("ldavg_5", "load, 5 min"),
    ("major_faults_per_s", "major page faults"),
    ("memory_full_pressure_ratio", "memory pressure, all"),
    ("memory_pressure_ratio", "memory pressure"),
    ("memused_ratio", "memory used"),
    ("nice_ratio", "nice"),
    ("orsts_per_s", "TCP resets sent"),
    ("paged_in_bytes_per_s", "paged in"),
    ("paged_out_bytes_per_s", "paged out"),
    ("passive_per_s", "TCP connections accepted"),
    ("pgfree_per_s", "pages freed"),
    ("pgscand_per_s", "pages scanned by processes"),
    ("pgscank_per_s", "pages scanned by kswapd"),
    ("pgsteal_per_s", "pages reclaimed"),
    ("pgtbl_bytes", "page tables"),
    ("plist_sz", "tasks"),
    ("processes_per_s", "processes created"),
    ("pty_nr", "pseudo-terminals"),
    ("queue_mean", "queue"),
    ("queue_ns", "client queue"),
    ("rawsck", "raw sockets"),
    ("read_await_ns", "read wait"),
    ("read_bytes_per_s", "read"),
    ("read_io_per_s", "reads"),
    ("read_request_mean_bytes", "read size"),
    ("request_mean_bytes", "request size"),
    ("retransmits_ratio", "retransmitted"),
    ("rpc_backlog", "RPC backlog"),
    ("rtt_ns", "server round trip"),
    ("runnable", "runnable tasks"),
    ("rx_bytes_per_s", "received"),
    ("rx_packets_per_s", "packets received"),
    ("rxcmp_per_s", "compressed packets received"),
    ("rxfram_per_s", "frame errors"),
    ("rxmcst_per_s", "multicast packets received"),
    ("slab_bytes", "kernel slabs"),
    ("steal_ratio", "steal"),
    ("swap_free_bytes", "swap free"),
    ("swap_in_pages_per_s", "pages swapped in"),
    ("swap_out_pages_per_s", "pages swapped out"),
    ("swap_used_bytes", "swap used"),
    ("swpcad_bytes", "swap cached"),
    ("swpcad_ratio", "swap cached"),
    ("swpused_ratio", "swap used"),
    ("system_active", "processes active"),
    ("system_ratio", "system"),
    ("tcp_retransmits_per_s", "TCP retransmitted"),
    ("tcp_segments_in_per_s", "TCP segments received"),
    ("tcp_segments_out_per_s", "TCP segments sent"),
    ("tcp_tw", "TCP sockets in TIME-WAIT"),
    ("tcpsck", "TCP sockets"),
    ("totsck", "sockets"),
    ("tx_bytes_per_s", "sent"),
    ("tx_packets_per_s", "packets sent"),
    ("txcarr_per_s", "carrier errors"),
    ("txcmp_per_s", "compressed packets sent"),
    ("udpsck", "UDP sockets"),
    ("used_bytes", "memory used"),
    ("user_ratio", "user"),
    ("util_ratio", "busy"),
    ("vmeff_ratio", "reclaim efficiency"),
    ("vmused_bytes", "kernel virtual memory"),
    ("write_await_ns", "write wait"),
    ("write_bytes_per_s", "written"),
    ("write_io_per_s", "writes"),
    ("write_request_mean_bytes", "write size"),
];

/// One table for each file and host.
pub(super) fn tables(run: &Run) -> Vec<Table> {
    run.imported.iter().map(table).collect()
}

/// What a person calls a metric.
pub(super) fn name_of(metric: &str) -> String {
    let known = NAMES.iter().find(|(name, _)| *name == metric);
    known.map_or_else(|| plain(metric), |(_, name)| (*name).to_owned())
}

fn plain(metric: &str) -> String {
    let units = ["_per_s", "_ratio", "_bytes", "_ns"];
    let bare = units.iter().fold(metric, |name, unit| name.strip_suffix(unit).unwrap_or(name));
    bare.replace('_', " ")
}

fn table(file: &ImportedSeries) -> Table {
    let mut table = Table::new(title(file), &["", "metric", "#mean", "#95 %", "#largest", "@at"]);
    let mut all: Vec<(&Series, Summary)> =
        file.series.iter().filter_map(|series| Some((series, file.summary(series)?))).collect();
    // Devices that did nothing come last, whatever is said of them.
    all.sort_by(|(one, a), (other, b)| {
        let order = (a.max <= 0.0, rank(one)).cmp(&(b.max <= 0.0, rank(other)));
        order.then_with(|| one.metric.cmp(&other.metric)).then_with(|| b.max.total_cmp(&a.max))
    });
    let total = all.len();
    // The count that belongs to the retransmissions: the rate says the same.
    all.retain(|(series, _)| (series.area.as_str(), series.metric.as_str()) != ("nfs", "operations"));
    drop_sums_of_one(&mut all);
    keep_first_of_each(&mut all);
    let form = form(file);
    table.rows = all.iter().take(MOST_ROWS).map(|(series, summary)| row(series, *summary, form)).collect();
    shorten(&mut table.rows);
    if total > table.rows.len() {
        table.notes.push(format!("{} more series are in the JSON.", total - table.rows.len()));
    }
    table.notes.push(format!("From {}.", file.source));
    if file.first_since_boot {
        table.notes.push("Means since boot hide short trouble, so nothing is judged by them.".into());
    } else {
        table.notes.push(
            "Rates are means over time; waits and sizes are means over requests, without idle intervals."
                .into(),
        );
    }
    table
}

/// Names of mounts and devices are as wide as this in a table.
const WIDEST_NAME: usize = 24;

/// A long name loses its middle; names that are alike without it are numbered, for rows must be told apart.
fn shorten(rows: &mut [Vec<String>]) {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        let Some(name) = row.first_mut().filter(|name| name.chars().count() > WIDEST_NAME) else { continue };
        let number = names.iter().position(|known| known == name).unwrap_or(names.len());
        if number == names.len() {
            names.push(name.clone());
        }
        let short = |name: &str| {
            let count = name.chars().count();
            let begin: String = name.chars().take(WIDEST_NAME / 3).collect();
            let end: String = name.chars().skip(count - WIDEST_NAME / 2).collect();
            format!("{begin}…{end}")
        };
        let own = short(name);
        let alike = names[..number].iter().filter(|other| short(other) == own).count();
        *name = if alike == 0 { own } else { format!("{own} ({})", alike + 1) };
    }
}

/// A sum over all devices says nothing beside the only one that worked.
fn drop_sums_of_one(all: &mut Vec<(&Series, Summary)>) {
    let own: Vec<(String, Summary)> = all
        .iter()
        .filter(|(series, _)| !series.subject.is_empty())
        .map(|(series, summary)| (series.metric.clone(), *summary))
        .collect();
    let told = |series: &Series, summary: Summary| own.contains(&(series.metric.clone(), summary));
    all.retain(|(series, summary)| !series.subject.is_empty() || !told(series, *summary));
}

/// Rows of one metric: of a hundred disks the busiest tell enough.
const MOST_OF_A_METRIC: usize = 4;

/// Keeps the first few subjects of each metric.
fn keep_first_of_each(all: &mut Vec<(&Series, Summary)>) {
    let mut last: Option<(String, usize)> = None;
    all.retain(|(series, _)| {
        let count = match &last {
            Some((metric, count)) if *metric == series.metric => count + 1,
            _ => 1,
        };
        last = Some((series.metric.clone(), count));
        count <= MOST_OF_A_METRIC
    });
}

/// `sar on db1, 2026-11-22 00:10:01 to 23:50:01 (the host's own time), 143 records`
fn title(file: &ImportedSeries) -> String {
    let host = file.host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
    let records = file.series.iter().map(|series| series.samples.len()).max().unwrap_or(0);
    let records = if records == 1 { "1 record".to_owned() } else { format!("{records} records") };
    let when = match file.times() {
        Some((first, last)) if first == last => format!(", {}", first.strftime(WITH_YEAR)),
        Some((first, last)) => {
            let end = if first.date() == last.date() { TIME } else { WITH_YEAR };
            format!(", {} to {}", first.strftime(WITH_YEAR), last.strftime(end))
        }
        None => String::new(),
    };
    let clock = match file.clock.as_str() {
        _ if when.is_empty() => String::new(),
        "local" => " (the host's own time)".to_owned(),
        zone => format!(" ({zone})"),
    };
    format!("{}{host}{when}{clock}, {records}", file.tool)
}

const TIME: &str = "%H:%M:%S";
const WITH_YEAR: &str = "%Y-%m-%d %H:%M:%S";

/// As much of a time as the title leaves open: it has the first and the last.
fn form(file: &ImportedSeries) -> &'static str {
    match file.times() {
        Some((first, last)) if first.year() != last.year() => WITH_YEAR,
        Some((first, last)) if first.date() != last.date() => "%m-%d %H:%M:%S",
        _ => TIME,
    }
}

fn rank(series: &Series) -> usize {
    FIRST.iter().position(|name| series.metric.starts_with(name)).unwrap_or(FIRST.len())
}

fn row(series: &Series, summary: Summary, form: &str) -> Vec<String> {
    let (name, metric) = of_mount(series).unwrap_or_else(|| (subject(series), name_of(&series.metric)));
    vec![
        name,
        metric,
        format::value(summary.mean, series.unit),
        format::value(summary.p95, series.unit),
        format::value(summary.max, series.unit),
        summary.max_at.map_or(String::new(), |max| max.strftime(form).to_string()),
    ]
}

/// `CPU 3`, `sda`, or the area where there is no subject.
fn subject(series: &Series) -> String {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match (series.area.as_str(), series.subject.as_str()) {
        (area, "") => area.to_owned(),
        ("cpu" | "softnet", number) if is_number(number) => format!("CPU {number}"),
        (_, subject) => subject.to_owned(),
    }
}

/// `filer:/vol /mnt read` as the mount point, and the metric with its operation: the end of a name is the first to be cut.
fn of_mount(series: &Series) -> Option<(String, String)> {
    let subject = (series.area == "nfs").then_some(series.subject.as_str())?;
    let operation = [" read", " write"].into_iter().find(|operation| subject.ends_with(operation));
    let whole = subject.strip_suffix(operation.unwrap_or("")).unwrap_or(subject);
    let (_, mount) = whole.split_once(' ')?;
    let metric = name_of(&series.metric);
    Some((mount.to_owned(), operation.map_or(metric.clone(), |operation| format!("{metric},{operation}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_is_called_one() {
        let of = |area: &str, name: &str| {
            subject(&Series { area: area.into(), subject: name.into(), ..Series::default() })
        };
        let named =
            [of("cpu", "11"), of("softnet", "2"), of("cpu", "all"), of("disk", "sda"), of("memory", "")];
        assert_eq!(named, ["CPU 11", "CPU 2", "all", "sda", "memory"]);
    }

    #[test]
    fn reads_and_writes_of_a_mount_differ_where_a_narrow_table_cuts() {
        let of = |area: &str, subject: &str| {
            let (area, subject, metric) = (area.to_owned(), subject.to_owned(), "await_ns".to_owned());
            of_mount(&Series { area, subject, metric, ..Series::default() })
        };
        let row = |mount: &str, metric: &str| Some((mount.to_owned(), metric.to_owned()));
        assert_eq!(of("nfs", "filer1:/vol/u02 /u02 read"), row("/u02", "request wait, read"));
        assert_eq!(of("nfs", "filer1:/vol/u02 /u02 write"), row("/u02", "request wait, write"));
        assert_eq!(of("nfs", "filer1:/vol/u02 /u02"), row("/u02", "request wait"));
        assert_eq!(of("nfs", ""), None);
        assert_eq!(of("disk", "sda read"), None);
    }

    #[test]
    fn long_names_lose_their_middle_and_stay_apart() {
        let paths = ["/var/lib/kubelet/pods/1/volumes/nfs", "/var/lib/kubelet/pods/2/volumes/nfs", "/u02"];
        let mut rows: Vec<Vec<String>> = paths.iter().map(|path| vec![(*path).to_owned()]).collect();
        shorten(&mut rows);
        let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(names, ["/var/lib…/volumes/nfs", "/var/lib…/volumes/nfs (2)", "/u02"]);
    }

    #[test]
    fn metrics_have_names_that_people_use() {
        assert_eq!(name_of("read_await_ns"), "read wait");
        assert_eq!(name_of("rxkb_per_s"), "rxkb");
        assert_eq!(name_of("anonpg_bytes"), "anonymous memory");
        assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
