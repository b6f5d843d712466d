//! Production hosts that are healthy and look odd: none may raise an alarm, and a fault planted in each must.
//!
//! `tests/hosts/README.md` says what each host is composed of. A file contains the healthy run, the rules that must have
//! looked at it, and the faults, each as changes to the run.

use super::{lost_field, merge};
use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Severity};
use fullwire_rules::assess;
use serde_json::Value;
use std::path::Path;

fn hosts() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts");
    let mut found: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    found.sort();
    let read = |path: &Path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    found.iter().map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), read(path))).collect()
}

fn judged(name: &str, run: &Value) -> Assessment {
    let typed: Run = serde_json::from_value(run.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let lost = lost_field(run, &serde_json::to_value(&typed).unwrap(), "");
    assert_eq!(lost, None, "{name}: the model has no such field");
    assess(&typed)
}

/// Codes of warnings and worse.
fn alarms(assessment: &Assessment) -> Vec<String> {
    let grave = assessment.findings.iter().filter(|finding| finding.severity > Severity::Info);
    grave.map(|finding| format!("{} ({})", finding.code, finding.message)).collect()
}

#[test]
fn healthy_production_hosts_raise_no_alarm() {
    let all = hosts();
    assert!(all.len() >= 12, "{} hosts", all.len());
    let mut wrong = Vec::new();
    for (name, file) in all {
        let assessment = judged(&name, &file["healthy"]);
        wrong.extend(alarms(&assessment).into_iter().map(|alarm| format!("{name}: {alarm}")));
        // What no rule looked at proves nothing.
        for code in file["looked_at"].as_array().unwrap_or_else(|| panic!("{name}: looked_at")) {
            let code = code.as_str().unwrap();
            let looked = assessment.passed.iter().any(|passed| passed == code)
                || assessment.findings.iter().any(|finding| finding.code == code);
            if !looked {
                wrong.push(format!("{name}: {code} said nothing of it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_planted_fault_is_named_and_nothing_else() {
    let mut wrong = Vec::new();
    for (name, file) in hosts() {
        let faults = file["faults"].as_array().unwrap_or_else(|| panic!("{name}: faults"));
        assert!(faults.len() >= 2, "{name}: {} faults", faults.len());
        for fault in faults {
            let mut run = file["healthy"].clone();
            merge(&mut run, &fault["changes"]);
            let code = fault["code"].as_str().unwrap();
            let found = alarms(&judged(&name, &run));
            if found.is_empty() || !found.iter().all(|alarm| alarm.starts_with(&format!("{code} ("))) {
                wrong.push(format!("{name}: {code} planted, {found:?} named"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is known of one disk does not stand for another: unknown, and the reason names the one that was not read.
#[test]
fn a_rule_that_knows_a_part_has_not_passed() {
    let run: Run = serde_json::from_value(serde_json::json!({
        "host": {
            "captured": true,
            "os": { "uptime_s": 864_000 },
            "disks": [
                { "name": "sda", "kind": "disk", "scsi": {} },
                { "name": "sdb", "kind": "disk", "scsi": {} },
                { "name": "sdc", "kind": "disk", "scsi": {} },
            ],
        },
        "windows": [{ "kind": "idle", "to": { "disks": { "sda": { "io_timeouts": 0 } } } }],
    }))
    .unwrap();
    let assessment = assess(&run);
    let said: Vec<&str> = assessment
        .unknowns
        .iter()
        .filter(|unknown| unknown.code == "device-io-errors")
        .map(|unknown| unknown.reason.as_str())
        .collect();
    assert_eq!(said, ["ioerr_cnt of sdb could not be read", "ioerr_cnt of sdc could not be read"]);
    for unknown in &assessment.unknowns {
        assert!(!assessment.passed.contains(&unknown.code), "{} stands in both lists", unknown.code);
    }
    // A reason without a subject is given once.
    let stalled = assessment.unknowns.iter().filter(|unknown| unknown.code == "device-stalled").count();
    assert!(stalled <= 1, "{stalled}");
}
