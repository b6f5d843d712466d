//! Forms of outputs of which several lines mean something together: each becomes one line that the tables of meanings know.
//! All texts are of our own making.

use fullwire_demand::awr;
use fullwire_demand::import::{Options, detect_and_read};
use fullwire_demand::logged;
use fullwire_demand::piece::{Kind, is_known_form, pieces};
use fullwire_model::host::trouble::{Known, Meaning};

/// The lines that the pieces of a text come to.
fn told(text: &str) -> Vec<String> {
    let found =
        pieces(text, "pasted.txt", Options { known: Known(|_| Meaning::Trouble), ..Options::default() });
    found
        .iter()
        .flat_map(|piece| logged::lines(&piece.text, "", Known(|_| Meaning::Trouble)))
        .map(|line| line.text)
        .collect()
}

/// A text and the line that it is told as.
const FORMS: &[(&str, &str)] = &[
    (
        "# Time: 2026-11-05T08:11:12.4Z\n# User@Host: app[app] @  [192.0.2.7]  Id: 7\n# Query_time: 28.4  Lock_time: 0.5 Rows_sent: 0  Rows_examined: 0\n\
         SET timestamp=1762330272;\nCOMMIT;\n",
        "slow query: seconds=28.4; lock_s=0.5; examined=1; statement=COMMIT",
    ),
    (
        "{\"t\":{\"$date\":\"2026-11-05T10:11:12.4+00:00\"},\"s\":\"I\",\"c\":\"COMMAND\",\"msg\":\"Slow query\",\"attr\":{\"ns\":\"x.y\",\"command\":{\"find\":\"y\"},\
         \"docsExamined\":812,\"locks\":{\"Global\":{\"timeAcquiringMicros\":{\"r\":500000}}},\"storage\":{\"data\":{\"timeReadingMicros\":8100000}},\"durationMillis\":8200}}\n",
        "slow query: seconds=8.2; io_s=8.1; lock_s=0.5; examined=812; statement=find",
    ),
    (
        "# cat /sys/block/sdq/stat; sleep 10; cat /sys/block/sdq/stat\n 9000 0 80 9000 4000 0 80 4000 0 9 9 0 0 0 0 0 0\n \
         9000 0 80 9000 4100 0 80 52000 0 9 9 0 0 0 0 0 0\n",
        "disk between: sdq write takes 480.0 ms, 100 times",
    ),
    (
        "NAME   ALIGNMENT MIN-IO OPT-IO PHY-SEC LOG-SEC ROTA SCHED RQ-SIZE  RA WSAME\nsdq            0   4096      0    4096     512    1 bfq       256 128    0B\n\
         \u{2514}\u{2500}sdq1      3584   4096      0    4096     512    1 bfq       256 128    0B\n",
        "lsblk: sdq1 is misaligned",
    ),
    (
        " 4120 Ds   rpc_wait_bit_killable            ora_lgwr_db7\n",
        "ps: pid=4120; state=D; wchan=rpc_wait_bit_killable; command=ora_lgwr_db7",
    ),
    (
        " Index Scan on t  (cost=0.57..8.59 rows=1) (actual time=412.331..412.334 rows=1 loops=1)\n   Buffers: shared hit=3 read=5\n   I/O Timings: read=412.0\n",
        "plan: block_ms=82.4; blocks=5",
    ),
    (
        "available: 2 nodes (0-1)\nnode 0 size: 128812 MB\nnode 0 free: 112 MB\nnode 1 size: 129012 MB\nnode 1 free: 98123 MB\n",
        "numa: node=0; free=112; size=128812; other=1; other_free=98123",
    ),
    (
        "# Status Counters (Wait 10 Seconds) ##########################\nVariable       Per day  Per second     10 secs\nInnodb_log_waits   8123   9   41\n",
        "Innodb log waits in 10 s=41",
    ),
    (
        "BBU_Info :\n========\n\n----------------------------------------------\nModel State   RetentionTime Temp Mode MfgDate\n----------------------------------------------\n\
         BBU   Failed  0 hour(s)     27C  -    0/00/00\n----------------------------------------------\n",
        "storcli battery: model=BBU; state=Failed; retentiontime=0 hour(s); temp=27C; mode=-; mfgdate=0/00/00",
    ),
    (
        "NAME                     USE_MB\n-------------------- ----------\nDATA7                   -108544\n",
        "v$asm_diskgroup: name=DATA7; usable_file_mb=-108544",
    ),
    (
        " application_name |   state   | sync_state | write_lag       | flush_lag\n------------------+-----------+------------+-----------------+-----------------\n \
         pg7              | streaming | quorum     | 00:00:00.001    | 00:00:00.481\n",
        "replication pg7 sync flush_lag=0.481",
    ),
    (
        "2026-11-05T10:11:12.412+0200 I  COMMAND  [conn812] command x.y command: find { find: \"y\" } planSummary: IXSCAN keysExamined:0 docsExamined:812 \
         storage:{ data: { bytesRead: 8, timeReadingMicros: 41000000 } } protocol:op_msg 52000ms\n",
        "slow query: seconds=52; io_s=41; examined=812; statement=find",
    ),
    (
        "CMDS/s  READS/s DAVG/cmd KAVG/cmd GAVG/cmd\n812.33   12.20    41.23    88.12   129.35\n",
        "esxtop: cmds/s=812.33; reads/s=12.2; davg/cmd=41.23; kavg/cmd=88.12; gavg/cmd=129.35",
    ),
    (
        "[2026-11-05T10:11:12,412][WARN ][o.e.c.r.a.DiskThresholdMonitor] [n7] flood stage disk watermark [95%] exceeded on [a][n7][/data] free: 12.3gb[2.1%]\n",
        "[WARN ][o.e.c.r.a.DiskThresholdMonitor] [n7] flood stage disk watermark [95%] exceeded on [a][n7][/data] free: 12.3gb[2.1%]",
    ),
    ("SQL> select * from v$dnfs_servers;\n\nno rows selected\n", "v$dnfs_servers: no rows selected"),
    (
        "SQL ordered by Elapsed Time              DB/Inst: DB7/db7  Snaps: 10-11\n\n        Elapsed                  Elapsed Time\n        Time (s)    Executions  per Exec (s)  %Total   %CPU    %IO    SQL Id\n---------------- -------------- ------------- ------ ------ ------ -------------\n       \
         412,330.1              1     412,330.10   50.8    2.1   97.2 8abc123def456\n",
        "awr sql: time (s)=412330.1; executions=1; per exec (s)=412330.1; %total=50.8; %cpu=2.1; %io=97.2; sql id=8abc123def456",
    ),
];

#[test]
fn a_form_is_told_in_one_line() {
    for (text, line) in FORMS {
        let found = told(text);
        assert!(found.iter().any(|own| own == line), "{line}\nnot in {found:#?}");
    }
}

#[test]
fn what_is_well_makes_no_such_line() {
    for (text, part) in [
        ("NAME ALIGNMENT MIN-IO\nsdq 0 512\n\u{2514}\u{2500}sdq1 0 512\n", "misaligned"),
        (" 4120 Ss   ep_poll   ora_lgwr_db7\n", "ps: "),
        ("node 0 size: 1000 MB\nnode 0 free: 500 MB\nnode 1 size: 1000 MB\nnode 1 free: 400 MB\n", "numa: "),
        ("8 0 sdq 9 0 80 9 4 0 80 4 0 9 9\n8 0 sdq 9 0 80 9 5 0 80 400 0 9 9\n", "disk between"),
    ] {
        assert!(told(text).iter().all(|line| !line.contains(part)), "{part} in {:?}", told(text));
    }
}

/// A healthy output of a form that is read is known, and nothing in it is told.
#[test]
fn what_is_well_is_known_by_its_form() {
    for text in [
        "Database - db7_s\n\n  Role:               PHYSICAL STANDBY\n  Transport Lag:      0 seconds (computed 0 seconds ago)\n",
        "##  STATE    File Universal Id                File Name Disk group\n--  -----    -----------------                --------- ---------\n \
         1. ONLINE   812330a1 (/dev/mapper/vote1) [OCR]\n",
        "node 0 size: 1000 MB\nnode 0 free: 500 MB\n",
        "CMDS/s  READS/s DAVG/cmd\n812.33   12.20    0.73\n",
        "    PID STAT WCHAN                            COMMAND\n   4120 Ss   ep_poll                          postgres\n",
        "# Query_time: 0.012331  Lock_time: 0.000012 Rows_sent: 1  Rows_examined: 1\nSELECT 1;\n",
    ] {
        let found = pieces(text, "x", Options::default());
        assert!(found.iter().all(|piece| is_known_form(&piece.text, Known::default())), "{text}");
        let lines = found.iter().flat_map(|piece| logged::lines(&piece.text, "", Known::default()));
        assert_eq!(lines.count(), 0, "{text}");
    }
}

/// Samples of `node_exporter` are the outputs that hold the same figures, and a quota is a counter.
#[test]
fn counters_are_of_their_own_kind() {
    let kinds = |text: &str| -> Vec<Kind> {
        pieces(text, "x", Options::default()).into_iter().map(|piece| piece.kind).collect()
    };
    let exposed = "# TYPE node_netstat_Tcp_OutSegs untyped\nnode_netstat_Tcp_OutSegs 9e+06\nnode_memory_MemTotal_bytes 2e+09\n";
    assert_eq!(kinds(exposed), [Kind::Totals, Kind::Host("/proc/meminfo")]);
    assert_eq!(
        kinds("$ cat /sys/fs/cgroup/cpu.stat\nusage_usec 812\nnr_periods 8\nnr_throttled 7\n"),
        [Kind::Totals]
    );
}

/// The first table of ASH is of the sessions: those by statement repeat it.
#[test]
fn events_of_ash_are_samples() {
    let text = "Top User Events            DB/Inst: DB7/db7  (Nov 05 10:00 to 10:15)\n\n                                                               Avg Active\n\
                Event                               Event Class        % Event   Sessions\n----------------------------------- --------------- ---------- ----------\n\
                gc buffer busy acquire              Cluster              48.12      41.22\nCPU + Wait for CPU                  CPU                   8.12       6.95\n";
    let report = awr::read(text.as_bytes(), "x").expect("a table of events");
    assert_eq!(report.waits["gc buffer busy acquire"].time_s, Some(48.12));
    assert_eq!(report.waits["CPU time"].time_s, Some(8.12));
}

#[test]
fn times_of_a_clouds_chart_are_read_as_it_prints_them() {
    let of = |text: &str| {
        let read = detect_and_read(text.as_bytes(), "x.csv", Options::default()).expect("a chart");
        let series = read.series[0].series.clone();
        (
            series[0].metric.clone(),
            series[0].samples[0].value,
            series[0].samples.clone(),
            read.series[0].clone(),
        )
    };
    let google = "TimeSeries ID,instance/disk/throttled_write_ops_count (data-7)\nproject_id,x\n\
                  Thu Nov 05 2026 10:00:00 GMT+0200 (Eastern European Time),8123\nThu Nov 05 2026 10:01:00 GMT+0200 (Eastern European Time),9123\n";
    let (metric, value, ..) = of(google);
    assert_eq!((metric.as_str(), value), ("allowance_used_ratio", 1.0));
    let azure = "Timestamp (UTC),Data Disk Queue Depth (Avg)\n6/5/2026 10:00 AM,41\n6/5/2026 10:01 AM,44\n";
    let (.., file) = of(azure);
    let shown = format!("{file:?}");
    assert!(
        shown.contains("2026-06-05") && !shown.contains("2026-05-06"),
        "a clock of twelve hours has the month first: {shown}"
    );
}
