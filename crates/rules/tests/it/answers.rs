//! What the user asked, answered: promises, demands, a database's terms.

use crate::attribution::judged;
use fullwire_model::assessment::{Answer, Reply, UserQuestion, Verdict};
use fullwire_model::quantity::Unit;
use serde_json::{Value, json};

/// A step of a disk, as a probe of one target makes it.
fn step(operation: &str, pattern: &str, block: u64, depth: u64, iops: f64, mean_ns: u64) -> Value {
    json!({"operation": operation, "pattern": pattern, "block_bytes": block, "queue_depth": depth, "threads": 1, "direct": true,
           "ios": 1000, "iops": iops, "throughput_bytes_per_s": iops * block as f64,
           "latency_ns": {"count": 1000, "min": mean_ns / 2, "mean": mean_ns, "p50": mean_ns, "p90": mean_ns,
                          "p99": 2 * mean_ns, "p999": 3 * mean_ns, "max": 4 * mean_ns}})
}

fn volume() -> Vec<Value> {
    let mut commit = step("write", "sequential", 8192, 1, 7000.0, 134_000);
    commit["sync"] = json!("fdatasync");
    vec![
        step("read", "random", 8192, 1, 11_000.0, 90_000),
        step("read", "random", 8192, 8, 62_000.0, 128_000),
        step("read", "random", 8192, 32, 69_374.0, 460_000),
        step("read", "sequential", 1 << 20, 8, 900.0, 8_000_000),
        commit,
    ]
}

fn disk(command: &str, expect: &Value, steps: &[Value]) -> fullwire_model::assessment::Assessment {
    judged(
        json!({"command": {"name": command, "expect_disk": expect}, "disk": [{"target": "/u01", "steps": steps}]}),
    )
}

fn of(answers: &[Answer], question: UserQuestion) -> Vec<&Answer> {
    answers.iter().filter(|answer| answer.question == question).collect()
}

#[test]
fn a_promise_is_kept_missed_or_exceeded_and_never_unknown() {
    for (promised, reply, verdict) in [
        (20_000.0, Reply::Exceeded, Verdict::FullWire),
        (69_000.0, Reply::Kept, Verdict::FullWire),
        (100_000.0, Reply::Missed, Verdict::Poor),
    ] {
        for command in ["assess", "disk"] {
            let judged = disk(command, &json!({"io_per_s": promised}), &volume());
            let kept = of(&judged.answers, UserQuestion::Kept);
            assert_eq!(kept.len(), 1, "{:?}", judged.answers);
            assert_eq!(
                (kept[0].answer, kept[0].figure, kept[0].limit),
                (reply, Some(69_374.0), Some(promised))
            );
            assert_eq!(judged.verdict, verdict, "{promised} {}", kept[0].text);
        }
    }
    let text = &disk("disk", &json!({"io_per_s": 20_000.0}), &volume()).answers[0].text;
    assert_eq!(
        text,
        "Promised for /u01: 20,000 IO/s. Measured: 69,374 IO/s (random read 8k depth 32): exceeded (3.5 times)."
    );
}

/// Of two promises one was not measured: it is not passed over, and one measurement would tell.
#[test]
fn a_promise_that_nothing_measured_says_what_would_tell() {
    let random = &volume()[..3];
    let judged = disk("disk", &json!({"io_per_s": 20_000.0, "bytes_per_s": 800e6}), random);
    let kept = of(&judged.answers, UserQuestion::Kept);
    let found: Vec<Reply> = kept.iter().map(|answer| answer.answer).collect();
    assert_eq!(found, [Reply::Exceeded, Reply::Unknown], "{kept:#?}");
    assert_eq!((kept[1].limit, kept[1].unit), (Some(800e6), Some(Unit::BytesPerS)));
    assert_eq!(
        kept[1].text,
        "Promised for /u01: 800.0 MB/s. Not measured (fullwire disk --operation read --pattern sequential --block 1M --depth 8 would tell)."
    );
    let both = disk("disk", &json!({"io_per_s": 20_000.0, "bytes_per_s": 800e6}), &volume());
    assert_eq!(of(&both.answers, UserQuestion::Kept).len(), 2, "{:#?}", both.answers);
}

/// What other programs left of the device shows that it carries a promise, never that it does not.
#[test]
fn a_promise_is_seen_to_be_kept_beside_the_load_of_others_and_never_missed() {
    for (promised, replies) in
        [(20_000.0, vec![Reply::Exceeded]), (69_000.0, vec![Reply::Kept]), (100_000.0, vec![Reply::Unknown])]
    {
        let disk = json!({"target": "/u01", "steps": volume(), "caveats": [{"kind": "foreign-load", "text": "others read.", "void": true}]});
        let judged = judged(
            json!({"command": {"name": "disk", "expect_disk": {"io_per_s": promised}}, "disk": [disk]}),
        );
        let kept = of(&judged.answers, UserQuestion::Kept);
        let found: Vec<Reply> = kept.iter().map(|answer| answer.answer).collect();
        assert_eq!(found, replies, "{:?}", judged.answers);
    }
}

#[test]
fn a_host_of_its_own_is_told_of_in_the_terms_of_a_database() {
    let judged = disk("assess", &json!({}), &volume());
    let texts: Vec<&str> = judged.answers.iter().map(|answer| answer.text.as_str()).collect();
    assert!(texts[0].starts_with("A commit's durable write on /u01 takes 134 µs on average (134 µs median, 268 µs 99th percentile): one log writer makes at most 7,463 a second"), "{texts:#?}");
    assert!(texts[1].starts_with("Single-block reads on /u01 (8 KiB): one session reads 11,000 a second at 90 µs each, 69,374 a second with 32 in flight at 460 µs each"), "{texts:#?}");
    assert!(
        texts[2].starts_with("A scan of /u01 reads 943.7 MB/s (1 MiB at a time, 8 in flight)"),
        "{texts:#?}"
    );
    assert!(
        texts[3].contains("--demand") && texts[3].contains("--expect-disk") && texts[3].contains("--peer"),
        "{texts:#?}"
    );
    // A commit is counted, whatever is compared with it.
    let commit = judged.paths[0].measurements.last().unwrap();
    assert_eq!(commit.unit, fullwire_model::quantity::Unit::IoPerS);
}

#[test]
fn figures_that_a_cache_may_have_answered_are_no_answer() {
    let disk = json!({"target": "/u01", "steps": volume(), "caveats": [{"kind": "cached", "text": "a cache answered.", "void": true}]});
    let told = judged(json!({"command": {"name": "assess"}, "disk": [disk]}));
    assert!(of(&told.answers, UserQuestion::Commit).is_empty());
    let reads = of(&told.answers, UserQuestion::Reads);
    assert_eq!(
        (reads[0].answer, reads[0].text.as_str()),
        (Reply::Unknown, "What /u01 can do is not known: a cache answered.")
    );
    // Neither of a load that the user chose, with a promise that such figures cannot show.
    let disk = json!({"target": "/u01", "steps": volume(), "caveats": [{"kind": "cached", "text": "a cache answered.", "void": true}]});
    let command = json!({"name": "disk", "expect_disk": {"io_per_s": 20_000.0}});
    let told = judged(json!({"command": command, "disk": [disk]}));
    assert_eq!(told.answers[0].text, "What /u01 can do is not known: a cache answered.");
    assert!(told.answers.iter().all(|answer| !answer.text.contains("reaches")), "{:#?}", told.answers);
}

/// A database that was idle meanwhile needs a path of no rate that is known.
#[test]
fn no_redo_is_no_need() {
    let demand = json!({"source": "db1", "redo_peak_bytes_per_s": 0.0, "redo_required_bytes_per_s": 0.0, "headroom": 0.3});
    let told = judged(json!({"command": {"name": "redo"}, "demand": demand}));
    let needs = of(&told.answers, UserQuestion::Need);
    assert_eq!((needs[0].answer, needs[0].figure), (Reply::Unknown, None));
    assert!(needs[0].text.starts_with("No redo was written"), "{}", needs[0].text);
}

/// Storage was measured: that reads would need it is no reason.
#[test]
fn a_demand_that_was_compared_with_nothing_says_what_is_lacking() {
    let demand = json!({"source": "db1", "redo_required_bytes_per_s": 1e6, "headroom": 0.3});
    let disk = json!({"target": "/u01", "steps": volume()});
    let told = judged(json!({"command": {"name": "assess"}, "demand": demand, "disk": [disk]}));
    assert_eq!(
        of(&told.answers, UserQuestion::Enough)[0].text,
        "The demand was not compared with any path: redo needs a network path (--peer), the database read nothing from storage meanwhile."
    );
}

/// On a host whose database works, the device is never idle: what is left of it is what the database gets.
#[test]
fn figures_beside_the_load_of_others_are_told_as_such() {
    let others = "other processes moved 3.3 MB/s on sda before the measurement";
    let disk = json!({"target": "/u01", "steps": volume(), "caveats": [{"kind": "foreign-load", "text": others, "void": true}]});
    let told = judged(json!({"command": {"name": "assess"}, "disk": [disk]}));
    let texts: Vec<&str> = told.answers.iter().map(|answer| answer.text.as_str()).collect();
    assert!(
        texts[0].starts_with(
            "While other processes use the device: a commit's durable write on /u01 takes 134 µs"
        ),
        "{texts:#?}"
    );
    assert!(
        texts[1].starts_with("Single-block reads on /u01 (8 KiB): one session reads 11,000"),
        "{texts:#?}"
    );
    assert!(texts[2].starts_with("A scan of /u01 reads 943.7 MB/s"), "{texts:#?}");
    assert_eq!(
        texts[3],
        "What /u01 can do alone is not known: other processes moved 3.3 MB/s on sda before the measurement."
    );
    assert_eq!((told.answers[3].answer, told.verdict), (Reply::Unknown, Verdict::Unknown));
}

/// A stream whose link was down from beginning to end has no rate of 0, and one with a pause says how long it was.
#[test]
fn silence_of_a_stream_is_said_first() {
    let told = |rates: [f64; 5]| {
        let slices: Vec<Value> =
            (1..).zip(rates).map(|(t_s, rate)| json!({"t_s": t_s, "throughput_bytes_per_s": rate})).collect();
        let mean = rates.iter().sum::<f64>() / 5.0;
        let net = json!({"target": "db2", "mode": "async", "streams": 1, "bytes": 98_460, "duration_s": 5.0,
                         "throughput_bytes_per_s": mean, "intervals": slices});
        judged(json!({"command": {"name": "net"}, "net": [net]})).answers
    };
    let down = told([0.0; 5]);
    assert_eq!((down.len(), down[0].question, down[0].answer), (1, UserQuestion::Complete, Reply::Broken));
    assert_eq!(
        down[0].text,
        "The test carried nothing (async to db2): the connection was made, and in 5 s not a byte arrived."
    );
    let paused = told([50e6, 0.0, 0.0, 50e6, 50e6]);
    assert_eq!(
        paused[0].text,
        "db2 (async) reaches 30.0 MB/s (240 Mbit/s); nothing arrived in 2 of the 5 s."
    );
    let steady = told([50e6; 5]);
    assert_eq!(steady[0].text, "db2 (async) reaches 50.0 MB/s (400 Mbit/s).");
}

/// `mtu` makes no load: that a path whose MTU is known has no rate is no news.
#[test]
fn whoever_asks_for_the_path_mtu_alone_hears_of_no_rate() {
    let mtu =
        json!({"target": "db2", "path_mtu_bytes": 1500, "confirmed_by": "peer", "interface_mtu_bytes": 1500});
    let told = judged(json!({"command": {"name": "mtu", "arguments": ["mtu", "db2"]}, "mtu": [mtu]})).answers;
    let questions: Vec<UserQuestion> = told.iter().map(|answer| answer.question).collect();
    assert_eq!(questions, [UserQuestion::PathMtu], "{told:#?}");
}

#[test]
fn a_test_that_broke_comes_first() {
    let net = json!({"target": "db2:5555", "mode": "async", "streams": 1, "bytes": 1_000_000, "duration_s": 2.5,
                     "throughput_bytes_per_s": 4e7, "incomplete": "the peer closed the connection", "broke_after_s": 2.5,
                     "plan": {"duration_ns": 6_000_000_000_u64}});
    let judged = judged(json!({"command": {"name": "assess"}, "net": [net]}));
    let first = &judged.answers[0];
    assert_eq!((first.question, first.answer), (UserQuestion::Complete, Reply::Broken));
    assert_eq!(
        first.text,
        "The test broke after 2.5 of 6 s (async to db2:5555): the peer closed the connection. The figures are of the time before."
    );
}

#[test]
fn what_the_user_named_and_could_not_be_measured_says_why() {
    let gap = json!({"subject": "/nonexistent", "reason": "absent", "detail": "no such file or directory"});
    let judged = judged(
        json!({"command": {"name": "assess", "arguments": ["assess", "--path", "/nonexistent"]}, "gaps": [gap]}),
    );
    assert_eq!(judged.answers[0].text, "/nonexistent could not be measured: no such file or directory.");
}

/// What redo needs is asked of `redo`, what a database waited for of `awr`: each is an answer with its figure.
#[test]
fn a_file_is_answered_by_the_question_of_its_command() {
    let demand = json!({"source": "r.txt", "redo_required_bytes_per_s": 6.76e6, "redo_peak_bytes_per_s": 5.2e6, "headroom": 0.3});
    let report = json!({"source": "r.txt", "elapsed_min": 60.0, "db_time_min": 240.0, "waits": {
        "db file sequential read": {"waits": 1_000_000, "time_s": 10_000.0, "mean_ms": 10.0, "share_pct": 69.0}}});
    let asked = |command: &str| {
        judged(json!({"command": {"name": command}, "demand": demand, "reports": [report]})).answers
    };
    let redo = asked("redo");
    assert_eq!(redo.len(), 1, "{redo:#?}");
    assert_eq!((redo[0].question, redo[0].figure), (UserQuestion::Need, Some(6.76e6)));
    assert!(redo[0].text.starts_with("The redo needs a path of 6.76 MB/s (54.1 Mbit/s)"), "{}", redo[0].text);
    let awr = asked("awr");
    assert_eq!(awr.first().map(|first| first.question), Some(UserQuestion::Waits), "{awr:#?}");
    assert!(awr[0].text.contains("single-block reads"), "{}", awr[0].text);
    let of = awr[0].figure.map(|share| (share * 100.0).round());
    assert_eq!((of, awr[0].of.as_str()), (Some(69.0), "I/O"), "a share says of what");
}

/// What others left of a device is no property of it, whatever limited that.
#[test]
fn a_figure_that_is_not_of_the_path_gives_no_verdict() {
    let of = |void: bool| {
        let caveats = json!([{"kind": "foreign-load", "text": "others read.", "void": void}]);
        let disk = json!({"target": "/u01", "steps": volume(), "caveats": caveats});
        judged(json!({"command": {"name": "assess"}, "disk": [disk]}))
    };
    assert_eq!(of(true).verdict, Verdict::Unknown);
    let texts: Vec<String> = of(true).answers.into_iter().map(|answer| answer.text).collect();
    assert!(texts[0].starts_with("While other processes use the device: "), "{texts:#?}");
    assert!(
        texts.iter().any(|text| text == "What /u01 can do alone is not known: others read."),
        "{texts:#?}"
    );
}

/// Messages and commits that wait for each other are counted; a promise that datagrams show to be kept is kept.
#[test]
fn each_figure_has_the_unit_that_is_asked_for() {
    let sync = json!({"target": "db2", "mode": "sync", "payload_bytes": 8192, "duration_s": 2.0, "messages": 4000, "bytes": 32_768_000,
        "throughput_bytes_per_s": 16.384e6});
    let path = &judged(json!({"command": {"name": "net"}, "net": [sync]})).paths[0];
    assert_eq!((path.unit, path.measured), (Unit::PerS, Some(2000.0)));
    let mut commit = step("write", "sequential", 8192, 2, 1000.0, 2_000_000);
    commit["sync"] = json!("dsync");
    assert_eq!(disk("disk", &json!({}), &[commit]).paths[0].unit, Unit::IoPerS);
    let udp = json!({"target": "db2", "mode": "udp", "payload_bytes": 8192, "duration_s": 2.0, "messages": 5960, "bytes": 48_824_320,
        "throughput_bytes_per_s": 24.4e6, "plan": {"mode": "udp", "rate_bytes_per_s": 25e6}, "udp": {"sent": 5960, "lost": 0}});
    let judged = judged(json!({"command": {"name": "net", "expect_bytes_per_s": 25e6}, "net": [udp]}));
    assert_eq!(of(&judged.answers, UserQuestion::Kept)[0].answer, Reply::Kept);
    assert_eq!(judged.verdict, Verdict::FullWire);
}

/// Of the log writer's sizes the usual one is told of, beside the database's own time; a rate with one in flight proves no lack.
#[test]
fn a_log_writer_is_answered_with_its_own_write() {
    let synced = |block: u64, depth: u64, iops: f64, mean_ns: u64| {
        let mut one = step("write", "sequential", block, depth, iops, mean_ns);
        one["sync"] = json!("dsync");
        one
    };
    let steps = [
        synced(512, 1, 250.0, 4_000_000),
        synced(8192, 1, 200.0, 5_000_000),
        synced(8192, 2, 390.0, 5_000_000),
    ];
    let alone = disk("disk", &json!({}), &steps).answers;
    let commit = of(&alone, UserQuestion::Commit);
    assert!(
        commit[0].text.contains("takes 5 ms on average") && commit[0].figure == Some(200.0),
        "{alone:#?}"
    );
    let demand = json!({"source": "r.txt", "log_write_mean_ns": 500_000.0, "write_io_per_s": 662.0});
    let writes = [steps[1].clone(), step("write", "random", 8192, 1, 202.0, 4_950_000)];
    let run = json!({"command": {"name": "assess"}, "demand": demand, "disk": [{"target": "/u01", "steps": writes}]});
    let answers = judged(run).answers;
    assert!(
        of(&answers, UserQuestion::Commit)[0]
            .text
            .contains("own log writes take 500 µs: these take 10 times as long"),
        "{answers:#?}"
    );
    assert!(answers.iter().all(|answer| answer.answer != Reply::NotEnough), "{answers:#?}");
}

#[test]
fn what_a_path_reaches_is_told_where_nothing_else_is() {
    let stream = |command: &str, loopback: bool| {
        judged(json!({"command": {"name": command}, "net": [{"target": "db2", "mode": "async", "streams": 1,
            "throughput_bytes_per_s": 23.9e6, "bytes": 71_700_000, "duration_s": 3.0, "path": {"loopback": loopback}}]}))
    };
    let told = |command, loopback| {
        let answers = stream(command, loopback).answers;
        of(&answers, UserQuestion::Rate).iter().map(|answer| answer.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(told("net", false), ["db2 (async) reaches 23.9 MB/s (191 Mbit/s)."]);
    assert!(told("net", true)[0].ends_with(", this host's own ceiling without a network."));
    assert_eq!(told("assess", false), Vec::<String>::new(), "a connection's rate is told there");
    let plain = disk("disk", &json!({}), &[step("read", "sequential", 1 << 20, 1, 150.0, 6_600_000)]);
    let rate = of(&plain.answers, UserQuestion::Rate);
    assert!(
        rate[0].text.starts_with("/u01 (") && rate[0].text.contains(" reaches 157.3 MB/s"),
        "{}",
        rate[0].text
    );
    let promised = disk("disk", &json!({"io_per_s": 20_000.0}), &volume());
    assert!(of(&promised.answers, UserQuestion::Rate).is_empty(), "the promise's answer has the figure");
}

#[test]
fn what_limits_several_figures_is_said_once() {
    let answers = disk("assess", &json!({}), &volume()).answers;
    let mut limits: Vec<&str> =
        answers.iter().filter_map(|answer| Some(answer.text.split_once(" Limited by: ")?.1)).collect();
    let all = limits.len();
    limits.dedup();
    assert_eq!(limits.len(), all, "{answers:#?}");
}

#[test]
fn files_that_were_made_too_quickly_leave_the_highest_rate_unknown() {
    let cell = |per_s: Value| json!({"plan": {"files": 1500, "threads": 1}, "create": {"per_s": per_s}});
    let told = |cells: Value| {
        judged(json!({"command": {"name": "disk"}, "disk": [{"target": "/u01", "small_files": cells}]}))
            .answers[0]
            .clone()
    };
    let all = told(json!([cell(json!(2985.0)), cell(json!(2201.0))]));
    assert!(all.text.contains("up to 2,985 files created per second"), "{}", all.text);
    let some = told(json!([cell(json!(2985.0)), cell(Value::Null)]));
    assert_eq!((some.answer, some.figure), (Reply::Unknown, None));
    assert!(some.text.contains("--files 15000"), "{}", some.text);
}

/// A target that could not be measured: nothing was disturbed.
#[test]
fn the_load_of_others_is_no_finding_where_nothing_was_measured() {
    let found = |steps: Value| {
        let at = |monotonic_ns: u64, bytes: u64| json!({"monotonic_ns": monotonic_ns, "disks": {"sda": {"reads": bytes / 65536, "read_bytes": bytes}}});
        let told = judged(json!({
            "host": {"disks": [{"name": "sda", "number": "8:0", "kind": "disk"}]},
            "windows": [{"kind": "idle", "from": at(0, 0), "to": at(1_000_000_000, 52_428_800)}],
            "disk": [{"target": "/data", "device": "sda", "steps": steps}]
        }));
        told.findings.iter().any(|finding| finding.code == "foreign-load")
    };
    assert!(found(json!([{"operation": "read", "ios": 500, "throughput_bytes_per_s": 4e6}])));
    assert!(!found(json!([])));
}
