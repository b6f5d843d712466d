use super::super::{Judge, Timed, spans};
use fullwire_model::counters::{Counters, CpuTime, DiskCounters};
use fullwire_model::host::{Host, LogLine};
use fullwire_model::{Moment, Span, Window};
use jiff::Timestamp;

/// One second of a disk: reads and what each takes.
#[derive(Clone, Copy)]
struct Second {
    reads: u64,
    each_ms: u64,
}

const GOOD: Second = Second { reads: 1_000, each_ms: 1 };
/// Four requests in flight, 400 ms each.
const BAD: Second = Second { reads: 10, each_ms: 400 };

/// Windows of `length_s` seconds with these loads.
fn recording(length_s: u64, seconds: &[Second]) -> Vec<Timed> {
    let mut disk = DiskCounters::default();
    let mut at_ns = 5_000_000_000;
    let mut timed = Vec::new();
    for second in seconds {
        let before = disk.clone();
        let ms = second.reads * second.each_ms * length_s;
        disk.reads += second.reads * length_s;
        disk.read_bytes += second.reads * length_s * 8192;
        disk.read_ms += ms;
        disk.weighted_ms += ms;
        disk.busy_ms += ms.min(length_s * 1_000);
        let counters = |disk: DiskCounters, monotonic_ns| Counters {
            monotonic_ns,
            disks: [("sda".to_owned(), disk)].into(),
            ..Counters::default()
        };
        let next_ns = at_ns + length_s * 1_000_000_000;
        let window = Window {
            from: counters(before, at_ns),
            to: counters(disk.clone(), next_ns),
            ..Window::default()
        };
        timed.push(Timed { window, from: Some(moment(at_ns)), to: Some(moment(next_ns)), record: None });
        at_ns = next_ns;
    }
    timed
}

fn moment(ns: u64) -> Moment {
    Moment::Instant(Timestamp::from_nanosecond(i128::from(ns)).unwrap())
}

fn judged(length_s: u64, seconds: &[Second]) -> Vec<Span> {
    spans(&Host::default(), &recording(length_s, seconds))
}

fn times(count: usize, second: Second) -> Vec<Second> {
    vec![second; count]
}

fn seconds_of(span: &Span) -> (i64, i64) {
    let second = |moment: Option<Moment>| match moment {
        Some(Moment::Instant(at)) => at.as_second() - 5,
        _ => panic!("no time"),
    };
    (second(span.from), second(span.to))
}

#[test]
fn a_bad_minute_is_one_span_to_the_second() {
    let load = [times(60, GOOD), times(60, BAD), times(60, GOOD)].concat();
    let spans = judged(1, &load);
    assert_eq!(spans.len(), 1, "{spans:#?}");
    assert_eq!((spans[0].code.as_str(), spans[0].subject.as_str()), ("device-wait-long", "sda"));
    assert_eq!(seconds_of(&spans[0]), (60, 120));
    assert_eq!((spans[0].windows, spans[0].bad_s), (60, 60.0));
    assert_eq!(spans[0].worst, Some(400e6));
}

#[test]
fn one_good_second_does_not_split_a_bad_minute() {
    let load = [times(30, GOOD), times(30, BAD), times(1, GOOD), times(29, BAD), times(60, GOOD)].concat();
    let spans = judged(1, &load);
    assert_eq!(spans.len(), 1, "{spans:#?}");
    assert_eq!((seconds_of(&spans[0]), spans[0].windows), ((30, 90), 59));
}

#[test]
fn a_good_quarter_of_a_minute_does() {
    let load = [times(60, GOOD), times(20, BAD), times(15, GOOD), times(20, BAD), times(60, GOOD)].concat();
    assert_eq!(judged(1, &load).len(), 2);
}

#[test]
fn two_bad_seconds_are_none() {
    let load = [times(60, GOOD), times(2, BAD), times(60, GOOD)].concat();
    assert_eq!(judged(1, &load), Vec::new());
}

#[test]
fn one_long_window_is_enough_and_a_good_one_ends_it() {
    let load = [times(5, GOOD), times(1, BAD), times(1, GOOD), times(2, BAD), times(5, GOOD)].concat();
    let spans = judged(600, &load);
    assert_eq!(spans.iter().map(seconds_of).collect::<Vec<_>>(), [(3000, 3600), (4200, 5400)]);
}

#[test]
fn a_hole_ends_what_goes_on() {
    let load = recording(1, &[times(20, GOOD), times(40, BAD)].concat());
    let mut judge = Judge::new(Host::default());
    for timed in &load[..30] {
        judge.window(timed);
    }
    assert_eq!(judge.going_on().len(), 1);
    judge.hole();
    assert_eq!((judge.going_on().len(), judge.ended().len()), (0, 1));
    for timed in &load[30..] {
        judge.window(timed);
    }
    assert_eq!(judge.finish().len(), 1);
}

#[test]
fn overlapping_windows_count_their_new_part_alone() {
    let seconds = recording(1, &times(40, BAD));
    let mut judge = Judge::new(Host::default());
    for end in 10..=40 {
        let (first, last) = (&seconds[end - 10], &seconds[end - 1]);
        let window =
            Window { from: first.window.from.clone(), to: last.window.to.clone(), ..Window::default() };
        judge.window(&Timed { window, from: first.from, to: last.to, record: None });
    }
    let spans = judge.finish();
    assert_eq!((seconds_of(&spans[0]), spans[0].bad_s), ((0, 40), 40.0));
}

#[test]
fn a_counter_that_was_reset_alarms_nobody() {
    let mut load = recording(1, &times(30, GOOD));
    load[10].window.to.disks.get_mut("sda").unwrap().reads = 0;
    load[10].window.to.cpu = CpuTime::default();
    assert_eq!(spans(&Host::default(), &load), Vec::new());
}

/// Segments sent and sent again in each second.
fn segments(seconds: &[(u64, u64)]) -> Vec<Timed> {
    let mut load = recording(1, &times(seconds.len(), GOOD));
    let (mut sent, mut again) = (0, 0);
    for (timed, (more, lost)) in load.iter_mut().zip(seconds) {
        let snmp =
            |sent, again| [("TcpOutSegs".to_owned(), sent), ("TcpRetransSegs".to_owned(), again)].into();
        timed.window.from.snmp = snmp(sent, again);
        (sent, again) = (sent + more, again + lost);
        timed.window.to.snmp = snmp(sent, again);
    }
    load
}

#[test]
fn a_loss_that_shows_in_no_single_second_is_found_with_its_ends() {
    // 3 of 100 segments from second 30 to 90: too few in any second.
    let load: Vec<(u64, u64)> =
        (0..120).map(|second| (100, if (30..90).contains(&second) { 3 } else { 0 })).collect();
    let spans = spans(&Host::default(), &segments(&load));
    assert_eq!(spans.len(), 1, "{spans:?}");
    let (from, to) = seconds_of(&spans[0]);
    assert_eq!(spans[0].code, "tcp-retransmissions");
    assert!((29..=32).contains(&from) && (88..=91).contains(&to), "{from} to {to}");
}

#[test]
fn a_burst_of_one_second_and_a_rare_loss_alarm_nobody() {
    let burst: Vec<(u64, u64)> = (0..60).map(|second| (100, if second == 30 { 20 } else { 0 })).collect();
    assert_eq!(spans(&Host::default(), &segments(&burst)), Vec::new());
    let rare: Vec<(u64, u64)> = (0..60).map(|second| (100, u64::from(second % 10 == 0))).collect();
    assert_eq!(spans(&Host::default(), &segments(&rare)), Vec::new());
}

#[test]
fn a_line_of_the_kernels_log_is_news_once() {
    let line = |text: &str| LogLine {
        pattern: "multipath-failed".into(),
        text: text.into(),
        seconds: Some(1.0),
        count: 1,
        ..LogLine::default()
    };
    let with = |lines: &[&str]| Host {
        kernel_log: lines.iter().map(|text| line(text)).collect(),
        ..Host::default()
    };
    let kept =
        |judge: &Judge| judge.run.host.kernel_log.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    let mut judge = Judge::new(Host::default());
    judge.host(with(&["Failing path 8:0."]));
    assert_eq!(kept(&judge), [""; 0], "before the recording");
    judge.host(with(&["Failing path 8:0.", "Failing path 8:16."]));
    assert_eq!(kept(&judge), ["Failing path 8:16."]);
    judge.window(&recording(1, &[GOOD])[0]);
    assert_eq!(kept(&judge), [""; 0], "told once");
    judge.host(with(&["Failing path 8:0.", "Failing path 8:16."]));
    assert_eq!(kept(&judge), [""; 0]);
}
