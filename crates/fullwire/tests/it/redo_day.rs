//! A day of redo with a batch at night, and six reports of it.

use fullwire_model::Run;
use fullwire_model::demand::{
    AwrReport, Demand, ImportedSeries, RedoHistory, RedoLog, RedoPoint, Sample, Series, TopEvent, WaitStat,
};
use fullwire_model::quantity::Unit;
use jiff::ToSpan;
use jiff::civil::DateTime;

fn at(minutes: i64) -> DateTime {
    jiff::civil::date(2026, 11, 19).at(0, 0, 0, 0).saturating_add(minutes.minutes())
}

/// Bytes per second at a minute of the day: office hours, and a batch from 02:00 to 03:30.
fn rate(minute: i64) -> f64 {
    let hour = minute as f64 / 60.0;
    let office = 9e6 * (-((hour - 14.0) / 4.0).powi(2)).exp();
    let batch = if (120..210).contains(&minute) { 41e6 } else { 0.0 };
    (2e6 + office + batch) * (1.0 + 0.1 * (hour * 7.0).sin())
}

pub(crate) fn run() -> Run {
    let source = "archived_log.lst".to_owned();
    let mut run =
        Run { run_id: "20261120-160000-0c1d".into(), tool_version: "0.1.0".into(), ..Run::default() };
    run.command.name = "redo".into();
    run.host.hostname = "db1.example.com".into();
    run.started = "2026-11-20T16:00:00Z".parse().unwrap();
    run.finished = run.started;
    run.demand = Some(Demand {
        source: source.clone(),
        database: "oracle".into(),
        redo_peak_bytes_per_s: Some(47.3e6),
        redo_required_bytes_per_s: Some(61.5e6),
        redo_write_mean_bytes: Some(5_734.0),
        commits_per_s: Some(412.0),
        ..Demand::default()
    });
    run.redo = Some(RedoHistory {
        source,
        database: "oracle".into(),
        logs: vec![RedoLog {
            thread: 1,
            sequence: 2295,
            bytes: 1e9,
            seconds: Some(21.0),
            ..RedoLog::default()
        }],
        peak_bytes_per_s: Some(47.3e6),
        peak_at: Some("2026-11-19T02:20:00".into()),
        mean_bytes_per_s: Some(7.4e6),
        p50_bytes_per_s: Some(4.1e6),
        p95_bytes_per_s: Some(39e6),
        headroom: 0.3,
        required_bytes_per_s: Some(61.5e6),
        mean_redo_write_bytes: Some(5_734.0),
        series: (0..288).map(|slot| RedoPoint { at: at(slot * 5), bytes_per_s: rate(slot * 5) }).collect(),
        ..RedoHistory::default()
    });
    run.reports = (0..6).map(|number| report(number * 240)).collect();
    run.imported = vec![imported()];
    run
}

fn report(minute: i64) -> AwrReport {
    let redo = rate(minute + 130);
    let wait = |ms: f64| WaitStat { waits: 90_000, mean_ms: Some(ms), ..WaitStat::default() };
    AwrReport {
        source: format!("awrrpt_{minute}.html"),
        db_name: Some("ORCL".into()),
        instance: Some("ORCL1".into()),
        release: Some("19.0.0.0.0".into()),
        begin: Some(at(minute)),
        end: Some(at(minute + 240)),
        elapsed_min: Some(240.0),
        db_time_min: Some(240.0 * (2.0 + redo / 9e6)),
        redo_size_per_s: Some(redo),
        mean_redo_write_bytes: Some(5_734.0),
        read_bytes_per_s: Some(redo * 4.0),
        write_bytes_per_s: Some(redo * 1.7),
        transactions_per_s: Some(redo / 18_000.0),
        buffer_hit_pct: Some(99.1),
        top_events: vec![TopEvent {
            name: "log file sync".into(),
            waits: Some(5_932_800),
            time_s: Some(32_630.0),
            mean_wait_ms: Some(5.5),
            share_pct: Some(31.4),
            class: Some("Commit".into()),
            ..TopEvent::default()
        }],
        waits: [
            ("log file sync".to_owned(), wait(1.2 + redo / 10e6)),
            ("log file parallel write".to_owned(), wait(0.4 + redo / 60e6)),
            ("db file sequential read".to_owned(), wait(0.6)),
        ]
        .into(),
        ..AwrReport::default()
    }
}

fn imported() -> ImportedSeries {
    let series = |subject: &str, scale: f64| Series {
        first_record: 0,
        area: "disk".into(),
        subject: subject.into(),
        metric: "write_await_ns".into(),
        unit: Unit::Ns,
        samples: (0..144)
            .map(|slot| Sample { at: Some(at(slot * 10)), value: 4e5 + rate(slot * 10) * scale })
            .collect(),
    };
    ImportedSeries {
        tool: "sar".into(),
        series: vec![series("sdb", 0.03), series("sdc", 0.02)],
        ..ImportedSeries::default()
    }
}
