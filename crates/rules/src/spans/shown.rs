//! Which rules a window of a recording can show.

use crate::{Rule, rule};
use std::collections::BTreeSet;

/// Rules about what happened in a window (rates, shares, times), and about what was broken then. Rules about settings say
/// nothing of a time, and those about probes have none here. Those of storage come first, then of the network and of the host.
const SHOWN: [&str; 49] = [
    "device-io-errors", "device-read-only", "device-stalled", "device-suspended", "device-timeouts",
    "device-wait-long", "fc-port-down", "file-system-frozen", "file-system-read-only", "iscsi-session-lost",
    "link-errors", "md-degraded", "multipath-path-failed", "multipath-path-lost", "nfs-backlog",
    "nfs-queue-time", "nfs-reconnects", "nfs-retransmits", "nfs-stalled", "nfs-wait-long", "nvme-path-lost",
    "rate-plateau", "bond-link-failures", "bond-slave-down", "checksum-errors", "conntrack-full",
    "ip-reassembly-failures", "nic-crc-errors", "nic-driver-errors", "nic-instance-allowance",
    "nic-link-flaps", "nic-link-lost", "nic-no-carrier", "nic-out-of-buffer", "nic-ring-drops",
    "nic-rx-dropped", "nic-saturated", "softnet-drops", "tcp-listen-overflows", "tcp-memory-pressure",
    "tcp-retransmissions", "tcp-timeouts", "udp-receive-drops", "cgroup-cpu-quota", "cgroup-memory",
    "cpu-saturated", "cpu-steal", "softirq-one-cpu", "swapping",
];

/// Memory that runs out.
const SHOWN_OF_MEMORY: [&str; 3] = ["major-faults", "memory-pressure", "out-of-memory"];

/// The rules that judge a window.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    codes().filter_map(rule)
}

/// The codes of the rules that judge a window of a recording.
pub fn codes() -> impl Iterator<Item = &'static str> {
    SHOWN.into_iter().chain(SHOWN_OF_MEMORY)
}

/// The rule of this code judges windows of recordings.
pub fn is_shown(code: &str) -> bool {
    codes().any(|shown| shown == code)
}

/// Of which a count of errors is a share.
const PACKETS: &[&str] = &["rx_packets_per_s"];

/// Rules that need at most what other tools record (counters, no settings and no topology), each with the metrics of
/// imported files that it looks at: a file has what the rule needs when it contains one of each group.
const RECORDED_BY_OTHERS: [(&str, &[&[&str]]); 18] = [
    ("cpu-saturated", &[&["runnable"], &["idle_ratio"]]),
    ("cpu-steal", &[&["steal_ratio"]]),
    ("device-stalled", &[&["util_ratio"]]),
    ("device-wait-long", &[&["await_ns", "read_await_ns", "write_await_ns"]]),
    ("ip-reassembly-failures", &[&["reassembly_failures_per_s"], &["reassembly_requests_per_s"]]),
    ("major-faults", &[&["major_faults_per_s"]]),
    ("memory-pressure", &[&["memory_pressure_ratio"]]),
    ("nfs-queue-time", &[&["rtt_ns"]]),
    ("nfs-retransmits", &[&["retransmits", "retransmits_per_s"]]),
    ("nfs-wait-long", &[&["rtt_ns"]]),
    ("nic-crc-errors", &[&["rxfram_per_s"], PACKETS]),
    ("nic-ring-drops", &[&["rx_fifo_errors_per_s"]]),
    ("nic-rx-dropped", &[&["rx_drops_per_s"], PACKETS]),
    ("nic-saturated", &[&["rx_bytes_per_s"]]),
    ("softirq-one-cpu", &[&["softirq_ratio"]]),
    ("softnet-drops", &[&["dropd", "dropd_per_s"], &["total", "total_per_s"]]),
    ("swapping", &[&["swap_out_pages_per_s", "swap_out_bytes_per_s"]]),
    ("tcp-retransmissions", &[&["tcp_retransmits_per_s"], &["tcp_segments_out_per_s"]]),
];

/// The codes of the rules that judge files of other tools.
pub(super) fn recorded_by_others() -> impl Iterator<Item = &'static str> {
    RECORDED_BY_OTHERS.into_iter().map(|(code, _)| code)
}

/// A file with these metrics has what the rule looks at.
pub(super) fn has_what_it_needs(code: &str, metrics: &BTreeSet<&str>) -> bool {
    RECORDED_BY_OTHERS.iter().any(|(known, groups)| {
        *known == code && groups.iter().all(|group| group.iter().any(|metric| metrics.contains(metric)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_a_rules_and_stands_once() {
        let unknown: Vec<&str> = codes().filter(|code| rule(code).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        let mut all: Vec<&str> = codes().collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), codes().count());
        assert!(recorded_by_others().all(is_shown));
    }
}
