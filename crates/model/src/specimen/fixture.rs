//! The fixture file of a rule, for tests: a run, and cases that differ from it in a few places.
//!
//! ```json
//! { "base":   { "host": { "nics": [{ "name": "eth0", "up": true, "speed_mbit_per_s": 1000 }] } },
//!   "fires":  { "plain": {}, "slower": { "/host/nics/0/speed_mbit_per_s": 100 } },
//!   "silent": { "plain": { "/host/nics/0/speed_mbit_per_s": 10000 } },
//!   "unknown": { "plain": { "/host/nics/0/speed_mbit_per_s": null } } }
//! ```
//!
//! A patch names places as JSON pointers (RFC 6901; `/` in a name is `~1`). What is there becomes the value; objects on the
//! way are made, the place after the last entry of a list appends one, and `null` takes out what is there (last of all, the
//! last place first, so that places stay those of the run that is patched). Three words are no places: `from` starts at
//! another case (`"fires/slower"`) or at an empty run (`"nothing"`), `why` says why the case differs in so much.

use crate::{Run, json};
use serde_json::{Map, Value};

/// What a case shows of its rule: the files' keys beside `base`.
pub const KINDS: [&str; 5] = ["fires", "info", "effect", "silent", "unknown"];

/// One case of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// One of [`KINDS`].
    pub kind: String,
    /// `plain`, or what is special about it.
    pub name: String,
    /// The run as written: what it leaves out is not filled in.
    pub run: Value,
}

/// All cases of a file, in its order.
///
/// # Errors
/// The text is no fixture file; the error names the case and the place.
pub fn cases(text: &str) -> Result<Vec<Case>, String> {
    let file: Map<String, Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let strange = file.keys().find(|key| *key != "base" && !KINDS.contains(&key.as_str()));
    if let Some(key) = strange {
        return Err(format!("{key}: neither base nor one of {}", KINDS.join(", ")));
    }
    let mut found = Vec::new();
    for (kind, named) in file.iter().filter(|(key, _)| *key != "base") {
        for name in named.as_object().ok_or_else(|| format!("{kind}: cases are an object"))?.keys() {
            let run = run_of(&file, kind, name, 0).map_err(|error| format!("{kind}/{name}: {error}"))?;
            found.push(Case { kind: kind.clone(), name: name.clone(), run });
        }
    }
    Ok(found)
}

/// The run of the case `fires/plain` of a file.
///
/// # Panics
/// When the text is no fixture file or has no such case.
pub fn run(text: &str, case: &str) -> Run {
    let found = cases(text).unwrap_or_else(|error| panic!("{error}")).into_iter();
    let named =
        found.map(|one| (format!("{}/{}", one.kind, one.name), one.run)).find(|(name, _)| name == case);
    let (_, run) = named.unwrap_or_else(|| panic!("no case {case}"));
    json::of_tree(&run).unwrap_or_else(|error| panic!("{case}: {error}"))
}

/// Starts from other cases, one on top of another: a chain that is longer has a circle.
const LONGEST_CHAIN: usize = 8;

fn run_of(file: &Map<String, Value>, kind: &str, name: &str, depth: usize) -> Result<Value, String> {
    let patch = file.get(kind).and_then(|named| named.get(name)).and_then(Value::as_object);
    let patch = patch.ok_or_else(|| format!("no such case: {kind}/{name}"))?;
    let mut run = match patch.get("from").map(Value::as_str) {
        None => file.get("base").cloned().ok_or("the file has no base")?,
        Some(Some("nothing")) => Value::Object(Map::new()),
        Some(Some(from)) if depth < LONGEST_CHAIN => {
            let (kind, name) = from.split_once('/').ok_or_else(|| format!("from {from}: not KIND/NAME"))?;
            run_of(file, kind, name, depth + 1)?
        }
        Some(_) => return Err("from: a case of this file that does not start from this one".into()),
    };
    patched(&mut run, patch)?;
    Ok(run)
}

fn patched(run: &mut Value, patch: &Map<String, Value>) -> Result<(), String> {
    let mut removed = Vec::new();
    for (place, value) in patch.iter().filter(|(key, _)| !["from", "why"].contains(&key.as_str())) {
        match value {
            Value::Null => removed.push(place),
            value => put(run, place, value)?,
        }
    }
    removed.into_iter().rev().try_for_each(|place| take(run, place))
}

fn put(run: &mut Value, place: &str, value: &Value) -> Result<(), String> {
    let mut at = run;
    for key in keys(place)? {
        at = match at {
            Value::Array(list) => {
                let index: usize =
                    key.parse().map_err(|_| format!("{place}: {key} is no place of a list"))?;
                if index == list.len() {
                    list.push(Value::Null);
                }
                let length = list.len();
                list.get_mut(index).ok_or_else(|| format!("{place}: the list has {length} entries"))?
            }
            Value::Object(fields) => fields.entry(key).or_insert(Value::Null),
            // Made by the step before.
            Value::Null => {
                *at = Value::Object(Map::new());
                at.as_object_mut().ok_or("an object")?.entry(key).or_insert(Value::Null)
            }
            _ => return Err(format!("{place}: {key} lies in a value that has no parts")),
        };
    }
    *at = value.clone();
    Ok(())
}

fn take(run: &mut Value, place: &str) -> Result<(), String> {
    let nothing = || format!("{place}: nothing to take out");
    let (parent, _) = place.rsplit_once('/').ok_or_else(nothing)?;
    let key = keys(place)?.pop().ok_or_else(nothing)?;
    match run.pointer_mut(parent) {
        Some(Value::Object(fields)) => fields.remove(&key).map(drop).ok_or_else(nothing),
        Some(Value::Array(list)) => {
            let index = key.parse().ok().filter(|index| *index < list.len()).ok_or_else(nothing)?;
            list.remove(index);
            Ok(())
        }
        _ => Err(nothing()),
    }
}

/// The steps of a JSON pointer.
fn keys(place: &str) -> Result<Vec<String>, String> {
    let rest = place.strip_prefix('/').ok_or_else(|| format!("{place}: no JSON pointer, `from` or `why`"))?;
    Ok(rest.split('/').map(|key| key.replace("~1", "/").replace("~0", "~")).collect())
}

/// Places of all strings of a document, as JSON pointers (RFC 6901).
pub fn strings(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    add_strings(document, String::new(), &mut found);
    found
}

fn add_strings(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, item)| add_strings(item, format!("{at}/{index}"), found)),
        Value::Object(fields) => fields.iter().for_each(|(name, field)| {
            let name = name.replace('~', "~0").replace('/', "~1");
            add_strings(field, format!("{at}/{name}"), found);
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(file: &Value, case: &str) -> Result<Value, String> {
        let found = cases(&file.to_string())?;
        Ok(found.into_iter().find(|one| format!("{}/{}", one.kind, one.name) == case).expect("the case").run)
    }

    #[test]
    fn a_patch_sets_appends_makes_and_takes_out() {
        let file = json!({
            "base": { "a": [1, 2, 3], "b": { "x/y": 1 }, "c": true },
            "fires": { "plain": {} },
            "silent": {
                "plain": { "/b/x~1y": 2, "/a/3": 4, "/d/e/f": {}, "/c": null },
                "on": { "from": "silent/plain", "why": "it shows three", "/a/0": null, "/a/2": null, "/a/1": 9 },
                "new": { "from": "nothing", "/a": [] },
            },
        });
        assert_eq!(of(&file, "fires/plain"), Ok(file["base"].clone()));
        let plain = json!({ "a": [1, 2, 3, 4], "b": { "x/y": 2 }, "d": { "e": { "f": {} } } });
        assert_eq!(of(&file, "silent/plain"), Ok(plain));
        let on = json!({ "a": [9, 4], "b": { "x/y": 2 }, "d": { "e": { "f": {} } } });
        assert_eq!(of(&file, "silent/on"), Ok(on));
        assert_eq!(of(&file, "silent/new"), Ok(json!({ "a": [] })));
    }

    #[test]
    fn what_proves_nothing_is_refused() {
        for (patch, says) in [
            (json!({ "/b": null }), "/b: nothing to take out"),
            (json!({ "/a/1": null }), "/a/1: nothing to take out"),
            (json!({ "/a/2": 1 }), "/a/2: the list has 1 entries"),
            (json!({ "/a/0/x": 1 }), "/a/0/x: x lies in a value that has no parts"),
            (json!({ "a": 1 }), "a: no JSON pointer"),
            (json!({ "from": "fires/other" }), "no such case"),
            (json!({ "from": "silent/plain" }), "from: a case of this file"),
        ] {
            let file =
                json!({ "base": { "a": [1] }, "fires": { "plain": {} }, "silent": { "plain": patch } });
            let error = cases(&file.to_string()).expect_err("it is refused");
            assert!(error.starts_with("silent/plain: ") && error.contains(says), "{error}");
        }
        assert!(cases(r#"{ "base": {}, "fire": {} }"#).is_err_and(|error| error.starts_with("fire: ")));
        assert!(cases(r#"{ "fires": { "plain": {} } }"#).is_err_and(|error| error.contains("no base")));
    }
}
