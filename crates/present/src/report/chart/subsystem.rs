//! What other tools recorded, drawn by subsystem: the groups in which something was found or is conspicuous come first, and no figure is left out.

use super::{Axis, Chart, MOST_SERIES, Scale, chart, line, thinned};
use crate::report::imported::name_of;
use fullwire_model::assessment::{Assessment, Layer, Severity};
use fullwire_model::demand::{ImportedSeries, Series};
use fullwire_model::quantity::Unit;
use jiff::tz::TimeZone;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Files without times are drawn in their order.
const ORDER: Axis = Axis { label: "sample", unit: Unit::Count, scale: Scale::Linear };
const TIME: Axis = Axis { label: "time", unit: Unit::S, scale: Scale::Time };

/// Figures of one unit that are drawn together: title, unit, areas and metrics.
type Together = (&'static str, Unit, &'static [&'static str], &'static [&'static str]);

/// The charts of a subsystem.
struct Subsystem {
    name: &'static str,
    layer: Layer,
    /// How the codes of its own findings begin; none: all of the layer that no other subsystem of it claims.
    codes: &'static [&'static str],
    charts: &'static [Together],
}

/// As isag(1) draws a file of sar: one group for each subsystem, in the order in which a person looks.
const SUBSYSTEMS: [Subsystem; 8] = [
    Subsystem {
        name: "CPU",
        layer: Layer::Host,
        codes: &["cpu", "one-cpu", "softirq", "waits-"],
        charts: &[(
            "share of time",
            Unit::Ratio,
            &["cpu"],
            &["user_ratio", "system_ratio", "iowait_ratio", "steal_ratio", "softirq_ratio", "idle_ratio"],
        )],
    },
    Subsystem {
        name: "Load and run queue",
        layer: Layer::Host,
        codes: &["load", "run-queue"],
        charts: &[
            ("load average", Unit::Count, &["system"], &["ldavg_1", "ldavg_5", "ldavg_15"]),
            ("tasks", Unit::Count, &["system"], &["runnable", "blocked"]),
        ],
    },
    Subsystem {
        name: "Memory",
        layer: Layer::Host,
        codes: &["memory", "huge"],
        charts: &[(
            "bytes",
            Unit::Bytes,
            &["memory"],
            &["available_bytes", "free_bytes", "cached_bytes", "used_bytes", "dirty_bytes"],
        )],
    },
    Subsystem {
        name: "Paging and swap",
        layer: Layer::Host,
        codes: &["swap", "paging"],
        charts: &[
            ("paged", Unit::BytesPerS, &["memory"], &["paged_in_bytes_per_s", "paged_out_bytes_per_s"]),
            ("swapped", Unit::PerS, &["memory"], &["swap_in_pages_per_s", "swap_out_pages_per_s"]),
            ("swapped", Unit::BytesPerS, &["memory"], &["swap_in_bytes_per_s", "swap_out_bytes_per_s"]),
            ("swap used", Unit::Bytes, &["memory"], &["swap_used_bytes"]),
        ],
    },
    Subsystem {
        name: "Disks and volumes",
        layer: Layer::Storage,
        codes: &[],
        charts: &[
            ("read", Unit::BytesPerS, &["disk", "system"], &["read_bytes_per_s"]),
            ("written", Unit::BytesPerS, &["disk", "system"], &["write_bytes_per_s"]),
            ("request wait", Unit::Ns, &["disk"], &["await_ns"]),
            ("read wait", Unit::Ns, &["disk"], &["read_await_ns"]),
            ("write wait", Unit::Ns, &["disk"], &["write_await_ns"]),
            ("queue", Unit::Count, &["disk"], &["queue_mean"]),
            ("busy", Unit::Ratio, &["disk"], &["util_ratio"]),
            ("requests", Unit::IoPerS, &["disk", "system"], &["io_per_s"]),
        ],
    },
    Subsystem {
        name: "Network",
        layer: Layer::Network,
        codes: &[],
        charts: &[
            ("received", Unit::BytesPerS, &["nic"], &["rx_bytes_per_s"]),
            ("sent", Unit::BytesPerS, &["nic"], &["tx_bytes_per_s"]),
        ],
    },
    Subsystem {
        name: "Network errors",
        layer: Layer::Network,
        codes: &["nic", "tcp", "packet", "softnet", "collision", "peer", "duplex"],
        charts: &[
            (
                "received in error or dropped",
                Unit::PerS,
                &["nic"],
                &["rx_errors_per_s", "rx_drops_per_s", "rx_fifo_errors_per_s", "rxfram_per_s"],
            ),
            (
                "not sent",
                Unit::PerS,
                &["nic"],
                &["tx_errors_per_s", "tx_drops_per_s", "coll_per_s", "txcarr_per_s"],
            ),
            ("TCP segments sent again", Unit::PerS, &["system"], &["tcp_retransmits_per_s"]),
        ],
    },
    Subsystem {
        name: "NFS",
        layer: Layer::Storage,
        codes: &["nfs"],
        charts: &[
            ("calls", Unit::PerS, &["nfs"], &["calls_per_s", "retransmits_per_s"]),
            ("requests", Unit::IoPerS, &["nfs"], &["io_per_s"]),
            ("request wait", Unit::Ns, &["nfs"], &["await_ns", "rtt_ns", "queue_ns"]),
            ("throughput", Unit::BytesPerS, &["nfs"], &["bytes_per_s"]),
        ],
    },
];

/// The groups of what comes after them.
const OTHER: &str = "Other figures";

/// The code, layer and severity of something that was found.
type Found<'a> = (&'a str, Layer, Severity);

/// All charts of the files, grouped (`path` is the group), on one axis of time.
pub(super) fn charts(files: &[ImportedSeries], assessment: &Assessment) -> Vec<Chart> {
    let spans = assessment.spans.iter().map(|span| (span.code.as_str(), span.layer, span.severity));
    let findings =
        assessment.findings.iter().map(|finding| (finding.code.as_str(), finding.layer, finding.severity));
    grouped(files, &spans.chain(findings).collect::<Vec<_>>(), &assessment.conspicuous_series)
}

fn grouped(files: &[ImportedSeries], found: &[Found<'_>], conspicuous: &[(String, String)]) -> Vec<Chart> {
    let worst = |subsystem: &Subsystem| {
        let own = found.iter().filter(|(code, layer, _)| belongs(subsystem, code, *layer));
        let told = conspicuous
            .iter()
            .filter(|(area, metric)| shows(subsystem, area, metric))
            .map(|_| Severity::Warning);
        own.map(|(.., severity)| *severity).chain(told).max()
    };
    let mut order: Vec<&Subsystem> = SUBSYSTEMS.iter().collect();
    // A stable sort: where nothing was found, the order is the table's.
    order.sort_by_key(|subsystem| Reverse(worst(subsystem)));
    let mut all = Vec::new();
    for subsystem in order {
        for together in subsystem.charts {
            all.extend(files.iter().filter_map(|file| of_subsystem(file, subsystem.name, together)));
        }
    }
    all.extend(files.iter().flat_map(others));
    all
}

fn belongs(subsystem: &Subsystem, code: &str, layer: Layer) -> bool {
    let claims = |one: &Subsystem| one.codes.iter().any(|begin| code.starts_with(begin));
    match subsystem.codes {
        [] => layer == subsystem.layer && !SUBSYSTEMS.iter().any(claims),
        _ => claims(subsystem),
    }
}

fn shows(subsystem: &Subsystem, area: &str, metric: &str) -> bool {
    subsystem.charts.iter().any(|(.., areas, metrics)| areas.contains(&area) && metrics.contains(&metric))
}

fn of_subsystem(file: &ImportedSeries, group: &str, together: &Together) -> Option<Chart> {
    let (title, unit, areas, metrics) = together;
    let figures = areas.iter().flat_map(|area| metrics.iter().map(move |metric| (*area, *metric)));
    let all: Vec<&Series> = figures
        .flat_map(|(area, metric)| {
            file.series.iter().filter(move |one| one.area == area && one.metric == metric)
        })
        .filter(|one| one.area != "cpu" || is_whole(&one.subject))
        .collect();
    drawn(file, group, title, *unit, &all)
}

/// All CPUs together.
fn is_whole(cpu: &str) -> bool {
    matches!(cpu, "" | "all" | "-1")
}

/// One chart for each metric that no subsystem shows.
fn others(file: &ImportedSeries) -> Vec<Chart> {
    let is_shown = |series: &Series| SUBSYSTEMS.iter().any(|one| shows(one, &series.area, &series.metric));
    let mut by_metric: BTreeMap<(&str, &str), Vec<&Series>> = BTreeMap::new();
    for series in &file.series {
        if !is_shown(series) || series.area == "cpu" && !is_whole(&series.subject) {
            by_metric.entry((&series.area, &series.metric)).or_default().push(series);
        }
    }
    let draw = |((area, metric), all): ((&str, &str), Vec<&Series>)| {
        drawn(file, OTHER, &format!("{area}, {}", name_of(metric)), all.first()?.unit, &all)
    };
    by_metric.into_iter().filter_map(draw).collect()
}

fn drawn(file: &ImportedSeries, group: &str, title: &str, unit: Unit, all: &[&Series]) -> Option<Chart> {
    // What never did anything says nothing beside what did.
    let mut told: Vec<&Series> = all.iter().copied().filter(|one| largest(one) > 0.0).collect();
    told.sort_by(|one, other| largest(other).total_cmp(&largest(one)));
    let shown = &told[..told.len().min(MOST_SERIES)];
    let timed = shown.iter().flat_map(|series| &series.samples).any(|sample| sample.at.is_some());
    // Milliseconds, so that times can be keys; places, where there are no times.
    let mut rows: BTreeMap<i64, Vec<Option<f64>>> = BTreeMap::new();
    for (column, series) in shown.iter().enumerate() {
        for (place, sample) in (0..).zip(thinned(&series.samples)) {
            let at = sample.at.and_then(|at| at.to_zoned(TimeZone::UTC).ok());
            let at = at.map(|at| at.timestamp().as_millisecond());
            let Some(key) = (if timed { at } else { Some(place * 1000) }) else { continue };
            rows.entry(key).or_insert_with(|| vec![None; shown.len()])[column] = Some(sample.value);
        }
    }
    let points: Vec<f64> = rows.keys().map(|key| *key as f64 / 1e3).collect();
    let alike = shown.iter().all(|one| one.metric == shown[0].metric);
    let curve = |(column, series): (usize, &&Series)| {
        line(curve_name(series, alike), rows.values().map(|row| row[column]).collect())
    };
    let curves = shown.iter().enumerate().map(curve).collect();
    let more = match told.len() - shown.len() {
        0 => String::new(),
        left => format!(", the busiest of {}", shown.len() + left),
    };
    let scale = if unit == Unit::Ns { Scale::Log } else { Scale::Linear };
    let y = Axis { label: "", unit, scale };
    let x = if timed { TIME } else { ORDER };
    let title = format!("{title} ({}{more})", file.tool);
    Some(chart(group, title, x, y, points, curves)).filter(|chart| !chart.series.is_empty())
}

/// By its subject where all show one metric, else by the metric and whose it is.
fn curve_name(series: &Series, alike: bool) -> String {
    let subject = if is_whole(&series.subject) { "" } else { &series.subject };
    match (alike, subject) {
        (_, "") => name_of(&series.metric),
        (true, subject) => subject.to_owned(),
        (false, subject) => format!("{subject} {}", name_of(&series.metric)),
    }
}

fn largest(series: &Series) -> f64 {
    series.samples.iter().map(|sample| sample.value).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::demand::Sample;

    fn series(area: &str, subject: &str, metric: &str, unit: Unit) -> Series {
        let samples = [1.0, 2.0].map(|value| Sample { value, ..Sample::default() }).into();
        Series {
            area: area.into(),
            subject: subject.into(),
            metric: metric.into(),
            unit,
            samples,
            ..Series::default()
        }
    }

    fn file() -> ImportedSeries {
        let mut all = vec![
            series("cpu", "all", "user_ratio", Unit::Ratio),
            series("cpu", "3", "user_ratio", Unit::Ratio),
            series("nic", "eth0", "rx_bytes_per_s", Unit::BytesPerS),
            series("system", "", "pty_nr", Unit::Count),
        ];
        all.extend((0..9).map(|n| series("disk", &format!("sd{n}"), "read_bytes_per_s", Unit::BytesPerS)));
        ImportedSeries { tool: "sar".into(), series: all, ..ImportedSeries::default() }
    }

    fn titles(found: &[Found<'_>]) -> Vec<String> {
        grouped(&[file()], found, &[])
            .iter()
            .map(|chart| format!("{}: {}", chart.path, chart.title))
            .collect()
    }

    #[test]
    fn each_subsystem_has_its_group_and_nothing_is_left_out() {
        assert_eq!(
            titles(&[]),
            [
                "CPU: share of time (sar)",
                "Disks and volumes: read (sar, the busiest of 9)",
                "Network: received (sar)",
                "Other figures: cpu, user (sar)",
                "Other figures: system, pseudo-terminals (sar)",
            ]
        );
    }

    #[test]
    fn where_something_was_found_comes_first() {
        let first = |code, layer| titles(&[(code, layer, Severity::Warning)]).remove(0);
        assert!(first("device-wait-long", Layer::Storage).starts_with("Disks"));
        assert!(first("link-full", Layer::Network).starts_with("Network: received"));
        // Its own code, not its layer: what is said of NFS is not said of a disk.
        assert!(first("nfs-slow", Layer::Storage).starts_with("CPU"));
    }

    #[test]
    fn a_conspicuous_figure_comes_first_where_no_rule_could_judge() {
        let of = |area: &str, metric: &str| [(area.to_owned(), metric.to_owned())];
        let first = |of: &[(String, String)]| String::from(grouped(&[file()], &[], of).remove(0).path);
        assert_eq!(first(&of("disk", "await_ns")), "Disks and volumes");
        assert_eq!(first(&of("nic", "rx_bytes_per_s")), "Network");
        assert_eq!(first(&of("database", "")), "CPU", "no group shows it");
    }
}
