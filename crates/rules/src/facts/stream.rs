//! What a network result shows: its ends, round trips, losses, how even it ran.

use super::{interface, route};
use crate::ceiling::network::window;
use fullwire_model::characteristic::Experiment;
use fullwire_model::counters::{Counters, QdiscCounters};
use fullwire_model::experiment::Tried;
use fullwire_model::host::{Host, Route};
use fullwire_model::net::{NetMode, NetResult, TcpSummary, UdpSummary};
use fullwire_model::{AllStreams, MeasurementId, PathName, PerStream, Run, Window, median};

thresholds! {
    /// Share of resent segments that a LAN stays below (fasterdata.es.net, Packet Loss).
    pub(crate) const MUCH_LOST: f64 = 0.001;
    /// A stream that waits for the far end's window for this share of the time is limited by it; less is incidental.
    pub(crate) const HELD: f64 = 0.3;
    /// Of a locked window, up to which the stream's own may be it (own choice: more than the tail of a burst).
    const OUTGROWN: f64 = 1.5;
    /// Factor by which the round trip grows when there is a queue before the limit.
    const QUEUED: f64 = 2.0;
    /// Added to the round trip by a queue that is really there, ns; less is scheduling (own choice).
    const QUEUED_NS: f64 = 2e6;
    /// A pause in which nothing of a stream arrives is said from this length on: shorter ones are the first resends, whose
    /// timeout doubles from 200 ms (RFC 6298, Linux `TCP_RTO_MIN`).
    const SILENT_S: f64 = 0.9;
    /// Of the window that the settings allow, from which on they are what limits: the kernel keeps part of a buffer for its
    /// own overhead, and how large a part depends on the packets (`tcp_win_from_space`).
    const SET: f64 = 0.3;
    /// Of a stream's first half, below which its second lies where losses have brought it down: one loss takes less (RFC 9438, 4.6).
    const FALLEN: f64 = 0.6;
    /// Of a stream's first slice: from here on it grows, and the other way round it falls (own choice).
    const GROWS: f64 = 1.25;
    /// The standard deviation of a normal distribution over its median absolute deviation.
    const SIGMA_OF_MEDIAN: f64 = 1.4826;
    /// Of the window that the receiver offered: less at the sender is no update on its way (own choice).
    const CUT: f64 = 0.5;
    /// A packet where the path's size is not known.
    const PACKET_BYTES: u64 = 1500;
    /// Headers of IPv4 and UDP in it.
    const HEADER_BYTES: u64 = 28;
}

/// Results of a mode that did not stay on this host.
pub(crate) fn results(run: &Run, mode: NetMode) -> impl Iterator<Item = &NetResult> {
    run.net.iter().filter(move |result| result.mode == mode && !result.path.loopback)
}

/// Results of datagrams that did not stay on this host, one way or exchanged.
pub(crate) fn datagrams(run: &Run) -> impl Iterator<Item = &NetResult> {
    run.net.iter().filter(|result| result.mode.is_datagrams() && !result.path.loopback)
}

/// Packets of a datagram: of the size that TCP found on the same path.
pub(crate) fn packets_of(run: &Run, result: &NetResult) -> u64 {
    let streams = results(run, NetMode::Async).filter(|stream| stream.target == result.target);
    let found = streams.filter_map(|stream| Some(stream.tcp.as_ref()?.pmtu_bytes));
    let packet = found.filter(|bytes| *bytes > HEADER_BYTES).min().unwrap_or(PACKET_BYTES);
    result.payload_bytes.div_ceil(packet - HEADER_BYTES).max(1)
}

/// Datagrams that were sent as fast as they could be: what was lost of them was too much for the path.
pub(crate) fn is_flood(result: &NetResult) -> bool {
    let paced = result.plan.rate_bytes_per_s > 0.0 || result.plan.delay_ns > 0;
    let sent = result.udp.as_ref().is_some_and(|udp| udp.sent_bytes_per_s > 0.0);
    // Other tools have a rate unless told otherwise.
    result.mode == NetMode::Udp && !paced && sent && result.imported_from.is_empty()
}

/// The host that sends, where its facts are known.
pub(crate) fn sender<'a>(run: &'a Run, result: &NetResult) -> Option<&'a Host> {
    if result.reverse { run.peer(&result.target)?.host.as_ref() } else { Some(&run.host) }
}

/// The host that receives a stream, where it is known: this one, or the peer as it reported about itself.
pub(crate) fn receiver<'a>(run: &'a Run, result: &NetResult) -> Option<&'a Host> {
    if result.reverse { Some(&run.host) } else { run.peer(&result.target)?.host.as_ref() }
}

/// The peer that receives a stream; `None`: this host does.
pub(crate) fn receiving_peer<'a>(run: &Run, result: &'a NetResult) -> Option<&'a PathName> {
    (!result.reverse && !run.is_loopback(&result.target)).then_some(&result.target)
}

/// The peer that sends; `None`: this host does.
pub(crate) fn sending_peer<'a>(run: &Run, result: &'a NetResult) -> Option<&'a PathName> {
    (result.reverse && !run.is_loopback(&result.target)).then_some(&result.target)
}

/// What the receiver of a stream is called.
pub(crate) fn receiver_name(result: &NetResult) -> &str {
    if result.reverse { "this host" } else { result.target.as_str() }
}

/// The clamp of the window on the receiver's route back to the sender, bytes: it wins over every buffer.
pub(crate) fn window_clamp<'a>(run: &'a Run, result: &NetResult) -> Option<(u64, &'a Route)> {
    let sender = if result.reverse { route::remote(result) } else { &result.path.local };
    let route = route::route_to(receiver(run, result)?, sender)?;
    route.window_bytes.filter(|bytes| *bytes > 0).map(|bytes| (bytes, route))
}

/// The route by which the sender reaches the receiver.
pub(crate) fn sending_route<'a>(run: &'a Run, result: &NetResult) -> Option<&'a Route> {
    let far = if result.reverse { &result.path.local } else { route::remote(result) };
    route::route_to(sender(run, result)?, &route::ip(far)?.to_string())
}

/// The segments to which a route locks the congestion window. The kernel clamps a connection when it begins: one whose window has
/// grown far beyond is not held.
pub(crate) fn locked_segments(route: &Route, result: &NetResult) -> Option<u32> {
    let grown = |segments: u32| {
        let tcp = result.tcp.as_ref().filter(|tcp| tcp.mss_bytes > 0)?;
        Some(tcp.cwnd_bytes.each(result.streams).0 as f64 / (f64::from(segments) * tcp.mss_bytes as f64))
    };
    route.cwnd_locked.filter(|segments| grown(*segments).is_none_or(|times| times <= OUTGROWN))
}

/// What the user says that the path carries, bytes per second.
pub(crate) fn declared(run: &Run, target: &PathName) -> Option<f64> {
    run.peer(target).and_then(|peer| peer.expect_bytes_per_s).or(run.command.expect_bytes_per_s)
}

/// The receive window of all streams together: the largest that was seen, otherwise what the buffer as granted gives each.
pub(crate) fn receive_window_bytes(run: &Run, result: &NetResult) -> Option<AllStreams> {
    let seen = result.tcp.as_ref().and_then(|tcp| tcp.snd_wnd_bytes);
    let offered = result.peer_tcp.as_ref().and_then(|tcp| tcp.rcv_wnd_bytes);
    let of_buffer = || {
        let receiver = receiver(run, result)?;
        let largest = *receiver.sysctl_numbers("net.ipv4.tcp_rmem")?.get(2)?;
        Some(PerStream(super::offered_window(receiver, largest)).times(result.streams))
    };
    seen.or(offered).or_else(of_buffer).filter(|bytes| bytes.0 > 0)
}

/// Round trip without load, ns: the smallest that anything saw.
pub(crate) fn rtt_ns(run: &Run, result: &NetResult) -> Option<f64> {
    let of_tcp = result.tcp.as_ref().map(|tcp| tcp.rtt_min_ns);
    let of_peer = result.peer_tcp.as_ref().map(|tcp| tcp.rtt_min_ns);
    let idle = result.rtt_idle_ns.as_ref().map(|latency| latency.min);
    let probes = run.net.iter().filter(|other| other.target == result.target && other.mode == NetMode::Rtt);
    let of_probes = probes.filter_map(|other| other.latency_ns.as_ref().map(|latency| latency.min));
    of_probes.chain(of_tcp).chain(of_peer).chain(idle).filter(|ns| *ns > 0).min().map(|ns| ns as f64)
}

/// The round trip that a stream's window turned over in, ns: TCP's last one, and no longer than a whole congestion window at this
/// rate takes, for more is never in flight (RFC 5681, section 3.1).
pub(crate) fn rtt_of_window_ns(result: &NetResult, tcp: &TcpSummary) -> f64 {
    let most = tcp.cwnd_bytes.0 as f64 / result.throughput_bytes_per_s * 1e9;
    let last = tcp.rtt_ns.max(tcp.rtt_min_ns) as f64;
    if most > 0.0 { last.min(most).max(tcp.rtt_min_ns as f64) } else { last }
}

/// Round trip idle and under load, ns: of a separate connection where there was one, otherwise TCP's own. Under load the
/// 90th percentile: a probe that waits for each answer asks least often when the queue is longest, so its median
/// tells of the time before the queue was full.
pub(crate) fn round_trips(run: &Run, result: &NetResult) -> Option<(f64, f64)> {
    let idle = rtt_ns(run, result)?;
    let idle = result.rtt_idle_ns.as_ref().filter(|l| l.count > 0).map_or(idle, |latency| latency.p50 as f64);
    let loaded = result.rtt_loaded_ns.as_ref().filter(|l| l.count > 0).map(|latency| latency.p90 as f64);
    Some((idle, loaded.or_else(|| smoothed(result))?))
}

/// A round trip that grew from `idle` to `loaded`, ns, waits in a queue before the limit.
pub(crate) fn is_queued(idle: f64, loaded: f64) -> bool {
    loaded >= QUEUED * idle && loaded - idle >= QUEUED_NS
}

fn smoothed(result: &NetResult) -> Option<f64> {
    let mut seen: Vec<u64> = result.intervals.iter().filter_map(|slice| slice.rtt_ns).collect();
    seen.sort_unstable();
    seen.get(seen.len() / 2).copied().or_else(|| Some(result.tcp.as_ref()?.rtt_ns)).map(|ns| ns as f64)
}

/// Datagrams that were lost on the way: those that a full receive buffer dropped had arrived.
pub(crate) fn lost_datagrams(udp: &UdpSummary) -> u64 {
    udp.lost.saturating_sub(udp.receive_buffer_drops)
}

/// Share of the sent segments that were retransmitted.
pub(crate) fn resent_share(result: &NetResult) -> Option<f64> {
    let tcp = result.tcp.as_ref().filter(|tcp| tcp.segments_out > 0)?;
    Some(tcp.retransmits as f64 / tcp.segments_out as f64)
}

/// Share of the segments that arrived twice though they were sent once: what was sent again without need is no copy of the path's.
pub(crate) fn copied_share(tcp: &TcpSummary) -> f64 {
    tcp.dsack_dups.saturating_sub(tcp.retransmits) as f64 / tcp.segments_out.max(1) as f64
}

/// Share of the time with data to send in which the peer's window limited it.
pub(crate) fn receiver_limited(result: &NetResult) -> Option<f64> {
    let tcp = result.tcp.as_ref().filter(|tcp| tcp.busy_s > 0.0)?;
    Some(tcp.rwnd_limited_s / tcp.busy_s)
}

/// The same for the own send buffer.
pub(crate) fn buffer_limited(result: &NetResult) -> Option<f64> {
    let tcp = result.tcp.as_ref().filter(|tcp| tcp.busy_s > 0.0)?;
    Some(tcp.sndbuf_limited_s / tcp.busy_s)
}

/// Share of the time with data to send in which neither the peer's window nor the own buffer limited it: what is left is
/// the congestion window.
pub(crate) fn congestion_limited(result: &NetResult) -> Option<f64> {
    Some(1.0 - receiver_limited(result)? - buffer_limited(result)?)
}

/// The sender saw packets overtake one another: holes that closed by themselves. Segments sent again though the
/// first copy had arrived are a sign only next to them.
pub(crate) fn is_reordered(result: &NetResult) -> bool {
    let Some(tcp) = &result.tcp else { return false };
    let often = tcp.reorder_seen >= (tcp.segments_out / 500).max(20);
    let in_vain = tcp.reorder_seen >= 20 && tcp.dsack_dups >= tcp.segments_out / 100;
    often || in_vain
}

/// The rate still rises: the last interval carried a quarter more than the first.
pub(crate) fn is_growing(result: &NetResult) -> bool {
    grows(&rates(result))
}

fn grows(rates: &[f64]) -> bool {
    let mut rates = rates.iter().filter(|rate| **rate > 0.0);
    rates.next().is_some_and(|first| rates.next_back().is_some_and(|last| *last >= GROWS * first))
}

fn rates(result: &NetResult) -> Vec<f64> {
    slices(result).map(|(.., rate)| rate).collect()
}

/// When each slice began, s, how long it was, s, and its rate.
fn slices(result: &NetResult) -> impl Iterator<Item = (f64, f64, f64)> {
    let begins = std::iter::once(0.0).chain(result.intervals.iter().map(|slice| slice.t_s));
    begins
        .zip(&result.intervals)
        .map(|(begin_s, slice)| (begin_s, (slice.t_s - begin_s).max(0.0), slice.throughput_bytes_per_s))
}

/// The rate once slow start is over, bytes per second: a stream that doubles its window every round trip says
/// nothing of the wire before that, and one that losses slow down nothing of what it keeps. The whole run's rate where
/// intervals are missing or it was no stream.
pub(crate) fn steady_bytes_per_s(result: &NetResult) -> f64 {
    let Some(tcp) = result.tcp.as_ref().filter(|_| is_flat_out(result)) else {
        return result.throughput_bytes_per_s;
    };
    if let Some(held) = held_to_the_end(result).or_else(|| fallen_to(result)) {
        return held;
    }
    let product = window::bdp_bytes(result.throughput_bytes_per_s, tcp.rtt_min_ns as f64);
    let ramp_s = 2.0 * window::slow_start_ns(product, tcp.mss_bytes, tcp.rtt_min_ns as f64) / 1e9;
    let after = || slices(result).filter(|(begin_s, ..)| *begin_s >= ramp_s);
    let seconds: f64 = after().map(|(_, length_s, _)| length_s).sum();
    let bytes: f64 = after().map(|(_, length_s, rate)| length_s * rate).sum();
    let rates: Vec<f64> = after().map(|(.., rate)| rate).collect();
    // Less than half a run left after the ramp is no ground to judge on.
    if ramp_s > 0.0 && seconds >= 0.5 * result.duration_s && seconds > 0.0 {
        // What waited behind a segment lost in the ramp arrives all at once after it, faster than the wire: the median
        // does not count it twice.
        median(&rates).map_or(0.0, |median| median.min(bytes / seconds)).max(result.throughput_bytes_per_s)
    } else {
        result.throughput_bytes_per_s
    }
}

/// The rate of a stream that still had data to send long after the last of it arrived: what never arrives is no end.
fn held_to_the_end(result: &NetResult) -> Option<f64> {
    let all_s = result.intervals.last()?.t_s;
    let busy_s = result.tcp.as_ref()?.busy_s / f64::from(result.streams.max(1));
    let meant_s = busy_s.min(all_s);
    let bytes = || slices(result).map(|(_, length_s, rate)| length_s * rate).sum::<f64>();
    (meant_s - result.duration_s >= SILENT_S).then(|| bytes() / meant_s)
}

/// The rate that losses have brought a stream down to; `None`: they have not, it recovers, or it stood still.
pub(crate) fn fallen_to(result: &NetResult) -> Option<f64> {
    fallen(result)?.last().copied()
}

/// Losses bring it down further, step by step: what it comes to is not known yet. A policer holds a stream at its rate at once.
pub(crate) fn still_falls(result: &NetResult) -> bool {
    fallen(result).is_some_and(|low_ones| falls(&low_ones))
}

fn falls(rates: &[f64]) -> bool {
    rates.first().zip(rates.last()).is_some_and(|(first, last)| *first >= GROWS * last)
}

/// The slices at the end of a stream that losses have brought down: its second half, all of it below its first; or the part of it that
/// is, while it falls on.
fn fallen(result: &NetResult) -> Option<Vec<f64>> {
    let longest_s = slices(result).map(|(_, length_s, _)| length_s).fold(0.0, f64::max);
    let whole = slices(result).filter(|(_, length_s, _)| *length_s >= 0.5 * longest_s);
    let rates: Vec<f64> = whole.map(|(.., rate)| rate).collect();
    let (first, half) = rates.split_at_checked(rates.len() / 2).filter(|(_, half)| half.len() >= 3)?;
    let low = FALLEN * first.iter().sum::<f64>() / first.len() as f64;
    let low_ones: Vec<f64> = half.iter().copied().skip_while(|rate| *rate >= low).collect();
    let fell = low_ones.len() == half.len() || low_ones.len() >= 2 && falls(&low_ones);
    let stays = low_ones.iter().all(|rate| *rate > 0.0 && *rate < low) && !grows(&low_ones);
    let told = is_flat_out(result) && resent_share(result) >= Some(MUCH_LOST);
    Some(low_ones).filter(|_| fell && stays && told)
}

/// A stream that nothing paced, and that did not break.
pub(crate) fn is_flat_out(result: &NetResult) -> bool {
    let plan = &result.plan;
    let free = plan.rate_bytes_per_s == 0.0 && plan.delay_ns == 0;
    result.mode == NetMode::Async && free && result.broke_after_s.is_none()
}

/// How long nothing of a stream arrived that was to flow without a pause, s.
pub(crate) fn silent_s(result: &NetResult) -> f64 {
    let silent = slices(result).filter(|(.., rate)| *rate <= 0.0);
    if is_flat_out(result) { silent.map(|(_, length_s, _)| length_s).sum() } else { 0.0 }
}

/// The share of its time in which nothing of a stream arrived, where that is longer than a first resend waits.
pub(crate) fn silent_share(result: &NetResult) -> Option<f64> {
    let all_s = result.intervals.last()?.t_s;
    let silent_s = silent_s(result);
    (silent_s >= SILENT_S && all_s > 0.0).then(|| silent_s / all_s)
}

/// What a rate that contains silence says of it.
pub(crate) fn paused(result: &NetResult) -> String {
    let all_s = result.intervals.last().map_or(0.0, |last| last.t_s);
    match silent_s(result) {
        silent_s if silent_s >= SILENT_S => {
            format!("; nothing arrived in {silent_s:.0} of the {all_s:.0} s")
        }
        _ => String::new(),
    }
}

/// Standard deviation over mean of the rate in the intervals of the second half, of a run of few intervals in all but
/// the first; `None`: too few.
pub(crate) fn variation(result: &NetResult) -> Option<f64> {
    let half = second_half(result)?;
    let mean = half.iter().sum::<f64>() / half.len() as f64;
    let square = half.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / half.len() as f64;
    (mean > 0.0).then(|| square.sqrt() / mean)
}

/// The same of a rate over several intervals: what one of them lacks and the next has more came late, and is no scatter.
pub(crate) fn scatter(result: &NetResult) -> Option<f64> {
    let half = second_half(result)?;
    let mean = half.iter().sum::<f64>() / half.len() as f64;
    let off: Vec<f64> = half.iter().map(|rate| rate / mean - 1.0).collect();
    let square = off.iter().map(|off| off.powi(2)).sum::<f64>();
    let late = off.windows(2).map(|two| two[0] * two[1]).sum::<f64>().min(0.0);
    (mean > 0.0).then(|| ((square + 2.0 * late).max(0.0) / half.len() as f64).sqrt())
}

fn second_half(result: &NetResult) -> Option<Vec<f64>> {
    let rates = rates(result);
    // The last slice is often a short one, the first one is slow start.
    let start = (rates.len() / 2).min(rates.len().saturating_sub(4)).max(1);
    rates.get(start..rates.len().saturating_sub(1)).filter(|half| half.len() >= 3).map(<[f64]>::to_vec)
}

/// Windows of this host around the probe that made a result.
pub(crate) fn windows_around<'a>(run: &'a Run, result: &NetResult) -> Vec<&'a Window> {
    run.windows_of_probe(result.probe).collect()
}

/// Windows of the peer around the same.
pub(crate) fn peer_windows_around<'a>(run: &'a Run, result: &NetResult) -> Vec<&'a Window> {
    let told = run.peer(&result.target).into_iter().flat_map(|peer| &peer.windows);
    told.filter(|window| !result.probe.is_none() && window.probe == result.probe).collect()
}

/// Segments of a stream that were lost on the way: sent again, less those whose first copy had arrived and those that
/// a queue of this host dropped itself.
pub(crate) fn lost_segments(run: &Run, result: &NetResult) -> u64 {
    let Some(tcp) = &result.tcp else { return 0 };
    tcp.retransmits.saturating_sub(tcp.dsack_dups).saturating_sub(own_drops(run, result))
}

/// [`lost_segments`] as a share of all that were sent; `None`: how many were sent is not known.
pub(crate) fn lost_share(run: &Run, result: &NetResult) -> Option<f64> {
    let sent = result.tcp.as_ref()?.segments_out;
    (sent > 0).then(|| lost_segments(run, result) as f64 / sent as f64)
}

/// Share of the segments at which the window was cut: times that TCP began to recover, of what the sender's host sent while
/// the probe ran. Segments lost together cut it once. `None`: not counted.
pub(crate) fn loss_events(run: &Run, result: &NetResult) -> Option<f64> {
    const BEGUN: [&str; 4] =
        ["TcpExtTCPSackRecovery", "TcpExtTCPRenoRecovery", "TcpExtTCPTimeouts", "TcpExtTCPLossProbeRecovery"];
    let windows = if result.reverse { peer_windows_around(run, result) } else { windows_around(run, result) };
    let grown = |name: &str| -> Option<u64> {
        let of_window = |window: &&Window| {
            let of = |counters: &Counters| counters.snmp.get(name).copied();
            Some(of(&window.to)?.saturating_sub(of(&window.from)?))
        };
        windows.iter().map(of_window).sum()
    };
    let events: u64 = BEGUN.iter().filter_map(|name| grown(name)).sum();
    let sent = grown("TcpOutSegs").filter(|sent| *sent > 0 && !windows.is_empty())?;
    // A host without these counters has not counted nothing.
    grown(BEGUN[0]).map(|_| events as f64 / sent as f64)
}

/// Share of the segments that the receiver reported as marked by ECN; `None`: ECN was not in use.
pub(crate) fn marked_share(result: &NetResult) -> Option<f64> {
    let tcp = result.tcp.as_ref().filter(|tcp| tcp.ecn && tcp.segments_out > 0)?;
    Some(tcp.ecn_marked as f64 / tcp.segments_out as f64)
}

/// Packets with an ECN mark that the receiver's host counted while the probe ran; `None`: not counted.
pub(crate) fn marks_received(run: &Run, result: &NetResult) -> Option<u64> {
    let windows = if result.reverse { windows_around(run, result) } else { peer_windows_around(run, result) };
    let of = |counters: &Counters| counters.snmp.get("IpExtInCEPkts").copied();
    let grown = |window: &Window| Some(of(&window.to)?.saturating_sub(of(&window.from)?));
    if windows.is_empty() { None } else { windows.into_iter().map(grown).sum() }
}

/// The congestion control halves its window where it meets a loss: Reno and CUBIC do, BBR does not.
pub(crate) fn slows_at_loss(result: &NetResult) -> bool {
    let control = result.tcp.as_ref().map_or("", |tcp| tcp.congestion.as_str());
    ["", "cubic", "reno"].contains(&control)
}

/// TCP's own round trip stays far above the shortest one: the stream keeps a queue filled, so its window is larger than what
/// the path takes. Where segments overtake one another there are short and long ways: those are as far apart as the segments
/// that are overtaken last (RFC 4737, 4.2.2; `tcpi_reordering`), and no queue. None is filled while nothing arrives: TCP's round
/// trip is then the last one before.
pub(crate) fn stands_in_queue(result: &NetResult) -> bool {
    let Some(tcp) = &result.tcp else { return false };
    let middle = smoothed(result).unwrap_or(0.0);
    let overtaken = tcp.reordering_packets as f64 * tcp.mss_bytes as f64 / result.throughput_bytes_per_s;
    let apart_ns = match tcp.reordering_packets {
        _ if !is_reordered(result) => 0.0,
        0 => f64::INFINITY,
        _ => overtaken * 1e9,
    };
    tcp.rtt_min_ns > 0 && is_queued(tcp.rtt_min_ns as f64 + apart_ns, middle) && !stood_still(result)
}

/// Nothing arrived in half of the slices.
fn stood_still(result: &NetResult) -> bool {
    let empty = result.intervals.iter().filter(|slice| slice.throughput_bytes_per_s <= 0.0).count();
    empty > 0 && 2 * empty >= result.intervals.len()
}

/// It was too short to show the path: its rate still rose when it ended, or the window that it waited for. Where it was made
/// again for longer, that run tells: a window that has not grown by then does not grow.
pub(crate) fn still_grows(run: &Run, id: &MeasurementId, result: &NetResult) -> bool {
    match longer(run, id, result) {
        Some(longer) => is_growing(longer),
        None => is_growing(result) || window_still_grows(run, result),
    }
}

/// The same stream for longer, which was made because the first still grew when it ended: it shows the path.
pub(crate) fn longer<'a>(run: &'a Run, id: &MeasurementId, result: &NetResult) -> Option<&'a NetResult> {
    let of = |tried: &&Tried| {
        tried.experiment == Experiment::Longer && tried.path == result.target && tried.about == *id
    };
    run.tried.iter().find(of)?.net.as_ref().filter(|longer| longer.throughput_bytes_per_s > 0.0)
}

/// The streams of experiments, as the characteristic calls them.
pub(crate) fn tried(run: &Run) -> impl Iterator<Item = (MeasurementId, &NetResult)> {
    run.tried.iter().filter_map(|tried| {
        let result = tried.net.as_ref()?;
        Some((MeasurementId::of_experiment(&result.question(), tried.experiment.says()), result))
    })
}

/// What the receiver offered and what of it the sender saw, where that is far less: something on the way rewrites the window.
pub(crate) fn cut_window(run: &Run, result: &NetResult) -> Option<(AllStreams, AllStreams)> {
    let seen = result.tcp.as_ref()?.snd_wnd_bytes?;
    let offered = result.peer_tcp.as_ref()?.rcv_wnd_bytes?;
    let cut = (seen.0 as f64) < CUT * offered.0 as f64 && !super::is_unscaled(run, result);
    cut.then_some((offered, seen))
}

/// The stream waited for a receive window that the receiver's settings would let grow.
fn window_still_grows(run: &Run, result: &NetResult) -> bool {
    let waits = receiver_limited(result).is_some_and(|held| held >= HELD);
    let offered = result.tcp.as_ref().and_then(|tcp| tcp.snd_wnd_bytes);
    waits && offered.zip(window_by_setting(run, result)).is_some_and(|(now, most)| may_grow(now, most))
}

/// A window this far below what the settings allow is not held by them.
pub(crate) fn may_grow(window: AllStreams, most: AllStreams) -> bool {
    (window.0 as f64) < SET * most.0 as f64
}

/// The window of all streams together that the receiver's buffer settings allow; `None`: not known, or the test set
/// its buffers itself.
pub(crate) fn window_by_setting(run: &Run, result: &NetResult) -> Option<AllStreams> {
    let receiver = receiver(run, result).filter(|_| result.plan.sockbuf_bytes == 0)?;
    if window_clamp(run, result).is_some() {
        return None;
    }
    let window = super::offered_window(receiver, super::largest_receive_buffer(receiver)?);
    let most = if super::is_unscaled(run, result) { window::UNSCALED_WINDOW_BYTES } else { u64::MAX };
    Some(PerStream(window.min(most)).times(result.streams))
}

/// How far the middle of the slices lie from the median, as a share of it, on the scale of a standard deviation: a moment of
/// recovery does not make a flat rate uneven. `None`: too few.
pub(crate) fn unevenness(result: &NetResult) -> Option<f64> {
    let rates = rates(result);
    // Nothing arrives at first where a slow link still carries what it was sent before; the slice after may be slow start, and
    // the last one is often a short one.
    let begun = rates.iter().position(|rate| *rate > 0.0)?;
    let inner = rates.get(begun + 1..rates.len().saturating_sub(1)).filter(|inner| inner.len() >= 3)?;
    let middle = median(inner)?;
    let apart: Vec<f64> = inner.iter().map(|rate| (rate - middle).abs()).collect();
    (middle > 0.0).then(|| SIGMA_OF_MEDIAN * median(&apart).unwrap_or(0.0) / middle)
}

/// Where filters of what an interface receives hang (tc(8)): no queue, and nothing that is sent.
pub(crate) const INGRESS: &str = "ingress";

/// A filter of either end that a result goes through has dropped as many packets before as would hold a stream: what its
/// policers let through is not read. What a network of containers drops at random is far less.
pub(crate) fn is_filtered(run: &Run, result: &NetResult) -> bool {
    const FEW: u64 = 10;
    let own = interface::nic_toward(run, result).map(|nic| (&run.host, &run.windows, nic));
    let peer = run
        .peer(&result.target)
        .and_then(|peer| Some((peer.host.as_ref()?, &peer.windows, interface::peer_nic(run, result)?)));
    [own, peer].into_iter().flatten().any(|(host, windows, nic)| {
        let on_the_way = interface::stack(host, &nic.name);
        let drops = |counters: &Counters| {
            let qdiscs = on_the_way.iter().filter_map(|device| counters.qdiscs.get(*device)).flatten();
            let much = |qdisc: &&QdiscCounters| qdisc.drops as f64 >= MUCH_LOST * qdisc.packets as f64;
            let filters = qdiscs.filter(|qdisc| qdisc.parent == INGRESS).filter(much);
            filters.map(|qdisc| qdisc.drops).max()
        };
        windows.iter().filter_map(|window| drops(&window.to)).max() >= Some(FEW)
    })
}

/// Drops of this host's own queues while the probe ran.
pub(crate) fn own_drops(run: &Run, result: &NetResult) -> u64 {
    let Some(nic) = interface::nic_toward(run, result) else { return 0 };
    let devices = interface::stack(&run.host, &nic.name);
    let grown = |window: &Window| {
        let drops = |counters: &Counters| {
            let on = devices.iter().filter_map(|device| counters.qdiscs.get(*device)).flatten();
            let drops = on.filter(|qdisc| qdisc.parent != INGRESS).map(|qdisc| qdisc.drops);
            drops.fold(0, u64::saturating_add)
        };
        drops(&window.to).saturating_sub(drops(&window.from))
    };
    windows_around(run, result).into_iter().map(grown).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::net::NetInterval;

    /// 350,000 bytes in the first half second, and for four seconds more nothing of what the sender still had to send.
    #[test]
    fn what_is_still_to_be_sent_makes_a_stream_no_faster() {
        let slice =
            |t_s: f64, rate: f64| NetInterval { t_s, throughput_bytes_per_s: rate, ..NetInterval::default() };
        let of = |busy_s: f64| NetResult {
            duration_s: 0.5,
            throughput_bytes_per_s: 700e3,
            streams: 1,
            tcp: Some(TcpSummary {
                busy_s,
                rtt_min_ns: 10_000_000,
                mss_bytes: 1448,
                ..TcpSummary::default()
            }),
            intervals: vec![slice(0.5, 700e3), slice(1.5, 0.0), slice(4.5, 0.0)],
            ..NetResult::default()
        };
        let held = steady_bytes_per_s(&of(4.5));
        assert!((held - 350e3 / 4.5).abs() < 1.0, "{held}");
        assert!((steady_bytes_per_s(&of(0.5)) - 700e3).abs() < 1.0, "all of it had arrived");
        let share = silent_share(&of(4.5)).expect("a pause");
        assert!((share - 4.0 / 4.5).abs() < 1e-9, "{share}");
    }

    /// Half a million bytes and then none: the round trip of 45 ms is that of the last ACK, and no queue.
    #[test]
    fn a_stream_that_stands_still_fills_no_queue() {
        let of = |rates: &[f64]| {
            let slice = |rate: &f64| NetInterval {
                throughput_bytes_per_s: *rate,
                rtt_ns: Some(45_000_000),
                ..NetInterval::default()
            };
            let tcp = TcpSummary { rtt_min_ns: 10_000_000, ..TcpSummary::default() };
            let intervals = rates.iter().map(slice).collect();
            NetResult { tcp: Some(tcp), intervals, ..NetResult::default() }
        };
        assert!(stands_in_queue(&of(&[1e6, 1e6, 1e6, 0.0])), "a last slice may be empty");
        assert!(!stands_in_queue(&of(&[1e6, 0.0, 0.0, 3e5, 0.0, 0.0])));
    }
}
