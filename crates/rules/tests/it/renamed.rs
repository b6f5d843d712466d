//! What things are called decides nothing: with every disk, interface, mount and peer renamed, the rules say the same of
//! the new names.

use super::fixtures::{Case, fires};
use fullwire_model::json::{of_tree, tree};
use fullwire_rules::{assess, rules};
use serde_json::Value;
use std::thread;

/// Other names of the same kind that sort alike, so that the order of findings stays.
const RENAMED: [(&str, &str); 5] =
    [("sd", "sdz"), ("eth", "eth9"), ("/u0", "/u9"), ("mpath", "mpathx"), ("db2", "db20")];

/// The text with each name that begins a word and goes on as names of its kind do replaced.
fn renamed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let joined = matches!(before, '-' | '.');
        let begins =
            |old: &str| !before.is_ascii_alphanumeric() && before != '_' && (!joined || old == "eth");
        if let Some((old, new)) = RENAMED.iter().find(|(old, _)| begins(old) && is_name(rest, old)) {
            out.push_str(new);
            rest = &rest[old.len()..];
            before = 'x';
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            before = first;
        }
    }
    out
}

/// `sda`, `eth0`, `/u01`, `mpatha`, `db2`: the prefix and what tells the things of a kind apart.
fn is_name(text: &str, prefix: &str) -> bool {
    let Some(rest) = text.strip_prefix(prefix) else { return false };
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let own = &rest[..end];
    match prefix {
        "sd" => {
            (1..=2).contains(&own.trim_end_matches(|c: char| c.is_ascii_digit()).len())
                && own.starts_with(|c: char| c.is_ascii_lowercase())
        }
        "mpath" => own.len() == 1 && own.starts_with(|c: char| c.is_ascii_lowercase()),
        "eth" | "/u0" => !own.is_empty() && own.bytes().all(|c| c.is_ascii_digit()),
        _ => own.is_empty(),
    }
}

fn renamed_tree(value: &Value) -> Value {
    with_texts(value, &renamed)
}

/// The tree with each text of it, and each key, as `told` has it.
pub(crate) fn with_texts(value: &Value, told: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(told(text)),
        Value::Array(all) => all.iter().map(|one| with_texts(one, told)).collect(),
        Value::Object(fields) => fields.iter().map(|(key, one)| (told(key), with_texts(one, told))).collect(),
        other => other.clone(),
    }
}

#[test]
fn what_things_are_called_decides_nothing() {
    let with_names: Vec<(&Case, Value)> = rules().flat_map(fires).filter_map(other).collect();
    assert!(with_names.len() > 300, "{} cases have such a name", with_names.len());
    let half = with_names.len() / 2;
    let wrong: Vec<String> = thread::scope(|scope| {
        let halves = [&with_names[..half], &with_names[half..]];
        let judged = halves.map(|cases| scope.spawn(|| cases.iter().filter_map(judged_otherwise).collect()));
        judged.into_iter().flat_map(|one| one.join().unwrap_or_else(|_| vec!["it panics".into()])).collect()
    });
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The case with other names, if it has any.
fn other(case: &'static Case) -> Option<(&'static Case, Value)> {
    let run = tree(&case.run).unwrap();
    let other = renamed_tree(&run);
    (other != run).then_some((case, other))
}

fn judged_otherwise((case, other): &(&Case, Value)) -> Option<String> {
    let expected = renamed_tree(&tree(&assess(&case.run)).unwrap());
    let found = tree(&assess(&of_tree(other).unwrap())).unwrap();
    difference(&expected, &found, "").map(|place| format!("{case}: {place}"))
}

/// The first place in which two trees differ, with both values.
fn difference(one: &Value, other: &Value, at: &str) -> Option<String> {
    use Value::{Array, Object};
    match (one, other) {
        (Object(one), Object(other)) if one.len() == other.len() => one.iter().find_map(|(key, value)| {
            difference(value, other.get(key).unwrap_or(&Value::Null), &format!("{at}.{key}"))
        }),
        (Array(one), Array(other)) if one.len() == other.len() => one
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(index, (one, other))| difference(one, other, &format!("{at}[{index}]"))),
        _ => (one != other).then(|| format!("{at}: {one} and {other}")),
    }
}
