//! Pieces that people paste: what they are, and what their own words say. All texts are of our own making, in the forms
//! of the tools.

use crate::close;
use crate::truncation::cuts;
use fullwire_demand::import::{Imported, Options, detect_and_read};
use fullwire_demand::piece::{Kind, pieces};
use fullwire_demand::{awr, logged, totals};
use fullwire_model::host::trouble::Known;

fn import(text: &str) -> Imported {
    detect_and_read(text.as_bytes(), "pasted.txt", Options::default()).expect("known")
}

fn mean(imported: &Imported, area: &str, subject: &str, metric: &str) -> f64 {
    let file = &imported.series[0];
    let series = file.series.iter().find(|one| {
        (one.area.as_str(), one.subject.as_str(), one.metric.as_str()) == (area, subject, metric)
    });
    file.summary(series.unwrap_or_else(|| panic!("no {metric} of {subject}"))).expect("samples").mean
}

const FIO: &str = "\
job1: (g=0): rw=randwrite, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=psync, iodepth=1
...
fio-3.28
Starting 4 processes

job1: (groupid=0, jobs=4): err= 0: pid=811: Mon Nov 23 10:00:00 2026
  write: IOPS=400, BW=3200KiB/s (3277kB/s)(93.8MiB/30001msec); 0 zone resets
    clat (msec): min=2, max=81, avg=10.00, stdev= 3.10
     lat (msec): min=2, max=81, avg=10.00, stdev= 3.10
    clat percentiles (msec):
     |  1.00th=[    4], 50.00th=[   10], 90.00th=[   14], 99.00th=[   23],
     | 99.90th=[   61], 99.99th=[   80]
  cpu          : usr=0.10%, sys=0.20%, ctx=12000, majf=0, minf=40
";

#[test]
fn fio_for_people_has_the_figures_of_its_json() {
    let imported = import(FIO);
    let step = &imported.disk[0].steps[0];
    assert_eq!((step.threads, step.queue_depth, step.block_bytes), (4, 1, 8192));
    assert_eq!((step.iops, step.throughput_bytes_per_s), (400.0, 3200.0 * 1024.0));
    assert_eq!(
        (step.latency_ns.mean, step.latency_ns.p50, step.latency_ns.p99),
        (10e6, 10_000_000, 23_000_000)
    );
    assert_eq!(step.latency_ns.p9999, 80_000_000);
}

const IPERF: &str = "\
Connecting to host 192.0.2.5, port 5201
[  5] local 192.0.2.28 port 55834 connected to 192.0.2.5 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    3    400 KBytes
[  5]   1.00-2.00   sec   112 MBytes   941 Mbits/sec    0    420 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-2.00   sec   224 MBytes   940 Mbits/sec    3             sender
[  5]   0.00-2.00   sec   223 MBytes   936 Mbits/sec                  receiver
";

#[test]
fn iperf_for_people_has_intervals_and_what_arrived() {
    let result = &import(IPERF).net[0];
    assert_eq!((result.target.as_str(), result.streams, result.intervals.len()), ("192.0.2.5", 1, 2));
    close(Some(result.throughput_bytes_per_s), 936e6 / 8.0, 1e-12);
    assert_eq!(result.tcp.as_ref().unwrap().retransmits, 3);
    assert_eq!(result.intervals[1].cwnd_bytes, Some(420 * 1024));
    let udp = "[ ID] Interval       Transfer     Bandwidth       Jitter   Lost/Total Datagrams\n\
               [  3]  0.0-10.0 sec  12.5 MBytes  10.5 Mbits/sec   0.080 ms   89/ 8900 (1%)\n\
               [  3]  0.0-10.0 sec  12.5 MBytes  10.5 Mbits/sec   0.080 ms   89/8900 (1%)\n";
    let ends = "[ ID] Interval  Transfer  Bitrate  Jitter  Lost/Total Datagrams\n\
                [  5]   0.00-2.00   sec  14.3 MBytes  60.0 Mbits/sec  0.000 ms  0/9000 (0%)  sender\n\
                [  5]   0.00-2.00   sec  4.6 MBytes  19.2 Mbits/sec  0.1 ms  6120/9000 (68%)  receiver\n";
    let result = &import(ends).net[0];
    assert_eq!(
        (result.throughput_bytes_per_s, result.udp.as_ref().unwrap().sent_bytes_per_s),
        (2.4e6, 7.5e6)
    );
    let udp = import(udp).net[0].udp.clone().unwrap();
    assert_eq!((udp.sent, udp.lost, udp.jitter_ns), (8900, 89, Some(80_000)));
}

const PIDSTAT: &str = "\
Linux 5.14.0 (db1) \t11/23/2026 \t_x86_64_\t(8 CPU)

10:00:00 AM   UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command
10:00:02 AM  1001      4711      0.00   1024.00      0.00       0  ora_lgwr_orcl
10:00:02 AM  1001      4712     10.00      0.00      0.00       3  ora_dbw0_orcl
";

#[test]
fn a_process_is_a_subject_and_its_number_no_figure() {
    let imported = import(PIDSTAT);
    close(Some(mean(&imported, "process", "ora_lgwr_orcl (4711)", "write_bytes_per_s")), 1_048_576.0, 1e-12);
    close(Some(mean(&imported, "process", "ora_dbw0_orcl (4712)", "io_delay_ticks")), 3.0, 1e-12);
    assert!(imported.series[0].series.iter().all(|one| one.metric != "pid" && one.metric != "uid"));
}

const DD: &str = "\
$ dd if=/dev/zero of=/u02/t bs=8k count=1000 oflag=dsync
1000+0 records in
1000+0 records out
8192000 bytes (8.2 MB, 7.8 MiB) copied, 4 s, 2.0 MB/s
";

#[test]
fn dd_tells_its_synchronous_writes() {
    let step = &import(DD).disk[0].steps[0];
    assert_eq!((step.iops, step.latency_ns.mean, step.block_bytes), (250.0, 4e6, 8192));
    assert_eq!(step.sync, fullwire_model::disk::Sync::Dsync);
}

/// What dd prints differs in its words alone; without its command nothing tells whether it read.
#[test]
fn dd_is_read_in_each_language_and_by_the_time_of_a_shell() {
    let command = "$ dd if=/dev/zero of=/u02/t bs=8k count=1000 oflag=dsync\n";
    for words in [
        "1000+0 enregistrements lus\n1000+0 enregistrements écrits\n8192000 octets (8,2 MB, 7,8 MiB) copiés, 4,000 s, 2,0 MB/s\n",
        "1000+0 Datensätze ein\n1000+0 Datensätze aus\n8192000 Bytes (8,2 MB, 7,8 MiB) kopiert, 4 s, 2,0 MB/s\n", // typos: as it is
        "1000+0 записей получено\n1000+0 записей отправлено\n8192000 байт (8,2 MB) скопирован, 4 s, 2,0 MB/s\n",
        "记录了1000+0 的读入\n记录了1000+0 的写出\n8192000字节（8.2 MB，7.8 MiB）已复制，4 s，2.0 MB/s\n",
        "1000+0 records in\n1000+0 records out\n8192000 bytes transferred in 4.000000 secs (2048000 bytes/sec)\n",
        "1000+0 records in\n1000+0 records out\n\nreal    0m4.000s\nuser 0m0.010s\n",
    ] {
        let step = &import(&format!("{command}{words}")).disk[0].steps[0];
        assert_eq!((step.iops, step.latency_ns.mean, step.bytes), (250.0, 4e6, 8_192_000), "{words}");
        assert_eq!(step.operation, fullwire_model::disk::Operation::Write);
    }
    let read = "$ time -p dd if=/dev/raw/raw8 of=/dev/null bs=1024k\n4096+0 records in\n4096+0 records out\nreal 27.00\n";
    let step = &import(read).disk[0].steps[0];
    assert_eq!((step.operation, step.direct), (fullwire_model::disk::Operation::Read, true));
    close(Some(step.throughput_bytes_per_s), 4096.0 * 1_048_576.0 / 27.0, 1e-12);
    let copy = "$ time ./dd --o_direct=1048576,1048576 if=/oradata2/file1 of=/oradata2/file2 conv=notrunc\n4096+0 records in\n4096+0 records out\n\nreal 1m32.274s\n";
    let step = &import(copy).disk[0].steps[0];
    assert_eq!((step.operation, step.direct), (fullwire_model::disk::Operation::Copy, true));
    close(Some(step.throughput_bytes_per_s), 4096.0 * 1_048_576.0 / 92.274, 1e-12);
    let unknown = copy.replace("--o_direct=1048576,1048576", "--buffer=1048576");
    let error = detect_and_read(unknown.as_bytes(), "dd.txt", Options::default());
    assert!(error.unwrap_err().to_string().contains("how much was moved is not known"));
    // Whatever the command is called, its operands are dd's; without them nothing tells how large a record is.
    let patched = "$ time dd_direct if=/nfs/a of=/nfs/b bs=1024k\n8192+0 records in\n8192+0 records out\n\nreal 1m20s\n";
    close(Some(import(patched).disk[0].steps[0].throughput_bytes_per_s), 8192.0 * 1_048_576.0 / 80.0, 1e-12);
    let untold = patched.lines().skip(1).collect::<Vec<_>>().join("\n");
    let error = detect_and_read(untold.as_bytes(), "dd.txt", Options::default()).unwrap_err();
    assert!(error.to_string().contains("bs="), "{error}");
    let bare = &import(&DD[DD.find('\n').unwrap() + 1..]).disk[0];
    assert_eq!(bare.steps[0].operation, fullwire_model::disk::Operation::Copy);
    assert!(bare.caveats[0].text.contains("command is not in the file"), "{:?}", bare.caveats);
}

const SAR: &str = "\
12:00:01 AM       DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util
12:10:01 AM       sda     10.00      0.00    100.00      0.00     10.00      0.00      0.50      0.60
12:10:01 AM       sdb    400.00  16000.00  10000.00      0.00     65.00     15.00     37.50     99.00
12:20:01 AM       sdb    410.00  16000.00  10000.00      0.00     65.00     17.00     41.50     99.00
";

/// Where the first line was not copied there is no date, and the records are counted.
#[test]
fn sar_without_its_first_line_is_read() {
    let imported = import(SAR);
    assert_eq!(imported.series[0].tool, "sar");
    close(Some(mean(&imported, "disk", "sdb", "queue_mean")), 16.0, 1e-12);
    assert!(imported.series[0].times().is_none());
    assert_eq!(imported.series[0].interval_s, Some(600.0), "the times of day tell how long a record is");
}

const SADF: &str = "db1\t600\t2026-11-23 00:10:01 UTC\tall\t%user\t1.50\ndb1\t600\t2026-11-23 00:10:01 UTC\tall\t%idle\t90.00\n\
db1\t600\t2026-11-23 00:20:01 UTC\tall\t%idle\t80.00\ndb1\t600\t2026-11-23 00:20:01 UTC\tsda\tawait\t4.00\n";

#[test]
fn lines_of_sadf_are_values() {
    let imported = import(SADF);
    assert_eq!(
        (mean(&imported, "cpu", "all", "idle_ratio"), mean(&imported, "disk", "sda", "await_ns")),
        (0.85, 4e6)
    );
    assert_eq!(imported.series[0].clock, "UTC");
}

const IOSTAT: &str = "\
Device            r/s     w/s     rkB/s     wkB/s   r_await   w_await  aqu-sz  %util
sdb              0.00  132.00      0.00 152000.00      0.00     54.00    7.00  98.00
sdb              0.00  134.00      0.00 152000.00      0.00     56.00    8.00  99.00
";

#[test]
fn a_record_without_a_head_is_an_interval_and_lines_of_grep_are_records() {
    let imported = import(IOSTAT);
    assert!(!imported.series[0].first_since_boot);
    close(Some(mean(&imported, "disk", "sdb", "queue_mean")), 7.5, 1e-12);
    // What was printed twice in other units is one record still, and a banner above changes nothing.
    let twice =
        "Device: rrqm/s wrqm/s r/s w/s rsec/s wsec/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util\n";
    let row = "sdj 0.00 0.00 308.00 0.00 319488.00 0.00 159744.00 0.00 1037.30 4.48 14.49 3.24 99.80\n";
    let banner = "Linux 2.6.9-42.ELsmp (db1) \t09/05/2005\n\n";
    for (text, records) in
        [(format!("{twice}{row}{row}{row}"), 3), (format!("{banner}{twice}{row}{row}{row}"), 2)]
    {
        let imported = import(&text);
        let lengths: Vec<usize> = imported.series[0].series.iter().map(|one| one.samples.len()).collect();
        assert!(lengths.iter().all(|length| *length == records), "{lengths:?}");
    }
}

/// Lines of other tools that begin with the word Device are no heading of iostat.
#[test]
fn a_device_model_is_no_heading() {
    let smart = "=== START OF INFORMATION SECTION ===\nDevice Model:     ACME DISK4000-X\nDevice is:        In smartctl database\n\n\
                 197 Current_Pending_Sector  0x0032   200   198   000    Old_age   Always       -       12\n";
    assert!(kinds(smart).iter().all(|kind| *kind == Kind::Lines), "{:?}", kinds(smart));
}

const AWR: &str = "\
Top 5 Timed Events                                         Avg %Total
~~~~~~~~~~~~~~~~~~                                        wait   Call
Event                                 Waits    Time (s)   (ms)   Time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
db file sequential read           1,000,000      40,000     40   70.0   User I/O
CPU time                                          8,000          14.0
";

#[test]
fn tables_of_a_report_without_its_head_are_read() {
    let report = awr::read(AWR.as_bytes(), "pasted.txt").unwrap();
    assert_eq!((report.top_events.len(), report.top_events[0].share_pct), (2, Some(70.0)));
    assert!(report.gaps.iter().any(|gap| gap.subject == "heading"), "{:?}", report.gaps);
}

#[test]
fn a_listing_of_the_events_view_is_a_report_of_waits() {
    let text = "\
EVENT                                    TOTAL_WAITS TIME_WAITED AVERAGE_WAIT
---------------------------------------- ----------- ----------- ------------
db file sequential read                        10000       20000            2
log file sync                                   1000         500           .5
";
    let report = awr::read(text.as_bytes(), "pasted.txt").unwrap();
    let wait = &report.waits["db file sequential read"];
    assert_eq!((wait.waits, wait.time_s, wait.mean_ms), (10_000, Some(200.0), Some(20.0)));
}

/// What sessions wait for, counted: of ASH, or of `v$session` at one moment.
#[test]
fn samples_by_event_are_a_report_of_waits() {
    let ash = "SQL> select event, pct from ash;\n\n\
EVENT                                                                   PCT
---------------------------------------------------------------- ----------
gc buffer busy acquire                                                 52.3
ON CPU                                                                 11.2
";
    let sessions = "\
EVENT                                                              COUNT(*) MAX(SECONDS_IN_WAIT)
---------------------------------------------------------------- ---------- --------------------
enq: TX - row lock contention                                            41                 1823
db file sequential read                                                   3                    0
";
    let time = |text: &str, event: &str| awr::read(text.as_bytes(), "x").unwrap().waits[event].time_s;
    assert_eq!((time(ash, "gc buffer busy acquire"), time(ash, "CPU time")), (Some(52.3), Some(11.2)));
    assert_eq!(time(sessions, "enq: TX - row lock contention"), Some(41.0));
    assert_eq!(kinds(sessions), [Kind::Report]);
    assert_eq!(kinds(" wait_event    | count\n---------------+-------\n WALWrite      |    61\n").len(), 1);
}

fn kinds(text: &str) -> Vec<Kind> {
    pieces(text, "pasted.txt", Options::default()).into_iter().map(|piece| piece.kind).collect()
}

/// Prompts, signs of quoting, and several outputs in one text.
#[test]
fn several_outputs_in_one_text_are_told_apart() {
    let text = format!(
        "[root@db1 ~]# cat /proc/net/bonding/bond0\nEthernet Channel Bonding Driver: v3.7.1\n\nBonding Mode: x\n\
         [root@db1 ~]# ethtool -S eth0\nNIC statistics:\n     rx_packets: 12\n[root@db1 ~]# pidstat -d\n{PIDSTAT}"
    );
    let expected = [Kind::Host("/proc/net/bonding/bond0"), Kind::Totals, Kind::Recording];
    assert_eq!(kinds(&text), expected);
    let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
    assert_eq!(kinds(&quoted), expected);
    assert_eq!(kinds(AWR), [Kind::Report]);
    assert_eq!(kinds("Mar  7 05:02:55 db01 kernel: nfs: server x not responding\n"), [Kind::Lines]);
}

/// A healthy log or output is known by its form, and is no error.
#[test]
fn what_tells_of_nothing_is_known_by_its_form() {
    for text in [
        "Nov 26 10:00:01 db1 systemd[1]: Started Session 4 of user root.\nNov 26 10:00:02 db1 sshd[811]: Accepted publickey for root\n",
        "Node  SN  Model  Namespace Usage  Format  FW Rev\n/dev/nvme0n1 K1 ACME 1 3.84 TB\n",
        "Features for eth0:\nrx-checksumming: on\n",
    ] {
        assert!(fullwire_demand::piece::is_known_form(text, Known::default()), "{text}");
    }
    assert!(!fullwire_demand::piece::is_known_form("Dear all,\nthe database is slow.\n", Known::default()));
}

/// What an output of another system is, and what is read instead.
#[test]
fn outputs_of_other_systems_are_told_apart() {
    let cases = [
        (
            "              disk0       cpu    load average\n    KB/t  tps  MB/s  us sy id   1m   5m   15m\n",
            "macOS",
        ),
        (
            "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\esx1\\Physical Disk SCSI Device(naa.6)\\Average Device MilliSec/Command\"\n",
            "ESXi",
        ),
        ("[oracle@db1 ~]$ frobnicate /u02\nnothing\n", "recognises nothing"),
        ("[ {\"gizmo\": 1} ]\n", "JSON"),
        ("\"(PDH-CSV 4.0)\",\"\\\\SQL1\\PhysicalDisk(0 C:)\\Avg. Disk sec/Write\"\n", "Windows"),
        ("ARCHIVED_     THREAD# SIZE_IN_MB\n01-MAR-24          1   81223.12\n", "by day"),
    ];
    for (text, what) in cases {
        assert!(fullwire_demand::piece::unknown(text, "pasted").what.contains(what), "{what}");
    }
}

/// Every decoder, cut about the end of each line and at every third place or so: an error or a part, and never a panic.
#[test]
fn pieces_cut_short_give_an_error_or_a_part() {
    let bond = "Ethernet Channel Bonding Driver: v3.7.1\n\nMII Status: up\n";
    let map = "mpatha (3600) dm-16 IBM,2145\nsize=1G features='0' hwhandler='0' wp=rw\n`-+- policy='round-robin 0' prio=30 status=active\n  |- 8:0:1:18 sdv 65:80 active ready running\n";
    let ioping = "4 KiB <<< /data (ext4 /dev/sdb1 98.3 GiB): request=2 time=26.5 ms\n\n--- /data (ext4 /dev/sdb1 98.3 GiB) ioping statistics ---\n9 requests completed in 402.1 ms\nmin/avg/max/mdev = 21.3 ms / 44.7 ms / 212.4 ms / 58.0 ms\n";
    let pgbench = "number of clients: 16\nnumber of transactions actually processed: 12310\nlatency average = 78.010 ms\ntps = 205.1\n 76.610 0  END;\n";
    let cloud =
        "Timestamp,VolumeReadOps,BurstBalance\n2024-03-05T10:05:00Z,30000,3\n2024-03-05T10:10:00Z,30000,0\n";
    let bare = "sdj 0.00 0.00 308.00 0.00 319488.00 0.00 159744.00 0.00 1037.30 4.48 14.49 3.24 99.80\n";
    let top = "top - 1:0:0 up 1 min, load average: 0.1, 0.2, 0.3\n%Cpu(s):  3.1 us,  1.2 sy, 75.0 wa\n";
    let brief = [ioping, pgbench, cloud, bare, top];
    for text in [FIO, IPERF, PIDSTAT, DD, SAR, SADF, IOSTAT, AWR, bond, map].into_iter().chain(brief) {
        for end in cuts(text.as_bytes()).into_iter().filter(|end| text.is_char_boundary(*end)) {
            let part = &text[..end];
            if let Err(error) = detect_and_read(part.as_bytes(), "cut", Options::default()) {
                assert!(error.line >= 1 && !error.what.is_empty(), "{error}");
            }
            let _ = awr::read(part.as_bytes(), "cut");
            let _ = pieces(part, "cut", Options::default());
            let _ = (
                logged::lines(part, "cut", fullwire_model::host::trouble::Known::default()),
                totals::totals(part, "cut"),
            );
        }
    }
}

/// Rows of tables, as the table of listings makes them.
fn told(text: &str) -> Vec<String> {
    let known = Known(|line| {
        ["patroni: ", "replication ", "histogram of ", "bcc: ", "_seconds 99th", "event_histogram: "]
            .iter()
            .any(|own| line.contains(own))
            .into()
    });
    let found = pieces(text, "pasted.txt", Options::default());
    assert!(found.iter().all(|piece| piece.kind == Kind::Lines), "{found:?}");
    found.iter().flat_map(|piece| logged::lines(&piece.text, "", known)).map(|line| line.text).collect()
}

#[test]
fn members_of_patroni_are_rows_in_each_of_its_forms() {
    let old = "+----------+--------+-----------+--------+---------+----+-----------+\n\
               | Cluster  | Member |    Host   |  Role  |  State  | TL | Lag in MB |\n\
               +----------+--------+-----------+--------+---------+----+-----------+\n\
               |   erp    |  pg1   | 192.0.2.1 | Leader | running |  9 |       0.0 |\n\
               |   erp    |  pg2   | 192.0.2.2 |        | running |  9 |     812.0 |\n\
               +----------+--------+-----------+--------+---------+----+-----------+\n";
    let new = "+ Cluster: erp (7301) ----+-----------+----+-----------+\n\
               | Member | Host      | Role    | State     | TL | Lag in MB |\n\
               +--------+-----------+---------+-----------+----+-----------+\n\
               | pg1    | 192.0.2.1 | Leader  | running   |  9 |           |\n\
               | pg2    | 192.0.2.2 | Replica | streaming |  9 |   **812** |\n\
               | pg3    | 192.0.2.3 | Replica | running   |  6 |     12030 |\n\
               +--------+-----------+---------+-----------+----+-----------+\n";
    assert!(
        told(old)
            .iter()
            .any(|line| line.ends_with("member=pg2; host=192.0.2.2; state=running; tl=9; lag in mb=812"))
    );
    let found = told(&format!("$ patronictl -c /etc/patroni.yml list\n{new}"));
    assert!(
        found.iter().any(|line| line.contains("member=pg2;") && line.ends_with("lag in mb=812")),
        "{found:?}"
    );
    assert!(found.contains(&"patroni: member=pg3; timeline=6; leader=9".to_owned()), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("member=pg2; timeline")), "{found:?}");
}

#[test]
fn lags_are_told_of_each_form_of_their_view() {
    let upright = "-[ RECORD 1 ]----+--------------\napplication_name | pg2\nstate | streaming\nwrite_lag | 00:00:00.002\nflush_lag | 00:00:04.812\n";
    let wide = " client_addr | state     | write_lag    | flush_lag       | replay_lag\n-------------+-----------+--------------+-----------------+--------------\n \
                192.0.2.7   | streaming | 00:00:00.002 | 00:00:04.812331 | 00:00:09\n(1 row)\n";
    assert!(told(upright).contains(&"replication pg2 flush_lag=4.812".to_owned()), "{:?}", told(upright));
    assert!(told(wide).contains(&"replication 192.0.2.7 flush_lag=4.812".to_owned()), "{:?}", told(wide));
}

#[test]
fn histograms_are_percentiles_also_where_they_are_cut() {
    let powers = "Tracing block device I/O... Hit Ctrl-C to end.\n^C\n     usecs               : count     distribution\n         \
                  0 -> 1          : 0        |      |\n       512 -> 1023       : 150      |******|\n      1024 -> 2047       : 49       |**    |\n    \
                  65536 -> 131071     : 2        |      |\n";
    assert_eq!(told(powers), ["histogram of block device I/O 99th percentile=2.0 ms of 201"]);
    let cut = "x_fsync_duration_seconds_bucket{le=\"0.001\"} 10\nx_fsync_duration_seconds_bucket{le=\"0.01\"} 90\nx_fsync_duration_seconds_bucket{le=\"0.1\"} 200\n";
    assert_eq!(told(cut), ["x_fsync_duration_seconds 99th percentile=98.4 ms of 200"]);
    let slow = "# ext4slower 10\nTIME     COMM           PID    T BYTES   OFF_KB   LAT(ms) FILENAME\n06:49:17 mysqld         3616   W 16384   0         812.35 ibdata1\n\
                06:49:18 mysqld         3616   S 0       0          12.10 ib_logfile0\n";
    assert_eq!(told(slow), ["bcc: the slowest of 2 operations took ms=812.35"]);
}

#[test]
fn tests_of_storage_that_were_cut_are_read() {
    let meanwhile = "Number of threads: 1\nBlock size 16KiB\n[ 1s ] reads: 0.00 MiB/s writes: 1.00 MiB/s fsyncs: 800.00/s latency (ms,95%): 1.250\n\
                     [ 2s ] reads: 0.00 MiB/s writes: 2.00 MiB/s fsyncs: 1120.00/s latency (ms,95%): 1.110\n";
    let step = &import(meanwhile).disk[0].steps[0];
    assert_eq!((step.iops, step.block_bytes), (96.0, 16_384));
    let rados = "Maintaining 16 concurrent reads of 8192 bytes for up to 10 seconds or 0 objects\n  sec Cur ops   started  finished  avg MB/s  cur MB/s last lat(s)  avg lat(s)\n    \
                 1      16      1216      1200      9.37      9.37  0.0131   0.0130\n    2      16      2416      2400      9.37      9.37  0.0131   0.0132\n";
    let step = &import(rados).disk[0].steps[0];
    assert_eq!((step.iops, step.block_bytes, step.queue_depth), (1200.0, 8192, 16));
    assert!((step.latency_ns.mean - 13.2e6).abs() < 1.0);
    let fio = |row: &str| {
        format!(
            "job: (groupid=0, jobs=1): err= 0: pid=11: Mon Nov 23 14:59:11 2026\n   read: IOPS=2967, BW=11.6MiB/s (12.2MB/s)(174MiB/15017msec)\n  {row}\n"
        )
    };
    for (row, depth) in [
        ("IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=99.8%, >=64=0.0%", 32),
        ("     latency   : target=0, window=0, percentile=100.00%, depth=128", 128),
        ("cpu          : usr=1.80%, sys=6.69%", 1),
    ] {
        assert_eq!(import(&fio(row)).disk[0].steps[0].queue_depth, depth, "{row}");
    }
}

#[test]
fn marks_around_a_passage_and_the_name_of_a_log_go() {
    let speed = "Settings for eth7:\n\tSpeed: 1000Mb/s\n\tLink detected: yes";
    for text in [
        format!("_{speed}_"),
        format!("`{speed}`"),
        format!("**{speed}**").replace("**S", "S").replace("**", ""),
    ] {
        let found = pieces(&text, "pasted.txt", Options::default());
        assert!(
            found[0].text.starts_with("Settings for eth7:") && !found[0].text.contains("yes_"),
            "{found:?}"
        );
    }
    let log = "alert: Mon Nov 23 11:47:35 2026\nalert: Thread 1 advanced to log sequence 2 (LGWR switch)\nalert:   Current log# 2 seq# 2 mem# 0: /u01/redo02.log\n";
    assert!(
        pieces(log, "pasted.txt", Options::default())[0].text.starts_with("Mon Nov 23"),
        "the name is no part of it"
    );
    let tree = "size=1G features='0' hwhandler='0' wp=rw\n`-+- policy='service-time 0' prio=1 status=active\n  `- 2:0:0:1 sdb 8:16 active ready running\n";
    assert!(
        pieces(tree, "pasted.txt", Options::default())[0].text.contains("`-+- policy"),
        "a tree is no mark"
    );
}

#[test]
fn events_are_read_without_a_ruler_and_from_broken_lines() {
    let plain = "Event                   Waits          Time (s)  Avg Wait(ms) %Total  Wait Class\n\nCPU time                               812               46.2\n\
                 db file sequential read 18,230         787     43         44.8     User I/O\nlibrary cache lock      31             97      3129         5.5      Concurrency\n";
    let broken = "Top 5 Timed Events\n~~~~~~~~~~~~~~~~~~\n% Total\nEvent\nWaits Time (s) Ela Time\n------------------ ------------\n----------- --------\ndb file\nsequential read\n\
                  18,230 787\n44.81\nCPU time\n812 46.20\n";
    for text in [plain, broken] {
        let piece = pieces(text, "pasted.txt", Options::default()).remove(0);
        assert_eq!(piece.kind, Kind::Report, "{text}");
        let report = awr::read(piece.text.as_bytes(), "pasted.txt").expect("a report");
        let read =
            report.top_events.iter().find(|event| event.name == "db file sequential read").expect("an event");
        assert_eq!(read.time_s, Some(787.0), "{read:?}");
    }
}

#[test]
fn a_test_of_a_database_by_sysbench_is_read_whole_and_cut() {
    let summary = "Number of threads: 8\nSQL statistics:\n    transactions:                        8120   (812.00 per sec.)\n    ignored errors:                      1      (0.03 per sec.)\n\
                   Latency (ms):\n         avg:                                  9.85\n         95th percentile:                        12.10\n";
    let of = |metric| mean(&import(summary), "database", "", metric);
    assert_eq!((of("transactions_per_s"), of("transaction_ns"), of("clients")), (812.0, 9.85e6, 8.0));
    let old = "    transactions:                        400    (40.0 per sec.)\n         avg:                                 25.0ms\n";
    assert!((mean(&import(old), "database", "", "transaction_ns") - 25e6).abs() < 1.0);
    let cut = "[ 2s ] thds: 16 tps: 100.00 qps: 2000.00 (r/w/o: 1400.00/400.00/200.00) lat (ms,95%): 28.67 err/s: 0.00 reconn/s: 0.00\n\
               [ 4s ] thds: 16 tps: 300.00 qps: 6000.00 (r/w/o: 4200.00/1200.00/600.00) lat (ms,95%): 64.47 err/s: 0.00 reconn/s: 0.00\n";
    let cut = import(cut);
    assert!((mean(&cut, "database", "", "transactions_per_s") - 200.0).abs() < 1e-9);
    // 16 threads of which each waits for its own answer alone.
    let transaction = f64::midpoint(16.0 / 100.0, 16.0 / 300.0) * 1e9;
    close(Some(mean(&cut, "database", "", "transaction_ns")), transaction, 1e-9);
    close(Some(mean(&cut, "database", "", "clients")), 16.0, 1e-9);
}

#[test]
fn a_map_in_a_line_of_a_log_has_its_own_name() {
    let map = "size=1G features='0' hwhandler='0' wp=rw `-+- policy='service-time 0' prio=50 status=active   |- 3:0:0:1 sdb 8:16 active ready running   `- 4:0:0:1 sdc 8:32 active ready running";
    for name in ["3624a9370 dm-4 PURE,FlashArray", "mpathq (3624a9370) dm-4 PURE,FlashArray"] {
        let text = format!("02:45:37 2026-11-23 [INFO] [x] Output [[{name} {map}]]\n");
        let found = &pieces(&text, "pasted.txt", Options::default())[0].text;
        assert_eq!(found.lines().next().map(|line| line.trim_start_matches('[')), Some(name), "{found}");
    }
}

#[test]
fn a_map_or_a_member_of_a_bond_that_lost_its_head_is_known() {
    let map = "    size=7.0T features='0' hwhandler='1 alua' wp=rw\n    `-+- policy='round-robin 0' prio=50 status=active\n      |- 11:0:0:7 sdq 65:0  active ready running\n";
    let found = &pieces(map, "pasted.txt", Options::default())[0];
    assert_eq!(found.kind, Kind::Host("/sos_commands/multipath/multipath_-ll"));
    assert!(found.text.starts_with("unnamed dm-0 ,\nsize=7.0T"), "{}", found.text);
    let member =
        "    Slave Interface: eno7\n    MII Status: up\n    Link Failure Count: 7\n    Aggregator ID: 3\n";
    let found = &pieces(member, "pasted.txt", Options::default())[0];
    assert_eq!(found.kind, Kind::Host("/proc/net/bonding/bond0"));
    assert!(found.text.starts_with("Bonding Mode: IEEE 802.3ad"), "{}", found.text);
}

#[test]
fn what_is_left_of_a_run_of_fio_are_its_sums_and_the_requests_of_its_disk() {
    let sums = "Run status group 0 (all jobs):\n   READ: bw=80.0MiB/s (83.9MB/s), 20.0MiB/s-20.0MiB/s (21.0MB/s-21.0MB/s), io=800MiB (839MB), run=10000-10000msec\n\n\
                Disk stats (read/write):\n  sdq: ios=51200/7, merge=0/3, ticks=9812/7, in_queue=9819, util=99.10%\n";
    let imported = import(sums);
    let step = &imported.disk[0].steps[0];
    assert_eq!((step.ios, step.iops, step.block_bytes), (51_200, 5_120.0, 16_384));
    close(Some(step.throughput_bytes_per_s), 80.0 * 1_048_576.0, 1e-9);
    let old = "  WRITE: io=400.0MB, aggrb=40960KB/s, minb=40960KB/s, maxb=40960KB/s, mint=10000msec, maxt=10000msec\n\nDisk stats (read/write):\n  sdq: ios=7/100/3, merge=0/0\n";
    let steps = import(&old.replace("7/100/3", "7/102400")).disk.remove(0).steps;
    assert_eq!((steps[0].ios, steps[0].block_bytes), (102_400, 4096));
}

#[test]
fn a_histogram_of_waits_is_that_of_the_event_its_statement_names_without_rare_ones() {
    let listing = "SQL> select wait_time_milli, wait_count from v$event_histogram\n  2  where event = 'db file sequential read';\nWAIT_TIME_MILLI WAIT_COUNT      %\n--------------- ---------- ------\n\
                   1 81200 81.20\n16 18790 18.79\n512 9 0.01\n1024 1 0.00\n";
    let rows = told(listing);
    assert!(rows.iter().all(|row| !row.contains("=512") && !row.contains("=1024")), "{rows:?}");
    let often = listing.replace("512 9 0.01", "512 812 0.81");
    let rows = told(&often);
    let long = rows.iter().find(|row| row.contains("wait_time_milli=512"));
    assert!(
        long.is_some_and(
            |row| row.contains("event=db file sequential read") && row.contains("wait_count=812")
        ),
        "{rows:?}"
    );
    let log = listing.replace("db file sequential read", "log file parallel write");
    assert!(told(&log).iter().any(|row| row.contains("=1024")));
}

/// Outputs of which several lines mean something together, or of which the states alone tell.
#[test]
fn what_no_line_says_by_itself_is_told() {
    let known =
        Known(|line| ["state: ", "kafka: ", "histogram of "].iter().any(|own| line.starts_with(own)).into());
    let told =
        |text: &str| logged::lines(text, "", known).into_iter().map(|one| one.text).collect::<Vec<_>>();
    let drives = "id status use    capacity\n0  online member 558.4GB\n12 offline failed 558.4GB\n";
    assert_eq!(told(drives), ["state: thing=id 12; is=offline"]);
    assert_eq!(told(&drives.replace("12 offline failed", "12 online  member")), Vec::<String>::new());
    let topics = "\tTopic: orders\tPartition: 4\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2\n\
                  \tTopic: orders\tPartition: 5\tLeader: 2\tReplicas: 2,3,1\tIsr: 2,1,3\n";
    assert_eq!(told(topics), ["kafka: topic=orders; partition=4; lacks=1"]);
    let latency = "Tracing block device I/O... Hit Ctrl-C to end.\n\ndisk = 'sdb'\n     usecs               : count     distribution\n\
                   \x20    65536 -> 131071     : 8122     |****|\n    131072 -> 262143     : 1202     |*   |\n";
    assert_eq!(told(latency), ["histogram of block device I/O of sdb 99th percentile=262.1 ms of 9324"]);
}

/// A day of a table by hours is no disk with its counters.
#[test]
fn a_row_of_days_is_no_disk() {
    let hours: String = (0..12).map(|hour| format!("  {hour:02}")).collect();
    let table = format!("DAY      {hours}\n02-MAR-21{}\n", " 155".repeat(12));
    let found = pieces(
        &table,
        "pasted.txt",
        Options { known: Known(|line| line.starts_with("by hour").into()), ..Options::default() },
    );
    assert_eq!(found[0].kind, Kind::Lines);
    let told = logged::lines(&found[0].text, "", Known(|line| line.starts_with("by hour").into()));
    assert_eq!(told[0].text, "by hour: most=155");
}

/// Page scans are a column of their own on other systems, and none that Linux has.
#[test]
fn scans_of_other_systems_are_read() {
    let solaris = " kthr      memory            page            disk          faults      cpu\n \
                   r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 --   in   sy   cs us sy id\n \
                   2 12 0 4120332 81220 812 4120 912 1822 4120 0 41220 12 41 0 0 4120 91220 8122 22 31 47\n";
    assert!((mean(&import(solaris), "memory", "", "scan_pages_per_s") - 41220.0).abs() < 1e-9);
    let aix = "kthr    memory              page              faults              cpu\n----- ----------- ------------------------ ------------ -----------------------\n \
               r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa\n 4 11 8123401  1022   0 812 1440 2210 18233   0 1210 30112 9120 22 18 12 48\n";
    assert!((mean(&import(aix), "memory", "", "scan_pages_per_s") - 18233.0).abs() < 1e-9);
}
