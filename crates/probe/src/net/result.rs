//! Both ends' accounts as one result. Pure arithmetic.

use super::account::{self, DatagramCount, Sample};
use super::report::{EndReport, longest_ns};
use crate::iperf::COPIES;
use fullwire_model::counters::Counters;
use fullwire_model::latency::Latency;
use fullwire_model::net::{CpuUse, NetInterval, NetMode, NetPath, NetPlan, NetResult, Payload, UdpSummary};

/// The result of a TCP test as the client reports it.
pub(crate) fn combine(plan: &NetPlan, path: NetPath, own: EndReport, peer: EndReport) -> NetResult {
    let stream = is_stream(plan);
    let (sender, receiver) = if plan.reverse { (&peer, &own) } else { (&own, &peer) };
    let (bytes, duration_s) = match stream {
        true if receiver.missing => (sender.acked_bytes, sender.moved_s.min(sender.test_s)),
        true => (receiver.in_bytes, receiver.in_s.max(least_s(plan, &own, receiver.in_bytes))),
        false => (sender.asked_bytes, sender.asked_s.max(least_s(plan, &own, sender.asked_bytes))),
    };
    // The pause after the last message belongs to the test as much as the others.
    let duration_s = if plan.delay_ns > 0 { duration_s.max(own.test_s) } else { duration_s };
    // Of a test that broke the figures are of the time before.
    let moved_s = own.moved_s.min(own.test_s);
    let broke =
        [&own.incomplete, &peer.incomplete, &own.failure, &peer.failure].into_iter().any(Option::is_some);
    let before = |seconds: f64| if broke && stream && moved_s > 0.0 { seconds.min(moved_s) } else { seconds };
    let duration_s = before(duration_s);
    let there = rate(bytes, duration_s);
    // Of an interconnect's blocks both directions were counted together.
    let share_back = match &sender.datagrams {
        Some(count) if plan.mode == NetMode::Interconnect => {
            Some((count.came_bytes as f64 / (bytes.max(1)) as f64).min(1.0))
        }
        _ => None,
    };
    let back = match share_back {
        Some(share) => Some(there * share),
        None => plan.bidir.then(|| rate(own.in_bytes, before(own.in_s))),
    };
    let there = there * (1.0 - share_back.unwrap_or(0.0));
    let moved = bytes + if plan.bidir { own.in_bytes } else { 0 };
    let zerocopy = sender.zerocopy;
    // What the other end alone counts is not lost where it said nothing.
    let counted = plan.mode.is_datagrams() && !(stream && peer.missing);
    let udp = counted.then(|| datagrams(sender, receiver));
    let reverse_udp = (counted && plan.bidir).then(|| datagrams(receiver, sender));
    let intervals = slices(plan, &own, &peer);
    let mut result = NetResult {
        target: plan.target.clone(),
        mode: plan.mode,
        streams: plan.streams,
        payload_bytes: plan.length_bytes,
        duration_s,
        bytes,
        messages: sender.messages,
        throughput_bytes_per_s: there,
        reverse_throughput_bytes_per_s: back,
        reverse: plan.reverse,
        latency_ns: sender.latency_ns.clone(),
        parts_ns: sender.parts_ns.clone(),
        intervals,
        tcp: sender.sending.clone(),
        peer_tcp: receiver.receiving.clone(),
        udp,
        reverse_udp,
        cpu: cpu(&own, &peer, moved),
        path,
        rtt_idle_ns: own.rtt_idle_ns.clone(),
        rtt_loaded_ns: own.rtt_loaded_ns.clone(),
        zerocopy_effective: zerocopy.map(|[done, copied]| done > copied),
        late_messages: (plan.open_loop_per_s > 0.0).then_some(sender.late_messages),
        remote_write_direct: peer.write_direct,
        plan: plan.clone(),
        ..NetResult::default()
    };
    // No document names the file, and a run is kept only if it can be read back as it is.
    if let Payload::File(path) = &mut result.plan.payload {
        path.clear();
    }
    // Who ended it knows why; a broken lane is often only the consequence.
    result.incomplete = own.incomplete.or(peer.incomplete).or(own.failure).or(peer.failure);
    result.broke_after_s = result.incomplete.as_ref().map(|_| moved_s);
    result
}

/// The least time in which so many bytes moved by the other end's account, s: on the whole they came no faster than this end sent
/// them, and were answered no faster than it answered. Whatever time the other end counts, its rate is not above that.
fn least_s(plan: &NetPlan, own: &EndReport, bytes: u64) -> f64 {
    let most = carried_bytes(plan, own).filter(|most| *most > 0);
    most.map_or(0.0, |most| own.moved_s.min(own.test_s) * bytes as f64 / most as f64)
}

/// What this end carried of what only the other end counts: it sent a stream, or answered messages.
fn carried_bytes(plan: &NetPlan, own: &EndReport) -> Option<u64> {
    match (is_stream(plan), plan.reverse) {
        (true, false) => Some(own.sent_bytes),
        (false, true) => Some(answered_bytes(plan, own)),
        _ => None,
    }
}

/// Of the messages that this end answered.
fn answered_bytes(plan: &NetPlan, own: &EndReport) -> u64 {
    own.answered.saturating_mul(plan.length_bytes)
}

/// No more came to the other end than this one sent, no more of its messages were answered than this one answered, and none took
/// longer than the test.
pub(crate) fn is_possible(plan: &NetPlan, own: &EndReport, peer: &EndReport) -> bool {
    let told = peer.samples.iter().map(|sample| sample.in_bytes).fold(0, u64::saturating_add);
    let asks = plan.reverse && !is_stream(plan);
    let is_answered = peer.messages <= own.answered && peer.asked_bytes <= answered_bytes(plan, own);
    let parts = peer.parts_ns.iter().flat_map(|parts| [Some(&parts.network), parts.remote_write.as_ref()]);
    let mut waits = parts.chain([peer.latency_ns.as_ref()]).flatten();
    let is_wait =
        |wait: &Latency| wait.is_consistent() && wait.count <= own.answered && wait.max <= longest_ns(own);
    peer.in_bytes.max(told) <= own.sent_bytes && (!asks || is_answered && waits.all(is_wait))
}

/// Whether nothing of what was asked for came through.
pub(crate) fn is_nothing(result: &NetResult) -> bool {
    result.bytes == 0 && (is_stream(&result.plan) || result.messages == 0)
}

/// IP reassemblies that failed between two readings (`IpReasmFails`, `Ip6ReasmFails`).
pub(crate) fn reassembly_failures(from: &Counters, to: &Counters) -> u64 {
    let since = |name: &str| {
        let at = |counters: &Counters| counters.snmp.get(name).copied().unwrap_or(0);
        at(to).saturating_sub(at(from))
    };
    since("IpReasmFails").saturating_add(since("Ip6ReasmFails"))
}

/// A slice as one end sees it while the test runs.
pub(crate) fn live(sample: &Sample) -> NetInterval {
    let mut interval = slice(sample, Some(sample));
    interval.throughput_bytes_per_s = rate(sample.in_bytes.max(sample.out_bytes), sample.span_s);
    interval
}

/// Bytes per second; 0 when no time passed.
fn rate(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bytes as f64 / seconds } else { 0.0 }
}

/// What the receiver counts, in contrast to what the asker has back.
fn is_stream(plan: &NetPlan) -> bool {
    match plan.mode {
        NetMode::Async | NetMode::Udp => true,
        NetMode::Sync | NetMode::Rtt | NetMode::Interconnect => false,
    }
}

/// The datagrams of one direction. Reassembly failures are the hosts' counters: anyone who has read them adds them.
/// The one who asks on an interconnect counts both directions.
fn datagrams(sender: &EndReport, receiver: &EndReport) -> UdpSummary {
    let none = DatagramCount::default();
    let (sent, got) =
        (sender.datagrams.as_ref().unwrap_or(&none), receiver.datagrams.as_ref().unwrap_or(&none));
    let asked = sender.asked_bytes > 0;
    let (arrived, small_arrived) =
        if asked { (sent.arrived, sent.small_arrived) } else { (got.arrived, got.small_arrived) };
    let small_lost = sent.small_sent.saturating_sub(small_arrived);
    let sent_bytes = sender.samples.iter().map(|sample| sample.out_bytes).fold(0, u64::saturating_add);
    let sent_s: f64 =
        sender.samples.iter().filter(|sample| sample.out_bytes > 0).map(|sample| sample.span_s).sum();
    let drops = |count: &DatagramCount| count.receive_buffer_drops;
    // Whoever tells it: of what was sent, each as often as a network copies it.
    let most = sent.sent.saturating_add(sent.small_sent).saturating_mul(COPIES);
    let longest_ns = longest_ns(receiver).max(longest_ns(sender));
    UdpSummary {
        sent: sent.sent,
        lost: sent.sent.saturating_sub(arrived),
        reordered: got.reordered.min(most),
        duplicated: got.duplicated.saturating_add(if asked { sent.duplicated } else { 0 }).min(most),
        jitter_ns: got.jitter_ns.filter(|jitter| !asked && *jitter <= longest_ns),
        sent_bytes_per_s: if asked { 0.0 } else { rate(sent_bytes, sent_s) },
        reassembly_failures: 0,
        receive_buffer_drops: drops(got).saturating_add(if asked { drops(sent) } else { 0 }),
        small_loss: (sent.small_sent > 0).then(|| small_lost as f64 / sent.small_sent as f64),
    }
}

fn cpu(own: &EndReport, peer: &EndReport, bytes: u64) -> CpuUse {
    let per_gb = |seconds: f64| if bytes > 0 { seconds / (bytes as f64 / 1e9) } else { 0.0 };
    CpuUse {
        client_s: own.cpu_s,
        server_s: peer.cpu_s,
        client_s_per_gb: per_gb(own.cpu_s),
        server_s_per_gb: per_gb(peer.cpu_s),
        client_thread_peak: Some(own.thread_peak),
        server_thread_peak: Some(peer.thread_peak),
        client_thread_wait: own.thread_wait,
        server_thread_wait: peer.thread_wait,
    }
}

/// The slices of the direction that was requested: what came as its receiver tells it, of messages as who asked; why as the sender does.
fn slices(plan: &NetPlan, own: &EndReport, peer: &EndReport) -> Vec<NetInterval> {
    let stream = is_stream(plan);
    let (sender, receiver) = if plan.reverse { (peer, own) } else { (own, peer) };
    let received = stream && !receiver.missing;
    let counted = if received { receiver } else { sender };
    let Some(most) = carried_bytes(plan, own).filter(|_| !peer.missing) else {
        let (sent, counted) = alike(&sender.samples, &counted.samples);
        return intervals(received, &sent, &counted);
    };
    let carried = own.samples.iter().map(|one| Sample {
        out_bytes: if stream { one.out_bytes } else { one.messages.saturating_mul(plan.length_bytes) },
        ..one.clone()
    });
    let told = peer
        .samples
        .iter()
        .map(|one| Sample { in_bytes: if stream { one.in_bytes } else { one.out_bytes }, ..one.clone() });
    let (carried, told) = alike(&carried.collect::<Vec<_>>(), &told.collect::<Vec<_>>());
    let measured = carried.iter().map(|one| one.out_bytes).fold(0, u64::saturating_add);
    let counted = possible(most.saturating_sub(measured), &carried, &told);
    intervals(true, if stream { &carried } else { &told }, &counted)
}

/// Both ends' slices at the same length: one end of a long test may just have made its slices longer.
fn alike(sent: &[Sample], counted: &[Sample]) -> (Vec<Sample>, Vec<Sample>) {
    let (mut sent, mut counted) = (sent.to_vec(), counted.to_vec());
    let (longer, shorter) =
        if sent.len() > counted.len() { (&mut sent, counted.len()) } else { (&mut counted, sent.len()) };
    if shorter > 1 && longer.len() > shorter + shorter / 2 {
        account::halve(longer);
    }
    (sent, counted)
}

/// Slices: what arrived by the receiver's clock, why by the sender's. Both began within half a round trip.
fn intervals(received: bool, sender: &[Sample], counted: &[Sample]) -> Vec<NetInterval> {
    counted
        .iter()
        .enumerate()
        .map(|(index, sample)| {
            let bytes = if received { sample.in_bytes } else { sample.out_bytes };
            let throughput_bytes_per_s = rate(bytes, sample.span_s);
            NetInterval { throughput_bytes_per_s, ..slice(sample, sender.get(index)) }
        })
        .collect()
}

/// The slices that the other end tells of what this one sent, at times that can be: each is as long as this end's own, and no more has
/// come by its end than was sent by the end of the next. A far end can make a rate lower, and not higher.
fn possible(before_bytes: u64, sent: &[Sample], told: &[Sample]) -> Vec<Sample> {
    let out = |index: usize| sent.get(index).map_or(0, |own| own.out_bytes);
    let longest_s = sent.iter().map(|own| own.span_s).fold(0.0, f64::max);
    let (mut t_s, mut under_way) = (0.0, before_bytes.saturating_add(out(0)));
    let slice = |(index, told): (usize, &Sample)| {
        // What arrives when this end has sent all.
        let late_s = told.span_s.clamp(0.0, longest_s);
        let (long_s, least_s) = sent.get(index).map_or((late_s, longest_s), |own| (own.span_s, own.span_s));
        under_way = under_way.saturating_add(out(index + 1));
        let in_bytes = told.in_bytes.min(under_way);
        under_way -= in_bytes;
        t_s += long_s;
        Sample { t_s, span_s: told.span_s.max(least_s), in_bytes, ..told.clone() }
    };
    told.iter().enumerate().map(slice).collect()
}

fn slice(counted: &Sample, sent: Option<&Sample>) -> NetInterval {
    let tcp = sent.and_then(|sample| sample.tcp.as_ref());
    NetInterval {
        t_s: counted.t_s,
        throughput_bytes_per_s: 0.0,
        mean_ns: sent.and_then(|sample| sample.mean_ns),
        p50_ns: sent.and_then(|sample| sample.p50_ns),
        p99_ns: sent.and_then(|sample| sample.p99_ns),
        retransmits: tcp.map(|tcp| tcp.retransmits),
        rtt_ns: tcp.map(|tcp| tcp.rtt_ns),
        cwnd_bytes: tcp.map(|tcp| tcp.cwnd_bytes),
        in_flight_bytes: tcp.map(|tcp| tcp.in_flight_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::account::TcpSample;
    use fullwire_model::{Gap, GapReason};

    fn end(in_bytes: u64, in_s: f64) -> EndReport {
        EndReport { in_bytes, in_s, cpu_s: 1.0, ..EndReport::default() }
    }

    #[test]
    fn a_stream_is_what_the_receiver_counted() {
        let plan = NetPlan { streams: 1, ..NetPlan::default() };
        let result = combine(&plan, NetPath::default(), end(7, 1.0), end(2_000_000_000, 2.0));
        assert_eq!(result.bytes, 2_000_000_000);
        assert!((result.throughput_bytes_per_s - 1e9).abs() < 1.0);
        assert!((result.cpu.client_s_per_gb - 0.5).abs() < 1e-9);
        let reverse = NetPlan { reverse: true, ..plan.clone() };
        let result = combine(&reverse, NetPath::default(), end(500, 1.0), end(0, 0.0));
        assert_eq!(result.bytes, 500);
        let both = NetPlan { bidir: true, ..plan };
        let result = combine(&both, NetPath::default(), end(300, 1.0), end(400, 1.0));
        assert_eq!((result.bytes, result.reverse_throughput_bytes_per_s), (400, Some(300.0)));
    }

    #[test]
    fn an_account_of_more_than_was_sent_is_false() {
        let own = EndReport { sent_bytes: 5_000, ..EndReport::default() };
        let plan = NetPlan::default();
        let is_possible = |own: &EndReport, peer: &EndReport| is_possible(&plan, own, peer);
        assert!(is_possible(&own, &end(5_000, 5.0)) && is_possible(&own, &end(0, 0.0)));
        assert!(!is_possible(&own, &end(5_001, 5.0)) && !is_possible(&own, &end(u64::MAX, 5.0)));
        let sample = Sample { span_s: 1.0, in_bytes: u64::MAX, ..Sample::default() };
        let slices = EndReport { samples: vec![sample; 3], ..end(5_000, 5.0) };
        assert!(!is_possible(&own, &slices), "the slices count more than was sent");
        // What this end receives it counts itself.
        let sender = EndReport { asked_bytes: u64::MAX, ..EndReport::default() };
        assert!(is_possible(&EndReport::default(), &sender));
    }

    #[test]
    fn no_rate_is_above_that_of_who_sent() {
        let own = EndReport { sent_bytes: 5_000, moved_s: 5.0, test_s: 5.0, ..EndReport::default() };
        for mode in [NetMode::Async, NetMode::Udp] {
            let plan = NetPlan { mode, streams: 1, ..NetPlan::default() };
            let reached = |peer: EndReport| {
                combine(&plan, NetPath::default(), own.clone(), peer).throughput_bytes_per_s
            };
            for (bytes, seconds, most) in [
                (5_000, 0.001, 1_000.0),
                (5_000, 1e-300, 1_000.0),
                (1, 1e-300, 1_000.0),
                (5_000, -1.0, 1_000.0),
            ] {
                assert!(reached(end(bytes, seconds)) <= most * 1.000_001, "{bytes} {seconds}");
            }
            // An honest account stays as it is: less came, and later.
            assert!((reached(end(4_000, 5.0)) - 800.0).abs() < 1e-9);
        }
    }

    #[test]
    fn who_asks_has_no_more_answers_than_were_given_and_none_faster() {
        let plan = NetPlan { mode: NetMode::Sync, reverse: true, length_bytes: 1_000, ..NetPlan::default() };
        let own = EndReport { answered: 10, moved_s: 5.0, test_s: 5.0, ..EndReport::default() };
        let asks = |messages, asked_bytes, asked_s| EndReport {
            asked_bytes,
            asked_s,
            messages,
            ..EndReport::default()
        };
        for (peer, is_it) in
            [(asks(10, 10_000, 5.0), true), (asks(11, 10_000, 5.0), false), (asks(10, 10_001, 5.0), false)]
        {
            assert_eq!(is_possible(&plan, &own, &peer), is_it, "{peer:?}");
        }
        let reached = |peer| combine(&plan, NetPath::default(), own.clone(), peer).throughput_bytes_per_s;
        assert!((reached(asks(10, 10_000, 1e-300)) - 2_000.0).abs() < 1e-9);
        assert!((reached(asks(8, 8_000, 5.0)) - 1_600.0).abs() < 1e-9, "an honest account stays");
    }

    #[test]
    fn no_slice_is_faster_than_what_was_sent() {
        let sample =
            |span_s, in_bytes, out_bytes| Sample { span_s, in_bytes, out_bytes, ..Sample::default() };
        let sent = vec![sample(1.0, 0, 1_000); 4];
        let rates = |told: &[Sample]| -> Vec<(f64, f64)> {
            let told = possible(200, &sent, told);
            intervals(true, &sent, &told).iter().map(|one| (one.t_s, one.throughput_bytes_per_s)).collect()
        };
        // Honest: what was under way at first arrives too, and the rest late.
        let honest = [(1.0, 1_100), (1.0, 1_000), (1.0, 900), (1.0, 1_000), (0.25, 200)]
            .map(|(span_s, bytes)| sample(span_s, bytes, 0));
        assert_eq!(
            rates(&honest),
            [(1.0, 1_100.0), (2.0, 1_000.0), (3.0, 900.0), (4.0, 1_000.0), (4.25, 200.0)]
        );
        let all_at_once = [(1e-9, 4_200), (1e-9, 0), (1e-9, 0), (-1.0, 0), (1e300, 0)]
            .map(|(span_s, bytes)| Sample { t_s: 1e300, ..sample(span_s, bytes, 0) });
        assert_eq!(rates(&all_at_once), [(1.0, 2_200.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0), (5.0, 0.0)]);
        let plan = NetPlan { streams: 1, ..NetPlan::default() };
        let own = EndReport {
            sent_bytes: 4_200,
            moved_s: 4.0,
            test_s: 4.0,
            samples: sent.clone(),
            ..EndReport::default()
        };
        let peer = EndReport { samples: all_at_once.to_vec(), ..end(4_200, 4.0) };
        let result = combine(&plan, NetPath::default(), own, peer);
        assert!((result.intervals[0].throughput_bytes_per_s - 2_200.0).abs() < 1e-9);
    }

    #[test]
    fn who_asks_has_no_faster_slices_and_no_longer_waits_than_this_end_saw() {
        let plan = NetPlan { mode: NetMode::Sync, reverse: true, length_bytes: 1_000, ..NetPlan::default() };
        let answered = Sample { span_s: 1.0, messages: 5, ..Sample::default() };
        let own = EndReport {
            answered: 10,
            moved_s: 2.0,
            test_s: 2.0,
            whole_s: 2.5,
            samples: vec![answered; 2],
            ..EndReport::default()
        };
        let wait =
            |count, max| Latency { count, min: 1_000, mean: 2_000.0, p50: 2_000, max, ..Latency::default() };
        let asks = |out_bytes, wait: Latency| EndReport {
            asked_bytes: 10_000,
            asked_s: 2.0,
            messages: 10,
            samples: vec![
                Sample {
                    span_s: 1e-9,
                    out_bytes,
                    mean_ns: Some(-1.0),
                    p50_ns: Some(u64::MAX),
                    ..Sample::default()
                };
                9
            ],
            latency_ns: Some(wait),
            ..EndReport::default()
        };
        let told = asks(u64::MAX, wait(10, 9_000)).within(&own, 2);
        let result = combine(&plan, NetPath::default(), own.clone(), told);
        let first = &result.intervals[0];
        assert!((first.throughput_bytes_per_s - 10_000.0).abs() < 1e-6, "{first:?}");
        assert_eq!((first.mean_ns, first.p50_ns), (None, None));
        assert!(result.intervals[1..].iter().all(|one| one.throughput_bytes_per_s.abs() < 1e-6));
        let slice = Sample { span_s: 1.0, out_bytes: 5_000, ..Sample::default() };
        let honest = EndReport { samples: vec![slice; 2], ..asks(0, wait(10, 9_000)) };
        let result = combine(&plan, NetPath::default(), own.clone(), honest.within(&own, 2));
        assert!(result.intervals.iter().all(|one| (one.throughput_bytes_per_s - 5_000.0).abs() < 1e-6));

        assert!(is_possible(&plan, &own, &asks(5_000, wait(10, 9_000))));
        for false_wait in [
            wait(11, 9_000),
            wait(10, u64::MAX),
            wait(10, 1_500),
            Latency { mean: -1e308, ..wait(10, 9_000) },
        ] {
            assert!(!is_possible(&plan, &own, &asks(5_000, false_wait.clone())), "{false_wait:?}");
        }
    }

    #[test]
    fn an_account_has_the_bounds_of_this_ends() {
        let own = EndReport { whole_s: 2.5, samples: vec![Sample::default(); 3], ..EndReport::default() };
        let endless = EndReport {
            samples: vec![Sample::default(); 200_000],
            cpu_s: 1e308,
            thread_peak: -1e300,
            incomplete: Some("é".repeat(1_000_000)),
            gaps: vec![Gap::new("x".repeat(10_000), GapReason::Timeout, "y"); 1_000],
            ..EndReport::default()
        };
        let told = endless.within(&own, 2);
        assert!(
            told.samples.len() < 100 && told.gaps.len() < 100 && told.cpu_s < 6.0 && told.thread_peak >= 0.0
        );
        assert!(told.incomplete.unwrap().len() < 5_000 && told.gaps[0].subject.len() < 5_000);
        let honest = EndReport { cpu_s: 1.5, thread_peak: 0.7, ..end(7, 1.0) };
        assert_eq!(honest.clone().within(&own, 2), honest);

        let all = |count: u64| ["IpReasmFails", "Ip6ReasmFails"].map(|name| (name.to_owned(), count)).into();
        let at = |count| Counters { snmp: all(count), ..Counters::default() };
        assert_eq!(reassembly_failures(&at(0), &at(u64::MAX)), u64::MAX);
    }

    #[test]
    fn without_the_receivers_account_what_it_acknowledged_counts() {
        let sample = Sample { t_s: 1.0, span_s: 1.0, out_bytes: 100, ..Sample::default() };
        let own = EndReport {
            acked_bytes: 1000,
            test_s: 3.0,
            moved_s: 2.0,
            samples: vec![sample],
            ..EndReport::default()
        };
        let gone = EndReport { missing: true, incomplete: Some("gone".into()), ..EndReport::default() };
        let result = combine(&NetPlan::default(), NetPath::default(), own.clone(), gone.clone());
        assert_eq!((result.bytes, result.incomplete.as_deref()), (1000, Some("gone")));
        assert!((result.throughput_bytes_per_s - 500.0).abs() < 1e-9);
        assert!((result.intervals[0].throughput_bytes_per_s - 100.0).abs() < 1e-9);
        // The time in which the link was down belongs to no rate, whoever counted.
        let late = EndReport { in_bytes: 1000, in_s: 5.0, ..EndReport::default() };
        let broke = EndReport { incomplete: Some("timed out".into()), ..own.clone() };
        let result = combine(&NetPlan::default(), NetPath::default(), broke, late);
        assert_eq!(
            (result.bytes, result.throughput_bytes_per_s, result.broke_after_s),
            (1000, 500.0, Some(2.0))
        );
        // Datagrams are not acknowledged: nothing is known, and nothing is called lost.
        let plan = NetPlan { mode: NetMode::Udp, rate_bytes_per_s: 1e6, ..NetPlan::default() };
        let sent = DatagramCount { sent: 50, ..DatagramCount::default() };
        let own = EndReport { datagrams: Some(sent), ..EndReport::default() };
        let result = combine(&plan, NetPath::default(), own, gone);
        assert_eq!((result.bytes, result.udp), (0, None));
    }

    #[test]
    fn each_direction_of_datagrams_has_its_own_account() {
        let count = |sent, arrived, reordered, jitter_ns| DatagramCount {
            sent,
            arrived,
            reordered,
            jitter_ns: Some(jitter_ns),
            ..DatagramCount::default()
        };
        let end = |count: DatagramCount, in_bytes| EndReport {
            datagrams: Some(count),
            in_bytes,
            in_s: 1.0,
            whole_s: 1.0,
            ..EndReport::default()
        };
        let plan = NetPlan { mode: NetMode::Udp, bidir: true, ..NetPlan::default() };
        let result =
            combine(&plan, NetPath::default(), end(count(100, 45, 7, 9), 45), end(count(50, 80, 3, 4), 80));
        let (there, back) = (result.udp.unwrap(), result.reverse_udp.unwrap());
        assert_eq!((there.sent, there.lost, there.reordered, there.jitter_ns), (100, 20, 3, Some(4)));
        assert_eq!((back.sent, back.lost, back.reordered, back.jitter_ns), (50, 5, 7, Some(9)));
        assert_eq!((result.bytes, result.reverse_throughput_bytes_per_s), (80, Some(45.0)));
    }

    #[test]
    fn an_interconnects_blocks_are_told_apart_by_direction() {
        let plan = NetPlan { mode: NetMode::Interconnect, length_bytes: 8192, ..NetPlan::default() };
        let count = DatagramCount {
            sent: 300,
            arrived: 300,
            small_sent: 100,
            small_arrived: 100,
            came_bytes: 200 * 8192,
            ..DatagramCount::default()
        };
        let own = EndReport {
            asked_bytes: 300 * 8192,
            asked_s: 2.0,
            messages: 400,
            datagrams: Some(count),
            ..EndReport::default()
        };
        let result = combine(&plan, NetPath::default(), own, EndReport::default());
        assert!((result.throughput_bytes_per_s - 50.0 * 8192.0).abs() < 1e-6);
        assert!((result.reverse_throughput_bytes_per_s.unwrap() - 100.0 * 8192.0).abs() < 1e-6);
        assert_eq!((result.exchanges_per_s(), result.udp.as_ref().unwrap().jitter_ns), (Some(200.0), None));
        let [out, back] = result.exchange_bytes().unwrap();
        assert!(
            (out - (2048.0 + 150.0)).abs() < 1e-6 && (back - (4096.0 + 100.0)).abs() < 1e-6,
            "{out} {back}"
        );
    }

    #[test]
    fn pauses_between_messages_are_part_of_the_time() {
        let plan = NetPlan { mode: NetMode::Sync, delay_ns: 5_000_000_000, ..NetPlan::default() };
        let own = EndReport { asked_bytes: 1 << 20, asked_s: 0.02, test_s: 4.0, ..EndReport::default() };
        let result = combine(&plan, NetPath::default(), own, EndReport::default());
        assert!((result.throughput_bytes_per_s - 262_144.0).abs() < 1e-6, "one message in four seconds");
    }

    #[test]
    fn slices_of_both_ends_are_brought_to_one_length() {
        let slices = |n: usize| vec![Sample::default(); n];
        let (sent, counted) = alike(&slices(3600), &slices(1801));
        assert_eq!((sent.len(), counted.len()), (1800, 1801));
        let (sent, counted) = alike(&slices(9), &slices(10));
        assert_eq!((sent.len(), counted.len()), (9, 10));
    }

    #[test]
    fn nothing_moved_is_zero_and_not_a_number_that_is_none() {
        let result = combine(&NetPlan::default(), NetPath::default(), end(0, 0.0), end(0, 0.0));
        assert!(result.throughput_bytes_per_s.abs() < f64::EPSILON);
        assert!(result.cpu.client_s_per_gb.is_finite());
    }

    #[test]
    fn slices_join_the_receivers_bytes_with_the_senders_reasons() {
        let sent = Sample {
            tcp: Some(TcpSample { retransmits: 4, rtt_ns: 9, cwnd_bytes: 8, in_flight_bytes: 7 }),
            ..Sample::default()
        };
        let got = Sample { t_s: 1.0, span_s: 0.5, in_bytes: 100, ..Sample::default() };
        let slices = intervals(true, &[sent], &[got.clone(), got]);
        assert_eq!(slices[0].retransmits, Some(4));
        assert!((slices[0].throughput_bytes_per_s - 200.0).abs() < 1e-9);
        assert_eq!((slices.len(), slices[1].retransmits), (2, None));
    }
}
