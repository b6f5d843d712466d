//! What CI systems read: JUnit and SARIF.

use super::{LAB, desk_with_runs, exported, fed, lab};
use crate::skips::installed;
use crate::tool::{Desk, stderr};
use fullwire_store::Store;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// xmllint holds it against `tests/schema/junit.rng`, which says where its demands are from.
#[test]
fn junit_is_well_formed_and_its_counts_are_those_of_its_cases() {
    let desk = desk_with_runs();
    for run in LAB {
        let text = exported(&desk, &["--junit", "--run", run, "--fail-on", "warning"]);
        if installed("xmllint") {
            let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema/junit.rng");
            let arguments = ["--noout", "--relaxng", schema.to_str().unwrap(), "-"];
            let linted = fed(&desk, "xmllint", &arguments, &text);
            assert!(linted.status.success(), "{}", stderr(&linted));
        }
        assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "));
        for suite in text.split("<testsuite").skip(2) {
            let count = |name: &str| -> usize { attribute(suite, name).parse().unwrap() };
            assert_eq!(count("tests"), suite.matches("<testcase ").count());
            assert_eq!(count("failures"), suite.matches("<failure ").count());
            assert_eq!(count("errors"), suite.matches("<error ").count());
            assert_eq!(count("skipped"), suite.matches("<skipped ").count());
            let stamp = attribute(suite, "timestamp");
            assert!(stamp.len() == 19 && stamp.as_bytes()[10] == b'T', "{stamp}");
            let names: Vec<&str> =
                suite.split("<testcase").skip(1).map(|case| attribute(case, "name")).collect();
            let unique: BTreeSet<&&str> = names.iter().collect();
            assert_eq!(unique.len(), names.len(), "a case is known by its name");
        }
    }
    let failing = |level: &str| {
        let text = exported(&desk, &["--junit", "--run", "io-limit", "--fail-on", level]);
        text.matches("<failure ").count()
    };
    assert!(failing("never") == 0 && failing("critical") > 0 && failing("info") > failing("critical"));
}

fn attribute<'a>(text: &'a str, name: &str) -> &'a str {
    let (_, after) = text.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("no {name}: {text}"));
    after.split_once('"').unwrap().0
}

/// The schema of SARIF 2.1.0 itself, from the source of the crate serde-sarif (never compiled; see Cargo.toml).
fn sarif_schema() -> jsonschema::Validator {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version=1", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let carrier = packages.iter().find(|one| one["name"] == "serde-sarif").unwrap();
    let manifest = Path::new(carrier["manifest_path"].as_str().unwrap());
    let text = std::fs::read_to_string(manifest.with_file_name("src").join("schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert!(schema["$id"].as_str().unwrap().ends_with("sarif-schema-2.1.0.json"));
    jsonschema::validator_for(&schema).unwrap()
}

/// The schema, and what it cannot say: indices that fit, fingerprints that tell findings apart.
#[test]
fn sarif_has_what_its_schema_demands() {
    let (desk, schema) = (desk_with_runs(), sarif_schema());
    assert!(!schema.is_valid(&serde_json::json!({ "version": "2.1.0" })), "it demands something");
    for run in LAB.iter().copied().chain(["here"]) {
        let document: Value = serde_json::from_str(&exported(&desk, &["--sarif", "--run", run])).unwrap();
        let wrong: Vec<String> = schema.iter_errors(&document).take(5).map(|it| it.to_string()).collect();
        assert!(wrong.is_empty(), "{run}: {wrong:?}");
        assert_eq!(document["version"], "2.1.0");
        let run = &document["runs"][0];
        let driver = &run["tool"]["driver"];
        assert_eq!(driver["name"], "fullwire");
        let rules = driver["rules"].as_array().unwrap();
        let ids: BTreeSet<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), rules.len());
        let results = run["results"].as_array().unwrap();
        assert!(!results.is_empty());
        let mut prints = BTreeSet::new();
        for result in results {
            assert!(["note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert_eq!(result["locations"][0]["logicalLocations"][0]["kind"], "resource");
            prints.insert(result["partialFingerprints"]["primaryLocationLineHash"].to_string());
        }
        assert!(prints.len() * 2 > results.len(), "fingerprints tell findings apart");
        let again: Value = serde_json::from_str(&exported(&desk, &["--sarif", "--run", "io-limit"])).unwrap();
        let once: Value = serde_json::from_str(&exported(&desk, &["--sarif", "--run", "io-limit"])).unwrap();
        assert_eq!(again, once, "the same run is the same document");
    }
}

#[test]
fn what_was_waived_is_listed_as_waived() {
    let desk = Desk::new();
    let mut store = Store::open(desk.work.path().join("runs")).unwrap();
    let mut run = lab("io-limit");
    run.command.ignored = vec!["cgroup-io-max".into()];
    store.keep(&run).unwrap();
    drop(store);
    let sarif: Value = serde_json::from_str(&exported(&desk, &["--sarif"])).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let waived: Vec<&Value> = results.iter().filter(|result| result["ruleId"] == "cgroup-io-max").collect();
    assert!(
        !waived.is_empty() && waived.iter().all(|result| result["suppressions"][0]["kind"] == "external")
    );
    assert!(results.iter().any(|result| result["suppressions"].is_null()));
    let junit = exported(&desk, &["--junit", "--fail-on", "info"]);
    let case = junit.split("<testcase ").find(|case| case.contains("name=\"cgroup-io-max")).unwrap();
    assert!(case.contains("<skipped message=\"waived\"/>"), "{case}");
}
