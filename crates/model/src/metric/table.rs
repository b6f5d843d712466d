//! The table, read once from the kept schema of a run.

use super::unit::unit;
use super::{Kind, Metric, NOT_METRICS, joined};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Counters' neighbours that are no counters.
const GAUGES: &[&str] = &[
    "monotonic_ns", "load", "procs_running", "memory_some_300s_ratio", "procs_blocked",
    "mem_available_bytes", "swap_free_bytes", "tcp_mem_pages", "neighbours", "recent_ns", "receive_queue",
    "send_queue", "mss_bytes", "rtt_ns", "rtt_min_ns", "cwnd_segments", "delivery_bytes_per_s",
    "conntrack_count", "in_flight", "backlog_bytes", "files_open", "aio_nr", "memory_current_bytes",
    "max_slots",
];

struct Table {
    metrics: Vec<Metric>,
    by_selector: HashMap<String, usize>,
    /// Beginnings of selectors that end at a map.
    maps: HashSet<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let schema: Value = crate::schema::kept("run")
        .and_then(|text| serde_json::from_str(text).ok())
        .expect("docs/schema has the schema of a run");
    let definitions = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut walk = Walk { definitions: &definitions, stack: Vec::new(), metrics: Vec::new() };
    walk.visit(&schema, "", "");
    let metrics = walk.metrics;
    let by_selector =
        metrics.iter().enumerate().map(|(index, metric)| (metric.selector.clone(), index)).collect();
    let maps = metrics.iter().flat_map(|metric| maps_in(&metric.selector)).collect();
    Table { metrics, by_selector, maps }
});

fn maps_in(selector: &str) -> impl Iterator<Item = String> + '_ {
    selector.match_indices("{}").map(|(at, _)| selector[..at].to_owned())
}

/// Every metric, in the order of the records.
pub fn metrics() -> &'static [Metric] {
    &TABLE.metrics
}

/// The metric of a selector.
pub fn metric(selector: &str) -> Option<&'static Metric> {
    TABLE.by_selector.get(selector).map(|index| &TABLE.metrics[*index])
}

/// What is at a selector is a map of names, not a record.
pub(super) fn is_map(selector: &str) -> bool {
    TABLE.maps.contains(selector)
}

/// A segment of it, or its last one, is named in [`NOT_METRICS`].
fn is_excluded(selector: &str) -> bool {
    let mut segments = selector.split('.').map(|segment| segment.trim_end_matches(['[', ']', '{', '}']));
    segments.any(|segment| NOT_METRICS.iter().any(|(part, _)| *part == segment))
}

struct Walk<'a> {
    definitions: &'a Map<String, Value>,
    /// Types that are being visited: a type within itself ends there.
    stack: Vec<String>,
    metrics: Vec<Metric>,
}

impl Walk<'_> {
    fn visit(&mut self, schema: &Value, selector: &str, help: &str) {
        let help =
            schema.get("description").and_then(Value::as_str).filter(|_| help.is_empty()).unwrap_or(help);
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            self.visit_definition(reference.trim_start_matches("#/$defs/"), selector, help);
        }
        for variant in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            self.visit(variant, selector, help);
        }
        if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
            for (name, inner) in fields {
                self.visit(inner, &joined(selector, name), "");
            }
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            self.visit(items, &format!("{selector}[]"), help);
        }
        // A map's values are under the first, those of a map with numbers for keys under the second.
        let of_numbers =
            schema.get("patternProperties").and_then(Value::as_object).and_then(|by| by.values().next());
        let values = schema.get("additionalProperties").filter(|values| values.is_object());
        if let Some(values) = of_numbers.or(values) {
            self.visit(values, &format!("{selector}{{}}"), help);
        }
        if is_number(schema) && !is_excluded(selector) {
            self.metrics.push(row(selector, help));
        }
    }

    fn visit_definition(&mut self, name: &str, selector: &str, help: &str) {
        let Some(definition) = self.definitions.get(name).filter(|_| !self.stack.iter().any(|it| it == name))
        else {
            return;
        };
        self.stack.push(name.to_owned());
        self.visit(definition, selector, help);
        self.stack.pop();
    }
}

fn is_number(schema: &Value) -> bool {
    let is = |kind: &Value| matches!(kind.as_str(), Some("number" | "integer"));
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
        None => false,
    }
}

fn row(selector: &str, help: &str) -> Metric {
    let (unit, factor) = unit(selector);
    let last = selector.rsplit('.').next().unwrap_or("").trim_end_matches(['[', ']', '{', '}']);
    let is_counter = selector.contains("windows[].to.") && !GAUGES.contains(&last);
    let bare: String = selector.chars().filter(|c| !"[]{}".contains(*c)).collect();
    let name = format!("fullwire_{}", bare.replace('.', "_").replace("windows_to_", "counters_"));
    let kind = if is_counter { Kind::Counter } else { Kind::Gauge };
    Metric { selector: selector.to_owned(), name, unit, factor, kind, help: help.to_owned() }
}
