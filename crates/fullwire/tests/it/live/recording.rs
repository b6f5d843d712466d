//! `record`, `watch --count` and `replay` on this host, and a recorder that is killed.

use crate::tool::{Desk, Running, json, stderr, stdout};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_is_recorded_is_replayed() {
    let desk = Desk::new();
    let recorded = desk.run(&["record", "--for", "1500ms", "--interval", "200ms", "-o", "a.fwr", "--json"]);
    let document = json(&recorded);
    let samples = document["samples"].as_u64().unwrap();
    assert!((4..=9).contains(&samples), "{document}");
    assert_eq!(document["schema"], "fullwire.recording/1");
    assert!(document["cost"]["cpu_s"].as_f64().unwrap() > 0.0, "{document}");
    let summary = desk.json(&["replay", "a.fwr", "--json"]);
    assert_eq!((&summary["schema"], &summary["host"]), (&document["schema"], &document["host"]));
    assert_eq!(summary["samples"].as_u64(), Some(samples));
    assert_eq!(summary["events"][0]["detail"], "the recorder began");
    let replayed = desk.run(&["replay", "a.fwr", "--from=-1h", "--json"]);
    let looks = lines(&stdout(&replayed));
    assert_eq!(looks.len() as u64, samples);
    assert_eq!(looks[0]["schema"], "fullwire.live/1");
    assert_eq!(looks[0]["seconds"], 0.0, "the first sample has no rates");
    assert!(looks[0]["cpu"]["busy"].is_null());
    let busy = looks[2]["cpu"]["busy"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&busy), "{busy}");
    assert!(looks.iter().all(|look| !look["headline"]["sentence"].as_str().unwrap().is_empty()));
    let judged = desk.json(&["replay", "a.fwr", "--judge", "--json"]);
    assert_eq!(judged["schema"], "fullwire.spans/1");
    assert_eq!(judged["samples"].as_u64(), Some(samples));
    let again = desk.run(&["record", "--for", "1s", "-o", "a.fwr"]);
    assert_eq!(again.status.code(), Some(3));
    assert!(stderr(&again).contains("exists"), "{}", stderr(&again));
}

#[test]
fn a_pipe_gets_looks_and_an_end() {
    let desk = Desk::new();
    let begun = Instant::now();
    let watched = desk.run(&["watch", "--interval", "200ms", "--count", "2", "--json"]);
    assert!(begun.elapsed() < Duration::from_secs(30));
    let looks = lines(&stdout(&watched));
    assert_eq!(looks.len(), 2);
    assert!(looks[0]["seconds"].as_f64().unwrap() > 0.1);
    let text = stdout(&desk.run(&["watch", "--once", "--interval", "200ms"]));
    assert!(text.contains("storage") && text.contains("network") && text.contains("cpu "), "{text}");
    assert!(!text.contains('\u{1b}'), "no terminal codes on a pipe: {text:?}");
}

#[test]
fn watching_records_where_it_is_told_to() {
    let desk = Desk::new();
    let words = ["watch", "--interval", "200ms", "--count", "3", "--record", "--dir", "here"];
    assert!(desk.run(&words).status.success());
    let judged = desk.json(&["replay", "here", "--judge", "--json"]);
    assert!(judged["samples"].as_u64().unwrap() >= 3, "{judged}");
}

/// Recorders that are killed in one run of the tests; `FULLWIRE_KILLS` asks for more.
const KILLS: u64 = 8;

/// What a kill costs at most: the sample that was being written when the recorder died.
#[test]
fn a_recorder_that_is_killed_loses_at_most_one_sample() {
    let desk = Desk::new();
    let asked = std::env::var("FULLWIRE_KILLS").ok().and_then(|text| text.parse().ok());
    for round in 0..asked.unwrap_or(KILLS) {
        let name = format!("killed-{round}.fwr");
        let mut command = desk.command();
        command.args(["record", "--interval", "100ms", "-o", &name, "--quiet"]).stdout(Stdio::null());
        let mut recorder = Running(command.spawn().unwrap());
        let begun = Instant::now();
        // Once there is a sample, at any moment of a tick.
        while !desk.run(&["replay", &name]).status.success() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(50));
        }
        let first = Instant::now();
        assert!(recorder.ends_within(Duration::from_millis(500 + round * 87 % 100)).is_none());
        recorder.signal("-KILL");
        recorder.0.wait().unwrap();
        let ran = first.elapsed();
        let replayed = desk.run(&["replay", &name, "--from=-1h", "--json"]);
        assert!(replayed.status.success(), "round {round}: {}", stderr(&replayed));
        let looks = lines(&stdout(&replayed));
        // The walls of consecutive samples are a tick apart: none is missing between them.
        let steps: Vec<f64> = looks.iter().skip(1).map(|look| look["seconds"].as_f64().unwrap()).collect();
        let events: Vec<&Value> = looks.iter().flat_map(|look| look["events"].as_array().unwrap()).collect();
        let late = events.iter().any(|event| event["kind"] == "missed" || event["kind"] == "slow-sample");
        assert!(late || steps.iter().all(|seconds| *seconds < 0.25), "round {round}: {steps:?}");
        assert!(!looks.is_empty(), "round {round} after {ran:?}");
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(desk.work.path().join(format!("{name}{end}")));
        }
    }
}
