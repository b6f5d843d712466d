use super::windows;
use crate::assess;
use fullwire_model::Run;
use fullwire_model::demand::{ImportedSeries, Sample, Series};

/// A series at minutes of one hour.
fn series(area: &str, subject: &str, metric: &str, values: &[f64]) -> Series {
    let at = |minute: usize| format!("2026-11-22T02:{minute:02}:00").parse().ok();
    let samples = values.iter().enumerate().map(|(minute, value)| Sample { at: at(minute), value: *value });
    Series {
        area: area.into(),
        subject: subject.into(),
        metric: metric.into(),
        samples: samples.collect(),
        ..Series::default()
    }
}

fn file(series: Vec<Series>) -> ImportedSeries {
    ImportedSeries {
        source: "iostat.txt".into(),
        tool: "iostat".into(),
        host: Some("db1".into()),
        cpus: Some(4),
        series,
        ..ImportedSeries::default()
    }
}

/// Ten quiet minutes, three in which a write takes 156 s, seven quiet ones.
fn slow_disk() -> ImportedSeries {
    let bad = |good: f64, bad: f64| -> Vec<f64> {
        (0..20).map(|minute| if (10..13).contains(&minute) { bad } else { good }).collect()
    };
    file(vec![
        series("disk", "sda", "write_io_per_s", &bad(50.0, 2.0)),
        series("disk", "sda", "write_await_ns", &bad(1e6, 156e9)),
        series("disk", "sda", "util_ratio", &bad(0.05, 1.0)),
        series("disk", "sda", "queue_mean", &bad(0.05, 312.0)),
    ])
}

#[test]
fn a_disk_that_takes_156_s_is_a_span_and_a_finding() {
    let run = Run { imported: vec![slow_disk()], ..Run::default() };
    let assessment = assess(&run);
    let spans: Vec<String> = assessment
        .spans
        .iter()
        .map(|span| format!("{} {} {} {}", span.code, span.subject, span.from.unwrap(), span.to.unwrap()))
        .collect();
    assert_eq!(spans, ["device-wait-long sda 2026-11-22T02:09:00 2026-11-22T02:12:00"]);
    assert_eq!(assessment.spans[0].worst, Some(156e9));
    let finding = &assessment.findings[0];
    assert_eq!((finding.code.as_str(), finding.subject.as_str()), ("device-wait-long", "sda at db1"));
    assert!(
        finding.message.starts_with("2026-11-22 02:09:00 to 02:12:00: a write on sda takes 156.00 s"),
        "{}",
        finding.message
    );
    assert!(finding.advice.steps.iter().all(|step| step.on == "db1"), "the remedy is for the file's host");
    assert!(assessment.passed.contains(&"device-stalled".to_owned()), "{:?}", assessment.passed);
    assert!(assessment.unknowns.iter().any(|unknown| unknown.code == "swapping"));
}

#[test]
fn means_since_boot_are_not_judged() {
    let since_boot = ImportedSeries { first_since_boot: true, ..slow_disk() };
    let run = Run { imported: vec![since_boot], ..Run::default() };
    let assessment = assess(&run);
    assert!(assessment.spans.is_empty() && !assessment.passed.contains(&"device-stalled".to_owned()));
}

#[test]
fn a_device_that_appears_late_in_a_file_without_times_keeps_its_place() {
    let mut late = series("disk", "sdb", "write_io_per_s", &[7.0]);
    late.first_record = 2;
    late.samples[0].at = None;
    let mut all = series("disk", "sda", "write_io_per_s", &[1.0, 1.0, 1.0]);
    for sample in &mut all.samples {
        sample.at = None;
    }
    let (_, windows) = windows(&file(vec![all, late]));
    let with_sdb: Vec<Option<u64>> = windows
        .iter()
        .filter(|timed| timed.window.to.disks.contains_key("sdb"))
        .map(|timed| timed.record)
        .collect();
    assert_eq!((windows.len(), with_sdb), (3, vec![Some(3)]));
}

#[test]
fn a_hole_in_a_file_is_not_a_long_interval() {
    let mut gappy = slow_disk();
    for series in &mut gappy.series {
        series.samples.drain(2..9);
    }
    let (_, windows) = windows(&gappy);
    assert!(windows.iter().all(|timed| (timed.window.seconds() - 60.0).abs() < 1e-6));
}

#[test]
fn a_busy_disk_that_completes_nothing_is_stalled_when_somebody_waits() {
    let stuck = |blocked: f64| {
        file(vec![
            series("disk", "sdb", "read_io_per_s", &[0.0; 4]),
            series("disk", "sdb", "write_io_per_s", &[0.0; 4]),
            series("disk", "sdb", "util_ratio", &[1.0; 4]),
            series("disk", "sdb", "queue_mean", &[3.0; 4]),
            series("system", "", "blocked", &[blocked; 4]),
        ])
    };
    let codes = |blocked| {
        let run = Run { imported: vec![stuck(blocked)], ..Run::default() };
        assess(&run).spans.into_iter().map(|span| span.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(3.0), ["device-stalled"]);
    assert!(codes(0.0).is_empty(), "a count in flight that leaked");
}

/// A disk that is busy and completes nothing for some seconds, in a file that may tell of flushes.
fn nothing_completed(seconds: usize, flushes: bool) -> Vec<String> {
    let second = |index: usize| format!("2026-11-22T02:00:{index:02}").parse().ok();
    let of = |metric: &str, good: f64, bad: f64| {
        let value = |index: usize| if (20..20 + seconds).contains(&index) { bad } else { good };
        let mut one = series("disk", "sda", metric, &[]);
        one.samples = (0..60).map(|index| Sample { at: second(index), value: value(index) }).collect();
        one
    };
    let mut all =
        vec![of("write_io_per_s", 50.0, 0.0), of("util_ratio", 0.5, 1.0), of("write_await_ns", 1e6, 0.0)];
    if flushes {
        all.push(of("flush_io_per_s", 5.0, 0.0));
    }
    let assessment = assess(&Run { imported: vec![file(all)], ..Run::default() });
    assessment.spans.into_iter().map(|span| span.code).collect()
}

#[test]
fn a_flush_that_is_not_counted_is_no_stall() {
    assert_eq!(nothing_completed(6, false), [""; 0]);
    assert_eq!(nothing_completed(15, false), ["device-stalled"]);
    assert_eq!(nothing_completed(6, true), ["device-stalled"], "flushes are counted, and there were none");
}
