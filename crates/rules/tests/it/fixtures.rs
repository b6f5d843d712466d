//! The fixtures of all rules: `fixtures/CODE.json`, read once.

use fullwire_model::fixture::KINDS;
use fullwire_model::json::{of_tree, tree};
use fullwire_model::{Run, fixture};
use fullwire_rules::{Rule, rules};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

/// One case of a rule.
pub(crate) struct Case {
    /// `receive-window fires/four-streams`.
    shown: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) run: Run,
    /// The run as it is written.
    written: Value,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// All cases of a rule, in the order of their kinds.
pub(crate) fn cases(code: &str) -> &'static [Case] {
    static READ: LazyLock<BTreeMap<&str, OnceLock<Vec<Case>>>> =
        LazyLock::new(|| rules().map(|rule| (rule.code, OnceLock::new())).collect());
    READ[code].get_or_init(|| read(code))
}

/// The cases of one kind; there may be none.
pub(crate) fn of_kind(rule: &Rule, kind: &str) -> impl Iterator<Item = &'static Case> {
    cases(rule.code).iter().filter(move |case| case.kind == kind)
}

/// The cases in which a rule fires.
pub(crate) fn fires(rule: &Rule) -> impl Iterator<Item = &'static Case> {
    of_kind(rule, "fires")
}

/// The case `fires/plain` of a rule.
pub(crate) fn case(code: &str, name: &str) -> &'static Case {
    let mut all = cases(code).iter();
    let found = all.find(|case| format!("{}/{}", case.kind, case.name) == name);
    found.unwrap_or_else(|| panic!("{code} has no case {name}"))
}

fn read(code: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/{code}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let found = fixture::cases(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let typed = |case: fixture::Case| {
        let shown = format!("{code} {}/{}", case.kind, case.name);
        let run = of_tree(&case.run).unwrap_or_else(|error| panic!("{shown}: {error}"));
        Case { shown, kind: case.kind, name: case.name, run, written: case.run }
    };
    let mut found: Vec<Case> = found.into_iter().map(typed).collect();
    found.sort_by_key(|case| KINDS.iter().position(|kind| *kind == case.kind));
    found
}

/// The first field of `given` that `kept` does not have.
pub(crate) fn lost_field(given: &Value, kept: &Value, at: &str) -> Option<String> {
    use Value::{Array, Object};
    match (given, kept) {
        (Object(given), Object(kept)) => given.iter().find_map(|(key, value)| match kept.get(key) {
            None => Some(format!("{at}.{key}")),
            Some(inner) => lost_field(value, inner, &format!("{at}.{key}")),
        }),
        (Array(given), Array(kept)) => given
            .iter()
            .zip(kept)
            .enumerate()
            .find_map(|(index, (value, inner))| lost_field(value, inner, &format!("{at}[{index}]"))),
        _ => None,
    }
}

/// A misspelt field would be ignored and the fixture would prove nothing.
#[test]
fn the_model_has_every_field_of_every_case() {
    let mut wrong = Vec::new();
    for case in rules().flat_map(|rule| cases(rule.code)) {
        let lost = lost_field(&case.written, &tree(&case.run).unwrap(), "");
        wrong.extend(lost.map(|field| format!("{case}: the model has no field {field}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
