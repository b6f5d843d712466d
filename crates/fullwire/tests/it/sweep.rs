//! Names as an attacker would choose them. Every string of every case of every rule gets a suffix (alone, where it changes more than itself) that is a
//! command to a shell, a template to Ansible, an element to a browser and a sequence to a terminal. All outputs are made;
//! commands, scripts and playbooks are run where they can do no harm; and each kind of output must have had such names in
//! it, or the sweep would prove nothing. Documents that are no runs are swept in `crates/present/tests/it/names.rs`, and here where
//! something is concluded from them; texts of others in `hostile/pieces.rs`; a live host in `hostile/names.rs`.

mod run;

use fullwire_model::assessment::{Assessment, Finding, Severity, harmless_lines};
use fullwire_model::estate::Estate;
use fullwire_model::json::of_tree;
use fullwire_model::mesh::Mesh;
use fullwire_model::{Run, fixture};
use fullwire_present::json::RuleCard;
use fullwire_present::script::{self, Script};
use fullwire_present::{Report, csv, export, html, terminal};
use fullwire_rules::{assess, rules};
use serde_json::Value;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// In every suffix: by it a name is found again.
const MARK: &str = "zqmark";
/// What runs as a command, as a template or in a page. Commands leave a file.
const CODE: &str = "zqmark'\"$(touch /m/a)`touch /m/b`;touch /m/c;#{{{lookup('pipe','touch /m/d')}}}{%raw%}</script><zqmark>]]>&";
/// The same without quotes, which may close others by luck.
const BARE: &str = "zqmark;touch /m/x;#";
/// What does something to a terminal, or begins a line of its own.
const CONTROLS: &str = "zqmark\x1b[2J\u{202e}\r\nEVIL 1\nEVIL{x=\"1\"} 1\t\u{200b}\u{7f}";

/// Both. What does something to a terminal comes first: columns cut what is long.
fn everything() -> String {
    format!("{CONTROLS}{CODE}")
}
/// Of scripts and playbooks so many are run for each rule: each is made of the same few functions.
const RUN_EACH: usize = 2;
/// Playbooks that Ansible runs: it needs a second for each.
const PLAYED: usize = 6;

/// What the sweep found.
#[derive(Default)]
struct Found {
    /// For each kind of output, in how many there was such a name.
    arrived: BTreeMap<&'static str, usize>,
    /// What is wrong, with an example.
    wrong: BTreeMap<String, String>,
    /// Commands with such a name, and what stands between backticks in sentences.
    commands: BTreeSet<String>,
    /// Scripts and playbooks of each rule.
    scripts: BTreeMap<String, Vec<String>>,
    playbooks: BTreeMap<String, Vec<String>>,
    runs: usize,
    /// Places of all runs together.
    names: usize,
}

#[test]
fn no_name_does_anything_in_any_output() {
    let cases = cases();
    let found = Mutex::new(Found::default());
    let elsewhere = Elsewhere::default();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((code, runs)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let own = sweep(code, runs, &elsewhere);
                    found.lock().unwrap().add(own);
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    run::run_commands(&mut found);
    run::run_playbooks(&mut found);
    let (runs, names, commands) = (found.runs, found.names, found.commands.len());
    eprintln!("{runs} runs, {names} places, {commands} commands; arrived: {:?}", found.arrived);
    let wrong: String =
        found.wrong.iter().map(|(what, example)| format!("{what}\n    {example}\n")).collect();
    assert!(found.wrong.is_empty(), "{wrong}");
    let missing: Vec<&&str> = KINDS
        .iter()
        .chain(&OTHERS)
        .filter(|kind| found.arrived.get(**kind).copied().unwrap_or(0) == 0)
        .collect();
    assert!(missing.is_empty(), "no such name was ever in {missing:?}");
    assert!(found.names > 3_500, "only {} places", found.names);
}

/// Every kind of output in which a name must have arrived.
const KINDS: [&str; 20] = [
    "probe", "strict probe", "terminal", "check", "html", "json", "csv", "text", "openmetrics", "nagios",
    "checkmk", "zabbix", "junit", "sarif", "otlp", "script", "playbook", "commands run", "scripts run",
    "playbooks run",
];

/// What other commands show of a run on a terminal: each line of them is of the same parts, so every few runs are enough.
const OTHERS: [&str; 7] = ["report", "details", "disk", "demand", "spans", "reasons", "why"];
/// One run in so many has them.
const OTHERS_EACH: usize = 6;
/// The first run of a rule and then one in so many is exported: each format writes what any rule says in one way.
const EXPORTED_EACH: usize = 3;

fn other_commands(run: &Run, assessment: &Assessment, report: &Report) -> [terminal::Text; OTHERS.len()] {
    [
        terminal::report(report),
        terminal::details(report),
        terminal::disk(report),
        terminal::demand(report),
        terminal::spans(report),
        terminal::reasons(run, &assessment.unknowns),
        terminal::why(&fullwire_rules::why(run)),
    ]
}

/// A mesh with trouble of each kind, and an estate.
const MESH: &str = r#"{"mesh_id": "m1", "networks": ["data"], "groups": [{"name": "rack", "hosts": ["db1", "db2"]}], "hosts": [
    {"name": "db1", "target": "root@db1", "version": "1", "bonds": ["bond0 (2 members)"], "bond_members_down": ["eth1 of bond0"]},
    {"name": "db2", "version": "2"}, {"name": "db3", "version": "1"},
    {"name": "db4", "state": "absent", "detail": "no route to host"}], "cells": [
    {"from": "db1", "to": "db2", "network": "data", "state": "blocked", "detail": "timed out"},
    {"from": "db2", "to": "db1", "network": "data", "state": "measured", "throughput_bytes_per_s": 1e8, "p50_ns": 900000,
     "mtu_bytes": 1500, "interface_mtu_bytes": 9000, "black_hole": true, "run_id": "r1", "cause": "link-speed",
     "ceiling_bytes_per_s": 1e9, "ceiling_kind": "link"},
    {"from": "db1", "to": "db3", "network": "data", "state": "measured", "throughput_bytes_per_s": 1.1e9, "p50_ns": 60000, "mtu_bytes": 9000},
    {"from": "db3", "to": "db1", "network": "data", "state": "failed", "detail": "broke twice"},
    {"from": "db2", "to": "db3", "network": "data", "state": "refused", "detail": "the budget of today is spent"}],
    "storage": [{"host": "db1", "target": "/u01", "state": "failed", "detail": "no space"}],
    "gaps": [{"subject": "db4", "reason": "absent", "detail": "no word for 15 s"}]}"#;
const ESTATE: &str = r#"{"coordinator": {"host": "db1", "term": 3, "leading": true},
    "hosts": [{"name": "db1", "trouble": "no space", "unsent": 3}, {"name": "db2", "present": true, "bad_paths": 1}],
    "bad": [{"from": "db1", "to": "db2", "network": "data", "why": "a third", "run_id": "r1", "value": 1e8}]}"#;

/// Each name of a document in turn with each suffix, wherever it stands.
fn changed<T: serde::de::DeserializeOwned>(written: &str, mut each: impl FnMut(&str, &T)) {
    let written: Value = serde_json::from_str(written).unwrap();
    let places = fixture::strings(&written);
    let text_at = |place: &str| written.pointer(place).and_then(Value::as_str).unwrap();
    let names: BTreeSet<&str> = places.iter().map(|place| text_at(place)).collect();
    for name in names {
        for suffix in [CODE, CONTROLS] {
            let mut changed = written.clone();
            for place in places.iter().filter(|place| text_at(place) == name) {
                *changed.pointer_mut(place).unwrap() = Value::from(format!("{name}{suffix}"));
            }
            // An enumeration takes no suffix.
            if let Ok(document) = of_tree(&changed) {
                each(name, &document);
            }
        }
    }
}

#[test]
fn no_name_of_a_judged_mesh_or_an_estate_does_anything() {
    let mut found = Found::default();
    let mut judged = 0;
    changed::<Mesh>(MESH, |place, mesh| {
        let list = fullwire_mesh::judge::judge(mesh);
        judged += usize::from(list.iter().any(|finding| finding.message.contains(MARK)));
        found.shown(place, "terminal of a mesh", &terminal::mesh(mesh, &list).render(false));
        found.shown(place, "terminal of changes", &terminal::mesh_changes(mesh, &list, &list).render(false));
        found.markup(place, "page of a mesh", body(&html::mesh(mesh, &list)));
        found.markup(place, "page of changes", body(&html::mesh_changes(mesh, &list, &list)));
        assert!(list.iter().flat_map(|finding| &finding.advice.steps).all(|step| step.command().is_none()));
    });
    changed::<Estate>(ESTATE, |place, estate| {
        found.shown(place, "terminal of an estate", &terminal::estate(estate).render(false));
        found.markup(place, "page of an estate", body(&html::estate(estate)));
        let families = export::estate(estate);
        found.lines(place, "scrape of an estate", &export::text(&families));
        found.lines(place, "strict scrape of an estate", &export::openmetrics(&families));
    });
    assert!(found.wrong.is_empty(), "{:#?}", found.wrong);
    assert_eq!(found.arrived.len(), 8);
    assert!(found.arrived.values().all(|&count| count > 0) && judged > 0, "{judged}, {:?}", found.arrived);
    println!("{judged} findings; arrived: {:?}", found.arrived);
}

/// The runs of each rule's cases that are not silent.
fn cases() -> Vec<(&'static str, Vec<Value>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/fixtures");
    let mut all = Vec::new();
    for rule in rules() {
        let text = std::fs::read_to_string(folder.join(format!("{}.json", rule.code))).unwrap();
        let cases = fixture::cases(&text).unwrap();
        // A rule that is silent advises nothing; names of what passes are in `fires` too.
        let loud = cases.into_iter().filter(|case| case.kind != "silent" && case.kind != "unknown");
        all.push((rule.code, loud.map(|case| case.run).collect()));
    }
    all
}

/// How often a name at a place was drawn that no conclusion has: outputs show it by the run alone, whichever rule's case it is.
type Elsewhere = Mutex<BTreeMap<String, usize>>;
/// So many cases show what every output does with such a place.
const DRAWN: usize = 3;

/// A place without its positions in lists.
fn general(place: &str) -> String {
    let parts = place.split('/').map(|part| if part.parse::<usize>().is_ok() { "#" } else { part });
    parts.collect::<Vec<&str>>().join("/")
}

/// Whether each of these places has been drawn often enough by now.
fn is_drawn_elsewhere(places: &[String], elsewhere: &Elsewhere) -> bool {
    let mut drawn = elsewhere.lock().unwrap();
    let generals: BTreeSet<String> = places.iter().map(|place| general(place)).collect();
    let mut often = true;
    for place in generals {
        let times = drawn.entry(place).or_default();
        *times += 1;
        often &= *times > DRAWN;
    }
    often
}

/// Cases of a rule share most of their strings: each is swept once where it stands. What is called the same is the same thing and
/// is changed together; an enumeration takes no suffix, so that a name which is also such a word is changed by itself.
fn sweep(code: &str, runs: &[Value], elsewhere: &Elsewhere) -> Found {
    let mut found = Found::default();
    let mut swept = BTreeSet::new();
    for written in runs {
        let mut named: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for place in fixture::strings(written) {
            let value = written.pointer(&place).and_then(Value::as_str).unwrap_or_default();
            named.entry(value).or_default().push(place);
        }
        let mut names = Vec::new();
        for (value, places) in named {
            if !swept.insert((places.clone(), value.to_owned())) {
                continue;
            }
            if with_suffix(written, &places, MARK).is_some() {
                names.push(places);
            } else {
                let alone = places.into_iter().map(|place| vec![place]);
                names.extend(alone.filter(|place| with_suffix(written, place, MARK).is_some()));
            }
        }
        let Ok(run) = of_tree(written) else { continue };
        let case = Case { code, written, concluded: assess(&run) };
        case.sweep(&names, elsewhere, &mut found);
    }
    found
}

/// The run with a suffix at these places; `None`: an enumeration or a time is among them.
fn with_suffix(written: &Value, places: &[String], suffix: &str) -> Option<Run> {
    let mut changed = written.clone();
    for place in places {
        let Some(Value::String(text)) = changed.pointer_mut(place) else { return None };
        text.push_str(suffix);
    }
    of_tree(&changed).ok()
}

/// A case as it was written, and what is concluded from it.
struct Case<'a> {
    code: &'a str,
    written: &'a Value,
    concluded: Assessment,
}

/// The case with other names, and what is concluded from it.
struct Renamed {
    run: Run,
    concluded: Assessment,
}

impl Case<'_> {
    fn renamed(&self, places: &[String], suffix: &str) -> Renamed {
        let run = with_suffix(self.written, places, suffix).expect("takes a suffix");
        Renamed { concluded: assess(&run), run }
    }

    /// Names that change nothing but themselves go through the outputs together. Where one changes what is concluded, which would
    /// hide the others, each half is looked at by itself.
    fn sweep(&self, names: &[Vec<String>], elsewhere: &Elsewhere, found: &mut Found) {
        let places = names.concat();
        let code = LazyCell::new(|| self.renamed(&places, CODE));
        let all = LazyCell::new(|| self.renamed(&places, &everything()));
        match names {
            [] => {}
            [_] => self.sweep_places(&places, &code, &all, elsewhere, found),
            _ if self.says_the_same(&places)
                && self.advises_the_same(&code)
                && self.advises_the_same(&all) =>
            {
                self.sweep_places(&places, &code, &all, elsewhere, found);
            }
            _ => {
                let (one, other) = names.split_at(names.len() / 2);
                self.sweep(one, elsewhere, found);
                self.sweep(other, elsewhere, found);
            }
        }
    }

    /// With a plain suffix all that is found is the same but for the suffix.
    fn says_the_same(&self, places: &[String]) -> bool {
        let said = |assessment: &Assessment| {
            let found = (&assessment.findings, &assessment.paths);
            serde_json::to_string(&found).unwrap().replace(MARK, "")
        };
        said(&self.renamed(places, MARK).concluded) == said(&self.concluded)
    }

    /// With another as much is found and advised.
    fn advises_the_same(&self, other: &Renamed) -> bool {
        let advised = |assessment: &Assessment| -> Vec<(String, usize)> {
            let findings = assessment.findings.iter();
            findings.map(|finding| (finding.code.clone(), finding.advice.steps.len())).collect()
        };
        advised(&other.concluded) == advised(&self.concluded)
    }

    /// Commands are made with what is only code as well: a control character may keep a name out of them.
    fn sweep_places(
        &self,
        places: &[String],
        code: &Renamed,
        all: &LazyCell<Renamed, impl FnOnce() -> Renamed>,
        elsewhere: &Elsewhere,
        found: &mut Found,
    ) {
        let at = format!("{} {}", self.code, places[0]);
        found.runs += 1;
        found.names += places.len();
        if serde_json::to_string(&code.concluded).unwrap().contains(MARK) {
            steps(&self.renamed(places, BARE).concluded, found);
            steps(&code.concluded, found);
            scripts(&at, &code.run, &code.concluded, found);
        } else if is_drawn_elsewhere(places, elsewhere) {
            return;
        }
        outputs(&at, &all.run, &all.concluded, found);
    }
}

fn outputs(at: &str, run: &Run, assessment: &Assessment, found: &mut Found) {
    let report = Report::new(run, assessment);
    let page = html::page(&report);
    let body = page.split_once("</head>").map_or("", |(head, _)| head).to_owned() + "\n" + body(&page);
    found.shown(at, "terminal", &terminal::assess(&report).render(false));
    found.shown(at, "check", &terminal::check(&report).render(false));
    if found.runs.is_multiple_of(OTHERS_EACH) {
        for (kind, text) in OTHERS.into_iter().zip(other_commands(run, assessment, &report)) {
            found.shown(at, kind, &text.render(false));
        }
        let mut probed = export::results(run);
        let targets = run.net.iter().map(|net| &net.target).chain(run.mtu.iter().map(|mtu| &mtu.target));
        probed.extend(
            targets.filter_map(|target| {
                export::single(export::PROBE_SUCCESS, [("target", target.as_str())], 1.0)
            }),
        );
        found.lines(at, "probe", &export::text(&probed));
        found.lines(at, "strict probe", &export::openmetrics(&probed));
    }
    found.markup(at, "html", &body);
    if found.runs % EXPORTED_EACH == 1 {
        exports(at, run, assessment, found);
    }
    let json = serde_json::to_string(assessment).unwrap();
    found.arrives("json", &json);
    if json.contains(MARK) {
        steps(assessment, found);
        scripts(at, run, assessment, found);
    }
}

fn exports(at: &str, run: &Run, assessment: &Assessment, found: &mut Found) {
    let families = export::families(run, assessment, export::Scope::All);
    let cards = cards(assessment);
    let fails = |severity| severity >= Severity::Warning;
    let tree = |value: Value| serde_json::to_string(&value).unwrap();
    found.lines(at, "csv", &csv::runs([run]));
    found.lines(at, "text", &export::text(&families));
    found.lines(at, "openmetrics", &export::openmetrics(&families));
    found.lines(at, "nagios", &export::nagios(run, assessment, None).0);
    found.lines(at, "checkmk", &export::checkmk(Ok((run, assessment)), None));
    found.lines(at, "zabbix", &export::zabbix(run, assessment, &families, None));
    found.markup(at, "junit", &export::junit(run, assessment, &cards, &[], fails));
    found.lines(at, "sarif", &tree(export::sarif(run, assessment, &cards, &[])));
    found.lines(at, "otlp", &tree(export::otlp(run, &families)));
}

/// What a page shows, without its charts' program.
fn body(page: &str) -> &str {
    page.split_once("<body>").map_or("", |(_, body)| body.split("<script>").next().unwrap_or(body))
}

fn cards(assessment: &Assessment) -> Vec<RuleCard> {
    let of = |finding: &Finding| {
        let rule = rules().find(|rule| rule.code == finding.code)?;
        let (severity, area, source) = (rule.severity, rule.layer, String::new());
        Some(RuleCard { code: rule.code, title: rule.title, severity, area, source })
    };
    assessment.findings.iter().filter_map(of).collect()
}

/// Commands, and what a reader would paste from a sentence.
fn steps(assessment: &Assessment, found: &mut Found) {
    for finding in &assessment.findings {
        for step in &finding.advice.steps {
            let checks = step.checks.iter().map(|check| &check.run);
            let commands = step.command().into_iter().chain(checks).chain(&step.read_back);
            found.commands.extend(commands.filter(|run| run.contains(MARK)).map(ToString::to_string));
            for text in [&step.text].into_iter().chain(&step.needs) {
                let line = text.lines().filter(|line| line.starts_with("fullwire "));
                let between = text.split('`').skip(1).step_by(2).chain(line);
                found.commands.extend(between.filter(|run| run.contains(MARK)).map(str::to_owned));
            }
        }
    }
}

fn scripts(at: &str, run: &Run, assessment: &Assessment, found: &mut Found) {
    let findings: Vec<&Finding> = assessment.findings.iter().collect();
    let script = Script {
        run_id: &run.run_id,
        hostname: &run.host.hostname,
        about: &[],
        store: Some(CODE),
        findings: &findings,
        refused: None,
    };
    let (sh, play) = (script::shell(&script), script::ansible(&script));
    found.lines(at, "script", &sh);
    found.lines(at, "playbook", &play);
    let template = |line: &&str| !line.trim_start().starts_with('#') && !line.contains("- !unsafe ");
    if let Some(line) = play.lines().filter(template).find(|line| line.contains('{') && line.contains(MARK)) {
        found.is_wrong(at, "playbook", line);
    }
    let code = at.split(' ').next().unwrap_or_default();
    for (kept, text) in [(&mut found.scripts, sh), (&mut found.playbooks, play)] {
        let own = kept.entry(code.to_owned()).or_default();
        if own.len() < RUN_EACH && text.contains(MARK) {
            own.push(text.to_string());
        }
    }
}

impl Found {
    fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.names += other.names;
        for (kind, count) in other.arrived {
            *self.arrived.entry(kind).or_default() += count;
        }
        self.wrong.extend(other.wrong);
        self.commands.extend(other.commands);
        for (kept, others) in [(&mut self.scripts, other.scripts), (&mut self.playbooks, other.playbooks)] {
            for (code, texts) in others {
                kept.entry(code).or_default().extend(texts);
            }
        }
    }

    fn arrives(&mut self, kind: &'static str, text: &str) {
        *self.arrived.entry(kind).or_default() += usize::from(text.contains(MARK));
    }

    fn is_wrong(&mut self, at: &str, kind: &str, what: &str) {
        let code = at.split(' ').next().unwrap_or_default();
        let example = format!("{at}: {what:?}");
        self.wrong.entry(format!("{kind} of {code}")).or_insert(example);
    }

    /// No character in it does anything.
    fn shown(&mut self, at: &str, kind: &'static str, text: &str) {
        self.arrives(kind, text);
        let harmless = harmless_lines(text);
        if let Some((line, _)) = text.lines().zip(harmless.lines()).find(|(line, shown)| line != shown) {
            self.is_wrong(at, kind, line);
        }
    }

    /// Nor does a name begin a line.
    fn lines(&mut self, at: &str, kind: &'static str, text: &str) {
        self.shown(at, kind, text);
        if let Some(line) = text.split(['\n', '\r']).find(|line| line.starts_with("EVIL")) {
            self.is_wrong(at, kind, line);
        }
    }

    /// Nor an element.
    fn markup(&mut self, at: &str, kind: &'static str, text: &str) {
        self.shown(at, kind, text);
        if let Some(at_mark) = text.find("<zqmark") {
            let near: String = text[at_mark..].chars().take(80).collect();
            self.is_wrong(at, kind, &near);
        }
    }
}
