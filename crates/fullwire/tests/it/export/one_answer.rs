//! Whatever was asked, the answer is the same on the terminal, in the page, in JSON, in the history and in the exports.

use crate::golden::judged;
use crate::redo_day;
use crate::tool::{Desk, calm, serve, stderr, stdout};
use fullwire_model::assessment::{Answer, Assessment, Reply, Severity, UserQuestion};
use fullwire_model::demand::{AwrReport, Demand, WaitStat};
use fullwire_model::disk::{Pattern, Sweep};
use fullwire_model::history::Entry;
use fullwire_model::quantity::Unit;
use fullwire_model::{Gap, GapReason, Run, format};
use fullwire_present::export::{Scope, checkmk, families, junit, nagios, zabbix};
use fullwire_present::json::HistoryLine;
use fullwire_present::{Report, html, json, terminal};
use fullwire_store::Store;
use std::path::Path;

/// Runs of different kinds, with an answer that each must have.
fn runs() -> Vec<(&'static str, Run, Reply)> {
    let kept = |name: &str| judged(name).0;
    let changed = |name: &str, change: &dyn Fn(&mut Run)| {
        let mut run = kept(name);
        change(&mut run);
        run
    };
    let promised = |io_per_s: Option<f64>, bytes_per_s: Option<f64>| {
        changed("io-limit", &|run| {
            run.command.expect_disk.io_per_s = io_per_s;
            run.command.expect_disk.bytes_per_s = bytes_per_s;
            run.disk[0].steps.retain(|step| step.pattern == Pattern::Random);
        })
    };
    let needed = |redo: f64| {
        changed("receive-window", &|run| {
            let need = Some(redo);
            run.demand = Some(Demand {
                redo_required_bytes_per_s: need,
                redo_peak_bytes_per_s: need,
                ..Demand::default()
            });
        })
    };
    let host_alone = changed("io-limit", &|run| {
        run.command.name = "check".into();
        (run.net, run.disk, run.mtu, run.peers) = Default::default();
    });
    let broken = changed("full-wire", &|run| {
        let first = &mut run.net[0];
        (first.incomplete, first.broke_after_s) = (Some("the peer closed the connection".into()), Some(1.5));
    });
    let swept = changed("io-limit", &|run| {
        run.command.name = "disk".into();
        let disk = &mut run.disk[0];
        disk.steps.retain(|step| step.pattern == Pattern::Random);
        let knee_depth = Some(disk.steps[0].queue_depth * disk.steps[0].threads);
        disk.sweep = Some(Sweep { over: vec!["depth".into()], knee_depth, ..Sweep::default() });
    });
    let mut report = Run::default();
    report.command.name = "awr".into();
    let reads = WaitStat { waits: 1_000_000, time_s: Some(10_000.0), ..WaitStat::default() };
    report.reports.push(AwrReport {
        source: "r.txt".into(),
        elapsed_min: Some(60.0),
        db_time_min: Some(240.0),
        waits: [("db file sequential read".to_owned(), reads)].into(),
        ..AwrReport::default()
    });
    let nobody = changed("full-wire", &|run| {
        let why = "cannot resolve db9: Name or service not known";
        run.gaps.push(Gap::new(&run.net[0].target, GapReason::Absent, why));
        run.command.arguments.push(run.net[0].target.to_string());
        run.net.clear();
    });
    vec![
        ("a sweep", swept, Reply::Measured),
        ("a report of a database", report, Reply::Measured),
        ("a peer that is not there", nobody, Reply::Broken),
        ("a promised line", kept("full-wire"), Reply::Kept),
        ("a line below its promise", kept("receive-window"), Reply::Missed),
        ("a disk", kept("io-limit"), Reply::Measured),
        ("a promise kept", promised(Some(250.0), None), Reply::Kept),
        ("a promise missed", promised(Some(20_000.0), None), Reply::Missed),
        ("a promise exceeded", promised(Some(20.0), None), Reply::Exceeded),
        ("a promise not measured", promised(None, Some(800e6)), Reply::Unknown),
        ("redo that fits", needed(1e6), Reply::Enough),
        ("redo that does not", needed(1e9), Reply::NotEnough),
        ("redo alone", redo_day::run(), Reply::Measured),
        ("a host", host_alone, Reply::Unhealthy),
        ("a test that broke", broken, Reply::Broken),
    ]
}

/// Words alone: lines are wrapped, and a page has tags.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn words_of_page(page: &str) -> String {
    let without_tags: String =
        page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    words(&unescaped(&without_tags))
}

fn unescaped(markup: &str) -> String {
    markup.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn what_was_asked_has_one_answer_wherever_it_is_read() {
    for (name, run, reply) in runs() {
        let assessment = fullwire_rules::assess(&run);
        let replies: Vec<Reply> = assessment.answers.iter().map(|answer| answer.answer).collect();
        assert!(replies.contains(&reply), "{name}: {:#?}", assessment.answers);
        alike(name, &run, &assessment);
    }
}

/// What a command printed is what its kept run says, wherever it is read later.
#[test]
fn what_a_command_printed_is_said_of_its_run_everywhere() {
    calm();
    let desk = Desk::new();
    let (_responder, address) = serve(&desk, &["--open", "--write-dir", "."]);
    let report = specimen("awr-19c.html");
    let earlier = specimen("awr-10g.html");
    let host = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts/composed-aws.tar.zst");
    let host = host.to_str().unwrap();
    let short = ["--duration", "300ms"];
    let commands: [(&[&str], &[&str]); 15] = [
        (&["net", &address], &short),
        (&["net", &address, "--expect", "100Gbit", "--bidir"], &short),
        (&["net", &address, "--mode", "sync", "--write", "--length", "8k"], &short),
        (&["net", &address, "--mode", "rtt"], &short),
        (&["net", &address, "--mode", "udp", "--length", "8k", "--rate", "100Mbit"], &short),
        (&["net", &address, "--mode", "interconnect", "--length", "8k"], &short),
        (&["mtu", "127.0.0.1"], &[]),
        (&["disk", ".", "--size", "16M", "--repeats", "1"], &short),
        (&["disk", ".", "--size", "16M", "--repeats", "1", "--expect-disk", "iops=1"], &short),
        (&["assess", "--path", ".", "--budget", "0s"], &short),
        (&["redo", &report, "--peer", &address], &[]),
        (&["redo", &report], &[]),
        (&["awr", &earlier, &report], &[]),
        (&["check", "--window", "0s"], &[]),
        (&["check", "--root", host], &[]),
    ];
    for (command, more) in commands {
        let name = command.join(" ");
        let kept = ["--store", "runs", "--fail-on", "never"];
        let output = desk.run(&[command, more, &kept[..]].concat());
        let printed = words(&stdout(&output));
        let run = Store::open(desk.work.path().join("runs")).unwrap().load("last").unwrap();
        assert_eq!(run.command.name, command[0], "{name}: {}", stderr(&output));
        let assessment = fullwire_rules::assess(&run);
        assert!(!assessment.answers.is_empty(), "{name} answers nothing: {printed}");
        for answer in &assessment.answers {
            assert!(printed.contains(&words(&answer.text)), "{name}: {}\n{printed}", answer.text);
        }
        alike(&name, &run, &assessment);
    }
}

fn specimen(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demand/tests/specimens");
    folder.join(name).to_str().unwrap().to_owned()
}

fn alike(name: &str, run: &Run, assessment: &Assessment) {
    let report = Report::new(run, assessment);
    let shown = words(&terminal::report(&report).render(false));
    let page = words_of_page(&html::page(&report));
    let line = HistoryLine::new(Entry::default(), Some(assessment));
    let listed = words(&terminal::history(std::slice::from_ref(&line)).render(false));
    let (monitor, _) = nagios(run, assessment, None);
    for answer in &assessment.answers {
        let text = words(&answer.text);
        assert!(shown.contains(&text), "{name}, terminal: {text}\n{shown}");
        assert!(page.contains(&text), "{name}, page: {text}");
    }
    let document = serde_json::to_value(json::assess(run, assessment)).unwrap();
    let answers = serde_json::to_value(&assessment.answers).unwrap();
    assert_eq!(document["answers"], answers, "{name}");
    assert_eq!(serde_json::to_value(&line).unwrap()["answers"], answers, "{name}, history");
    if assessment.answers.iter().any(|answer| answer.answer == Reply::Broken) {
        assert_eq!(line.measured, None, "{name}: what it carried until then is no figure");
        let exported = monitor.lines().next().unwrap_or_default();
        assert!(!exported.contains("_per_s'="), "{name}: what it carried until then is exported: {exported}");
        assert!(!shown.contains("full-wire"), "{name}: the path has a verdict: {shown}");
    } else if assessment.answers.iter().any(|answer| answer.answer == Reply::Measured) {
        assert!(!monitor.contains("could not be measured"), "{name}: {}", &*monitor);
        assert!(!junit(run, assessment, &[], &[], |_| false).contains("could not be measured"), "{name}");
    }
    exported_alike(name, run, assessment, &line);
    // The history's figure is one that a person finds in the answer, in the same unit.
    if let Some((value, unit)) = line.measured.zip(line.unit) {
        let figure = format::value(value, unit);
        let number = figure.split(' ').next().unwrap_or_default();
        assert!(
            listed.contains(&figure) && shown.contains(number),
            "{name}: {figure} in {listed} of {shown}"
        );
        let is_of_path = assessment.paths.iter().any(|path| path.measured.is_some());
        let local = checkmk(Ok((run, assessment)), None);
        assert!(!is_of_path || local.contains(&figure), "{name}: {figure} is not in {}", &*local);
        assert!(
            !matches!(unit, Unit::Count | Unit::Ratio) || !line.of.is_empty(),
            "{name}: {figure} of what?"
        );
    }
    let Some((word, _)) = report.word else { return };
    let word = word.replace('-', " ");
    assert!(listed.contains(&word), "{name}: {word} is not in {listed}");
    if !assessment.paths.is_empty() {
        assert!(monitor.contains(&word), "{name}: {word} is not in {}", &*monitor);
    }
}

/// What was asked of a path is a series of its own, a case of a test and a line of a service; the figure of the history is
/// among the path's.
fn exported_alike(name: &str, run: &Run, assessment: &Assessment, line: &HistoryLine) {
    let series = families(run, assessment, Scope::Usual);
    let sent = zabbix(run, assessment, &series, None);
    let tests = words(&unescaped(&junit(run, assessment, &[], &[], |_| false)));
    let local = checkmk(Ok((run, assessment)), None);
    let asked = |answer: &&Answer| {
        [UserQuestion::Complete, UserQuestion::Enough, UserQuestion::Kept].contains(&answer.question)
    };
    for answer in assessment.answers.iter().filter(asked) {
        let (question, reply) = (answer.question.name(), answer.answer.name());
        let labels = [("target", answer.subject.as_str()), ("question", question), ("answer", reply)];
        let is_it = |own: &[(String, String)]| {
            labels.iter().filter(|(_, value)| !value.is_empty()).all(|(label, value)| {
                own.iter().any(|(other, text)| other == label && text == &fullwire_present::harmless(value))
            })
        };
        let of_answers = series.iter().filter(|family| family.name == "fullwire_answer");
        let points = of_answers.flat_map(|family| &family.points).filter(|point| is_it(&point.labels));
        assert_eq!(points.count(), 1, "{name}: {question} {reply}");
        assert!(sent.contains(&format!("\\\"{question}\\\",\\\"{reply}\\\"")), "{name}, zabbix: {}", &*sent);
        let text = words(&answer.text);
        assert!(tests.contains(&text), "{name}, junit: {text} is not in {tests}");
        if !assessment.paths.is_empty() {
            assert!(local.contains(&text), "{name}, checkmk: {text} is not in {}", &*local);
        }
    }
    let found = assessment.findings.iter().filter(|finding| finding.severity > Severity::Info).count();
    let healthy = assessment.answers.iter().find(|answer| answer.question == UserQuestion::Healthy);
    if let Some(answer) = healthy {
        assert_eq!(answer.figure, Some(found as f64), "{name}: what the answer counts");
    }
    let Some(value) = line.measured.filter(|_| !assessment.paths.is_empty()) else { return };
    let figures = series.iter().filter(|family| family.name.starts_with("fullwire_path_measured"));
    let mut values = figures.flat_map(|family| &family.points).map(|point| point.value);
    let same = |other: f64| (other / value - 1.0).abs() < 1e-9 || (other * 1e9 / value - 1.0).abs() < 1e-9;
    let answered = assessment.answers.iter().any(|answer| answer.figure == Some(value));
    assert!(answered || values.any(same), "{name}: {value} of the history is no figure of a path");
}
