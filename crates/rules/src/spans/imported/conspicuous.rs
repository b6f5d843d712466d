//! The figures of a file that nobody would call usual, whatever rules could be judged: one record is enough to see them, and
//! a mean since boot can hide trouble but cannot invent it.

mod moment;

use super::ms;
use super::record::{Figure, File, Record, find, since, worst};
use crate::facts::{percent, size};
use fullwire_model::demand::ImportedSeries;
use moment::moment;

thresholds! {
    /// CPUs of one record that a sentence has room for.
    const CPUS: usize = 4;
    /// A device that is busy for more of the time has no room (own choice).
    const FULL: f64 = 0.95;
    /// So busy a device is named where nothing of one record is conspicuous (own choice).
    const BUSY: f64 = 0.7;
    /// Requests that wait beside the one that is served: below it there is no queue.
    const QUEUE: f64 = 2.0;
    /// So many times as long as is normal, where hardly anything else is in flight, is no queue (own choice).
    const BY_ITSELF: f64 = 5.0;
    /// Waits for I/O of more of all CPUs are conspicuous (own choice).
    const IOWAIT: f64 = 0.33;
    /// Time that the hypervisor takes away from which a guest is conspicuous (own choice).
    const STOLEN: f64 = 0.1;
    /// Share of one CPU that soft interrupts fill.
    const SOFT: f64 = 0.9;
    /// More of all CPUs that is idle could share a load.
    const HALF: f64 = 0.5;
    /// What a frame has on the wire beside what the kernel counts: preamble, checksum, gap (IEEE 802.3: 8, 4 and 12 bytes).
    const ON_WIRE_BYTES: f64 = 24.0;
    /// Speeds of links.
    const LINKS_BIT_PER_S: [f64; 5] = [1e9, 2.5e9, 10e9, 25e9, 100e9];
    /// So much of one is all of it, in a mean of minutes (own choice).
    const NEARLY: f64 = 0.97;
    /// Less idle time is none.
    const NO_IDLE: f64 = 0.02;
    /// Smaller requests are small: the number of them is what a device can serve.
    const SMALL_BYTES: f64 = 32_768.0;
    /// Limits of volumes are multiples of it, requests a second (gp3's 3,000, Azure's 500 and 5,000).
    const ROUND: f64 = 500.0;
    /// How near to a multiple counts, as a share of the distance between two: chance is there one time in 25 (own choice).
    const NEAR: f64 = 0.02;
    /// Requests of this size are a stream: bandwidth counts, not their number.
    const STREAM_BYTES: f64 = 131_072.0;
    /// Fewer requests a second tell of nothing: a single one may have met a sleeping disk.
    const FEW_PER_S: f64 = 1.0;
    /// No spinning disk streams more, bytes a second (the largest of 2026 read 285 MB/s).
    const SPINNING_BYTES_PER_S: f64 = 300e6;
    /// No spinning disk serves more requests a second (worked figures: 75 to 147 at random; small ones in order are joined).
    const SPINNING_IO_PER_S: f64 = 1000.0;
    /// What flash behind a network or a controller needs for a request, ns: a queue in which none takes longer is no sign
    /// that nothing is left.
    const QUICK_NS: f64 = 5e6;
    /// Sentences of one file.
    const MOST: usize = 4;
    /// Less of the memory than this is as good as none (own choice).
    const NO_MEMORY: f64 = 0.03;
    /// Pages a second that programs themselves had to search for, from which memory is short (own choice).
    const DIRECT_PER_S: f64 = 1_000.0;
    /// A commit that takes so much of a transaction decides how many there are (own choice).
    const COMMIT_SHARE: f64 = 0.5;
    /// Burst credits of a cloud's volume are as good as gone below this share (own choice).
    const NO_CREDITS: f64 = 0.1;
    /// More of the rate that was bought is all of it (own choice).
    const ALL_OF_IT: f64 = 0.95;
    /// A load of so many tasks for each CPU is conspicuous (own choice).
    const LOAD_FOR_A_CPU: f64 = 2.0;
    /// A load of so many tasks is conspicuous where the CPUs are not known: few servers have more of them (own choice).
    const LOAD: f64 = 64.0;
    /// The load of one minute beside that of fifteen that shows a change (own choice).
    const CHANGED: f64 = 2.0;
    /// Damaged frames a second from which an interface is conspicuous: more than a stray one (own choice).
    const DAMAGED_PER_S: f64 = 1.0;
    /// Datagrams a second that arrived and were dropped, from which the receiver is conspicuous (own choice).
    const DATAGRAMS_PER_S: f64 = 10.0;
    /// Their share of those that arrived (own choice).
    const DATAGRAMS: f64 = 0.01;
    /// Segments a second that TCP sends again, from which it is conspicuous (own choice).
    const AGAIN_PER_S: f64 = 10.0;
    /// From which it is conspicuous without their share: 1 % of what a link of 1 Gbit/s carries at an MTU of 1500 (own choice).
    const MANY_AGAIN_PER_S: f64 = 100.0;
    /// Their share of all that are sent: as `tcp-retransmissions` has it.
    const AGAIN: f64 = 0.01;
    /// A transaction of pgbench that takes longer waits for more than its CPU, ns (own choice).
    const TRANSACTION_NS: f64 = 50e6;
    /// A connection that takes so much of a transaction is what is measured (own choice).
    const CONNECTING: f64 = 0.03;
    /// Dropped frames a second from which an interface is conspicuous: a protocol that nobody speaks drops fewer (own choice).
    const DROPPED_PER_S: f64 = 10.0;
}

/// What a request takes of each kind of device when it is not queued, ns: NVMe answers within 1 ms, flash behind a network
/// or a controller within 5 ms, a spinning disk within 20 ms (worked figures: 6.8 to 14.2 ms for a random read). Only a
/// name that says NVMe is known to be one.
fn bound_ns(disk: &str, record: &Record<'_>) -> (f64, &'static str) {
    let get = |metric: &str| record.get(metric).copied().unwrap_or(0.0);
    let bytes = get("read_bytes_per_s") + get("write_bytes_per_s") + get("bytes_per_s");
    let requests = get("read_io_per_s") + get("write_io_per_s") + get("io_per_s");
    match () {
        () if disk.contains("nvme") => (4e6, "an NVMe device"),
        () if bytes > SPINNING_BYTES_PER_S || requests > SPINNING_IO_PER_S => (20e6, "a volume of this rate"),
        () => (20e6, "a spinning disk"),
    }
}

/// The conspicuous figures of a file, the worst first.
pub(crate) fn sentences(file: &ImportedSeries) -> Vec<String> {
    figures(&File::new(file)).into_iter().map(|(figure, _)| figure.text).collect()
}

/// The series that these figures are of: area and metric.
pub(crate) fn series(file: &ImportedSeries) -> Vec<(String, String)> {
    let of = figures(&File::new(file)).into_iter().map(|(_, of)| of);
    of.filter(|(area, _)| !area.is_empty()).map(|(area, metric)| (area.into(), metric.into())).collect()
}

/// Each with the area and a metric of the series that it is of.
fn figures(file: &File<'_>) -> Vec<(Figure, (&'static str, &'static str))> {
    let each = |area: &'static str, metric: &'static str, one: fn(&File<'_>, &str) -> Option<Figure>| {
        let names = file.of.keys().filter(move |(own, _)| *own == area).map(|(_, name)| *name);
        names.filter_map(move |name| Some((one(file, name)?, (area, metric)))).collect::<Vec<_>>()
    };
    let host = |of, one: Option<Figure>| one.map(|figure| (figure, of));
    let mut figures = [
        each("disk", "await_ns", disk),
        each("disk", "await_ns", flush),
        each("nfs", "await_ns", super::nfs::figure),
        each("nfs", "retransmits_ratio", super::nfs::again),
        each("nic", "rx_errors_per_s", nic),
        each("disk", "io_per_s", allowance),
    ]
    .concat();
    figures.extend(
        [
            host(("cpu", "idle_ratio"), cpu(file)),
            host(("cpu", "softirq_ratio"), interrupts(file)),
            host(("system", "runnable"), queue(file)),
            host(("memory", "available_bytes"), memory(file)),
            host(("system", "ldavg_1"), load(file)),
            host(("database", ""), commits(file)),
            host(("system", "udp_errors_in_per_s"), datagrams(file)),
            host(("system", "tcp_retransmits_per_s"), segments(file)),
        ]
        .into_iter()
        .flatten(),
    );
    // Comes first: it says more than any bound.
    figures.extend(super::alike::odd(file).map(|(text, of)| (Figure { weight: 200.0, text }, ("disk", of))));
    if figures.is_empty() {
        figures.extend(host(("", ""), moment(file)));
    }
    figures.sort_by(|(one, _), (other, _)| other.weight.total_cmp(&one.weight));
    figures.truncate(MOST);
    figures
}

fn disk(file: &File<'_>, name: &str) -> Option<Figure> {
    let metric = ["util_ratio", "await_ns", "write_await_ns", "read_await_ns"];
    let metric = metric.into_iter().find(|metric| find(file, "disk", name, metric).is_some())?;
    let record = worst(file, "disk", name, metric)?;
    let get = |metric: &str| record.get(metric).copied();
    let (reads, writes) = (get("read_io_per_s").unwrap_or(0.0), get("write_io_per_s").unwrap_or(0.0));
    let counted = ["io_per_s", "read_io_per_s", "write_io_per_s"].iter().any(|metric| get(metric).is_some());
    // A monitor may have times alone.
    let requests = if counted { get("io_per_s").unwrap_or(reads + writes) } else { FEW_PER_S };
    let waits = ["await_ns", "read_await_ns", "write_await_ns"].map(|metric| get(metric).unwrap_or(0.0));
    let wait_ns = waits.into_iter().fold(0.0, f64::max);
    // Little's law, where no queue is printed.
    let [both_ns, read_ns, write_ns] = waits;
    let held_ns = if both_ns > 0.0 { requests * both_ns } else { reads * read_ns + writes * write_ns };
    let in_flight = if counted { held_ns / 1e9 } else { 1.0 };
    let queue = get("queue_mean").unwrap_or(in_flight);
    let (bound, kind) = bound_ns(name, &record);
    let never_idle = get("util_ratio").is_some_and(|busy| busy >= FULL);
    let is_slow = wait_ns <= 0.0 || wait_ns >= QUICK_NS.min(bound);
    let is_full = never_idle && ((queue >= QUEUE && is_slow) || wait_ns >= bound);
    if never_idle && !is_full && queue >= QUEUE {
        return Some(busy_and_quick(file, name, wait_ns, queue));
    }
    if never_idle && !is_full && requests >= FEW_PER_S {
        let rate = if counted { format!(" {requests:.0} requests a second") } else { String::new() };
        let text = if wait_ns > 0.0 {
            format!(
                "{name} works without a pause{}:{rate}, a request takes {}, few at a time: only more at once would show whether it can serve more.",
                since(file),
                ms(wait_ns)
            )
        } else {
            format!(
                "{name} works without a pause{}:{rate}. Whether they wait is not in this file: record how long a request takes (iostat -x, -D on AIX).",
                since(file)
            )
        };
        // Where CPUs wait for I/O, this is the device.
        return Some(Figure { weight: if wait_ns > 0.0 { 0.5 } else { 2.0 }, text });
    }
    if requests < FEW_PER_S || !(is_full || (wait_ns >= 2.0 * bound && queue >= 1.0)) {
        return None;
    }
    let busy = get("util_ratio").map(|busy| format!("busy {} of the time", percent(busy)));
    let plural = if queue < 1.5 { "" } else { "s" };
    let queued = (queue >= 1.0).then(|| format!("{queue:.0} request{plural} in the queue"));
    let waiting = (wait_ns > 0.0).then(|| format!("a request takes {}", ms(wait_ns)));
    let said: Vec<String> = [busy, queued, waiting].into_iter().flatten().collect();
    let by_itself = queue > 0.0 && queue < QUEUE && wait_ns >= BY_ITSELF * bound;
    let (word, limit) = match is_full {
        _ if by_itself => ("is slow by itself", ALONE.to_owned()),
        true if !counted => ("is full", String::new()),
        true => ("is full", format!(" {}", limit(&record, requests))),
        false => ("is slow", String::new()),
    };
    let beyond = format!(" (up to {} is normal for {kind})", ms(bound));
    let text = format!("{name} {word}{}: {}{beyond}.{limit}", since(file), said.join(", "));
    Some(Figure { weight: 2.0 + (wait_ns / bound).min(100.0), text })
}

/// A device is in the file, and how busy it is or how long it takes.
fn names_a_disk(file: &File<'_>) -> bool {
    let metrics = ["util_ratio", "await_ns", "read_await_ns"];
    let mut disks = file.of.keys().filter(|(area, _)| *area == "disk");
    disks.any(|(_, name)| metrics.iter().any(|metric| find(file, "disk", name, metric).is_some()))
}

/// What tells more, where no device is in the file.
const UNNAMED: &str = ": record iostat -xt 10 to see which device";

/// What a wait means that is no queue.
const ALONE: &str = " Hardly anything is in flight, so no queue of this host makes them wait: look for errors and retries of the device \
                     (kernel's log, smartctl -a), and of an array's unit or a cloud's volume at its own latency and limits.";

/// Never idle is not full: a device that serves many at once is busy with one as with all of them.
fn busy_and_quick(file: &File<'_>, name: &str, wait_ns: f64, queue: f64) -> Figure {
    let text = format!(
        "{name} is never idle{}, and answers in {} with {queue:.0} requests in the queue: only more load would show whether it can serve more.",
        since(file),
        ms(wait_ns)
    );
    Figure { weight: 0.5, text }
}

/// Flushes that take longer than the device needs for a write: what commits wait for (`f_await` of iostat).
fn flush(file: &File<'_>, name: &str) -> Option<Figure> {
    let record = worst(file, "disk", name, "flush_await_ns")?;
    let get = |metric: &str| record.get(metric).copied().unwrap_or(0.0);
    let (wait_ns, flushes) = (get("flush_await_ns"), get("flush_io_per_s"));
    let (bound, kind) = bound_ns(name, &record);
    if wait_ns < bound || flushes < FEW_PER_S {
        return None;
    }
    let write_ns = get("write_await_ns");
    let beside = if write_ns > 0.0 { format!(", a write before it {}", ms(write_ns)) } else { String::new() };
    let text = format!(
        "{name}: a flush takes {}{}, {flushes:.0} a second{beside} (up to {} is normal for {kind}). A commit waits for its flush: the device has no cache that survives a power failure, or is slow to empty it.",
        ms(wait_ns),
        since(file),
        ms(bound)
    );
    Some(Figure { weight: 2.0 + (wait_ns / bound).min(100.0), text })
}

/// What of the device is used up: its bandwidth, or the number of its requests.
fn limit(record: &Record<'_>, requests: f64) -> String {
    let get = |metric: &str| record.get(metric).copied().unwrap_or(0.0);
    let both = get("read_bytes_per_s") + get("write_bytes_per_s");
    let bytes = if both > 0.0 { both } else { get("bytes_per_s") };
    let each = bytes / requests.max(1e-9);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size")]
    let sized = if bytes > 0.0 {
        format!(" of {} each, {:.1} MB/s", size(each as u64), bytes / 1e6)
    } else {
        String::new()
    };
    let what = if bytes <= 0.0 {
        "how many it can serve is the limit"
    } else if each >= STREAM_BYTES {
        "large requests: its bandwidth is the limit"
    } else if each <= SMALL_BYTES {
        "small requests: how many it can serve is the limit"
    } else {
        "how many of this size it can serve is the limit"
    };
    // Rates that clouds sell are round, and they are met to the request.
    let off = (requests / ROUND - (requests / ROUND).round()).abs() * ROUND;
    let round = if requests >= 2.0 * ROUND && off <= (0.002 * requests).min(NEAR * ROUND) {
        ", and on a cloud's volume such a round number is often the limit that was bought"
    } else {
        ""
    };
    format!(
        "It serves {requests:.0} requests a second{sized}: {what}{round}, and the wait is the queue before it."
    )
}

fn cpu(file: &File<'_>) -> Option<Figure> {
    let mean = |metric: &str| find(file, "cpu", "all", metric).and_then(|one| file.summary(one));
    let (iowait, idle) = (mean("iowait_ratio"), mean("idle_ratio"));
    if let Some(iowait) = iowait.filter(|one| one.max >= IOWAIT) {
        let text = format!(
            "CPUs wait for I/O{} {} of the time on average, {} at worst{}.",
            since(file),
            percent(iowait.mean),
            percent(iowait.max),
            if names_a_disk(file) { "" } else { UNNAMED }
        );
        return Some(Figure { weight: 1.0 + iowait.max, text });
    }
    if let Some(taken) = mean("steal_ratio").filter(|one| one.mean >= STOLEN) {
        let text = format!(
            "The hypervisor gives this host's CPUs to others {} of the time (steal): whatever is measured here waits for a CPU first. Fewer guests on the machine, or reserved CPUs.",
            percent(taken.mean)
        );
        return Some(Figure { weight: 1.9, text });
    }
    let idle = idle.filter(|one| one.min <= NO_IDLE)?;
    let series = find(file, "cpu", "all", "idle_ratio")?;
    let none = series.samples.iter().filter(|sample| sample.value <= NO_IDLE).count();
    let text = format!(
        "The CPUs are fully busy in {none} of {} records ({:.1} % idle on average): record sar -q, or vmstat, to see how many tasks wait.",
        series.samples.len(),
        idle.mean * 100.0
    );
    Some(Figure { weight: 1.0, text })
}

/// A CPU that soft interrupts filled since boot, which no rule on a span sees (`softirq-one-cpu` has the same bounds).
fn interrupts(file: &File<'_>) -> Option<Figure> {
    let mean = |name: &str, metric: &str| {
        find(file, "cpu", name, metric).and_then(|one| file.summary(one)).map(|one| one.mean)
    };
    let idle = mean("all", "idle_ratio").filter(|idle| *idle > HALF && file.first_since_boot)?;
    let single =
        file.of.keys().filter(|(area, name)| *area == "cpu" && *name != "all").map(|(_, name)| *name);
    let soft = single.filter_map(|name| Some((mean(name, "softirq_ratio")?, name)));
    let (soft, name) =
        soft.max_by(|one, other| one.0.total_cmp(&other.0)).filter(|(soft, _)| *soft > SOFT)?;
    let text = format!(
        "CPU {name} spends {} of its time in soft interrupts{} while all CPUs together are {} idle: the packets or requests of one queue come to it alone. More queues (ethtool -l, -L), irqbalance, or receive packet steering spread them.",
        percent(soft),
        since(file),
        percent(idle)
    );
    Some(Figure { weight: 2.5, text })
}

/// Tasks that wait for a CPU, or for a device.
fn queue(file: &File<'_>) -> Option<Figure> {
    let most = |metric: &str| find(file, "system", "", metric).and_then(|one| file.summary(one));
    let cpus = file.cpus.map_or(1.0, |cpus| cpus as f64);
    if let Some(blocked) = most("blocked").filter(|one| one.max >= 4.0 && one.max >= cpus) {
        let text = format!("Up to {:.0} tasks wait for a device at the same time.", blocked.max);
        return Some(Figure { weight: 1.5, text });
    }
    let runnable =
        most("runnable").filter(|one| one.mean >= 2.0 * cpus && one.mean >= 4.0 && file.cpus.is_some())?;
    let text = format!("{:.0} tasks want a CPU on average, of {cpus:.0} CPUs.", runnable.mean);
    Some(Figure { weight: 1.2, text })
}

/// Memory that is used up, or that programs have to free themselves before they go on.
fn memory(file: &File<'_>) -> Option<Figure> {
    let of = |metric: &str| find(file, "memory", "", metric).and_then(|one| file.summary(one));
    let most = |metric: &str| of(metric).map_or(0.0, |one| one.max);
    let who = [
        (
            "direct_scan_pages_per_s",
            "Programs search for free memory themselves",
            ": each such request waits",
        ),
        ("scan_pages_per_s", "The system searches memory for pages to free (sr)", ""),
    ];
    let searched = |(metric, who, then): (&str, &str, &str)| {
        let most = of(metric).filter(|one| one.max >= DIRECT_PER_S)?.max;
        Some(format!("{who}, up to {most:.0} pages a second{then}. Memory is short."))
    };
    if let Some(text) = who.into_iter().find_map(searched) {
        return Some(Figure { weight: 1.9, text });
    }
    let left = of("available_bytes")?.min;
    let total = most("used_bytes") + most("free_bytes") + most("cached_bytes");
    if left <= 0.0 || left >= NO_MEMORY * total {
        return None;
    }
    let swap = most("swap_used_bytes");
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size")]
    let swapped = if swap > 0.0 { format!(", and {} are in swap", size(swap as u64)) } else { String::new() };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size")]
    let text = format!(
        "Memory is short: {} of {} are available{swapped}. Record vmstat -t 10: si and so say whether it swaps.",
        size(left as u64),
        size(total as u64)
    );
    Some(Figure { weight: 1.9, text })
}

/// What a benchmark's transactions wait for.
fn commits(file: &File<'_>) -> Option<Figure> {
    let of = |metric: &str| {
        find(file, "database", "", metric).and_then(|one| file.summary(one)).map(|one| one.mean)
    };
    let whole = of("transaction_ns")?;
    if let Some(connect) = of("connect_ns").filter(|connect| *connect >= CONNECTING * whole) {
        let text = format!(
            "The test makes a connection for each transaction (pgbench -C), which takes {}, one after another in each thread: it measures that, and neither commits nor reads. Run it without -C; of a program, pool its connections.",
            ms(connect)
        );
        return Some(Figure { weight: 2.2, text });
    }
    // Each transaction of TPC-B updates one of as many rows (pgbench's manual, Good Practices).
    if let (Some(scale), Some(clients)) = (of("scale"), of("clients").filter(|clients| *clients >= 2.0))
        && clients > scale
    {
        let text = format!(
            "{clients:.0} clients update {scale:.0} rows (scaling factor): they wait for each other's row locks, whatever the storage can do. Set up the test with pgbench -i -s {clients:.0} or more."
        );
        return Some(Figure { weight: 2.1, text });
    }
    let Some(commit) = of("commit_ns") else {
        let rate = of("transactions_per_s")?;
        let clients =
            of("clients").map_or("Its clients".to_owned(), |clients| format!("{clients:.0} clients"));
        let next = if file.tool == "pgbench" {
            "pgbench -r tells which statement, `fullwire disk DIRECTORY-OF-THE-LOG --profile pg-wal` what a flush takes"
        } else {
            "`fullwire disk DIRECTORY-OF-THE-LOG` tells what a flush takes"
        };
        return (whole >= TRANSACTION_NS).then(|| Figure {
            weight: 2.0,
            text: format!(
                "{clients} get {rate:.0} transactions a second, and each takes {}: more than their statements need a CPU for. They wait for the commit (the flush of the log, a synchronous standby) or for each other's rows: {next}.",
                ms(whole)
            ),
        });
    };
    let share = commit / whole.max(1.0);
    (share >= COMMIT_SHARE).then(|| Figure {
        weight: 2.0 + share,
        text: format!(
            "The commit takes {} of a transaction's {} ({}): it waits until the log is durable, not for a CPU or for reads. Measure that: fullwire disk DIRECTORY-OF-THE-LOG --profile pg-wal.",
            ms(commit),
            ms(whole),
            percent(share.min(1.0))
        ),
    })
}

/// Datagrams that arrived and that no program took in time.
fn datagrams(file: &File<'_>) -> Option<Figure> {
    let (lost, _, share) = lost(file, "udp_errors_in_per_s", "udp_datagrams_in_per_s")?;
    (lost >= DATAGRAMS_PER_S && share >= DATAGRAMS).then(|| Figure {
        weight: 2.0 + share,
        text: format!(
            "{lost:.0} UDP datagrams a second ({}) arrived and were dropped by this host: usually the receive buffer of their socket was full. Raise net.core.rmem_max and rmem_default, and see why the program does not keep up (nstat -az UdpRcvbufErrors).",
            percent(share)
        ),
    })
}

/// Rates of what was lost and of what arrived in the record with the most losses, and their share of both.
fn lost(file: &File<'_>, lost: &str, taken: &str) -> Option<(f64, f64, f64)> {
    let record = worst(file, "system", "", lost)?;
    let get = |metric: &str| record.get(metric).copied().unwrap_or(0.0);
    let (lost, taken) = (get(lost), get(taken));
    Some((lost, taken, lost / (lost + taken).max(1.0)))
}

/// TCP that sends again. More repeats than segments are requests for connections that nobody answers.
fn segments(file: &File<'_>) -> Option<Figure> {
    let (again, sent, share) = lost(file, "tcp_retransmits_per_s", "tcp_segments_out_per_s")?;
    if find(file, "system", "", "tcp_segments_out_per_s").is_none() && again >= MANY_AGAIN_PER_S {
        let text = format!(
            "TCP sends up to {again:.0} segments a second again; of how many the file does not tell (sar -n TCP). So many are few only on a very fast link: the path loses packets. To which peers: ss -ti; then the counters of each link on the way."
        );
        return Some(Figure { weight: 2.0, text });
    }
    (again >= AGAIN_PER_S && share >= AGAIN && sent >= again).then(|| Figure {
        weight: 2.0 + share,
        text: format!(
            "TCP sends up to {again:.0} segments a second again, {} of all: the path loses packets. To which peers: ss -ti; then the counters of each link on the way.",
            percent(share)
        ),
    })
}

/// A volume in a cloud that is held at what was bought.
fn allowance(file: &File<'_>, name: &str) -> Option<Figure> {
    let of = |metric: &str| find(file, "disk", name, metric).and_then(|one| file.summary(one));
    let credits = of("burst_balance_ratio").filter(|left| left.min <= NO_CREDITS);
    let used = of("allowance_used_ratio").filter(|used| used.max >= ALL_OF_IT);
    let what = match (credits, used) {
        (Some(left), _) => format!(
            "its burst credits went down to {}: from then on it gets its base rate",
            percent(left.min)
        ),
        (None, Some(used)) => format!("it uses {} of the rate that was bought", percent(used.max)),
        (None, None) => return None,
    };
    let most = |metric: &str| of(metric).map_or(0.0, |one| one.max);
    let requests = most("read_io_per_s") + most("write_io_per_s");
    let queue = most("queue_mean");
    let waits = if queue >= QUEUE && requests > 0.0 {
        // Little's law.
        format!(
            " At {requests:.0} requests a second and {queue:.0} in the queue each takes about {}.",
            ms(queue / requests * 1e9)
        )
    } else {
        String::new()
    };
    let remedy = "Buy a higher rate, or a kind of volume without credits, or spread the load over volumes: nothing on the host holds it.";
    Some(Figure { weight: 3.0, text: format!("The volume is limited by the cloud: {what}.{waits} {remedy}") })
}

/// The load average, where nothing else tells how many tasks wait.
fn load(file: &File<'_>) -> Option<Figure> {
    let most =
        |metric: &str| find(file, "system", "", metric).and_then(|one| file.summary(one)).map(|one| one.max);
    if queue(file).is_some() {
        return None;
    }
    let (one, fifteen) = (most("ldavg_1")?, most("ldavg_15")?);
    let bound = file.cpus.map_or(LOAD, |cpus| LOAD_FOR_A_CPU * cpus as f64);
    if one.max(fifteen) < bound {
        return None;
    }
    let trend = match one / fifteen.max(0.01) {
        times if times >= CHANGED => {
            format!(", {times:.1} times that of fifteen minutes ({fifteen}): it rises")
        }
        times if times <= 1.0 / CHANGED => format!(", against {fifteen} over fifteen minutes: it falls"),
        _ => format!(", and {fifteen} over fifteen"),
    };
    let cpus = file
        .cpus
        .map_or("compare it with the number of CPUs (nproc)".to_owned(), |cpus| format!("{cpus} CPUs"));
    let text = format!(
        "The load average is {one} over one minute{trend}; {cpus}. Tasks that wait for a disk count as load too: vmstat 10 tells runnable (r) from blocked (b)."
    );
    Some(Figure { weight: 1.3, text })
}

fn nic(file: &File<'_>, name: &str) -> Option<Figure> {
    let most = |metric: &str| {
        find(file, "nic", name, metric).and_then(|one| file.summary(one)).map_or(0.0, |one| one.max)
    };
    let (damaged, dropped) = (most("rx_errors_per_s"), most("rx_drops_per_s"));
    let collisions = most("coll_per_s");
    let damaged = (damaged >= DAMAGED_PER_S).then(|| {
        format!("receives up to {damaged:.0} frames a second with errors: look at ethtool -S, the optics and the switch port.")
    });
    let dropped = (dropped >= DROPPED_PER_S).then(|| {
        format!("drops up to {dropped:.0} arriving frames a second: look at ethtool -S, the receive ring and the CPU of its interrupts.")
    });
    let collisions = (collisions >= DAMAGED_PER_S).then(|| {
        format!("has up to {collisions:.0} collisions a second: one end runs half duplex; set both ends to autonegotiation (ethtool {name}).")
    });
    // Where the tool knows the speed, `nic-saturated` judges it.
    let ways =
        if name == "lo" || find(file, "nic", name, "util_ratio").is_some() { &[][..] } else { &["rx", "tx"] };
    let full = ways.iter().find_map(|way| {
        let on_wire = most(&format!("{way}_bytes_per_s")) + ON_WIRE_BYTES * most(&format!("{way}_packets_per_s"));
        let link = LINKS_BIT_PER_S.into_iter().find(|link| (NEARLY..=1.0).contains(&(on_wire * 8.0 / link)))?;
        let verb = if *way == "rx" { "receives" } else { "sends" };
        Some(format!(
            "{verb} up to {:.1} MB/s, which is all that a link of {:.0} Gbit/s carries: it is full, if that is its speed (ethtool {name}).",
            most(&format!("{way}_bytes_per_s")) / 1e6,
            link / 1e9
        ))
    });
    let told: Vec<String> = [damaged, dropped, collisions, full].into_iter().flatten().collect();
    (!told.is_empty()).then(|| Figure { weight: 1.8, text: format!("{name} {}", told.join(" It ")) })
}
