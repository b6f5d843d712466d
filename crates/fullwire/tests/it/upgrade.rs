//! What an earlier version kept is read and judged by this one, and can be added to.
//!
//! `tests/upgrade/COMMIT` was written by the program of that commit, on a host whose two CPUs other programs used up: a store
//! with a sosreport of a host that lost a path, a transfer over loopback and a load on a directory, and a recording of four
//! seconds. Their figures are what that program printed. Such a folder is never changed; a format that changes gets another.

use crate::tool::{Desk, json, texts};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The kept files of each version, in the working directory of a test of their own.
fn each(check: impl Fn(&Desk)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade");
    let versions: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!versions.is_empty());
    for version in versions {
        let desk = Desk::new();
        for file in ["store.db", "recording.fwr"] {
            std::fs::copy(version.join(file), desk.work.path().join(file)).unwrap();
        }
        check(&desk);
    }
}

/// The kept run of this tag.
fn shown(desk: &Desk, tag: &str) -> Value {
    let history = desk.json(&["history", "--json", "--store", "store.db"]);
    let runs = history["runs"].as_array().unwrap();
    let run = runs.iter().find(|run| run["tag"] == tag).unwrap_or_else(|| panic!("no {tag}: {history}"));
    // A critical finding is its exit status 1.
    json(&desk.run(&["show", run["run_id"].as_str().unwrap(), "--json", "--store", "store.db"]))
}

#[test]
fn a_store_of_an_earlier_version_is_judged() {
    each(|desk| {
        let host = shown(desk, "sosreport");
        let lost =
            host["findings"].as_array().unwrap().iter().find(|one| one["code"] == "multipath-path-failed");
        let lost = lost.unwrap_or_else(|| panic!("{}", host["findings"]));
        assert_eq!((&lost["severity"], &lost["subject"]), (&"critical".into(), &"mpatha".into()));
        assert_eq!(host["gaps"].as_array().unwrap().len(), 17, "{}", host["gaps"]);

        let transfer = shown(desk, "loopback");
        let rate = transfer["net"][0]["throughput_bytes_per_s"].as_f64().unwrap();
        assert!((rate - 516_296_693.5).abs() < 1.0, "{rate}");
        let load = shown(desk, "disk");
        assert_eq!(load["disk"][0]["target"], "u01");
        for run in [transfer, load] {
            assert_eq!(run["paths"].as_array().unwrap().len(), 1, "{}", run["paths"]);
            assert_eq!(run["paths"][0]["bottleneck"]["code"], "cpu-saturated", "{}", run["paths"]);
        }
    });
}

#[test]
fn a_store_of_an_earlier_version_takes_more_runs() {
    each(|desk| {
        let report = Path::new(env!("CARGO_MANIFEST_DIR")).join("../observe/tests/sosreport");
        let report = report.display().to_string();
        desk.json(&["check", "--root", &report, "--json", "--store", "store.db", "--tag", "today"]);
        let now = shown(desk, "today");
        let then = shown(desk, "sosreport");
        assert_eq!(texts(&now["findings"], "code"), texts(&then["findings"], "code"));
    });
}

#[test]
fn a_recording_of_an_earlier_version_is_judged() {
    each(|desk| {
        let spans = json(&desk.run(&["replay", "recording.fwr", "--judge", "--json"]));
        assert_eq!((&spans["samples"], &spans["from"]), (&5.into(), &"2026-11-26T01:14:32.493884Z".into()));
        assert_eq!(texts(&spans["spans"], "code"), ["cpu-saturated"], "{spans}");
    });
}
