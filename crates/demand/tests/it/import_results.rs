//! fio, iperf3 and bonnie++ over the sample set. Expected values were read from the files by eye.

use crate::close;
use crate::reports::sample;
use crate::skips::given;
use fullwire_demand::import::{Options, detect_and_read};
use fullwire_model::disk::{DiskResult, Operation, Pattern, SmallFilesResult, Sync};
use fullwire_model::net::NetResult;

const KIB: f64 = 1024.0;
const MBYTE: f64 = 1_048_576.0;

fn disk(name: &str) -> Option<DiskResult> {
    let (_, bytes) = sample(name)?;
    let imported =
        detect_and_read(&bytes, name, Options::default()).unwrap_or_else(|error| panic!("{error}"));
    Some(imported.disk.into_iter().next().expect("a storage result"))
}

fn net(name: &str) -> Option<NetResult> {
    let (_, bytes) = sample(name)?;
    let imported =
        detect_and_read(&bytes, name, Options::default()).unwrap_or_else(|error| panic!("{error}"));
    Some(imported.net.into_iter().next().expect("a network result"))
}

/// Each job and direction of fio.
const FIO: &str = "\
file                        step  does         bytes      bytes/s          iops           mean_ns      max_ns     p99_ns
fio/fio-2.x-pkb.json        0     Write    370671616     69752832         133.0       478737470.0   869970000  823296000
fio/fio-2.x-pkb.json        1     Read     370671616    132952064         253.0       250770050.0   528583000  473088000
fio/fio-3.12-rand50rw.json  0     Read    2153283584    7402092.0    225.893944   20368555.062895  1013994271  624951296
fio/fio-3.12-rand50rw.json  1     Write   2141683712    7362217.0    224.677039   50727382.771645  1037394132  666894336
fio/fio-3.19-pbench.txt     0     Read   34249953280     396410.0     96.779410  330603717.818582  1583699000  985661440
fio/fio-3.19-pbench.txt     1     Write  34232373248     396206.0     96.729827  330857583.374680  1584492000  985661440
fio/fio-3.33-seqread.txt    0     Read    1511751680   31383676.0   7662.030309    7891233.793714   329411250   35913728
fio/fio-3.33-seqread.txt    1     Write   7761248256  161128721.0  39338.066766     902253.681286   322072443    6848512";

#[test]
fn every_fio_says_what_the_eye_reads() {
    for row in FIO.lines().skip(1) {
        let cells: Vec<&str> = row.split_whitespace().collect();
        let Some(result) = disk(cells[0]) else { continue };
        let step = &result.steps[cells[1].parse::<usize>().expect(row)];
        assert_eq!(format!("{:?}", step.operation), cells[2], "{row}");
        let (bytes, latency) = (step.bytes as f64, &step.latency_ns);
        let read = [bytes, step.throughput_bytes_per_s, step.iops, latency.mean];
        let read = read.into_iter().chain([latency.max as f64, latency.p99 as f64]);
        for (read, cell) in read.zip(&cells[3..]) {
            close(Some(read), cell.parse().expect(row), 1e-9);
        }
    }
}

#[test]
fn fio_options_are_read_from_the_job_and_from_the_global_section() {
    for (name, shape) in [
        ("fio/fio-3.12-rand50rw.json", (Pattern::Random, 32_768, 16, 1)),
        // Eight jobs without group_reporting: eight entries of one thread each.
        ("fio/fio-3.19-pbench.txt", (Pattern::Sequential, 4096, 64, 1)),
        ("fio/fio-3.33-seqread.txt", (Pattern::Sequential, 4096, 16, 1)),
    ] {
        let Some(result) = disk(name) else { continue };
        let step = &result.steps[0];
        assert_eq!((step.pattern, step.block_bytes, step.queue_depth, step.threads), shape, "{name}");
        assert!(step.direct, "{name}");
    }
}

#[test]
fn every_bonnie_says_what_the_eye_reads() {
    const MIB: u64 = 1 << 20;
    // MiB, then rates in KiB/s (seeks in 1/s) and the largest latencies in us; none where none is printed.
    type Row = (&'static str, &'static str, u64, &'static [(&'static str, f64, u64)]);
    const ROWS: [Row; 3] = [
        (
            "bonnie/bonnie-csv-1.96-pkb.csv",
            "perfkit-7b22f510-0",
            7423,
            &[
                ("put_block", 72_853.0, 512_000),
                ("rewrite", 47_358.0, 670_000),
                ("get_block", 156_821.0, 44_660),
                ("seeks", 537.7, 200_000),
            ],
        ),
        (
            "bonnie/bonnie-text-1.03-alastor.txt",
            "alastor",
            2512,
            &[
                ("put_chr", 20_736.0, 0),
                ("put_block", 55_093.0, 0),
                ("rewrite", 21_112.0, 0),
                ("get_chr", 26_385.0, 0),
                ("get_block", 55_658.0, 0),
                ("seeks", 194.9, 0),
            ],
        ),
        (
            "bonnie/bonnie-text-1.97-ceph.txt",
            "ceph-admin",
            8196,
            &[
                ("put_chr", 646.0, 12_279),
                ("put_block", 86_208.0, 1_920_000),
                ("rewrite", 44_422.0, 2_462_000),
                ("get_chr", 2027.0, 4228),
                ("get_block", 104_162.0, 41_355),
                ("seeks", 889.7, 43_431),
            ],
        ),
    ];
    for (name, host, size_mib, tests) in ROWS {
        let Some(result) = disk(name) else { continue };
        assert_eq!((result.target.as_str(), result.working_set_bytes), (host, size_mib * MIB), "{name}");
        let bonnie = result.bonnie.expect("a table");
        for (test, rate, max_us) in tests {
            let (timed, unit) = match *test {
                "put_chr" => (&bonnie.output_char, KIB),
                "put_block" => (&bonnie.output_block, KIB),
                "rewrite" => (&bonnie.rewrite, KIB),
                "get_chr" => (&bonnie.input_char, KIB),
                "get_block" => (&bonnie.input_block, KIB),
                _ => (&bonnie.seeks, 1.0),
            };
            close(timed.per_s.map(|rate| rate / unit), *rate, 1e-9);
            assert_eq!(timed.latency_max_ns, max_us * 1000, "{name} {test}");
        }
    }
}

/// Created, read and deleted, in order and at random; rates and CPU shares as they are printed, 0 where plus signs are.
#[test]
fn the_small_files_of_every_bonnie_are_read() {
    type Rates = [(f64, f64); 6];
    const ROWS: [(&str, u64, Rates); 3] = [
        (
            "bonnie/bonnie-csv-1.96-pkb.csv",
            100,
            [(49_223.0, 58.0), (0.0, 0.0), (54_405.0, 53.0), (2898.0, 97.0), (0.0, 0.0), (59_089.0, 60.0)],
        ),
        (
            "bonnie/bonnie-text-1.03-alastor.txt",
            256,
            [
                (35_990.0, 89.0),
                (227_885.0, 85.0),
                (16_877.0, 28.0),
                (34_146.0, 84.0),
                (334_227.0, 99.0),
                (5716.0, 10.0),
            ],
        ),
        (
            "bonnie/bonnie-text-1.97-ceph.txt",
            16,
            [(20_285.0, 28.0), (0.0, 0.0), (0.0, 0.0), (30_720.0, 69.0), (0.0, 0.0), (0.0, 0.0)],
        ),
    ];
    for (name, thousands, rates) in ROWS {
        let Some(result) = disk(name) else { continue };
        let bonnie = result.bonnie.expect("a table");
        assert_eq!(bonnie.sequential.plan.files, thousands * 1024, "{name}");
        let of = |one: &SmallFilesResult| {
            [&one.create, &one.read, &one.delete]
                .map(|timed| (timed.per_s.unwrap_or(0.0), (timed.cpu_share.unwrap_or(0.0) * 100.0).round()))
        };
        let read: Vec<(f64, f64)> = [&bonnie.sequential, &bonnie.random].into_iter().flat_map(of).collect();
        assert_eq!(read, rates, "{name}");
    }
}

#[test]
fn every_iperf3_says_what_the_eye_reads() {
    if let Some(result) = net("iperf3/iperf3-3.0.11-tcp-13s.json") {
        assert_eq!((result.target.as_str(), result.streams), ("iperf3://192.168.0.188:9987", 1));
        // What arrived, not what was sent.
        assert_eq!(result.bytes, 1_518_193_248);
        close(Some(result.throughput_bytes_per_s), 9.342_68e8 / 8.0, 1e-9);
        close(Some(result.duration_s), 13.0001, 1e-9);
        assert_eq!(result.intervals.len(), 13);
        let first = &result.intervals[0];
        close(Some(first.throughput_bytes_per_s), 9.500_62e8 / 8.0, 1e-9);
        assert_eq!((first.retransmits, first.cwnd_bytes, first.rtt_ns), (Some(0), Some(573_408), None));
        let tcp = result.tcp.expect("TCP");
        assert_eq!((tcp.mss_bytes, tcp.retransmits), (1448, 0));
    }
    if let Some(result) = net("iperf3/iperf3-3.9-tcp-short.json") {
        assert_eq!(result.bytes, 14_280);
        close(Some(result.throughput_bytes_per_s), 225_238.813_474_107_62 / 8.0, 1e-9);
        assert_eq!((result.path.local.as_str(), result.path.loopback), ("172.30.209.19:55964", false));
        let tcp = result.tcp.expect("TCP");
        assert_eq!((tcp.rtt_min_ns, tcp.rtt_ns, tcp.cwnd_bytes.0), (7_867_000, 7_867_000, 14_280));
        assert_eq!((tcp.sndbuf_bytes.0, tcp.congestion.as_str()), (262_144, "cubic"));
    }
}

#[test]
fn oratcptest_says_what_the_eye_reads() {
    let result = given!(net("oratcptest/oratcptest-async-client.txt"));
    assert_eq!((result.target.as_str(), result.streams, result.payload_bytes), ("10.0.2.2", 1, 1 << 20));
    close(Some(result.throughput_bytes_per_s), 149.284 * MBYTE, 1e-9);
    close(Some(result.duration_s), 10.0, 1e-9);
    let rates: Vec<f64> = result.intervals.iter().map(|one| one.throughput_bytes_per_s / MBYTE).collect();
    assert_eq!(rates, [151.234, 151.423, 151.387, 150.368, 142.243]);
    close(Some(result.intervals[1].t_s), 4.0, 1e-9);
}

/// Two clients of a server, each with its own depth and file, and fio's own total of them.
#[test]
fn clients_of_fio_stay_apart_and_keep_their_depth() {
    let job = |host: &str, name: &str, depth: &str, bytes: u64| {
        format!(
            r#"{{"jobname": "{name}", "hostname": "{host}", "job options": {{"filename": "/data/f", "iodepth": "{depth}", "bs": "8k", "rw": "randread", "ioengine": "libaio", "direct": "1"}},
               "read": {{"io_bytes": {bytes}, "io_kbytes": 1, "bw_bytes": {bytes}, "iops": 100.0, "runtime": 1000, "total_ios": 100}}, "write": {{"io_bytes": 0, "io_kbytes": 0}}}}"#
        )
    };
    let jobs = [
        job("db1", "rand", "4", 800),
        job("db2", "rand", "32", 1600),
        job("", "All clients", "1", 2400).replace(r#""hostname": "", "#, ""),
    ];
    let text = format!(r#"{{"fio version": "fio-3.33", "client_stats": [{}]}}"#, jobs.join(","));
    let imported = detect_and_read(text.as_bytes(), "fio.json", Options::default()).unwrap();
    let read: Vec<(&str, u32, u64)> = imported
        .disk
        .iter()
        .map(|one| (one.target.as_str(), one.steps[0].queue_depth, one.steps[0].bytes))
        .collect();
    assert_eq!(
        read,
        [("db1:/data/f", 4, 800), ("db2:/data/f", 32, 1600), ("All clients of fio.json", 1, 2400)]
    );
}

fn read_net(text: &str) -> NetResult {
    let imported = detect_and_read(text.as_bytes(), "iperf3.json", Options::default()).unwrap();
    imported.net.into_iter().next().expect("a network result")
}

/// 37 segments sent again of eight million are not 37 times all of them.
#[test]
fn iperf3_counts_bytes_and_the_segments_follow_from_them() {
    let text = |sent: &str, mss: u64| {
        format!(
            r#"{{"start": {{"version": "iperf 3.12", "connected": [], "tcp_mss_default": {mss}, "test_start": {{"protocol": "TCP", "num_streams": 1}}}},
               "intervals": [
                 {{"streams": [], "sum": {{"end": 1.0, "bits_per_second": 1e9, "omitted": true}}}},
                 {{"streams": [], "sum": {{"end": 1.0, "bits_per_second": 9e9, "omitted": false}}}}],
               "end": {{"streams": [{{"sender": {{"min_rtt": 300, "mean_rtt": 400}}}}, {{"sender": {{"min_rtt": 0, "mean_rtt": 0}}}}],
                 "sum_sent": {sent}, "sum_received": {{"bytes": 14480000, "seconds": 1.0, "bits_per_second": 1e9}}}}}}"#
        )
    };
    let result = read_net(&text(r#"{"bytes": 14480001, "retransmits": 37}"#, 1448));
    let tcp = result.tcp.expect("TCP");
    assert_eq!((tcp.segments_out, tcp.retransmits), (10_001 + 37, 37));
    // The receiving end of a stream prints 0 for its round trips.
    assert_eq!((tcp.rtt_min_ns, tcp.rtt_ns), (300_000, 400_000));
    // What was omitted is not in the totals.
    assert_eq!(result.intervals.len(), 1);
    for unknown in [(r#"{"bytes": 14480001}"#, 1448), (r#"{"bytes": 14480001, "retransmits": 37}"#, 0)] {
        assert_eq!(read_net(&text(unknown.0, unknown.1)).tcp.expect("TCP").segments_out, 0);
    }
}

fn read_fio(options: &str, sides: &str) -> DiskResult {
    let text = format!(
        r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "redo", "job options": {{"filename": "/u01/f", "bs": "8k", "direct": "1"{options}}}, {sides}}}]}}"#
    );
    let imported = detect_and_read(text.as_bytes(), "fio.json", Options::default()).unwrap();
    imported.disk.into_iter().next().expect("a storage result")
}

const WRITES: &str = r#""write": {"io_bytes": 8192000, "io_kbytes": 8000, "bw_bytes": 204800, "iops": 25.0, "runtime": 40000, "total_ios": 1000,
    "iops_mean": 25.0, "iops_stddev": 5.0, "iops_samples": 80,
    "clat_ns": {"percentile": {"50.000000": 700000, "99.900000": 50000000}},
    "lat_ns": {"min": 100000, "max": 60000000, "mean": 1000000.0, "N": 1000}}"#;

/// A write of 1 ms and a flush of 39 ms are 25 durable writes a second, as fio counted, not 1,000.
#[test]
fn a_durable_write_of_fio_takes_its_flush_too() {
    let flushes = |count: u64| {
        format!(
            r#"{WRITES}, "sync": {{"total_ios": 0, "lat_ns": {{"min": 900000, "max": 40000000, "mean": 39000000.0, "N": {count},
               "percentile": {{"50.000000": 31000000, "99.900000": 40000000}}}}}}"#
        )
    };
    let result = read_fio(r#", "fdatasync": "1""#, &flushes(999));
    let step = &result.steps[0];
    close(Some(step.latency_ns.mean), 40e6, 1e-9);
    assert_eq!(
        (step.latency_ns.p50, step.latency_ns.p999, step.latency_ns.max),
        (31_000_000, 50_000_000, 60_000_000)
    );
    let flush = step.flush_ns.as_ref().expect("the flushes");
    assert_eq!((flush.count, flush.p50), (999, 31_000_000));
    assert_eq!(result.caveats[0].kind, "flush-timed-apart");
    close(step.noise, 0.2, 1e-9);
    // One flush after ten writes: a tenth of it is each one's.
    let tenth = read_fio(r#", "fdatasync": "10""#, &flushes(100));
    assert_eq!(tenth.steps[0].sync, Sync::Fdatasync);
    close(Some(tenth.steps[0].latency_ns.mean), 4.9e6, 1e-9);
    assert_eq!(tenth.steps[0].latency_ns.p50, 700_000);
    // A version that did not time them does not say how long a durable write took.
    let untimed = read_fio(r#", "fdatasync": "1""#, WRITES);
    assert_eq!((untimed.steps[0].latency_ns.count, untimed.gaps.len()), (0, 1));
    assert!(untimed.gaps[0].detail.contains("did not time the flushes"), "{}", untimed.gaps[0].detail);
}

#[test]
fn both_directions_of_fio_under_one_name_are_a_mixed_step() {
    let mixed =
        WRITES.replace(r#""write""#, r#""mixed""#).replace(r#""iops_samples": 80"#, r#""iops_samples": 1"#);
    let result = read_fio(r#", "rw": "randrw", "rwmixread": "70""#, &mixed);
    let step = &result.steps[0];
    assert_eq!((step.operation, step.read_share), (Operation::Mixed, Some(0.7)));
    // One sample does not scatter.
    assert_eq!(step.noise, None);
}

#[test]
fn reads_of_fio_are_not_made_durable() {
    let both = format!("{WRITES}, {}", WRITES.replace(r#""write""#, r#""read""#));
    let result = read_fio(r#", "rw": "randrw", "fdatasync": "1""#, &both);
    assert_eq!((result.steps[0].operation, result.steps[0].sync), (Operation::Read, Sync::None));
    assert_eq!(result.steps[0].latency_ns.count, 1000);
}

#[test]
fn a_block_size_that_fio_does_not_tell_is_not_made_odd_by_rounding() {
    let side = |kib: u64| {
        format!(
            r#"{{"fio version": "fio-2.1.4", "jobs": [{{"jobname": "seq", "read": {{"io_bytes": {kib}, "bw": 129836, "iops": 253, "runtime": 2788}}}}]}}"#
        )
    };
    let block = |kib: u64| {
        let text = side(kib);
        let imported = detect_and_read(text.as_bytes(), "fio.json", Options::default()).unwrap();
        imported.disk[0].steps[0].block_bytes
    };
    // 705 I/Os by the rounded rate, 707 of 512 KiB in truth.
    assert_eq!(block(361_984), 512 << 10);
    // What is no power of two stays as it is.
    assert_eq!(block(282_000), 282_000 * 1024 / 705);
}
