//! Queues, latencies and request sizes: Little's law and what follows from it.

/// I/Os per second that a queue depth allows at a latency (Little): depth ÷ latency.
pub fn depth_bound_io_per_s(depth: u64, latency_ns: f64) -> f64 {
    if latency_ns > 0.0 { depth as f64 * 1e9 / latency_ns } else { f64::INFINITY }
}

/// Requests in a device on average (Little): rate × time in it.
pub fn mean_queue(io_per_s: f64, await_ns: f64) -> f64 {
    io_per_s * await_ns / 1e9
}

/// Bytes per second of one stream with one I/O in flight: size ÷ latency.
pub fn single_stream_bytes_per_s(block_bytes: u64, latency_ns: f64) -> f64 {
    if latency_ns > 0.0 { block_bytes as f64 * 1e9 / latency_ns } else { f64::INFINITY }
}

/// Bytes per second that a rate of requests moves.
pub fn request_bound_bytes_per_s(request_bytes: f64, requests_per_s: f64) -> f64 {
    request_bytes * requests_per_s
}

/// Requests for one I/O when no request may be larger than a limit.
pub fn requests_for(block_bytes: u64, largest_request_bytes: u64) -> u64 {
    block_bytes.div_ceil(largest_request_bytes.max(1)).max(1)
}

/// The largest request that a queue makes of scattered memory: `max_sectors_kb`, or its segments times a page.
pub fn largest_request_bytes(max_request_bytes: u64, max_segments: Option<u64>, page_bytes: u64) -> u64 {
    let by_segments = max_segments.filter(|segments| *segments > 0).map(|segments| segments * page_bytes);
    by_segments.map_or(max_request_bytes, |bytes| bytes.min(max_request_bytes))
}

/// Durable writes per second of one log writer: 1 ÷ flush.
pub fn commits_per_s(durable_write_ns: f64) -> f64 {
    depth_bound_io_per_s(1, durable_write_ns)
}
/// I/Os per second of a rotating disk with one in flight: 1 ÷ (rotational latency + seek + 1 ms).
pub fn spindle_io_per_s(latency_ms: f64, seek_ms: f64) -> f64 {
    1e3 / (latency_ms + seek_ms + 1.0)
}

/// Disk operations for one small write of an md array.
pub fn write_penalty(level: &str) -> Option<f64> {
    match level {
        "raid0" | "linear" => Some(1.0),
        "raid1" | "raid10" => Some(2.0),
        "raid4" | "raid5" => Some(4.0),
        "raid6" => Some(6.0),
        _ => None,
    }
}

/// Disk operations for one of the host's, at a share of reads.
pub fn operations_per_io(read_share: f64, penalty: f64) -> f64 {
    read_share + (1.0 - read_share) * penalty
}

/// Host I/Os per second of a RAID set: disks × rate ÷ (reads + writes × penalty).
pub fn raid_io_per_s(disks: u64, disk_io_per_s: f64, read_share: f64, write_penalty: f64) -> f64 {
    disks as f64 * disk_io_per_s / operations_per_io(read_share, write_penalty)
}
