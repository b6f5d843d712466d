//! Which values a monitoring system gets: what it charts and alerts on, not the whole record.

use std::collections::BTreeSet;

/// How much is exported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// Whole disks and interfaces, results, levels: at most [`MOST_SERIES`] series.
    #[default]
    Usual,
    /// Every number of the run, except for counters of earlier windows.
    All,
}

/// A host is not to cost its monitoring more than this.
pub(super) const MOST_SERIES: usize = 2_000;

/// Beginnings of selectors that are left out of the usual scope, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("peers[]", "the peer's own export has them"),
    ("reports[]", "of the database's past, not of this moment"),
    ("redo.", "of the database's past; the demand made from it is exported"),
    ("imported[]", "of another tool's past"),
    ("host.processes[]", "one series for each process"),
    ("host.ipc.segments[]", "one series for each segment"),
    ("host.ipc.sem[]", "four settings without names"),
    ("host.memory.numa_nodes", "a list of CPUs"),
    ("host.memory.edac_errors", "the finding says it"),
    ("host.kernel_log[]", "the finding says it"),
    ("host.routes[]", "one series for each route"),
    ("host.nics[].qdiscs[]", "one series for each queue"),
    ("host.disks[].partition", "whole disks only"),
    ("host.disks[].dm.targets[]", "one series for each segment of a map"),
    ("host.disks[].nvme.controllers[]", "one series for each path of a disk"),
    ("host.cgroups[].io_max", "one series for each disk of each group"),
    ("host.cpu.governors", "the finding says it"),
    ("host.cpu.idle_states", "the finding says it"),
    ("windows[].to.monotonic_ns", "a clock without a zero that means anything"),
    ("windows[].to.cpus", "one series for each CPU"),
    ("windows[].to.softnet", "one series for each CPU"),
    ("windows[].to.interrupts", "one series for each interrupt and CPU"),
    ("windows[].to.sockets[]", "one series for each connection"),
    ("windows[].to.threads[]", "one series for each thread"),
    ("windows[].to.processes[]", "one series for each process"),
    ("windows[].to.qdiscs", "one series for each queue"),
    ("windows[].to.snmp", "node_exporter has them under the kernel's names"),
    ("windows[].to.vmstat", "node_exporter has them under the kernel's names"),
    ("windows[].to.nfs{}.operations", "one series for each operation of each mount"),
    ("windows[].to.nfs{}.transports", "one series for each connection"),
    ("windows[].to.rpc_client", "numbers without names"),
    ("net[].peer_tcp", "the peer's view of what this end shows as well"),
    ("net[].rtt_idle_ns.p9999", "based on too few round trips"),
    ("net[].rtt_loaded_ns.p9999", "based on too few round trips"),
    ("mtu[].hops[]", "one series for each hop"),
    ("mtu[].frames_per_block", "arithmetic on the path MTU"),
    ("disk[].steps[].layers[]", "the disks' own counters have them"),
    ("disk[].steps[].repeats_", "their median is exported, with its noise"),
    ("disk[].steps[].submission_ns", "a part of the latency"),
    ("disk[].steps[].latency_ns.min", "the best of thousands alerts nobody"),
    ("disk[].steps[].latency_ns.p9999", "based on too few I/Os"),
    ("disk[].steps[].block_bytes", "the measurement's name has it"),
    ("disk[].steps[].queue_depth", "the measurement's name has it"),
    ("disk[].steps[].threads", "the measurement's name has it"),
    ("disk[].steps[].thread_", "they say whether the generator was the limit, which the finding does"),
    ("disk[].steps[].working_set_bytes", "the plan, which does not change from run to run"),
];

impl Scope {
    /// Values at this selector are exported.
    pub(super) fn takes(self, selector: &str) -> bool {
        self == Self::All || !LEFT_OUT.iter().any(|(start, _)| selector.starts_with(start))
    }

    /// Values about this block device are exported: of partitions, loop devices and RAM disks only on demand.
    pub(super) fn takes_disk(self, partitions: &BTreeSet<&str>, name: &str) -> bool {
        let is_toy = ["loop", "ram", "zram", "sr", "fd"]
            .iter()
            .any(|kind| name.strip_prefix(kind).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit())));
        self == Self::All || !(is_toy || partitions.contains(name))
    }

    /// This many series are exported.
    pub(super) fn most(self) -> usize {
        if self == Self::All { usize::MAX } else { MOST_SERIES }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::metric::metrics;

    #[test]
    fn what_is_left_out_is_in_the_table() {
        for (start, reason) in LEFT_OUT {
            assert!(!reason.is_empty());
            let known = metrics().iter().any(|metric| metric.selector.starts_with(start));
            assert!(known, "{start}: no metric begins so");
        }
    }
}
