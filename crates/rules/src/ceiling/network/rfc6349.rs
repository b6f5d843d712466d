//! The three measures of RFC 6349, "Framework for TCP Throughput Testing", section 4.

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
