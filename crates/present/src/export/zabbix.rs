//! Lines for `zabbix_sender -T -i -`: host, key, time, value.

use super::family::plain;
use super::judgement::path_kind;
use super::value::{Family, FamilyKind};
use crate::Printed;
use fullwire_model::Run;
use fullwire_model::assessment::Assessment;
use serde_json::json;

/// The host as `zabbix_sender`'s own configuration calls it.
const HOST: &str = "-";

/// What low-level discovery finds, then every number. `host`: as Zabbix calls it; `None`: as `zabbix_sender` is set up.
pub fn zabbix(run: &Run, assessment: &Assessment, families: &[Family], host: Option<&str>) -> Printed {
    let host = host.map_or_else(|| HOST.to_owned(), word);
    let seconds = run.finished.as_second();
    let mut text = line(&host, "fullwire.path.discovery", seconds, &discovery(assessment));
    text += &line(&host, "fullwire.verdict", seconds, assessment.verdict.name());
    for family in families.iter().filter(|family| family.kind != FamilyKind::Info) {
        for point in &family.points {
            let labels: Vec<&str> = point.labels.iter().map(|(_, value)| value.as_str()).collect();
            text += &line(&host, &key(&family.name, &labels), seconds, &plain(point.value));
        }
    }
    Printed::lines(&text)
}

/// One line for each measurement of each path.
fn discovery(assessment: &Assessment) -> String {
    let found = assessment.paths.iter().flat_map(|path| {
        path.measurements.iter().map(|measurement| {
            json!({
                "{#TARGET}": path.target,
                "{#KIND}": path_kind(path.kind),
                "{#MEASUREMENT}": measurement.id,
            })
        })
    });
    json!(found.collect::<Vec<_>>()).to_string()
}

/// `fullwire.net_latency_p50_seconds["db2:5555","sync"]`.
fn key(name: &str, parameters: &[&str]) -> String {
    let name = name.replacen("fullwire_", "fullwire.", 1);
    if parameters.is_empty() {
        return name;
    }
    // Within quotes a quote is escaped, and no other character is.
    let quoted: Vec<String> =
        parameters.iter().map(|one| format!("\"{}\"", one.replace('"', "\\\""))).collect();
    format!("{name}[{}]", quoted.join(","))
}

fn line(host: &str, key: &str, seconds: i64, value: &str) -> String {
    format!("{host} {} {seconds} {}\n", word(key), word(value))
}

/// An entry with blanks or quotes is in quotes, with quotes and backslashes escaped (man `zabbix_sender`).
fn word(text: &str) -> String {
    let text = crate::harmless(text);
    if !text.is_empty() && !text.contains([' ', '"', '\\']) {
        return text;
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
