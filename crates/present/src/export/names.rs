//! The names and units that Prometheus asks for (prometheus.io/docs/practices/naming, read 22 Nov 2026): base units,
//! the unit last, `_total` for what only grows.

use super::judgement;
use super::value::base_unit;
use fullwire_model::metric::{Kind, Metric, metrics};
use fullwire_model::quantity::Unit;
use std::collections::BTreeSet;

/// Units as the records' names end in them, the longer ones first.
const SUFFIXES: &[&str] = &[
    "_gbit_per_s", "_mbit_per_s", "_bytes_per_s", "_io_per_s", "_gt_per_s", "_per_s", "_usecs", "_sectors",
    "_bytes", "_min", "_pct", "_ns", "_us", "_ms", "_ds", "_s",
];

/// Words that a gauge's name must not end in: they belong to counters, histograms and info metrics.
const RESERVED: &[(&str, &str)] =
    &[("_total", ""), ("_count", "_number"), ("_sum", "_added"), ("_bucket", "_slot"), ("_info", "_text")];

/// A metric under its exported name.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// `fullwire_net_latency_p50_seconds`.
    pub name: String,
    /// The unit that the name ends in; `None`: a count.
    pub unit: Option<&'static str>,
    /// What a sample of the metric table is multiplied with.
    pub factor: f64,
}

/// The exported name of a metric.
pub fn exported(metric: &Metric) -> Exported {
    let (unit, factor) = base_unit(metric.unit);
    let name = stem(metric);
    let name = match unit {
        Some(unit) if !name.ends_with(&format!("_{unit}")) => format!("{name}_{unit}"),
        _ => name,
    };
    let name = if metric.kind == Kind::Counter { format!("{name}_total") } else { unreserved(&name) };
    Exported { name, unit, factor }
}

/// Every name that an export may use: the metric table's and those of the judgement.
pub fn exported_names() -> BTreeSet<String> {
    let judged = judgement::FAMILIES.iter().map(|family| family.name.to_owned());
    metrics().iter().map(|metric| exported(metric).name).chain(judged).collect()
}

/// The name without its unit, which may be before the statistic: `latency_ns.p50`.
fn stem(metric: &Metric) -> String {
    let bare: String = metric.selector.chars().filter(|c| !"[]{}".contains(*c)).collect();
    let bare = bare.replacen("windows.to.", "counters.", 1).replace(".windows.to.", ".counters.");
    let mut segments: Vec<String> = bare.split('.').map(str::to_owned).collect();
    // The number of a distribution's samples has no unit, but its distribution's name ends in one.
    let of_distribution = segments.last().is_some_and(|last| last == "count");
    if metric.unit != Unit::Count || of_distribution {
        let start = segments.len().saturating_sub(3);
        for segment in segments[start..].iter_mut().rev() {
            if let Some(stripped) = without_unit(segment) {
                *segment = stripped;
                break;
            }
        }
    }
    segments.retain(|segment| !segment.is_empty());
    format!("fullwire_{}", segments.join("_"))
}

fn without_unit(segment: &str) -> Option<String> {
    match segment {
        "iops" | "bytes_per_s" => return Some(String::new()),
        "bytes" => return Some("bytes".into()),
        _ => {}
    }
    if let Some(rest) = segment.strip_prefix("bytes_") {
        return Some(rest.to_owned());
    }
    for (per, plain) in [("_ns_per_io", "_per_io"), ("_s_per_gb", "_per_gigabyte")] {
        if let Some(rest) = segment.strip_suffix(per) {
            return Some(format!("{rest}{plain}"));
        }
    }
    // Longer ones come first, so that `_bytes_per_s` is not mistaken for `_s`.
    SUFFIXES.iter().find_map(|suffix| segment.strip_suffix(suffix)).map(str::to_owned)
}

fn unreserved(name: &str) -> String {
    for (ending, instead) in RESERVED {
        if let Some(rest) = name.strip_suffix(ending) {
            return format!("{rest}{instead}");
        }
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::metric::metric;

    fn name(selector: &str) -> String {
        exported(metric(selector).unwrap_or_else(|| panic!("no {selector}"))).name
    }

    #[test]
    fn names_are_those_that_prometheus_asks_for() {
        for (selector, expected) in [
            ("net[].throughput_bytes_per_s", "fullwire_net_throughput_bytes_per_second"),
            ("net[].latency_ns.p50", "fullwire_net_latency_p50_seconds"),
            ("net[].latency_ns.count", "fullwire_net_latency_number"),
            ("net[].parts_ns.remote_write.p99", "fullwire_net_parts_remote_write_p99_seconds"),
            ("net[].bytes", "fullwire_net_bytes"),
            ("disk[].steps[].iops", "fullwire_disk_steps_io_per_second"),
            ("windows[].to.disks{}.read_ms", "fullwire_counters_disks_read_seconds_total"),
            ("windows[].to.disks{}.reads", "fullwire_counters_disks_reads_total"),
            ("host.nics[].speed_mbit_per_s", "fullwire_host_nics_speed_bytes_per_second"),
            ("host.memory.huge_pages_total", "fullwire_host_memory_huge_pages"),
            ("host.clock.max_error_us", "fullwire_host_clock_max_error_seconds"),
        ] {
            assert_eq!(name(selector), expected, "{selector}");
        }
    }

    #[test]
    fn every_metric_of_the_table_has_a_name_of_its_own_that_ends_in_its_base_unit() {
        let own = judgement::FAMILIES.len();
        assert_eq!(exported_names().len(), metrics().len() + own, "two metrics share an exported name");
        for metric in metrics() {
            let exported = exported(metric);
            let bare = exported.name.strip_suffix("_total").unwrap_or(&exported.name);
            if let Some(unit) = exported.unit {
                assert!(bare.ends_with(&format!("_{unit}")), "{}: {bare}", metric.selector);
            }
            assert_eq!(exported.name.ends_with("_total"), metric.kind == Kind::Counter, "{}", exported.name);
            let parts: Vec<&str> = bare.split('_').collect();
            if metric.unit != Unit::Count {
                let old = ["ns", "us", "usecs", "ms", "ds", "mbit", "gbit", "gt", "sectors", "pct"];
                let left: Vec<_> = parts.iter().filter(|part| old.contains(part)).collect();
                assert!(left.is_empty(), "{}: {left:?} in {bare}", metric.selector);
            }
        }
    }
}
