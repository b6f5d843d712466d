//! One end's account of a test. The responder sends it, the client makes its own in the same form.

use super::account::{DatagramCount, Sample};
use super::drive::{Peak, Tally};
use super::lane::LaneResult;
use super::plan::Role;
use super::socket::tcp_info::TcpInfo;
use fullwire_model::latency::{Latency, LatencyRecorder};
use fullwire_model::net::{Parts, TcpSummary};
use fullwire_model::{AllStreams, Gap, GapReason, PerStream, Window};
use rustix::fd::AsFd;
use rustix::net::sockopt;
use serde::{Deserialize, Serialize};
use std::net::TcpStream;

/// One end's account.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndReport {
    /// Stream bytes received after the warm-up.
    pub in_bytes: u64,
    /// From the first of them to the last, s.
    pub in_s: f64,
    /// Message bytes sent and acknowledged after the warm-up.
    pub asked_bytes: u64,
    /// From the first message to the last acknowledgement, s.
    pub asked_s: f64,
    /// Messages acknowledged, or whole messages sent, in the whole test.
    pub messages: u64,
    /// In slices.
    pub samples: Vec<Sample>,
    /// Of the connections on which this end sends.
    pub sending: Option<TcpSummary>,
    /// Of the connections on which this end receives.
    pub receiving: Option<TcpSummary>,
    /// Of messages that this end sent.
    pub latency_ns: Option<Latency>,
    /// What that latency is made of.
    pub parts_ns: Option<Parts>,
    /// Round trip before the load.
    pub rtt_idle_ns: Option<Latency>,
    /// Round trip during the load.
    pub rtt_loaded_ns: Option<Latency>,
    /// Open loop: messages that began late.
    pub late_messages: u64,
    /// Zero copy: sends finished without a copy, and those copied after all.
    pub zerocopy: Option<[u64; 2]>,
    /// The writes bypassed the page cache.
    pub write_direct: Option<bool>,
    /// CPU of the test's threads, s.
    pub cpu_s: f64,
    /// Largest share of a CPU of one thread.
    pub thread_peak: f64,
    /// Largest share of its time for which one thread was ready and had no CPU.
    pub thread_wait: Option<f64>,
    /// Datagrams as this end counted them.
    pub datagrams: Option<DatagramCount>,
    /// This host's counters around the test.
    pub window: Option<Window>,
    /// Why this end ended the test before its time.
    pub incomplete: Option<String>,
    /// What broke a lane, which the other end may have caused.
    pub failure: Option<String>,
    /// What could not be measured.
    pub gaps: Vec<Gap>,
    /// Stream bytes that this end sent and the other end's kernel acknowledged, after the warm-up: they count where the
    /// other end's own account does not come.
    #[serde(skip)]
    pub acked_bytes: u64,
    /// Stream bytes that this end's kernel took in the whole test: more cannot have come to the other end.
    #[serde(skip)]
    pub sent_bytes: u64,
    /// Messages that this end answered in the whole test: the other end has no more answers.
    #[serde(skip)]
    pub answered: u64,
    /// From the end of the warm-up to the end of the test, s.
    #[serde(skip)]
    pub test_s: f64,
    /// From the same to the moment at which anything last moved, s.
    #[serde(skip)]
    pub moved_s: f64,
    /// From the request to the other end's account, s.
    #[serde(skip)]
    pub whole_s: f64,
    /// This account did not come: nothing here was counted.
    #[serde(skip)]
    pub missing: bool,
}

/// So many slices may come after this end's last: what drains.
const LATE_SLICES: usize = 16;
/// By so much the other end's clock may run faster.
const CLOCKS: f64 = 1.01;
/// So many characters of its words are kept, and so many of what it could not measure.
const WORDS: usize = 1000;
const GAPS: usize = 64;

/// Nothing in a test of this end takes longer, ns.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive float saturates")]
pub(crate) fn longest_ns(own: &EndReport) -> u64 {
    (own.whole_s * CLOCKS * 1e9) as u64
}

impl EndReport {
    /// The other end's account, in the bounds of this end's: as many slices of the same test, as much CPU as so many threads have,
    /// no wait longer than it all, and no more words than a person reads.
    pub(crate) fn within(mut self, own: &Self, threads: usize) -> Self {
        self.samples.truncate(2 * own.samples.len() + LATE_SLICES);
        let longest_ns = longest_ns(own);
        for sample in &mut self.samples {
            sample.mean_ns = sample.mean_ns.filter(|mean| (0.0..=longest_ns as f64).contains(mean));
            for wait in [&mut sample.p50_ns, &mut sample.p99_ns] {
                *wait = wait.filter(|wait| *wait <= longest_ns);
            }
        }
        self.cpu_s = self.cpu_s.clamp(0.0, threads as f64 * longest_ns as f64 / 1e9);
        self.thread_peak = self.thread_peak.clamp(0.0, 1.0);
        self.thread_wait = self.thread_wait.map(|share| share.clamp(0.0, 1.0));
        self.gaps.truncate(GAPS);
        let gaps = self.gaps.iter_mut().flat_map(|gap| [&mut gap.subject, &mut gap.detail]);
        for words in self.incomplete.iter_mut().chain(&mut self.failure).chain(gaps) {
            if let Some((end, _)) = words.char_indices().nth(WORDS) {
                words.replace_range(end.., "…");
            }
        }
        self
    }

    /// From what the driver saw; `driver_cpu_ns` is the driving thread's own CPU time.
    pub(crate) fn of(tally: &Tally, driver_cpu_ns: u64) -> Self {
        let mut report = Self {
            messages: sum(tally, |index, role| {
                if matches!(role, Role::Asker | Role::Source) { tally.results[index].messages } else { 0 }
            }),
            samples: tally.samples.clone(),
            sending: summary(tally, &[Role::Source, Role::Asker], 0),
            receiving: summary(tally, &[Role::Sink, Role::Answerer], 1),
            late_messages: tally.results.iter().map(|result| result.late).sum(),
            incomplete: tally.cut.clone(),
            failure: failure(tally),
            ..Self::default()
        };
        if let Some(drain) = tally.left_over {
            let detail = format!("did not arrive within {:.0} s and is not counted", drain.as_secs_f64());
            report.gaps.push(Gap::new("data in flight at the end of the test", GapReason::Timeout, detail));
        }
        report.count_bytes(tally);
        report.count_acknowledged(tally);
        report.latencies(tally);
        report.zerocopy = tally
            .results
            .iter()
            .filter_map(|result| result.zerocopy)
            .reduce(|a, b| [a[0] + b[0], a[1] + b[1]]);
        report.datagrams = tally
            .results
            .iter()
            .filter_map(|result| result.datagrams.as_ref())
            .fold(None, |sum: Option<DatagramCount>, one| Some(sum.unwrap_or_default().joined(one)));
        let cpu_ns = driver_cpu_ns + tally.results.iter().map(|result| result.cpu_ns).sum::<u64>();
        report.cpu_s = cpu_ns as f64 / 1e9;
        let ran = || tally.results.iter().filter(|result| result.wall_ns > 0);
        let share = |ns: u64, result: &LaneResult| ns as f64 / result.wall_ns as f64;
        report.thread_peak = ran().map(|result| share(result.cpu_ns, result)).fold(0.0, f64::max);
        report.thread_wait =
            ran().filter_map(|result| Some(share(result.waited_ns?, result))).reduce(f64::max);
        report
    }

    fn count_bytes(&mut self, tally: &Tally) {
        let after_warmup = |index: usize| tally.results[index].bytes.saturating_sub(tally.bytes_base[index]);
        let of = |wanted: Role| {
            let lanes = main_lanes(tally, wanted);
            let bytes = lanes.iter().map(|index| after_warmup(*index)).sum::<u64>();
            let results = lanes.iter().map(|index| &tally.results[*index]);
            let first = results.clone().filter_map(|result| result.first).min();
            let last = results.filter_map(|result| result.last).max();
            let from = first.map(|first| first.max(tally.measured_from));
            let span =
                from.zip(last).map_or(0.0, |(from, last)| last.saturating_duration_since(from).as_secs_f64());
            (bytes, span)
        };
        (self.in_bytes, self.in_s) = of(Role::Sink);
        (self.asked_bytes, self.asked_s) = of(Role::Asker);
        let sources = main_lanes(tally, Role::Source);
        self.answered = sum(tally, |index, role| match role {
            Role::Answerer => tally.results[index].messages,
            _ => 0,
        });
        self.sent_bytes = sources.iter().map(|index| tally.members[*index].gauge.bytes()).sum();
    }

    fn count_acknowledged(&mut self, tally: &Tally) {
        let since_warmup = |index: &usize| {
            let acked = |info: &TcpInfo| info.bytes_acked;
            let base = tally.tcp_base[*index].as_ref().and_then(acked).unwrap_or(0);
            // A connection that was broken off has forgotten: what was read before counts.
            let now = TcpInfo::of(&tally.members[*index].socket).ok().as_ref().and_then(acked);
            let last = tally.tcp_last[*index].as_ref().and_then(acked);
            now.max(last).unwrap_or(0).saturating_sub(base)
        };
        self.moved_s = tally.moved_until.saturating_duration_since(tally.measured_from).as_secs_f64();
        self.test_s = tally.ended.saturating_duration_since(tally.measured_from).as_secs_f64();
        if self.test_s > 0.0 {
            self.acked_bytes = main_lanes(tally, Role::Source).iter().map(since_warmup).sum();
        }
    }

    fn latencies(&mut self, tally: &Tally) {
        self.latency_ns = distribution(&tally.latency);
        let network = union(tally, |result| result.network.as_ref());
        let write = union(tally, |result| result.remote_write.as_ref());
        self.parts_ns = network
            .as_ref()
            .and_then(distribution)
            .map(|network| Parts { network, remote_write: write.as_ref().and_then(distribution) });
        self.rtt_idle_ns = union(tally, |result| result.idle.as_ref()).as_ref().and_then(distribution);
        self.rtt_loaded_ns = union(tally, |result| result.loaded.as_ref()).as_ref().and_then(distribution);
    }
}

/// `None` when there are no samples.
fn distribution(recorder: &LatencyRecorder) -> Option<Latency> {
    (recorder.count() > 0).then(|| recorder.finish())
}

fn union<'a>(
    tally: &'a Tally,
    of: impl Fn(&'a LaneResult) -> Option<&'a LatencyRecorder>,
) -> Option<LatencyRecorder> {
    let mut recorders = tally.results.iter().filter_map(of);
    let mut union = recorders.next()?.clone();
    recorders.for_each(|recorder| union.merge(recorder));
    Some(union)
}

fn main_lanes(tally: &Tally, role: Role) -> Vec<usize> {
    tally
        .members
        .iter()
        .enumerate()
        .filter(|(_, m)| m.main && m.role == role)
        .map(|(index, _)| index)
        .collect()
}

fn sum(tally: &Tally, of: impl Fn(usize, Role) -> u64) -> u64 {
    tally.members.iter().enumerate().filter(|(_, m)| m.main).map(|(index, m)| of(index, m.role)).sum()
}

/// The first failure of what was requested.
fn failure(tally: &Tally) -> Option<String> {
    tally
        .members
        .iter()
        .zip(&tally.results)
        .find_map(|(member, result)| result.failure.clone().filter(|_| member.main))
}

/// The connections of one direction as one.
fn summary(tally: &Tally, roles: &[Role], peak: usize) -> Option<TcpSummary> {
    let lanes: Vec<usize> = roles.iter().flat_map(|role| main_lanes(tally, *role)).collect();
    let mut summary: Option<TcpSummary> = None;
    for index in lanes {
        let Some(last) = &tally.tcp_last[index] else { continue };
        let base = tally.tcp_base[index].clone().unwrap_or_default();
        let one = of_connection(&base, last);
        summary = Some(match summary {
            Some(sum) => join(sum, &one),
            None => describe(one, &tally.members[index].socket),
        });
    }
    summary.map(|summary| with_peaks(summary, tally.peaks[peak]))
}

/// The account of connections that were read once, at their end.
pub(crate) fn of_sockets<'a>(sockets: impl Iterator<Item = &'a TcpStream>) -> Option<TcpSummary> {
    let one = |socket: &TcpStream| {
        let last = TcpInfo::of(socket).ok()?;
        Some(describe(of_connection(&TcpInfo::default(), &last), socket))
    };
    sockets.filter_map(one).reduce(|sum, one| join(sum, &one))
}

/// What holds for one connection between two readings.
fn of_connection(base: &TcpInfo, last: &TcpInfo) -> TcpSummary {
    let since = |from: Option<u64>, to: Option<u64>| to.unwrap_or(0).saturating_sub(from.unwrap_or(0));
    let since32 = |from: Option<u32>, to: Option<u32>| since(from.map(u64::from), to.map(u64::from));
    let seconds = |from: Option<u64>, to: Option<u64>| since(from, to) as f64 / 1e6;
    TcpSummary {
        mss_bytes: last.snd_mss_bytes.into(),
        retransmits: u64::from(last.total_retrans.saturating_sub(base.total_retrans)),
        warmup_retransmits: base.total_retrans.into(),
        segments_out: since32(base.segs_out, last.segs_out),
        bytes_retransmitted: since(base.bytes_retrans, last.bytes_retrans),
        rtt_min_ns: last.min_rtt_us.filter(|us| *us != u32::MAX).map_or(0, |us| u64::from(us) * 1000),
        rtt_ns: u64::from(last.rtt_us) * 1000,
        rttvar_ns: u64::from(last.rttvar_us) * 1000,
        cwnd_bytes: AllStreams(last.cwnd_bytes()),
        ssthresh_bytes: (last.snd_ssthresh_packets < 0x7fff_ffff)
            .then(|| AllStreams(u64::from(last.snd_ssthresh_packets) * u64::from(last.snd_mss_bytes))),
        snd_wnd_bytes: last.snd_wnd_bytes.map(|bytes| AllStreams(bytes.into())),
        rcv_wnd_bytes: last.rcv_wnd_bytes.map(|bytes| AllStreams(bytes.into())),
        busy_s: seconds(base.busy_us, last.busy_us),
        rwnd_limited_s: seconds(base.rwnd_limited_us, last.rwnd_limited_us),
        sndbuf_limited_s: seconds(base.sndbuf_limited_us, last.sndbuf_limited_us),
        delivery_rate_bytes_per_s: last.delivery_rate_bytes_per_s.unwrap_or(0) as f64,
        app_limited: last.delivery_rate_app_limited,
        reordering_packets: last.reordering_packets.into(),
        reorder_seen: since32(base.reord_seen, last.reord_seen),
        out_of_order_packets: since32(base.rcv_ooopack, last.rcv_ooopack),
        dsack_dups: since32(base.dsack_dups, last.dsack_dups),
        pmtu_bytes: last.pmtu_bytes.into(),
        timestamps: last.options & 1 != 0,
        sack: last.options & 2 != 0,
        window_scale: (last.options & 4 != 0).then_some(last.window_scale),
        ecn: last.options & 8 != 0,
        ecn_marked: since32(base.delivered_ce, last.delivered_ce),
        ..TcpSummary::default()
    }
}

/// Counts, times and windows are summed; of the smoothed round trips the longest is kept, of the smallest the smallest.
fn join(mut sum: TcpSummary, one: &TcpSummary) -> TcpSummary {
    sum.mss_bytes = sum.mss_bytes.min(one.mss_bytes);
    sum.retransmits += one.retransmits;
    sum.warmup_retransmits += one.warmup_retransmits;
    sum.segments_out += one.segments_out;
    sum.bytes_retransmitted += one.bytes_retransmitted;
    sum.rtt_min_ns = match (sum.rtt_min_ns, one.rtt_min_ns) {
        (0, known) | (known, 0) => known,
        (a, b) => a.min(b),
    };
    sum.rtt_ns = sum.rtt_ns.max(one.rtt_ns);
    sum.rttvar_ns = sum.rttvar_ns.max(one.rttvar_ns);
    sum.cwnd_bytes += one.cwnd_bytes;
    let both = |sum: Option<AllStreams>, one: Option<AllStreams>| sum.zip(one).map(|(sum, one)| sum + one);
    sum.ssthresh_bytes = both(sum.ssthresh_bytes, one.ssthresh_bytes);
    sum.snd_wnd_bytes = both(sum.snd_wnd_bytes, one.snd_wnd_bytes);
    sum.rcv_wnd_bytes = both(sum.rcv_wnd_bytes, one.rcv_wnd_bytes);
    sum.busy_s += one.busy_s;
    sum.rwnd_limited_s += one.rwnd_limited_s;
    sum.sndbuf_limited_s += one.sndbuf_limited_s;
    sum.delivery_rate_bytes_per_s += one.delivery_rate_bytes_per_s;
    sum.app_limited &= one.app_limited;
    sum.reordering_packets = sum.reordering_packets.max(one.reordering_packets);
    sum.reorder_seen += one.reorder_seen;
    sum.out_of_order_packets += one.out_of_order_packets;
    sum.dsack_dups += one.dsack_dups;
    sum.pmtu_bytes = sum.pmtu_bytes.min(one.pmtu_bytes);
    sum.ecn_marked += one.ecn_marked;
    sum
}

/// What is the same for all connections of a test.
fn describe(mut summary: TcpSummary, socket: impl AsFd) -> TcpSummary {
    let socket = socket.as_fd();
    let bytes =
        |size: Result<usize, rustix::io::Errno>| size.map_or(PerStream(0), |size| PerStream(size as u64));
    summary.sndbuf_bytes = bytes(sockopt::socket_send_buffer_size(socket));
    summary.rcvbuf_bytes = bytes(sockopt::socket_recv_buffer_size(socket));
    summary.congestion = sockopt::tcp_congestion(socket).unwrap_or_default();
    summary
}

fn with_peaks(mut summary: TcpSummary, peak: Peak) -> TcpSummary {
    summary.cwnd_bytes = summary.cwnd_bytes.max(AllStreams(peak.cwnd_bytes));
    let larger = |known: Option<AllStreams>, peak: u64| known.map(|known| known.max(AllStreams(peak)));
    summary.snd_wnd_bytes = larger(summary.snd_wnd_bytes, peak.snd_wnd_bytes);
    summary.rcv_wnd_bytes = larger(summary.rcv_wnd_bytes, peak.rcv_wnd_bytes);
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_judged_between_two_readings() {
        let base = TcpInfo { total_retrans: 10, busy_us: Some(1_000_000), ..TcpInfo::default() };
        let last = TcpInfo {
            total_retrans: 12,
            busy_us: Some(3_000_000),
            snd_mss_bytes: 1448,
            snd_cwnd_packets: 10,
            snd_ssthresh_packets: 0x7fff_ffff,
            min_rtt_us: Some(u32::MAX),
            ..TcpInfo::default()
        };
        let summary = of_connection(&base, &last);
        assert_eq!((summary.retransmits, summary.warmup_retransmits, summary.cwnd_bytes.0), (2, 10, 14_480));
        assert_eq!((summary.ssthresh_bytes, summary.rtt_min_ns), (None, 0));
        assert!((summary.busy_s - 2.0).abs() < 1e-9);
    }

    #[test]
    fn several_connections_sum_their_counts_and_keep_the_smallest_round_trip() {
        let one = |rtt_min_ns, retransmits| TcpSummary {
            rtt_min_ns,
            retransmits,
            cwnd_bytes: AllStreams(14_480),
            snd_wnd_bytes: Some(AllStreams(65_535)),
            ..TcpSummary::default()
        };
        let joined = join(join(one(500, 1), &one(0, 2)), &one(300, 3));
        assert_eq!((joined.rtt_min_ns, joined.retransmits), (300, 6));
        assert_eq!(
            (joined.cwnd_bytes, joined.snd_wnd_bytes),
            (AllStreams(43_440), Some(AllStreams(196_605)))
        );
    }
}
