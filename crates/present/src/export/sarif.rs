//! SARIF 2.1.0 (OASIS), for code scanning of captured trees that are kept in a repository, and for anyone who gathers
//! findings of many tools.

use crate::json::RuleCard;
use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Finding, Severity, StepKind};
use serde_json::{Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// GitHub takes no more results of one run.
const MOST_RESULTS: usize = 25_000;

/// The document. `waived` are the codes that were to be left out: they are there as suppressed.
pub fn sarif(run: &Run, assessment: &Assessment, rules: &[RuleCard], waived: &[String]) -> Value {
    let listed = |finding: &&Finding| rules.iter().any(|rule| rule.code == finding.code);
    let results: Vec<Value> = assessment
        .findings
        .iter()
        .filter(listed)
        .take(MOST_RESULTS)
        .map(|finding| result(run, finding, rules, waived))
        .collect();
    super::harmless_tree(json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "fullwire",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(descriptor).collect::<Vec<_>>(),
            }},
            "automationDetails": { "id": format!("fullwire/{}", run.command.name) },
            "invocations": [{
                "executionSuccessful": true,
                "startTimeUtc": run.started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
                "endTimeUtc": run.finished.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
                "toolExecutionNotifications": crate::gaps(run).iter().map(notification).collect::<Vec<_>>(),
            }],
            "results": results,
            "columnKind": "unicodeCodePoints",
            "properties": { "run": run.run_id, "host": run.host.hostname, "tag": run.tag },
        }],
    }))
}

fn descriptor(rule: &RuleCard) -> Value {
    json!({
        "id": rule.code,
        "shortDescription": { "text": rule.title },
        "help": { "text": format!("fullwire explain {}", rule.code) },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": [rule.area.name()] },
    })
}

fn result(run: &Run, finding: &Finding, rules: &[RuleCard], waived: &[String]) -> Value {
    let index = rules.iter().position(|rule| rule.code == finding.code);
    let mut result = json!({
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": { "text": message(finding) },
        "locations": [location(run, finding)],
        "partialFingerprints": {
            // No number in it: the same fault tomorrow is the same alert.
            "primaryLocationLineHash": fingerprint(&[&finding.code, &run.host.hostname, &finding.subject]),
        },
        "properties": { "severity": finding.severity.name(), "subject": finding.subject },
    });
    if waived.contains(&finding.code) {
        result["suppressions"] = json!([{ "kind": "external", "justification": "waived on the command line or in the waiver file" }]);
    }
    result
}

fn message(finding: &Finding) -> String {
    // What only looks or saves is no remedy; where there is nothing else, it is what to do.
    let steps = &finding.advice.steps;
    let does = steps.iter().find(|step| !matches!(step.kind, StepKind::Look | StepKind::Save));
    let first = does.or(steps.first()).map(|step| match step.command() {
        Some(command) => format!(" {}: {command}", step.text),
        None => format!(" {}", step.text),
    });
    crate::harmless(&format!("{} ({}).{}", finding.message, finding.subject, first.unwrap_or_default()))
}

/// The captured file that shows it, where the run was made on a captured tree; always the host and the subject.
fn location(run: &Run, finding: &Finding) -> Value {
    let host = &run.host.hostname;
    let mut location = json!({
        "logicalLocations": [{
            "name": finding.subject,
            "fullyQualifiedName": format!("{host}/{}/{}", finding.layer.name(), finding.subject),
            "kind": "resource",
        }],
    });
    let file =
        finding.evidence.iter().map(|evidence| evidence.source.as_str()).find(|source| is_file(source));
    if let Some(file) = file.filter(|_| run.host.captured) {
        location["physicalLocation"] =
            json!({ "artifactLocation": { "uri": encoded(file.trim_start_matches('/')) } });
    }
    location
}

/// A path and nothing next to it.
fn is_file(source: &str) -> bool {
    source.starts_with('/') && !source.contains([' ', ',', ':', '*']) && !source.contains("/../")
}

/// A path as a relative reference (RFC 3986).
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn notification(gap: &fullwire_model::Gap) -> Value {
    let text = format!("{}: {} ({})", gap.subject, gap.reason, gap.detail);
    json!({ "level": "note", "message": { "text": crate::harmless(&text) } })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Critical => "error",
    }
}

/// FNV-1a with 64 bits (Fowler, Noll, Vo): the same on every host and in every version.
fn fingerprint(parts: &[&str]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in parts.join("\0").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}:1")
}
