//! What was seen around one probe is no evidence about another.

use fullwire_model::Run;
use fullwire_rules::assess;
use serde_json::{Value, json};

/// Requests of both paths within a window, with the time that each took together.
fn window(subject: &str, of_sda: [u64; 2], of_sdb: [u64; 2]) -> Value {
    let disk = |[reads, ms]: [u64; 2]| json!({"reads": reads, "read_ms": ms});
    json!({"kind": "disk", "subject": subject,
        "from": {"monotonic_ns": 0, "disks": {"sda": {}, "sdb": {}}},
        "to": {"monotonic_ns": 1_000_000_000u64, "disks": {"sda": disk(of_sda), "sdb": disk(of_sdb)}}})
}

fn fired(windows: &[Value]) -> Vec<String> {
    let run = json!({
        "host": {
            "multipath": [{"name": "mpatha", "device": "dm-0", "groups": [
                {"selector": "round-robin 0", "paths": [{"device": "sda"}, {"device": "sdb"}]}]}],
            "disks": [{"name": "dm-0", "kind": "dm", "slaves": ["sda", "sdb"]}, {"name": "sda", "kind": "disk"},
                {"name": "sdb", "kind": "disk"}, {"name": "sdc", "kind": "disk"}],
        },
        "disk": [{"target": "/data", "device": "dm-0", "steps": [{}]}, {"target": "/other", "device": "sdc", "steps": [{}]}],
        "windows": windows,
    });
    let run: Run = serde_json::from_value(run).unwrap();
    let findings = assess(&run).findings.into_iter().map(|finding| finding.code);
    findings.filter(|code| code.starts_with("multipath-")).collect()
}

#[test]
fn multipath_rules_read_the_windows_of_their_own_map_alone() {
    let even = || window("/data", [1000, 1000], [1000, 1000]);
    let uneven = |subject| window(subject, [3000, 3000], [400, 8000]);
    assert_eq!(fired(&[uneven("/data")]), ["multipath-uneven-load"]);
    assert_eq!(fired(&[even(), uneven("/other")]), [""; 0]);
}
