//! What a command was chosen for: `net` by its mode, `mtu`, `disk` with a sweep or small files.

use super::swept;
use super::words::{bits, bytes, count, measured, share, time};
use crate::facts::route::LARGEST_PACKET_BYTES;
use crate::facts::words::size;
use fullwire_model::Run;
use fullwire_model::assessment::{Answer, UserQuestion};
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, SmallFilesResult, Timed};
use fullwire_model::mtu::{Confirmation, MtuResult};
use fullwire_model::net::{NetMode, NetResult, UdpSummary};
use fullwire_model::quantity::Unit;

/// `before`: what was answered already.
pub(super) fn answers(run: &Run, before: &[Answer]) -> Vec<Answer> {
    let is = |name: &str| run.command.name == name;
    let mut all: Vec<Answer> = swept::buffers(&run.net).into_iter().collect();
    // Round trips of another tool have no rate that a path is judged by: they are the answer.
    let own =
        |result: &&NetResult| is("net") || (result.mode == NetMode::Rtt && !result.imported_from.is_empty());
    all.extend(run.net.iter().filter(own).filter_map(of_net));
    if is("mtu") || is("assess") {
        // That nothing answered is said by what broke the measurement.
        let told = |result: &&MtuResult| result.path_mtu_bytes.is_some() || before.is_empty();
        all.extend(run.mtu.iter().filter(told).map(path_mtu));
    }
    if is("disk") {
        all.extend(run.disk.iter().filter_map(copied));
        all.extend(run.disk.iter().flat_map(swept::storage));
        all.extend(run.disk.iter().filter_map(files));
    }
    all.extend(run.disk.iter().filter(|one| one.steps.is_empty()).filter_map(bonnie));
    all
}

/// What a database asks of a table of bonnie++: blocks and seeks.
fn bonnie(result: &DiskResult) -> Option<Answer> {
    let table = result.bonnie.as_ref()?;
    let rate = |timed: &Timed, what: &str| Some(format!("{} {what}", bytes(timed.per_s?)));
    let seeks = |per_s: f64| format!("{} seeks per second", count(per_s));
    let told = [
        rate(&table.output_block, "written in blocks"),
        rate(&table.input_block, "read in blocks"),
        table.seeks.per_s.map(seeks),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    let figures = if told.is_empty() { "no large file was measured".to_owned() } else { told.join(", ") };
    let text = format!("{}: {figures}; bonnie++'s table below has the rest.", result.target);
    let answer = measured(UserQuestion::Files, &result.target, 0.0, Unit::IoPerS, text);
    let seeks = table.seeks.per_s;
    Some(Answer { figure: seeks, unit: seeks.and(answer.unit), ..answer })
}

/// The highest rate of empty files, in order: what a directory is asked for.
fn files(result: &DiskResult) -> Option<Answer> {
    let rate = |one: &SmallFilesResult| Some((one.create.per_s?, one.plan.threads.max(1)));
    // What is over too soon to be timed is faster than what was timed: the highest rate is not known then.
    let timed = result.small_files.iter().all(|one| one.create.per_s.is_some());
    let rates = result.small_files.iter().filter_map(rate);
    let most = rates.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|_| timed);
    let Some((per_s, threads)) = most else {
        let files = result.small_files.iter().map(|one| one.plan.files).max()?;
        let target = &result.target;
        return Some(Answer {
            question: UserQuestion::Files,
            subject: target.clone(),
            basis: "too quick".to_owned(),
            text: format!(
                "{target}: making {files} files is over too soon to be timed; --files {} takes longer.",
                10 * files
            ),
            ..Answer::default()
        });
    };
    let plural = if threads == 1 { "" } else { "s" };
    let target = &result.target;
    let text =
        format!("{target}: up to {} files created per second with {threads} thread{plural}.", count(per_s));
    Some(measured(UserQuestion::Files, target, per_s, Unit::PerS, text))
}

/// The figure that a mode is chosen for; a stream's is in the headline.
fn of_net(result: &NetResult) -> Option<Answer> {
    let target = &result.target;
    if result.mode == NetMode::Interconnect {
        return exchanges(result);
    }
    if let (NetMode::Async, Some(back)) = (result.mode, result.reverse_throughput_bytes_per_s) {
        let there = result.throughput_bytes_per_s;
        let text = format!(
            "{target}: {} ({}) out and {} ({}) back at the same time.",
            bytes(there),
            bits(there),
            bytes(back),
            bits(back)
        );
        return Some(measured(UserQuestion::Stream, target, there, Unit::BytesPerS, text));
    }
    let latency = result.latency_ns.as_ref().filter(|latency| latency.count > 0);
    let took = |ns: u64| time(ns as f64);
    let beside = if result.plan.under_load { " while a stream fills the path" } else { "" };
    match (result.mode, latency, &result.udp) {
        (NetMode::Rtt, Some(trip), _) => {
            let text = format!(
                "{target}: round trip {} (median), {} (99th percentile), {} (maximum){beside}.",
                took(trip.p50),
                took(trip.p99),
                took(trip.max)
            );
            Some(measured(UserQuestion::RoundTrip, target, trip.p50 as f64, Unit::Ns, text))
        }
        (NetMode::Sync, Some(message), _) => {
            let text = format!(
                "{target}: a message of {} is {} in {} (median), {} (99th percentile){beside}.",
                size(result.payload_bytes),
                if result.plan.write { "written and acknowledged" } else { "acknowledged" },
                took(message.p50),
                took(message.p99)
            );
            Some(measured(UserQuestion::Message, target, message.p50 as f64, Unit::Ns, text))
        }
        (NetMode::Udp, _, Some(udp)) => {
            let back = result.reverse_udp.as_ref().zip(result.reverse_throughput_bytes_per_s);
            let there = if result.reverse { "back" } else { "out" };
            let arrived = result.throughput_bytes_per_s;
            let mut sentence = datagrams(result, udp, there, arrived);
            if let Some((udp, arrived)) = back {
                sentence = format!("{sentence}; {}", datagrams(result, udp, "back", arrived));
            }
            let text = format!("{target}: UDP {sentence}.");
            Some(measured(UserQuestion::Datagrams, target, arrived, Unit::BytesPerS, text))
        }
        _ => None,
    }
}

/// What a load makes of the round trip (`net --under-load`): asked beside what the stream reaches.
pub(super) fn under_load(run: &Run) -> Vec<Answer> {
    let told = |result: &NetResult| {
        let (idle, loaded) = (result.rtt_idle_ns.as_ref()?, result.rtt_loaded_ns.as_ref()?);
        let [idle_ns, loaded_ns] = [idle.p50 as f64, loaded.p50 as f64];
        let target = &result.target;
        let text = format!(
            "Round trip to {target}: {} idle, {} under load (median).",
            time(idle_ns),
            time(loaded_ns)
        );
        Some(measured(UserQuestion::RoundTrip, target, loaded_ns, Unit::Ns, text))
    };
    run.net.iter().filter(|result| result.plan.under_load).filter_map(told).collect()
}

/// Exchanges a second, how long one with a block takes, and what was lost.
fn exchanges(result: &NetResult) -> Option<Answer> {
    let per_s = result.exchanges_per_s()?;
    let latency = result.latency_ns.as_ref().filter(|latency| latency.count > 0)?;
    let udp = result.udp.as_ref()?;
    let text = format!(
        "{}: {} exchanges per second, of which half fetch a block, a quarter send one and a quarter have none; one with a block of {} takes {} (median), {} on average, {} (99th percentile); {} of {} lost ({}).",
        result.target,
        count(per_s),
        size(result.payload_bytes),
        time(latency.p50 as f64),
        time(latency.mean),
        time(latency.p99 as f64),
        count(udp.lost as f64),
        count(udp.sent as f64),
        share(lost_share(udp))
    );
    Some(measured(UserQuestion::Datagrams, &result.target, per_s, Unit::PerS, text))
}

/// Below this share of the rate that was set, the sender did not reach it: pacing is coarse.
const SENT_SHORT: f64 = 0.99;

/// One direction: the rate that was sent, the rate that arrived, loss and jitter.
fn datagrams(result: &NetResult, udp: &UdpSummary, way: &str, arrived_bytes_per_s: f64) -> String {
    if udp.sent == 0 {
        return format!(
            "{way}: {} ({}) were sent, and the other end's report of what arrived is not there",
            bytes(arrived_bytes_per_s),
            bits(arrived_bytes_per_s)
        );
    }
    let asked = result.plan.rate_bytes_per_s;
    // Each end has timed its own side: what arrived was sent.
    let sent = if udp.sent_bytes_per_s > 0.0 { udp.sent_bytes_per_s.max(arrived_bytes_per_s) } else { 0.0 };
    let sent = match (asked > 0.0, sent > 0.0) {
        (true, true) if sent < SENT_SHORT * asked => {
            format!("at {} of the {} set", bits(sent), bits(asked))
        }
        (true, _) => format!("at {}", bits(asked)),
        (false, true) => format!("as fast as possible ({} sent)", bits(sent)),
        (false, false) => "as fast as possible".to_owned(),
    };
    let jitter = udp.jitter_ns.map(|ns| format!(", jitter {}", time(ns as f64))).unwrap_or_default();
    format!(
        "{way}, {sent}: {} ({}) arrived, {} of {} datagrams lost ({}), {} out of order{jitter}",
        bytes(arrived_bytes_per_s),
        bits(arrived_bytes_per_s),
        count(udp.lost as f64),
        count(udp.sent as f64),
        share(lost_share(udp)),
        count(udp.reordered as f64)
    )
}

fn lost_share(udp: &UdpSummary) -> f64 {
    udp.lost as f64 / udp.sent.max(1) as f64
}

fn path_mtu(result: &MtuResult) -> Answer {
    let target = &result.target;
    let Some(bytes) = result.path_mtu_bytes else {
        return Answer {
            question: UserQuestion::PathMtu,
            subject: target.clone(),
            text: format!("{target} does not answer, so its path MTU is not known."),
            ..Answer::default()
        };
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
    let sendable = |mtu: Option<u64>| mtu.map(|bytes| bytes.min(LARGEST_PACKET_BYTES));
    let ends = match (sendable(result.interface_mtu_bytes), sendable(result.peer_interface_mtu_bytes)) {
        (Some(here), Some(there)) if here != there && here.max(there) > bytes => {
            format!(": this end has {here}, the other {there}")
        }
        (Some(here), Some(there)) if here == there && here > bytes => {
            format!(": both ends have {here}, and something between them takes less")
        }
        _ => String::new(),
    };
    let text = format!("The path MTU to {target} is {bytes} bytes{back}{hole}{ends}.");
    measured(UserQuestion::PathMtu, target, bytes as f64, Unit::Bytes, text)
}

/// A copy this much faster than the slower of its halves alone was not made by the device (own choice).
const OUTRUN: f64 = 1.5;

/// What a copy carries, which counts both directions, next to what each half does alone.
fn copied(result: &DiskResult) -> Option<Answer> {
    let free = |step: &&DiskStepResult| step.rate_per_s == 0.0 && step.ios > 0;
    let copy = result.steps.iter().filter(free).find(|step| step.operation == Operation::Copy)?;
    let both = copy.throughput_bytes_per_s;
    let alone = |operation: Operation| {
        let same = |step: &&DiskStepResult| {
            step.operation == operation
                && step.pattern == copy.pattern
                && step.block_bytes == copy.block_bytes
        };
        let steps = result.steps.iter().filter(free).filter(same);
        steps.map(|step| step.throughput_bytes_per_s).reduce(f64::max)
    };
    let (read, write) = (alone(Operation::Read), alone(Operation::Write));
    let halves = [("read alone", read), ("overwritten alone", write)];
    let halves: String =
        halves.iter().filter_map(|(what, rate)| Some(format!("; {what} {}", bytes((*rate)?)))).collect();
    let slower = [read, write].into_iter().flatten().reduce(f64::min);
    let doubt = if slower.is_some_and(|rate| both / 2.0 > OUTRUN * rate) {
        " A copy is no faster than its slower half: a cache took its writes, or other programs slowed the steps that ran alone."
    } else {
        ""
    };
    let text = format!(
        "{}: copied at {}, blocks of {} read and overwritten in turn ({} with both directions counted){halves}.{doubt}",
        result.target,
        bytes(both / 2.0),
        size(copy.block_bytes),
        bytes(both)
    );
    Some(measured(UserQuestion::Copy, &result.target, both / 2.0, Unit::BytesPerS, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::{Reply, Verdict};
    use fullwire_model::net::NetPlan;

    #[test]
    fn half_of_the_exchanges_of_an_interconnect_fetch_a_block() {
        let latency = fullwire_model::latency::Latency {
            count: 9,
            p50: 71_500,
            mean: 243_000.0,
            p99: 900_000,
            ..Default::default()
        };
        let result = NetResult {
            mode: NetMode::Interconnect,
            duration_s: 1.0,
            messages: 4_105,
            payload_bytes: 8192,
            latency_ns: Some(latency),
            udp: Some(UdpSummary::default()),
            ..NetResult::default()
        };
        let text = exchanges(&result).expect("an answer").text;
        assert!(text.contains("half fetch a block") && text.contains("243 µs on average"), "{text}");
    }

    #[test]
    fn between_two_ends_of_loopback_nothing_takes_less_than_a_packet_can_have() {
        let path = |mtu: u64, bytes| MtuResult {
            target: "db2".into(),
            path_mtu_bytes: Some(bytes),
            interface_mtu_bytes: Some(mtu),
            peer_interface_mtu_bytes: Some(mtu),
            ..MtuResult::default()
        };
        let text = |result| path_mtu(&result).text;
        assert_eq!(text(path(65_536, 65_535)), "The path MTU to db2 is 65535 bytes.");
        assert!(
            text(path(9000, 1500)).contains("both ends have 9000, and something between them takes less")
        );
    }

    #[test]
    fn what_a_load_makes_of_the_round_trip_is_said_beside_the_rate() {
        let trip = |p50| Some(fullwire_model::latency::Latency { count: 9, p50, ..Default::default() });
        let result = NetResult {
            target: "db2:5555".into(),
            streams: 1,
            throughput_bytes_per_s: 47.9e6,
            duration_s: 2.0,
            plan: NetPlan { under_load: true, ..NetPlan::default() },
            rtt_idle_ns: trip(133_000),
            rtt_loaded_ns: trip(4_620_000),
            ..NetResult::default()
        };
        let mut run = Run { net: vec![result], ..Run::default() };
        run.command.name = "net".into();
        let texts: Vec<String> = crate::assess(&run).answers.into_iter().map(|answer| answer.text).collect();
        assert!(texts[0].contains("reaches 47.9 MB/s"), "{texts:?}");
        assert_eq!(texts[1], "Round trip to db2:5555: 133 µs idle, 4.62 ms under load (median).");
        run.net[0].rtt_loaded_ns = None;
        assert_eq!(crate::assess(&run).answers.len(), 1);
    }

    /// It has no rate that could be near a wire, whatever else is wrong with the hosts.
    #[test]
    fn a_round_trip_alone_has_no_verdict() {
        let of = |mode: &str| {
            let window = serde_json::json!({"kind": "net", "subject": "db2:5555",
                "from": {"procs_running": 9, "cpu": {"idle_ns": 0}},
                "to": {"monotonic_ns": 1_000_000_000, "procs_running": 8,
                    "cpu": {"user_ns": 1_980_000_000, "idle_ns": 20_000_000}}});
            let run = serde_json::json!({"command": {"name": "net"}, "host": {"cpu": {"online": 2}},
                "windows": [window], "net": [{"target": "db2:5555", "mode": mode, "streams": 1, "duration_s": 2.0,
                    "throughput_bytes_per_s": 47.9e6, "latency_ns": {"count": 9, "p50": 15_200}}]});
            let run: Run = serde_json::from_value(run).expect("a run");
            let path = crate::assess(&run).paths.remove(0);
            (path.causes.first().map(|cause| cause.code.clone()), path.verdict)
        };
        assert_eq!(of("async"), (Some("cpu-saturated".to_owned()), Verdict::Poor));
        assert_eq!(of("rtt").1, Verdict::Unknown);
    }

    #[test]
    fn a_dead_host_has_no_path_mtu() {
        let dead = MtuResult { target: "10.1.1.77".into(), ..MtuResult::default() };
        assert_eq!(path_mtu(&dead).text, "10.1.1.77 does not answer, so its path MTU is not known.");
        assert_eq!(path_mtu(&dead).answer, Reply::Unknown);
        let both = MtuResult {
            path_mtu_bytes: Some(1400),
            reverse_path_mtu_bytes: Some(1400),
            confirmed_by: Confirmation::Peer,
            ..dead
        };
        assert_eq!(path_mtu(&both).text, "The path MTU to 10.1.1.77 is 1400 bytes in both directions.");
        assert_eq!(path_mtu(&both).figure, Some(1400.0));
        let unequal =
            MtuResult { interface_mtu_bytes: Some(9000), peer_interface_mtu_bytes: Some(1400), ..both };
        assert!(path_mtu(&unequal).text.ends_with("in both directions: this end has 9000, the other 1400."));
    }
}
