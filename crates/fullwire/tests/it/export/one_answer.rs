//! Whatever was asked, the answer is the same on the terminal, in the page, in JSON, in the history and for a monitor.

use crate::golden::judged;
use crate::redo_day;
use fullwire_model::assessment::{Assessment, Reply};
use fullwire_model::demand::{AwrReport, Demand, WaitStat};
use fullwire_model::disk::{Pattern, Sweep};
use fullwire_model::history::Entry;
use fullwire_model::quantity::Unit;
use fullwire_model::{Gap, GapReason, Run, format};
use fullwire_present::export::nagios;
use fullwire_present::json::HistoryLine;
use fullwire_present::{Report, html, json, terminal};

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
        run.command.arguments.push(run.net[0].target.clone());
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
    let plain = without_tags.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    words(&plain.replace("&amp;", "&"))
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
    }
    // The history's figure is one that a person finds in the answer, in the same unit.
    if let Some((value, unit)) = line.measured.zip(line.unit) {
        let figure = format::value(value, unit);
        let number = figure.split(' ').next().unwrap_or_default();
        assert!(
            listed.contains(&figure) && shown.contains(number),
            "{name}: {figure} in {listed} of {shown}"
        );
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
