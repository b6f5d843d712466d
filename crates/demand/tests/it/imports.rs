//! What other tools recorded, over the sample set. Expected values were read from the files by eye: the printed
//! number, times the unit of its column.

use crate::reports::sample;
use crate::skips::given;
use fullwire_demand::DateOrder;
use fullwire_demand::import::{Imported, Options, detect_and_read};
use fullwire_model::demand::ImportedSeries;

const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;
const SECTOR: f64 = 512.0;
const MS: f64 = 1e6;

/// Area, subject, metric, the record (`#n`, or its time), value.
type Value = (&'static str, &'static str, &'static str, &'static str, f64);

/// A file of the sample set, the date order that it must be given, and what is in it.
type File = (&'static str, Option<DateOrder>, &'static [Value]);

const MDY: Option<DateOrder> = Some(DateOrder::MonthDayYear);

const IOSTAT: &[File] = &[
    (
        "iostat/iostat-compact-sysstat12.txt",
        None,
        &[
            ("disk", "sdq", "read_io_per_s", "#0", 6.42),
            ("disk", "sdq", "read_await_ns", "#0", 9.50 * MS),
            ("disk", "sdq", "discard_bytes_per_s", "#0", 16.04 * KIB),
            ("disk", "sdr", "util_ratio", "#0", 0.0642),
            ("cpu", "all", "nice_ratio", "#0", 0.1250),
        ],
    ),
    (
        "iostat/iostat-human-sysstat12.txt",
        None,
        &[
            ("disk", "sda", "io_per_s", "#0", 8.59),
            ("disk", "sda", "read_bytes_per_s", "#0", 222.1 * KIB),
            ("disk", "sdq", "discard_bytes_per_s", "#0", 25.2 * KIB),
            ("cpu", "all", "nice_ratio", "#0", 0.399),
        ],
    ),
    (
        "iostat/iostat-json-sysstat12-x-pALL.json",
        None,
        &[
            ("disk", "sdq", "read_io_per_s", "#0", 6.42),
            ("disk", "sdr", "write_bytes_per_s", "#0", 16.04 * KIB),
            ("disk", "sdr", "write_await_ns", "#0", 40.0 * MS),
            ("disk", "sdr", "read_merged_ratio", "#0", 0.5),
            ("disk", "sdr", "util_ratio", "#0", 0.0642),
            ("cpu", "all", "nice_ratio", "#0", 0.1250),
        ],
    ),
    (
        "iostat/iostat-mx-sysstat12-ubuntu20.txt",
        None,
        &[
            ("disk", "dm-0", "read_bytes_per_s", "#0", 0.10 * MIB),
            ("disk", "sda", "write_io_per_s", "#0", 2.80),
            ("disk", "sda", "write_request_mean_bytes", "#0", 45.83 * KIB),
            ("disk", "sda", "util_ratio", "#0", 0.0041),
            ("cpu", "all", "idle_ratio", "#0", 0.9910),
        ],
    ),
    (
        "iostat/iostat-p-ALL-sysstat9.txt",
        None,
        &[
            ("disk", "sda", "read_bytes_per_s", "#0", 0.0),
            ("disk", "sda", "write_bytes_per_s", "#0", 128.0 * SECTOR),
            ("disk", "sdb", "io_per_s", "#0", 9.33),
        ],
    ),
    (
        "iostat/iostat-plain-sysstat10-centos7.txt",
        None,
        &[("disk", "sda", "io_per_s", "#0", 0.0), ("cpu", "all", "idle_ratio", "#0", 1.0)],
    ),
    (
        "iostat/iostat-tx-rhel5-sysstat7.txt",
        MDY,
        &[
            ("disk", "sda", "await_ns", "2014-10-07T15:49:59", 0.0),
            ("disk", "sdb", "write_io_per_s", "2014-10-07T15:51:01", 0.0),
        ],
    ),
    (
        "iostat/iostat-txm-2015b.txt",
        None,
        &[
            ("disk", "sda", "write_io_per_s", "2015-03-24T16:46:07", 6.0),
            ("disk", "sda", "write_bytes_per_s", "2015-03-24T16:46:07", 0.05 * MIB),
            ("disk", "sda", "write_request_mean_bytes", "#0", 4.32 * KIB),
            ("disk", "sda", "write_await_ns", "#2", 0.05 * MS),
            ("cpu", "all", "system_ratio", "2015-03-24T16:46:07", 0.0006),
        ],
    ),
    (
        "iostat/iostat-txm-2019.txt",
        None,
        &[
            ("disk", "sda", "write_io_per_s", "2019-03-14T00:42:29", 2.20),
            ("disk", "sdc", "read_bytes_per_s", "2019-03-14T00:42:29", 2.0 * MIB),
            ("disk", "sdc", "read_await_ns", "2019-03-14T00:42:34", 1.20 * MS),
            ("disk", "rhel72_perf48-root", "write_request_mean_bytes", "2019-03-14T00:42:29", 6.46 * KIB),
        ],
    ),
    (
        "iostat/iostat-x-ALL-sysstat12.txt",
        None,
        &[
            ("disk", "sdq", "read_request_mean_bytes", "#0", 1.23 * KIB),
            ("disk", "sdr", "write_merged_ratio", "#0", 0.6667),
            ("disk", "sdq", "discard_await_ns", "#0", 20.0 * MS),
        ],
    ),
    (
        "iostat/iostat-x-sysstat10-centos7.txt",
        None,
        &[
            ("disk", "sda", "read_await_ns", "#0", 0.53 * MS),
            ("disk", "sda", "write_await_ns", "#0", 1.29 * MS),
            ("disk", "sda", "request_mean_bytes", "#0", 52.53 * SECTOR),
            ("disk", "dm-0", "write_io_per_s", "#0", 0.13),
        ],
    ),
    (
        "iostat/iostat-x-sysstat11-ubuntu18.txt",
        None,
        &[
            ("disk", "sda", "read_io_per_s", "#0", 127.92),
            ("disk", "sda", "write_bytes_per_s", "#0", 12_457.33 * KIB),
            ("disk", "sda", "queue_mean", "#0", 0.79),
            ("disk", "sda", "util_ratio", "#0", 0.1514),
            ("disk", "scd0", "read_request_mean_bytes", "#0", 22.52 * KIB),
        ],
    ),
    (
        "iostat/iostat-x-sysstat9.txt",
        None,
        &[
            ("disk", "sdb", "await_ns", "#0", 4.36 * MS),
            ("disk", "sdb", "write_bytes_per_s", "#0", 754.82 * SECTOR),
            ("disk", "sdb", "request_mean_bytes", "#0", 69.09 * SECTOR),
            ("cpu", "all", "user_ratio", "#0", 0.8538),
        ],
    ),
    (
        "iostat/iostat-xs-sysstat12.txt",
        None,
        &[
            ("disk", "sdq", "bytes_per_s", "#0", 23.90 * KIB),
            ("disk", "sdr", "await_ns", "#0", 15.33 * MS),
            ("disk", "sdq", "request_mean_bytes", "#0", 2.48 * KIB),
            ("disk", "sdd", "await_ns", "#0", 55.08 * MS),
        ],
    ),
    (
        "oswatcher/oswiostat_dm02cel01_12.02.29.1100.dat",
        None,
        &[
            ("disk", "sda", "write_io_per_s", "2012-02-29T11:01:57", 8.98),
            ("disk", "sda", "await_ns", "2012-02-29T11:02:12", 2.85 * MS),
        ],
    ),
];

const SAR: &[File] = &[
    (
        "mpstat/mpstat-A-centos7.txt",
        MDY,
        &[
            ("cpu", "all", "idle_ratio", "2022-03-11T15:15:06", 0.9940),
            ("cpu", "0", "system_ratio", "2022-03-11T15:15:06", 0.0037),
        ],
    ),
    (
        "sar/sar-A-12.0.2-sles12.txt",
        None,
        &[
            ("cpu", "3", "user_ratio", "2018-12-18T00:10:01", 0.0103),
            ("cpu", "all", "idle_ratio", "2018-12-18T00:20:01", 0.9773),
            ("system", "", "context_switches_per_s", "2018-12-18T00:10:01", 6271.61),
            ("memory", "", "paged_in_bytes_per_s", "2018-12-18T00:10:01", 2639.61 * KIB),
            ("memory", "", "free_bytes", "2018-12-18T00:10:01", 353_290_704.0 * KIB),
            ("system", "", "read_bytes_per_s", "2018-12-18T00:10:01", 5279.23 * SECTOR),
            ("disk", "dev8-48", "await_ns", "2018-12-18T00:10:01", 2.08 * MS),
            ("disk", "dev8-48", "read_bytes_per_s", "2018-12-18T00:10:01", 2548.78 * KIB),
            ("nic", "eth1", "tx_bytes_per_s", "2018-12-18T00:10:01", 61.75 * KIB),
            // After the restart.
            ("memory", "", "paged_in_bytes_per_s", "2018-12-18T14:10:01", 0.56 * KIB),
            ("system", "", "processes_per_s", "2018-12-18T14:20:01", 11.20),
        ],
    ),
    (
        "sar/sar-A-1cpu-pbench.txt",
        None,
        &[
            ("nic", "eth0", "rx_packets_per_s", "2016-02-17T08:49:59", 0.33),
            ("disk", "dev252-0", "await_ns", "2016-02-17T08:49:59", 1.69 * MS),
            ("disk", "dev252-0", "read_bytes_per_s", "2016-02-17T08:49:59", 580.60 * SECTOR),
            ("disk", "dev252-0", "request_mean_bytes", "2016-02-17T08:49:59", 12.31 * SECTOR),
            ("memory", "", "major_faults_per_s", "2016-02-17T08:49:59", 0.33),
            ("system", "", "context_switches_per_s", "2016-02-17T08:50:02", 91.95),
        ],
    ),
    (
        "sar/sar-A-fedora20-pbench.txt",
        None,
        &[
            ("disk", "dev8-0", "util_ratio", "2015-02-25T17:48:52", 0.9107),
            ("disk", "dev8-0", "queue_mean", "2015-02-25T17:48:52", 42.81),
            ("disk", "dev8-0", "write_bytes_per_s", "2015-02-25T17:48:52", 27_522.67 * SECTOR),
            ("system", "", "blocked", "2015-02-25T17:48:52", 30.0),
            ("cpu", "all", "iowait_ratio", "2015-02-25T17:48:52", 0.2982),
            ("nic", "vnet0", "rx_bytes_per_s", "2015-02-25T17:48:52", 2.47 * KIB),
            ("system", "", "write_io_per_s", "2015-02-25T17:48:55", 247.67),
        ],
    ),
    (
        "sar/sar-A-sysstat12-expected.txt",
        MDY,
        &[
            ("disk", "sdq", "discard_bytes_per_s", "2020-06-01T12:53:21", 16.04 * KIB),
            ("disk", "sdq", "await_ns", "2020-06-01T12:53:21", 13.0 * MS),
            ("memory", "", "free_bytes", "2020-06-01T12:53:21", 1_437_740.0 * KIB),
            ("system", "", "io_per_s", "2020-06-01T12:53:22", 56.63),
        ],
    ),
    (
        "sar/sar-pretty-sysstat12.txt",
        None,
        &[
            ("disk", "sda", "io_per_s", "2019-04-18T13:20:39", 1604.70),
            ("disk", "sda", "read_bytes_per_s", "2019-04-18T13:20:39", 41_499.97 * KIB),
            ("disk", "sda", "util_ratio", "2019-04-18T13:20:39", 0.8536),
            ("disk", "sdb", "await_ns", "2019-04-18T13:20:29", 47.0 * MS),
        ],
    ),
    (
        "sar/sar-u-sysstat12.txt",
        None,
        &[
            ("cpu", "3", "user_ratio", "2019-04-18T13:20:49", 0.3164),
            ("cpu", "all", "steal_ratio", "2019-04-18T13:20:49", 0.0039),
            ("cpu", "all", "iowait_ratio", "2019-04-18T13:20:29", 0.0048),
        ],
    ),
    (
        "sadf/sadf-j-sysstat12.json",
        None,
        &[
            ("nic", "wlp5s0", "rx_bytes_per_s", "2019-04-18T13:20:19", 0.31 * KIB),
            ("disk", "sdr", "await_ns", "2019-04-18T13:20:19", 15.33 * MS),
            ("disk", "sdr", "write_bytes_per_s", "2019-04-18T13:20:19", 16.04 * KIB),
            ("disk", "sdq", "discard_bytes_per_s", "2019-04-18T13:20:19", 16.04 * KIB),
            ("system", "", "io_per_s", "2019-04-18T13:20:19", 20.85),
            ("memory", "", "free_bytes", "2019-04-18T13:20:19", 1_437_740.0 * KIB),
            ("cpu", "all", "nice_ratio", "2019-04-18T13:20:19", 0.1250),
        ],
    ),
    (
        "sadf/sadf-dh-sysstat12.csv",
        None,
        &[
            ("cpu", "all", "user_ratio", "2019-04-18T13:20:49", 0.0621),
            ("cpu", "3", "user_ratio", "2019-04-18T13:20:49", 0.3164),
            ("cpu", "all", "idle_ratio", "2019-04-18T13:20:29", 0.9531),
        ],
    ),
];

const OTHERS: &[File] = &[
    (
        "vmstat/vmstat-1-long-ubuntu18.txt",
        None,
        &[
            ("system", "", "write_bytes_per_s", "#14", 24.0 * KIB),
            ("system", "", "context_switches_per_s", "#0", 96.0),
            ("cpu", "all", "system_ratio", "#0", 0.01),
            ("memory", "", "free_bytes", "#0", 763_388.0 * KIB),
            ("system", "", "interrupts_per_s", "#0", 57.0),
        ],
    ),
    (
        "vmstat/vmstat-centos7.txt",
        None,
        &[
            ("memory", "", "free_bytes", "#0", 2_794_468.0 * KIB),
            ("system", "", "write_bytes_per_s", "#0", 3.0 * KIB),
            ("system", "", "runnable", "#0", 2.0),
        ],
    ),
    (
        "vmstat/vmstat-nat-wide-pbench.txt",
        None,
        &[
            ("system", "", "read_bytes_per_s", "2015-02-19T19:26:20", 26_575.0 * KIB),
            ("system", "", "context_switches_per_s", "2015-02-19T19:26:20", 16_095.0),
            ("cpu", "all", "iowait_ratio", "2015-02-19T19:26:20", 0.12),
            ("memory", "", "inactive_bytes", "2015-02-19T19:25:20", 2_013_332.0 * KIB),
            ("system", "", "read_bytes_per_s", "2015-02-19T20:09:20", 106_671.0 * KIB),
        ],
    ),
    (
        "vmstat/vmstat-w-centos7.txt",
        None,
        &[
            ("memory", "", "free_bytes", "#0", 2_794_484.0 * KIB),
            ("memory", "", "cached_bytes", "#0", 741_208.0 * KIB),
            ("cpu", "all", "idle_ratio", "#0", 0.99),
        ],
    ),
    (
        "nfsiostat/nfsiostat-efs-excerpt.txt",
        None,
        &[
            ("nfs", "", "io_per_s", "#0", 2.81),
            ("nfs", "write", "io_per_s", "#0", 2.266),
            ("nfs", "write", "bytes_per_s", "#0", 2284.646 * KIB),
            ("nfs", "write", "request_mean_bytes", "#0", 1008.283 * KIB),
            ("nfs", "write", "rtt_ns", "#0", 129.606 * MS),
            ("nfs", "write", "await_ns", "#0", 356.155 * MS),
        ],
    ),
];

fn import(name: &str, date_order: Option<DateOrder>) -> Option<Imported> {
    let (_, bytes) = sample(name)?;
    let read = detect_and_read(&bytes, name, Options { date_order, ..Options::default() });
    Some(read.unwrap_or_else(|error| panic!("{error}")))
}

/// The value of a record of a series.
fn at(series: &ImportedSeries, value: &Value) -> Option<f64> {
    let (area, subject, metric, record, _) = *value;
    let found = series
        .series
        .iter()
        .find(|one| one.area == area && one.subject == subject && one.metric == metric)?;
    let sample = match record.strip_prefix('#') {
        Some(index) => found.samples.get(index.parse::<usize>().ok()?)?,
        None => found.samples.iter().find(|sample| sample.at.is_some_and(|at| at.to_string() == record))?,
    };
    Some(sample.value)
}

fn check(files: &[File]) {
    let mut wrong = Vec::new();
    for (name, order, values) in files {
        let Some(imported) = import(name, *order) else { continue };
        assert_eq!(imported.series.len(), 1, "{name}");
        for value in *values {
            let found = at(&imported.series[0], value);
            if !found.is_some_and(|found| (found - value.4).abs() <= value.4.abs() * 1e-9) {
                wrong.push(format!("{name}: {value:?}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_iostat_says_what_the_eye_reads() {
    check(IOSTAT);
}

#[test]
fn every_sar_and_sadf_says_what_the_eye_reads() {
    check(SAR);
}

#[test]
fn every_vmstat_and_nfsiostat_says_what_the_eye_reads() {
    check(OTHERS);
}

#[test]
fn what_must_be_refused_is_refused_with_its_line() {
    const REFUSED: [(&str, &str); 2] = [
        (
            "sar/sar-AIX-7.2-head3000.txt",
            ":2: sar output of a system other than Linux (\"AIX tacora1 2 7 00F93CFF4C00    04/20/20\") is not \
             supported",
        ),
        (
            "sadf/sadf-d-11.6.5.csv",
            ": sadf's heading without any supported figures: export the same file with sadf -j FILE -- -A",
        ),
    ];
    for (name, expected) in REFUSED {
        let Some((_, bytes)) = sample(name) else { continue };
        let error = detect_and_read(&bytes, name, Options::default()).unwrap_err();
        if let Some(what) = expected.strip_prefix(": ") {
            assert_eq!(error.what, what, "{name}");
        } else {
            assert_eq!(error.to_string(), format!("{name}{expected}"));
        }
    }
}

#[test]
fn means_since_boot_are_left_out_and_said_when_they_are_all_there_is() {
    // The file, the tool, and whether it holds nothing else.
    for (name, order, tool, all) in [
        ("iostat/iostat-mx-sysstat12-ubuntu20.txt", None, "iostat", true),
        ("iostat/iostat-x-sysstat11-ubuntu18.txt", None, "iostat", true),
        ("vmstat/vmstat-centos7.txt", None, "vmstat", true),
        ("mpstat/mpstat-A-centos7.txt", MDY, "mpstat", true),
        ("nfsiostat/nfsiostat-efs-excerpt.txt", None, "nfsiostat", true),
        ("iostat/iostat-txm-2019.txt", None, "iostat", false),
        ("iostat/iostat-json-sysstat12-x-pALL.json", None, "iostat", false),
        ("oswatcher/oswiostat_dm02cel01_12.02.29.1100.dat", None, "oswatcher iostat", false),
        ("sar/sar-u-sysstat12.txt", None, "sar", false),
    ] {
        let Some(imported) = import(name, order) else { continue };
        let file = &imported.series[0];
        assert_eq!((file.tool.as_str(), file.first_since_boot), (tool, all), "{name}");
        let said = file.gaps.iter().any(|gap| gap.subject == "intervals");
        assert_eq!(said, all, "{name}: {:?}", file.gaps);
    }
}

#[test]
fn sections_that_are_not_read_are_named() {
    let imported = given!(import("sar/sar-A-12.0.2-sles12.txt", None));
    let gap = imported.series[0].gaps.iter().find(|gap| gap.subject == "sections").expect("a gap");
    assert_eq!(gap.detail, "not read: CPU frequencies, interrupts");
}

#[test]
fn restarts_and_zones_are_told() {
    for (name, restarts) in [
        ("sar/sar-A-12.0.2-sles12.txt", "restarted once"),
        ("sar/sar-pretty-sysstat12.txt", "restarted 2 times"),
        ("sadf/sadf-dh-sysstat12.csv", "restarted 2 times"),
    ] {
        let Some(imported) = import(name, None) else { continue };
        let gaps = &imported.series[0].gaps;
        assert!(gaps.iter().any(|gap| gap.detail.contains(restarts)), "{name}: {gaps:?}");
    }
    for (name, clock) in [
        ("vmstat/vmstat-nat-wide-pbench.txt", "EST"),
        ("sadf/sadf-j-sysstat12.json", "UTC"),
        ("sadf/sadf-dh-sysstat12.csv", "UTC"),
        ("sar/sar-u-sysstat12.txt", "local"),
        ("oswatcher/oswiostat_dm02cel01_12.02.29.1100.dat", "EST"),
    ] {
        let Some(imported) = import(name, None) else { continue };
        assert_eq!(imported.series[0].clock, clock, "{name}");
    }
}
