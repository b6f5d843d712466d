//! Multipath maps as `multipathd show maps json` reports them.

use super::table::join_values;
use fullwire_model::host::{MapPath, MultipathMap, PathGroup};
use fullwire_model::{Gap, GapReason};
use serde::Deserialize;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Document {
    maps: Vec<JsonMap>,
    map: Option<JsonMap>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct JsonMap {
    name: String,
    uuid: String,
    sysfs: String,
    queueing: String,
    features: String,
    hwhandler: String,
    vend: String,
    prod: String,
    path_groups: Vec<JsonGroup>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct JsonGroup {
    selector: String,
    pri: Option<i64>,
    dm_st: String,
    paths: Vec<JsonPath>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct JsonPath {
    dev: String,
    dm_st: String,
    dev_st: String,
    chk_st: String,
}

/// Reads all maps, or the one of `show map NAME json`.
pub fn parse_multipathd_json(text: &str, path: &str, gaps: &mut Vec<Gap>) -> Vec<MultipathMap> {
    match fullwire_model::json::read::<Document>(text.as_bytes()) {
        Ok(document) => document.maps.into_iter().chain(document.map).map(map).collect(),
        Err(error) => {
            gaps.push(Gap::new(
                path,
                GapReason::Malformed,
                format!("{path}: not multipathd's JSON: {error}"),
            ));
            Vec::new()
        }
    }
}

fn map(json: JsonMap) -> MultipathMap {
    MultipathMap {
        name: json.name,
        device: json.sysfs,
        wwid: json.uuid,
        product: format!("{},{}", json.vend.trim(), json.prod.trim()),
        features: join_values(&json.features.split_whitespace().skip(1).collect::<Vec<_>>()),
        hardware_handler: json.hwhandler,
        groups: json.path_groups.into_iter().map(group).collect(),
        no_path_retry: no_path_retry(&json.queueing),
        source: String::new(),
    }
}

fn group(json: JsonGroup) -> PathGroup {
    PathGroup {
        selector: json.selector,
        state: json.dm_st,
        priority: json.pri,
        paths: json.paths.into_iter().map(path).collect(),
    }
}

fn path(json: JsonPath) -> MapPath {
    MapPath {
        device: json.dev,
        address: String::new(),
        dm_state: json.dm_st,
        checker_state: json.chk_st,
        device_state: json.dev_st,
        failures: None,
    }
}

/// How the daemon puts it: `off` fails immediately, `on` queues forever, `12 chk` and `60 sec` queue this long.
fn no_path_retry(queueing: &str) -> Option<String> {
    match queueing.trim() {
        "" | "-" => None,
        "off" => Some("fail".to_owned()),
        "on" => Some("queue".to_owned()),
        retries => Some(retries.strip_suffix(" chk").unwrap_or(retries).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_map_and_no_json() {
        let mut gaps = Vec::new();
        let one = parse_multipathd_json(r#"{"map": {"name": "a", "queueing": "12 chk"}}"#, "m", &mut gaps);
        assert_eq!((one.len(), one[0].no_path_retry.as_deref()), (1, Some("12")));
        assert!(parse_multipathd_json("error", "m", &mut gaps).is_empty());
        assert_eq!(gaps[0].reason, GapReason::Malformed);
    }
}
