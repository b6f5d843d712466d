//! Every document that a command prints is one object and passes the schema that it names.

use crate::tool::{Desk, calm, serve, stderr, stdout};
use serde_json::Value;
use std::collections::BTreeMap;

/// Archived logs of a night: thread, sequence, begin, end, bytes.
pub(crate) const LISTING: &str = "THREAD#,SEQUENCE#,FIRST_TIME,NEXT_TIME,BYTES
1,100,2026-11-20 00:00:00,2026-11-20 01:00:00,3600000000
1,101,2026-11-20 01:00:00,2026-11-20 01:10:00,30000000000
1,102,2026-11-20 01:10:00,2026-11-20 12:00:00,4000000000
1,103,2026-11-20 12:00:00,2026-11-21 06:00:00,9000000000
";

/// Lets a schema refuse members that it does not list: a member that no schema names is no part of the contract.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.get("properties").is_some_and(Value::is_object)
                && !members.contains_key("additionalProperties")
            {
                members.insert("unevaluatedProperties".into(), Value::Bool(false));
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(close),
        _ => {}
    }
}

/// Passes documents that have what a schema lists and nothing else.
fn strict(desk: &Desk, name: &str) -> jsonschema::Validator {
    let mut schema = desk.json(&["schema", name]);
    close(&mut schema);
    jsonschema::draft202012::new(&schema).unwrap()
}

/// A document passes the schema that it names, and has nothing that the schema does not list.
pub(crate) fn keeps_its_schema(desk: &Desk, document: &Value) {
    let name = document["schema"].as_str().unwrap_or_else(|| panic!("it names no schema: {document}"));
    let wrong: Vec<String> =
        strict(desk, name).iter_errors(document).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
}

/// Runs commands and checks what they print.
struct Checked {
    desk: Desk,
    schemas: BTreeMap<String, jsonschema::Validator>,
    seen: Vec<String>,
}

impl Checked {
    fn new() -> Self {
        Self { desk: Desk::new(), schemas: BTreeMap::new(), seen: Vec::new() }
    }

    fn run(&mut self, words: &[&str]) -> Value {
        let words = [words, &["--json"]].concat();
        let output = self.desk.run(&words);
        let text = stdout(&output);
        let document: Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{words:?}: {error}: {text}{}", stderr(&output)));
        let name = document["schema"].as_str().unwrap_or_else(|| panic!("{words:?} names no schema: {text}"));
        let desk = &self.desk;
        let validator = self.schemas.entry(name.to_owned()).or_insert_with(|| strict(desk, name));
        let wrong: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{words:?} breaks {name}: {wrong:#?}");
        self.seen.push(name.to_owned());
        document
    }
}

#[test]
fn every_document_passes_its_own_schema() {
    calm();
    let mut checked = Checked::new();
    std::fs::write(checked.desk.work.path().join("logs.csv"), LISTING).unwrap();
    let (_responder, address) = serve(&checked.desk, &["--open"]);
    let keep = ["--store", "runs", "--fail-on", "never"];
    let brief = ["--duration", "300ms"];
    for mode in ["async", "sync", "rtt", "udp"] {
        checked.run(&[&["net", &address, "--mode", mode], &brief[..], &keep].concat());
    }
    let both = checked.run(&[&["net", &address, "--bidir"], &brief[..], &keep].concat());
    assert!(both["unknowns"].is_array() && both["passed"].is_array(), "{both}");
    let sweep = checked.run(&[&["net", &address, "--window-sweep"], &brief[..], &keep].concat());
    assert_eq!(sweep["results"].as_array().map(Vec::len), Some(6));
    checked.run(&[&["mtu", &address], &keep[..]].concat());
    let quick = ["disk", ".", "--size", "16M", "--duration", "100ms", "--repeats", "1"];
    checked.run(&[&quick[..], &keep].concat());
    let small = ["disk", ".", "--profile", "fs-small", "--size", "4M", "--files", "500"];
    checked.run(&[&small[..], &keep].concat());
    checked.run(&[&["assess", "--path", "/nonexistent", "--quick"], &keep[..]].concat());
    checked.run(&["capture", "-o", "host.tar.zst"]);
    checked.run(&[&["check", "--root", "host.tar.zst"], &keep[..]].concat());
    checked.run(&[&["check", "--window", "0s"], &keep[..]].concat());
    checked.run(&[&["redo", "logs.csv", "--peer", &address, "--gap", "10G"], &keep[..]].concat());
    let id = both["run_id"].as_str().unwrap();
    checked.run(&["show", id, "--store", "runs"]);
    let history = checked.run(&["history", "--store", "runs"]);
    let verdicts: Vec<&Value> =
        history["runs"].as_array().unwrap().iter().map(|run| &run["verdict"]).collect();
    assert!(verdicts.iter().any(|verdict| verdict.is_string()), "{verdicts:?}");
    let swept = sweep["run_id"].as_str().unwrap();
    checked.run(&["diff", id, swept, "--store", "runs", "--force"]);
    checked.run(&["watch", "--once"]);
    checked.run(&["record", "--for", "700ms", "--interval", "200ms", "-o", "a.fwr"]);
    checked.run(&["replay", "a.fwr"]);
    checked.run(&["replay", "a.fwr", "--at=-100ms"]);
    let judged = checked.run(&["replay", "a.fwr", "--judge"]);
    assert_eq!((&judged["minutes"], &judged["database"]), (&0.into(), &Value::Null), "{judged}");
    let deleted = checked.run(&["history", "delete", id, "--store", "runs"]);
    assert_eq!(deleted["deleted"], serde_json::json!([id]));
    let pruned = checked.run(&["history", "prune", "--keep", "1", "--store", "runs"]);
    assert!(pruned["deleted"].as_array().unwrap().len() > 5, "{pruned}");
    let left = checked.run(&["history", "--store", "runs"]);
    assert_eq!(left["runs"].as_array().unwrap().len(), 1);
    checked.run(&["rules", "--only", "storage", "scheduler"]);
    let explained = checked.run(&["explain", "one-cpu", "mount-discard", "bond-slave-down"]);
    assert_eq!(
        (explained["rules"].as_array().unwrap().len(), &explained["ceilings"][0]["kind"]),
        (2, &"one-cpu".into())
    );
    checked.run(&["clean"]);
    checked.run(&["apply", "last", "--store", "runs", "--dry-run"]);
    checked.run(&["array", "raid5:8x10k"]);

    // A document without a command here would go unseen.
    let listed = stdout(&checked.desk.run(&["schema"]));
    // Those of a mesh, an estate, an experiment and reports have tests next to what makes them.
    let elsewhere =
        ["fullwire.awr/1", "fullwire.estate/1", "fullwire.mesh/1", "fullwire.prove/1", "fullwire.run/1"];
    for name in listed.lines().filter(|name| !elsewhere.contains(name)) {
        assert!(checked.seen.iter().any(|seen| seen == name), "no command printed {name}");
    }
}

#[test]
fn the_first_three_lines_answer_the_question() {
    calm();
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("logs.csv"), LISTING).unwrap();
    let (_responder, address) = serve(&desk, &["--open"]);
    let net = ["net", &address, "--duration", "500ms", "--no-store", "--fail-on", "never"];
    let questions: [(&[&str], &[&str], &str); 6] = [
        (&net, &["--mode", "rtt"], "round trip "),
        (&net, &["--mode", "sync"], "a message of 8 KiB is acknowledged in "),
        (&net, &["--mode", "udp"], " datagrams lost "),
        (&net, &["--bidir"], " back at the same time"),
        (&net, &["--window-sweep"], "Throughput st"),
        (&["redo", "logs.csv", "--no-store", "--fail-on", "never"], &["--peer", &address], ": enough: "),
    ];
    for (words, more, answer) in questions {
        let text = stdout(&desk.run(&[words, more].concat()));
        let first: Vec<&str> = text.lines().take(3).collect();
        assert!(first.join(" ").contains(answer), "{more:?}: {answer}: {text}");
        assert!(!text.contains("reaches 0 MB/s"), "{text}");
    }
    let text = stdout(&desk.run(&[&net[..], &["--streams", "2"]].concat()));
    assert!(text.lines().nth(1).unwrap_or_default().contains("async 2 streams) reaches "), "{text}");
    // What this host has next to the path is a line, and not pages.
    assert!(text.contains(" about this host: fullwire check"), "{text}");
    assert!(!text.contains("swap-absent") && !text.contains("clock-unsynchronised"), "{text}");
}

#[test]
fn every_command_that_judges_writes_a_page() {
    calm();
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("logs.csv"), LISTING).unwrap();
    let (_responder, address) = serve(&desk, &["--open"]);
    let commands: [&[&str]; 5] = [
        &["check", "--window", "0s"],
        &["net", &address, "--duration", "300ms"],
        &["mtu", &address],
        &["disk", ".", "--size", "16M", "--duration", "100ms", "--repeats", "1"],
        &["redo", "logs.csv"],
    ];
    for words in commands {
        let page = ["--html", "page.html", "--no-store", "--fail-on", "never"];
        let output = desk.run(&[words, &page].concat());
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", stderr(&output));
        let page = std::fs::read_to_string(desk.work.path().join("page.html")).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>"), "{words:?}");
        std::fs::remove_file(desk.work.path().join("page.html")).unwrap();
        let nowhere = ["--html", "absent/page.html", "--no-store", "--fail-on", "never"];
        let output = desk.run(&[words, &nowhere].concat());
        assert_eq!(output.status.code(), Some(3), "{words:?}");
        assert!(!output.stdout.is_empty() && stderr(&output).contains("absent/page.html"), "{words:?}");
    }
}

/// The shell's script asks the program itself: what it offers is what there is.
#[test]
fn a_shell_is_offered_codes_profiles_runs_and_labels() {
    let desk = Desk::new();
    desk.run(&["check", "--window", "0s", "--tag", "before-jumbo"]);
    let id = desk.json(&["history", "--json"])["runs"][0]["run_id"].as_str().unwrap().to_owned();
    let offered = |words: &[&str]| {
        let mut command = desk.command();
        command.env("FULLWIRE_COMPLETE", "fish").args(["--", "fullwire"]).args(words);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        stdout(&output)
    };
    assert!(offered(&["explain", "mount-disc"]).contains("mount-discard"));
    assert!(offered(&["disk", ".", "--profile", "ora-"]).contains("ora-lgwr"));
    assert!(offered(&["schema", "fullwire.as"]).contains("fullwire.assess/1"));
    let runs = offered(&["show", ""]);
    for name in ["last", &id, "before-jumbo"] {
        assert!(runs.contains(name), "{name}: {runs}");
    }
    assert!(!offered(&[""]).contains("touch"));
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&desk.run(&["completions", shell]));
        assert!(script.contains("FULLWIRE_COMPLETE"), "{shell}: {script}");
    }
}
