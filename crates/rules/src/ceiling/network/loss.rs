//! What loss does to a stream: an explanation, never a cap, for CUBIC and BBR do better than Reno.

/// Mathis, Semke, Mahdavi, Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm" (1997):
/// rate = MSS ÷ RTT × C ÷ √p, with C = √1.5 for periodic loss, for p below some 1 %.
pub const MATHIS_C: f64 = 1.224_744_871_391_589;

/// Reno's rate at a loss share, bytes per second.
pub fn mathis_bytes_per_s(mss_bytes: u64, rtt_ns: f64, loss: f64) -> f64 {
    if rtt_ns <= 0.0 || loss <= 0.0 {
        return f64::INFINITY;
    }
    mss_bytes as f64 * 1e9 / rtt_ns * MATHIS_C / loss.sqrt()
}

/// The rate that CUBIC keeps at a share of loss events, bytes per second: RFC 9438, section 5.1, the mean window of its
/// concave region (C = 0.4, β = 0.7: 1.054 × RTT^0.75 ÷ p^0.75 segments) and of its Reno-friendly one (section 4.3, the
/// same as [`mathis_bytes_per_s`]), whichever is larger. An event is what cuts the window once, however many segments
/// were lost in it.
pub fn cubic_bytes_per_s(mss_bytes: u64, rtt_ns: f64, events: f64) -> f64 {
    if rtt_ns <= 0.0 || events <= 0.0 {
        return f64::INFINITY;
    }
    let concave = 1.054 * (rtt_ns / 1e9 / events).powf(0.75);
    let rate = mss_bytes as f64 * 1e9 / rtt_ns * concave;
    rate.max(mathis_bytes_per_s(mss_bytes, rtt_ns, events))
}

/// From this loss on most losses are found by a timeout and not by duplicate acknowledgements (Padhye and others 1998, table II: at
/// losses above some 5 % timeouts are the rule).
pub const BY_TIMEOUTS: f64 = 0.05;

thresholds! {
    /// Linux's smallest retransmission timeout (`TCP_RTO_MIN`, include/net/tcp.h), ns.
    pub(crate) const RTO_MIN_NS: f64 = 200e6;
}

/// Reno's rate at a loss share with the time that timeouts take, bytes per second: Padhye, Firoiu, Towsley, Kurose, "Modeling TCP
/// Throughput" (1998), equation 31 with an acknowledgement for each segment. Today's TCP, which seldom waits for a timeout, does better.
pub fn padhye_bytes_per_s(mss_bytes: u64, rtt_ns: f64, loss: f64) -> f64 {
    let recovered = rtt_ns * (2.0 * loss / 3.0).sqrt();
    let timed_out = RTO_MIN_NS.max(rtt_ns)
        * (3.0 * (3.0 * loss / 8.0).sqrt()).min(1.0)
        * loss
        * (1.0 + 32.0 * loss * loss);
    mss_bytes as f64 * 1e9 / (recovered + timed_out)
}

/// The loss share at which Reno still limits a rate.
pub fn mathis_loss_for(mss_bytes: u64, rtt_ns: f64, bytes_per_s: f64) -> f64 {
    let ratio = mss_bytes as f64 * 1e9 / rtt_ns * MATHIS_C / bytes_per_s;
    ratio * ratio
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubic_is_reno_where_the_round_trip_is_short_and_better_where_it_is_long() {
        // RFC 9438, tables 1 and 2, of windows in packets: 187 at 100 ms and 120 (Reno-friendly) at 10 ms, both at one loss in 10,000.
        let packets = |rtt_ns: f64, events: f64| cubic_bytes_per_s(1, rtt_ns, events) * rtt_ns / 1e9;
        assert!((packets(100e6, 1e-4) - 187.0).abs() < 2.0, "{}", packets(100e6, 1e-4));
        assert!((packets(10e6, 1e-4) - 122.5).abs() < 1.0, "{}", packets(10e6, 1e-4));
    }

    #[test]
    fn timeouts_take_the_time_where_loss_is_heavy_and_none_where_it_is_rare() {
        let (mathis, padhye) =
            (|loss| mathis_bytes_per_s(1448, 50e6, loss), |loss| padhye_bytes_per_s(1448, 50e6, loss));
        // One in a hundred thousand at 50 ms: 0.129 ms against 0.004 ms of timeouts.
        assert!((padhye(1e-5) / mathis(1e-5) - 1.0).abs() < 0.05, "{}", padhye(1e-5) / mathis(1e-5));
        // One in five: 50 ms × 0.365 = 18.3 ms, and 200 ms × 0.8216 × 0.2 × 2.28 = 74.9 ms for a segment of 1448 bytes.
        assert!((padhye(0.2) - 1448.0 / 0.0932).abs() < 20.0, "{}", padhye(0.2));
    }
}
