//! What several runs measured of the same path, one below the other.

use super::table::table;
use super::text::{Line, Text};
use crate::format;
use crate::report::Table;
use fullwire_model::Run;
use fullwire_model::metric::{Sample, samples};
use std::collections::BTreeMap;

/// The metrics of a measurement: its rate and its tail.
const SHOWN: [(&str, &str); 4] = [
    ("fullwire_net_throughput_bytes_per_s", "rate"),
    ("fullwire_net_latency_ns_p99", "p99"),
    ("fullwire_disk_steps_throughput_bytes_per_s", "rate"),
    ("fullwire_disk_steps_latency_ns_p99", "p99"),
];

/// What one run measured.
#[derive(Default)]
struct Point {
    rate: Option<f64>,
    p99_ns: Option<f64>,
}

/// `history --trend`: for each measurement that the runs have in common, its figures in the order of time.
pub fn trend(runs: &[Run]) -> Text {
    let mut in_order: Vec<&Run> = runs.iter().collect();
    in_order.sort_by_key(|run| run.started);
    let mut by_measurement: BTreeMap<String, BTreeMap<usize, Point>> = BTreeMap::new();
    for (index, run) in in_order.iter().enumerate() {
        for sample in samples(run) {
            let Some((_, what)) = SHOWN.iter().find(|(name, _)| *name == sample.metric.name) else {
                continue;
            };
            let point = by_measurement.entry(name(&sample)).or_default().entry(index).or_default();
            match *what {
                "rate" => point.rate = Some(sample.value),
                _ => point.p99_ns = Some(sample.value).filter(|ns| *ns > 0.0),
            }
        }
    }
    let mut text = Text::new();
    for (measurement, points) in by_measurement {
        text.append(drawn(&measurement, &points, &in_order));
        text.gap();
    }
    if text == Text::new() {
        text.push(Line::new().dim("the runs have no measurement in common"));
    }
    text
}

/// The labels' values that distinguish measurements: `db2:5555 async`, `/u01 ora-lgwr write sequential 8192 1 1`.
fn name(sample: &Sample) -> String {
    let telling = sample.labels.iter().filter(|(name, value)| name != "reverse" || value == "true");
    telling
        .map(|(name, value)| if name == "reverse" { "reverse" } else { value })
        .collect::<Vec<_>>()
        .join(" ")
}

fn drawn(measurement: &str, points: &BTreeMap<usize, Point>, runs: &[&Run]) -> Text {
    let mut listed = Table::new(measurement, &["run", "began (UTC)", "#mean MB/s", "#change", "#p99", "tag"]);
    let mut before: Option<f64> = None;
    for (index, point) in points {
        let run = runs[*index];
        let change =
            point.rate.zip(before.filter(|before| *before > 0.0)).map(|(now, then)| now / then - 1.0);
        listed.rows.push(vec![
            run.run_id.clone(),
            run.started.strftime("%Y-%m-%d %H:%M").to_string(),
            point
                .rate
                .map(|rate| format::rate(rate).trim_end_matches(" MB/s").to_owned())
                .unwrap_or_default(),
            change.map(|share| format!("{:+.0} %", share * 100.0)).unwrap_or_default(),
            point.p99_ns.map(format::time).unwrap_or_default(),
            run.tag.clone().unwrap_or_default(),
        ]);
        before = point.rate.or(before);
    }
    table(&listed)
}
