//! What people and scripts see of real runs: made in the lab, judged by today's rules, drawn, and compared with what
//! was reviewed. The runs are in `runs/`, what was done to the hosts in [`RUNS`].
//!
//! A better sentence of a rule changes them: look at the difference with `cargo insta review`.

use crate::redo_day;
use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, PathAssessment, Verdict};
use fullwire_present::{Report, format, html, json, terminal};
use fullwire_rules::ceiling::{KINDS, kind};
use fullwire_rules::{assess, rule};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// Each run with what limits it.
const RUNS: [(&str, Verdict, &str); 3] = [
    // A router shapes to 200 Mbit/s, which was declared with --expect.
    ("full-wire", Verdict::FullWire, "declared"),
    // The peer's tcp_rmem ends at 128 KiB, 10 ms away; behind that a shaper of 640 Mbit/s on the own interface.
    ("receive-window", Verdict::Poor, "receive-window"),
    // One of two paths to the LUN is offline, and io.max of the group allows 250 I/Os per second.
    ("io-limit", Verdict::Poor, "cgroup-io-max"),
];

/// A kept run, and what today's rules say of it.
pub(crate) fn judged(name: &str) -> (Run, Assessment) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/runs/{name}.json"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let run: Run = serde_json::from_str(&text).unwrap();
    let assessment = assess(&run);
    (run, assessment)
}

/// The page of a kept run.
pub(crate) fn page(name: &str) -> String {
    let (run, assessment) = judged(name);
    html::page(&Report::new(&run, &assessment)).to_string()
}

/// The page without uPlot, styles and scripts, an element a line.
fn body(page: &str) -> String {
    let (_, body) = page.split_once("<body>").unwrap();
    let (body, _) = body.split_once("<script>").unwrap();
    body.replace('<', "\n<").replace("\n</", "</")
}

fn value(document: impl Serialize) -> Value {
    serde_json::to_value(document).unwrap()
}

#[test]
fn each_run_is_limited_by_what_was_done_to_it() {
    for (name, verdict, code) in RUNS {
        let (_, assessment) = judged(name);
        assert_eq!((assessment.verdict, assessment.bottleneck.code.as_str()), (verdict, code), "{name}");
    }
}

#[test]
fn terminal_drawings_are_as_reviewed() {
    for (name, ..) in RUNS {
        let (run, assessment) = judged(name);
        insta::assert_snapshot!(name, terminal::assess(&Report::new(&run, &assessment)).render(false));
    }
    let (run, assessment) = judged("io-limit");
    let report = Report::new(&run, &assessment);
    insta::assert_snapshot!("io-limit-disk", terminal::disk(&report).render(false));
    insta::assert_snapshot!("io-limit-check", terminal::check(&report).render(false));
    let run = redo_day::run();
    let assessment = assess(&run);
    let drawn = terminal::demand(&Report::new(&run, &assessment)).render(false);
    // A rule of anything but redo cannot judge it: each new rule is one more.
    let count = format!(" {} could not be", assessment.unknowns.len());
    insta::assert_snapshot!("redo", drawn.replace(&count, " N could not be"));
}

#[test]
fn pages_are_as_reviewed() {
    for name in ["receive-window", "io-limit"] {
        insta::assert_snapshot!(format!("page-{name}"), body(&page(name)));
    }
}

/// A code that a drawing shows is one that `fullwire explain` knows.
#[test]
fn every_code_is_that_of_a_rule_or_of_a_kind_of_ceiling() {
    for (name, ..) in RUNS {
        let (_, assessment) = judged(name);
        let known = |code: &str| rule(code).is_some() || kind(code).is_some();
        let causes = assessment.paths.iter().flat_map(|path| &path.causes).map(|cause| cause.code.as_str());
        let figures = assessment.paths.iter().flat_map(|path| &path.measurements);
        let named = figures.flat_map(|figure| &figure.causes).map(String::as_str);
        let findings = assessment.findings.iter().map(|finding| finding.code.as_str());
        let rest = assessment.unknowns.iter().map(|one| one.code.as_str());
        let passed = assessment.passed.iter().map(String::as_str);
        let ceilings = assessment.ceilings.iter().map(|ceiling| ceiling.kind.as_str());
        let all = causes.chain(named).chain(findings).chain(rest).chain(passed).chain(ceilings);
        let unheard: BTreeSet<&str> = all.filter(|code| !known(code)).collect();
        assert!(unheard.is_empty(), "{name}: {unheard:?}");
    }
}

#[test]
fn every_kind_of_ceiling_has_a_name_for_a_sentence() {
    for kind in KINDS {
        assert!(fullwire_present::ceiling_name(kind.name).is_some(), "{}", kind.name);
    }
}

#[test]
fn every_document_of_a_real_run_keeps_to_its_schema() {
    for (name, ..) in RUNS {
        let (run, assessment) = judged(name);
        let mut documents = vec![
            ("assess", value(json::assess(&run, &assessment))),
            ("check", value(json::check(&run, &assessment))),
            ("run", value(&run)),
        ];
        documents.extend(json::net(&run, &assessment).into_iter().map(|one| ("net", value(one))));
        documents.extend(json::mtu(&run, &assessment).into_iter().map(|one| ("mtu", value(one))));
        documents.extend(json::disk(&run, &assessment).into_iter().map(|one| ("disk", value(one))));
        for (of, document) in documents {
            let validator =
                jsonschema::validator_for(&serde_json::from_str(json::schema(of).unwrap()).unwrap()).unwrap();
            let errors = validator.iter_errors(&document).take(3);
            let errors: Vec<String> =
                errors.map(|error| format!("{}: {error}", error.instance_path)).collect();
            assert!(errors.is_empty(), "{name}, {of}: {errors:#?}");
        }
    }
}

/// The judged figure as it is written everywhere.
fn figure(path: &PathAssessment) -> String {
    format::value(path.measured.unwrap(), path.unit)
}

#[test]
fn answer_ladder_table_page_and_documents_have_one_figure() {
    for (name, ..) in RUNS {
        let (run, assessment) = judged(name);
        let (report, path) = (Report::new(&run, &assessment), &assessment.paths[0]);
        let number = figure(path);
        let bare = number.split(' ').next().unwrap();
        assert!(report.answer.iter().any(|said| said.contains(bare)), "{name}: {bare}: {:?}", report.answer);
        let ladder = &report.paths[0].ladders[0];
        assert!(ladder.judged && ladder.measured == path.measured, "{name}");
        let drawing = terminal::assess(&report).render(false);
        let measured = drawing.lines().find(|line| line.starts_with("▸ measured")).unwrap();
        assert!(measured.contains(&number), "{name}: {measured}");
        let row = report.paths[0].tables[0].rows.iter().flatten().any(|cell| cell == bare);
        assert!(row, "{name}: {bare} is not in {:?}", report.paths[0].tables[0].rows);
        assert!(html::page(&report).contains(&format!("<span class=\"value\">{number}</span>")), "{name}");
        let id = &*path.measurement.to_string();
        let of_nets = value(json::net(&run, &assessment));
        let of_disks = value(json::disk(&run, &assessment));
        let nets = of_nets.as_array().unwrap().iter().map(|document| &document["assessed"]);
        let steps = of_disks.as_array().unwrap().iter().flat_map(|one| one["assessed"].as_array().unwrap());
        let assessed =
            nets.chain(steps).find(|one| one["id"] == id).unwrap_or_else(|| panic!("{name}: no {id}"));
        let (value, unit) = (assessed["value"].as_f64(), value(path.unit));
        assert_eq!((value, &assessed["unit"]), (path.measured, &unit), "{name}");
    }
}

#[test]
fn the_chain_of_a_window_leads_over_the_shaper_to_the_wire() {
    let (run, assessment) = judged("receive-window");
    let headline = Report::new(&run, &assessment).headline;
    assert!(headline[0].starts_with("Limited by the network: "), "{headline:#?}");
    assert!(headline[0].ends_with(" (finding receive-window)."), "{headline:#?}");
    let chain = headline.iter().find(|sentence| sentence.starts_with("Receive window")).unwrap();
    let (first, rest) = chain.split_once("; without it ").unwrap();
    let (second, third) = rest.split_once("; without both ").unwrap();
    assert!(first.ends_with("MB/s") && second.ends_with("the shaper"), "{chain}");
    assert!(third.ends_with("the declared rate."), "{chain}");
    let page = page("receive-window");
    assert!(page.contains(chain.as_str()), "the page has the chain too");
}

#[test]
fn links_in_a_page_lead_to_one_place_each() {
    for (name, ..) in RUNS {
        let page = body(&page(name));
        let ids: Vec<&str> =
            page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len(), "{name}: {ids:?}");
        for target in page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(unique.contains(target), "{name}: nothing has the id {target}");
        }
    }
}

/// Every text in a value, however deep.
fn texts_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        Value::Object(fields) => fields.values().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn nothing_is_wider_than_80_columns_but_commands_to_be_copied() {
    for (name, ..) in RUNS {
        let (run, assessment) = judged(name);
        let advice = assessment.findings.iter().map(|finding| value(&finding.advice));
        let commands: Vec<String> = advice.flat_map(|advice| texts_in(&advice)).collect();
        let drawing = terminal::assess(&Report::new(&run, &assessment)).render(false);
        for line in drawing.lines().filter(|line| line.width() > terminal::WIDTH) {
            assert!(commands.iter().any(|command| line.ends_with(command.as_str())), "{name}: {line}");
        }
    }
}
