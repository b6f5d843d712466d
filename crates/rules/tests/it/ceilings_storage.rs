//! Ceilings of storage paths: each with a figure computed by hand.

use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Ceiling, Verdict};
use fullwire_model::quantity::Unit;
use fullwire_rules::assess;
use serde_json::{Value, json};

fn judged(run: &Value) -> Assessment {
    let run: Run = serde_json::from_value(run.clone()).unwrap();
    assess(&run)
}

#[track_caller]
fn ceiling<'a>(assessment: &'a Assessment, kind: &str) -> &'a Ceiling {
    let of_kind: Vec<&Ceiling> = assessment.ceilings.iter().filter(|one| one.kind == kind).collect();
    assert_eq!(of_kind.len(), 1, "{kind}: {:?}", assessment.ceilings);
    of_kind[0]
}

fn none(assessment: &Assessment, kind: &str) -> bool {
    assessment.ceilings.iter().all(|one| one.kind != kind)
}

#[track_caller]
fn near(ceiling: &Ceiling, expected: f64) {
    let off = (ceiling.value / expected - 1.0).abs();
    assert!(off < 1e-4, "{} is {}, not {expected}", ceiling.kind, ceiling.value);
}

/// A sequential step of 1 MiB with eight in flight.
fn sequential(operation: &str, bytes_per_s: f64) -> Value {
    json!({"operation": operation, "pattern": "sequential", "block_bytes": 1_048_576, "queue_depth": 8, "threads": 1,
           "ios": 5000, "iops": bytes_per_s / 1_048_576.0, "throughput_bytes_per_s": bytes_per_s,
           "latency_ns": {"count": 5000, "mean": 2e6}})
}

/// The same with half in flight, as fast: more in flight gives no more.
fn driven(operation: &str, bytes_per_s: f64) -> Vec<Value> {
    let mut less = sequential(operation, 0.95 * bytes_per_s);
    less["queue_depth"] = json!(4);
    vec![less, sequential(operation, bytes_per_s)]
}

/// Random I/Os of 8 KiB.
fn random(operation: &str, depth: u32, iops: f64, latency_ns: f64) -> Value {
    json!({"operation": operation, "pattern": "random", "block_bytes": 8192, "queue_depth": depth, "threads": 1,
           "ios": 5000, "iops": iops, "throughput_bytes_per_s": iops * 8192.0,
           "latency_ns": {"count": 5000, "mean": latency_ns}})
}

fn measured(host: Value, device: &str, steps: Vec<Value>) -> Value {
    let mut run = json!({"disk": [{"target": "/data", "device": device}]});
    run["host"] = host;
    run["disk"][0]["steps"] = Value::Array(steps);
    run
}

fn nvme(os: &Value) -> Value {
    let controller = json!({"name": "nvme0", "transport": "pcie", "state": "live",
        "pcie": {"speed_gt_per_s": 8.0, "width": 4, "max_speed_gt_per_s": 8.0, "max_width": 4}});
    json!({"os": os, "disks": [{"name": "nvme0n1", "kind": "disk", "transport": "pcie",
                                "nvme": {"controllers": [controller]}}]})
}

#[test]
fn a_slot_says_nothing_of_the_medium_in_it() {
    let at = |rate: f64| judged(&measured(nvme(&json!({})), "nvme0n1", driven("read", rate)));
    // 3.9385 GB/s of line, 256 of 280 bytes payload.
    let slot = at(2.2e9);
    near(ceiling(&slot, "pcie-link"), 3.938_461_5e9 * 256.0 / 280.0);
    assert!(ceiling(&slot, "pcie-link").bound_only);
    assert_eq!(slot.verdict, Verdict::Unknown, "{:?}", slot.paths);
    // 3.5 of 3.6 GB/s: the slot is full.
    let full = at(3.5e9);
    assert_eq!((full.verdict, full.bottleneck.code.as_str()), (Verdict::FullWire, "pcie-link"));
    let guest = judged(&measured(nvme(&json!({"virtualization": "kvm"})), "nvme0n1", driven("read", 3.5e9)));
    assert!(ceiling(&guest, "pcie-link").soft);
    assert_eq!(guest.verdict, Verdict::Unknown);
}

/// Two disks behind two ports of one Fibre Channel adapter.
fn fibre(operation: &str, rate: f64) -> Assessment {
    let slot = json!({"speed_gt_per_s": 8.0, "width": 8, "max_speed_gt_per_s": 8.0, "max_width": 8});
    let port = |name: &str| json!({"name": name, "port_state": "Online", "speed_gbit_per_s": 16.0, "supported_gbit_per_s": 16.0, "pcie": slot});
    let path = |name: &str, host: u32| {
        json!({"name": name, "kind": "disk", "transport": "fc",
               "controller": {"address": format!("0000:05:00.{}", host - 5)},
               "scsi": {"address": format!("{host}:0:0:1"), "queue_depth": 32, "host_can_queue": 40}})
    };
    let map = json!({"name": "dm-0", "kind": "multipath", "slaves": ["sda", "sdb"]});
    let host =
        json!({"fc_hosts": [port("host5"), port("host6")], "disks": [map, path("sda", 5), path("sdb", 6)]});
    judged(&measured(host, "dm-0", driven(operation, rate)))
}

#[test]
fn fibre_channel_holds_reads_and_estimates_writes() {
    let reads = fibre("read", 3.1e9);
    near(ceiling(&reads, "fc-link"), 3.2e9);
    assert_eq!(reads.verdict, Verdict::FullWire);
    let writes = fibre("write", 1.5e9);
    assert!(ceiling(&writes, "fc-link").soft);
    assert_ne!(writes.verdict, Verdict::Poor, "{:?}", writes.paths);
    // Both ports sit in one slot: 7.877 GB/s of line, 256 of 280 bytes payload.
    near(ceiling(&reads, "pcie-link"), 7.876_923e9 * 256.0 / 280.0);
}

#[test]
fn nvme_over_fibre_channel_is_bound_by_its_host_ports() {
    let controller = json!({"name": "nvme1", "transport": "fc", "state": "live",
        "address": "traddr=nn-0x200a00a098:pn-0x201100a098,host_traddr=nn-0x20000024ff:pn-0x21000024ff"});
    let host = json!({
        "fc_hosts": [{"name": "host5", "port_name": "0x21000024ff", "speed_gbit_per_s": 32.0},
                     {"name": "host6", "port_name": "0x21000024aa", "speed_gbit_per_s": 32.0}],
        "disks": [{"name": "nvme1n1", "kind": "disk", "transport": "nvme-fc", "nvme": {"controllers": [controller]}}],
    });
    let assessment = judged(&measured(host, "nvme1n1", driven("read", 1e9)));
    near(ceiling(&assessment, "fc-link"), 3.2e9);
}

/// NFS over a bond of two links of 10 Gbit/s with eight connections.
fn filer(operation: &str, address: &str, nic: &Value) -> Assessment {
    let member = |name: &str| json!({"name": name, "mii_status": "up", "speed_mbit_per_s": 10_000});
    let mut bond = json!({"name": "bond0", "kind": "bond", "mtu_bytes": 9000});
    for (key, value) in nic.as_object().unwrap() {
        bond[key] = value.clone();
    }
    let port =
        |name: &str| json!({"name": name, "kind": "physical", "speed_mbit_per_s": 10_000, "mtu_bytes": 9000});
    let run = json!({
        "host": {
            "nics": [bond, port("p0"), port("p1")],
            "bonds": [{"name": "bond0", "mode": "802.3ad", "xmit_hash_policy": "layer2+3",
                       "slaves": [member("p0"), member("p1")]}],
            "routes": [{"destination": address, "interface": "bond0", "looked_up": true}],
            "mounts": [{"target": "/data", "fs_type": "nfs4", "nfs": {"address": address, "version": "4.1",
                        "protocol": "tcp", "nconnect": 8, "rsize_bytes": 262_144, "wsize_bytes": 262_144}}],
        },
        "disk": [{"target": "/data", "mount_point": "/data", "steps": driven(operation, 1e9)}],
    });
    judged(&run)
}

#[test]
fn a_filers_bond_sends_by_policy_and_receives_by_the_switch() {
    // 8948 of 9038 bytes, less 1 % of RPC.
    let link = 1.25e9 * 8948.0 / 9038.0 * 0.99;
    let writes = filer("write", "10.0.0.9", &json!({}));
    near(ceiling(&writes, "nfs-goodput"), link);
    assert!(!ceiling(&writes, "nfs-goodput").soft);
    let reads = filer("read", "10.0.0.9", &json!({}));
    near(ceiling(&reads, "nfs-goodput"), 2.0 * link);
    assert!(ceiling(&reads, "nfs-goodput").soft);
}

#[test]
fn the_filers_packets_follow_address_path_mtu_and_tags() {
    let v6 = filer("write", "fd00::9", &json!({}));
    near(ceiling(&v6, "nfs-goodput"), 1.25e9 * 8928.0 / 9038.0 * 0.99);
    let tagged = filer("write", "10.0.0.9", &json!({"vlan_id": 7, "mtu_bytes": 1500}));
    near(ceiling(&tagged, "nfs-goodput"), 1.25e9 * 1448.0 / 1542.0 * 0.99);
}

#[test]
fn queues_of_disks_and_adapters() {
    // Little: 8 commands at 0.5 ms are 16,000 a second; an adapter that takes 12 for two disks 24,000.
    let disk = |name: &str, host: u32| {
        json!({"name": name, "kind": "disk", "transport": "sas",
               "scsi": {"address": format!("{host}:0:0:1"), "queue_depth": 8, "host_can_queue": 12}})
    };
    let steps = vec![random("read", 1, 2000.0, 0.5e6), random("read", 64, 12_000.0, 5e6)];
    let one = judged(&measured(json!({"disks": [disk("sda", 1)]}), "sda", steps.clone()));
    near(ceiling(&one, "queue-depth"), 16_000.0);
    near(ceiling(&one, "adapter-queue"), 24_000.0);
    let map = json!({"name": "dm-0", "kind": "multipath", "slaves": ["sda", "sdb"]});
    let both = |second: u32| {
        let host = json!({"disks": [map, disk("sda", 1), disk("sdb", second)]});
        judged(&measured(host, "dm-0", steps.clone()))
    };
    near(ceiling(&both(1), "queue-depth"), 32_000.0);
    near(ceiling(&both(1), "adapter-queue"), 24_000.0);
    near(ceiling(&both(2), "adapter-queue"), 48_000.0);
    // A path in reserve queues nothing.
    let group = |state: &str, path: &str| json!({"state": state, "paths": [{"device": path}]});
    let paths = json!([{"device": "dm-0", "groups": [group("active", "sda"), group("enabled", "sdb")]}]);
    let host = json!({"disks": [map, disk("sda", 1), disk("sdb", 2)], "multipath": paths});
    near(ceiling(&judged(&measured(host, "dm-0", steps.clone())), "queue-depth"), 16_000.0);
    let queue = ceiling(&one, "adapter-queue");
    assert!(queue.soft && queue.removable && queue.unit == Unit::IoPerS);
    // Little of the step itself: 12,000 a second at 5 ms are 60 in flight.
    let mean = queue.derivation.inputs.iter().find(|input| input.name == "in_flight_mean").unwrap();
    assert!((mean.value - 60.0).abs() < 1e-9);
}

#[test]
fn requests_of_virtio_and_nvme() {
    let disk = |nvme: Value| {
        json!({"name": "vda", "kind": "disk", "transport": "virtio", "nvme": nvme,
               "queue": {"nr_requests": 128, "hardware_queues": 4}})
    };
    let at = |disk: &Value, threads: u32| {
        let mut deep = random("read", 256, 100_000.0, 5e6);
        deep["threads"] = json!(threads);
        let steps = vec![random("read", 1, 5000.0, 0.2e6), deep];
        judged(&measured(json!({"disks": [disk]}), "vda", steps))
    };
    // One thread uses one of the four queues: 128 at 0.2 ms.
    near(ceiling(&at(&disk(json!(null)), 1), "request-slots"), 640_000.0);
    near(ceiling(&at(&disk(json!(null)), 2), "request-slots"), 1_280_000.0);
    let slots = json!({"controllers": [{"name": "nvme0", "transport": "pcie", "queue_slots": 31}]});
    near(ceiling(&at(&disk(slots), 1), "request-slots"), 155_000.0);
}

#[test]
fn slots_of_nfs() {
    let at = |nfs: Value, sysctls: Value, block: u64| {
        let mut steps = vec![random("read", 1, 1000.0, 1e6), random("read", 256, 40_000.0, 6e6)];
        for step in &mut steps {
            step["block_bytes"] = json!(block);
        }
        judged(&json!({
            "host": {"sysctls": sysctls, "mounts": [{"target": "/data", "fs_type": "nfs", "nfs": nfs}]},
            "disk": [{"target": "/data", "mount_point": "/data", "steps": steps}],
        }))
    };
    let nfs = |version: &str, nconnect: u32| json!({"version": version, "nconnect": nconnect, "address": "10.0.0.9", "rsize_bytes": 65_536});
    // One session, however many connections: 64 at 1 ms. Of 256 KiB each takes four calls.
    near(ceiling(&at(nfs("4.1", 8), json!({}), 8192), "nfs-slots"), 64_000.0);
    near(ceiling(&at(nfs("4.1", 8), json!({}), 262_144), "nfs-slots"), 16_000.0);
    let slots = json!({"sunrpc.tcp_max_slot_table_entries": "16"});
    near(ceiling(&at(nfs("3", 4), slots.clone(), 8192), "nfs-slots"), 64_000.0);
    near(ceiling(&at(nfs("3", 1), slots, 8192), "nfs-slots"), 16_000.0);
    assert!(none(&at(nfs("3", 1), json!({}), 8192), "nfs-slots"));
}

/// Four disks of 1 TB as an array of a level.
fn array(level: &str, step: Value, working_set: u64) -> Assessment {
    let names = ["sda", "sdb", "sdc", "sdd"];
    let mut disks: Vec<Value> = names
        .iter()
        .map(|name| {
            json!({"name": name, "kind": "disk", "transport": "sas", "size_bytes": 1_000_000_000_000_u64,
                           "queue": {"rotational": true}})
        })
        .collect();
    disks
        .push(json!({"name": "md0", "kind": "md", "slaves": names, "md": {"level": level, "raid_disks": 4}}));
    let mut run = measured(json!({"disks": disks}), "md0", vec![step]);
    run["disk"][0]["working_set_bytes"] = json!(working_set);
    judged(&run)
}

#[test]
fn spindles_of_an_array() {
    const WIDE: u64 = 1_000_000_000_000;
    // 6.8 ms each are 147.06 a second; four of them, a write of RAID 5 takes four.
    near(ceiling(&array("raid5", random("read", 4, 300.0, 8e6), WIDE), "spindles"), 4.0 * 1000.0 / 6.8);
    near(ceiling(&array("raid5", random("write", 4, 100.0, 8e6), WIDE), "spindles"), 1000.0 / 6.8);
    near(ceiling(&array("raid10", random("write", 4, 100.0, 8e6), WIDE), "spindles"), 2.0 * 1000.0 / 6.8);
    let mut mixed = random("mixed", 4, 100.0, 8e6);
    mixed["read_share"] = json!(0.7);
    near(ceiling(&array("raid10", mixed, WIDE), "spindles"), 4.0 * 1000.0 / 6.8 / 1.3);
    // On a few tracks they do not seek, and with more in flight than disks they reorder.
    assert!(none(&array("raid5", random("read", 4, 300.0, 8e6), WIDE / 1000), "spindles"));
    assert!(none(&array("raid5", random("read", 32, 900.0, 8e6), WIDE), "spindles"));
}

#[test]
fn what_a_volume_is_declared_to_do_carries_the_verdict() {
    let run = |iops: f64, rate: f64| {
        let mut steps = driven("read", rate);
        steps.extend([
            random("read", 1, 900.0, 1.1e6),
            random("read", 16, iops, 5e6),
            random("read", 32, iops, 10e6),
        ]);
        let mut run = measured(json!({"os": {"virtualization": "kvm"}}), "vda", steps);
        run["command"] = json!({"expect_disk": {"io_per_s": 3000.0, "bytes_per_s": 125e6}});
        judged(&run)
    };
    let full = run(2990.0, 124e6);
    assert_eq!((full.verdict, full.bottleneck.code.as_str()), (Verdict::FullWire, "declared-disk"));
    let declared: Vec<(f64, Unit)> = full
        .ceilings
        .iter()
        .filter(|one| one.kind == "declared-disk")
        .map(|one| (one.value, one.unit))
        .collect();
    assert_eq!(declared, [(125e6, Unit::BytesPerS), (3000.0, Unit::IoPerS)]);
    let poor = run(2990.0, 60e6);
    assert_eq!(poor.verdict, Verdict::Poor, "{:?}", poor.paths);
}

#[test]
fn one_in_flight_falls_short_of_no_declared_rate() {
    let at = |iops: f64| {
        let mut run = measured(json!({}), "vda", vec![random("write", 1, iops, 1e9 / iops)]);
        run["command"] = json!({"expect_disk": {"io_per_s": 3000.0}});
        judged(&run)
    };
    assert!(ceiling(&at(900.0), "declared-disk").bound_only);
    assert_eq!(at(900.0).verdict, Verdict::Unknown);
    assert_eq!(at(2950.0).verdict, Verdict::FullWire);
}

#[test]
fn links_over_ethernet() {
    // 10 Gbit/s, 1448 of 1538 bytes, less 1 % of headers of the protocol.
    let link = 1.25e9 * 1448.0 / 1538.0 * 0.99;
    let network = json!({
        "nics": [{"name": "p0", "kind": "physical", "speed_mbit_per_s": 10_000, "mtu_bytes": 1500}],
        "routes": [{"destination": "10.0.0.9", "interface": "p0", "looked_up": true}],
    });
    let mut iscsi = network.clone();
    iscsi["disks"] = json!([{"name": "sda", "kind": "disk", "transport": "iscsi"}]);
    iscsi["iscsi_sessions"] = json!([{"name": "session1", "portal": "10.0.0.9:3260", "disks": ["sda"]}]);
    near(ceiling(&judged(&measured(iscsi, "sda", driven("read", 1e9))), "iscsi-goodput"), link);
    let mut nvme = network;
    let controller = json!({"name": "nvme1", "transport": "tcp", "address": "traddr=10.0.0.9,trsvcid=4420"});
    nvme["disks"] = json!([{"name": "nvme1n1", "kind": "disk", "nvme": {"controllers": [controller]}}]);
    near(ceiling(&judged(&measured(nvme, "nvme1n1", driven("read", 1e9))), "nvme-of-goodput"), link);
}

#[test]
fn lanes_requests_limits_and_flushes() {
    let disk = json!({"name": "sda", "number": "8:0", "kind": "disk", "transport": "sata",
                      "queue": {"rotational": false, "max_request_bytes": 524_288}});
    let group = json!({"path": "/db", "io_max": {"8:0": {"read_io_per_s": 500}}});
    let host = json!({"disks": [disk], "cgroups": [group]});
    let mut split = sequential("read", 104_857_600.0);
    split["requests_per_io"] = json!(2.0);
    let read = judged(&measured(host.clone(), "sda", vec![split]));
    // 6 Gbit/s with eight of ten bits; 200 requests per second of 512 KiB.
    near(ceiling(&read, "serial-lane"), 600e6);
    near(ceiling(&read, "request-size"), 104_857_600.0);
    // The throttle counts both requests of an I/O.
    near(ceiling(&read, "io-max"), 250.0);
    let mut durable = random("write", 1, 49.0, 20e6);
    durable["sync"] = json!("fdatasync");
    let mut run = measured(host, "sda", vec![durable]);
    run["disk"][0]["generator_io_per_s"] = json!(1e6);
    run["disk"][0]["steps"][0]["threads"] = json!(1);
    let write = judged(&run);
    near(ceiling(&write, "durable-write"), 50.0);
    near(ceiling(&write, "generator"), 1e6);
}

#[test]
fn a_figure_scatters_as_its_repeats_do() {
    let seen = |command: &str, noise: Value| {
        let step = json!({"operation": "read", "pattern": "random", "block_bytes": 8192, "ios": 100, "iops": 100.0,
                          "throughput_bytes_per_s": 819_200.0, "noise": noise});
        let run = json!({"command": {"name": command}, "disk": [{"target": "/data/f", "steps": [step]}]});
        judged(&run).paths[0].measurements[0].noise()
    };
    let near = |noise: Option<f64>, expected: f64| assert!((noise.unwrap() - expected).abs() < 1e-9);
    assert_eq!(seen("disk", Value::Null), None);
    near(seen("disk", json!(0.04)), 0.04);
    near(seen("import", json!(0.2)), 0.2);
    near(seen("import", json!(0.005)), 0.005);
    assert_eq!(seen("import", Value::Null), None);
}

/// Half of a stripe's bytes pass the disk whose control group lets 7 MB/s of reads through.
#[test]
fn a_limit_of_bytes_on_one_disk_of_a_stripe_holds_its_share() {
    let leg = |name: &str, number: &str| json!({"name": name, "number": number, "kind": "disk", "holders": ["dm-0"]});
    let host = json!({
        "disks": [{"name": "dm-0", "number": "254:0", "kind": "lvm", "slaves": ["sda", "sdb"]}, leg("sda", "8:0"), leg("sdb", "8:16")],
        "cgroups": [{"path": "/db", "io_max": {"8:16": {"read_bytes_per_s": 7_000_000}}}],
    });
    let mut read = sequential("read", 13.9e6);
    let layer = |name: &str, bytes_per_s: f64| json!({"name": name, "iops": bytes_per_s / 1e6, "bytes_per_s": bytes_per_s, "await_ns": 6e6});
    read["layers"] = json!([layer("dm-0", 13.9e6), layer("sda", 6.95e6), layer("sdb", 6.95e6)]);
    near(ceiling(&judged(&measured(host, "dm-0", vec![read])), "io-max"), 14e6);
}
