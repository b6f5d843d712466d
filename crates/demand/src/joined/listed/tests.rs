//! Rows of listings and lines of figures, in the forms of their tools.

use super::*;

fn lines(text: &str) -> Vec<String> {
    read(text).lines
}

#[test]
fn a_row_has_its_columns_by_name_however_it_is_printed() {
    let ruled = "NAME                            READ_ERRS WRITE_ERRS\n------------------------------ ---------- ----------\n\
                 DATA_0000                               0          0\nDATA_0003                              17          4\n";
    let csv = "\"NAME\",\"READ_ERRS\",\"WRITE_ERRS\"\n\"DATA_0000\",0,0\n\"DATA_0003\",17,4\n";
    for text in [ruled, csv] {
        assert_eq!(lines(text)[1], "v$asm_disk: name=DATA_0003; read_errs=17; write_errs=4", "{text}");
    }
    let standby = "PROCESS   STATUS        SEQUENCE#\n--------- ------------ ----------\nARCH      CLOSING           8412\nMRP0      WAIT_FOR_GAP      8399\n";
    assert_eq!(lines(standby)[1], "v$managed_standby: process=MRP0; status=WAIT_FOR_GAP; sequence#=8399");
    let psql = "-[ RECORD 1 ]---------+------\ncheckpoints_timed     | 12\ncheckpoints_req       | 340\nbuffers_backend_fsync | 7\n";
    assert_eq!(
        lines(psql),
        ["pg_stat_bgwriter: checkpoints_timed=12; checkpoints_req=340; buffers_backend_fsync=7"]
    );
}

#[test]
fn names_and_values_are_one_record() {
    let sysstat = "NAME                                     VALUE\n----------------------------------- ----------\n\
                   redo size                           3418477080\nredo writes                             426201\n";
    assert_eq!(lines(sysstat), ["v$sysstat: redo size=3418477080; redo writes=426201"]);
    let shown = "NAME                                 TYPE        VALUE\n------------------------------------ ----------- ------------------------------\n\
                 filesystemio_options                 string      none\n";
    assert_eq!(lines(shown), ["v$parameter: filesystemio_options=none"]);
}

#[test]
fn tools_with_a_form_of_their_own() {
    let getif = "eth0  10.1.0.0  global  public\neth1  192.168.10.0  global  cluster_interconnect\n";
    assert_eq!(lines(getif)[1], "oifcfg: interface=eth1; network=192.168.10.0; use=cluster_interconnect");
    let stream = "Recv   Send    Send\nSocket Socket  Message  Elapsed\nSize   Size    Size     Time     Throughput\n\
                  bytes  bytes   bytes    secs.    10^6bits/sec\n\n 87380  16384  16384    10.02     941.38\n";
    assert_eq!(lines(stream), ["netperf: throughput_mbit=941.38"]);
    let wall =
        "the switch cluster_interconnect is global\nselect name, read_errs, write_errs from v$asm_disk;\n";
    assert_eq!(lines(wall), Vec::<String>::new());
}

#[test]
fn a_line_is_a_row_of_figures() {
    for (line, told) in [
        (
            "I2D  0.000000198  0.021310922  0.201221002  20319",
            "btt in the queue: min=0.000000198; ms=21.311; max=0.201221002; count=20319",
        ),
        (
            "ora_lgwr_db7:812 |  812.204 ms |  7122 | avg:   12.412 ms | max: 412.2 ms",
            "perf sched: process=ora_lgwr_db7:812; total_ms=812.204; count=7122; delay_ms=12.412",
        ),
        (
            "total:  121634816 |  14848 |  3.87 |  494.86 |  64.621 |  88.212",
            "diskspd: bytes=121634816; ios=14848; mib=3.87; io_per_s=494.86; average_ms=64.621",
        ),
        (
            "3f1c22ab1122  postgres  99.87%  3.998GiB / 4GiB  99.95%  1.2GB / 3.4GB",
            "docker stats: id=3f1c22ab1122; container=postgres; cpu=99.87; used=3.998GiB; limit=4GiB; mem=99.95",
        ),
        (
            "read:   812  4  0  816  7  812.4  38",
            "smartctl: fast=812; slow=4; again=0; corrected=816; tries=7; gbyte=812.4; uncorrected=38",
        ),
        (
            "LISTEN  129  128  0.0.0.0:1521  0.0.0.0:*",
            "listening: queued=129; most=128; address=0.0.0.0:1521",
        ),
        (
            "94.11  84212.44 us  9121.00 us  912331.00 us  13412  FSYNC",
            "gluster: share=94.11; ms=84.212; min=9121; max=912331; calls=13412; fop=FSYNC",
        ),
        ("sockperf: Summary: Latency is 23.512 usec", "sockperf: us=23.512"),
        ("    0 runts  0 giants  812 CRC  0 no buffer", "port: runts=0; giants=0; crc=812"),
        ("    7 input errors, 812 CRC, 0 frame, 0 overrun", "port: errors=7; crc=812"),
        (" latency  =  23.1 us", "qperf: us=23.1"),
        (
            " 1112.5000 MB /  10.00 sec =  933.2 Mbps 4 %TX 12 %RX 4124 retrans 0.31 msRTT",
            "nuttcp: mb=1112.5; s=10; mbit=933.2; tx=4; rx=12; retrans=4124",
        ),
        (
            "Vuser 1:TEST RESULT : System achieved 41231 NOPM from 95112 Oracle TPM",
            "HammerDB: nopm=41231; tpm=95112",
        ),
        (
            "10:00:02.060     avg_2-2   80124.00   312.98    4096  70.00    0.399    0.418    0.358  12.91",
            "vdbench: iops=80124; mb=312.98; bytes=4096; read=70; ms=0.399; read_ms=0.418; write_ms=0.358",
        ),
        (
            "3/12/2023 10:12:21 PM :: Busy: Source 12% > Proxy 8% > Network 31% > Target 92%",
            "veeam: source=12; proxy=8; network=31; target=92",
        ),
        (
            "  7:  912.2m 812.0m  12    912.2k 901.1k   0      0      0      4.1m   2.2k   2      8      4      0      0      7      0",
            "fc port: port=7; tx=912200000; rx=812000000; enc_in=12; crc=912200; g_eof=901100; short=0; long=0; bad_eof=0; \
             enc_out=4100000; discarded=2200; link=2; sync=8; sig=4; frjt=0; fbsy=0",
        ),
        (
            "ora_redo      t  812  811  810  9120  9119  9118 61.20 60.20 11.2 11.1   48",
            "array: name=ora_redo; io=812; io_avg=811; io_max=810; kb=9120; kb_avg=9119; kb_max=9118; ms=61.2; ms_avg=60.2; \
             kib=11.2; kib_avg=11.1; queue=48",
        ),
        (
            " 71%  1 2 3 8122  12 41  91220 88120  4 5  >60  91% 100%  B  97%  12 8110",
            "netapp sysstat: cpu=71; nfs=1; cifs=2; http=3; all=8122; in=12; out=41; read=91220; written=88120; tape=4; taped=5; \
             age=>60; hit=91; cp=100; cp_type=B; disk=97",
        ),
        (
            "    Errors: 81220, Drops: 7, Framing errors: 812, Runts: 0, Policed discards: 0",
            "port: errors=81220; discarded=7; crc=812",
        ),
        (
            "Ethernet1/3    Auto On  (8)   91220331   12",
            "port: mode=Auto; oper=On; classes=(8); pauses=91220331; sent=12",
        ),
        ("1min 30.114s dev-sdq1.device", "systemd-analyze blame: min=1; s=30.114; unit=dev-sdq1.device"),
    ] {
        assert_eq!(result(line).as_deref(), Some(told));
    }
    for other in [
        "  NET_RX: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
        "took 12.5s in all",
        "latency is 23 us",
        "the average of TPS : 7 x 8 *",
        "latency = high us",
        "",
    ] {
        assert_eq!(result(other), None, "{other}");
    }
}

#[test]
fn names_of_several_words_stand_two_blanks_apart() {
    let monitor = "Name     Time                     B/s (read)  us/op (read)  us/op (write)\n\
                   oradata  2021-09-01 10:12:10 UTC  412.20M     812           18220\n";
    assert_eq!(
        lines(monitor),
        [
            "array: name=oradata; time=2021-09-01 10:12:10 UTC; b/s (read)=412.20M; read_ms=0.812; write_ms=18.22"
        ]
    );
}

#[test]
fn a_record_and_cells_with_units() {
    let virsh = "vdq rd_req 7\nvdq wr_req 812\nvdq flush_operations 4\nvdq wr_total_times 81200\nvdq flush_total_times 400\n";
    assert!(lines(virsh)[0].starts_with("virsh domblkstat: rd_req=7; wr_req=812; flush_operations=4;"));
    let coalescing =
        "Coalesce parameters for eth7:\nAdaptive RX: off  TX: off\n\nrx-usecs: 812\ntx-usecs: 7\n";
    assert!(
        lines(coalescing)[0].ends_with("adaptive rx=off  TX: off; rx-usecs=812; tx-usecs=7"),
        "{:?}",
        lines(coalescing)
    );
    let qos = "Workload   ID    Latency    Network    QoS Max       Disk\n---------- ------ ---------- ---------- ---------- ----------\n\
               vol7-wid9  812    18.31ms   112.00us    17.94ms    41.00us\n";
    assert_eq!(
        lines(qos),
        ["netapp qos: workload=vol7-wid9; id=812; latency=18.31; network=0.112; qos max=17.94; disk=0.041"]
    );
    let calls = "   syscall            calls  errors  total       min       avg       max       stddev\n   \
                 (msec)    (msec)    (msec)    (msec)        (%)\n   --------------- --------  ------ -------- --------- --------- ---------     ------\n   \
                 fdatasync            100      0  9120.000     4.120    91.200   412.881      2.12%\n";
    assert!(
        lines(calls)[0].starts_with("strace: syscall=fdatasync; calls=100; errors=0; seconds=9.12;"),
        "{:?}",
        lines(calls)
    );
}

/// No block begins with one, and none is read for its sake.
#[test]
fn empty_lines_are_passed_over() {
    let empty = "\n".repeat(LARGEST_BYTES / 2);
    let row = read("Attribute: value\n\nname value\n").lines;
    assert_eq!(read(&format!("{empty}Attribute: value\n\nname value\n")).lines, row);
}
