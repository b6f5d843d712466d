//! Names as an attacker would choose them, in each document that is no run: a mesh, an estate, a comparison, a recording.
//! Every string in turn does something to a terminal and is an element to a browser; no output may do either. Runs are swept
//! with their rules, in `crates/fullwire/tests/it/sweep.rs`.

use fullwire_model::assessment::is_harmful;
use fullwire_model::comparison::Comparison;
use fullwire_model::estate::Estate;
use fullwire_model::fixture;
use fullwire_model::recording::{Curves, Event, EventKind};
use fullwire_model::specimen::specimen;
use fullwire_model::{Gap, GapReason, Span};
use fullwire_present::{ComparisonReport, Recorded, html, terminal};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

const MARK: &str = "zqmark";
const SUFFIX: &str = "zqmark\x1b[2J\u{202e}\r\nEVIL\t\u{200b}\u{7f}</script><zqmark>\"'&";

/// Each document with each of its strings changed; those that take no suffix are left out.
fn each_changed<T: Serialize + DeserializeOwned>(document: &T) -> Vec<(String, T)> {
    let written = serde_json::to_value(document).unwrap();
    let changed = |place: String| {
        let mut changed = written.clone();
        let Some(Value::String(text)) = changed.pointer_mut(&place) else { unreachable!("{place}") };
        text.push_str(SUFFIX);
        Some((place, serde_json::from_value(changed).ok()?))
    };
    fixture::strings(&written).into_iter().filter_map(changed).collect()
}

/// What is wrong with an output, and how many had such a name in them.
#[derive(Default)]
struct Found {
    wrong: Vec<String>,
    arrived: BTreeMap<&'static str, usize>,
}

impl Found {
    /// `breaks`: the characters that may stand in this kind of output.
    fn shown(&mut self, kind: &'static str, place: &str, text: &str, breaks: &[char]) {
        *self.arrived.entry(kind).or_default() += usize::from(text.contains(MARK));
        if text.contains(|c: char| !breaks.contains(&c) && is_harmful(c)) {
            self.wrong.push(format!("{kind}: {place}"));
        }
    }

    /// A name begins no line either.
    fn terminal(&mut self, place: &str, text: &terminal::Text) {
        let text = text.render(false);
        self.shown("terminal", place, &text, &['\n']);
        if text.lines().any(|line| line.starts_with("EVIL")) {
            self.wrong.push(format!("line of terminal: {place}"));
        }
    }

    /// Blanks of all kinds are one to a browser; a name is no element.
    fn page(&mut self, place: &str, page: &str) {
        let body = page.split_once("<body>").map_or("", |(_, body)| body);
        self.shown("page", place, body, &['\n', '\r', '\t']);
        if body.contains("<zqmark") {
            self.wrong.push(format!("element of page: {place}"));
        }
    }

    fn nothing_is_wrong(&self, kinds: &[&str]) {
        assert_eq!(self.wrong, [""; 0]);
        for kind in kinds {
            assert!(self.arrived.get(kind).is_some_and(|&count| count > 0), "no such name was in {kind}");
        }
    }
}

#[test]
fn no_name_of_a_mesh_does_anything() {
    let mut found = Found::default();
    for (place, mesh) in each_changed(&crate::mesh::mesh(6)) {
        found.terminal(&place, &terminal::mesh(&mesh, &[]));
        found.page(&place, &html::mesh(&mesh, &[]));
    }
    found.nothing_is_wrong(&["terminal", "page"]);
}

#[test]
fn no_name_of_a_comparison_does_anything() {
    let mut found = Found::default();
    for (place, comparison) in each_changed::<Comparison>(&crate::comparison::comparison()) {
        let report = ComparisonReport::new(&comparison);
        found.terminal(&place, &terminal::diff(&report));
        found.page(&place, &html::comparison(&report, &[], &[]));
    }
    found.nothing_is_wrong(&["terminal", "page"]);
}

#[test]
fn no_name_of_an_estate_does_anything() {
    let text = r#"{"tool_version": "1", "at": "2026-11-20T15:33:39Z",
        "coordinator": {"host": "db1", "since": "2026-11-20T15:00:00Z", "term": 3, "leading": true},
        "hosts": [{"name": "db1", "version": "1", "present": false, "trouble": "no space", "unsent": 3, "paths": 2},
                  {"name": "db2", "version": "2", "present": true, "bad_paths": 1}],
        "bad": [{"from": "db1", "to": "db2", "network": "data", "why": "a third", "run_id": "r1", "value": 1e8}],
        "rounds": [{"round_id": "round1", "state": "done"}]}"#;
    let estate: Estate = serde_json::from_str(text).unwrap();
    let mut found = Found::default();
    for (place, estate) in each_changed(&estate) {
        found.terminal(&place, &terminal::estate(&estate));
        found.page(&place, &html::estate(&estate));
    }
    found.nothing_is_wrong(&["terminal", "page"]);
}

#[test]
fn no_name_of_a_recording_does_anything() {
    let at = Timestamp::from_second(1_800_000_000).unwrap();
    let event = Event {
        boottime_ns: 0,
        wall: at,
        kind: EventKind::Link,
        subject: "eth0".into(),
        detail: "up".into(),
    };
    let spans = [specimen::<Span>(3)];
    let gaps = [Gap::new("ethtool of eth0", GapReason::Denied, "needs root")];
    let mut found = Found::default();
    let mut page = |place: &str, host: &str, spans: &[Span], events: &[Event], gaps: &[Gap]| {
        let curves = Curves { merged: true, ..Curves::default() };
        let page = html::recording(&Recorded {
            host,
            tool_version: "0",
            from: at,
            to: at,
            zone: &jiff::tz::TimeZone::UTC,
            samples: 1,
            curves: &curves,
            labels: &BTreeMap::new(),
            spans,
            events,
            gaps,
            beside: None,
        });
        found.page(place, &page);
    };
    page("host", &format!("db1{SUFFIX}"), &spans, std::slice::from_ref(&event), &gaps);
    for (place, spans) in each_changed(&spans.to_vec()) {
        page(&place, "db1", &spans, std::slice::from_ref(&event), &gaps);
    }
    for (place, events) in each_changed(&vec![event.clone()]) {
        page(&place, "db1", &spans, &events, &gaps);
    }
    for (place, gaps) in each_changed(&gaps.to_vec()) {
        page(&place, "db1", &spans, std::slice::from_ref(&event), &gaps);
    }
    found.nothing_is_wrong(&["page"]);
}
