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
    ("host.nics[].channels", "a setting: the finding says where it is wrong"),
    ("host.nics[].rings", "a setting: the finding says where it is wrong"),
    ("host.nics[].coalesce", "a setting: the finding says where it is wrong"),
    ("host.nics[].gso_max", "what the driver takes"),
    ("host.nics[].tx_queue", "a setting: the finding says where it is wrong"),
    ("host.disks[].queue", "a setting: the finding says where it is wrong"),
    ("host.databases[].limits", "a setting: the finding says where it is wrong"),
    ("host.mounts[].block_bytes", "of the file system's making"),
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
    ("windows[].to.nics{}", "node_exporter has them under the kernel's names"),
    ("windows[].to.nfs{}.operations", "one series for each operation of each mount"),
    ("windows[].to.nfs{}.transports", "one series for each connection"),
    ("windows[].to.rpc_client", "numbers without names"),
    ("net[].peer_tcp", "the peer's view of what this end shows as well"),
    ("mtu[].hops[]", "one series for each hop"),
    ("mtu[].frames_per_block", "arithmetic on the path MTU"),
    ("disk[].steps[].layers[]", "the disks' own counters have them"),
    ("disk[].steps[].repeats_", "their median is exported, with its noise"),
    ("disk[].steps[].submission_ns", "a part of the latency"),
    ("disk[].steps[].block_bytes", "the measurement's name has it"),
    ("disk[].steps[].queue_depth", "the measurement's name has it"),
    ("disk[].steps[].threads", "the measurement's name has it"),
    ("disk[].steps[].thread_", "they say whether the generator was the limit, which the finding does"),
    ("disk[].steps[].working_set_bytes", "the plan, which does not change from run to run"),
    ("disk[].steps[].ios", "the rate is exported"),
    ("disk[].steps[].bytes", "the rate is exported"),
    ("disk[].steps[].duration_s", "the plan, which does not change from run to run"),
    (
        "disk[].steps[].device_bytes_over_program",
        "it says whether the measurement can be trusted, which the answer does",
    ),
    ("disk[].steps[].requests_per_io", "the finding says it"),
    ("disk[].steps[].noise", "how far the run can be trusted, which is in the answer"),
    ("disk[].steps[].cpu_", "the generator's own"),
    ("disk[].steps[].foreign_", "the finding says it"),
    ("tried[]", "made once to tell causes apart, and not again in the next run"),
];

/// Statistics of a distribution that are left out of the usual scope: the median and the 99th percentile tell what is usual and
/// what is slow.
const LEFT_OUT_OF_DISTRIBUTIONS: &[(&str, &str)] = &[
    ("count", "the rate is exported"),
    ("mean", "a few slow ones move it more than they matter"),
    ("p90", "between the two that are exported"),
    ("p999", "based on few"),
    ("p9999", "based on fewer"),
    ("min", "the best of thousands alerts nobody"),
    ("max", "one slow one of thousands"),
];

impl Scope {
    /// Values at this selector are exported.
    pub(super) fn takes(self, selector: &str) -> bool {
        let is_left_out = || {
            LEFT_OUT.iter().any(|(start, _)| selector.starts_with(start))
                || selector.rsplit_once('.').is_some_and(|(distribution, statistic)| {
                    let is_of_times = distribution.split('.').any(|segment| segment.ends_with("_ns"));
                    is_of_times && LEFT_OUT_OF_DISTRIBUTIONS.iter().any(|(left, _)| *left == statistic)
                })
        };
        self == Self::All || !is_left_out()
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
        let any = |is: &dyn Fn(&str) -> bool| metrics().iter().any(|metric| is(&metric.selector));
        for (start, reason) in LEFT_OUT {
            assert!(!reason.is_empty());
            assert!(any(&|selector| selector.starts_with(start)), "{start}: no metric begins so");
        }
        for (statistic, reason) in LEFT_OUT_OF_DISTRIBUTIONS {
            assert!(!reason.is_empty());
            assert!(
                any(&|selector| selector.ends_with(&format!("_ns.{statistic}"))),
                "{statistic}: no metric ends so"
            );
        }
    }

    #[test]
    fn of_a_distribution_the_median_and_the_99th_percentile_are_exported() {
        for distribution in ["net[].latency_ns", "disk[].steps[].latency_ns", "net[].parts_ns.remote_write"] {
            let taken: Vec<&str> = ["count", "min", "mean", "p50", "p90", "p99", "p999", "p9999", "max"]
                .into_iter()
                .filter(|statistic| Scope::Usual.takes(&format!("{distribution}.{statistic}")))
                .collect();
            assert!(taken == ["p50", "p99"], "{distribution}: {taken:?}");
        }
        assert!(
            !Scope::Usual.takes("tried[].disk.steps[].iops") && Scope::All.takes("tried[].disk.steps[].iops")
        );
        assert!(
            Scope::Usual.takes("net[].parts_ns.remote_write.p99")
                && Scope::Usual.takes("disk[].steps[].iops")
        );
    }
}
