//! Files of other tools: judged as live runs are, in documents that keep their schema.

use crate::tool::{Desk, json, stderr, stdout};
use std::path::{Path, PathBuf};

/// A file of the sample set.
fn sample(name: &str) -> Option<PathBuf> {
    crate::skips::shared(&format!("samples/{name}"))
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

/// The same disk with dates of which day and month cannot be told apart, on a twelve-hour clock.
fn ambiguous() -> String {
    let text = slow_disk().replace("2026-11-22 ", "03/04/2026 ").replace("+0100\n", " AM\n");
    text.replace("2026-11-22T", "03/04/2026 ")
}

#[test]
fn dates_of_two_meanings_are_decided_by_the_file_and_read_as_told() {
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("iostat.txt"), ambiguous()).unwrap();
    let import = |order: &[&str]| {
        desk.run(
            &[&["import", "iostat.txt", "--no-store", "--spans", "--json", "--fail-on", "never"], order]
                .concat(),
        )
    };
    // A clock of twelve hours is that of a country with the month first.
    assert_eq!(json(&import(&[]))["spans"][0]["from"], "2026-03-04T02:01:35");
    for (order, begin) in [("dmy", "2026-04-03T02:01:35"), ("mdy", "2026-03-04T02:01:35")] {
        let document = json(&import(&["--date-order", order]));
        assert_eq!(document["spans"][0]["from"], begin, "{order}");
    }
    let impossible = import(&["--date-order", "ymd"]);
    assert!(!stdout(&impossible).contains("2003-04"), "{}", stdout(&impossible));
    assert_eq!(import(&["--date-order", "dym"]).status.code(), Some(2));
}

/// A report of half an hour whose redo rate is given, MB/s.
fn report(desk: &Desk, name: &str, (begin, end): (&str, &str), redo: u64) {
    let specimen = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demand/tests/specimens/awr-10g.txt");
    let text = std::fs::read_to_string(specimen).unwrap();
    // The load profile and the statistics, which must tell the same.
    let figures = [
        ("09:30:25", begin.to_owned()),
        ("10:00:27", end.to_owned()),
        ("1,404,511.22", format!("{redo},000,000.00")),
        ("1,404,511.2", format!("{redo},000,000.0")),
        ("2,529,805,610", (redo * 1_800_000_000).to_string()),
    ];
    let text = figures.iter().fold(text, |text, (old, new)| text.replace(old, new));
    std::fs::write(desk.work.path().join(name), text).unwrap();
}

#[test]
fn reports_make_a_trend_with_the_time_of_each_and_an_hour_only_where_there_is_one() {
    let desk = Desk::new();
    report(&desk, "first.txt", ("09:30:25", "10:00:25"), 1);
    report(&desk, "second.txt", ("10:00:25", "10:30:25"), 5);
    report(&desk, "later.txt", ("14:00:25", "14:30:25"), 9);
    let keep = ["--no-store", "--fail-on", "never"];
    // Named in any order, they lie in the order of their times.
    let files = ["later.txt", "first.txt", "second.txt"];
    let text = stdout(&desk.run(&[&["awr"], &files[..], &keep].concat()));
    let text = text.split_once("Reports side by side").map_or("", |(_, trend)| trend);
    let at = |wanted: &str| text.find(wanted).unwrap_or_else(|| panic!("{wanted} is absent: {text}"));
    let rows = ["02-16 09:30", "02-16 10:00", "02-16 14:00"].map(at);
    assert!(rows.is_sorted(), "{text}");
    for (row, rate) in rows.into_iter().zip(["1", "5", "9"]) {
        let line = text[row..].lines().next().unwrap();
        let told = |word: &str| word.trim_end_matches('0').trim_end_matches('.') == rate;
        assert!(line.split_whitespace().any(told), "{rate}: {line}");
    }
    let redo = |files: &[&str]| {
        let document = desk.json(&[&["redo"], files, &keep[..], &["--json"]].concat());
        (document["peak_hour_bytes_per_s"].as_f64(), document["peak_at"].as_str().map(str::to_owned))
    };
    // Two half hours that touch are an hour; the busiest report is half of one and has no hour.
    assert_eq!(redo(&files), (Some(3e6), Some("2010-02-16T14:00:25".to_owned())));
    assert_eq!(redo(&["later.txt"]).0, None);
    assert_eq!(redo(&["first.txt", "later.txt"]).0, None);
    let text = stdout(&desk.run(&[&["redo", "first.txt", "later.txt"], &keep[..]].concat()));
    assert!(text.contains("highest mean") && !text.contains("hour "), "{text}");
}

/// One hour of OSWatcher's vmstat: in each call the record since boot and two of a full CPU.
fn archived_hour(hour: u32) -> String {
    let row = |r: u32, id: u32| {
        format!(
            "{r:2}  0      0 671088 671088 3120620    0    0   437   242  309  697 {:3}  0 {id:3}  0  0\n",
            100 - id
        )
    };
    let call = |index: u32| {
        format!(
            "zzz ***Mon Mar 30 {hour:02}:{:02}:{:02} CEST 2026\nprocs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
             r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n{}{}{}",
            index / 2,
            index % 2 * 30,
            row(1, 90),
            row(47, 0),
            row(47, 0)
        )
    };
    "Linux OSWbb v8.4.0  db1\nSNAP_INTERVAL 30\nCPU_COUNT 8\n".to_owned()
        + &(0..20).map(call).collect::<String>()
}

#[test]
fn an_archive_of_oswatcher_is_read_as_a_folder() {
    let desk = Desk::new();
    let file = |folder: &str, name: &str, text: &str| {
        let folder = desk.work.path().join("archive").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), text).unwrap();
    };
    file("oswvmstat", "db1_vmstat_26.03.30.0100.dat", &archived_hour(1));
    file("oswvmstat", "db1_vmstat_26.03.30.0200.dat", &archived_hour(2));
    file(
        "oswtop",
        "db1_top_26.03.30.0100.dat",
        "zzz ***Mon Mar 30 01:00:11 CEST 2026\ntop - 01:00:11 up 2 days\n",
    );
    let text = stdout(&desk.run(&["import", "archive", "--no-store"]));
    assert!(text.contains("cpu-saturated") && text.contains("on 8 CPUs"), "{text}");
    assert!(
        text.contains("oswatcher vmstat on db1, 2026-03-30 01:00:01 to 02:09:32 (CEST), 80 records"),
        "{text}"
    );
    assert_eq!(text.matches("not read: top").count(), 1, "{text}");
    assert!(!text.contains("malformed"), "{text}");
    let none = desk.run(&["import", ".", "--no-store", "--json"]);
    assert!(none.status.success() || none.status.code() == Some(1), "{}", stderr(&none));
    std::fs::create_dir(desk.work.path().join("empty")).unwrap();
    let empty = stderr(&desk.run(&["import", "empty", "--no-store"]));
    assert!(empty.contains("name the files"), "{empty}");
}
