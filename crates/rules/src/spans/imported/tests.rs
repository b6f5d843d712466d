mod cut;
mod waited;

use super::windows;
use crate::assess;
use fullwire_model::Run;
use fullwire_model::demand::{ImportedSeries, Sample, Series};
use fullwire_model::disk::{DiskResult, DiskStepResult, Operation, Sync};
use fullwire_model::latency::Latency;
use fullwire_model::net::{NetInterval, NetResult, TcpSummary};

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

/// What a benchmark's clients wait for, and datagrams that no program took: not where all is well.
#[test]
fn slow_transactions_and_dropped_datagrams_are_conspicuous() {
    let said = |series: Vec<Series>| {
        let run = Run { imported: vec![file(series)], ..Run::default() };
        assess(&run).conspicuous.join(" ")
    };
    let bench = |ns: f64| {
        vec![
            series("database", "", "clients", &[10.0]),
            series("database", "", "transactions_per_s", &[47.7]),
            series("database", "", "transaction_ns", &[ns]),
        ]
    };
    assert!(said(bench(265e6)).contains("10 clients get 48 transactions a second, and each takes 265 ms"));
    // One record that is well is answered with its figures alone.
    assert_eq!(said(bench(4e6)), "10 clients, 48 transactions a second, 4.0 ms each.");
    let udp = |lost: f64| {
        vec![
            series("system", "", "udp_datagrams_in_per_s", &[38.0]),
            series("system", "", "udp_errors_in_per_s", &[lost]),
        ]
    };
    assert!(said(udp(715.0)).contains("715 UDP datagrams a second (95 %)"), "{}", said(udp(715.0)));
    assert_eq!(said(udp(0.2)), "");
    let tcp = |again: f64| {
        vec![
            series("system", "", "tcp_segments_out_per_s", &[9122.0]),
            series("system", "", "tcp_retransmits_per_s", &[again]),
        ]
    };
    assert!(said(tcp(712.0)).contains("712 segments a second again, 7 % of all"), "{}", said(tcp(712.0)));
    assert_eq!(said(tcp(21.0)), "");
}

/// Flushes, and a client's own queue: what commits and reads wait for where no device is slow.
#[test]
fn slow_flushes_and_queued_calls_are_conspicuous() {
    let said = |series: Vec<Series>| {
        let run = Run { imported: vec![file(series)], ..Run::default() };
        assess(&run).conspicuous.join(" ")
    };
    let flushes = |ns: f64| {
        vec![
            series("disk", "nvme0n1", "flush_await_ns", &[ns]),
            series("disk", "nvme0n1", "flush_io_per_s", &[66.0]),
            series("disk", "nvme0n1", "write_await_ns", &[0.7e6]),
        ]
    };
    assert!(
        said(flushes(25e6)).starts_with("nvme0n1: a flush takes 25 ms, 66 a second"),
        "{}",
        said(flushes(25e6))
    );
    assert_eq!(said(flushes(0.5e6)), "");
    let calls = |rtt_ns: f64| {
        let subject = "nas01:/vol /u02 write";
        vec![
            series("nfs", subject, "await_ns", &[90e6]),
            series("nfs", subject, "rtt_ns", &[rtt_ns]),
            series("nfs", subject, "io_per_s", &[100.0]),
        ]
    };
    assert!(said(calls(3e6)).contains("87 ms of it in the client's own queue"), "{}", said(calls(3e6)));
    assert_eq!(said(calls(60e6)), "", "the server takes most of it");
    let mut slow = calls(170e6);
    slow[0] = series("nfs", "nas01:/vol /u02 write", "await_ns", &[180e6]);
    assert!(said(slow).contains("takes 180 ms, 170 ms of it at the server"));
}

/// A thread that reads and writes in turn is not limited by its writes alone.
#[test]
fn a_thread_that_also_reads_is_not_held_against_its_durable_writes() {
    let limits = |iops: f64| {
        let step = DiskStepResult {
            operation: Operation::Write,
            sync: Sync::Osync,
            queue_depth: 1,
            threads: 1,
            block_bytes: 4096,
            iops,
            throughput_bytes_per_s: iops * 4096.0,
            latency_ns: Latency { count: 300_000, mean: 49_000.0, ..Latency::default() },
            ..DiskStepResult::default()
        };
        let result = DiskResult {
            target: "fio.json".into(),
            imported_from: "fio, fio.json".into(),
            steps: vec![step],
            ..DiskResult::default()
        };
        let assessment = assess(&Run { disk: vec![result], ..Run::default() });
        assessment.ceilings.iter().any(|ceiling| ceiling.kind == "durable-write")
    };
    assert!(limits(19_800.0), "it does nothing else");
    assert!(!limits(10_057.0), "half of its time it reads");
}

/// One request at a time is what its time says it is; a file that hides its depth has a queue.
#[test]
fn a_lone_request_is_compared_with_media() {
    let said = |iops: f64, mean_ns: f64| {
        let latency_ns = Latency { count: 9_000, mean: mean_ns, max: 210_000_000, ..Latency::default() };
        let step = DiskStepResult {
            queue_depth: 1,
            threads: 1,
            block_bytes: 8192,
            iops,
            latency_ns,
            ..DiskStepResult::default()
        };
        let result =
            DiskResult { imported_from: "fio, x".into(), steps: vec![step], ..DiskResult::default() };
        assess(&Run { disk: vec![result], ..Run::default() }).conspicuous.join(" ")
    };
    assert!(
        said(85.0, 11.7e6).contains(
            "takes 11.7 ms on average and 210.0 ms at worst, one at a time: as a spinning disk does"
        )
    );
    assert_eq!(said(323.0, 198e6), "", "64 are in flight");
}

/// A text that counts what was sent again, and not what was sent.
#[test]
fn lost_segments_of_a_result_are_told() {
    let result = |retransmits: u64| {
        let interval = |cwnd| NetInterval {
            throughput_bytes_per_s: 59e6,
            cwnd_bytes: Some(cwnd),
            ..NetInterval::default()
        };
        let tcp = TcpSummary { retransmits, ..TcpSummary::default() };
        NetResult {
            target: "10.1.2.3".into(),
            imported_from: "iperf, x".into(),
            bytes: 238_000_000,
            tcp: Some(tcp),
            intervals: vec![interval(416_768), interval(10_138)],
            ..NetResult::default()
        }
    };
    let said =
        |retransmits| assess(&Run { net: vec![result(retransmits)], ..Run::default() }).conspicuous.join(" ");
    assert!(said(2001).contains("2001 segments were sent again, at least 1.2 % of all, and the congestion window fell from 407 KiB to 9.9 KiB"), "{}", said(2001));
    assert_eq!(said(20), "");
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
        finding
            .message
            .starts_with("2026-11-22 02:09:00 to 02:12:00: a write on sda takes 2.6 min (usually 1 ms)"),
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

/// Spans of a file: code, subject, first and last minute.
fn spans(file: ImportedSeries) -> Vec<String> {
    let assessment = assess(&Run { imported: vec![file], ..Run::default() });
    let minute = |at: Option<fullwire_model::Moment>| at.unwrap().to_string()[14..16].to_owned();
    let spans = assessment.spans.iter();
    spans.map(|one| format!("{} {} {}-{}", one.code, one.subject, minute(one.from), minute(one.to))).collect()
}

fn message(file: ImportedSeries) -> String {
    let assessment = assess(&Run { imported: vec![file], ..Run::default() });
    assessment.findings.iter().map(|finding| finding.message.clone()).collect()
}

fn reason(file: ImportedSeries, code: &str) -> String {
    let assessment = assess(&Run { imported: vec![file], ..Run::default() });
    assert!(!assessment.passed.contains(&code.to_owned()), "{code} passed");
    let unknown = assessment.unknowns.iter().find(|unknown| unknown.code == code);
    unknown.map_or(String::new(), |unknown| unknown.reason.clone())
}

/// Minutes 5 to 7 are bad.
fn bad_minutes(good: f64, bad: f64) -> [f64; 12] {
    std::array::from_fn(|minute| if (5..8).contains(&minute) { bad } else { good })
}

#[test]
fn drops_of_softnet_are_judged_for_each_cpu_or_for_their_sum() {
    let queue = |cpu: &str, name: &str, values: &[f64]| series("system", cpu, name, values);
    let of_cpus = file(vec![
        queue("all", "total", &[9000.0; 12]),
        queue("all", "dropd", &bad_minutes(0.0, 250.0)),
        queue("0", "total", &[4000.0; 12]),
        queue("0", "dropd", &[0.0; 12]),
        queue("2", "total", &[5000.0; 12]),
        queue("2", "dropd", &bad_minutes(0.0, 250.0)),
    ]);
    let assessment = assess(&Run { imported: vec![of_cpus.clone()], ..Run::default() });
    assert_eq!(spans(of_cpus), ["softnet-drops net.core.netdev_max_backlog 04-07"]);
    let finding = &assessment.findings[0];
    assert!(
        finding.message.ends_with("15000 of 540000 packets dropped"),
        "the sum is not added: {}",
        finding.message
    );
    assert!(!finding.message.contains("1000)"), "the setting is not in the file: {}", finding.message);
    assert!(finding.evidence[0].text.ends_with("most on CPU 2: +15000"), "{:?}", finding.evidence);
    assert!(finding.advice.steps.iter().all(|step| !step.run.as_deref().unwrap_or("").contains("sysctl -w")));

    let sum = file(vec![
        queue("-1", "total_per_s", &[9000.0; 12]),
        queue("-1", "dropd_per_s", &bad_minutes(0.0, 250.0)),
    ]);
    assert_eq!(spans(sum), ["softnet-drops net.core.netdev_max_backlog 04-07"]);
    let quiet = file(vec![queue("0", "total", &[9000.0; 12]), queue("0", "dropd", &[0.1; 12])]);
    assert!(spans(quiet).is_empty());
}

/// Two CPUs of four, and perhaps the sum of all.
fn softirq(with_sum: bool) -> ImportedSeries {
    let mut all = vec![
        series("cpu", "0", "softirq_ratio", &[0.01; 12]),
        series("cpu", "0", "idle_ratio", &[0.9; 12]),
        series("cpu", "3", "softirq_ratio", &bad_minutes(0.01, 0.99)),
        series("cpu", "3", "idle_ratio", &bad_minutes(0.9, 0.01)),
    ];
    if with_sum {
        all.push(series("cpu", "all", "idle_ratio", &bad_minutes(0.9, 0.7)));
        all.push(series("cpu", "all", "softirq_ratio", &bad_minutes(0.01, 0.25)));
    }
    file(all)
}

#[test]
fn one_cpu_that_does_nothing_but_soft_interrupts_is_named() {
    assert_eq!(spans(softirq(true)), ["softirq-one-cpu CPU 3 04-07"]);
    assert_eq!(
        reason(softirq(false), "softirq-one-cpu"),
        "iostat.txt: the time of each CPU over a window could not be read",
        "how busy the others are is not known"
    );
}

/// Runnable tasks and idle CPUs, in minutes.
fn cpu(cpus: Option<u64>, runnable: &[f64], idle: &[f64]) -> ImportedSeries {
    let busy: Vec<f64> = idle.iter().map(|idle| 1.0 - idle).collect();
    let series = vec![
        series("system", "", "runnable", runnable),
        series("cpu", "all", "user_ratio", &busy),
        series("cpu", "all", "idle_ratio", idle),
    ];
    ImportedSeries { cpus, ..file(series) }
}

#[test]
fn a_record_without_an_idle_cpu_and_with_a_queue_at_its_end_is_saturated_by_itself() {
    let one = |bad: f64, queue: f64| {
        let at_5 =
            |good: f64, bad: f64| -> [f64; 9] { std::array::from_fn(|at| if at == 5 { bad } else { good }) };
        cpu(Some(4), &at_5(1.0, queue), &at_5(0.9, bad))
    };
    assert_eq!(spans(one(0.005, 30.0)), ["cpu-saturated CPU 04-05"]);
    assert!(
        message(one(0.005, 30.0)).ends_with("busy 100 %, 30 runnable on 4 CPUs"),
        "sadc does not count itself"
    );
    assert!(spans(one(0.05, 30.0)).is_empty(), "one sample may be chance while CPUs are idle at times");
    assert!(spans(one(0.005, 8.0)).is_empty(), "two for each CPU");
    let batch = cpu(Some(16), &[14.0; 9], &[0.01; 9]);
    assert!(spans(batch).is_empty(), "busy without a queue");
}

#[test]
fn without_the_number_of_cpus_only_idle_time_tells_their_saturation() {
    let full = cpu(None, &[64.0; 9], &[0.0; 9]);
    assert_eq!(spans(full.clone()), ["cpu-saturated CPU 59-08"]);
    assert!(message(full).ends_with("the CPUs are saturated: busy 100 %, 64 runnable, no CPU idle"));
    for (runnable, idle) in [(64.0, 0.05), (1.0, 0.0)] {
        let unknown = cpu(None, &[runnable; 9], &[idle; 9]);
        assert_eq!(reason(unknown, "cpu-saturated"), "iostat.txt: the number of CPUs could not be read");
    }
}

/// Records of 2 s, some of them without an idle CPU.
#[test]
fn a_burst_on_all_cpus_is_no_saturation() {
    let busy_for = |records: usize| {
        let at =
            |index: usize| format!("2026-11-22T02:{:02}:{:02}", index * 2 / 60, index * 2 % 60).parse().ok();
        let of = |area: &str, subject: &str, metric: &str, good: f64, bad: f64| {
            let value = |index: usize| if (20..20 + records).contains(&index) { bad } else { good };
            let mut one = series(area, subject, metric, &[]);
            one.samples = (0..90).map(|index| Sample { at: at(index), value: value(index) }).collect();
            one
        };
        let all = vec![
            of("system", "", "runnable", 2.0, 40.0),
            of("cpu", "all", "user_ratio", 0.3, 1.0),
            of("cpu", "all", "idle_ratio", 0.7, 0.0),
        ];
        let file = ImportedSeries { cpus: None, ..file(all) };
        assess(&Run { imported: vec![file], ..Run::default() }).spans.len()
    };
    assert_eq!([busy_for(15), busy_for(40)], [0, 1]);
}

/// `sar -n NFS` counts the calls of all mounts together.
#[test]
fn retransmissions_of_the_nfs_client_are_a_share_of_its_calls() {
    let nfs = |again: f64| ImportedSeries {
        tool: "sar".into(),
        ..file(vec![
            series("nfs", "", "calls_per_s", &[500.0; 9]),
            series("nfs", "", "retransmits_per_s", &[again; 9]),
        ])
    };
    assert!(spans(nfs(0.4)).is_empty(), "0.08 %");
    let assessment = assess(&Run { imported: vec![nfs(0.6)], ..Run::default() });
    let finding = &assessment.findings[0];
    assert_eq!((finding.code.as_str(), finding.subject.as_str()), ("nfs-retransmits", "NFS client at db1"));
    assert!(
        finding.message.ends_with("the NFS client sent 36 of 30000 requests again"),
        "{}",
        finding.message
    );
    assert_eq!(finding.evidence[0].source, "sar, iostat.txt", "the tool and the file");
    assert!(
        assess(&Run { imported: vec![nfs(0.0)], ..Run::default() })
            .passed
            .contains(&"nfs-retransmits".to_owned())
    );
}

/// A disk in records of 2 s: it works, does nothing for 20 records, and completes some requests that waited.
fn silent_disk(waited_s: f64, requests: f64) -> Vec<String> {
    let at = |index: usize| format!("2026-11-22T02:{:02}:{:02}", index * 2 / 60, index * 2 % 60).parse().ok();
    let of = |area: &str, name: &str, metric: &str, good: f64, silent: f64, end: f64| {
        let value = |index: usize| match index {
            40..60 => silent,
            60 => end,
            _ => good,
        };
        let mut one = series(area, name, metric, &[]);
        one.samples = (0..90).map(|index| Sample { at: at(index), value: value(index) }).collect();
        one
    };
    let all = vec![
        of("disk", "sdb", "write_io_per_s", 50.0, 0.0, requests / 2.0),
        of("disk", "sdb", "write_await_ns", 1e6, 0.0, waited_s * 1e9),
        of("disk", "sdb", "util_ratio", 0.05, 0.0, 1.0),
        of("disk", "sdb", "queue_mean", 0.05, 0.0, requests * waited_s / 2.0),
        of("cpu", "all", "iowait_ratio", 0.01, 0.5, 0.5),
        of("cpu", "all", "idle_ratio", 0.9, 0.4, 0.4),
    ];
    let assessment = assess(&Run { imported: vec![file(all)], ..Run::default() });
    let time = |at: Option<fullwire_model::Moment>| at.unwrap().to_string()[14..].to_owned();
    let spans = assessment.spans.iter();
    spans.map(|one| format!("{} {}-{}", one.code, time(one.from), time(one.to))).collect()
}

#[test]
fn requests_that_waited_for_longer_than_their_record_prove_the_silence_before() {
    // The record of the end reaches from 02:01:58 to 02:02:00.
    assert_eq!(
        silent_disk(29.5, 100.0),
        ["device-stalled 01:32-01:58", "device-wait-long 01:58-02:00"],
        "nothing is said of what was earlier than the wait"
    );
    assert_eq!(silent_disk(29.5, 2.0), [""; 0], "one or two requests: a disk that starts its motor");
    assert_eq!(silent_disk(8.0, 100.0), [""; 0], "two records of 2 s are needed below 10 s");
}

#[test]
fn one_time_for_both_directions_is_that_of_a_request() {
    let bad = |metric: &str, good: f64, bad: f64| series("disk", "sda", metric, &bad_minutes(good, bad));
    let sar = file(vec![
        bad("io_per_s", 80.0, 180.3),
        bad("read_bytes_per_s", 1e5, 3.3e5),
        bad("write_bytes_per_s", 2e5, 9.1e5),
        bad("await_ns", 2.13e6, 370.83e6),
        bad("util_ratio", 0.1, 1.0),
        bad("queue_mean", 0.1, 66.9),
    ]);
    let assessment = assess(&Run { imported: vec![sar], ..Run::default() });
    let finding = &assessment.findings[0];
    assert!(finding.message.contains(": a request on sda takes 371 ms"), "{}", finding.message);
    assert!(finding.evidence[0].text.starts_with("await 370.8 ms"), "{:?}", finding.evidence);
}

#[test]
fn a_share_of_packets_that_are_not_in_the_file_is_unknown() {
    // `sar -n EDEV` without DEV.
    let errors = |metric: &str| series("nic", "eth0", metric, &[20.0; 9]);
    let alone = file(vec![errors("rx_drops_per_s"), errors("rxfram_per_s")]);
    assert!(spans(alone.clone()).is_empty());
    assert!(
        !reason(alone.clone(), "nic-rx-dropped").is_empty() && !reason(alone, "nic-crc-errors").is_empty()
    );
    let ring = file(vec![errors("rx_fifo_errors_per_s")]);
    let message = message(ring);
    assert!(
        message.contains("the receive ring of eth0 missed 1200 packets"),
        "its size is not in the file: {message}"
    );
}

#[test]
fn the_connections_of_a_mount_are_not_in_the_file() {
    let mount = |metric: &str, value: f64| series("nfs", "filer:/u02 /u02 read", metric, &[value; 9]);
    let file = file(vec![
        mount("io_per_s", 100.0),
        mount("rtt_ns", 8e6),
        mount("await_ns", 90e6),
        mount("queue_ns", 80e6),
        mount("retransmits", 0.0),
    ]);
    let message = message(file);
    assert!(message.contains("in the client's queue") && !message.contains("nconnect"), "{message}");
}

/// One record of `mpstat -P ALL`, or of `sar -B`: there is no other to agree with, and it is told all the same, but never as
/// critical.
#[test]
fn a_single_record_is_judged_by_itself() {
    let cpu = |name: &str, metric: &str, value: f64| series("cpu", name, metric, &[value]);
    let one = file(vec![
        cpu("all", "idle_ratio", 0.82),
        cpu("all", "softirq_ratio", 0.18),
        cpu("0", "softirq_ratio", 1.0),
        cpu("1", "idle_ratio", 0.97),
        cpu("1", "user_ratio", 0.03),
    ]);
    let told = |file: ImportedSeries| {
        let assessment = assess(&Run { imported: vec![file], ..Run::default() });
        let of = |span: &fullwire_model::Span| (span.code.clone(), span.severity);
        assessment.spans.iter().map(of).collect::<Vec<_>>()
    };
    let warning = fullwire_model::assessment::Severity::Warning;
    assert_eq!(told(one), [("softirq-one-cpu".to_owned(), warning)]);
    let swap = |values: &[f64]| {
        file(vec![
            series("memory", "", "swap_out_pages_per_s", values),
            series("memory", "", "swap_in_pages_per_s", values),
        ])
    };
    let single = told(swap(&[2_000.0]));
    assert!(single.iter().all(|(_, severity)| *severity == warning), "{single:?}");
    assert!(told(swap(&[2_000.0, 0.0, 0.0, 0.0])).iter().all(|(code, _)| code != "major-faults"));
}
