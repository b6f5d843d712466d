//! What other tools' results say at first sight, beyond what a rule can judge of them.

use crate::spans::imported::conspicuous;
use fullwire_model::Run;
use fullwire_model::demand::ImportedSeries;
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Pattern, Sync};
use fullwire_model::net::{NetMode, NetResult};
use std::cmp::Ordering;

/// Sentences of all files, results before recordings.
pub(crate) fn remarks(run: &Run) -> Vec<String> {
    let imported = || run.net.iter().filter(|result| !result.imported_from.is_empty());
    // Of two directions one may be told.
    let is_reported = imported().any(|result| result.udp.as_ref().is_some_and(|udp| udp.sent > 0));
    let net = imported()
        .filter_map(stalled)
        .chain(imported().filter_map(slow_link))
        .chain(imported().filter_map(line_rate))
        .chain(imported().filter_map(fixed_window))
        .chain(imported().filter_map(lost))
        .chain(imported().filter(|_| !is_reported).filter_map(unreported))
        .chain(imported().filter_map(message));
    let disk = run.disk.iter().filter(|result| !result.imported_from.is_empty()).flat_map(disk);
    let recorded = run
        .imported
        .iter()
        .flat_map(|file| conspicuous::sentences(file).into_iter().chain(processes(file)).collect::<Vec<_>>());
    net.chain(disk).chain(recorded).collect()
}

/// Intervals without a byte from which a stream has stalled.
const SILENT: usize = 3;
/// A larger window holds more than one segment of jumbo frames.
const ONE_SEGMENT_BYTES: u64 = 9_200;
/// TCP's header with its time stamps, and IP's: what a segment has beside its data (RFC 9293, RFC 7323).
const HEADERS_BYTES: u64 = 52;

/// A stream that carries nothing while its window is one segment: what is small passes, what is large does not.
fn stalled(result: &NetResult) -> Option<String> {
    let silent = result.intervals.iter().filter(|one| one.throughput_bytes_per_s <= 0.0).count();
    let window = result.intervals.iter().filter_map(|one| one.cwnd_bytes).filter(|bytes| *bytes > 0).max()?;
    if silent < SILENT || silent * 2 < result.intervals.len() {
        return None;
    }
    if window > ONE_SEGMENT_BYTES {
        return Some(format!(
            "{}: nothing arrives in {silent} of {} intervals although the window is {} KB: the transfer stands still. The receiver does not read, or its window is closed (ss -tin at both ends tells which), or something on the way drops the stream.",
            result.target,
            result.intervals.len(),
            window / 1024
        ));
    }
    // 8948 of 9000 is printed as 8.74 KBytes: the MTU is what is next to it.
    let mtu = [1500, 9000].into_iter().find(|mtu: &u64| mtu.abs_diff(window + HEADERS_BYTES) <= 12);
    let frames = mtu.map_or(String::new(), |mtu| format!(" (MTU {mtu})"));
    Some(format!(
        "{}: after the first segments nothing arrives, in {silent} of {} intervals, and the window stays at one segment of {window} bytes{frames}: small packets pass, large frames do not. Something between the hosts drops them, an MTU black hole: try ping -M do -s {}, and set the MTU of both hosts to what every switch between carries.",
        result.target,
        result.intervals.len(),
        mtu.map_or(window, |mtu| mtu - 28)
    ))
}

/// A segment's payload at an MTU of 1500, bytes; where frames are larger, the share that was sent again is larger too.
const SEGMENT_BYTES: f64 = 1_448.0;
/// From this share of lost segments on TCP is slowed down (as `packet-loss` has it).
const LOST: f64 = 1e-3;

/// From this share on it is told: TCP's rate falls with its square root, and with the round trip (RFC 3649, section 1).
const NOTED: f64 = 5e-4;

/// What a link of 100 Mbit/s carries of TCP at an MTU of 1500, B/s: 1448 of 1538 bytes on the wire; and how near it counts.
const FAST_ETHERNET: f64 = 12.5e6 * 1448.0 / 1538.0;
const NEAR: f64 = 0.015;
/// Links of servers, and how many times a link of 100 Mbit/s they carry; what is so near to one of them is its rate.
const LINKS: [(&str, f64); 6] =
    [("1", 10.0), ("2.5", 25.0), ("10", 100.0), ("25", 250.0), ("40", 400.0), ("100", 1000.0)];
const AT_LINE_RATE: f64 = 0.005;
/// Fewer intervals are no habit.
const FEWEST: usize = 5;

/// The median of the intervals is the rate of a link of 100 Mbit/s, whatever the first one filled on the way; of few the mean.
fn slow_link(result: &NetResult) -> Option<String> {
    let mut rates: Vec<f64> = result.intervals.iter().map(|one| one.throughput_bytes_per_s).collect();
    rates.sort_by(f64::total_cmp);
    let median = rates.get(rates.len() / 2).filter(|_| rates.len() >= FEWEST);
    let rate = *median.unwrap_or(&result.throughput_bytes_per_s);
    let what = match median {
        Some(_) => format!("half of the {} intervals run at no more than", rates.len()),
        None => "the stream runs at".to_owned(),
    };
    ((rate / FAST_ETHERNET - 1.0).abs() <= NEAR).then(|| {
        format!(
            "{}: {what} {:.0} Mbit/s, which is what a link of 100 Mbit/s carries: look for a port of that speed on the way (ethtool of both ends, the switch ports), or for a policer.",
            result.target,
            rate * 8.0 / 1e6
        )
    })
}

/// A stream at the rate of a link with nothing sent again: the link is full, and nothing else is the limit.
fn line_rate(result: &NetResult) -> Option<String> {
    let clean = result.tcp.as_ref().is_some_and(|tcp| tcp.retransmits == 0);
    let times = result.throughput_bytes_per_s / FAST_ETHERNET;
    let (speed, _) =
        LINKS.into_iter().find(|(_, link)| (times / link - 1.0).abs() <= AT_LINE_RATE).filter(|_| clean)?;
    Some(format!(
        "{}: {:.0} Mbit/s without a segment sent again is what a link of {speed} Gbit/s carries with an MTU of 1500: it is full, if that is its speed (ethtool of both ends, the switch ports).",
        result.target,
        result.throughput_bytes_per_s * 8.0 / 1e6
    ))
}

/// A round trip that is shorter is one within a building, and a window of its size is hardly the limit, s (own choice).
const FAR_S: f64 = 2e-3;

/// A window that was asked for carries its own size each round trip, whatever the path could carry (RFC 9293, section 3.8).
fn fixed_window(result: &NetResult) -> Option<String> {
    let window = result.plan.sockbuf_bytes;
    let trip_s = window as f64 * f64::from(result.streams.max(1)) / result.throughput_bytes_per_s.max(1.0);
    (window > 0 && result.mode == NetMode::Async && trip_s >= FAR_S).then(|| {
        format!(
            "{}: the window was fixed at {} (-w), and this rate is one window every {:.0} ms: where ping shows a round trip of about that, the window is the limit and not the path. Test again without -w, so that the kernel lets it grow.",
            result.target,
            crate::facts::size(window),
            trip_s * 1e3
        )
    })
}

/// Segments that were sent again, where the tool counts them and not what it sent.
fn lost(result: &NetResult) -> Option<String> {
    let again = result.tcp.as_ref().filter(|tcp| tcp.segments_out == 0)?.retransmits as f64;
    let share = again * SEGMENT_BYTES / (result.bytes as f64).max(1.0);
    if share < NOTED || stalled(result).is_some() {
        return None;
    }
    if share < LOST {
        return Some(format!(
            "{}: {again:.0} segments were sent again, at least {:.2} % of all: little, and the more it costs the longer the path is.",
            result.target,
            share * 100.0
        ));
    }
    let windows = || result.intervals.iter().filter_map(|one| one.cwnd_bytes).filter(|bytes| *bytes > 0);
    let fell = windows().max().zip(windows().min()).filter(|(most, least)| *most >= 4 * *least);
    let fell = fell.map_or(String::new(), |(most, least)| {
        let size = crate::facts::size;
        format!(", and the congestion window fell from {} to {}", size(most), size(least))
    });
    Some(format!(
        "{}: {again:.0} segments were sent again, at least {:.1} % of all{fell}: the path loses packets, and that limits TCP. Look at the counters of each link on the way (ethtool -S, switch ports), then for a policer or a full queue.",
        result.target,
        share * 100.0
    ))
}

/// Datagrams of which the other end told nothing: what was sent is no rate that a path carries.
fn unreported(result: &NetResult) -> Option<String> {
    result.udp.as_ref().filter(|udp| udp.sent == 0)?;
    Some(format!(
        "{}: {:.1} MB/s of datagrams were sent; the other end's report is not there, so nothing tells how many arrived. Either the end of the output was cut off, or the report did not come back: no server, or a firewall. See what the server itself prints.",
        result.target,
        result.throughput_bytes_per_s / 1e6
    ))
}

/// What a synchronous message takes, where the tool printed its mean alone.
fn message(result: &NetResult) -> Option<String> {
    let latency = result.latency_ns.as_ref().filter(|latency| latency.mean > 0.0 && latency.p50 == 0)?;
    (result.mode == NetMode::Sync).then(|| {
        format!(
            "{}: a message of {} is {} in {:.3} ms on average, {}.",
            result.target,
            crate::facts::size(result.payload_bytes),
            if result.plan.write { "written and acknowledged" } else { "acknowledged" },
            latency.mean / 1e6,
            fullwire_model::format::rate(result.throughput_bytes_per_s)
        )
    })
}

/// A request that takes longer than this is worth a word, ns.
const SLOW_NS: f64 = 2e6;

/// A mean that no storage in order has, whatever the queue, ns (own choice).
const HUNG_NS: f64 = 1e9;
/// Requests from this size on are a stream.
const STREAM_BYTES: u64 = 1 << 20;
/// A spinning disk of the last fifteen years reads at least this, B/s (worked figures: 150 to 280 MB/s outside, half of it inside).
const SLOW_STREAM_BYTES_PER_S: f64 = 50e6;
/// More in flight than this are not one at a time.
const ALONE: f64 = 1.25;
/// Steps of which each has its sentence: a file may have many jobs that are alike.
const MOST_STEPS: usize = 4;
/// Larger requests take their time to transfer.
const LARGE_BYTES: u64 = 131_072;

/// What the latency of each step is made of.
fn disk(result: &DiskResult) -> Vec<String> {
    let all = result.steps.iter().enumerate();
    let each = || all.filter_map(|(at, one)| step(one, &both(&result.steps, at))).take(MOST_STEPS).collect();
    // Where flushes are among what was timed, the mean is of no read and no write.
    let flushes = result.caveats.iter().filter(|one| one.kind == "flushes");
    let flushes: Vec<String> = flushes.map(|one| format!("{}.", one.text)).collect();
    let each = || if flushes.is_empty() { each() } else { flushes };
    let mut said: Vec<String> = methods(result).map_or_else(each, |methods| vec![methods]);
    let cached =
        |one: &&DiskStepResult| one.profile.starts_with("dd ") && !one.direct && one.sync == Sync::None;
    if let Some(cached) = result.steps.iter().find(cached) {
        said.push(format!(
            "The {:.0} MB/s of dd without oflag=direct or dsync are of the page cache (memory), not of the storage.",
            cached.throughput_bytes_per_s / 1e6
        ));
    }
    // Without its command nothing tells where dd wrote to.
    let quick = |one: &&DiskStepResult| one.profile == "dd" && one.latency_ns.mean < SLOW_NS;
    if let Some(unknown) = result.steps.iter().find(quick) {
        said.push(format!(
            "Whether the {:.0} MB/s of dd are the storage's, its command tells, which is not here: without oflag=direct, oflag=dsync or conv=fdatasync they are those of the page cache (memory).",
            unknown.throughput_bytes_per_s / 1e6
        ));
    }
    said
}

/// What each way to make one write durable takes, by `pg_test_fsync`.
fn methods(result: &DiskResult) -> Option<String> {
    let each: Option<Vec<String>> = result
        .steps
        .iter()
        .map(|step| {
            let method = step.profile.strip_prefix("pg_test_fsync ")?;
            Some(format!("{method} {:.1} ms ({:.0} a second)", step.latency_ns.mean / 1e6, step.iops))
        })
        .collect();
    let each = each.filter(|each| !each.is_empty())?;
    let block = crate::facts::size(result.steps.first()?.block_bytes);
    Some(format!(
        "A durable write of {block}, one at a time, takes with {}. Commits wait for the method that wal_sync_method names (fdatasync on Linux).",
        each.join(", ")
    ))
}

/// A job that reads and writes: its requests in flight are of both. The sum of them for the first of both, nothing for the other.
fn both(steps: &[DiskStepResult], at: usize) -> Mixed {
    let pair = |at: usize| {
        let (read, write) = (steps.get(at)?, steps.get(at + 1)?);
        let is_one = read.operation == Operation::Read
            && write.operation == Operation::Write
            && (&read.profile, read.queue_depth, read.threads)
                == (&write.profile, write.queue_depth, write.threads);
        is_one.then_some([read, write])
    };
    let before = at.checked_sub(1).and_then(pair);
    let Some(own) = pair(at).or(before) else { return Mixed::default() };
    Mixed {
        held: own.iter().map(|one| one.iops * one.latency_ns.mean / 1e9).sum(),
        iops: own.iter().map(|one| one.iops).sum(),
        is_second: before.is_some(),
    }
}

/// What both directions of a job come to.
#[derive(Default)]
struct Mixed {
    held: f64,
    iops: f64,
    is_second: bool,
}

fn step(step: &DiskStepResult, both: &Mixed) -> Option<String> {
    if step.operation == Operation::Copy && step.profile.starts_with("dd ") {
        return Some(format!(
            "dd read {} and wrote as much, a block of {} at a time: {:.1} MB/s each way, {:.1} MB/s both together.",
            crate::facts::size(step.bytes),
            crate::facts::size(step.block_bytes),
            step.throughput_bytes_per_s / 1e6,
            step.throughput_bytes_per_s / 5e5
        ));
    }
    let in_flight = f64::from(step.threads.max(1)) * f64::from(step.queue_depth.max(1));
    let mean_ns = step.latency_ns.mean;
    let what = if step.operation == Operation::Read { "reads" } else { "writes" };
    if step.sync != Sync::None
        && step.queue_depth == 1
        && step.threads == 1
        && mean_ns > 0.0
        && step.profile.starts_with("dd ")
    {
        return Some(format!(
            "Each synchronous write of {} takes {:.2} ms: {:.0} writes a second, which is what commits get. One write is in flight, so its MB/s say nothing of what the storage can stream.",
            crate::facts::size(step.block_bytes),
            mean_ns / 1e6,
            step.iops
        ));
    }
    // A file that does not tell its depth has more in flight: Little's law knows.
    let alone = step.queue_depth == 1 && step.threads == 1 && step.iops * mean_ns / 1e9 < ALONE;
    let single = alone && mean_ns >= SLOW_NS && step.block_bytes < LARGE_BYTES;
    if (step.profile == "ioping" && mean_ns > 0.0) || single {
        return Some(one_at_a_time(step));
    }
    let is_stored = step.operation == Operation::Read || step.direct && step.operation == Operation::Write;
    if is_stored
        && step.pattern == Pattern::Sequential
        && step.block_bytes >= STREAM_BYTES
        && (0.0..SLOW_STREAM_BYTES_PER_S).contains(&step.throughput_bytes_per_s)
    {
        return Some(format!(
            "{:.0} MB/s in order are less than a single spinning disk {what}: look for its errors (dmesg, smartctl), a link that fell back to a slow mode, a limit that was set, or other load.",
            step.throughput_bytes_per_s / 1e6
        ));
    }
    // Little's law: as many in flight as rate times latency.
    let is_mixed = both.iops > 0.0;
    let (held, iops, what) = if is_mixed {
        (both.held, both.iops, "reads and writes")
    } else {
        (step.iops * mean_ns / 1e9, step.iops, what)
    };
    let mean_ns = if is_mixed { held / iops.max(1e-9) * 1e9 } else { mean_ns };
    let all_wait = in_flight > 1.5 && (held / in_flight - 1.0).abs() < 0.25;
    // A large block takes the time of its transfer.
    let streams = step.block_bytes as f64 / mean_ns.max(1.0) * 1e9 >= SLOW_STREAM_BYTES_PER_S;
    if !all_wait && mean_ns >= HUNG_NS && !streams {
        return Some(format!(
            "{}: {what} take {:.1} s on average{}: they stand in a queue that the storage does not work off, or it is in trouble (iostat -x 1, the kernel's log).",
            step.profile,
            mean_ns / 1e9,
            match step.latency_ns.max {
                0 => String::new(),
                most => format!(" and {:.1} s at worst", most as f64 / 1e9),
            }
        ));
    }
    if !all_wait || mean_ns < SLOW_NS || both.is_second {
        return None;
    }
    Some(format!(
        "{}: {in_flight:.0} {what} are in flight all the time and {:.0} complete a second, one every {:.1} ms: the {:.1} ms that a request takes are the queue of {in_flight:.0}, not the time of one. If the device serves them one after another, that is the time each takes.",
        step.profile,
        iops,
        1e3 / iops.max(1e-9),
        mean_ns / 1e6
    ))
}

/// What a request takes that waits for no other of the same program: worked figures, 6.8 to 14.2 ms for a random read of a spinning
/// disk, below 1 ms for flash.
fn one_at_a_time(step: &DiskStepResult) -> String {
    let mean_ms = step.latency_ns.mean / 1e6;
    let like = match mean_ms {
        ms if ms < 1.0 => "as flash does",
        ms if ms < 5.0 => "as flash behind a network or a controller does",
        ms if ms < 15.0 => "as a spinning disk does",
        _ => {
            "more than a spinning disk needs: it stands in a queue of other requests, or the storage is in trouble (iostat -x 1)"
        }
    };
    let what = if step.operation == Operation::Read { "read" } else { "write" };
    let worst = match step.latency_ns.max {
        0 => String::new(),
        most => format!(" and {:.1} ms at worst", most as f64 / 1e6),
    };
    format!(
        "A {what} of {} takes {mean_ms:.1} ms on average{worst}, one at a time: {like}.",
        crate::facts::size(step.block_bytes)
    )
}

/// Processes of a database by the beginning of what follows `ora_`, and of others.
const ROLES: [(&str, &str); 10] = [
    ("lgwr", "redo, the log writer"),
    ("lg0", "redo, a log writer's helper"),
    ("dbw", "the database writer"),
    ("bw", "the database writer"),
    ("dw", "a Data Pump worker"),
    ("arc", "an archiver"),
    ("ckpt", "the checkpoint process"),
    ("rvwr", "the flashback log"),
    ("p0", "a parallel server"),
    ("j0", "a job"),
];

/// A process whose one thread has a CPU for itself gets no further.
fn on_cpu(mut used: Vec<(String, f64)>) -> Option<String> {
    /// What is printed of a whole CPU.
    const ALL: f64 = 0.95;
    used.sort_by(|one, other| other.1.total_cmp(&one.1));
    let (name, share) = used.into_iter().find(|(_, share)| *share >= ALL)?;
    Some(format!(
        "{name} uses {share:.1} CPUs: where that is one thread, it is the limit (pidstat -t tells), and not the storage."
    ))
}

/// A process that is ready to run and waits for a CPU, the log writer before others: each commit waits with it.
fn off_cpu(mut waits: Vec<(String, f64)>) -> Option<String> {
    /// Of its time; a busy host has shorter waits (own choice).
    const LONG: f64 = 0.2;
    let is_writer = |name: &str| with_role(name).contains("redo, the log writer");
    waits.retain(|(_, share)| *share >= LONG);
    waits.sort_by(|one, other| {
        (is_writer(&other.0), other.1).partial_cmp(&(is_writer(&one.0), one.1)).unwrap_or(Ordering::Equal)
    });
    let (name, share) = waits.first()?;
    let commits = if is_writer(name) { ", and each commit waits with it" } else { "" };
    Some(format!(
        "{} is ready to run and waits for a CPU {} of the time (%wait){commits}: neither storage nor network holds it. vmstat 5 shows whether all CPUs are taken (r); if not, the CPU quota of its group or its scheduling class (_high_priority_processes) does.",
        with_role(name),
        crate::facts::percent(*share)
    ))
}

/// A process with what it does, as far as its name tells.
fn with_role(name: &str) -> String {
    let role =
        name.strip_prefix("ora_").and_then(|short| ROLES.iter().find(|(start, _)| short.starts_with(start)));
    role.map_or(name.to_owned(), |(_, role)| format!("{name} ({role})"))
}

/// Who writes and who reads most, of `pidstat -d`.
fn processes(file: &ImportedSeries) -> Option<String> {
    let mean = |metric: &str| -> Vec<(String, f64)> {
        let own = file.series.iter().filter(|one| one.area == "process" && one.metric == metric);
        own.filter_map(|one| Some((one.subject.clone(), file.summary(one)?.mean))).collect()
    };
    let (written, read) = (mean("write_bytes_per_s"), mean("read_bytes_per_s"));
    let total = |all: &[(String, f64)]| all.iter().map(|(_, rate)| rate).sum::<f64>();
    let (verb, mut all, opposite, other) = if total(&written) >= total(&read) {
        ("written", written, "Reads", read)
    } else {
        ("read", read, "Writes", written)
    };
    let sum = total(&all);
    let waiting = off_cpu(mean("cpu_wait_ratio"));
    if sum <= 0.0 {
        return waiting.or_else(|| on_cpu(mean("cpu_ratio")));
    }
    all.sort_by(|one, other| other.1.total_cmp(&one.1));
    let named = |(name, rate): &(String, f64)| format!("{} {:.1} MB/s", with_role(name), rate / 1e6);
    let largest: Vec<String> = all.iter().take(3).filter(|(_, rate)| *rate > 0.0).map(named).collect();
    let ticks = mean("io_delay_ticks");
    let delay = match most(&ticks) {
        None if ticks.is_empty() => String::new(),
        None => " None of them waited for I/O (iodelay 0).".to_owned(),
        Some((name, ticks)) => {
            format!(" Most waited {name} for I/O (iodelay {ticks:.0}, in hundredths of a second).")
        }
    };
    let waits = mean("io_wait_ratio");
    let blocked = most(&waits).filter(|(_, share)| *share >= BLOCKED).map(|(name, share)| {
        format!(
            "{name} waits for I/O {} of its time: the device below it does not keep up (iostat -xt 10 names it). ",
            crate::facts::percent(*share)
        )
    });
    let blocked = waiting.map_or(String::new(), |text| text + " ") + &blocked.unwrap_or_default();
    let beside =
        other.into_iter().max_by(|one, other| one.1.total_cmp(&other.1)).filter(|one| one.1 >= sum / 10.0);
    let beside = beside.map_or(String::new(), |one| format!(" {opposite} most: {}.", named(&one)));
    Some(format!(
        "{blocked}{:.1} MB/s are {verb} by processes: {}.{beside}{delay}",
        sum / 1e6,
        largest.join(", ")
    ))
}

/// A thread that waits for I/O for more of its time does little else (own choice).
const BLOCKED: f64 = 0.8;

/// The largest that is not zero.
fn most(all: &[(String, f64)]) -> Option<&(String, f64)> {
    all.iter().filter(|(_, value)| *value > 0.0).max_by(|one, other| one.1.total_cmp(&other.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::net::{NetInterval, TcpSummary};

    fn carried(rates: &[f64]) -> NetResult {
        let interval =
            |mbit: &f64| NetInterval { throughput_bytes_per_s: mbit * 1e6 / 8.0, ..NetInterval::default() };
        NetResult {
            target: "10.1.2.3".into(),
            bytes: 238_000_000,
            intervals: rates.iter().map(interval).collect(),
            ..NetResult::default()
        }
    }

    /// What the buffers on the way took at first hides in the mean that a slower link follows.
    #[test]
    fn a_link_of_100_mbit_s_is_told_behind_a_burst() {
        let found = slow_link(&carried(&[398.0, 94.4, 94.4, 105.0, 94.4, 83.9])).expect("slow");
        assert!(found.contains("half of the 6 intervals run at no more than 94 Mbit/s"), "{found}");
        assert_eq!(slow_link(&carried(&[398.0, 88.0, 88.1, 88.0, 87.9, 88.0])), None);
        let mean = |mbit: f64| NetResult { throughput_bytes_per_s: mbit * 1e6 / 8.0, ..carried(&[]) };
        let found = slow_link(&mean(94.5)).expect("iperf2 prints one mean");
        assert!(
            found.contains("the stream runs at 94 Mbit/s, which is what a link of 100 Mbit/s"),
            "{found}"
        );
        assert_eq!(slow_link(&mean(88.0)), None);
    }

    #[test]
    fn a_log_writer_that_waits_for_a_cpu_comes_before_others() {
        let waits = vec![("rman (7)".to_owned(), 0.9), ("ora_lgwr_db7 (8)".to_owned(), 0.6)];
        let told = off_cpu(waits).expect("one waits");
        assert!(told.starts_with("ora_lgwr_db7 (8) (redo, the log writer) is ready to run"), "{told}");
        assert!(told.contains("60 %") && told.contains("each commit waits with it"), "{told}");
        assert_eq!(off_cpu(vec![("ora_lgwr_db7 (8)".to_owned(), 0.1)]), None);
    }

    #[test]
    fn a_full_link_is_told_where_nothing_was_sent_again() {
        let of = |mbit: f64, retransmits| {
            let tcp = Some(TcpSummary { retransmits, ..TcpSummary::default() });
            line_rate(&NetResult { tcp, throughput_bytes_per_s: mbit * 1e6 / 8.0, ..carried(&[]) })
        };
        assert!(of(941.0, 0).expect("full").contains("a link of 1 Gbit/s"));
        assert_eq!((of(941.0, 3), of(930.0, 0)), (None, None));
    }

    #[test]
    fn few_segments_that_were_sent_again_are_told_as_few() {
        let of = |retransmits| {
            let tcp = Some(TcpSummary { retransmits, ..TcpSummary::default() });
            lost(&NetResult { tcp, ..carried(&[940.0, 940.0]) })
        };
        assert!(of(150).expect("some").contains("at least 0.09 % of all: little"));
        assert_eq!(of(20), None);
    }
}
