//! What is read of an answer: its bottleneck, its causes, its findings.

use regex::Regex;
use serde_json::Value;

pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Findings that a reader would act on, the worst first.
pub(super) fn severe(answer: &Value) -> Vec<&Value> {
    let of = |severity| {
        list(answer, "findings").iter().filter(move |finding| text(finding, "severity") == severity)
    };
    of("critical").chain(of("warning")).collect()
}

/// Code and message, which expectations are matched against.
pub(super) fn said(finding: &Value) -> String {
    format!("{} {}", text(finding, "code"), text(finding, "message"))
}

/// Code and subject of a cause, which expectations are matched against.
pub(super) fn blamed(cause: &Value) -> String {
    format!("{} {}", text(cause, "code"), text(cause, "subject"))
}

/// Each text that accuses: code and subject of the bottleneck, code and message of each severe finding.
pub(super) fn accusations(answer: &Value) -> Vec<&str> {
    let bottleneck = &answer["bottleneck"];
    let mut texts = vec![text(bottleneck, "code"), text(bottleneck, "subject")];
    for finding in severe(answer) {
        texts.extend([text(finding, "code"), text(finding, "message")]);
    }
    texts
}

/// The layer of the bottleneck or, in an answer without one, of the worst finding, of those that name the fault if any do.
pub(super) fn layer<'a>(answer: &'a Value, fault: Option<&Regex>) -> &'a str {
    let layer = if answer["bottleneck"].is_object() {
        text(&answer["bottleneck"], "layer")
    } else {
        let worst = severe(answer);
        let named = worst.iter().find(|finding| fault.is_some_and(|fault| fault.is_match(&said(finding))));
        named.or(worst.first()).map_or("", |finding| text(finding, "layer"))
    };
    if layer.is_empty() { "none" } else { layer }
}

pub(super) fn paths(answer: &Value) -> &[Value] {
    list(answer, "paths")
}

pub(super) fn causes<'a>(answers: &'a [Value], role: Option<&str>) -> Vec<&'a Value> {
    let all = answers.iter().flat_map(paths).flat_map(|path| list(path, "causes"));
    all.filter(|cause| role.is_none_or(|role| text(cause, "role") == role)).collect()
}

/// What the answer names as what limits: its primary causes, else its bottleneck; where an answer has neither, its worst finding.
pub(super) fn culprits(answer: &Value) -> Vec<&Value> {
    let primary = causes(std::slice::from_ref(answer), Some("primary"));
    if !primary.is_empty() {
        return primary;
    }
    match &answer["bottleneck"] {
        Value::Object(_) => vec![&answer["bottleneck"]],
        _ => severe(answer).into_iter().take(1).collect(),
    }
}

/// The code of the first of them.
pub(super) fn named(answer: &Value) -> &str {
    let code = culprits(answer).first().map_or("", |culprit| text(culprit, "code"));
    if code.is_empty() { "none" } else { code }
}

/// The path with a primary cause, else the first.
fn worst_path(answer: &Value) -> Option<(&Value, Option<&Value>)> {
    let with_cause = paths(answer).iter().find_map(|path| {
        let primary = list(path, "causes").iter().find(|cause| text(cause, "role") == "primary")?;
        Some((path, Some(primary)))
    });
    with_cause.or_else(|| Some((paths(answer).first()?, None)))
}

/// What the first answer promised and what the last one measured of the same.
pub(super) fn promised_and_healed(answers: &[Value]) -> (Option<f64>, Option<f64>) {
    let (Some(first), Some(last)) = (answers.first(), answers.last()) else { return (None, None) };
    let cause = worst_path(first).and_then(|(_, cause)| cause);
    let promised = cause.and_then(|cause| cause["after"]["value"].as_f64());
    let same = cause.map(|cause| &cause["measurement"]).filter(|id| !id.is_null()).and_then(|id| {
        paths(last)
            .iter()
            .flat_map(|path| list(path, "measurements"))
            .find(|measurement| measurement["id"] == *id)
    });
    let healed = match same {
        Some(measurement) => measurement["value"].as_f64(),
        None => worst_path(last).and_then(|(path, _)| path["measured"].as_f64()),
    };
    (promised, healed)
}

/// The numbers at a path like `net.*.throughput_bytes_per_s`.
pub(super) fn values(node: &Value, path: &[&str]) -> Vec<f64> {
    let Some((head, rest)) = path.split_first() else {
        let truth = node.as_bool().map(|truth| f64::from(u8::from(truth)));
        return node.as_f64().or(truth).into_iter().collect();
    };
    match (node, *head) {
        (Value::Array(children), "*") => children.iter().flat_map(|child| values(child, rest)).collect(),
        (Value::Object(children), "*") => children.values().flat_map(|child| values(child, rest)).collect(),
        (Value::Object(children), key) => {
            children.get(key).map_or_else(Vec::new, |child| values(child, rest))
        }
        _ => Vec::new(),
    }
}

/// The kernel that the answer was given on.
pub(super) fn kernel(answer: &Value) -> Option<&str> {
    let release = answer["check"]["host"]["os"]["kernel_release"].as_str();
    release.filter(|release| !release.is_empty())
}

/// The day on which it was asked.
pub(super) fn day(answer: &Value) -> Option<&str> {
    answer["started"].as_str()?.get(..10)
}
