//! Figures per device of other systems, by the columns that Linux has for them. All texts are of our own making, in the forms
//! of the tools.

use fullwire_demand::import::{Imported, Options, detect_and_read};

fn import(text: &str) -> Imported {
    detect_and_read(text.as_bytes(), "pasted.txt", Options::default()).expect(text)
}

fn close(value: f64, expected: f64) {
    crate::close(Some(value), expected, 1e-9);
}

/// Each value of a metric, in its order.
fn values(imported: &Imported, area: &str, subject: &str, metric: &str) -> Vec<f64> {
    let all = imported.series[0].series.iter().find(|one| {
        (one.area.as_str(), one.subject.as_str(), one.metric.as_str()) == (area, subject, metric)
    });
    all.map_or(vec![], |one| one.samples.iter().map(|sample| sample.value).collect())
}

fn only(imported: &Imported, subject: &str, metric: &str) -> f64 {
    let found = values(imported, "disk", subject, metric);
    assert_eq!(found.len(), 1, "{metric} of {subject}: {:?}", imported.series[0]);
    found[0]
}

#[test]
fn solaris_waits_in_the_host_and_at_the_device_are_one() {
    let named = "                    extended device statistics\n    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n   70.0   30.0 560.0  240.0  2.0  3.0   20.0   30.5   9  97 c7t1d0\n";
    let first = "                 extended device statistics\ndevice    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b\nc7t1d0   70,0   30,0  560,0  240,0  2,0  3,0   20,0   30,5   9  97\n";
    let old = "device  r/s  w/s  kr/s  kw/s wait actv svc_t %w %b us sy wt id\nc7t1d0 70.0 30.0 560.0 240.0 2.0 3.0 50.5 9 97 7 3 0 90\n";
    for text in [named, first, old] {
        let imported = import(text);
        close(only(&imported, "c7t1d0", "await_ns"), 50.5e6);
        close(only(&imported, "c7t1d0", "queue_mean"), 5.0);
        close(only(&imported, "c7t1d0", "util_ratio"), 0.97);
        close(only(&imported, "c7t1d0", "read_bytes_per_s"), 560.0 * 1024.0);
    }
}

#[test]
fn the_first_of_several_reports_is_since_boot_and_a_device_that_comes_again_is_the_next() {
    let heading = "    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n";
    let row = |busy: u32| format!("   7.0   3.0 560.0  240.0  0.0  0.1   0.0   7.5   0  {busy} c7t1d0\n");
    let text = format!("{heading}{}{heading}{}{heading}{}", row(1), row(40), row(50));
    assert_eq!(values(&import(&text), "disk", "c7t1d0", "util_ratio"), [0.4, 0.5]);
    let grepped = format!("{heading}{}{}{}", row(10), row(40), row(50));
    assert_eq!(values(&import(&grepped), "disk", "c7t1d0", "util_ratio"), [0.1, 0.4, 0.5]);
}

#[test]
fn sar_of_unix_has_its_time_once_for_all_devices() {
    let text = "SunOS db7 5.11 11.3 sun4v 11/23/2026\n\n10:00:00   device        %busy   avque   r+w/s  blks/s  avwait  avserv\n\n10:00:10   sd7             91     4.0      70    1600    30.0    12.5\n           sd8              1     0.0       3      48     0.0     7.0\n\n\
                10:00:20   sd7             95     5.0      80    1600    40.0    12.5\n           sd8              2     0.0       3      48     0.0     7.0\n\nAverage    sd7             93     4.5      75    1600    35.0    12.5\n";
    let imported = import(text);
    assert_eq!(values(&imported, "disk", "sd7", "util_ratio"), [0.91, 0.95]);
    assert_eq!(values(&imported, "disk", "sd7", "await_ns"), [42.5e6, 52.5e6]);
    assert_eq!(values(&imported, "disk", "sd7", "bytes_per_s"), [819_200.0, 819_200.0]);
    assert_eq!(values(&imported, "disk", "sd8", "io_per_s"), [3.0, 3.0]);
}

#[test]
fn aix_tells_its_cpus_above_its_disks() {
    let text = "System configuration: lcpu=16 drives=2\n\ntty:      tin         tout    avg-cpu: % user % sys % idle % iowait\n          0.1          9.0               12.0   5.0   43.0     40.0\n\n\
                Disks:        % tm_act     Kbps      tps    Kb_read   Kb_wrtn\nhdisk7          98.0    7168.0     812.0     391912    242113\n";
    let imported = import(text);
    close(only(&imported, "hdisk7", "util_ratio"), 0.98);
    close(only(&imported, "hdisk7", "bytes_per_s"), 7_340_032.0);
    assert_eq!(values(&imported, "cpu", "all", "iowait_ratio"), [0.4]);
}

#[test]
fn freebsd_has_gstat_and_an_iostat_of_its_own() {
    let gstat = "dT: 1.001s  w: 1.000s\n L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   %busy Name\n    7    300    200   3200   12.5    100    800   40.0   99.5| ada7\n";
    let imported = import(gstat);
    close(only(&imported, "ada7", "read_await_ns"), 12.5e6);
    close(only(&imported, "ada7", "write_await_ns"), 40e6);
    close(only(&imported, "ada7", "queue_mean"), 7.0);
    let iostat = "                        extended device statistics\ndevice       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b\nada7         200     100   3200.0    800.0    12    40     0    21    7  99\n";
    let imported = import(iostat);
    close(only(&imported, "ada7", "await_ns"), 21e6);
    close(only(&imported, "ada7", "util_ratio"), 0.99);
}

#[test]
fn zpool_has_units_and_groups_of_devices() {
    let text = "              capacity     operations     bandwidth    total_wait     disk_wait    syncq_wait    asyncq_wait  scrub\npool        alloc   free   read  write   read  write   read  write   read  write   read  write   read  write   wait\n\
                ----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----\ntank7       1.47T  85.5T  1.5K     70  96M   512      6ms   40ms    4ms      -  133ns      -    1ms      -      -\n  mirror-0  1.47T  85.5T  1.5K     70  96M   512      6ms   40ms    4ms      -  133ns      -    1ms      -      -\n\
                \x20   sdq         -      -    768     70  48M   512    800us   40ms  700us      -  133ns      -    1ms      -      -\n";
    let imported = import(text);
    close(only(&imported, "tank7", "read_io_per_s"), 1536.0);
    close(only(&imported, "tank7", "write_bytes_per_s"), 512.0);
    close(only(&imported, "sdq", "read_await_ns"), 800e3);
    close(only(&imported, "sdq", "write_await_ns"), 40e6);
    assert!(values(&imported, "disk", "mirror-0", "read_io_per_s").is_empty());
}

#[test]
fn vmstat_of_other_systems_tells_runnable_blocked_and_idle() {
    let solaris = " kthr      memory            page            disk          faults      cpu\n r b w   swap  free  re  mf pi po fr de sr m0 m1 m2 m3   in   sy   cs us sy id\n 0 7 0 812000 41200 8 70 0 0 0 0 0 7 0 0 0 812 700 541 12 8 80\n";
    let aix = "kthr    memory              page              faults        cpu\n----- ----------- ------------------------ ------------ -----------\n r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa\n 3  7 81200 41200   0 812  70   0    0   0 812 700 541 12  8 40 40\n";
    for text in [solaris, aix] {
        let imported = import(text);
        assert_eq!(values(&imported, "system", "", "blocked"), [7.0]);
        assert_eq!(values(&imported, "cpu", "all", "user_ratio"), [0.12]);
    }
    assert_eq!(values(&import(aix), "memory", "", "swap_in_pages_per_s"), [812.0]);
    assert_eq!(values(&import(aix), "cpu", "all", "iowait_ratio"), [0.4]);
}

#[test]
fn a_heading_without_rows_is_no_recording() {
    let text = "device  r/s  w/s  kr/s  kw/s wait actv svc_t %w %b\n";
    assert!(detect_and_read(text.as_bytes(), "pasted.txt", Options::default()).is_err());
}

/// `{2}` of pt-diskstats is two devices added up, of which the busy time is the mean.
#[test]
fn each_device_of_pt_diskstats_has_its_intervals() {
    let text = "  #ts device    rd_s rd_avkb rd_mb_s rd_mrg rd_cnc   rd_rt    wr_s wr_avkb wr_mb_s wr_mrg wr_cnc   wr_rt busy in_prg    io_s  qtime stime\n\
        \x20 1.0 sda        0.0     0.0     0.0     0%    0.0     0.0    12.0    10.7     0.1    33%    0.0     1.2   1%      0    12.0    0.8   0.4\n\
        \x20 1.0 sdb      402.0    16.0     6.3     0%   24.1    60.0   388.0    15.9     6.0     0%   29.0    74.8 100%     51   790.0   66.1   1.3\n\
        \x20 2.0 sdb      398.0    16.0     6.2     0%   25.0    62.8   391.0    15.9     6.1     0%   30.2    77.2 100%     57   789.0   68.7   1.3\n";
    let imported = import(text);
    assert_eq!(values(&imported, "disk", "sdb", "write_await_ns"), [74.8e6, 77.2e6]);
    assert_eq!(values(&imported, "disk", "sdb", "util_ratio"), [1.0, 1.0]);
    assert_eq!(values(&imported, "disk", "sdb", "read_io_per_s"), [402.0, 398.0]);
    let together = import(&text.replace("sdb", "{2}"));
    assert_eq!(values(&together, "disk", "2 devices together", "write_await_ns"), [74.8e6, 77.2e6]);
    assert!(values(&together, "disk", "2 devices together", "util_ratio").is_empty());
}
