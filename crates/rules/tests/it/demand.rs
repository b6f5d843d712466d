//! What a path shows of itself, and what the database needs of it: streams, depths, demand and the verdict.

use crate::attribution::{PEER, eth0, judged, loud, merge, stream};
use crate::fixtures::case;
use fullwire_model::assessment::{Assessment, PathAssessment, Severity, Verdict};
use serde_json::{Value, json};

/// The same transfer with eight streams.
fn eight(bytes_per_s: f64) -> Value {
    stream(json!({"streams": 8, "throughput_bytes_per_s": bytes_per_s}))
}

fn one(bytes_per_s: f64) -> Value {
    stream(json!({"throughput_bytes_per_s": bytes_per_s}))
}

fn severity(assessment: &Assessment, code: &str) -> Option<Severity> {
    assessment.findings.iter().find(|finding| finding.code == code).map(|finding| finding.severity)
}

#[test]
fn several_streams_that_fill_the_wire_make_it_full_and_the_one_keeps_its_cause() {
    let run = json!({"host": {"nics": [eth0("physical")]}, "net": [one(60e6), eight(117e6)]});
    let assessment = judged(run);
    let path = &assessment.paths[0];
    assert_eq!((assessment.verdict, &*path.measurement.to_string()), (Verdict::FullWire, "async 8 streams"));
    let single = path.measurements.iter().find(|one| one.id.to_string() == "async").unwrap();
    assert_eq!(single.causes.first().map(String::as_str), Some("flow-limit"), "{single:?}");
    assert_eq!(severity(&assessment, "flow-limit"), Some(Severity::Info));
    assert_eq!(loud(&assessment), Vec::<String>::new());
}

#[test]
fn several_streams_that_reach_no_more_leave_the_verdict_to_the_one() {
    let run = json!({"host": {"nics": [eth0("physical")]}, "net": [one(117e6), eight(112e6)]});
    let assessment = judged(run);
    assert_eq!(assessment.paths[0].measurement.to_string(), "async");
    assert_eq!(severity(&assessment, "flow-limit"), None);
    assert_eq!(assessment.verdict, Verdict::FullWire);
}

#[test]
fn a_window_that_holds_the_one_stream_is_its_cause_and_not_the_flow_limit() {
    let held = json!({"throughput_bytes_per_s": 12e6, "tcp": {
        "rwnd_limited_s": 2.8, "snd_wnd_bytes": 65_535, "rtt_min_ns": 5_000_000, "rtt_ns": 5_000_000}});
    let assessment =
        judged(json!({"host": {"nics": [eth0("physical")]}, "net": [stream(held), eight(90e6)]}));
    let single = assessment.paths[0].measurements.iter().find(|one| one.id.to_string() == "async").unwrap();
    assert_eq!(single.causes.first().map(String::as_str), Some("receive-window"), "{single:?}");
}

/// Each stream fills a queue of its own, as a fair queue on the way gives them: what several carry is no more the path's than what
/// one does, and datagrams that were sent faster are lost for it.
#[test]
fn a_limit_of_each_flow_is_the_cause_of_several_streams_and_of_datagrams_as_well() {
    let assessment = fullwire_rules::assess(&case("flow-limit", "fires/queue-of-each").run);
    for figure in &assessment.paths[0].measurements {
        assert_eq!(figure.causes.first().map(String::as_str), Some("flow-limit"), "{figure:?}");
    }
}

/// One connection for each thread of redo: eight streams are of no use to one thread.
#[test]
fn redo_of_one_thread_is_held_against_one_stream() {
    let run = |threads: u64| {
        judged(json!({
            "demand": {"source": "awr.html", "redo_required_bytes_per_s": 80e6, "redo_threads": threads},
            "host": {"nics": [eth0("physical")]}, "net": [one(60e6), eight(117e6)],
        }))
    };
    let short = run(1);
    assert_eq!((short.verdict, &*short.paths[0].measurement.to_string()), (Verdict::Poor, "async"));
    assert_eq!(short.paths[0].demand_share, Some(0.75));
    assert_eq!(severity(&short, "redo-exceeds-path"), Some(Severity::Critical));
    assert_eq!(severity(&short, "flow-limit"), Some(Severity::Warning));
    let enough = run(8);
    assert_eq!(enough.verdict, Verdict::FullWire);
    assert_eq!(severity(&enough, "redo-exceeds-path"), None);
    assert_eq!(severity(&enough, "flow-limit"), Some(Severity::Info));
}

#[test]
fn a_full_wire_that_is_too_small_for_the_redo_is_poor() {
    let assessment = judged(json!({
        "demand": {"source": "listing.txt", "redo_required_bytes_per_s": 200e6},
        "host": {"nics": [eth0("physical")]}, "net": [one(117e6)],
    }));
    assert_eq!(assessment.verdict, Verdict::Poor);
    assert_eq!(assessment.bottleneck.code, "nic-goodput");
    assert_eq!(severity(&assessment, "redo-exceeds-path"), Some(Severity::Critical));
}

#[test]
fn of_two_peers_the_redo_is_held_against_the_one_that_the_report_names() {
    let standby = "stby.example.com:5555";
    let report = json!({"source": "awr.html", "db_name": "PROD",
                        "init_parameters": {"log_archive_dest_2": "SERVICE=stby LGWR ASYNC"}});
    let run = |reports: Value| {
        judged(json!({
            "demand": {"source": "awr.html", "redo_required_bytes_per_s": 80e6}, "reports": reports,
            "net": [one(60e6), stream(json!({"target": standby, "throughput_bytes_per_s": 100e6,
                                              "path": {"remote": "10.0.0.9:5555"}}))],
        }))
    };
    let named = run(json!([report]));
    let of = |assessment: &Assessment, subject: &str| -> PathAssessment {
        assessment.paths.iter().find(|path| path.target.as_str() == subject).unwrap().clone()
    };
    assert_eq!(of(&named, PEER).measurements[0].demand, None);
    assert_eq!(of(&named, standby).measurements[0].demand_share, Some(1.25));
    assert_eq!(severity(&named, "redo-exceeds-path"), None);
    let unnamed = run(json!([]));
    assert!(unnamed.unknowns.iter().any(|unknown| unknown.code == "redo-exceeds-path"));
    assert!(unnamed.paths.iter().all(|path| path.verdict != Verdict::Poor));
}

#[test]
fn the_run_names_the_path_that_the_database_needs_before_a_worse_one() {
    let standby = "stby.example.com:5555";
    let report =
        json!({"source": "awr.html", "init_parameters": {"log_archive_dest_2": "SERVICE=stby ASYNC"}});
    let assessment = judged(json!({
        "command": {"expect_bytes_per_s": 125e6},
        "demand": {"source": "awr.html", "redo_required_bytes_per_s": 100e6}, "reports": [report],
        "net": [one(20e6), stream(json!({"target": standby, "throughput_bytes_per_s": 60e6,
                                          "path": {"remote": "10.0.0.9:5555"},
                                          "tcp": {"rwnd_limited_s": 2.9, "snd_wnd_bytes": 65_535,
                                                  "rtt_min_ns": 1_000_000, "rtt_ns": 1_100_000}}))],
    }));
    assert_eq!(assessment.verdict, Verdict::Poor);
    assert_eq!(assessment.bottleneck.code, "receive-window", "{:?}", assessment.paths);
}

/// A step of reads on an array behind one 8-Gbit Fibre Channel port.
fn reads(pattern: &str, block_bytes: u64, depth: u32, iops: f64) -> Value {
    json!({"profile": "quick", "operation": "read", "pattern": pattern, "block_bytes": block_bytes,
           "queue_depth": depth, "threads": 1, "direct": true, "ios": 1000, "duration_s": 1.0, "iops": iops,
           "throughput_bytes_per_s": iops * block_bytes as f64,
           "latency_ns": {"count": 1000, "mean": 1e9 * f64::from(depth) / iops, "p50": 500_000, "min": 400_000}})
}

fn array(steps: &[Value], changes: Value) -> Assessment {
    let mut run = json!({
        "host": {
            "disks": [{"name": "sdb", "number": "8:16", "transport": "fc",
                       "scsi": {"address": "7:0:0:0"}}],
            "fc_hosts": [{"name": "host7", "port_state": "Online", "speed_gbit_per_s": 8.0}],
            "mounts": [{"target": "/u01", "number": "8:16", "fs_type": "xfs"}],
            "os": {"kernel_release": "5.14.0"},
        },
        "disk": [{"target": "/u01", "target_kind": "directory", "mount_point": "/u01", "device": "sdb",
                  "working_set_bytes": 268_435_456, "steps": steps}],
    });
    merge(&mut run, changes);
    judged(run)
}

const MIB: u64 = 1 << 20;

#[test]
fn a_link_is_not_called_poor_while_the_rate_still_grows_with_depth() {
    let growing =
        [(1, 90.0), (8, 240.0), (32, 420.0)].map(|(depth, iops)| reads("sequential", MIB, depth, iops));
    let assessment = array(&growing, json!({}));
    let path = &assessment.paths[0];
    assert!(path.ceiling.is_some(), "no link: the test shows nothing: {:?}", assessment.ceilings);
    assert_eq!(
        (assessment.verdict, &*path.measurement.to_string()),
        (Verdict::NotDriven, "quick sequential read 1M depth 32")
    );
    let stopped =
        [(1, 90.0), (8, 400.0), (32, 420.0)].map(|(depth, iops)| reads("sequential", MIB, depth, iops));
    assert_eq!(array(&stopped, json!({})).verdict, Verdict::Poor);
}

/// The founding case of the review: 50,000 I/Os per second asked of an array that does 200,000 at depth 32 and 9,000 at 1.
#[test]
fn a_demand_is_held_against_the_best_depth_and_not_against_one_in_flight() {
    let steps = [(1, 9_000.0), (8, 70_000.0), (32, 200_000.0)]
        .map(|(depth, iops)| reads("random", 8192, depth, iops))
        .to_vec();
    let demand = |io: f64| json!({"demand": {"source": "awr.html", "read_io_per_s": io, "read_bytes_per_s": io * 8192.0}});
    let enough = array(&steps, demand(50_000.0));
    assert_ne!(enough.verdict, Verdict::Poor, "{:?}", enough.paths);
    assert_eq!(severity(&enough, "demand-exceeds-storage"), None);
    assert!(enough.passed.iter().any(|code| code == "demand-exceeds-storage"));
    // Still growing at the last depth: 300,000 may be there.
    let open = array(&steps, demand(300_000.0));
    assert_ne!(open.verdict, Verdict::Poor, "{:?}", open.paths);
    assert!(open.unknowns.iter().any(|unknown| unknown.code == "demand-exceeds-storage"));
}

#[test]
fn a_demand_that_the_driven_storage_cannot_meet_is_poor_and_critical() {
    let steps = [(1, 1_000.0), (8, 5_000.0), (32, 5_200.0)]
        .map(|(depth, iops)| reads("random", 8192, depth, iops))
        .to_vec();
    let demand =
        json!({"demand": {"source": "awr.html", "read_io_per_s": 9e3, "read_bytes_per_s": 9e3 * 8192.0}});
    let assessment = array(&steps, demand);
    assert_eq!((assessment.verdict, assessment.paths[0].verdict), (Verdict::Poor, Verdict::Poor));
    assert_eq!(severity(&assessment, "demand-exceeds-storage"), Some(Severity::Critical));
    assert!((assessment.paths[0].demand_share.unwrap() - 5_200.0 / 9_000.0).abs() < 1e-9);
}

#[test]
fn blocks_of_another_size_do_not_show_a_demand() {
    let steps =
        [(1, 500.0), (8, 900.0), (32, 910.0)].map(|(depth, iops)| reads("random", MIB, depth, iops)).to_vec();
    let demand =
        json!({"demand": {"source": "awr.html", "read_io_per_s": 9e3, "read_bytes_per_s": 9e3 * 8192.0}});
    let assessment = array(&steps, demand);
    assert!(assessment.paths[0].measurements.iter().all(|one| one.demand.is_none()));
    assert_eq!(severity(&assessment, "demand-exceeds-storage"), None);
}
