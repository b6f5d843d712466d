//! Outputs in forms that few post: other systems' disks, titles of dashboards, counters by CPU, cut names. All texts are of our
//! own making, in the forms of the tools.

use fullwire_demand::import::{Options, detect_and_read};
use fullwire_demand::piece::pieces;
use fullwire_demand::{awr, logged};
use fullwire_model::host::trouble::Known;

/// The figures of a metric, in their order.
fn values(text: &str, subject: &str, metric: &str) -> Vec<f64> {
    let found = detect_and_read(text.as_bytes(), "pasted.txt", Options::default()).expect(text);
    let one = found.series[0].series.iter().find(|one| one.subject == subject && one.metric == metric);
    let one = one.unwrap_or_else(|| panic!("no {metric} of {subject}: {text}"));
    one.samples.iter().map(|sample| (sample.value * 1e3).round() / 1e3).collect()
}

#[test]
fn disks_of_aix_and_of_a_hypervisor_are_disks() {
    let aix = "hdisk7         xfer:  %tm_act      bps      tps      bread      bwrtn\n                        99.8     81.2M   2012.1      61.1M      20.1M\n\
               read:      rps  avgserv  minserv  maxserv   timeouts      fails\n                       1512.1     48.2      0.1    912.1           0          0\n\
               write:      wps  avgserv  minserv  maxserv   timeouts      fails\n                        500.0     31.1      0.2    712.1           0          0\n\
               queue:  avgtime  mintime  maxtime  avgwqsz    avgsqsz     sqfull\n                         61.1      0.0   1022.1     88.1       20.0     1812.1\n";
    assert_eq!(values(aix, "hdisk7", "read_await_ns"), [48.2e6]);
    assert_eq!(values(aix, "hdisk7", "util_ratio"), [0.998]);
    assert_eq!(values(aix, "hdisk7", "queue_mean"), [108.1]);
    // `-l`: the names stand in two lines.
    let long = "Disks:                     xfers                                read                                write                                  queue\n\
                -------------- -------------------------------- ------------------------------------ ------------------------------------ --------------------------------------\n\
                \u{20}                %tm    bps   tps  bread  bwrtn   rps    avg    min    max time fail   wps    avg    min    max time fail    avg    min    max   avg   avg  serv\n\
                \u{20}                act                                    serv   serv   serv outs              serv   serv   serv outs        time   time   time  wqsz  sqsz qfull\n\
                hdisk7          99.0  41.2M 812.0   8.1M  33.1M 212.0  22.5    0.3  880.2    0    0 600.0  91.5    0.9 1412.1    0    0 118.2    0.0 1810.0  87.0   4.0 1204.0\n";
    assert_eq!(values(long, "hdisk7", "write_await_ns"), [91.5e6]);
    assert_eq!(values(long, "hdisk7", "util_ratio"), [0.99]);
    assert_eq!(values(long, "hdisk7", "queue_mean"), [91.0]);
    let esx = "ADAPTR PATH                 NPTH   CMDS/s  READS/s WRITES/s MBREAD/s MBWRTN/s DAVG/cmd KAVG/cmd GAVG/cmd QAVG/cmd\n\
               vmhba7 -                       8  4122.11  3122.11  1000.00    48.22    15.11    61.22     0.02    61.24     0.00\n";
    assert_eq!(values(esx, "vmhba7", "await_ns"), [61.24e6]);
    // In batch mode the month comes first, and what the guest waits may be in its parts.
    let of = |counters: &[&str], row: &str| {
        let path = |name: &&str| format!(",\"\\\\esx7\\Physical Disk SCSI Device(naa.6007)\\{name}\"");
        let heads: String = counters.iter().map(path).collect();
        format!("\"(PDH-CSV 4.0) (UTC)(0)\"{heads}\n\"02/11/2026 10:00:05\",{row}\n")
    };
    let parts = ["Average Device MilliSec/Command", "Average Kernel MilliSec/Command"];
    assert_eq!(values(&of(&parts, "\"1.5\",\"31.0\""), "naa.6007", "await_ns"), [32.5e6]);
    let guest = [parts[0], "Average Guest MilliSec/Command"];
    assert_eq!(values(&of(&guest, "\"1.5\",\"33.0\""), "naa.6007", "await_ns"), [33e6]);
    let atop = "DSK | sdq | busy 100% | read 8 | write 812 | avq 41.00 | avio 3.00 ms |\n";
    assert_eq!(values(atop, "sdq", "await_ns"), [123e6], "as many stand in the queue");
}

#[test]
fn titles_of_a_dashboard_are_read_by_their_words() {
    let titled = "Time,Disk IO Utilization sdq,Disk write latency sdq (ms)\n2024-03-14 10:00:00,99.1,88.2\n2024-03-14 10:01:00,99.7,91.1\n";
    assert_eq!(values(titled, "sdq", "util_ratio"), [0.991, 0.997]);
    assert_eq!(values(titled, "sdq", "write_await_ns"), [88.2e6, 91.1e6]);
    let with_units = "\"Time\",\"nvme7n1 read await (ms)\"\n\"2024-03-14 10:00:00\",\"44.1 ms\"\n\"2024-03-14 10:01:00\",\"1.2 s\"\n";
    assert_eq!(values(with_units, "nvme7n1", "read_await_ns"), [44.1e6, 1.2e9]);
    let azure = r#"{"interval": "PT1M", "value": [{"name": {"value": "Data Disk IOPS Consumed Percentage"}, "timeseries": [{"data": [
        {"average": 99.8, "timeStamp": "2024-03-14T10:00:00Z"}, {"timeStamp": "2024-03-14T10:01:00Z"}]}]}]}"#;
    assert_eq!(values(azure, "volume", "allowance_used_ratio"), [0.998]);
    let named = "TimeGenerated,Resource,Metric,Average\n2024-03-14T10:00:00Z,db7,Data Disk IOPS Consumed Percentage,99.8\n\
                 2024-03-14T10:00:00Z,db7,Data Disk Latency,41.5\n2024-03-14T10:05:00Z,db7,Data Disk IOPS Consumed Percentage,100\n";
    assert_eq!(values(named, "db7", "allowance_used_ratio"), [0.998, 1.0]);
    assert_eq!(values(named, "db7", "await_ns"), [41.5e6]);
    let cpu = r#"{"Label": "CPUUtilization", "Datapoints": [{"Timestamp": "2024-03-14T10:00:00Z", "Average": 12.5}]}"#;
    assert_eq!(values(cpu, "all", "idle_ratio"), [0.875]);
}

fn lines(text: &str) -> Vec<String> {
    let known = Known(|line| {
        ["interrupts of ", "histogram of ", "not responding", "innodb mutex", "disk totals"]
            .iter()
            .any(|own| line.contains(own))
            .into()
    });
    let found = pieces(text, "pasted.txt", Options::default());
    found.iter().flat_map(|piece| logged::lines(&piece.text, "", known)).map(|line| line.text).collect()
}

#[test]
fn counters_and_histograms_become_what_they_come_to() {
    let row = |irq: u32, queue: u32| {
        format!(" {irq}:  912233412          7   PCI-MSI 524288-edge      eth7-TxRx-{queue}\n")
    };
    let interrupts = format!(
        "           CPU0       CPU1\n{}{}{}LOC: 8 9   Local timer\n",
        row(33, 0),
        row(34, 1),
        row(35, 2)
    );
    assert_eq!(lines(&interrupts), ["interrupts of eth7: 100 % of 2736700257 from 3 queues"]);
    let map = "@usecs[nvme7n1]:\n[1]          3 |@         |\n[64, 128)  900 |@@@@@@@@@@|\n[1K, 2K)   100 |@@        |\n";
    assert_eq!(lines(map), ["histogram of @usecs 99th percentile=2.0 ms of 1003"]);
    let mutex = "+--------+-----------------------------+-----------------+\n| Type   | Name                        | Status          |\n\
                 +--------+-----------------------------+-----------------+\n| InnoDB | sum rwlock: buf7buf.cc:1477 | waits=184213377 |\n";
    assert_eq!(
        lines(mutex),
        ["innodb mutex: type=InnoDB; name=sum rwlock: buf7buf.cc:1477; status=waits=184213377"]
    );
    let named = "Mar 14 10:00:02 db7 kernel: nfs: server default-nas7 not responding, still trying\n";
    assert_eq!(lines(named), ["nfs: server default-nas7 not responding, still trying"]);
}

/// The list of the largest events is wider than that of all: one event under two names would count twice.
#[test]
fn a_name_that_one_table_cuts_is_completed_by_another() {
    let rows = [
        "WORKLOAD REPOSITORY report for",
        "",
        "Top 10 Foreground Events by Total Wait Time",
        "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "                                           Total Wait       Wait   % DB Wait",
        "Event                                Waits Time (sec)    Avg(ms)   time Class",
        "------------------------------ ----------- ---------- ---------- ------ --------",
        "enq: TX - row lock contention        4,200    43200.0      10286   80.0 Applicat",
        "",
        "Foreground Wait Events             DB/Inst: PRD7/prd7  Snaps: 7-8",
        "",
        "                                                             Avg",
        "                                        %Time Total Wait    wait    Waits   % DB",
        "Event                             Waits -outs   Time (s)    (ms)     /txn   time",
        "-------------------------- ------------ ----- ---------- ------- -------- ------",
        "enq: TX - row lock content        4,200     0     43,200   10286      0.0   80.0",
        "          -------------------------------------------------------------",
        "End of Report\n",
    ];
    let text = rows.join("\n");
    let report = awr::read(text.as_bytes(), "awr.txt").expect("a report");
    assert_eq!(report.waits.keys().collect::<Vec<_>>(), ["enq: TX - row lock contention"]);
}

#[test]
fn metrics_of_a_cloud_are_read_from_its_json_and_its_tables() {
    let one = r#"{"Label": "BurstBalance", "Datapoints": [
        {"Timestamp": "2024-03-05T10:05:00+00:00", "Average": 12.5, "Unit": "Percent"},
        {"Timestamp": "2024-03-05T10:00:00+00:00", "Average": 38.0, "Unit": "Percent"}]}"#;
    assert_eq!(values(one, "volume", "burst_balance_ratio"), [0.38, 0.125]);
    assert_eq!(values(&one.replace("Average", "Minimum"), "volume", "burst_balance_ratio"), [0.38, 0.125]);
    let several = r#"{"MetricDataResults": [
        {"Id": "m1", "Label": "VolumeQueueLength", "Timestamps": ["2024-03-05T10:05:00Z", "2024-03-05T10:00:00Z"], "Values": [41.5, 0.5]},
        {"Id": "m2", "Label": "BurstBalance", "Timestamps": ["2024-03-05T10:00:00Z"], "Values": [38.0]}]}"#;
    assert_eq!(values(several, "volume", "queue_mean"), [0.5, 41.5]);
    assert_eq!(values(several, "volume", "burst_balance_ratio"), [0.38]);
    let azure = "TimeStamp,Data Disk Latency (Preview) (Avg),OS Disk Used Burst IO Credits Percentage (Avg)\n2024-03-05T10:00:00Z,211.5,90\n";
    assert_eq!(values(azure, "volume", "await_ns"), [211.5e6]);
    assert_eq!(values(azure, "volume", "burst_balance_ratio"), [0.1]);
    let sheet =
        "Time,Data Disk Queue Depth (Avg)\n11/20/2025 10:10:00 AM,31.5\n11/20/2025 10:15:00 AM,41.5\n";
    assert_eq!(values(sheet, "volume", "queue_mean"), [31.5, 41.5]);
    let named = "DBInstanceIdentifier,Timestamp,WriteLatency\ndb7,2026-03-11 10:02:00,0.041\ndb8,2026-03-11 10:02:00,0.001\n";
    assert_eq!(
        (values(named, "db7", "write_await_ns"), values(named, "db8", "write_await_ns")),
        (vec![41e6], vec![1e6])
    );
    // Sums become rates, and levels stay.
    let sums = "Timestamp,VolumeReadOps,VolumeWriteOps,VolumeQueueLength,BurstBalance\n2024-03-05T10:05:00Z,30000,870000,41.2,3\n\
                2024-03-05T10:00:00Z,12000,168000,0.9,44\n2024-03-05T10:10:00Z,28100,871200,44.8,0\n";
    assert_eq!(values(sums, "volume", "write_io_per_s"), [560.0, 2900.0, 2904.0]);
    assert_eq!(values(sums, "volume", "queue_mean"), [0.9, 41.2, 44.8]);
    assert_eq!(values(sums, "volume", "burst_balance_ratio"), [0.44, 0.03, 0.0]);
}

#[test]
fn each_thread_has_what_it_reads_and_writes() {
    let text = "Total DISK READ :       0.00 B/s | Total DISK WRITE :      71.20 M/s\n    TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO>    COMMAND\n    \
                512 be/3 root        0.00 B/s    0.00 B/s  0.00 % 92.11 % [jbd2/dm-1-8]\n  18123 be/4 oracle      0.00 B/s   70.10 M/s  0.00 % 88.01 % ora_dbw0_PROD\n";
    assert_eq!(values(text, "ora_dbw0_PROD (18123)", "write_bytes_per_s"), [73_505_177.6]);
    assert_eq!(values(text, "jbd2/dm-1-8 (512)", "write_bytes_per_s"), [0.0]);
}

#[test]
fn copies_of_the_counters_are_what_iostat_prints() {
    let text = "TS 1700000000.0 2023-11-14T22:13:20\n   8 16 sdb 100 0 800 1000 200 0 1600 400 0 900 1400 0 0 0 0\n\
                TS 1700000002.0 2023-11-14T22:13:22\n   8 16 sdb 300 0 4000 9000 400 0 4800 800 7 2900 9800 0 0 0 0\n";
    for (metric, value) in
        [("read_io_per_s", 100.0), ("read_await_ns", 40e6), ("util_ratio", 1.0), ("queue_mean", 4.2)]
    {
        assert_eq!(values(text, "sdb", metric), [value]);
    }
    let one = text.lines().take(2).collect::<Vec<_>>().join("\n") + "\n";
    assert!(detect_and_read(one.as_bytes(), "x", Options::default()).unwrap_err().what.contains("one copy"));
}

#[test]
fn the_share_of_requests_that_nfs_sent_again_is_read() {
    let text = "nas7:/vol mounted on /u07:\n\n   op/s\t\trpc bklog\n  81.20\t   0.00\nread:             ops/s\t\t   kB/s\t\t  kB/op\t\tretrans\t\tavg RTT (ms)\tavg exe (ms)\n\t\t \
                41.200\t 2636.8\t 64.000\t 8122 (4.1%)\t 41.200\t 48.100\n";
    assert_eq!(values(text, "nas7:/vol /u07 read", "retransmits_ratio"), [0.041]);
}

/// A table alone may have lost the name of the database behind its title.
#[test]
fn a_title_above_its_notes_is_a_title() {
    let text = "Tablespace IO Stats\n-> ordered by IOs (Reads + Writes) desc\n\nTablespace\n------------------------------\n                 \
                Av      Av     Av                       Av     Buffer  Av Buf\n         Reads Reads/s Rd(ms) Blks/Rd       Writes Writes/s      Waits  Wt(ms)\n\
                -------------- ------- ------ ------- ------------ -------- ---------- -------\nDATA7\n     8,122,041   2,256   41.2     1.0      412,204      114     81,220     4.1\n";
    let report = awr::read(text.as_bytes(), "x").unwrap();
    assert_eq!(report.tablespaces[0].tablespace, "DATA7");
    assert_eq!(report.tablespaces[0].read_mean_ms, Some(41.2));
}

/// The largest events of a table as a browser or a mail leaves it.
fn events(text: &str) -> Vec<(String, f64)> {
    let report = awr::read(text.as_bytes(), "x").unwrap();
    report.top_events.iter().map(|event| (event.name.clone(), event.share_pct.unwrap_or(0.0))).collect()
}

#[test]
fn a_table_copied_from_a_browser_is_read() {
    let text = "Top 10 Foreground Events by Total Wait Time\nEvent\tWaits\tTotal Wait Time (sec)\tWait Avg(ms)\t% DB time\tWait Class\n\
                direct path read temp\t812,331\t9123.1\t11.23\t61.2\tUser I/O\nDB CPU\t\t3212.3\t\t21.5\t\n";
    let found = events(text);
    assert_eq!(found[0], ("direct path read temp".to_owned(), 61.2));
    assert_eq!(found[1], ("DB CPU".to_owned(), 21.5));
}

#[test]
fn a_table_without_title_and_ruler_is_read() {
    let text = "Event                               Waits     Time(s)   Ave Wait(ms)   %Total Call Time  Wait Class\n\
                resmgr:cpu quantum                  412,331    98,123      238      71.2  Scheduler\n\
                DB CPU                                          21,233               15.4\n\
                db file sequential read             812,331       812        1       0.6  User I/O\n";
    let found = events(text);
    assert_eq!(found[0].0, "resmgr:cpu quantum");
    assert_eq!((found[0].1, found[1].1, found[2].1), (71.2, 15.4, 0.6));
}

#[test]
fn tables_are_read_however_they_were_retold() {
    let bars = "### Top 5 Timed Foreground Events\n\n| Event | Waits | Time (s) | % DB time |\n|---|---|---|---|\n\
                | db file scattered read | 1.812.331 | 3.123 | 61,2% |\n| log file sync | 12.331 | 312 | 6,1% |\n";
    let open =
        bars.replace("\n| ", "\n").replace(" |\n", "\n").replace("|---|---|---|---|", "---|---|---|---");
    let flat = "Top 5 Timed Foreground Events\nEvent                   Waits      Time(s)  % DB time\n\
                ----------------------- ---------- -------- ----------\n\
                db file scattered read  1,812,331    3,123      61.2%\nlog file sync           12,331         312       6.1%\n";
    let bars_alone = bars.split_once("\n\n").map(|(_, rest)| rest).unwrap_or_default();
    let bare = flat.split_once('\n').map(|(_, rest)| rest).unwrap_or_default();
    for text in [bars, bars_alone, &open, flat, bare] {
        let found = events(text);
        assert_eq!(
            found,
            [("db file scattered read".to_owned(), 61.2), ("log file sync".to_owned(), 6.1)],
            "{text}"
        );
    }
}

#[test]
fn waits_of_the_background_are_known_by_their_share() {
    let text = "                                        %Time Total Wait    wait    Waits   % bg\n\
                Event                             Waits -outs   Time (s)    (ms)     /txn   time\n\
                -------------------------- ------------ ----- ---------- ------- -------- ------\n\
                db file parallel write           81,233     0      7,212      89      0.4   31.2\n";
    let report = awr::read(text.as_bytes(), "x").expect("a table");
    assert_eq!(report.background_waits["db file parallel write"].share_pct, Some(31.2));
    assert!(report.top_events.is_empty());
}
