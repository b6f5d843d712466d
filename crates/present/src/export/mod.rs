//! A run for monitoring and CI, in the formats that their programs read.
//!
//! The numbers come from the metric table of the model and from the assessment; [`families`] puts them under the names
//! that Prometheus asks for, once, and each format draws those families or the assessment itself. Nothing here measures.

mod alerts;
mod checkmk;
mod dashboard;
mod earlier;
mod estate;
mod family;
mod judgement;
mod junit;
mod labels;
mod monitor;
mod nagios;
mod names;
mod openmetrics;
mod otlp;
mod sarif;
mod selection;
mod value;
mod zabbix;

pub use alerts::alerts;
pub use checkmk::checkmk;
pub use dashboard::dashboard;
pub use earlier::add_earlier;
pub use estate::estate;
pub use family::{families, plain, results};
pub use judgement::{PROBE_CONNECT, PROBE_DURATION, PROBE_SUCCESS, RUN_KEPT, SCRAPE_DURATION, single};
pub use junit::junit;
pub use monitor::{Service, ServiceState, nothing_kept};
pub use nagios::{nagios, nagios_unknown};
pub use names::{exported, exported_names};
pub use openmetrics::{CONTENT_TYPE_OPENMETRICS, CONTENT_TYPE_TEXT, openmetrics, text};
pub use otlp::otlp;
pub use sarif::sarif;
pub use selection::Scope;
pub use value::{Family, FamilyKind, Point};
pub use zabbix::zabbix;

/// A document that another program reads, a value a line.
pub fn document(tree: &serde_json::Value) -> crate::Printed {
    crate::Printed::json(&format!("{tree:#}\n"))
}

/// The last step of each document of JSON that another program shows to people: no text in it does anything there.
fn harmless_tree(tree: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match tree {
        Value::String(text) => Value::String(crate::harmless_lines(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(harmless_tree).collect()),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (crate::harmless(&name), harmless_tree(value))).collect()
        }
        plain => plain,
    }
}
