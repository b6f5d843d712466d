//! What distinguishes the elements of a list, so that they are compared with their counterparts and not by place.

use serde_json::Value;

/// Fields that name an element; the first set of which it has all is its name.
const NAMES: &[&[&str]] = &[
    &["target", "fs_type"],
    &["target"],
    &["destination", "interface"],
    &["kind", "parent", "handle"],
    &["name", "number"],
    &["name"],
    &["device"],
    &["path"],
    &["kind", "pid"],
    &["address"],
    &["vendor", "product"],
    &["start_sectors"],
    &["selector"],
    &["pid"],
    &["id"],
    &["pattern", "text"],
];

/// The kernel numbers disciplines that no one named from 8001 on (Linux `net/sched/sch_api.c`, `qdisc_alloc_handle`): another
/// number after each `tc qdisc add`. Those that it gives a device by itself have none, which is shown as `0:`.
pub(super) fn is_automatic(handle: &str) -> bool {
    let major = handle.split(':').next().and_then(|major| u32::from_str_radix(major, 16).ok());
    major.is_some_and(|major| major == 0 || major >= 0x8000)
}

/// The name of an element; `None`: it has none, and its place is all there is.
pub(super) fn name_of(element: &Value) -> Option<String> {
    let text = |field: &&str| match element.get(*field)? {
        Value::String(text) if matches!(*field, "handle" | "parent") && is_automatic(text) => {
            Some(String::new())
        }
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let named = |fields: &&[&str]| fields.iter().map(text).collect::<Option<Vec<_>>>().map(|all| words(&all));
    NAMES.iter().find_map(named)
}

/// The parts of a name that are not empty.
fn words(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}
