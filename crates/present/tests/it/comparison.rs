//! A comparison as a person sees it.

use fullwire_model::comparison::{
    Answer, CauseKind, Compared, Comparison, ComparisonCause, Direction, LeftOut, Method, SettingChange,
    SideFigure, TargetDifference, TargetPair,
};
use fullwire_model::net::{NetInterval, NetMode, NetResult};
use fullwire_model::quantity::Unit;
use fullwire_model::{MeasurementId, Run};
use fullwire_present::{ComparisonReport, html, terminal};

fn side(median: f64, scatter: f64) -> SideFigure {
    SideFigure { median: Some(median), n: 6, scatter: Some(scatter), ..SideFigure::default() }
}

fn named(mode: NetMode) -> MeasurementId {
    MeasurementId::numbered(&NetResult { mode, ..NetResult::default() }.question(), 0)
}

pub(crate) fn comparison() -> Comparison {
    let throughput = Compared {
        path: "db2:5555".into(),
        measurement: named(NetMode::Async),
        figure: "throughput".into(),
        label: "async throughput".into(),
        unit: Unit::BytesPerS,
        better: Direction::Higher,
        a: side(4.812e9, 0.011),
        b: side(5.231e9, 0.013),
        relative: true,
        change: Some(0.087),
        low: Some(0.061),
        high: Some(0.110),
        answer: Answer::Better,
        delta: 0.03,
        detectable: Some(0.024),
        method: Method::RankSum,
        p: Some(0.002),
        primary: true,
        ..Compared::default()
    };
    let message = Compared {
        measurement: named(NetMode::Sync),
        figure: "p50".into(),
        label: "sync p50".into(),
        unit: Unit::Ns,
        better: Direction::Lower,
        a: side(81_000.0, 0.04),
        b: side(83_000.0, 0.05),
        change: Some(0.025),
        low: Some(-0.04),
        high: Some(0.11),
        answer: Answer::CannotTell,
        delta: 0.05,
        pairs_needed: Some(9),
        primary: false,
        ..throughput.clone()
    };
    let setting = |field: &str, a: &str, b: &str, relevant: bool| SettingChange {
        subject: "here".into(),
        field: field.into(),
        a: Some(a.into()),
        b: Some(b.into()),
        codes: if relevant { vec!["receive-window".into()] } else { Vec::new() },
        relevant,
        ..SettingChange::default()
    };
    Comparison {
        a: (0..6).map(|run| format!("a{run}")).collect(),
        b: (0..6).map(|run| format!("b{run}")).collect(),
        a_name: "before".into(),
        b_name: "after".into(),
        answer: Answer::Better,
        comparisons: vec![throughput, message],
        settings: vec![
            setting("net.ipv4.tcp_rmem", "4096 131072 262144", "4096 131072 6291456", true),
            setting("kernel.panic", "0", "10", false),
        ],
        cause: Some(ComparisonCause {
            kind: CauseKind::GoesWith,
            text: "goes with net.ipv4.tcp_rmem".into(),
            fields: vec!["net.ipv4.tcp_rmem".into()],
        }),
        left_out: vec![LeftOut {
            run_id: "b7".into(),
            what: "/u01".into(),
            why: "the page cache answered".into(),
        }],
        ..Comparison::default()
    }
}

/// Of two that cannot be compared a few settings are listed; sizes are sizes, and what moves by itself is left out.
#[test]
fn a_refusal_does_not_list_the_whole_configuration() {
    let change = |field: &str, a: &str, b: &str| SettingChange {
        field: field.into(),
        a: Some(a.into()),
        b: Some(b.into()),
        relevant: true,
        subject: "here".into(),
        ..SettingChange::default()
    };
    let mut settings: Vec<SettingChange> =
        (0..40).map(|at| change(&format!("setting {at}"), "1", "2")).collect();
    settings[0] = change("burst_bytes", "65536", "65580");
    settings[1] = change("tbf rate_bytes_per_s", "50000000.0", "25000000.0");
    let conditions = vec![
        change("memory available_bytes", "24349052928", "24396361728"),
        change("memory dirty_bytes", "1073741824", "0"),
    ];
    let refused = Comparison {
        refused: Some("different hosts: db1 and db2".into()),
        settings,
        conditions,
        ..Comparison::default()
    };
    let text = terminal::diff(&ComparisonReport::new(&refused)).render(false);
    assert!(text.contains("and 32 more") && text.lines().count() < 30, "{text}");
    assert!(text.contains("burst_bytes: 65536 → 65580"), "rounded, both would be the same: {text}");
    let rate = "rate_bytes_per_s: 50.0 MB/s (400 Mbit/s) → 25.0 MB/s (200 Mbit/s)";
    assert!(text.contains(rate), "{text}");
    assert!(text.contains("memory dirty_bytes: 1 GiB → 0 B") && !text.contains("available_bytes"), "{text}");
}

#[test]
fn the_answer_comes_first_then_the_figures_then_what_differs() {
    let comparison = comparison();
    let report = ComparisonReport::new(&comparison);
    let text = terminal::diff(&report).render(false);
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in\n{text}"));
    let places = [
        place("before (6 runs) and after (6 runs)"),
        place("BETTER  async throughput of db2:5555 is better: +8.7 %"),
        place("Goes with net.ipv4.tcp_rmem."),
        place("4,812 MB/s → 5,231 MB/s   +8.7 %   95 %: +6.1 % to +11 %"),
        place("−4 % to +11 %"),
        place("net.ipv4.tcp_rmem: 4096 131072 262144 → 4096 131072 6291456"),
        place("affects receive-window"),
        place("Also differs"),
        place("Not compared: /u01: the page cache answered."),
    ];
    assert!(places.is_sorted(), "{places:?}\n{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_refusal_says_why_and_a_configuration_needs_no_figures() {
    let refused = Comparison {
        refused: Some("different questions: async: streams: 1 and 8".into()),
        answer: Answer::NotComparable,
        ..Comparison::default()
    };
    let text = terminal::diff(&ComparisonReport::new(&refused)).render(false);
    assert!(
        text.contains("NOT COMPARABLE  Not compared: different questions: async: streams: 1 and 8."),
        "{text}"
    );
    let settings = Comparison { settings: comparison().settings, ..Comparison::default() };
    let text = terminal::diff(&ComparisonReport::new(&settings)).render(false);
    let said = "2 settings differ; 1 of them can affect an I/O path, and what\n               these checks say differs: receive-window.";
    assert!(text.contains(said), "{text}");
    let mut many = settings.clone();
    let relevant = many.settings.iter().find(|change| change.relevant).expect("one is").clone();
    many.settings = vec![relevant; 100];
    let text = terminal::diff(&ComparisonReport::new(&many)).render(false);
    assert!(
        text.contains("100 settings differ") && text.contains("and 60 more (the JSON has all)"),
        "{text}"
    );
    // Who measured and gets no figure is told so, not that nothing has changed.
    let nothing = Comparison { left_out: comparison().left_out, ..Comparison::default() };
    let text = terminal::diff(&ComparisonReport::new(&nothing)).render(false);
    assert!(text.contains("CANNOT TELL  No figure could be compared; the reasons are below."), "{text}");
    assert!(text.contains("Not compared: /u01: the page cache answered."), "{text}");
}

#[test]
fn two_targets_are_named_with_what_differs_before_the_figures() {
    let mut two = comparison();
    two.targets = vec![TargetPair {
        a: "host01".into(),
        b: "host01-priv".into(),
        differences: vec![TargetDifference { name: "MTU".into(), a: "1500".into(), b: "9000".into() }],
    }];
    for compared in &mut two.comparisons {
        compared.path_b = Some("host01-priv".into());
    }
    let text = terminal::diff(&ComparisonReport::new(&two)).render(false);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "BETTER Two targets: host01 and host01-priv. They differ in MTU (1500 and 9000). async throughput of host01-priv"
        ),
        "{text}"
    );
    assert!(words.contains("4,812 MB/s on db2:5555, 5,231 MB/s on host01-priv"), "{text}");
}

#[test]
fn two_targets_have_their_curves_as_one_has() {
    let run = |target: &str| {
        let slice = |t_s| NetInterval { t_s, throughput_bytes_per_s: 5e9, ..NetInterval::default() };
        let intervals = [1.0, 2.0, 3.0].map(slice).into();
        Run {
            net: vec![NetResult { target: target.into(), intervals, ..NetResult::default() }],
            ..Run::default()
        }
    };
    let drawn = |other: Option<&str>| {
        let mut both = comparison();
        both.comparisons[0].path_b = other.map(Into::into);
        let (a, b) = (run("db2:5555"), run(other.unwrap_or("db2:5555")));
        let page = html::comparison(&ComparisonReport::new(&both), &[&a], &[&b]);
        ["Throughput over time", "\"before", "\"after"].map(|words| page.matches(words).count())
    };
    let one = drawn(None);
    assert!(one[0] > 1 && one[2] > 0, "in the data and above the curves: {one:?}");
    assert_eq!(drawn(Some("host01-priv")), one);
}

#[test]
fn the_page_is_whole_and_fetches_nothing() {
    let mut comparison = comparison();
    comparison.a_name = "<script>alert(1)</script>".into();
    let page = html::comparison(&ComparisonReport::new(&comparison), &[], &[]);
    assert!(page.contains("async throughput") && page.contains("4,812 MB/s") && page.contains("</html>"));
    assert!(!page.contains("<script>alert"));
    for fetched in ["src=\"http", "<link", "@import", "url(http"] {
        assert!(!page.contains(fetched), "{fetched}");
    }
}
