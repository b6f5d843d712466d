//! The three measures of RFC 6349, "Framework for TCP Throughput Testing", section 4.

use crate::MeasurementId;
use crate::assessment::Ceiling;
use crate::net::{NetInterval, NetMode, NetResult};
use crate::quantity::Unit;
use fullwire_record::record;

/// Of one bulk transfer. A measure whose inputs are not known is `None`.
#[record]
pub struct Rfc6349 {
    /// Actual over ideal transfer time: 1 is perfect. `None` where no ceiling is known.
    pub transfer_time_ratio: Option<f64>,
    /// Share of the bytes sent that were not sent again, percent.
    pub tcp_efficiency_percent: Option<f64>,
    /// Growth of the mean round trip during the transfer over the one before it, percent.
    pub buffer_delay_percent: Option<f64>,
}

impl Rfc6349 {
    /// Of a result and the ceilings of its path; `None` for anything but a bulk transfer that moved bytes.
    pub fn of<'a>(result: &NetResult, ceilings: impl IntoIterator<Item = &'a Ceiling>) -> Option<Self> {
        if result.mode != NetMode::Async || result.bytes == 0 {
            return None;
        }
        let round_trips = round_trips_ns(result);
        Some(Self {
            transfer_time_ratio: ideal_bytes_per_s(result, ceilings)
                .filter(|_| result.throughput_bytes_per_s > 0.0)
                .map(|ideal| transfer_time_ratio(result.throughput_bytes_per_s, ideal)),
            tcp_efficiency_percent: result.tcp.as_ref().and_then(|tcp| {
                let sent_again = tcp.bytes_retransmitted.max(tcp.retransmits.saturating_mul(tcp.mss_bytes));
                // A receiver's file counts neither what was sent nor what was sent again: that is not 100 %.
                let counted = tcp.segments_out > 0 || sent_again > 0;
                counted.then(|| tcp_efficiency_percent(result.bytes.saturating_add(sent_again), sent_again))
            }),
            buffer_delay_percent: round_trips
                .and_then(|[idle, loaded]| shown_buffer_delay_percent(loaded, idle)),
        })
    }
}

/// The lowest ceiling of this measurement that neither guesses nor can be removed by a setting.
fn ideal_bytes_per_s<'a>(result: &NetResult, ceilings: impl IntoIterator<Item = &'a Ceiling>) -> Option<f64> {
    let first = MeasurementId::numbered(&result.question(), 0);
    let hard = |ceiling: &&Ceiling| {
        let of_it = ceiling.measurement.is_none() || ceiling.measurement == first;
        of_it
            && ceiling.path == result.target
            && !ceiling.soft
            && !ceiling.removable
            && ceiling.unit == Unit::BytesPerS
    };
    ceilings.into_iter().filter(hard).map(|ceiling| ceiling.value).min_by(f64::total_cmp)
}

/// Baseline and mean during the transfer: of the connection next to it, else of the stream's own account.
fn round_trips_ns(result: &NetResult) -> Option<[f64; 2]> {
    if let (Some(idle), Some(loaded)) = (&result.rtt_idle_ns, &result.rtt_loaded_ns) {
        return Some([idle.p50 as f64, loaded.mean]);
    }
    // On loopback the smallest round trip is that of one call; nothing on a path compares with it.
    let tcp = result.tcp.as_ref().filter(|_| !result.path.loopback);
    let smallest = tcp.map(|tcp| tcp.rtt_min_ns).filter(|ns| *ns > 0)?;
    let seen: Vec<u64> = result.intervals.iter().filter_map(|slice: &NetInterval| slice.rtt_ns).collect();
    let mean = seen.iter().map(|ns| *ns as f64).sum::<f64>() / seen.len() as f64;
    (!seen.is_empty()).then_some([smallest as f64, mean])
}

/// TCP transfer-time ratio: actual over ideal time of the same bytes; 1 is perfect. Section 4.1.
pub fn transfer_time_ratio(actual_bytes_per_s: f64, ideal_bytes_per_s: f64) -> f64 {
    if actual_bytes_per_s > 0.0 { ideal_bytes_per_s / actual_bytes_per_s } else { f64::INFINITY }
}

/// TCP efficiency, percent: share of the sent bytes that were not sent again. Section 4.2.
pub fn tcp_efficiency_percent(sent_bytes: u64, retransmitted_bytes: u64) -> f64 {
    if sent_bytes == 0 {
        return 100.0;
    }
    100.0 * sent_bytes.saturating_sub(retransmitted_bytes) as f64 / sent_bytes as f64
}

/// Buffer delay, percent: growth of the mean round trip during the transfer over the baseline. Section 4.3.
pub fn buffer_delay_percent(loaded_rtt_ns: f64, baseline_rtt_ns: f64) -> f64 {
    if baseline_rtt_ns > 0.0 { 100.0 * (loaded_rtt_ns - baseline_rtt_ns) / baseline_rtt_ns } else { 0.0 }
}

/// Beyond this a percentage means nothing: the baseline is as short as its noise.
const MOST_BUFFER_DELAY_PERCENT: f64 = 10_000.0;

/// The buffer delay where it means something: `None` when the round trip became shorter, or when the baseline is so short
/// that the percentage is its noise.
pub fn shown_buffer_delay_percent(loaded_rtt_ns: f64, baseline_rtt_ns: f64) -> Option<f64> {
    let percent = buffer_delay_percent(loaded_rtt_ns, baseline_rtt_ns);
    (0.0..=MOST_BUFFER_DELAY_PERCENT).contains(&percent).then_some(percent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::latency::Latency;
    use crate::net::TcpSummary;

    #[test]
    fn the_terms_of_a_transfer_with_a_queue_and_losses() {
        let result = NetResult {
            bytes: 98_000,
            throughput_bytes_per_s: 50e6,
            tcp: Some(TcpSummary { bytes_retransmitted: 2000, ..TcpSummary::default() }),
            rtt_idle_ns: Some(Latency { p50: 25_000_000, ..Latency::default() }),
            rtt_loaded_ns: Some(Latency { mean: 32e6, ..Latency::default() }),
            ..NetResult::default()
        };
        let line = Ceiling { value: 100e6, unit: Unit::BytesPerS, ..Ceiling::default() };
        let guess = Ceiling { value: 60e6, soft: true, ..line.clone() };
        let terms = Rfc6349::of(&result, [&guess, &line]).unwrap();
        assert_eq!(terms.transfer_time_ratio, Some(2.0));
        assert_eq!(terms.tcp_efficiency_percent, Some(98.0));
        // The example of section 4.3.
        assert!((terms.buffer_delay_percent.unwrap() - 28.0).abs() < 1e-9);
        let uncounted = NetResult { tcp: Some(TcpSummary::default()), ..result.clone() };
        assert_eq!(Rfc6349::of(&uncounted, []).unwrap().tcp_efficiency_percent, None);
        assert_eq!(Rfc6349::of(&result, []).unwrap().transfer_time_ratio, None);
    }

    #[test]
    fn a_buffer_delay_that_means_nothing_is_not_shown() {
        let shown = |idle, loaded| {
            let result = NetResult {
                bytes: 1,
                rtt_idle_ns: Some(Latency { p50: idle, ..Latency::default() }),
                rtt_loaded_ns: Some(Latency { mean: loaded, ..Latency::default() }),
                ..NetResult::default()
            };
            Rfc6349::of(&result, []).unwrap().buffer_delay_percent
        };
        // 30 us against 22.53 ms are 75,000 %; 1 ms against 0.9 ms -10 %.
        assert_eq!(shown(30_000, 22.53e6), None);
        assert_eq!(shown(1_000_000, 0.9e6), None);
        assert_eq!(shown(1_000_000, 1.5e6), Some(50.0));
    }

    #[test]
    fn without_a_connection_beside_the_stream_tells_of_itself() {
        let slice = |rtt_ns| NetInterval { rtt_ns: Some(rtt_ns), ..NetInterval::default() };
        let result = NetResult {
            bytes: 1,
            tcp: Some(TcpSummary { rtt_min_ns: 1000, ..TcpSummary::default() }),
            intervals: vec![slice(1500), slice(2500)],
            ..NetResult::default()
        };
        assert_eq!(Rfc6349::of(&result, []).unwrap().buffer_delay_percent, Some(100.0));
        assert_eq!(Rfc6349::of(&NetResult { mode: NetMode::Rtt, ..result }, []), None);
    }
}
