//! Messages that wait for their acknowledgement: SYNC redo transport and its arithmetic.

/// Throughput of one message in flight, bytes a second: length ÷ latency.
pub fn one_in_flight_bytes_per_s(length_bytes: u64, latency_ns: f64) -> f64 {
    if latency_ns > 0.0 { length_bytes as f64 * 1e9 / latency_ns } else { f64::INFINITY }
}

/// How far a result departs from throughput × latency = length × messages in flight, as a share. Above 5 % it
/// is not a result of so many messages in flight. (Little's law.)
pub fn in_flight_departure(bytes_per_s: f64, latency_ns: f64, length_bytes: u64, in_flight: u64) -> f64 {
    let expected = length_bytes as f64 * in_flight.max(1) as f64;
    if expected > 0.0 { (bytes_per_s * latency_ns / 1e9 - expected).abs() / expected } else { 0.0 }
}

/// Time of a synchronous message: its length on the wire, a round trip, the peer's write (AFFIRM).
pub fn remote_write_ns(length_bytes: u64, bytes_per_s: f64, rtt_ns: f64, standby_write_ns: f64) -> f64 {
    length_bytes as f64 * 1e9 / bytes_per_s + rtt_ns + standby_write_ns
}

/// Time of a commit under SYNC: local and remote write run side by side, the later one decides
/// (Oracle 11.2.0.2 and later).
pub fn commit_ns(local_write_ns: f64, remote_write_ns: f64) -> f64 {
    local_write_ns.max(remote_write_ns)
}

/// What SYNC adds to each commit.
pub fn added_commit_ns(local_write_ns: f64, remote_write_ns: f64) -> f64 {
    (remote_write_ns - local_write_ns).max(0.0)
}

/// What the path must carry for a redo rate, bytes a second: 30 % of it are headroom (Oracle MAA: rate ÷ 0.7).
pub fn required_bytes_per_s(redo_bytes_per_s: f64) -> f64 {
    redo_bytes_per_s / 0.7
}

/// Time to catch up with a backlog, s; `None`: never, redo comes faster than the path carries it.
pub fn gap_resolution_s(backlog_bytes: f64, goodput_bytes_per_s: f64, redo_bytes_per_s: f64) -> Option<f64> {
    let spare = goodput_bytes_per_s - redo_bytes_per_s;
    (spare > 0.0).then(|| backlog_bytes / spare)
}

/// Connections that an NFS mount can use: `nconnect` for each of the server's addresses.
pub fn nfs_streams(nconnect: u64, server_addresses: u64) -> u64 {
    nconnect.max(1) * server_addresses.max(1)
}

/// What an NFS mount can carry, bytes a second: streams × what one stream does, at most the link.
pub fn nfs_bytes_per_s(streams: u64, stream_bytes_per_s: f64, link_bytes_per_s: f64) -> f64 {
    (streams as f64 * stream_bytes_per_s).min(link_bytes_per_s)
}
