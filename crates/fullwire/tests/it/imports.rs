//! Files of other tools: judged as live runs are, in documents that keep their schema.

use crate::tool::{Desk, json, stderr, stdout};
use std::path::PathBuf;

/// A file of the sample set.
fn sample(name: &str) -> Option<PathBuf> {
    crate::samples::shared(&format!("samples/{name}"))
}

/// `iostat -xt 5` of a disk that is quiet, then keeps two writes waiting for 156 s, then is quiet again.
fn slow_disk() -> String {
    let report = |second: usize, slow: bool| {
        let (writes, wait, queue, busy) =
            if slow { ("2.00", "156000.00", "312.00", "100.00") } else { ("50.00", "1.00", "0.05", "5.00") };
        format!(
            "2026-11-22T02:{:02}:{:02}+0100\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           \
             1.00    0.00    1.00   20.00    0.00   78.00\n\nDevice  r/s  w/s  rkB/s  wkB/s  r_await  w_await  aqu-sz  %util\n\
             sda     0.00  {writes}  0.00  8.00  0.00  {wait}  {queue}  {busy}\n\n",
            second / 60,
            second % 60
        )
    };
    let banner = "Linux 5.14.0 (db1) \t2026-11-22 \t_x86_64_\t(4 CPU)\n\n".to_owned();
    banner + &(0..60).map(|index| report(index * 5, (20..32).contains(&index))).collect::<String>()
}

#[test]
fn a_disk_that_keeps_writes_waiting_is_found_with_its_time() {
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("iostat.txt"), slow_disk()).unwrap();
    let output = desk.run(&["import", "iostat.txt", "--no-store", "--spans", "--json"]);
    assert_eq!(output.status.code(), Some(1), "a critical finding: {}", stderr(&output));
    let document = json(&output);
    let spans = document["spans"].as_array().unwrap();
    assert_eq!(spans.len(), 1, "{document}");
    let span = &spans[0];
    let facts = ["code", "subject", "from", "to", "host", "severity"].map(|key| span[key].as_str().unwrap());
    let expected =
        ["device-wait-long", "sda", "2026-11-22T02:01:35", "2026-11-22T02:02:35", "db1", "critical"];
    assert_eq!(facts, expected);
    assert_eq!(span["worst"], 156e9);
    let text = stdout(&desk.run(&["import", "iostat.txt", "--no-store"]));
    assert!(text.contains("Trouble over time") && text.contains("device-wait-long"), "{text}");
    assert!(!text.contains("await_ns"), "an internal name: {text}");
    let powers = text.split("e-").skip(1).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    assert_eq!(powers.count(), 0, "powers of ten: {text}");
}

#[test]
fn healthy_recordings_alarm_nobody() {
    let healthy = [
        "iostat/iostat-txm-2015b.txt",
        "iostat/iostat-txm-2019.txt",
        "oswatcher/oswiostat_dm02cel01_12.02.29.1100.dat",
        "sadf/sadf-j-sysstat12.json",
        "sar/sar-A-1cpu-pbench.txt",
        "sar/sar-A-12.0.2-sles12.txt",
        "sar/sar-pretty-sysstat12.txt",
        "sar/sar-u-sysstat12.txt",
        "vmstat/vmstat-1-long-ubuntu18.txt",
        "vmstat/vmstat-nat-wide-pbench.txt",
    ];
    let desk = Desk::new();
    for name in healthy {
        let Some(path) = sample(name) else { continue };
        let document = desk.json(&["import", path.to_str().unwrap(), "--no-store", "--spans", "--json"]);
        assert_eq!(document["spans"], serde_json::json!([]), "{name}");
    }
}

#[test]
fn the_document_of_every_import_keeps_its_schema() {
    let files = [
        "bonnie/bonnie-text-1.03-alastor.txt",
        "fio/fio-3.12-rand50rw.json",
        "iostat/iostat-xs-sysstat12.txt",
        "iperf3/iperf3-3.9-tcp-short.json",
        "nfsiostat/nfsiostat-efs-excerpt.txt",
        "oratcptest/oratcptest-async-client.txt",
        "sadf/sadf-dh-sysstat12.csv",
        "sar/sar-A-fedora20-pbench.txt",
        "vmstat/vmstat-centos7.txt",
    ];
    let desk = Desk::new();
    let validator = |name: &str| jsonschema::validator_for(&desk.json(&["schema", name])).unwrap();
    let (assess, spans) = (validator("assess"), validator("spans"));
    for name in files {
        let Some(path) = sample(name) else { continue };
        let path = path.to_str().unwrap();
        for (schema, extra) in [(&assess, None), (&spans, Some("--spans"))] {
            let arguments = ["import", path, "--no-store", "--json"];
            let document = desk.json(&arguments.into_iter().chain(extra).collect::<Vec<_>>());
            let wrong: Vec<String> = schema.iter_errors(&document).map(|error| format!("{error}")).collect();
            assert!(wrong.is_empty(), "{name} {extra:?}: {wrong:?}");
        }
    }
}

#[test]
fn one_bad_file_of_many_is_a_gap_and_of_one_an_error() {
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("iostat.txt"), slow_disk()).unwrap();
    std::fs::write(desk.work.path().join("noise.txt"), "no format of any tool\n").unwrap();
    let both = desk.json(&["import", "noise.txt", "iostat.txt", "--no-store", "--json"]);
    assert_eq!(both["spans"].as_array().unwrap().len(), 1);
    let gaps = both["gaps"].as_array().unwrap();
    assert!(gaps.iter().any(|gap| gap["subject"] == "noise.txt"), "{gaps:?}");
    assert_eq!(desk.run(&["import", "noise.txt", "--no-store"]).status.code(), Some(3));
}
