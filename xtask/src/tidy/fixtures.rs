//! The fixtures of rules: one file for each, `crates/rules/fixtures/CODE.json`, whose form `crates/model/src/specimen/fixture.rs` tells.
//! A case that is silent shows where the rule's boundary is: it differs from one that fires in three fields at most, or says
//! why it differs in more.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const FOLDER: &str = "crates/rules/fixtures";
/// What every rule has a case of.
const KINDS: [&str; 3] = ["fires", "silent", "unknown"];
/// Fields in which a silent case may differ without a reason.
const MOST_FIELDS: usize = 3;
/// Silent cases that differ in more and say no reason. This number only falls: lower it with what you mend.
const WITHOUT_REASON: usize = 196;

pub(super) fn wrong(files: &[PathBuf], codes: &BTreeSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut wide = Vec::new();
    let mut seen = BTreeSet::new();
    for path in files.iter().filter(|path| path.starts_with(FOLDER)) {
        let code = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.parent() != Some(Path::new(FOLDER)) || !codes.contains(&code) {
            wrong.push(format!("{}: no rule has this code; the file is {FOLDER}/CODE.json", path.display()));
            continue;
        }
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let file: Value = match serde_json::from_str(&text) {
            Ok(file) => file,
            Err(error) => {
                wrong.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        let has = |kind: &&str| file[*kind].as_object().is_some_and(|cases| !cases.is_empty());
        let lacks = KINDS.iter().filter(|kind| !has(kind));
        wrong.extend(lacks.map(|kind| format!("{}: no case of the kind {kind}", path.display())));
        wide.extend(wide_cases(&file).into_iter().map(|name| format!("{code} silent/{name}")));
        seen.insert(code);
    }
    wrong.extend(
        codes.difference(&seen).map(|code| format!("{FOLDER}/{code}.json: the rule has no fixtures")),
    );
    wrong.extend(counted(&wide));
    wrong
}

fn counted(wide: &[String]) -> Option<String> {
    if wide.len() > WITHOUT_REASON {
        return Some(format!(
            "{} silent cases differ in more than {MOST_FIELDS} fields from one that fires and say no \"why\"; {WITHOUT_REASON} are \
             known, so the last that you wrote has to come closer or to say it",
            wide.len()
        ));
    }
    let lower = wide.len() + 5 < WITHOUT_REASON;
    lower.then(|| format!("xtask/src/tidy/fixtures.rs: lower WITHOUT_REASON to {}", wide.len()))
}

/// The silent cases of a file that differ in more than a person sees at a glance, and say no reason.
fn wide_cases(file: &Value) -> Vec<&str> {
    let cases = file["silent"].as_object().into_iter().flatten();
    let wide = cases.filter(|(_, patch)| patch["why"].as_str().is_none() && fields(patch) > MOST_FIELDS);
    wide.map(|(name, _)| name.as_str()).collect()
}

/// The values that a patch sets or takes out; a list or an object that it sets counts as what it contains.
fn fields(patch: &Value) -> usize {
    let places = patch.as_object().into_iter().flatten().filter(|(key, _)| key.starts_with('/'));
    places.map(|(_, value)| values(value)).sum()
}

fn values(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(values).sum::<usize>().max(1),
        Value::Object(fields) => fields.values().map(values).sum::<usize>().max(1),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_case_that_differs_in_much_is_counted_unless_it_says_why() {
        let file = json!({ "silent": {
            "near": { "/a": 1, "/b": null, "/c": "x" },
            "far": { "/a": { "b": [1, 2], "c": 3 }, "/d": 4 },
            "told": { "why": "another driver", "/a": [1, 2, 3, 4] },
            "other": { "from": "fires/plain", "/a": 1, "/b": 2, "/c": 3 },
        } });
        assert_eq!(wide_cases(&file), ["far"]);
    }
}
