//! One lost link is told once, with what follows from it.

use fullwire_model::Run;
use fullwire_model::assessment::{Finding, Severity};
use fullwire_rules::assess;

/// Two maps over two iSCSI sessions, the second of which is lost; its disks are known or not.
fn run(disks_known: bool) -> Run {
    let own = |session: &'static str| if disks_known { session } else { "[]" };
    let text = format!(
        r#"{{ "host": {{
        "os": {{ "uptime_s": 900000 }},
        "iscsi_sessions": [
          {{ "name": "session1", "state": "LOGGED_IN", "disks": {} }},
          {{ "name": "session2", "state": "FAILED", "disks": {} }}],
        "disks": [
          {{ "name": "sdb", "number": "8:16", "kind": "disk", "holders": ["dm-0"], "scsi": {{ "address": "5:0:0:0", "state": "running" }} }},
          {{ "name": "sdc", "number": "8:32", "kind": "disk", "holders": ["dm-0"], "scsi": {{ "address": "6:0:0:0", "state": "transport-offline" }} }},
          {{ "name": "sdd", "number": "8:48", "kind": "disk", "holders": ["dm-1"], "scsi": {{ "address": "5:0:0:1", "state": "running" }} }},
          {{ "name": "sde", "number": "8:64", "kind": "disk", "holders": ["dm-1"], "scsi": {{ "address": "6:0:0:1", "state": "transport-offline" }} }},
          {{ "name": "dm-0", "number": "254:0", "kind": "multipath", "slaves": ["sdb", "sdc"], "dm": {{ "name": "data", "suspended": false }} }},
          {{ "name": "dm-1", "number": "254:1", "kind": "multipath", "slaves": ["sdd", "sde"], "dm": {{ "name": "redo", "suspended": false }} }}],
        "multipath": [
          {{ "name": "data", "device": "dm-0", "groups": [{{ "paths": [
            {{ "device": "sdb", "address": "5:0:0:0", "dm_state": "active" }},
            {{ "device": "sdc", "address": "6:0:0:0", "dm_state": "failed" }}] }}] }},
          {{ "name": "redo", "device": "dm-1", "groups": [{{ "paths": [
            {{ "device": "sdd", "address": "5:0:0:1", "dm_state": "active" }},
            {{ "device": "sde", "address": "6:0:0:1", "dm_state": "failed" }}] }}] }}],
        "kernel_log": [
          {{ "pattern": "scsi-timeout", "text": " session2: session recovery timed out after 120 secs", "seconds": 899000, "count": 1 }},
          {{ "pattern": "scsi-timeout", "text": "sd 6:0:0:0: rejecting I/O to offline device", "seconds": 899001, "count": 4 }},
          {{ "pattern": "scsi-timeout", "text": "sd 6:0:0:1: rejecting I/O to offline device", "seconds": 899001, "count": 2 }},
          {{ "pattern": "multipath-failed", "text": "device-mapper: multipath: 254:0: Failing path 8:32.", "seconds": 899001, "count": 1 }}]
      }} }}"#,
        own(r#"["sdb", "sdd"]"#),
        own(r#"["sdc", "sde"]"#)
    );
    serde_json::from_str(&text).expect("a run")
}

fn of(findings: &[Finding], code: &str) -> Finding {
    let own: Vec<&Finding> = findings.iter().filter(|finding| finding.code == code).collect();
    assert_eq!(own.len(), 1, "{code}: {own:#?}");
    own[0].clone()
}

fn is_about(finding: &Finding, name: &str) -> bool {
    finding.subjects().any(|subject| subject.name == name)
}

fn follows(finding: &Finding) -> bool {
    finding.evidence.iter().any(|one| one.text == "a consequence of iscsi-session-lost (session2)")
}

/// Codes of the findings that bring it about.
fn causes<'a>(findings: &'a [Finding], finding: &Finding) -> Vec<&'a str> {
    finding.consequence_of.iter().map(|place| findings[*place].code.as_str()).collect()
}

#[test]
fn a_lost_session_is_one_cause() {
    for disks_known in [true, false] {
        let findings = assess(&run(disks_known)).findings;
        assert_eq!(of(&findings, "iscsi-session-lost").severity, Severity::Critical);
        for (code, about, severity) in [
            ("multipath-path-failed", ["data", "redo"], Severity::Critical),
            ("device-suspended", ["sdc", "sde"], Severity::Info),
            ("device-timeouts", ["sdc", "sde"], Severity::Info),
        ] {
            let finding = of(&findings, code);
            assert!(about.iter().all(|name| is_about(&finding, name)), "{finding:#?}");
            assert!(follows(&finding) && finding.severity == severity, "{finding:#?}");
            assert_eq!(causes(&findings, &finding), ["iscsi-session-lost"]);
        }
        assert!(!findings.iter().any(|finding| finding.code == "multipath-path-lost"));
    }
}

/// Who does not want to hear of the session is told of the disks as what is wrong.
#[test]
fn what_follows_from_nothing_that_is_reported_is_no_note() {
    let mut run = run(true);
    run.command.ignored.push("iscsi-session-lost".into());
    let findings = assess(&run).findings;
    let offline = of(&findings, "device-suspended");
    assert_eq!((offline.severity, follows(&offline)), (Severity::Critical, false));
    assert!(causes(&findings, &offline).is_empty());
}

/// Without a lost session or port, disks off-line whose maps go on by other paths are what these lost; where no path is left,
/// they are the fault themselves.
#[test]
fn disks_off_line_are_told_as_paths_or_as_the_fault() {
    let mut run = run(true);
    run.host.iscsi_sessions.clear();
    let findings = assess(&run).findings;
    // One target, so one finding of the maps.
    let paths = of(&findings, "multipath-path-failed");
    assert!(is_about(&paths, "data") && is_about(&paths, "redo") && !follows(&paths));
    let offline = of(&findings, "device-suspended");
    assert_eq!((offline.severity, offline.also.as_slice()), (Severity::Info, ["sde".to_owned()].as_slice()));
    assert_eq!(causes(&findings, &offline), ["multipath-path-failed"]);
    run.host.multipath.clear();
    assert_eq!(of(&assess(&run).findings, "device-suspended").severity, Severity::Critical);
}

/// Two sessions lost, none of whose disks are known: nothing tells which paths are whose.
#[test]
fn what_cannot_be_told_is_not_claimed() {
    let mut run = run(false);
    run.host.iscsi_sessions[0].state = "FAILED".into();
    assert!(!assess(&run).findings.iter().any(follows));
}

/// A map, its paths and the next map of the same array: one line of multipath.conf raises them all.
#[test]
fn small_requests_of_a_stack_are_one_finding() {
    let mut run = run(true);
    let queue = r#"{ "max_request_bytes": 524288, "max_hw_request_bytes": 33553920 }"#;
    for disk in &mut run.host.disks {
        disk.queue = serde_json::from_str(queue).expect("a queue");
    }
    for map in &mut run.host.multipath {
        map.product = "NETAPP,LUN C-Mode".into();
    }
    let mounts = r#"[{ "target": "/data", "fs_type": "xfs", "number": "254:0" },
                     { "target": "/redo", "fs_type": "xfs", "number": "254:1" }]"#;
    run.host.mounts = serde_json::from_str(mounts).expect("mounts");
    let finding = of(&assess(&run).findings, "queue-max-request");
    assert!(finding.message.starts_with("data, sdb, sdc, redo, sdd, sde accept"), "{}", finding.message);
    assert!(["dm-0", "sdb", "sdc", "dm-1", "sdd", "sde"].iter().all(|name| is_about(&finding, name)));
}

/// A controller over a network leads to each namespace and has a hidden disk for it: one loss is one finding.
#[test]
fn a_lost_controller_is_told_once() {
    let mut disks = Vec::new();
    for namespace in 1..=2 {
        let controllers = |names: &[(&str, &str)]| {
            let each: Vec<String> = names
                .iter()
                .map(|(name, state)| {
                    format!(r#"{{ "name": "{name}", "transport": "tcp", "state": "{state}" }}"#)
                })
                .collect();
            each.join(", ")
        };
        let both = [("nvme0", "live"), ("nvme3", "connecting")];
        for (name, own) in [("nvme0n", &both[..]), ("nvme0c0n", &both[..1]), ("nvme0c3n", &both[1..])] {
            disks.push(format!(
                r#"{{ "name": "{name}{namespace}", "kind": "disk", "nvme": {{ "controllers": [{}] }} }}"#,
                controllers(own)
            ));
        }
    }
    let text = format!(r#"{{ "host": {{ "disks": [{}] }} }}"#, disks.join(", "));
    let run: Run = serde_json::from_str(&text).expect("a run");
    let lost = of(&assess(&run).findings, "nvme-path-lost");
    assert_eq!(lost.subject, "nvme3");
    let message = "NVMe controller nvme3 is connecting: one of 2 paths to nvme0n1, nvme0n2 is lost";
    assert_eq!(lost.message, message);
}

/// A port of an adapter is down and its disks are gone: only the log and the ports of the array tell of them.
#[test]
fn a_dead_port_whose_disks_are_gone_is_one_cause() {
    let text = r#"{ "host": {
        "os": { "uptime_s": 900000 },
        "fc_hosts": [
          { "name": "host7", "port_state": "Linkdown", "port_type": "Unknown" },
          { "name": "host8", "port_state": "Online", "port_type": "NPort (fabric via point-to-point)" }],
        "fc_remote_ports": [
          { "name": "rport-7:0-2", "host": "host7", "port_state": "Not Present", "roles": "FCP Target" },
          { "name": "rport-8:0-2", "host": "host8", "port_state": "Online", "roles": "FCP Target" }],
        "disks": [
          { "name": "sdd", "number": "8:48", "kind": "disk", "holders": ["dm-0"], "scsi": { "address": "8:0:0:0", "state": "running" } },
          { "name": "sde", "number": "8:64", "kind": "disk", "holders": ["dm-0"], "scsi": { "address": "8:0:1:0", "state": "running" } },
          { "name": "sdf", "number": "8:80", "kind": "disk", "holders": ["dm-1"], "scsi": { "address": "8:0:0:1", "state": "running" } },
          { "name": "sdg", "number": "8:96", "kind": "disk", "holders": ["dm-1"], "scsi": { "address": "8:0:1:1", "state": "running" } },
          { "name": "dm-0", "number": "254:0", "kind": "multipath", "slaves": ["sdd", "sde"], "dm": { "name": "data", "suspended": false } },
          { "name": "dm-1", "number": "254:1", "kind": "multipath", "slaves": ["sdf", "sdg"], "dm": { "name": "redo", "suspended": false } }],
        "multipath": [
          { "name": "data", "device": "dm-0", "groups": [{ "paths": [
            { "device": "sdd", "address": "8:0:0:0", "dm_state": "active" },
            { "device": "sde", "address": "8:0:1:0", "dm_state": "active" }] }] },
          { "name": "redo", "device": "dm-1", "groups": [{ "paths": [
            { "device": "sdf", "address": "8:0:0:1", "dm_state": "active" },
            { "device": "sdg", "address": "8:0:1:1", "dm_state": "active" }] }] }],
        "kernel_log": [
          { "pattern": "scsi-timeout", "text": " rport-7:0-2: blocked FC remote port time out: saving binding", "seconds": 899000, "count": 1 },
          { "pattern": "io-error", "text": "I/O error, dev sdb, sector 0 op 0x0:(READ)", "seconds": 899000, "count": 1 },
          { "pattern": "io-error", "text": "I/O error, dev sdc, sector 0 op 0x0:(READ)", "seconds": 899000, "count": 1 },
          { "pattern": "multipath-failed", "text": "device-mapper: multipath: 254:0: Failing path 8:16.", "seconds": 899001, "count": 1 },
          { "pattern": "multipath-failed", "text": "device-mapper: multipath: 254:1: Failing path 8:32.", "seconds": 899001, "count": 1 }]
      } }"#;
    let run: Run = serde_json::from_str(text).expect("a run");
    let findings = assess(&run).findings;
    let port = of(&findings, "fc-port-down");
    assert!(port.severity == Severity::Critical && port.message.contains("the paths over it are down"));
    for code in ["multipath-path-lost", "multipath-one-adapter", "device-io-errors", "device-timeouts"] {
        let finding = of(&findings, code);
        let told = "a consequence of fc-port-down (host7)";
        assert!(finding.evidence.iter().any(|one| one.text == told), "{finding:#?}");
        assert_eq!(finding.severity, Severity::Info, "{finding:#?}");
    }
    let lost = of(&findings, "multipath-path-lost");
    assert!(is_about(&lost, "data") && is_about(&lost, "redo"), "{lost:#?}");
    assert!(!findings.iter().any(|finding| finding.code == "fc-remote-port-lost"));
}

/// A driver and the bond above it log the same loss, each in its own words.
#[test]
fn one_port_that_lost_its_link_is_told_once() {
    let text = r#"{ "host": {
        "os": { "uptime_s": 900000 },
        "nics": [{ "name": "eth1", "kind": "physical", "up": true, "carrier": true, "master": "bond0" }],
        "kernel_log": [
          { "pattern": "link-down", "text": "ixgbe 0000:3b:00.0 eth1: NIC Link is Down", "seconds": 899000, "count": 1 },
          { "pattern": "link-down", "text": "bond0: (slave eth1): link status definitely down, disabling slave", "seconds": 899000, "count": 1 }]
      } }"#;
    let run: Run = serde_json::from_str(text).expect("a run");
    let lost = of(&assess(&run).findings, "nic-link-lost");
    assert!(lost.message.ends_with("eth1: NIC Link is Down"), "{}", lost.message);
    assert_eq!(lost.evidence.len(), 2, "{lost:#?}");
}
