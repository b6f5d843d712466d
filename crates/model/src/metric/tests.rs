use super::*;
use crate::disk::{DiskResult, DiskStepResult, LayerStats};
use crate::net::NetResult;
use crate::specimen::specimen;
use std::collections::BTreeSet;

/// Numbers of a value by their place, except for those below a part that is no metric.
fn numbers(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(place.to_owned()),
        Value::Array(elements) => {
            for inner in elements {
                numbers(inner, &format!("{place}[]"), found);
            }
        }
        Value::Object(fields) => {
            for (key, inner) in fields {
                // The filler's keys of maps are numbers or texts that no field is called.
                if key.starts_with("text ") || key.starts_with(|c: char| c.is_ascii_digit()) {
                    numbers(inner, &format!("{place}{{}}"), found);
                } else if !NOT_METRICS.iter().any(|(part, _)| part == key) {
                    numbers(inner, &joined(place, key), found);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_number_of_a_filled_run_is_a_metric_or_said_to_be_none() {
    let run: Run = specimen(1);
    let mut places = Vec::new();
    numbers(&serde_json::to_value(&run).unwrap(), "", &mut places);
    let samples: Vec<Sample> = samples(&run).collect();
    assert!(samples.len() > 1000, "{} samples", samples.len());
    let seen: BTreeSet<&str> = samples.iter().map(|sample| sample.metric.selector.as_str()).collect();
    let listed: BTreeSet<&str> = metrics().iter().map(|metric| metric.selector.as_str()).collect();
    let filled: BTreeSet<&str> = places.iter().map(String::as_str).collect();
    let not_listed: Vec<_> = filled.difference(&listed).collect();
    assert!(not_listed.is_empty(), "neither a metric nor said to be none: {not_listed:#?}");
    let never_sampled: Vec<_> = listed.difference(&seen).collect();
    assert!(never_sampled.is_empty(), "no sample of {never_sampled:#?}");
    assert_eq!(places.len(), samples.len());
}

#[test]
fn each_metric_has_a_name_of_its_own_and_a_help() {
    let names: BTreeSet<&str> = metrics().iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names.len(), metrics().len(), "a name is used twice");
    for metric in metrics() {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(metric.name.chars().all(is_plain), "{}", metric.name);
        assert!(!metric.help.is_empty(), "{}: its field has no doc comment", metric.selector);
    }
}

#[test]
fn each_sample_differs_from_every_other_by_its_name_or_labels() {
    let run: Run = specimen(2);
    let mut seen = BTreeSet::new();
    for sample in samples(&run) {
        let names: BTreeSet<&String> = sample.labels.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), sample.labels.len(), "a label twice: {:?}", sample.labels);
        assert!(seen.insert((sample.metric.name.clone(), sample.labels.clone())), "{sample:?} twice");
    }
}

fn value_of(run: &Run, name: &str) -> (f64, Unit, Vec<(String, String)>) {
    let sample =
        samples(run).find(|sample| sample.metric.name == name).unwrap_or_else(|| panic!("no {name}"));
    (sample.value, sample.metric.unit, sample.labels)
}

#[test]
fn a_sample_carries_its_unit_and_what_it_belongs_to() {
    let net = NetResult { target: "db2:5555".into(), throughput_bytes_per_s: 1e8, ..NetResult::default() };
    let layer = LayerStats { name: "sda".into(), await_ns: 2e6, ..LayerStats::default() };
    let step =
        DiskStepResult { profile: "ora-lgwr".into(), layers: vec![layer], ..DiskStepResult::default() };
    let disk = DiskResult { target: "/u01".into(), steps: vec![step], ..DiskResult::default() };
    let run = Run { net: vec![net], disk: vec![disk], ..Run::default() };
    let (rate, unit, labels) = value_of(&run, "fullwire_net_throughput_bytes_per_s");
    assert_eq!((rate, unit), (1e8, Unit::BytesPerS));
    assert!(labels.contains(&("target".into(), "db2:5555".into())), "{labels:?}");
    let (time, unit, labels) = value_of(&run, "fullwire_disk_steps_layers_await_ns");
    assert_eq!((time, unit), (2e6, Unit::Ns));
    for label in [("target", "/u01"), ("profile", "ora-lgwr"), ("name", "sda")] {
        assert!(labels.contains(&(label.0.into(), label.1.into())), "{labels:?}");
    }
}

#[test]
fn units_come_from_names() {
    let of = |selector: &str| {
        let metric = metric(selector).unwrap_or_else(|| panic!("no {selector}"));
        (metric.unit, metric.factor, metric.kind)
    };
    assert_eq!(of("net[].latency_ns.p99"), (Unit::Ns, 1.0, Kind::Gauge));
    assert_eq!(of("net[].latency_ns.count"), (Unit::Count, 1.0, Kind::Gauge));
    assert_eq!(of("net[].parts_ns.network.p50"), (Unit::Ns, 1.0, Kind::Gauge));
    assert_eq!(of("host.nics[].speed_mbit_per_s"), (Unit::BytesPerS, 125e3, Kind::Gauge));
    assert_eq!(of("windows[].to.disks{}.read_ms"), (Unit::Ns, 1e6, Kind::Counter));
    assert_eq!(of("windows[].to.disks{}.in_flight"), (Unit::Count, 1.0, Kind::Gauge));
    assert_eq!(of("disk[].steps[].requests_per_io"), (Unit::Ratio, 1.0, Kind::Gauge));
    assert!(metric("net[].plan.length_bytes").is_none());
}
