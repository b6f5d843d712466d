//! The metric table: every numeric field of a run with its name, unit, kind and help.
//!
//! The table is made from the records themselves: the field's place is its name, its suffix its unit, its doc
//! comment its help. So it cannot be forgotten when a field is added, and nothing is written a second time;
//! what is deliberately no metric is in [`NOT_METRICS`] with the reason.

mod table;
#[cfg(test)]
mod tests;
mod unit;

pub use table::{metric, metrics};

use crate::Run;
use crate::quantity::Unit;
use serde_json::Value;

/// One numeric field.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its place: `net[].latency_ns.p50`; `[]` is any element of a list, `{}` any key of a map.
    pub selector: String,
    /// Its public name: `fullwire_net_latency_ns_p50`.
    pub name: String,
    /// The unit of its samples.
    pub unit: Unit,
    /// What the field's number is multiplied with to be in that unit (a field in ms, a sample in ns).
    pub factor: f64,
    /// What may be done with it.
    pub kind: Kind,
    /// One paragraph.
    pub help: String,
}

/// What may be done with a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A value of its moment.
    Gauge,
    /// Only grows: its difference over a window means something.
    Counter,
}

/// One value of a metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// What it is a value of.
    pub metric: &'static Metric,
    /// What it belongs to, from the run inward: `("target", "db2:5555")`.
    pub labels: Vec<(String, String)>,
    /// The value, in the metric's unit.
    pub value: f64,
}

/// Parts of selectors whose numbers are no metrics, and why. A part matches whole segments.
pub const NOT_METRICS: &[(&str, &str)] = &[
    ("plan", "what was asked for, not what was found"),
    ("command", "what was asked for, not what was found"),
    ("from", "the start of a counter: only its end and the difference are shown"),
    ("intervals", "a series within a run: drawn, not listed"),
    ("buckets", "a distribution: drawn, not listed"),
    ("histograms", "a distribution: drawn, not listed"),
    ("series", "a series within a run: drawn, not listed"),
    ("probes", "a series within a run: the result is listed"),
    ("logs", "a series within a run: drawn, not listed"),
    ("second", "the other period of a compare-period report, listed in the document"),
    ("window_scale", "a pair of shifts, not a quantity"),
    ("pid", "an identity"),
    ("parent_pid", "an identity"),
    ("creator_pid", "an identity"),
    ("tid", "an identity"),
    ("uid", "an identity"),
    ("id", "an identity"),
    ("db_id", "an identity"),
    ("instance_number", "an identity"),
    ("begin_snap", "an identity"),
    ("end_snap", "an identity"),
    ("index", "an identity"),
    ("probe", "an identity"),
    ("member", "an identity"),
    ("inode", "an identity"),
    ("line", "a place in a file"),
    ("number", "an identity"),
    ("vlan_id", "an identity"),
    ("numa_node", "an identity"),
    ("aggregator_id", "an identity"),
    ("port", "an identity"),
    ("ttl", "an identity"),
    ("dscp", "an identity"),
];

/// Fields that distinguish the elements of a list, in this order, as far as an element has them.
const LABELS: &[&str] = &[
    "target", "mode", "reverse", "profile", "operation", "pattern", "block_bytes", "queue_depth", "threads",
    "name", "device", "number", "source", "subject", "metric", "path", "address", "destination", "interface",
    "parent", "handle", "pid", "tid", "id", "ttl", "protocol", "port", "local", "remote", "instance",
    "db_name",
];

/// Every value of every metric that the run contains.
pub fn samples(run: &Run) -> impl Iterator<Item = Sample> + use<> {
    let mut found = Vec::new();
    // A run is plain data: it always becomes a value.
    if let Ok(value) = crate::json::tree(run) {
        walk(&value, "", &mut Vec::new(), &mut found);
    }
    found.into_iter()
}

fn walk(value: &Value, selector: &str, labels: &mut Vec<(String, String)>, found: &mut Vec<Sample>) {
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                if table::is_map(selector) {
                    add(labels, selector, singular(selector), key.clone());
                    walk(inner, &format!("{selector}{{}}"), labels, found);
                    labels.pop();
                } else {
                    walk(inner, &joined(selector, key), labels, found);
                }
            }
        }
        Value::Array(elements) => {
            let inner = format!("{selector}[]");
            for (position, element) in elements.iter().enumerate() {
                let before = labels.len();
                for (name, value) in labels_of(element) {
                    add(labels, selector, name, value);
                }
                if labels.len() == before {
                    add(labels, selector, "position".into(), position.to_string());
                }
                walk(element, &inner, labels, found);
                labels.truncate(before);
            }
        }
        Value::Number(number) => {
            if let (Some(metric), Some(value)) = (metric(selector), number.as_f64()) {
                found.push(Sample { metric, labels: labels.clone(), value: value * metric.factor });
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Adds a label; one that an outer element has already is distinguished by the list's name.
fn add(labels: &mut Vec<(String, String)>, selector: &str, name: String, value: String) {
    let taken = labels.iter().any(|(other, _)| *other == name);
    let name = if taken { format!("{}_{name}", singular(selector)) } else { name };
    labels.push((name, value));
}

/// The field's name below a selector.
fn joined(selector: &str, field: &str) -> String {
    if selector.is_empty() { field.to_owned() } else { format!("{selector}.{field}") }
}

/// What one element of a list or map is called: its name without its plural.
fn singular(selector: &str) -> String {
    let last = selector.rsplit('.').next().unwrap_or(selector).trim_end_matches(['[', ']', '{', '}']);
    last.strip_suffix('s').unwrap_or(last).to_owned()
}

fn labels_of(element: &Value) -> Vec<(String, String)> {
    let label = |name: &&str| {
        let text = match element.get(*name)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(yes) => yes.to_string(),
            _ => return None,
        };
        Some(((*name).to_owned(), text))
    };
    LABELS.iter().filter_map(label).collect()
}
