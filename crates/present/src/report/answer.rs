//! What the user asked, answered in a line or two before anything else.

use crate::format;
use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, PathAssessment, PathKind, Reply, UserQuestion};
use fullwire_model::disk::{DiskResult, DiskStepResult, SmallFilesResult, Timed};
use fullwire_model::mtu::{Confirmation, MtuResult};
use fullwire_model::net::{NetMode, NetResult, UdpSummary};

/// Of the highest rate: what reaches this much of it is as good, given how far rates scatter.
const AS_GOOD: f64 = 0.95;

/// One sentence for each question that the run answers; none where the headline is the answer.
pub(super) fn answer(run: &Run, assessment: &Assessment) -> Vec<String> {
    let mut sentences: Vec<String> = assessment.answers.iter().map(|answer| answer.text.clone()).collect();
    sentences.extend(window_sweep(&run.net));
    if run.command.name == "net" {
        sentences.extend(run.net.iter().filter_map(of_net));
    }
    if run.command.name == "mtu" {
        // That nothing answered is said by what broke the measurement.
        let told = |result: &&MtuResult| result.path_mtu_bytes.is_some() || assessment.answers.is_empty();
        sentences.extend(run.mtu.iter().filter(told).map(path_mtu));
    }
    if run.command.name == "disk" {
        sentences.extend(run.disk.iter().filter_map(block_size));
        sentences.extend(run.disk.iter().filter_map(knee));
        sentences.extend(run.disk.iter().filter_map(files));
    }
    sentences.extend(run.disk.iter().filter(|one| one.steps.is_empty()).filter_map(bonnie));
    sentences
}

/// Something was asked of a path, and all of it is met.
pub(super) fn is_enough(assessment: &Assessment) -> bool {
    let mut asked = assessment.answers.iter().filter(|one| one.question == UserQuestion::Enough).peekable();
    asked.peek().is_some() && asked.all(|one| one.answer == Reply::Enough)
}

/// What a database asks of a table of bonnie++: blocks and seeks.
fn bonnie(result: &DiskResult) -> Option<String> {
    let table = result.bonnie.as_ref()?;
    let rate = |timed: &Timed, what: &str| Some(format!("{} {what}", format::rate(timed.per_s?)));
    let seeks = |per_s: f64| format!("{} seeks per second", format::count(per_s.round()));
    let told = [
        rate(&table.output_block, "written in blocks"),
        rate(&table.input_block, "read in blocks"),
        table.seeks.per_s.map(seeks),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    let figures = if told.is_empty() { "no large file was measured".to_owned() } else { told.join(", ") };
    Some(format!("{}: {figures}; bonnie++'s table below has the rest.", result.target))
}

/// Only round trips were measured: there is no rate that could be judged.
pub(super) fn is_round_trip(run: &Run, path: &PathAssessment) -> bool {
    let mut own = run.net_of(&path.subject).peekable();
    path.kind == PathKind::Network && own.peek().is_some() && own.all(|result| result.mode == NetMode::Rtt)
}

/// Only small files were made, or bonnie's table: neither has a rate that could be judged.
pub(super) fn is_files(run: &Run, path: &PathAssessment) -> bool {
    let mut own = run.disk_of(&path.subject).peekable();
    path.kind == PathKind::Storage
        && own.peek().is_some()
        && own.all(|one| one.steps.is_empty() && (!one.small_files.is_empty() || one.bonnie.is_some()))
}

/// The highest rate of empty files, in order: what a directory is asked for.
fn files(result: &DiskResult) -> Option<String> {
    let rate = |one: &SmallFilesResult| Some((one.create.per_s?, one.plan.threads.max(1)));
    let (per_s, threads) = result.small_files.iter().filter_map(rate).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let plural = if threads == 1 { "" } else { "s" };
    let target = &result.target;
    Some(format!(
        "{target}: up to {} files created per second with {threads} thread{plural}.",
        format::count(per_s.round())
    ))
}

/// Where larger socket buffers stop to bring anything.
fn window_sweep(results: &[NetResult]) -> Option<String> {
    let mut asked: Vec<&NetResult> = results.iter().filter(|one| one.plan.sockbuf_bytes > 0).collect();
    asked.sort_by_key(|one| one.plan.sockbuf_bytes);
    asked.dedup_by_key(|one| one.plan.sockbuf_bytes);
    let largest = asked.last().filter(|_| asked.len() > 1)?;
    let rate = |one: &NetResult| one.throughput_bytes_per_s;
    let highest = asked.iter().map(|one| rate(one)).fold(0.0, f64::max);
    let enough = asked.iter().find(|one| highest > 0.0 && rate(one) >= AS_GOOD * highest)?;
    let (size, reached) = (buffer(enough), format::rate(rate(enough)));
    Some(if enough.plan.sockbuf_bytes == largest.plan.sockbuf_bytes {
        format!("Throughput still grows at the largest buffers, {size}: {reached}.")
    } else {
        format!(
            "Throughput stops growing at socket buffers of {size}: {reached}; larger buffers do not help."
        )
    })
}

fn buffer(result: &NetResult) -> String {
    format::size(result.plan.sockbuf_bytes as f64)
}

/// The figure that a mode is chosen for; a stream's is in the headline.
fn of_net(result: &NetResult) -> Option<String> {
    let target = &result.target;
    if result.mode == NetMode::Interconnect {
        return exchanges(result);
    }
    if let (NetMode::Async, Some(back)) = (result.mode, result.reverse_throughput_bytes_per_s) {
        let there = result.throughput_bytes_per_s;
        return Some(format!(
            "{target}: {} ({}) out and {} ({}) back at the same time.",
            format::rate(there),
            format::bit_rate(there),
            format::rate(back),
            format::bit_rate(back)
        ));
    }
    let latency = result.latency_ns.as_ref().filter(|latency| latency.count > 0);
    let time = |ns: u64| format::time(ns as f64);
    match (result.mode, latency, &result.udp) {
        (NetMode::Rtt, Some(trip), _) => Some(format!(
            "{target}: round trip {} (median), {} (99th percentile), {} (maximum).",
            time(trip.p50),
            time(trip.p99),
            time(trip.max)
        )),
        (NetMode::Sync, Some(message), _) => Some(format!(
            "{target}: a message of {} is {} in {} (median), {} (99th percentile).",
            format::size(result.payload_bytes as f64),
            if result.plan.write { "written and acknowledged" } else { "acknowledged" },
            time(message.p50),
            time(message.p99)
        )),
        (NetMode::Udp, _, Some(udp)) => {
            let back = result.reverse_udp.as_ref().zip(result.reverse_throughput_bytes_per_s);
            let there = if result.reverse { "back" } else { "out" };
            let mut sentence = datagrams(result, udp, there, result.throughput_bytes_per_s);
            if let Some((udp, arrived)) = back {
                sentence = format!("{sentence}; {}", datagrams(result, udp, "back", arrived));
            }
            Some(format!("{target}: {sentence}."))
        }
        _ => None,
    }
}

/// Exchanges a second, how long one with a block takes, and what was lost.
fn exchanges(result: &NetResult) -> Option<String> {
    let per_s = result.exchanges_per_s()?;
    let latency = result.latency_ns.as_ref().filter(|latency| latency.count > 0)?;
    let udp = result.udp.as_ref()?;
    Some(format!(
        "{}: {} exchanges per second; one with a block of {} takes {} (median), {} (99th percentile); {} of {} lost ({}).",
        result.target,
        format::count(per_s.round()),
        format::size(result.payload_bytes as f64),
        format::time(latency.p50 as f64),
        format::time(latency.p99 as f64),
        format::count(udp.lost as f64),
        format::count(udp.sent as f64),
        format::percent(lost_share(udp))
    ))
}

/// One direction: the rate that was sent, the rate that arrived, loss and jitter.
fn datagrams(result: &NetResult, udp: &UdpSummary, way: &str, arrived_bytes_per_s: f64) -> String {
    let asked = result.plan.rate_bytes_per_s;
    let sent = match (asked > 0.0, udp.sent_bytes_per_s > 0.0) {
        (true, _) => format!("sent at {}", format::bit_rate(asked)),
        (false, true) => format!("sent at {}, as fast as possible", format::bit_rate(udp.sent_bytes_per_s)),
        (false, false) => "sent".to_owned(),
    };
    let jitter = udp.jitter_ns.map(|ns| format!(", jitter {}", format::time(ns as f64))).unwrap_or_default();
    format!(
        "{way}, {sent}: {} arrived, {} of {} datagrams lost ({}), {} out of order{jitter}",
        format::bit_rate(arrived_bytes_per_s),
        format::count(udp.lost as f64),
        format::count(udp.sent as f64),
        format::percent(lost_share(udp)),
        format::count(udp.reordered as f64)
    )
}

fn lost_share(udp: &UdpSummary) -> f64 {
    if udp.sent == 0 { 0.0 } else { udp.lost as f64 / udp.sent as f64 }
}

fn path_mtu(result: &MtuResult) -> String {
    let target = &result.target;
    let Some(bytes) = result.path_mtu_bytes else {
        return format!("{target} does not answer, so its path MTU is not known.");
    };
    let back = match result.reverse_path_mtu_bytes {
        Some(back) if back == bytes => " in both directions".to_owned(),
        Some(back) => format!(", {back} in the reverse direction"),
        None => String::new(),
    };
    let hole = if result.black_hole {
        "; larger packets are dropped without an ICMP message: a black hole"
    } else if result.confirmed_by == Confirmation::Kernel {
        ", as a router reported to the kernel"
    } else {
        ""
    };
    format!("The path MTU to {target} is {bytes} bytes{back}{hole}.")
}

/// Where a sweep over the depth stops to bring anything.
/// What the size of a block makes of the rate, with as few in flight as the sweep had.
fn block_size(result: &DiskResult) -> Option<String> {
    let swept = result.sweep.as_ref().is_some_and(|sweep| sweep.over.iter().any(|over| over == "block"));
    let in_flight = |step: &&DiskStepResult| u64::from(step.queue_depth) * u64::from(step.threads);
    let fewest = result.steps.iter().map(|step| in_flight(&step)).min().filter(|_| swept)?;
    let mut steps: Vec<&DiskStepResult> =
        result.steps.iter().filter(|step| in_flight(step) == fewest && step.ios > 0).collect();
    steps.sort_by_key(|step| step.block_bytes);
    let (first, last) = (steps.first()?, steps.last()?);
    let most = steps.iter().map(|step| step.throughput_bytes_per_s).fold(0.0, f64::max);
    let enough = steps.iter().find(|step| step.throughput_bytes_per_s >= AS_GOOD * most)?;
    let size = |step: &DiskStepResult| format::size(step.block_bytes as f64);
    let end = if enough.block_bytes == last.block_bytes {
        "the rate grows up to the largest".to_owned()
    } else {
        format!("larger ones than {} bring no more", size(enough))
    };
    (steps.len() > 1).then(|| {
        format!(
            "{}: blocks of {} reach {}, blocks of {} {}; {end}.",
            result.target,
            size(first),
            format::rate(first.throughput_bytes_per_s),
            size(last),
            format::rate(last.throughput_bytes_per_s)
        )
    })
}

fn knee(result: &DiskResult) -> Option<String> {
    let sweep = result.sweep.as_ref()?;
    let depth = sweep.knee_depth?;
    let target = &result.target;
    Some(if sweep.still_growing {
        format!("{target}: throughput still grows at {depth} I/Os in flight.")
    } else {
        format!("{target}: throughput stops growing at {depth} I/Os in flight; more only adds latency.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::net::NetPlan;

    fn with_buffers(kib: u64, mb_per_s: f64) -> NetResult {
        let plan = NetPlan { sockbuf_bytes: kib << 10, ..NetPlan::default() };
        NetResult { throughput_bytes_per_s: mb_per_s * 1e6, plan, ..NetResult::default() }
    }

    #[test]
    fn a_sweep_stops_where_the_rest_brings_less_than_the_scatter() {
        let swept = |rates: &[f64]| {
            let results: Vec<NetResult> =
                rates.iter().enumerate().map(|(step, rate)| with_buffers(64 << (2 * step), *rate)).collect();
            window_sweep(&results)
        };
        let stops = swept(&[10.0, 40.0, 97.0, 100.0]).unwrap();
        assert_eq!(
            stops,
            "Throughput stops growing at socket buffers of 1 MiB: 97.0 MB/s; larger buffers do not help."
        );
        assert!(swept(&[10.0, 40.0, 80.0]).unwrap().starts_with("Throughput still grows at the largest"));
        assert_eq!(swept(&[10.0]), None, "one size is no sweep");
        assert_eq!(swept(&[0.0, 0.0]), None);
    }

    #[test]
    fn a_dead_host_has_no_path_mtu() {
        let dead = MtuResult { target: "10.1.1.77".into(), ..MtuResult::default() };
        assert_eq!(path_mtu(&dead), "10.1.1.77 does not answer, so its path MTU is not known.");
        let both = MtuResult {
            path_mtu_bytes: Some(1400),
            reverse_path_mtu_bytes: Some(1400),
            confirmed_by: Confirmation::Peer,
            ..dead
        };
        assert_eq!(path_mtu(&both), "The path MTU to 10.1.1.77 is 1400 bytes in both directions.");
    }
}
