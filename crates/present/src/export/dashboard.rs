//! A Grafana dashboard over the exported names.

use super::judgement::{
    CEILING_SHARE, FINDING, FINDINGS, GAPS, PATH_BOTTLENECK, PATH_VERDICT, RUN_INFO, RUN_TIMESTAMP,
    amount_name,
};
use super::names::exported;
use fullwire_model::metric::metric;
use fullwire_model::quantity::Unit;
use serde_json::{Value, json};

/// Grafana 9.3 and later read it (grafana/grafana: `DashboardMigrator`, LATEST 37 and above migrate it).
const SCHEMA_VERSION: u32 = 37;
const UID: &str = "fullwire-io-path";
/// A row of panels is 24 wide.
const WIDTH: u32 = 24;
const HEIGHT: u32 = 8;

/// One panel.
struct Panel {
    title: &'static str,
    kind: &'static str,
    unit: &'static str,
    width: u32,
    /// Each with its legend.
    queries: Vec<(String, &'static str)>,
}

/// The dashboard, as Grafana imports it.
pub fn dashboard() -> Value {
    let panels = panels();
    let mut drawn = Vec::new();
    let (mut x, mut y) = (0, 0);
    for (index, panel) in panels.iter().enumerate() {
        if x + panel.width > WIDTH {
            (x, y) = (0, y + HEIGHT);
        }
        drawn.push(panel.json(index + 1, x, y));
        x += panel.width;
    }
    json!({
        "__inputs": [{
            "name": "DS_PROMETHEUS", "label": "Prometheus", "type": "datasource", "pluginId": "prometheus",
            "pluginName": "Prometheus",
        }],
        "uid": UID,
        "title": "fullwire: I/O paths of database servers",
        "tags": ["fullwire", "database"],
        "schemaVersion": SCHEMA_VERSION,
        "version": 1,
        "editable": true,
        "refresh": "5m",
        "time": { "from": "now-14d", "to": "now" },
        "templating": { "list": [{
            "name": "instance",
            "type": "query",
            "datasource": source(),
            "query": { "query": format!("label_values({RUN_INFO}, instance)"), "refId": "instance" },
            "definition": format!("label_values({RUN_INFO}, instance)"),
            "refresh": 2, "multi": true, "includeAll": true, "sort": 1,
            "current": { "text": "All", "value": "$__all" },
        }]},
        "panels": drawn,
    })
}

fn source() -> Value {
    json!({ "type": "prometheus", "uid": "${DS_PROMETHEUS}" })
}

impl Panel {
    fn json(&self, id: usize, x: u32, y: u32) -> Value {
        let targets = self.queries.iter().enumerate().map(|(index, (expression, legend))| {
            json!({
                "refId": char::from(b'A' + u8::try_from(index).unwrap_or(0)).to_string(),
                "datasource": source(),
                "expr": expression,
                "legendFormat": legend,
                "instant": self.kind == "table",
                "range": self.kind != "table",
                "format": if self.kind == "table" { "table" } else { "time_series" },
            })
        });
        json!({
            "id": id,
            "title": self.title,
            "type": self.kind,
            "datasource": source(),
            "gridPos": { "h": HEIGHT, "w": self.width, "x": x, "y": y },
            "fieldConfig": { "defaults": { "unit": self.unit, "min": 0 }, "overrides": [] },
            "options": {},
            "targets": targets.collect::<Vec<_>>(),
        })
    }
}

/// Those of a page, in rows.
fn panels() -> Vec<Panel> {
    [state(), paths(), latency(), host()].into_iter().flatten().collect()
}

const HERE: &str = "{instance=~\"$instance\"}";
/// The legend of a measurement.
const PATH: &str = "{{instance}} {{target}} {{measurement}}";

fn panel(
    title: &'static str,
    kind: &'static str,
    unit: &'static str,
    width: u32,
    queries: Vec<(String, &'static str)>,
) -> Panel {
    Panel { title, kind, unit, width, queries }
}

/// How the hosts are, in one row.
fn state() -> Vec<Panel> {
    let findings =
        format!("sum by (instance, severity) ({FINDINGS}{{instance=~\"$instance\", severity!=\"info\"}})");
    let age = format!("time() - {RUN_TIMESTAMP}{HERE}");
    vec![
        panel("Findings", "timeseries", "none", 8, vec![(findings, "{{instance}} {{severity}}")]),
        panel("Age of the last run", "timeseries", "s", 8, vec![(age, "{{instance}}")]),
        panel(
            "Not read or measured",
            "timeseries",
            "none",
            8,
            vec![(format!("{GAPS}{HERE}"), "{{instance}}")],
        ),
    ]
}

/// What each path reaches, with its ceiling, and what limits it.
fn paths() -> Vec<Panel> {
    let amount = |what: &str| format!("{}{HERE}", amount_name(what, Unit::BytesPerS).unwrap_or_default());
    let limits = vec![(format!("{PATH_BOTTLENECK}{HERE}"), "{{instance}} {{target}}: {{code}}")];
    let verdicts = vec![(format!("{PATH_VERDICT}{HERE} == 1"), "{{instance}} {{target}}: {{verdict}}")];
    let beside = vec![
        (amount("measured"), PATH),
        (amount("ceiling"), "ceiling of {{instance}} {{target}} {{measurement}}"),
    ];
    let share = vec![(format!("{CEILING_SHARE}{HERE}"), PATH)];
    vec![
        panel("What limits each path", "state-timeline", "none", 12, limits),
        panel("Verdict of each path", "state-timeline", "none", 12, verdicts),
        panel("Throughput and its ceiling", "timeseries", "Bps", 12, beside),
        panel("Share of the ceiling", "timeseries", "percentunit", 12, share),
    ]
}

/// How long messages and I/Os take.
fn latency() -> Vec<Panel> {
    let both = |place: &str| {
        vec![
            (of(&format!("{place}.p50")), "p50 {{instance}} {{target}} {{measurement}}"),
            (of(&format!("{place}.p99")), "p99 {{instance}} {{target}} {{measurement}}"),
        ]
    };
    vec![
        panel("Network latency", "timeseries", "s", 12, both("net[].latency_ns")),
        panel("Storage latency", "timeseries", "s", 12, both("disk[].steps[].latency_ns")),
        panel("Retransmitted segments", "timeseries", "none", 12, vec![(of("net[].tcp.retransmits"), PATH)]),
        panel(
            "Path MTU",
            "timeseries",
            "decbytes",
            12,
            vec![(of("mtu[].path_mtu_bytes"), "{{instance}} {{target}}")],
        ),
    ]
}

/// What the host's own counters say, and the findings.
fn host() -> Vec<Panel> {
    let rate = |selector: &str| format!("rate({}[1h])", of(selector));
    let bytes = vec![
        (rate("windows[].to.disks{}.read_bytes"), "read {{instance}} {{disk}}"),
        (rate("windows[].to.disks{}.write_bytes"), "written {{instance}} {{disk}}"),
    ];
    let space = vec![(of("host.mounts[].space.available_bytes"), "{{instance}} {{target}}")];
    vec![
        panel("Disks: bytes", "timeseries", "Bps", 12, bytes),
        panel("Free space", "timeseries", "decbytes", 12, space),
        panel("Findings of the last run", "table", "none", 24, vec![(format!("{FINDING}{HERE}"), "")]),
    ]
}

/// The metric at a selector, of the hosts that were chosen.
fn of(selector: &str) -> String {
    format!("{}{HERE}", name(selector))
}

/// The exported name at a selector of the metric table; a test asks for each.
fn name(selector: &str) -> String {
    metric(selector).map(|metric| exported(metric).name).unwrap_or_default()
}

/// The metrics in an expression are exported, and counters alone are rated.
#[cfg(test)]
pub(super) fn assert_known(expression: &str) {
    let names = super::names::exported_names();
    let asked: Vec<&str> = expression
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| word.starts_with("fullwire_"))
        .collect();
    assert!(!asked.is_empty(), "{expression}");
    for name in asked {
        assert!(names.contains(name), "{name} is not exported: {expression}");
        assert_eq!(expression.contains("rate("), name.ends_with("_total"), "{expression}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_asks_for_metrics_that_are_exported() {
        let expressions: Vec<String> =
            panels().into_iter().flat_map(|panel| panel.queries).map(|(expression, _)| expression).collect();
        assert!(expressions.len() > 14);
        for expression in &expressions {
            assert_known(expression);
        }
    }

    #[test]
    fn panels_lie_beside_each_other_and_none_over_another() {
        let dashboard = dashboard();
        let panels = dashboard["panels"].as_array().unwrap();
        let mut cells = std::collections::BTreeSet::new();
        for panel in panels {
            let at = |key: &str| panel["gridPos"][key].as_u64().unwrap();
            for x in at("x")..at("x") + at("w") {
                assert!(x < u64::from(WIDTH) && cells.insert((x, at("y"))), "{panel}");
            }
        }
        let ids: std::collections::BTreeSet<u64> =
            panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
        assert_eq!(ids.len(), panels.len());
    }
}
