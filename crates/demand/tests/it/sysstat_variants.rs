//! sysstat's less common outputs: human-readable figures, JSON of mpstat, several tables of one report, `iostat -z`. Small
//! texts of our own making, in the layouts that the tools print (SYNTHETIC).

use fullwire_demand::DateOrder;
use fullwire_demand::import::{Imported, Options, detect_and_read};
use fullwire_model::demand::{ImportedSeries, Series};

const KIB: f64 = 1024.0;

fn import(text: &str) -> Imported {
    let options = Options { date_order: Some(DateOrder::MonthDayYear), ..Options::default() };
    detect_and_read(text.as_bytes(), "variant", options).unwrap_or_else(|error| panic!("{error}"))
}

fn find<'a>(file: &'a ImportedSeries, area: &str, subject: &str, metric: &str) -> Option<&'a Series> {
    let mut all = file.series.iter();
    all.find(|one| one.area == area && one.subject == subject && one.metric == metric)
}

#[track_caller]
fn values(imported: &Imported, area: &str, subject: &str, metric: &str) -> Vec<f64> {
    let found = find(&imported.series[0], area, subject, metric);
    let one = found.unwrap_or_else(|| panic!("no {metric} of {subject}"));
    one.samples.iter().map(|sample| sample.value).collect()
}

fn times(imported: &Imported, area: &str, subject: &str, metric: &str) -> Vec<String> {
    let one = find(&imported.series[0], area, subject, metric).expect("the series");
    one.samples.iter().map(|sample| sample.at.map_or("-".into(), |at| at.to_string())).collect()
}

#[track_caller]
fn gap(imported: &Imported, subject: &str) -> String {
    let gaps = &imported.series[0].gaps;
    let found = gaps.iter().find(|gap| gap.subject == subject);
    found.unwrap_or_else(|| panic!("no gap of {subject}: {gaps:?}")).detail.clone()
}

#[test]
fn sar_in_human_figures() {
    let imported = import(
        "Linux 6.1.0 (db1) \t03/27/26 \t_x86_64_\t(8 CPU)\n\n\
         00:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
         00:10:00        all      3.2%      0.0%      1.0%      0.8%      0.0%     95.0%\n\
         00:20:00        all      4.2%      0.0%      1.0%      0.8%      0.0%     94.0%\n\n\
         00:00:00          tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util DEV\n\
         00:10:00        68.00      1.5M    100.0k      8.0k      0.40      4.61     43.0% sdc\n\n\
         00:00:00      rxpck/s   txpck/s    rxkB/s    txkB/s   %ifutil IFACE\n\
         00:10:00       100.00    100.00     12.5k     10.0B      1.6% eno1\n",
    );
    assert_eq!(values(&imported, "cpu", "all", "user_ratio"), [0.032, 0.042]);
    assert_eq!(values(&imported, "disk", "sdc", "util_ratio"), [0.43]);
    assert_eq!(values(&imported, "disk", "sdc", "read_bytes_per_s"), [1.5 * KIB * KIB]);
    assert_eq!(values(&imported, "disk", "sdc", "request_mean_bytes"), [8.0 * KIB]);
    assert_eq!(values(&imported, "nic", "eno1", "rx_bytes_per_s"), [12.5 * KIB]);
    assert_eq!(values(&imported, "nic", "eno1", "tx_bytes_per_s"), [10.0]);
    assert!(imported.series[0].gaps.is_empty(), "{:?}", imported.series[0].gaps);
}

#[test]
fn a_cell_that_is_no_figure_is_told() {
    let sar = import(
        "Linux 6.1.0 (db1) \t03/27/26 \t_x86_64_\t(8 CPU)\n\n\
         00:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
         00:10:00        all      1.00      0.00      1.00      -nan      0.00     95.00\n\
         00:20:00        all      1.00      0.00      1.00      -nan      0.00     94.00\n",
    );
    assert_eq!(gap(&sar, "values"), "not read as figures: %iowait (2 times, \"-nan\" first)");
    let csv = import(
        "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n\
         h;600;2026-03-26 00:10:00 UTC;-1;20.64;0.00;4.82;?;0.10;73.95\n",
    );
    assert_eq!(gap(&csv, "values"), "not read as figures: %iowait (once, \"?\")");
    let iostat = import(
        "Linux 6.1.0 (db1) \t2026-03-27 \t_x86_64_\t(8 CPU)\n\n\
         Device            r/s     rkB/s  r_await %util\nsda   1.00 8.00 1.00 1.00\n\n\
         Device            r/s     rkB/s  r_await %util\nsda   1.00 8.00 1.5k 1.00\n",
    );
    assert_eq!(gap(&iostat, "values"), "not read as figures: r_await (once, \"1.5k\")");
}

/// `iostat -xth`: the means since boot are in all tables of the first report.
#[test]
fn iostat_of_several_tables_for_each_report() {
    let report = |time: &str, figure: &str| {
        format!(
            "2026-03-23T{time}+0000\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n\
             \x20        37.5%    0.0%   19.7%   29.5%    9.0%    4.3%\n\n\
             \x20    r/s     rkB/s r_await Device\n   {figure}    8.1k    {figure} sda\n\n\
             \x20    w/s     wkB/s w_await Device\n   {figure}    8.1k    {figure} sda\n\n\
             \x20    f/s f_await  aqu-sz  %util Device\n   {figure}    1.00    {figure}  9.0% sda\n\n"
        )
    };
    let banner = "Linux 6.1.0 (db1) \t2026-03-23 \t_x86_64_\t(8 CPU)\n\n";
    let imported = import(&format!(
        "{banner}{}{}{}",
        report("20:00:00", "510.0"),
        report("20:10:00", "1.0"),
        report("20:20:00", "2.0")
    ));
    assert_eq!(values(&imported, "disk", "sda", "read_io_per_s"), [1.0, 2.0]);
    assert_eq!(values(&imported, "disk", "sda", "write_io_per_s"), [1.0, 2.0]);
    assert_eq!(values(&imported, "disk", "sda", "queue_mean"), [1.0, 2.0]);
    // Without the CPU and the time each table that comes again begins a report.
    let tables = |figure: &str| {
        format!(
            "     r/s     rkB/s r_await Device\n   {figure}    8.1k    {figure} sda\n\n\
             \x20    w/s     wkB/s w_await Device\n   {figure}    8.1k    {figure} sda\n\n"
        )
    };
    let bare = import(&format!("{banner}{}{}{}", tables("510.0"), tables("1.0"), tables("2.0")));
    assert_eq!(values(&bare, "disk", "sda", "read_io_per_s"), [1.0, 2.0]);
    assert_eq!(values(&bare, "disk", "sda", "write_io_per_s"), [1.0, 2.0]);
}

#[test]
fn iostat_n_names_what_is_not_read() {
    let imported = import(
        "Linux 2.6.32 (db1) \t2026-03-23 \t_x86_64_\t(8 CPU)\n\n\
         Device:            r/s     rkB/s  r_await  %util\nsda   1.00 8.00 1.00 1.00\n\n\
         Filesystem:              rkB_nor/s    wkB_nor/s    rkB_dir/s    wkB_dir/s\n\
         filer:/vol/data               1.00         2.00         3.00         4.00\n",
    );
    assert_eq!(gap(&imported, "sections"), "not read: NFS mounts of iostat -n");
    assert_eq!(imported.series[0].series.iter().filter(|one| one.subject != "sda").count(), 0);
}

fn of_mpstat(date: &str, loads: &[(&str, f64)]) -> String {
    let load = |(time, idle): &(&str, f64)| {
        format!(
            r#"{{"timestamp": "{time}", "cpu-load": [{{"cpu": "all", "usr": 1.0, "steal": 2.0, "idle": {idle}}}]}}"#
        )
    };
    let loads: Vec<String> = loads.iter().map(load).collect();
    format!(
        r#"{{"sysstat": {{"hosts": [{{"nodename": "h", "sysname": "Linux", "release": "6.8", "machine": "x86_64",
           "number-of-cpus": 4, "date": "{date}", "statistics": [{}]}}]}}}}"#,
        loads.join(",")
    )
}

#[test]
fn json_of_mpstat() {
    let loads = [("23:59:50", 90.0), ("00:00:00", 91.0), ("00:00:10", 92.0)];
    let days = ["2026-04-02T23:59:50", "2026-04-03T00:00:00", "2026-04-03T00:00:10"];
    for date in ["04/02/26", "2026-04-02"] {
        let imported = import(&of_mpstat(date, &loads));
        assert_eq!(imported.series[0].tool, "mpstat");
        assert_eq!(values(&imported, "cpu", "all", "idle_ratio"), [0.9, 0.91, 0.92]);
        assert_eq!(times(&imported, "cpu", "all", "idle_ratio"), days, "{date}");
        assert!(imported.series[0].gaps.is_empty(), "{:?}", imported.series[0].gaps);
    }
    // Without an interval: one report, of the time since boot.
    let alone = import(&of_mpstat("2026-04-02", &loads[..1]));
    assert!(alone.series[0].first_since_boot);
    assert!(gap(&alone, "intervals").contains("mpstat printed only means since boot"));
    let text = of_mpstat("04/02/26", &loads);
    let assumed = detect_and_read(text.as_bytes(), "m", Options::default()).unwrap();
    assert!(gap(&assumed, "date").contains("\"04/02/26\""), "{:?}", assumed.series[0].gaps);
    assert!(times(&assumed, "cpu", "all", "idle_ratio")[0].starts_with("2026-02-04"));
}

#[test]
fn json_tells_restarts_and_keeps_the_hosts_behind_them() {
    let host = |name: &str| {
        format!(
            r#"{{"nodename": "{name}", "number-of-cpus": 2, "file-date": "2026-04-03", "statistics": [
               {{"timestamp": {{"date": "2026-04-03", "time": "00:10:00", "utc": 1, "interval": 600}},
                 "queue": {{"runq-sz": 1, "blocked": 0}},
                 "network": {{"net-nfs": {{"call": 400.0, "retrans": 7.0, "read": 3.0}},
                   "softnet": [{{"cpu": "all", "total": 9.0, "dropd": 3.0, "squeezd": 1.0}},
                               {{"cpu": "2", "total": 9.0, "dropd": 3.0, "squeezd": 1.0}}]}}}}],
               "restarts": [{{"boot": {{"date": "2026-04-03", "time": "12:34:00", "utc": 1, "cpu_count": 2}}}}],
               "comments": [{{"com": {{"date": "2026-04-03", "text": "a {{ brace \" and ] more"}}}}]}}"#
        )
    };
    let text = format!(r#"{{"sysstat": {{"hosts": [{}, {}]}}}}"#, host("one"), host("two"));
    let imported = import(&text);
    let names: Vec<_> = imported.series.iter().map(|file| file.host.clone().unwrap()).collect();
    assert_eq!(names, ["one", "two"]);
    for file in &imported.series {
        let told = file.gaps.iter().filter(|gap| gap.detail == "the host was restarted once within the file");
        assert_eq!(told.count(), 1, "{:?}", file.gaps);
        assert_eq!(file.cpus, Some(2));
    }
    assert_eq!(values(&imported, "nfs", "", "calls_per_s"), [400.0]);
    assert_eq!(values(&imported, "nfs", "", "retransmits_per_s"), [7.0]);
    assert_eq!(values(&imported, "nfs", "", "read_per_s"), [3.0]);
    assert_eq!(values(&imported, "softnet", "2", "dropd_per_s"), [3.0]);
}

/// The same section in all three forms has the same names.
#[test]
fn softnet_and_nfs_of_sar_and_sadf() {
    let sar = import(
        "Linux 6.1.0 (db1) \t03/27/26 \t_x86_64_\t(8 CPU)\n\n\
         00:00:00        CPU   total/s   dropd/s squeezd/s  rx_rps/s flw_lim/s\n\
         00:10:00        all      9.00      3.00      1.00      0.00      0.00\n\
         00:10:00          2      9.00      3.00      1.00      0.00      0.00\n\n\
         00:00:00       call/s retrans/s    read/s   write/s  access/s  getatt/s\n\
         00:10:00       400.00      7.00      3.00      0.00      0.00      0.00\n",
    );
    let csv = import(
        "# hostname;interval;timestamp;CPU;total/s;dropd/s;squeezd/s;rx_rps/s;flw_lim/s;blg_len\n\
         h;600;2026-03-26 00:10:00 UTC;-1;9.00;3.00;1.00;0.00;0.00;0\n\
         h;600;2026-03-26 00:10:00 UTC;2;9.00;3.00;1.00;0.00;0.00;0\n\
         # hostname;interval;timestamp;call/s;retrans/s;read/s;write/s;access/s;getatt/s\n\
         h;600;2026-03-26 00:10:00 UTC;400.00;7.00;3.00;0.00;0.00;0.00\n",
    );
    for imported in [sar, csv] {
        for cpu in ["all", "2"] {
            assert_eq!(values(&imported, "softnet", cpu, "total_per_s"), [9.0]);
            assert_eq!(values(&imported, "softnet", cpu, "dropd_per_s"), [3.0]);
            assert_eq!(values(&imported, "softnet", cpu, "squeezd_per_s"), [1.0]);
        }
        assert_eq!(values(&imported, "nfs", "", "calls_per_s"), [400.0]);
        assert_eq!(values(&imported, "nfs", "", "retransmits_per_s"), [7.0]);
        assert!(imported.series[0].gaps.is_empty(), "{:?}", imported.series[0].gaps);
    }
}

#[test]
fn sadf_dh_reads_what_follows_repeated_columns() {
    let imported = import(
        "# hostname;interval;timestamp;CPU;%user;%iowait;%idle[...];runq-sz;plist-sz;blocked;DEV;tps;%util[...];\
         IFACE;rxpck/s;%ifutil[...];call/s;retrans/s\n\
         h;600;2026-03-26 00:10:00 UTC;-1;20.00;1.00;79.00;0;20.00;1.00;79.00;1;20.00;1.00;79.00;5;620;2;\
         sda;1.00;30.00;sdb;2.00;40.00;lo;1.00;0.00;eth0.7;2.00;3.00;400.00;7.00\n",
    );
    assert_eq!(values(&imported, "cpu", "1", "iowait_ratio"), [0.01]);
    assert_eq!(values(&imported, "system", "", "runnable"), [5.0]);
    assert_eq!(values(&imported, "system", "", "blocked"), [2.0]);
    assert_eq!(values(&imported, "disk", "sdb", "util_ratio"), [0.4]);
    assert_eq!(values(&imported, "nic", "eth0.7", "util_ratio"), [0.03]);
    assert_eq!(values(&imported, "nfs", "", "retransmits_per_s"), [7.0]);
    assert!(imported.series[0].gaps.is_empty(), "{:?}", imported.series[0].gaps);
    // Disks and interfaces that nothing tells apart.
    let unclear = import(
        "# hostname;interval;timestamp;runq-sz;blocked;DEV;tps;%util[...];IFACE;rxpck/s;%ifutil[...]\n\
         h;600;2026-03-26 00:10:00 UTC;5;2;one;1.00;30.00;two;2.00;40.00;three;1.00;0.00\n",
    );
    assert_eq!(values(&unclear, "system", "", "runnable"), [5.0]);
    assert_eq!(gap(&unclear, "sections"), "not read: DEV, IFACE");
    // A list of interrupts has a column for each CPU: what follows cannot be told apart.
    let interrupts = import(
        "# hostname;interval;timestamp;CPU;%user;%iowait;%idle[...];INTR;CPU*[...];runq-sz;blocked\n\
         h;600;2026-03-26 00:10:00 UTC;-1;20.00;1.00;79.00;0;20.00;1.00;79.00;sum;1.00;1.00;0;5.00;5.00;5;2\n",
    );
    assert_eq!(values(&interrupts, "cpu", "0", "iowait_ratio"), [0.01]);
    assert_eq!(gap(&interrupts, "sections"), "not read: INTR, runq-sz");
}

/// After a hang iostat puts all the time into one short interval: a device is never busier than all the time.
#[test]
fn utilisation_ends_at_all_the_time() {
    let report = |util: &str| {
        format!("Device            r/s     rkB/s  r_await  %util\nsda   1.00 8.00 1.00 {util}\n\n")
    };
    let text = "Linux 6.1.0 (db1) \t2026-03-27 \t_x86_64_\t(8 CPU)\n\n".to_owned()
        + &["1.00", "2050.00", "40.00"].map(report).concat();
    assert_eq!(values(&import(&text), "disk", "sda", "util_ratio"), [1.0, 0.4]);
}

/// tap has 10 Mbit/s and veth 10 Gbit/s by name alone.
#[test]
fn a_share_of_a_nominal_speed_is_left_out() {
    let imported = import(
        "Linux 6.1.0 (db1) \t03/27/26 \t_x86_64_\t(8 CPU)\n\n\
         00:00:00        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   %ifutil\n\
         00:10:00           lo      1.00      1.00      1.00      1.00      0.00\n\
         00:10:00         tap0      1.00      1.00  40000.00      1.00   3386.00\n\
         00:10:00     veth1a2b      1.00      1.00  40000.00      1.00     12.00\n\
         00:10:00      virbr0x      1.00      1.00  40000.00      1.00    120.00\n\
         00:10:00         eno1      1.00      1.00 120000.00      1.00    100.40\n",
    );
    let file = &imported.series[0];
    let with: Vec<&str> =
        file.series.iter().filter(|one| one.metric == "util_ratio").map(|one| one.subject.as_str()).collect();
    assert_eq!(with, ["lo", "eno1"]);
    assert_eq!(values(&imported, "nic", "tap0", "rx_bytes_per_s"), [40_000.0 * KIB]);
    assert!(gap(&imported, "utilisation").starts_with("tap0, veth1a2b, virbr0x: not read"));
}

/// `iostat -z` leaves out what did nothing: a row that is missing is of zeros, from where the device is first listed.
#[test]
fn rows_that_iostat_z_leaves_out_are_zeros() {
    let report = |rows: &str| format!("Device            r/s     rkB/s  r_await  %util\n{rows}\n");
    let row = |name: &str, util: &str| format!("{name}   1.00 8.00 1.00 {util}\n");
    let both = |other: &str| report(&(row("sda", "10.00") + &row(other, "80.00")));
    let one = report(&row("sda", "10.00"));
    let banner = "Linux 6.1.0 (db1) \t2026-03-27 \t_x86_64_\t(8 CPU)\n\n";
    // The first report is of the time since boot.
    let of = |reports: &[&String]| {
        let texts: Vec<&str> = reports.iter().map(|text| text.as_str()).collect();
        import(&format!("{banner}{}", texts.concat()))
    };
    let left_out = of(&[&one, &one, &both("sdb"), &one, &both("sdb"), &one]);
    assert_eq!(values(&left_out, "disk", "sdb", "util_ratio"), [0.8, 0.0, 0.8, 0.0]);
    assert_eq!(values(&left_out, "disk", "sda", "util_ratio"), [0.1; 5]);
    let of_boot = of(&[&both("sdb"), &one, &both("sdb"), &one, &both("sdb"), &one]);
    assert_eq!(values(&of_boot, "disk", "sdb", "util_ratio"), [0.0, 0.8, 0.0, 0.8, 0.0]);
    // Plugged in once, and pulled out: nothing is known of it before and behind.
    let plugged = of(&[&one, &one, &both("sdb"), &both("sdb"), &one]);
    assert_eq!(values(&plugged, "disk", "sdb", "util_ratio"), [0.8, 0.8]);
    // Where an idle device is listed, one that is not was not there.
    let idle = report(&(row("sda", "10.00") + "sdc   0.00 0.00 0.00 0.00\n"));
    let listed = of(&[&idle, &idle, &both("sdb"), &idle, &both("sdb"), &idle]);
    assert_eq!(values(&listed, "disk", "sdb", "util_ratio"), [0.8, 0.8]);
}

/// Where the locale's time has a zone, old versions of pidstat print it as a word of its own.
#[test]
fn a_zone_behind_the_time_is_no_column() {
    let text = "Linux 3.11.0 (db7) \t2026-03-27 \t_x86_64_\t(2 CPU)\n\n03:26:53  EDT       PID   kB_rd/s   kB_wr/s kB_ccwr/s  Command\n\
                03:26:57  EDT       574      0.00    148.00      2.00  ora_dbw0\n";
    let imported = import(text);
    assert_eq!(values(&imported, "process", "ora_dbw0 (574)", "write_bytes_per_s"), [148.0 * KIB]);
}
