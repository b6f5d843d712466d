//! The page as text: what is in it, and what cannot get into it.

use crate::receive_window;
use fullwire_model::Run;
use fullwire_model::assessment::Assessment;
use fullwire_model::quantity::Unit;
use fullwire_model::recording::{Curve, Curves, Event, EventKind};
use fullwire_model::specimen::specimen;
use fullwire_model::{Moment, Span};
use fullwire_present::{Recorded, Report, html};
use jiff::Timestamp;
use std::collections::BTreeMap;

fn page() -> String {
    html::page(&Report::new(&receive_window(), &specimen(8))).to_string()
}

#[test]
fn a_page_weighs_less_than_a_megabyte_and_asks_for_nothing() {
    let page = page();
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    for reference in ["src=\"", "href=\"http", "url(", "@import", "import(", "fetch(", "XMLHttpRequest"] {
        let (_, after) = page.split_once("<body>").unwrap();
        assert!(!after.contains(reference), "{reference}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn names_from_outside_cannot_become_markup_or_script() {
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&";
    let (mut run, mut assessment): (Run, Assessment) = (receive_window(), specimen(8));
    run.host.hostname = evil.into();
    run.tag = Some(evil.into());
    run.net[0].target = evil.into();
    run.peers[0].target = evil.into();
    assessment.paths[0].target = evil.into();
    assessment.findings[0].message = evil.into();
    assessment.findings[0].advice.steps[0].run = Some(evil.into());
    assessment.findings[0].advice.steps[0].text = evil.into();
    let page = html::page(&Report::new(&run, &assessment));
    assert!(!page.contains("<script>alert") && !page.contains("<img"), "unescaped");
    assert_eq!(page.matches("<script").count(), 3, "uPlot, the data and the drawing");
    assert_eq!(page.matches("</script>").count(), 3);
}

#[test]
fn a_run_with_every_field_filled_and_an_empty_one_make_a_page() {
    let (run, assessment): (Run, Assessment) = (specimen(7), specimen(8));
    assert!(html::page(&Report::new(&run, &assessment)).ends_with("</html>"));
    let empty = html::page(&Report::new(&Run::default(), &Assessment::default()));
    assert!(empty.contains("No path was measured."));
}

/// A month of steps of half an hour with the worst of each, of twice as many disks as are drawn, and too much trouble to list.
#[test]
fn the_page_of_a_month_is_bounded_and_breaks_where_nothing_was_recorded() {
    let steps = 1_440_u32;
    let mut curves = Curves { merged: true, ..Curves::default() };
    for step in 0..steps {
        // A day in the middle was not recorded.
        let begin = 1.8e9 + f64::from(step) * 1_800.0 + if step < 700 { 0.0 } else { 86_400.0 };
        curves.begins.push(begin);
        curves.times.push(begin + 1_800.0);
    }
    let values = |disk: u32| {
        (0..steps).map(move |step| Some(f64::from(step * 7919 % 104_729 * (disk + 1)) * 1.234_567))
    };
    for disk in 0..12 {
        for (metric, unit) in [
            ("read_bytes_per_s", Unit::BytesPerS),
            ("write_bytes_per_s", Unit::BytesPerS),
            ("read_await_ns", Unit::Ns),
            ("write_await_ns", Unit::Ns),
            ("queue_mean", Unit::Count),
        ] {
            let curve = Curve { unit, mean: values(disk).collect(), max: values(disk + 1).collect() };
            curves.curves.insert(("disk", format!("sd{disk}"), metric), curve);
        }
    }
    let at = |second: i64| Timestamp::from_second(1_800_000_000 + second).unwrap();
    let span = |number: i64| Span {
        code: "device-wait-long".into(),
        subject: format!("sd{}", number % 40),
        from: Some(Moment::Instant(at(number * 600))),
        to: Some(Moment::Instant(at(number * 600 + 30))),
        message: "</script><script>alert(1)</script>".into(),
        ..specimen(3)
    };
    let spans: Vec<Span> = (0..4_000).map(span).collect();
    let event = |number: i64| Event {
        boottime_ns: 0,
        wall: at(number * 20),
        kind: EventKind::Link,
        subject: "eth0".into(),
        detail: "up → down".into(),
    };
    let events: Vec<Event> = (0..50_000).map(event).collect();
    let page = html::recording(&Recorded {
        host: "db1",
        tool_version: "0",
        from: at(0),
        to: at(2_678_400),
        zone: &jiff::tz::TimeZone::UTC,
        samples: 43_200,
        curves: &curves,
        labels: &BTreeMap::new(),
        spans: &spans,
        events: &events,
        gaps: &[],
        beside: None,
    });
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert!(!page.contains("<script>alert"), "unescaped");
    assert!(page.contains("sd11") && !page.contains("\"sd0\""), "the busiest are drawn");
    let (_, charts) = page.split_once("id=\"charts\">").unwrap();
    let charts: serde_json::Value = serde_json::from_str(charts.split("</script>").next().unwrap()).unwrap();
    let read = charts.as_array().unwrap().iter().find(|chart| chart["title"] == "Storage: read").unwrap();
    assert_eq!(read["points"].as_array().unwrap().len(), 1_440 + 1, "a point for the break");
    let first = read["series"][0]["values"].as_array().unwrap();
    assert_eq!(first.iter().filter(|value| value.is_null()).count(), 1);
}
