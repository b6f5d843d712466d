//! Prometheus' text and OpenMetrics 1.0.
//!
//! [`text`] writes what both take: `node_exporter`'s textfile collector reads the older text format 0.0.4 and
//! loses the whole file over a type that is new in OpenMetrics, which in turn refuses a counter whose family is named
//! as the older format names it. So gauges are typed, counters end in `_total` and are left untyped (`PromQL` does not
//! look at types), information is a gauge of 1, and the file ends in `# EOF`, which is a comment to the older format.
//! [`openmetrics`] writes OpenMetrics as it is meant, for a server that asks for it.

use super::family::plain;
use super::value::{Family, FamilyKind, Point};
use crate::Printed;

/// The older text format, which every scraper takes.
pub const CONTENT_TYPE_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// OpenMetrics 1.0.
pub const CONTENT_TYPE_OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What both parsers take.
pub fn text(families: &[Family]) -> Printed {
    document(families, common_head)
}

/// OpenMetrics 1.0 with its own types.
pub fn openmetrics(families: &[Family]) -> Printed {
    document(families, typed_head)
}

fn document(families: &[Family], head: fn(&Family) -> String) -> Printed {
    let mut text = String::new();
    for family in families.iter().filter(|family| !family.points.is_empty()) {
        text.push_str(&head(family));
        for point in &family.points {
            text.push_str(&sample(&family.name, point));
        }
    }
    // A comment that the end of the file cuts off is an error to Go's parser: its newline is needed.
    text.push_str("# EOF\n");
    Printed::lines(&text)
}

fn common_head(family: &Family) -> String {
    let name = &family.name;
    let help = format!("# HELP {name} {}\n", help(&family.help));
    match (family.kind, family.unit) {
        (FamilyKind::Counter, _) => help,
        (_, Some(unit)) => format!("{help}# TYPE {name} gauge\n# UNIT {name} {unit}\n"),
        (_, None) => format!("{help}# TYPE {name} gauge\n"),
    }
}

fn typed_head(family: &Family) -> String {
    let (suffix, kind) = match family.kind {
        FamilyKind::Gauge => ("", "gauge"),
        FamilyKind::Counter => ("_total", "counter"),
        FamilyKind::Info => ("_info", "info"),
    };
    let name = family.name.strip_suffix(suffix).unwrap_or(&family.name);
    let unit = family.unit.map(|unit| format!("# UNIT {name} {unit}\n")).unwrap_or_default();
    format!("# HELP {name} {}\n# TYPE {name} {kind}\n{unit}", help(&family.help))
}

/// One line without what either format escapes in its own way.
fn help(text: &str) -> String {
    let text: String = text.chars().filter(|c| !matches!(c, '\\' | '"' | '`')).collect();
    crate::harmless(&text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sample(name: &str, point: &Point) -> String {
    let labels: Vec<String> =
        point.labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    format!("{name}{labels} {}\n", plain(point.value))
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
