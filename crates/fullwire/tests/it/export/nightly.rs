//! A month of nights with the documented lines of cron: the store is written as the nights would have, then the lines run
//! as they are printed.

use crate::tool::{Desk, stderr, stdout};
use fullwire_model::host::Host;
use fullwire_model::net::{NetMode, NetPlan, NetResult};
use fullwire_model::{Command, Gap, GapReason, Run};
use fullwire_store::Store;
use jiff::{SignedDuration, Timestamp};

const PEER: &str = "standby:5555";

fn base(id: String, at: Timestamp, command: &str) -> Run {
    Run {
        run_id: id,
        tool_version: "0.1.0".into(),
        started: at,
        finished: at + SignedDuration::from_secs(6),
        command: Command { name: command.into(), ..Command::default() },
        host: Host { hostname: "db1".into(), ..Host::default() },
        ..Run::default()
    }
}

/// A stream of five seconds at a rate, with the scatter of a quiet night.
fn night(number: usize, at: Timestamp, bytes_per_s: f64) -> Run {
    // Half a per cent either way, in an order that has no trend.
    let scatter = ((number * 7919) % 101) as f64 / 100.0 - 0.5;
    let rate = bytes_per_s * (1.0 + 0.01 * scatter);
    let plan = NetPlan {
        target: PEER.into(),
        mode: NetMode::Async,
        streams: 1,
        length_bytes: 1 << 20,
        duration_ns: 5_000_000_000,
        ..NetPlan::default()
    };
    let mut run = base(format!("n{number:03}"), at, "net");
    run.tag = Some("nightly".into());
    run.net.push(NetResult {
        target: PEER.into(),
        mode: NetMode::Async,
        streams: 1,
        payload_bytes: 1 << 20,
        plan,
        duration_s: 5.0,
        bytes: 1_000_000_000,
        messages: 1000,
        throughput_bytes_per_s: rate,
        ..NetResult::default()
    });
    run
}

/// What an audit of every hour keeps, and a test that broke.
fn between(number: usize, at: Timestamp) -> [Run; 2] {
    let mut broken = night(number, at, 0.0);
    broken.run_id = format!("x{number:03}");
    broken.tag = None;
    broken.net[0].incomplete = Some("the peer closed the connection".into());
    broken.net[0].broke_after_s = Some(0.1);
    broken.net[0].bytes = 0;
    broken.net[0].throughput_bytes_per_s = 0.0;
    broken.gaps.push(Gap::new(PEER, GapReason::Absent, "the peer closed the connection"));
    [base(format!("c{number:03}"), at, "check"), broken]
}

const BASELINE_RATE: f64 = 100e6;

/// A store whose first nights are the baseline.
fn with_baseline(desk: &Desk, nights: usize, from: Timestamp) -> Store {
    let mut store = Store::open(desk.work.path().join("runs")).unwrap();
    for number in 0..nights {
        store.keep(&night(number, from + days(number), BASELINE_RATE)).unwrap();
    }
    assert!(desk.run(&["baseline", "set", "nightly", "--store", "runs"]).status.success());
    store
}

fn days(count: usize) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::try_from(count).unwrap())
}

/// What cron gets after one more night: the status and the letter.
fn cron(desk: &Desk, store: &mut Store, number: usize, at: Timestamp, rate: f64) -> (i32, String) {
    let mut run = night(number, at, rate);
    // The label of the baseline stays with the nights that it was set of.
    run.tag = None;
    store.keep(&run).unwrap();
    store.keep(&between(number, at + SignedDuration::from_hours(1))[0]).unwrap();
    let cron = desk.run(&["diff", "baseline", "last", "--fail-on", "worse", "--store", "runs"]);
    (cron.status.code().unwrap(), stdout(&cron) + &stderr(&cron))
}

/// Three nights, as the page has it, then one bad night among good ones: only that one is told.
#[test]
fn after_one_bad_night_cron_is_silent_again() {
    let desk = Desk::new();
    let from = Timestamp::now() - days(12);
    let mut store = with_baseline(&desk, 3, from);
    for number in 3..12 {
        let is_bad = number == 4;
        let rate = if is_bad { BASELINE_RATE / 2.0 } else { BASELINE_RATE };
        let (code, said) = cron(&desk, &mut store, number, from + days(number), rate);
        assert_eq!((code, said.contains("WORSE")), (i32::from(is_bad), is_bad), "night {number}: {said}");
        assert_eq!(said.is_empty(), !is_bad, "night {number}: {said}");
    }
}

/// Six nights are the baseline; then a month, in which the path carries less from the twentieth night on.
#[test]
fn cron_is_silent_for_a_month_and_speaks_when_the_path_got_worse() {
    const BASELINE: usize = 6;
    const NIGHTS: usize = 30;
    const WORSE_FROM: usize = 20;
    let desk = Desk::new();
    let now = Timestamp::now();
    let from = now - days(BASELINE + NIGHTS);
    let mut store = with_baseline(&desk, BASELINE, from);
    for number in 0..NIGHTS {
        let is_worse = number >= WORSE_FROM;
        let rate = if is_worse { 0.7 * BASELINE_RATE } else { BASELINE_RATE };
        let place = BASELINE + number;
        let (code, said) = cron(&desk, &mut store, place, from + days(place), rate);
        assert_eq!((code, said.contains("WORSE")), (i32::from(is_worse), is_worse), "night {number}: {said}");
        assert_eq!(said.is_empty(), !is_worse, "night {number}: {said}");
    }
    // What is exported is the last of each path, whatever came after it.
    for run in between(99, now - SignedDuration::from_hours(1)) {
        store.keep(&run).unwrap();
    }
    let export = |words: &[&str]| {
        let mut all = vec!["export", "--store", "runs", "--max-age", "40h"];
        all.extend(words);
        stdout(&desk.run(&all))
    };
    let nagios = export(&["--nagios"]);
    assert!(
        nagios.contains(PEER)
            && nagios.contains("async_bytes_per_s")
            && !nagios.contains("async_bytes_per_s'=0"),
        "{nagios}"
    );
    let metrics = export(&["--openmetrics"]);
    let measured =
        metrics.lines().find(|line| line.starts_with("fullwire_path_measured_bytes_per_second{")).unwrap();
    let value: f64 = measured.rsplit(' ').next().unwrap().parse().unwrap();
    assert!((value / 70e6 - 1.0).abs() < 0.02, "{measured}");
}
