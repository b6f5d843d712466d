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

/// The loss share at which Reno still limits a rate.
pub fn mathis_loss_for(mss_bytes: u64, rtt_ns: f64, bytes_per_s: f64) -> f64 {
    let ratio = mss_bytes as f64 * 1e9 / rtt_ns * MATHIS_C / bytes_per_s;
    ratio * ratio
}
