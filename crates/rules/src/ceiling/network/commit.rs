//! Messages that wait for their acknowledgement, as those of SYNC redo transport do.

/// Throughput of one message in flight, bytes per second: length ÷ latency.
pub fn one_in_flight_bytes_per_s(length_bytes: u64, latency_ns: f64) -> f64 {
    if latency_ns > 0.0 { length_bytes as f64 * 1e9 / latency_ns } else { f64::INFINITY }
}

/// How far a result departs from throughput × latency = length × messages in flight, as a share. Above 5 % it
/// is not a result of this many messages in flight. (Little's law.)
pub fn in_flight_departure(bytes_per_s: f64, latency_ns: f64, length_bytes: u64, in_flight: u64) -> f64 {
    let expected = length_bytes as f64 * in_flight.max(1) as f64;
    if expected > 0.0 { (bytes_per_s * latency_ns / 1e9 - expected).abs() / expected } else { 0.0 }
}
