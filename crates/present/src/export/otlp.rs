//! OpenTelemetry's metrics as JSON (OTLP 1, the body of a POST to `/v1/metrics`).
//!
//! Keys are in lowerCamelCase, enumerations are integers and 64-bit integers are strings, as the specification's JSON
//! mapping has it (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding").

use super::value::{Family, FamilyKind, Point};
use fullwire_model::Run;
use jiff::SignedDuration;
use serde_json::{Value, json};

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`.
const CUMULATIVE: u8 = 2;

/// The request.
pub fn otlp(run: &Run, families: &[Family]) -> Value {
    let time = run.finished.as_nanosecond().to_string();
    // Counters of the kernel begin at its start.
    let uptime = run.host.os.uptime_s.and_then(|seconds| SignedDuration::try_from_secs_f64(seconds).ok());
    let boot =
        (run.started.as_nanosecond() - uptime.map_or(0, |uptime| uptime.as_nanos())).max(0).to_string();
    let metrics: Vec<Value> = families
        .iter()
        .filter(|family| family.kind != FamilyKind::Info)
        .map(|family| metric(family, &time, &boot))
        .collect();
    let resource = [
        ("service.name", "fullwire"),
        ("service.version", &run.tool_version),
        ("host.name", &run.host.hostname),
    ];
    super::harmless_tree(json!({
        "resourceMetrics": [{
            "resource": { "attributes": resource.map(|(key, value)| attribute(key, value)) },
            "scopeMetrics": [{
                "scope": { "name": "fullwire", "version": run.tool_version },
                "metrics": metrics,
            }],
        }],
    }))
}

fn metric(family: &Family, time: &str, boot: &str) -> Value {
    let counter = family.kind == FamilyKind::Counter;
    let points: Vec<Value> =
        family.points.iter().map(|point| data_point(point, time, counter.then_some(boot))).collect();
    let mut metric = json!({
        "name": family.name.replacen("fullwire_", "fullwire.", 1),
        "description": family.help,
        "unit": unit(family.unit),
    });
    if counter {
        metric["sum"] =
            json!({ "dataPoints": points, "aggregationTemporality": CUMULATIVE, "isMonotonic": true });
    } else {
        metric["gauge"] = json!({ "dataPoints": points });
    }
    metric
}

fn data_point(point: &Point, time: &str, start: Option<&str>) -> Value {
    let attributes: Vec<Value> = point.labels.iter().map(|(key, value)| attribute(key, value)).collect();
    let mut value = json!({ "attributes": attributes, "timeUnixNano": time, "asDouble": point.value });
    if let Some(start) = start {
        value["startTimeUnixNano"] = json!(start);
    }
    value
}

fn attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// As UCUM writes it.
fn unit(unit: Option<&str>) -> &'static str {
    match unit {
        Some("seconds") => "s",
        Some("bytes") => "By",
        Some("bytes_per_second") => "By/s",
        Some("io_per_second") => "{io}/s",
        Some("per_second") => "1/s",
        _ => "1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_claims_to_be_up_for_ever_has_no_start() {
        let mut run = Run { started: "2026-11-20T15:33:39Z".parse().unwrap(), ..Run::default() };
        for uptime_s in [1e19, f64::MAX] {
            run.host.os.uptime_s = Some(uptime_s);
            assert!(otlp(&run, &[])["resourceMetrics"].is_array());
        }
    }
}
