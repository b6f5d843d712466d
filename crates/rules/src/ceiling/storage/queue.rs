//! Queues, latencies and request sizes: Little's law and what follows from it.

use fullwire_model::array::{DiskArray, DiskKind};

/// I/Os per second that a queue depth allows at a latency (Little): depth ÷ latency.
pub fn depth_bound_io_per_s(depth: u64, latency_ns: f64) -> f64 {
    if latency_ns > 0.0 { depth as f64 * 1e9 / latency_ns } else { f64::INFINITY }
}

/// Requests in a device on average (Little): rate × time in it.
pub fn mean_queue(io_per_s: f64, await_ns: f64) -> f64 {
    io_per_s * await_ns / 1e9
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

/// Rotating disks: turns per minute, half a turn and a mean seek, ms (founding document: 2.0 + 3.8, 3.0 + 4.9, 4.2 + 9 ms,
/// each with 1 ms for the transfer and the controller).
pub const SPINDLES: [(u32, f64, f64); 3] = [(15_000, 2.0, 3.8), (10_000, 3.0, 4.9), (7_200, 4.2, 9.0)];

/// I/Os per second of one disk of an array; `None`: a speed that is not in the table.
pub fn disk_io_per_s(disk: DiskKind) -> Option<f64> {
    match disk {
        DiskKind::IoPerS(per_s) => Some(per_s),
        DiskKind::Rpm(rpm) => {
            let (_, half_turn_ms, seek_ms) = SPINDLES.into_iter().find(|(known, ..)| *known == rpm)?;
            Some(spindle_io_per_s(half_turn_ms, seek_ms))
        }
    }
}

/// Share of equal disks that work when this many operations are in flight on randomly chosen ones: q ÷ (q + disks - 1), the
/// throughput of a balanced closed queueing network (Lazowska et al., Quantitative System Performance, 5.3).
pub fn busy_share(disks: u64, in_flight: u64) -> f64 {
    let (disks, in_flight) = (disks.max(1) as f64, in_flight as f64);
    in_flight / (in_flight + disks - 1.0)
}

/// Random I/Os per second of an array at a share of reads, with this many in flight; `None`: as many as it takes.
pub fn array_io_per_s(array: &DiskArray, read_share: f64, in_flight: Option<u64>) -> Option<f64> {
    let disks = array.disks?;
    let penalty = write_penalty(array.level.name())?;
    let all = raid_io_per_s(disks, disk_io_per_s(array.disk)?, read_share, penalty);
    Some(all * in_flight.map_or(1.0, |in_flight| busy_share(disks, in_flight)))
}

/// Fewest disks of an array's kind that do this many random I/Os per second.
pub fn disks_for(array: &DiskArray, io_per_s: f64, read_share: f64) -> Option<u64> {
    let each = disk_io_per_s(array.disk)?;
    let operations = io_per_s * operations_per_io(read_share, write_penalty(array.level.name())?);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive float saturates")]
    let disks = ((operations / each).ceil() as u64).max(array.level.least_disks());
    Some(if array.level.in_pairs() { disks.next_multiple_of(2) } else { disks })
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

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::array::parse_array;

    /// The founding document's disks: 147, 112 and, with its own 1 ms, 70 I/Os per second.
    #[test]
    fn the_disks_of_the_document() {
        let each = [15_000, 10_000, 7_200]
            .map(|rpm| format!("{:.0}", disk_io_per_s(DiskKind::Rpm(rpm)).unwrap().floor()));
        assert_eq!(each, ["147", "112", "70"]);
        assert_eq!(disk_io_per_s(DiskKind::Rpm(5_400)), None);
    }

    #[test]
    fn an_array_at_a_share_of_reads_and_a_queue() {
        let array = |text| parse_array(text).unwrap();
        let io_per_s = |text, queue| array_io_per_s(&array(text), 0.7, queue).unwrap();
        // 8 x 112.36 / 1.9 and / 1.3.
        assert!((io_per_s("raid5:8x10k", None) - 473.1).abs() < 0.1);
        assert!((io_per_s("raid10:8x10k", None) - 691.4).abs() < 0.1);
        // With one in flight one disk works: an eighth of it.
        assert!((io_per_s("raid5:8x10k", Some(1)) - 473.1 / 8.0).abs() < 0.1);
        assert!(io_per_s("raid5:8x10k", Some(64)) > 0.9 * 473.0);
        assert_eq!(array_io_per_s(&array("raid5:10k"), 0.7, None), None);
    }

    #[test]
    fn how_many_disks_a_demand_takes() {
        let disks = |text: &str| disks_for(&parse_array(text).unwrap(), 5000.0, 0.7).unwrap();
        // 5,000 x 1.9 / 112.36 = 84.6; x 1.3 / 112.36 = 57.9, in pairs; one SSD is below the least that a RAID 5 needs.
        assert_eq!([disks("raid5:10k"), disks("raid10:10k"), disks("raid5:20000iops")], [85, 58, 3]);
    }
}
