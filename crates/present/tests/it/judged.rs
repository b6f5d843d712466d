//! How one judged figure is drawn, case by case.

use fullwire_model::assessment::{
    After, Amount, Answer, Assessment, Bottleneck, Cause, Ceiling, Finding, Layer, MeasurementAssessment,
    Mechanism, PathAssessment, PathKind, Reply, Role, Verdict,
};
use fullwire_model::net::{NetInterval, NetPath, NetResult};
use fullwire_model::quantity::Unit;
use fullwire_model::specimen::specimen;
use fullwire_model::{MeasurementId, Run};
use fullwire_present::{Report, html, json, terminal};

const PEER: &str = "db2:5555";

pub(crate) fn ceiling(kind: &str, value: f64) -> Ceiling {
    Ceiling {
        layer: Layer::Network,
        path: PEER.into(),
        kind: kind.into(),
        subject: "eth0".into(),
        value,
        unit: Unit::BytesPerS,
        mechanism: Mechanism::Wire,
        ..Ceiling::default()
    }
}

/// A path with one stream of this rate, next to these ceilings.
pub(crate) fn judged(value: f64, verdict: Verdict, ceilings: Vec<Ceiling>) -> Assessment {
    let decides = ceilings.iter().position(|one| !one.soft && !one.removable && !one.refuted);
    let figure = MeasurementAssessment {
        id: stream(),
        label: "async".into(),
        value: Some(value),
        low: Some(value * 0.97),
        high: Some(value * 1.03),
        unit: Unit::BytesPerS,
        ceiling: decides,
        share: decides.map(|index| value / ceilings[index].value),
        ..MeasurementAssessment::default()
    };
    let path = PathAssessment {
        target: PEER.into(),
        measurement: stream(),
        verdict,
        measured: Some(value),
        unit: Unit::BytesPerS,
        ceiling: decides.map(|index| ceilings[index].value),
        measurements: vec![figure],
        ..PathAssessment::default()
    };
    Assessment {
        verdict,
        shortest: Some(0),
        explained: vec![0],
        paths: vec![path],
        ceilings,
        ..Assessment::default()
    }
}

/// What the one stream is called.
fn stream() -> MeasurementId {
    MeasurementId::numbered(&NetResult::default().question(), 0)
}

fn cause(role: Role, code: &str, mechanism: Mechanism, bound: f64, after: Option<(f64, &str)>) -> Cause {
    Cause {
        role,
        measurement: stream(),
        code: code.into(),
        layer: Layer::Network,
        mechanism,
        bound: Some(Amount { value: bound, unit: Unit::BytesPerS }),
        after: after.map(|(value, by)| After {
            value,
            unit: Unit::BytesPerS,
            limited_by: by.into(),
            ..After::default()
        }),
        ..Cause::default()
    }
}

/// Adds causes, the first of which is the bottleneck.
fn caused(mut assessment: Assessment, causes: Vec<Cause>) -> Assessment {
    let path = &mut assessment.paths[0];
    let named = &causes[0];
    let (layer, code, subject) = (named.layer, named.code.clone(), named.subject.clone());
    path.bottleneck = Bottleneck { layer, code, subject, explained: true };
    path.measurements[0].limited_by =
        assessment.ceilings.iter().position(|ceiling| ceiling.kind == causes[0].code);
    path.measurements[0].causes = causes.iter().map(|cause| cause.code.clone()).collect();
    path.causes = causes;
    assessment
}

fn drawn(assessment: &Assessment) -> String {
    terminal::assess(&Report::new(&Run::default(), assessment)).render(false)
}

fn headline(assessment: &Assessment) -> Vec<String> {
    Report::new(&Run::default(), assessment).headline
}

/// The rung's line.
fn line<'a>(drawing: &'a str, name: &str) -> &'a str {
    let at_start = |line: &&str| line.trim_start_matches(['▸', '!', ' ']).starts_with(name);
    drawing.lines().find(at_start).unwrap_or_else(|| panic!("no {name}: {drawing}"))
}

#[test]
fn a_refuted_ceiling_says_how_many_times_it_was_measured() {
    let refuted = Ceiling { refuted: true, ..ceiling("pcie-link", 50e6) };
    let assessment = judged(80e6, Verdict::Good, vec![ceiling("nic-goodput", 100e6), refuted]);
    let drawing = drawn(&assessment);
    assert!(
        line(&drawing, "pcie-link").ends_with("50.0 MB/s  refuted: measured 1.6 times this"),
        "{drawing}"
    );
    assert!(
        html::page(&Report::new(&Run::default(), &assessment)).contains("refuted: measured 1.6 times this")
    );
}

/// A promise that is exceeded is no ceiling, and asking for another one helps nobody.
#[test]
fn a_path_faster_than_declared_says_so() {
    let declared = Ceiling { refuted: true, ..ceiling("declared", 120e6) };
    let mut faster = judged(800e6, Verdict::FullWire, vec![declared]);
    faster.paths[0].ceiling = Some(120e6);
    let answer = Answer { subject: PEER.into(), answer: Reply::Exceeded, ..Answer::default() };
    faster.answers.push(answer);
    assert_eq!(headline(&faster), Vec::<String>::new());
    assert!(drawn(&faster).contains("exceeded: measured 6.67 times this"), "{}", drawn(&faster));
}

/// Nothing is a thousand times nothing: then the lowest ceiling says what is far.
#[test]
fn without_a_figure_ceilings_far_above_the_lowest_are_not_drawn() {
    let ceilings = vec![ceiling("nic-goodput", 100e6), ceiling("tcp-window", 24e12)];
    let drawing = drawn(&judged(0.0, Verdict::Poor, ceilings));
    assert!(drawing.contains("nic-goodput") && !drawing.contains("tcp-window"), "{drawing}");
}

#[test]
fn an_estimate_is_marked_as_not_used_for_the_verdict() {
    let soft = Ceiling { soft: true, ..ceiling("one-cpu", 90e6) };
    let drawing = drawn(&judged(80e6, Verdict::Good, vec![ceiling("nic-goodput", 100e6), soft]));
    assert!(line(&drawing, "one-cpu").contains("~90.0 MB/s"), "{drawing}");
    assert!(drawing.contains("~ estimate; not used for the verdict"), "{drawing}");
}

#[test]
fn the_deciding_ceiling_is_the_one_of_the_index_among_equals() {
    let removable = Ceiling { removable: true, ..ceiling("qdisc-rate", 100e6) };
    let assessment = judged(80e6, Verdict::Good, vec![removable, ceiling("nic-goodput", 100e6)]);
    let run = Run::default();
    let report = Report::new(&run, &assessment);
    let rungs = &report.paths[0].ladders[0].rungs;
    let decides: Vec<&str> =
        rungs.iter().filter(|rung| rung.decides).map(|rung| rung.ceiling.kind.as_str()).collect();
    assert_eq!(decides, ["nic-goodput"]);
}

#[test]
fn a_ceiling_a_thousand_times_above_the_figure_is_counted_and_not_drawn() {
    let drawing =
        drawn(&judged(1e6, Verdict::Poor, vec![ceiling("nic-goodput", 117e6), ceiling("pcie-link", 1e9)]));
    assert!(!drawing.contains("pcie-link") && drawing.contains("1 ceiling above 1,000 times"), "{drawing}");
    let drawing =
        drawn(&judged(1.1e6, Verdict::Poor, vec![ceiling("nic-goodput", 117e6), ceiling("pcie-link", 1e9)]));
    assert!(drawing.contains("pcie-link") && !drawing.contains("1,000 times"), "{drawing}");
}

#[test]
fn the_figure_carries_its_noise() {
    let assessment = judged(80e6, Verdict::Good, vec![ceiling("nic-goodput", 100e6)]);
    let drawing = drawn(&assessment);
    let measured = line(&drawing, "measured");
    assert!(measured.starts_with("▸ measured ±3.0 %") && measured.contains("80 % of it"), "{drawing}");
}

#[test]
fn a_chain_leads_up_to_the_wire() {
    let wire = ceiling("nic-goodput", 117e6);
    let chain = vec![
        cause(Role::Primary, "receive-window", Mechanism::ReceiveWindow, 5.2e6, Some((80e6, "qdisc-rate"))),
        cause(Role::Next, "qdisc-rate", Mechanism::OwnShaper, 80e6, Some((117e6, "nic-goodput"))),
        cause(Role::Next, "nic-goodput", Mechanism::Wire, 117e6, None),
    ];
    let assessment = caused(judged(5.1e6, Verdict::Poor, vec![wire]), chain);
    let chain =
        "Receive window 5.20 MB/s; without it 80.0 MB/s, the shaper; without both 117.0 MB/s, the NIC.";
    assert!(headline(&assessment).iter().any(|sentence| sentence == chain), "{:#?}", headline(&assessment));
}

#[test]
fn a_chain_says_where_it_ends_for_want_of_knowledge() {
    let only = vec![
        cause(Role::Primary, "packet-loss", Mechanism::Loss, 6e6, None),
        cause(Role::Contributing, "receive-window", Mechanism::ReceiveWindow, 7e6, None),
        cause(Role::Effect, "congestion-window", Mechanism::CongestionWindow, 6e6, None),
    ];
    let sentences = headline(&caused(judged(6e6, Verdict::Poor, Vec::new()), only));
    // A ceiling that only follows is not told.
    let expected = [
        "Packet loss 6.00 MB/s; the next limit is not known.",
        "Also limited by: receive window (ceiling receive-window).",
    ];
    assert_eq!(sentences[1..3], expected.map(str::to_owned), "{sentences:#?}");
}

#[test]
fn a_chain_does_not_promise_what_lies_a_thousand_times_higher() {
    let chain = vec![
        cause(Role::Primary, "cgroup-io-max", Mechanism::IoLimit, 2e6, Some((17e9, "generator"))),
        cause(Role::Next, "generator", Mechanism::CpuBusy, 17e9, None),
    ];
    let sentences = headline(&caused(judged(2e6, Verdict::Poor, Vec::new()), chain));
    let chain = "Cgroup I/O limit 2.00 MB/s; the next limit is not known.";
    assert!(sentences.iter().any(|sentence| sentence == chain), "{sentences:#?}");
}

#[test]
fn what_the_test_itself_limits_is_in_no_layer_and_says_so() {
    let paced = Cause {
        layer: Layer::None,
        subject: "--rate".into(),
        ..cause(Role::Primary, "asked-rate", Mechanism::Paced, 12.5e6, None)
    };
    let sentences = headline(&caused(judged(12.5e6, Verdict::Unknown, Vec::new()), vec![paced]));
    assert!(
        sentences.iter().any(|sentence| sentence
            == "Limited by the test itself: the rate set for the test, --rate (ceiling asked-rate)."),
        "{sentences:#?}"
    );
}

#[test]
fn a_load_without_a_limit_says_nothing_about_the_path_and_what_to_do() {
    let mut assessment = judged(20e6, Verdict::NotDriven, vec![ceiling("fc-link", 1600e6)]);
    assessment.paths[0].kind = PathKind::Storage;
    let drawing = drawn(&assessment);
    assert!(drawing.starts_with("fullwire") && drawing.contains("NOT DRIVEN"), "{drawing}");
    let sentence = "The load did not reach a limit, so this figure does not show what the path can carry; measure with more I/Os in flight: fullwire disk --sweep depth.";
    assert_eq!(headline(&assessment)[0], sentence);
    assert!(html::page(&Report::new(&Run::default(), &assessment)).contains("not driven"));
}

#[test]
fn a_path_without_a_known_speed_is_told_how_to_give_one() {
    let sentences = headline(&judged(119e6, Verdict::Unknown, Vec::new()));
    assert_eq!(sentences[0], "No link speed is known to compare it with; give one with --expect.");
    // What another tool measured has no such option.
    let mut imported = Run::default();
    imported.command.name = "import".into();
    let assessment = judged(119e6, Verdict::Unknown, Vec::new());
    let report = Report::new(&imported, &assessment);
    assert_eq!(report.headline[0], "No link speed is known to compare it with.");
    assert!(!html::page(&report).contains("--expect"));
}

#[test]
fn a_figure_of_zero_has_no_bar() {
    let assessment = judged(0.0, Verdict::Poor, vec![ceiling("nic-goodput", 100e6)]);
    let run = Run::default();
    let report = Report::new(&run, &assessment);
    assert!(report.paths[0].ladders[0].bar <= 0.0);
    let page = html::page(&report);
    let (_, after) = page.split_once(">0 MB/s").unwrap();
    let (track, _) = after.split_once("</div>").unwrap();
    assert!(!track.contains("class=\"bar\""), "{track}");
    let drawing = drawn(&assessment);
    assert!(!line(&drawing, "measured").contains(['█', '▏']), "{drawing}");
}

#[test]
fn the_verdict_of_one_path_and_the_shortfall_of_another_are_both_explained() {
    let mut assessment = judged(95e6, Verdict::Good, Vec::new());
    let poor = PathAssessment {
        target: "/u01".into(),
        verdict: Verdict::Poor,
        measured: Some(1e6),
        ..PathAssessment::default()
    };
    assessment.paths.push(poor);
    (assessment.verdict, assessment.explained) = (Verdict::Poor, vec![1, 0]);
    let sentences = headline(&assessment);
    assert!(sentences[0].starts_with("/u01: "), "{sentences:#?}");
    assert!(sentences.iter().any(|sentence| sentence.starts_with("db2:5555: ")), "{sentences:#?}");
}

/// A stream of 20 MB/s on average that runs at 24 MB/s once slow start is over.
fn run() -> Run {
    let slice = |t_s, rate| NetInterval { t_s, throughput_bytes_per_s: rate, ..NetInterval::default() };
    let result = NetResult {
        target: PEER.into(),
        streams: 1,
        throughput_bytes_per_s: 20e6,
        intervals: vec![slice(1.0, 8e6), slice(2.0, 24e6), slice(3.0, 24e6), slice(3.2, 2e6)],
        ..NetResult::default()
    };
    Run { net: vec![result], ..Run::default() }
}

#[test]
fn the_steady_rate_is_the_figure_and_the_mean_is_called_one() {
    let (run, assessment) = (run(), judged(24e6, Verdict::FullWire, vec![ceiling("declared", 24.1e6)]));
    let report = Report::new(&run, &assessment);
    let table = &report.paths[0].tables[0];
    assert!(table.rows[0].contains(&"24.0".to_owned()), "{table:?}");
    assert!(table.notes.iter().any(|note| note.ends_with("20.0 MB/s over the whole run.")), "{table:?}");
    let document = serde_json::to_value(&json::net(&run, &assessment)[0]).unwrap();
    assert_eq!(
        (&document["assessed"]["value"], &document["throughput_bytes_per_s"]),
        (&24e6.into(), &20e6.into())
    );
}

#[test]
fn a_last_interval_that_was_cut_short_is_not_drawn_as_a_drop() {
    let assessment = judged(24e6, Verdict::FullWire, vec![ceiling("declared", 24.1e6)]);
    let mut run = run();
    let chart = |run: &Run| Report::new(run, &assessment).charts[0].clone();
    assert_eq!(chart(&run).points, [1.0, 2.0, 3.0]);
    run.net[0].intervals[3].t_s = 4.0;
    assert_eq!(chart(&run).points, [1.0, 2.0, 3.0, 4.0], "a whole one is");
    let limit = chart(&run).series[1].values[0];
    assert_eq!(limit, Some(24.1e6), "beside the ceiling that decides");
}

#[test]
fn loopback_is_never_called_a_wire() {
    let mut run = run();
    run.net[0].path = NetPath { loopback: true, ..NetPath::default() };
    let drawing =
        terminal::assess(&Report::new(&run, &judged(2e9, Verdict::Unknown, Vec::new()))).render(false);
    assert!(drawing.contains("this host's own ceiling") && !drawing.contains("--expect"), "{drawing}");
}

#[test]
fn findings_of_one_code_have_places_of_their_own() {
    let finding = Finding { code: "bond-slave-down".into(), ..specimen(3) };
    let assessment = Assessment { findings: vec![finding.clone(), finding], ..Assessment::default() };
    let page = html::page(&Report::new(&Run::default(), &assessment));
    for id in ["id=\"finding-bond-slave-down-1\"", "id=\"finding-bond-slave-down-2\""] {
        assert_eq!(page.matches(id).count(), 1, "{id}");
    }
}

/// A monitor alarms for what was asked and is not met, and names the finding where that is the reason.
#[test]
fn a_promise_that_is_met_is_no_alarm_of_a_monitor() {
    use fullwire_model::assessment::{Severity, UserQuestion};
    use fullwire_present::export::{ServiceState, nagios};
    let of = |replies: &[Reply], code: &str| {
        let mut assessment = caused(
            judged(48e6, Verdict::Poor, vec![ceiling("qdisc-rate", 48.6e6)]),
            vec![cause(Role::Primary, "qdisc-shaper", Mechanism::Wire, 48.6e6, None)],
        );
        let answered = |answer: &Reply| Answer {
            question: UserQuestion::Kept,
            subject: PEER.into(),
            answer: *answer,
            ..Answer::default()
        };
        assessment.answers = replies.iter().map(answered).collect();
        assessment.findings = vec![Finding {
            code: code.into(),
            severity: Severity::Warning,
            path: Some(PEER.into()),
            ..specimen(3)
        }];
        let (text, state) = nagios(&Run::default(), &assessment, None);
        let text = text.to_string();
        assert!(text.contains("'findings warning'=1;"), "{text}");
        (text.split('|').next().unwrap_or_default().to_owned(), state)
    };
    for met in [&[Reply::Exceeded, Reply::Unknown][..], &[Reply::Kept], &[Reply::Enough]] {
        let (text, state) = of(met, "qdisc-shaper");
        assert_eq!(state, ServiceState::Ok, "{text}");
    }
    let (text, state) = of(&[Reply::Exceeded, Reply::Unknown], "cpu-saturated");
    assert_eq!(state, ServiceState::Warning);
    assert_eq!(text, "FULLWIRE WARNING - db2:5555: exceeded, unknown, cpu-saturated, limited by qdi...");
    for unmet in [&[Reply::Exceeded, Reply::Missed][..], &[Reply::Unknown], &[]] {
        assert_eq!(of(unmet, "qdisc-shaper").1, ServiceState::Warning, "{unmet:?}");
    }
}
