//! Where the time of an I/O goes decides which of two causes is named, and what is left without it.

use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Cause, Role, Verdict};
use fullwire_rules::assess;
use serde_json::{Value, json};

/// A step of random reads of 8 KiB with the layers below: name, requests a second, ms of each.
fn step(depth: u64, io_per_s: u64, layers: &[(&str, f64, f64)]) -> Value {
    let ns = depth * 1_000_000_000 / io_per_s;
    let layers: Vec<Value> = layers
        .iter()
        .map(|(name, iops, ms)| json!({ "name": name, "iops": iops, "await_ns": ms * 1e6, "queue_mean": iops * ms / 1e3 }))
        .collect();
    json!({
        "profile": "quick", "operation": "read", "pattern": "random", "block_bytes": 8192, "queue_depth": depth,
        "threads": 1, "direct": true, "ios": io_per_s, "duration_s": 1.0, "iops": io_per_s,
        "throughput_bytes_per_s": io_per_s * 8192, "requests_per_io": 1.0,
        "latency_ns": { "count": io_per_s, "mean": ns, "p50": ns, "p90": ns, "p99": ns, "max": ns },
        "layers": layers
    })
}

/// Two disks below one device, and a group of the database that hits its CPU quota in nine periods of ten.
fn run(kind: &str, disk: &Value, steps: &[Value]) -> Run {
    let throttled = |periods, throttled| json!([{ "path": "/database", "nr_periods": periods, "nr_throttled": throttled, "throttled_us": throttled * 50_000 }]);
    let counted = |ios, ms: [u64; 2]| json!({ "sda": { "reads": ios, "read_ms": ms[0] }, "sdb": { "reads": ios, "read_ms": ms[1] } });
    let mut disks = vec![json!({ "name": "dm-0", "kind": kind, "slaves": ["sda", "sdb"] })];
    for name in ["sda", "sdb"] {
        let mut own = disk.clone();
        own["name"] = json!(name);
        own["holders"] = json!(["dm-0"]);
        disks.push(own);
    }
    let run = json!({
        "host": {
            "disks": disks,
            "cgroups": [{ "path": "/database", "cpu_quota": 0.15 }],
            "multipath": if kind == "multipath" { json!([{ "name": "mpatha", "device": "dm-0", "groups": [
                { "selector": "round-robin 0", "paths": [{ "device": "sda" }, { "device": "sdb" }] }] }]) } else { json!([]) }
        },
        "disk": [{ "target": "/data", "device": "dm-0", "steps": steps }],
        "windows": [{
            "kind": "disk", "subject": "/data",
            "from": { "monotonic_ns": 0, "cgroups": throttled(0, 0), "disks": counted(0, [0, 0]) },
            "to": { "monotonic_ns": 5_000_000_000_u64, "cgroups": throttled(50, 45), "disks": counted(500, [4_000, 34_000]) }
        }]
    });
    serde_json::from_value(run).expect("a run")
}

fn primary(assessment: &Assessment) -> &Cause {
    let causes = assessment.paths.iter().flat_map(|path| &path.causes);
    causes.into_iter().find(|cause| cause.role == Role::Primary).expect("a cause")
}

/// Half of the reads take 8 ms, the others 69: 38 ms on average, all of it in the devices, so that the quota costs nothing.
#[test]
fn a_slow_path_is_named_and_a_quota_that_no_io_waits_for_is_not() {
    let layers = [("dm-0", 26.0, 38.4), ("sda", 13.0, 8.0), ("sdb", 13.0, 68.8)];
    let assessment = assess(&run("multipath", &json!({ "kind": "disk" }), &[step(1, 26, &layers)]));
    let cause = primary(&assessment);
    assert_eq!((cause.code.as_str(), cause.subject.as_str()), ("multipath-slow-path", "sdb"));
    // Without it each read takes 8 ms.
    let after = cause.after.as_ref().expect("a promise").value;
    assert!((after - 125.0).abs() < 5.0, "{after}");
    let quota = assessment.paths[0].causes.iter().find(|cause| cause.code == "cgroup-cpu-quota");
    assert!(quota.is_none_or(|cause| cause.role == Role::Next), "{quota:?}");
}

/// Of 72 reads of 300 ms a third waits for the first to come or the last to go: what an I/O spends in the devices is a share of
/// its own time, not of the plan's 32.
#[test]
fn a_step_of_few_slow_reads_waits_for_no_cpu_at_its_ends() {
    let layers = [("dm-0", 72.0, 299.0), ("sda", 36.0, 299.0), ("sdb", 36.0, 299.0)];
    let mut deep = step(32, 72, &layers);
    deep["latency_ns"]["mean"] = json!(300_000_000);
    let assessment = assess(&run("multipath", &json!({ "kind": "disk" }), &[deep]));
    let quota = assessment.paths[0].causes.iter().find(|cause| cause.code == "cgroup-cpu-quota");
    assert!(quota.is_none_or(|cause| cause.role == Role::Next), "{quota:?}");
}

/// Eight hundred small reads take 5 ms on both paths, a few requests of another kind 110 ms more on one of them: its siblings
/// answer these at once, and in the mean over all kinds it would be no twice as slow as they are.
#[test]
fn a_path_that_is_slow_for_one_kind_of_request_alone_is_named() {
    let both = |rate: f64, slow_ms: f64| {
        [("dm-0", 2.0 * rate, 2.5 + slow_ms / 2.0), ("sda", rate, 5.0), ("sdb", rate, slow_ms)]
    };
    let judged = |operation: &str, bytes: u64, slow_ms: f64| {
        let mut other = step(1, 15, &both(7.5, slow_ms));
        other["operation"] = json!(operation);
        other["block_bytes"] = json!(bytes);
        other["duration_s"] = json!(1.5);
        other["throughput_bytes_per_s"] = json!(15 * bytes);
        let mut small = step(1, 200, &both(100.0, 5.2));
        small["ios"] = json!(800);
        small["duration_s"] = json!(4.0);
        let mut run = run("multipath", &json!({ "kind": "disk" }), &[small, other]);
        run.windows.clear();
        assess(&run)
    };
    let named = |operation: &str, bytes: u64, slow_ms: f64| {
        let causes = judged(operation, bytes, slow_ms).paths.remove(0).causes;
        let slow = causes.into_iter().find(|cause| cause.code == "multipath-slow-path");
        slow.map(|cause| (cause.role, cause.subject))
    };
    let slow = Some((Role::Primary, "sdb".to_owned()));
    assert_eq!([named("read", 1 << 20, 115.0), named("write", 8192, 115.0)], [slow.clone(), slow]);
    // Alike on both, it is the device, and each is named.
    let alike = judged("read", 1 << 20, 6.0);
    assert!(alike.findings.iter().all(|finding| finding.code != "multipath-slow-path"));
}

/// Writes are cut into pieces of 8 KiB, reads are not: what reads reach has another cause.
#[test]
fn a_small_wsize_explains_no_read() {
    let explained = |sizes: [u64; 2]| {
        let mut large = step(8, 600, &[]);
        large["pattern"] = json!("sequential");
        large["block_bytes"] = json!(1 << 20);
        let run: Run = serde_json::from_value(json!({
            "host": { "mounts": [{ "target": "/data", "fs_type": "nfs", "source": "nas:/data",
                "nfs": { "version": "3", "rsize_bytes": sizes[0], "wsize_bytes": sizes[1] } }] },
            "disk": [{ "target": "/data", "mount_point": "/data", "steps": [large] }]
        }))
        .expect("a run");
        let found = assess(&run).findings.into_iter().find(|one| one.code == "nfs-transfer-size");
        found.expect("small pieces").explains.len()
    };
    assert_eq!((explained([1 << 20, 8192]), explained([8192, 1 << 20])), (0, 1));
}

/// Each I/O takes 5 ms in the devices and 40 on the whole: the program waits for its CPU.
#[test]
fn a_quota_is_named_where_the_time_is_spent_above_the_devices() {
    let layers = [("dm-0", 800.0, 5.0), ("sda", 400.0, 5.0), ("sdb", 400.0, 5.0)];
    let steps = [step(32, 800, &layers)];
    let mut run = run("lvm", &json!({ "kind": "disk" }), &steps);
    assert_eq!(primary(&assess(&run)).code, "cgroup-cpu-quota");
    // Counted, it hardly was without one.
    run.disk[0].steps[0].thread_wait = Some(0.09);
    let counted = assess(&run);
    let quota = counted.paths[0].causes.iter().find(|cause| cause.code == "cgroup-cpu-quota");
    assert!(quota.is_none_or(|cause| cause.role != Role::Primary), "{quota:?}");
}

/// Two disks with room for 4 requests each let twice 4 through, and 32 in flight would be 8 times as many as one alone.
#[test]
fn queues_of_disks_side_by_side_are_one_cause() {
    let layers = [("dm-0", 1360.0, 23.5), ("sda", 680.0, 5.8), ("sdb", 680.0, 5.8)];
    let disk = json!({ "kind": "disk", "queue": { "nr_requests": 4 }, "scsi": { "queue_depth": 32 } });
    let mut run = run("md", &disk, &[step(32, 1360, &layers)]);
    run.windows.clear();
    let assessment = assess(&run);
    let cause = primary(&assessment);
    assert_eq!(cause.code, "queue-depth-limit");
    let after = cause.after.as_ref().expect("a promise").value;
    assert!((after - 32.0 / 5.8e-3).abs() < 10.0, "{after}");
}

/// Sixty-four parts of each read wait for one another in the client: in one piece it would hardly wait. What fits into one
/// request is cut by no size.
#[test]
fn parts_of_one_read_wait_for_no_slot() {
    let large = json!({ "operation": "read", "pattern": "sequential", "block_bytes": 1 << 20, "queue_depth": 8, "threads": 1,
        "direct": true, "ios": 600, "duration_s": 1.0, "iops": 600.0, "throughput_bytes_per_s": 6e8, "requests_per_io": 64.0,
        "latency_ns": { "count": 600, "mean": 13e6, "p50": 13_000_000, "p90": 14_000_000 }, "probe": 2 });
    let mut small = step(8, 3600, &[]);
    small["probe"] = json!(1);
    let window = |probe: u64, queue_ms: u64, rtt_ms: u64| {
        let after = json!({ "READ": { "operations": 1000, "queue_ms": queue_ms, "rtt_ms": rtt_ms } });
        json!({ "kind": "disk", "subject": "/data", "probe": probe,
            "from": { "monotonic_ns": 0, "nfs": { "/data": { "operations": { "READ": {} } } } },
            "to": { "monotonic_ns": 1_000_000_000_u64, "nfs": { "/data": { "operations": after } } } })
    };
    let nfs = json!({ "version": "3", "nconnect": 1, "rsize_bytes": 16384, "wsize_bytes": 16384 });
    let run = |windows: [Value; 2]| {
        let run = json!({
            "host": { "mounts": [{ "target": "/data", "fs_type": "nfs", "nfs": nfs }] },
            "disk": [{ "target": "/data", "mount_point": "/data", "steps": [small.clone(), large.clone()] }],
            "windows": windows
        });
        assess(&serde_json::from_value(run).expect("a run"))
    };
    let causes = |assessment: &Assessment, id: &str| -> Vec<String> {
        let mut of = assessment.paths[0].measurements.iter().filter(|one| one.id.to_string().contains(id));
        of.next().expect("a measurement").causes.clone()
    };
    let split = run([window(1, 100, 1_500), window(2, 71_600, 70_800)]);
    assert_eq!(causes(&split, "read 1M").first().map(String::as_str), Some("nfs-transfer-size"));
    assert!(
        !causes(&split, "read 8k").contains(&"nfs-transfer-size".to_owned()),
        "{:?}",
        causes(&split, "read 8k")
    );
    assert!(
        split.paths[0].causes.iter().all(|cause| cause.code != "nfs-queue-time"),
        "{:?}",
        split.paths[0].causes
    );
    let waiting = run([window(1, 7_000, 1_500), window(2, 71_600, 70_800)]);
    assert!(
        causes(&waiting, "read 8k").contains(&"nfs-queue-time".to_owned()),
        "{:?}",
        causes(&waiting, "read 8k")
    );
}

/// Another program keeps six writes of 4 KiB in flight, and the disk serves 32 at a time as fast as one: nobody waits for
/// another. Scans share its bytes with 2.7 MB/s.
#[test]
fn another_program_costs_nothing_where_the_device_serves_all_at_once() {
    let loaded = |depth: u64, io_per_s: u64, all: f64| {
        let mut step = step(depth, io_per_s, &[("sda", all, 5.0)]);
        step["foreign_bytes_per_s"] = json!(2.7e6);
        step
    };
    let mut run = run(
        "lvm",
        &json!({ "kind": "disk" }),
        &[loaded(1, 190, 1400.0), loaded(8, 1520, 2700.0), loaded(32, 6000, 7200.0)],
    );
    let idle = json!([{
        "kind": "idle",
        "from": { "monotonic_ns": 0, "disks": { "sda": { "reads": 0, "read_bytes": 0 } } },
        "to": { "monotonic_ns": 1_000_000_000, "disks": { "sda": { "reads": 1000, "read_bytes": 2_700_000 } } }
    }]);
    run.windows = serde_json::from_value(idle).expect("windows");
    let assessment = assess(&run);
    let finding = assessment.findings.iter().find(|one| one.code == "foreign-load").expect("a finding");
    let shares: Vec<f64> = finding.explains.iter().map(|one| one.active_share.expect("a share")).collect();
    assert_eq!(shares[..2], [0.0, 0.0], "{shares:?}");
    assert!(shares[2] < 0.2, "{shares:?}");
    assert!(finding.message.contains("(2.7 MB/s, 1000 I/Os per second)"), "{}", finding.message);
}

/// Others keep eight reads of 1 MiB in flight at a volume of 88 MB/s: each of ours waits behind them, at every depth as long as
/// alone. What they had before and what a scan gets beside them come to more than the volume gives, but the disk counted no more.
#[test]
fn others_that_fill_a_limit_of_bytes_cost_small_reads_all_their_time() {
    let loaded = |depth: u64, io_per_s: u64, own: f64| {
        let mut step = step(depth, io_per_s, &[("sda", io_per_s as f64 + 85.0, 95.0)]);
        step["latency_ns"] = json!({ "count": 50, "p50": 95_000_000, "mean": 95e6 });
        step["throughput_bytes_per_s"] = json!(own);
        step["foreign_bytes_per_s"] = json!(89e6);
        step["layers"][0]["bytes_per_s"] = json!(88e6);
        step["layers"][0]["queue_mean"] = json!(depth as f64 + 8.0);
        step
    };
    let mut scan = loaded(32, 62, 65e6);
    scan["block_bytes"] = json!(1 << 20);
    let mut run =
        run("lvm", &json!({ "kind": "disk" }), &[loaded(1, 11, 87e3), loaded(32, 337, 2.8e6), scan]);
    run.windows.clear();
    let assessment = assess(&run);
    let finding = assessment.findings.iter().find(|one| one.code == "foreign-load").expect("a finding");
    let shares: Vec<f64> = finding.explains.iter().map(|one| one.active_share.expect("a share")).collect();
    assert!(shares[0] > 0.95 && shares[1] > 0.9 && shares[2] < 0.4, "{shares:?}");
}

/// The probe's pause tells bytes and no requests: those of an idle window before it are none of them.
#[test]
fn bytes_of_others_in_a_pause_stand_without_the_requests_of_another_span() {
    let mut step = step(8, 1520, &[("sda", 2700.0, 5.0)]);
    step["foreign_bytes_per_s"] = json!(522.7e6);
    let mut run = run("lvm", &json!({ "kind": "disk" }), &[step]);
    let idle = json!([{
        "kind": "idle",
        "from": { "monotonic_ns": 0, "disks": { "sda": { "reads": 0, "read_bytes": 0 } } },
        "to": { "monotonic_ns": 1_000_000_000, "disks": { "sda": { "reads": 0, "read_bytes": 0 } } }
    }]);
    run.windows = serde_json::from_value(idle).expect("windows");
    let assessment = assess(&run);
    let finding = assessment.findings.iter().find(|one| one.code == "foreign-load").expect("a finding");
    assert!(finding.message.contains("(522.7 MB/s): the result"), "{}", finding.message);
    assert_eq!(finding.evidence[0].source, "/proc/diskstats, the pause before the steps");
}

/// A test left a delay in the volume's map: its disk answers in 5 ms, and each read takes 30.
#[test]
fn a_map_that_takes_the_time_is_named_and_its_disks_are_not() {
    let at = |depth: u64, io_per_s: u64, leaf_ms: f64| {
        let all = io_per_s as f64;
        step(depth, io_per_s, &[("dm-0", all, 30.0), ("sda", all, leaf_ms)])
    };
    let named = |leaf_ms: f64| {
        let mut run = run("lvm", &json!({ "kind": "disk" }), &[at(1, 33, leaf_ms), at(8, 265, leaf_ms)]);
        run.host.disks[0].dm =
            serde_json::from_value(json!({ "targets": [{ "kind": "delay" }] })).expect("a map");
        run.host.cgroups.clear();
        run.windows.clear();
        let assessment = assess(&run);
        let finding =
            assessment.findings.into_iter().find(|one| one.code == "device-slow").expect("it is slow");
        (finding.subject, assessment.verdict)
    };
    assert_eq!(named(5.0), ("dm-0".to_owned(), Verdict::Poor));
    assert_eq!(named(29.0), ("sda".to_owned(), Verdict::Poor));
}

/// Each half of a mirror gives 43 MB/s. One large read at a time gets one half of it, eight get both: a limit of bytes, and no
/// device that takes 25 ms for a request.
#[test]
fn a_large_read_alone_is_held_by_what_holds_several() {
    let large = |depth: u64, io_per_s: u64, ms: f64| {
        let half = io_per_s as f64 / 2.0;
        let mut step =
            step(depth, io_per_s, &[("dm-0", 2.0 * half, ms), ("sda", half, ms), ("sdb", half, ms)]);
        step["pattern"] = json!("sequential");
        step["block_bytes"] = json!(1 << 20);
        step["throughput_bytes_per_s"] = json!(io_per_s << 20);
        step
    };
    let at = |deep: u64| {
        let small = [
            step(1, 162, &[("dm-0", 162.0, 6.1), ("sda", 162.0, 6.1)]),
            step(8, 1240, &[("dm-0", 1240.0, 6.2), ("sda", 620.0, 6.2), ("sdb", 620.0, 6.2)]),
        ];
        let ms = |depth: f64| depth * 1e3 / deep as f64;
        let large = [large(1, 39, 25.6), large(8, deep, ms(8.0)), large(32, deep, ms(32.0))];
        let mut run = run("raid1", &json!({ "kind": "disk" }), &[&small[..], &large[..]].concat());
        run.host.cgroups.clear();
        run.windows.clear();
        let assessment = assess(&run);
        let causes = &assessment.paths[0].measurements[2].causes;
        causes.first().cloned().expect("a cause")
    };
    assert_eq!(at(72), "rate-plateau");
    assert_eq!(at(300), "device-slow", "several get far more: each takes its time");
}

/// Another program keeps four reads in flight. One read at a time gets a fifth of the disk and waits for the others; of 36
/// requests in flight 32 are ours, and without the others we would have an eighth more.
#[test]
fn another_program_explains_the_figures_of_which_it_has_a_large_part() {
    let loaded = |depth: u64, io_per_s: u64, ms: f64, all: f64| step(depth, io_per_s, &[("sda", all, ms)]);
    let mut run =
        run("lvm", &json!({ "kind": "disk" }), &[loaded(1, 50, 20.0, 250.0), loaded(32, 356, 90.0, 400.0)]);
    let idle = json!([{
        "kind": "idle",
        "from": { "monotonic_ns": 0, "disks": { "sda": { "reads": 0, "read_bytes": 0 } } },
        "to": { "monotonic_ns": 1_000_000_000, "disks": { "sda": { "reads": 250, "read_bytes": 262_144_000_u64 } } }
    }]);
    run.windows = serde_json::from_value(idle).expect("windows");
    let assessment = assess(&run);
    let measured = &assessment.paths[0].measurements;
    let blames = |at: usize| measured[at].causes.iter().any(|code| code == "foreign-load");
    assert_eq!([blames(0), blames(1)], [true, false], "{measured:?}");
    let finding = assessment.findings.iter().find(|one| one.code == "foreign-load").expect("a finding");
    let shares: Vec<f64> = finding.explains.iter().map(|one| one.active_share.expect("a share")).collect();
    assert!((shares[0] - 0.8).abs() < 1e-9 && (shares[1] - 0.11).abs() < 0.01, "{shares:?}");
}

/// Two reads in flight take 20 ms each at the disk, beside 400 writes a second of another program that take 1 ms: of 2.4
/// requests at the disk 2 are the step's. The mean over both kinds, 4.8 ms, would leave it 0.48 of them.
#[test]
fn quick_writes_of_others_do_not_hide_that_the_disk_is_busy_with_ours() {
    let share = |apart: bool| {
        let mut read = step(2, 100, &[("sda", 500.0, 4.8)]);
        read["foreign_bytes_per_s"] = json!(3_276_800);
        if apart {
            let layer = &mut read["layers"][0];
            layer["read_iops"] = json!(100.0);
            layer["read_await_ns"] = json!(20e6);
            layer["write_await_ns"] = json!(1e6);
        }
        let run: Run = serde_json::from_value(json!({
            "host": { "disks": [{ "name": "sda", "kind": "disk" }] },
            "disk": [{ "target": "/data", "device": "sda", "steps": [read] }]
        }))
        .expect("a run");
        let found = assess(&run).findings.into_iter().find(|one| one.code == "foreign-load");
        found.expect("the others").explains[0].active_share.expect("a share")
    };
    let [apart, together] = [share(true), share(false)];
    assert!((apart - 1.0 / 6.0).abs() < 0.01, "{apart}");
    assert!((together - 0.8).abs() < 0.01, "{together}: a run of an earlier version");
}

/// Eight commits a second of a stripe whose second disk flushes in 115.9 ms: each write takes 2.2 ms, the flush of the first disk
/// 0.56 ms. Without it 3.1 ms are left of 118.4.
#[test]
fn a_leg_that_is_slow_to_flush_costs_a_commit_the_flush_and_not_the_write() {
    let layers = [("dm-0", 17.17, 56.3), ("sda", 17.17, 1.42), ("sdb", 8.13, 115.9)];
    let mut commit = step(1, 8, &layers);
    let ns = 118_450_000;
    commit["operation"] = json!("write");
    commit["pattern"] = json!("sequential");
    commit["sync"] = json!("fdatasync");
    commit["ios"] = json!(9);
    commit["iops"] = json!(8.43);
    commit["throughput_bytes_per_s"] = json!(8.43 * 8192.0);
    commit["latency_ns"] = json!({ "count": 9, "mean": ns, "p50": ns, "p90": ns, "p99": ns, "max": ns });
    for (layer, ms) in [(1, 0.556), (2, 115.9)] {
        commit["layers"][layer]["flushes_per_s"] = json!(8.13);
        commit["layers"][layer]["flush_await_ns"] = json!(ms * 1e6);
    }
    let mut run = run("lvm", &json!({ "kind": "disk" }), &[commit]);
    run.windows.clear();
    let assessment = assess(&run);
    let cause = primary(&assessment);
    assert_eq!((cause.code.as_str(), cause.subject.as_str()), ("leg-slow", "sdb"));
    let after = cause.after.as_ref().expect("a promise").value;
    assert!((after - 1e3 / 3.1).abs() < 10.0, "{after}");
}

/// Others read large blocks beside single reads of 5.6 ms. Of 32 in flight half take no longer either, and a few stand still:
/// the storage serves them all at once, and no read waits for the others. Of writes this says nothing, unless
/// the others read as well.
#[test]
fn others_cost_a_single_read_nothing_where_as_many_more_are_served() {
    let foreign_of = |medians_us: [u64; 2], others_read: bool| {
        let mut steps = [
            step(1, 177, &[("sda", 177.0, 5.6)]),
            step(8, 500, &[("sda", 500.0, 16.0)]),
            step(32, 1545, &[("sda", 1545.0, 20.7)]),
            step(1, 450, &[("sda", 450.0, 2.1)]),
        ];
        steps[3]["operation"] = json!("write");
        if others_read {
            steps[3]["layers"][0] = json!({ "name": "sda", "iops": 2697.0, "await_ns": 4e6, "read_iops": 2247.0,
                                            "read_await_ns": 4e6, "write_await_ns": 2.1e6 });
        }
        for one in &mut steps {
            one["foreign_bytes_per_s"] = json!(294e6);
            one["layers"][0]["queue_mean"] = json!(one["queue_depth"].as_f64().unwrap_or(0.0) + 9.0);
        }
        for (step, median_us) in steps[1..].iter_mut().zip(medians_us) {
            step["latency_ns"]["p50"] = json!(median_us * 1_000);
        }
        // What a scan moves beside the others shows that the device is not full.
        steps[2]["throughput_bytes_per_s"] = json!(170e6);
        let read = |reads: u64| json!({ "sda": { "reads": reads, "read_bytes": reads * 131_072 } });
        let run = json!({
            "host": { "disks": [{ "name": "sda", "number": "8:0", "kind": "disk" }] },
            "windows": [{ "kind": "idle", "from": { "monotonic_ns": 0, "disks": read(0) },
                          "to": { "monotonic_ns": 1_000_000_000, "disks": read(2247) } }],
            "disk": [{ "target": "/data", "device": "sda", "steps": steps }]
        });
        let assessment = assess(&serde_json::from_value(run).expect("a run"));
        [0, 3].map(|at| assessment.paths[0].measurements[at].causes.iter().any(|code| code == "foreign-load"))
    };
    let foreign = |median_us: u64, others_read: bool| foreign_of([median_us; 2], others_read);
    assert_eq!([foreign(5_800, false), foreign(20_700, false)], [[false, true], [true, true]]);
    assert_eq!([foreign(5_800, true), foreign(20_700, true)], [[false, false], [true, true]]);
    // It takes 5.6 times as long as half of those that are served at once.
    assert_eq!(foreign(1_000, false), [true, true]);
    // Eight in flight take longer than 32: what they wait for is not their own load, and the single read may wait for it as well.
    assert_eq!(foreign_of([16_000, 5_800], false), [true, true]);
}

/// Mounted with `noac`: direct reads of an open file ask for no attributes, and direct writes wait for the server anyway.
#[test]
fn options_of_the_page_cache_cost_direct_ios_nothing() {
    let causes = |direct: bool| {
        let mut read = step(1, 683, &[]);
        read["direct"] = json!(direct);
        let mut write = read.clone();
        write["operation"] = json!("write");
        let run = json!({
            "host": { "mounts": [{ "target": "/data", "fs_type": "nfs", "source": "filer:/data",
                                   "options": ["rw", "noac", "sync"], "nfs": { "no_attribute_cache": true } }] },
            "disk": [{ "target": "/data", "mount_point": "/data", "steps": [read, write] }]
        });
        let assessment = assess(&serde_json::from_value(run).expect("a run"));
        let own = assessment.paths[0].measurements.iter();
        own.map(|one| one.causes.iter().filter(|code| code.starts_with("nfs-")).cloned().collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    assert_eq!(causes(true), [[""; 0]; 2]);
    let [read, write] = &causes(false)[..] else { panic!("two measurements") };
    assert_eq!(read, &["nfs-attribute-cache-off"]);
    assert_eq!(write.len(), 2, "{write:?}");
}

/// Beside another program a write takes 8.5 ms, and of a commit of 73.3 ms the flush takes 65.3. What only reads leaves a flush
/// nothing to write out; what writes does.
#[test]
fn a_flush_is_slow_by_itself_beside_others_that_only_read() {
    let of = |others_read: bool| {
        let mut steps = [
            step(1, 116, &[("sda", 566.0, 8.7)]),
            step(1, 116, &[("sda", 558.0, 8.9)]),
            step(1, 14, &[("sda", 483.0, 10.1)]),
        ];
        for (one, [reads, write_ms]) in steps.iter_mut().zip([[566.0, 0.0], [450.0, 8.5], [458.0, 36.5]]) {
            one["foreign_bytes_per_s"] = json!(243e6);
            one["layers"][0]["read_iops"] = json!(if others_read { reads } else { 0.0 });
            one["layers"][0]["read_await_ns"] = json!(8.7e6);
            one["layers"][0]["write_await_ns"] = json!(write_ms * 1e6);
            one["layers"][0]["flushes_per_s"] = json!(0.0);
        }
        steps[1]["operation"] = json!("write");
        let commit = &mut steps[2];
        commit["operation"] = json!("write");
        commit["pattern"] = json!("sequential");
        commit["sync"] = json!("fdatasync");
        commit["requests_per_io"] = json!(2.0);
        commit["latency_ns"] =
            json!({ "count": 14, "mean": 73.3e6, "p50": 73_300_000, "p90": 73_900_000, "max": 74_000_000 });
        commit["layers"][0]["flushes_per_s"] = json!(12.5);
        commit["layers"][0]["flush_await_ns"] = json!(65.3e6);
        let run = json!({ "host": { "disks": [{ "name": "sda", "number": "8:0", "kind": "disk" }] },
                          "disk": [{ "target": "/data", "device": "sda", "steps": steps }] });
        let assessment = assess(&serde_json::from_value(run).expect("a run"));
        [1, 2].map(|at| assessment.paths[0].measurements[at].causes[0].clone())
    };
    assert_eq!(of(true), ["foreign-load", "slow-flush"]);
    assert_eq!(of(false), ["foreign-load", "foreign-load"]);
}

/// A write takes 2.6 ms and a flush 1.1, beside another program that commits 85 times a second: a commit of 4.5 ms waits for the
/// other's for 0.8. Without it a commit takes as long as it takes, and no other cause is named for its own latency.
#[test]
fn a_commit_waits_for_the_commits_of_others() {
    let of = |others_flushes: u64| {
        let layer = json!({ "name": "sda", "iops": 559.0, "await_ns": 2.5e6, "write_await_ns": 2.5e6, "queue_mean": 1.7,
            "flushes_per_s": 254.0, "flush_await_ns": 1.1e6 });
        let mut steps = [(1, 163), (32, 4058), (1, 349), (1, 219)].map(|(depth, io_per_s)| {
            let mut one = step(depth, io_per_s, &[("sda", io_per_s as f64 + 250.0, 2.8)]);
            one["foreign_bytes_per_s"] = json!(1.06e6);
            one
        });
        let [_, _, write, commit] = &mut steps;
        for one in [&mut *write, &mut *commit] {
            one["operation"] = json!("write");
        }
        write["latency_ns"]["p50"] = json!(2_570_000);
        commit["pattern"] = json!("sequential");
        commit["sync"] = json!("fdatasync");
        commit["latency_ns"]["mean"] = json!(4_490_000);
        commit["layers"] = json!([layer]);
        let run: Run = serde_json::from_value(json!({
            "host": { "disks": [{ "name": "sda", "kind": "disk" }] },
            "disk": [{ "target": "/data", "device": "sda", "steps": steps }],
            "windows": [{
                "kind": "idle",
                "from": { "monotonic_ns": 0, "disks": { "sda": { "flushes": 0 } } },
                "to": { "monotonic_ns": 1_000_000_000, "disks": { "sda": {
                    "writes": 170, "write_bytes": 1_060_000, "flushes": others_flushes } } }
            }]
        }))
        .expect("a run");
        let assessment = assess(&run);
        let found = assessment.findings.iter().find(|one| one.code == "foreign-load").expect("the others");
        let share = found.explains[3].active_share.expect("a share");
        (share, assessment.paths[0].measurements[3].causes.first().cloned())
    };
    let (share, first) = of(85);
    assert!((share - 0.18).abs() < 0.02, "{share}");
    assert_eq!(first.as_deref(), Some("foreign-load"));
    let (share, first) = of(0);
    assert!(share.abs() < 1e-9, "{share}: nobody else commits");
    assert_ne!(first.as_deref(), Some("foreign-load"));
}

/// Others that sync a write after the other keep a disk busy for a part of the time: the quickest of many I/Os met none of theirs.
#[test]
fn others_that_leave_the_disk_idle_at_times_cost_no_more_than_what_is_beyond_the_quickest() {
    let share = |busy_ms: u64| {
        let mut write = step(1, 294, &[("sda", 760.0, 2.4)]);
        write["operation"] = json!("write");
        write["latency_ns"] =
            json!({ "count": 222, "min": 2_580_000, "p50": 2_920_000, "mean": 3_270_000.0 });
        write["foreign_bytes_per_s"] = json!(12.4e6);
        write["layers"][0]["queue_mean"] = json!(2.3);
        let run: Run = serde_json::from_value(json!({
            "host": { "disks": [{ "name": "sda", "kind": "disk" }] },
            "disk": [{ "target": "/data", "device": "sda", "steps": [write] }],
            "windows": [{
                "kind": "idle",
                "from": { "monotonic_ns": 0, "disks": { "sda": {} } },
                "to": { "monotonic_ns": 1_000_000_000, "disks": { "sda": {
                    "writes": 272, "write_bytes": 12_400_000, "busy_ms": busy_ms } } }
            }]
        }))
        .expect("a run");
        let found =
            assess(&run).findings.into_iter().find(|one| one.code == "foreign-load").expect("the others");
        found.explains[0].active_share.expect("a share")
    };
    assert!((share(450) - 0.211).abs() < 0.01, "{}", share(450));
    assert!(share(990) > 0.5, "one that is never idle: {}", share(990));
}
