//! A host's record as a map from field names to values.

use super::names;
use fullwire_model::host::Host;
use serde_json::Value;
use std::collections::BTreeMap;

/// Fields by their names.
pub type Fields = BTreeMap<String, Field>;

/// One field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its value.
    pub value: Value,
    /// Where it is in the record (RFC 6901).
    pub(super) pointer: String,
}

impl Field {
    /// On one line.
    pub fn shown(&self) -> String {
        shown(&self.value)
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Array(elements) => elements.iter().map(shown).collect::<Vec<_>>().join(","),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Null => "unknown".to_owned(),
        other => other.to_string(),
    }
}

/// Ends the name under which the presence of an element of a list is reported.
pub(super) const IS_THERE: &str = " present";

/// Deeper than any record is.
const DEEPEST: usize = 16;

/// Every field of a host's record. A setting under `/proc/sys` has its own name, all others that of their place.
pub fn fields(host: &Host) -> Fields {
    let mut found = Fields::new();
    // A record is plain data: it always becomes a value.
    if let Ok(record) = fullwire_model::json::tree(host) {
        walk(&record, "", "", 0, &mut found);
    }
    found
}

/// One field by its name.
pub(super) fn field(host: &Host, name: &str) -> Option<Field> {
    match host.sysctls.get(name) {
        Some(text) => Some(Field { value: Value::String(text.clone()), pointer: String::new() }),
        None => fields(host).remove(name),
    }
}

fn walk(value: &Value, name: &str, pointer: &str, depth: usize, found: &mut Fields) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                if matches!(key.as_str(), "handle" | "parent")
                    && inner.as_str().is_some_and(names::is_automatic)
                {
                    continue;
                }
                let below = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                walk(inner, &joined(name, key), &below, depth + 1, found);
            }
        }
        Value::Array(elements) if elements.iter().any(Value::is_object) => {
            for (position, element) in elements.iter().enumerate() {
                let own = names::name_of(element).unwrap_or_else(|| (position + 1).to_string());
                let mut full = format!("{name} {own}");
                let below = format!("{pointer}/{position}");
                // Two elements of one name: routes with several next hops.
                if found.contains_key(&format!("{full}{IS_THERE}")) {
                    full = format!("{full} #{}", position + 1);
                }
                found.insert(
                    format!("{full}{IS_THERE}"),
                    Field { value: Value::Bool(true), pointer: String::new() },
                );
                walk(element, &full, &below, depth + 1, found);
            }
        }
        // What is not known on one side may be for lack of permission: it is no difference.
        Value::Null => {}
        plain => {
            found.insert(name.to_owned(), Field { value: plain.clone(), pointer: pointer.to_owned() });
        }
    }
}

fn joined(name: &str, key: &str) -> String {
    match name {
        "" | "sysctls" => key.to_owned(),
        _ => format!("{name} {key}"),
    }
}
