//! What a person sees on a terminal.

use crate::judged::{ceiling, judged};
use crate::receive_window;
use fullwire_model::Run;
use fullwire_model::assessment::{
    Advice, Answer, Assessment, Cause, Evidence, Finding, Layer, PathAssessment, PathKind, Phase, Role,
    Severity, Step, Verdict,
};
use fullwire_model::disk::DiskResult;
use fullwire_model::history::Entry;
use fullwire_model::host::Host;
use fullwire_model::mtu::{Hop, MtuResult};
use fullwire_model::quantity::Unit;
use fullwire_model::specimen::specimen;
use fullwire_present::json::{HistoryLine, RuleCard};
use fullwire_present::{Report, terminal};
use unicode_width::UnicodeWidthStr;

fn draw(draw: fn(&Report<'_>) -> terminal::Text, run: &Run, assessment: &Assessment) -> String {
    draw(&Report::new(run, assessment)).render(false)
}

/// The composed production host of this name (`crates/rules/tests/hosts`).
fn composed(text: &str) -> Host {
    let mut file: serde_json::Value = serde_json::from_str(text).unwrap();
    serde_json::from_value(file["healthy"]["host"].take()).unwrap()
}

#[test]
fn an_mtu_is_drawn_as_reviewed() {
    let mut run = Run { net: Vec::new(), ..receive_window() };
    run.command.name = "mtu".into();
    insta::assert_snapshot!("mtu", draw(terminal::report, &run, &Assessment::default()));
}

/// The trees of a host with a degraded bond and a lost path.
#[test]
fn what_is_down_is_marked_where_it_stands() {
    let other = composed(include_str!("../../../rules/tests/hosts/rhel7-powerpath.json"));
    let mut host = composed(include_str!("../../../rules/tests/hosts/ol8-fc-multipath-asm.json"));
    (host.nics, host.bonds) = (other.nics, other.bonds);
    host.bonds[0].slaves[1].mii_status = "down".into();
    host.multipath[0].groups[0].paths[1].dm_state = "failed".into();
    let disk =
        vec![DiskResult { target: "/dev/dm-3".into(), device: "dm-3".into(), ..DiskResult::default() }];
    let mut run = Run { host, disk, ..Run::default() };
    run.command.name = "check".into();
    let drawing = draw(terminal::report, &run, &Assessment::default());
    assert!(drawing.lines().all(|line| line.width() <= terminal::WIDTH), "{drawing}");
    insta::assert_snapshot!("check", drawing);
}

/// Ends that differ are named by the answer and the finding; what a hop or the kernel says of them is `--verbose`.
#[test]
fn an_mtu_that_differs_between_the_ends_is_told_once() {
    let result = MtuResult {
        target: "db2".into(),
        path_mtu_bytes: Some(1500),
        interface: "eth0".into(),
        interface_mtu_bytes: Some(9000),
        peer_interface_mtu_bytes: Some(1500),
        kernel_path_mtu_bytes: Some(9000),
        hops: vec![Hop { ttl: 1, address: "10.0.0.2".into(), ..Hop::default() }],
        ..MtuResult::default()
    };
    let differs = Finding {
        code: "mtu-peer-differs".into(),
        layer: Layer::Network,
        severity: Severity::Warning,
        path: Some("db2".into()),
        message: "eth0 has MTU 9000, the interface of db2 has 1500".into(),
        evidence: vec![Evidence { text: "MTU 9000".into(), source: "/sys/class/net/eth0/mtu".into() }],
        ..specimen(8)
    };
    let mut run = Run { mtu: vec![result], ..Run::default() };
    run.command.name = "mtu".into();
    let path = PathAssessment { target: "db2".into(), ..PathAssessment::default() };
    let assessment = Assessment { findings: vec![differs], paths: vec![path], ..Assessment::default() };
    let drawing = draw(terminal::report, &run, &assessment);
    assert_eq!(drawing.matches("9000").count(), 1, "{drawing}");
    assert!(
        !drawing.contains("not measured") && !drawing.contains("no ceiling"),
        "no rate was asked for: {drawing}"
    );
    assert!(!drawing.contains("hop 1") && !drawing.contains("seen"), "{drawing}");
    let more = draw(terminal::details, &run, &assessment);
    for name in ["this interface", "the peer's interface", "in the kernel's route cache", "hop 1"] {
        assert!(more.contains(name), "{name}: {more}");
    }
}

#[test]
fn a_run_with_every_field_filled_is_drawn_without_control_characters() {
    let (run, assessment): (Run, Assessment) = (specimen(7), specimen(8));
    for with in [terminal::assess, terminal::disk, terminal::check] {
        let drawing = draw(with, &run, &assessment);
        assert!(drawing.lines().count() > 20);
        assert!(!drawing.contains(|c: char| c.is_control() && c != '\n'));
    }
}

#[test]
fn an_empty_run_still_says_something() {
    let drawing = draw(terminal::assess, &Run::default(), &Assessment::default());
    assert!(drawing.contains("UNKNOWN  No path was measured."), "{drawing}");
    assert!(drawing.contains("Findings  none"), "{drawing}");
}

#[test]
fn a_failed_probe_is_named_and_never_drawn_as_zero() {
    let path =
        PathAssessment { kind: PathKind::Network, target: "db3:5555".into(), ..PathAssessment::default() };
    let assessment = Assessment { paths: vec![path], explained: vec![0], ..Assessment::default() };
    let drawing = draw(terminal::assess, &Run::default(), &assessment);
    assert!(
        drawing.contains("not measured\n▸ measured            nothing") && !drawing.contains("0 MB/s"),
        "{drawing}"
    );
}

/// Twenty disks with one setting are one note with twenty names; two that are degraded are two warnings.
#[test]
fn a_note_for_many_disks_is_drawn_once() {
    let of = |severity, subject: &str| Finding {
        code: "queue-max-request".into(),
        severity,
        subject: subject.into(),
        message: format!("{subject} is small"),
        ..specimen(7)
    };
    let count = |severity: Severity| {
        let findings = ["sda", "sdb", "sdc"].map(|disk| of(severity, disk)).to_vec();
        let assessment = Assessment { findings, ..Assessment::default() };
        let drawing = draw(terminal::check, &Run::default(), &assessment);
        (drawing.matches(" is small").count(), drawing.contains("also      sdb, sdc (-v shows each)"))
    };
    assert_eq!(count(Severity::Info), (1, true));
    assert_eq!(count(Severity::Warning), (3, false));
}

#[test]
fn the_history_marks_the_baseline() {
    let path = PathAssessment {
        verdict: Verdict::Poor,
        measured: Some(59.8e6),
        unit: Unit::BytesPerS,
        ..PathAssessment::default()
    };
    let assessment = Assessment { verdict: Verdict::Poor, paths: vec![path], ..Assessment::default() };
    let entry = Entry {
        run_id: "20261120-153339-7f3a".into(),
        started: "2026-11-20T15:33:39Z".parse().unwrap(),
        finished: "2026-11-20T15:34:27Z".parse().unwrap(),
        command: "assess".into(),
        targets: vec!["db2.example.com:5555".into(), "/u01/oradata".into()],
        tag: Some("before jumbo".into()),
        baseline: true,
        ..Entry::default()
    };
    insta::assert_snapshot!(
        "history",
        terminal::history(&[HistoryLine::new(entry, Some(&assessment))]).render(false)
    );
}

#[test]
fn rules_are_listed_and_explained() {
    let card = |code, title, severity, area| RuleCard { code, title, severity, area, source: String::new() };
    let cards = [
        card("bond-slave-down", "a member of a bond has no link", Severity::Critical, Layer::Network),
        card(
            "multipath-path-failed",
            "a path of a multipath map has failed",
            Severity::Warning,
            Layer::Storage,
        ),
    ];
    insta::assert_snapshot!("rules", terminal::rules(&cards).render(false));
    let markdown = "# What it checks\nEvery member of a bond has a link, as the bonding driver's own monitor `bond_mii_monitor` sees \
                    it at its interval.\n\n# Remedy\n- look at the cable\n- `ethtool SLAVE`\n\n```\nip link set eth1 up\n```\n";
    insta::assert_snapshot!(
        "explain",
        terminal::explain("bond-slave-down", "a member of a bond has no link", markdown).render(false)
    );
}

#[test]
fn values_come_as_csv_that_a_spreadsheet_reads_as_text() {
    let mut run = receive_window();
    run.net[0].target = "=cmd|' /C calc'!A1, \"x\"".into();
    let csv = fullwire_present::csv::runs([&run]);
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert_eq!(lines[0], "run_id,started,metric,labels,value,unit");
    let rate = lines.iter().find(|line| line.contains("fullwire_net_throughput_bytes_per_s")).unwrap();
    let expected = "1m8000002,2026-11-22T07:49:41.384310841Z,fullwire_net_throughput_bytes_per_s,\
                    \"target==cmd|' /C calc'!A1, \"\"x\"\" mode=async reverse=false\",6647548.6126833195,bytes_per_s";
    assert_eq!(*rate, expected);
    assert!(lines.len() > 200);
}

/// From a phone's ssh client to half a wide screen: nothing is wider than the terminal but commands to be copied and
/// words without a place to break.
#[test]
fn a_drawing_is_as_wide_as_the_terminal() {
    let run = receive_window();
    let assessment =
        judged(80e6, Verdict::Good, vec![ceiling("nic-goodput", 100e6), ceiling("one-cpu", 3e9)]);
    for columns in [40, 60, 80, 120, 200] {
        terminal::fit(columns);
        assert_eq!(terminal::width(), columns);
        for with in [terminal::assess, terminal::disk, terminal::check] {
            let drawing = draw(with, &run, &assessment);
            let wide = drawing.lines().find(|line| {
                let one_word = line.trim().split("  ").last().is_some_and(|word| word.width() + 14 > columns);
                line.width() > columns && !one_word
            });
            assert_eq!(wide, None, "at {columns}: {drawing}");
        }
    }
    terminal::fit(7);
    assert_eq!(terminal::width(), 40);
    terminal::fit(1000);
    assert_eq!(terminal::width(), 200);
}

/// Where several questions are asked, what limits the path has its remedy, what says the answer again has what to do, and the
/// rest that bears on them has a sentence: nothing that warns is left out.
#[test]
fn a_command_of_several_questions_is_short() {
    let finding = |severity, code: &str, subject: &str| Finding {
        code: code.into(),
        severity,
        layer: Layer::Network,
        subject: subject.into(),
        message: format!("{subject} is held by {code}"),
        advice: Advice {
            why: "because of that".into(),
            steps: vec![Step::by_hand(Phase::Persist, format!("remove {code}"))],
            expect: "more".into(),
        },
        path: Some("db2".into()),
        evidence: Vec::new(),
        ..specimen(7)
    };
    let mut assessment = judged(24e6, Verdict::Poor, Vec::new());
    assessment.findings = vec![
        Finding { measured: Some(24e6), limit: Some(88e6), ..finding(Severity::Critical, "exceeds", "db2") },
        finding(Severity::Warning, "shaper", "eth0"),
        finding(Severity::Warning, "shaper", "eth1"),
        finding(Severity::Warning, "loss", "eth0"),
    ];
    let primary = Cause { role: Role::Primary, code: "shaper".into(), finding: Some(1), ..Cause::default() };
    assessment.paths[0].causes = vec![primary];
    assessment.answers = vec![Answer {
        figure: Some(24e6),
        limit: Some(88e6),
        text: "Redo to db2: not enough.".into(),
        ..Answer::default()
    }];
    let mut run = Run::default();
    run.command.name = "redo".into();
    let short = draw(terminal::demand, &run, &assessment);
    let flat = short.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in
        ["exceeds: remove exceeds", "permanent remove shaper", "shaper: eth1 is held", "loss: eth0 is held"]
    {
        assert!(flat.contains(told), "{told}: {short}");
    }
    for long in ["because of that", "db2 is held by exceeds"] {
        assert!(!flat.contains(long), "{long}: {short}");
    }
    assert_eq!(terminal::shortened(&Report::new(&run, &assessment)).len(), 4, "--verbose has all of each");
    run.command.name = "net".into();
    assert!(draw(terminal::report, &run, &assessment).contains("because of that"));
}

/// "Did anything change?" is answered before any curve, and what changed last comes first.
#[test]
fn the_history_of_changes_begins_with_what_changed() {
    use fullwire_model::history::{Change, Point, Series};
    let points = |rates: [f64; 3]| {
        let point = |(day, value): (usize, f64)| Point {
            at: format!("2026-11-0{}T10:00:00Z", day + 1).parse().unwrap(),
            value,
            ..Point::default()
        };
        rates.into_iter().enumerate().map(point).collect::<Vec<_>>()
    };
    let of = |path: &str, changes: Vec<Change>| Series {
        path: path.into(),
        label: "async throughput".into(),
        unit: Unit::BytesPerS,
        points: points([48e6, 48e6, 24e6]),
        changes,
        ..Series::default()
    };
    let fell = Change { at: 2, shift: -0.5, ..Change::default() };
    let drawn = terminal::series(&[of("db2", Vec::new()), of("db3", vec![fell])]).render(false);
    let words = drawn.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.starts_with(
            "1 of 2 figures changed, the last one on 2026-11-03: async throughput of db3 is worse by 50 %. async throughput of db3"
        ),
        "{drawn}"
    );
    let none = terminal::series(&[of("db2", Vec::new())]).render(false);
    assert!(none.starts_with("No permanent change is certain in 1 figure."), "{none}");
    let few = Series {
        points: [points([48e6, 48.1e6, 48e6]), points([36e6, 36.1e6, 36e6])].concat(),
        noise_floor: Some(0.01),
        ..of("db2", Vec::new())
    };
    let few = terminal::series(&[of("db3", Vec::new()), few]).render(false);
    assert!(few.starts_with("async throughput of db2: the last 3 runs are all below the 3 before"), "{few}");
}
