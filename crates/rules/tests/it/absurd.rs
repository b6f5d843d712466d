//! Counters that no kernel counts to: a file or a peer may hold any number, and no rule panics over it.

use crate::fixtures::cases;
use fullwire_model::Run;
use fullwire_model::json::{of_tree, tree};
use fullwire_rules::{assess, rules};
use serde_json::Value;

/// Every whole number below becomes the largest one.
fn raise(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_u64() => *value = u64::MAX.into(),
        Value::Array(items) => items.iter_mut().for_each(raise),
        Value::Object(fields) => fields.values_mut().for_each(raise),
        _ => {}
    }
}

/// The run with its counters at the end of each window as large as they can be, time as it was; `None` where it has none.
fn absurd(run: &Run) -> Option<Run> {
    let mut value = tree(run).unwrap();
    let mut is_raised = false;
    let peers = value["peers"].as_array().map_or(0, Vec::len);
    let holders = std::iter::once(String::new()).chain((0..peers).map(|peer| format!("/peers/{peer}")));
    for holder in holders {
        let windows = value.pointer_mut(&format!("{holder}/windows")).and_then(Value::as_array_mut);
        for window in windows.into_iter().flatten() {
            let at = window["to"]["monotonic_ns"].clone();
            raise(&mut window["to"]);
            is_raised = true;
            window["to"]["monotonic_ns"] = at;
        }
    }
    // A field that holds less refuses the number: such a file is an error, not a run.
    is_raised.then(|| of_tree(&value).ok()).flatten()
}

#[test]
fn counters_as_large_as_they_can_be_are_judged_without_a_panic() {
    let (mut judged, mut panicked) = (0, Vec::new());
    for rule in rules() {
        for case in cases(rule.code) {
            let Some(run) = absurd(&case.run) else { continue };
            judged += 1;
            if std::panic::catch_unwind(|| assess(&run)).is_err() {
                panicked.push(case.to_string());
            }
        }
    }
    assert!(panicked.is_empty(), "{panicked:#?}");
    assert!(judged > 380, "only {judged} cases could be raised");
}
