//! Outputs of other versions, options and languages than the shared samples hold: small texts of our own making, in the
//! layouts that the tools print (SYNTHETIC).

use crate::close;
use fullwire_demand::DateOrder;
use fullwire_demand::import::{Imported, Options, detect_and_read};
use fullwire_model::demand::Sample;

const KIB: f64 = 1024.0;

fn import(text: &str) -> Imported {
    let options = Options { date_order: Some(DateOrder::MonthDayYear), ..Options::default() };
    detect_and_read(text.as_bytes(), "variant", options).unwrap_or_else(|error| panic!("{error}"))
}

/// The samples of one metric.
#[track_caller]
fn samples<'a>(imported: &'a Imported, subject: &str, metric: &str) -> &'a [Sample] {
    let series = imported.series[0].series.iter();
    let mut found = series.filter(|series| series.subject == subject && series.metric == metric);
    let one = found.next().unwrap_or_else(|| panic!("no {metric} of {subject}"));
    &one.samples
}

fn values(imported: &Imported, subject: &str, metric: &str) -> Vec<f64> {
    samples(imported, subject, metric).iter().map(|sample| sample.value).collect()
}

/// Without `avg-cpu` each table of devices is its own report.
#[test]
fn iostat_d_without_cpu_lines() {
    let imported = import(
        "Linux 5.14.0 (db1) \t06/01/20 \t_x86_64_\t(9 CPU)\n\n\
         Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n\
         sda               8.59       222.14        57.08    1597749     410544\n\n\
         Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n\
         sda               9.00       100.00        50.00        100         50\n\n\
         Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n\
         sda               9.00       200.00        50.00        100         50\n",
    );
    // The first covers the time since boot.
    assert_eq!(values(&imported, "sda", "read_bytes_per_s"), [100.0 * KIB, 200.0 * KIB]);
}

#[test]
fn iostat_h_and_pretty_name_the_device_last() {
    let imported = import(
        "Linux 5.14.0 (db1) \t06/01/20 \t_x86_64_\t(9 CPU)\n\n\
         \x20     tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn Device\n\
         \x20    8.59       222.1k        57.1k       1.5G     400.9M ata-Hitachi_HDS723020BLA642-part1\n",
    );
    close(values(&imported, "ata-Hitachi_HDS723020BLA642-part1", "io_per_s").first().copied(), 8.59, 1e-9);
}

#[test]
fn iostat_with_decimal_commas_and_dotted_dates() {
    let imported = import(
        "Linux 5.14.0 (db1) \t08.04.2018 \t_x86_64_\t(2 CPU)\n\n\
         08.04.2018 13:20:19\n\
         avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n\
         \x20          1,49   39,91    1,67    0,94    0,00   55,99\n\n\
         Device            r/s     rkB/s   r_await     w/s     wkB/s   w_await  aqu-sz  %util\n\
         sda              1,50     12,00      0,79    2,00     16,00      1,25    0,01   0,10\n",
    );
    close(values(&imported, "sda", "read_await_ns").first().copied(), 0.79e6, 1e-9);
    close(values(&imported, "all", "iowait_ratio").first().copied(), 0.0094, 1e-9);
    // Given as month first: a dotted date never is, but the user's word counts.
    assert_eq!(samples(&imported, "sda", "util_ratio")[0].at, Some("2018-08-04T13:20:19".parse().unwrap()));
}

const SAR_HEAD: &str = "Linux 5.14.0 (db1) \t04/18/19 \t_x86_64_\t(9 CPU)\n\n";

#[test]
fn sar_with_half_day_clocks_of_several_languages() {
    for (noon, evening) in [
        ("12:00:01 PM", "11:50:01 PM"),
        ("12:00:01 pm", "11:50:01 pm"),
        ("12:00:01 p.m.", "11:50:01 p.m."),
        ("12:00:01", "23:50:01"),
        ("12時00分01秒", "23時50分01秒"),
    ] {
        let imported = import(&format!(
            "{SAR_HEAD}{noon}        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
             {noon}        all      2.15     12.50      2.36      0.12      0.00     82.87\n\
             {evening}        all      3.15     12.50      2.36      0.12      0.00     81.87\n"
        ));
        let user = samples(&imported, "all", "user_ratio");
        let expected = ["2019-04-18T12:00:01", "2019-04-18T23:50:01"].map(|at| Some(at.parse().unwrap()));
        assert_eq!(user.iter().map(|sample| sample.at).collect::<Vec<_>>(), expected, "{noon}");
    }
}

/// `S_COLORS=always`, piped into a file.
#[test]
fn sar_in_colours() {
    let imported = import(&format!(
        "{SAR_HEAD}13:20:09        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
         13:20:19   \u{1b}[32;22m     all\u{1b}[0m\u{1b}[34;1m      2.15\u{1b}[0m\u{1b}[34;1m     12.50\u{1b}[0m\
         \u{1b}[34;1m      2.36\u{1b}[0m\u{1b}[34;1m      0.12\u{1b}[0m\u{1b}[36;22m      0.00\u{1b}[0m\
         \u{1b}[34;1m     82.88\u{1b}[0m\n"
    ));
    close(values(&imported, "all", "user_ratio").first().copied(), 0.0215, 1e-9);
}

#[test]
fn vmstat_wide_for_much_memory() {
    let imported = import(
        "--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- --------cpu--------\n\
         \x20  r    b         swpd         free         buff        cache   si   so    bi    bo   in   cs  us  sy  id  wa  st\n\
         \x20  1    2            0      2430264      1011084     22658240    0    0     4     6    3    5   3   1  96   0   0\n",
    );
    close(values(&imported, "", "free_bytes").first().copied(), 2_430_264.0 * KIB, 1e-12);
    close(values(&imported, "", "blocked").first().copied(), 2.0, 0.0);
}

/// `vmstat -S M` prints figures that are no whole pages; nothing in its heading says so.
#[test]
fn vmstat_in_another_unit_says_that_memory_is_not_read() {
    let of = |levels: &str| {
        import(&format!(
            "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n\
             \x20r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n\
             \x201  0 {levels}    1    2     4     6    3    5  3  1 96  0  0\n"
        ))
    };
    let told = |imported: &Imported| imported.series[0].gaps.iter().any(|gap| gap.detail.contains("-S"));
    let has_memory = |imported: &Imported| imported.series[0].series.iter().any(|one| one.area == "memory");
    let mebibytes = of("3    6553    655  30474");
    assert!(told(&mebibytes) && !has_memory(&mebibytes));
    close(values(&mebibytes, "", "runnable").first().copied(), 1.0, 0.0);
    // A small host in KiB, and one whose figures somebody rounded.
    for levels in ["12    6552    656  30476", "0 243026 101108 226582"] {
        let kibibytes = of(levels);
        assert!(!told(&kibibytes) && has_memory(&kibibytes), "{levels}");
    }
}

/// procps 3.2 prints the zone behind each time.
#[test]
fn vmstat_with_the_zone_in_each_line() {
    let imported = import(
        "procs -----------memory---------- ---swap-- -----io---- --system-- -----cpu------ ---timestamp---\n\
         \x20r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n\
         \x201  0      0 243028 101108 226584    0    0     4     6    3    5  3  1 96  0  0\t2012-03-04 10:11:12 EST\n",
    );
    assert_eq!(imported.series[0].clock, "EST");
    let at = samples(&imported, "", "runnable")[0].at.unwrap();
    assert_eq!(at.to_string(), "2012-03-04T10:11:12");
}

#[test]
fn a_listing_of_an_unfinished_line_leaves_it_out_and_says_so() {
    let imported = import(
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n\
         \x20r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n\
         \x201  0      0 243026 101108 226582    0    0     4     6    3    5  3  1 96  0  0\n\
         \x201  0      0 243026 101108 226582    0    0     4     6    3    5  3  1 96  0",
    );
    assert_eq!(values(&imported, "", "free_bytes").len(), 1);
    let told = imported.series[0].gaps.iter().any(|gap| gap.subject == "end of file");
    assert!(told, "{:?}", imported.series[0].gaps);
}

/// Table and line of one run of bonnie++ 2.00a.
#[test]
fn bonnie_2_names_its_units_and_its_seeks() {
    let table = "Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-\n\
                 \x20                   -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n\
                 Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP\n\
                 db1             64M  201k   6  1.5g  20 +++++ +++  763k  19 +++++ +++  9511  21\n\
                 Latency               303ms   45782us   11479us     347ms    1065us   53093us\n";
    let csv = "1.98,2.00a,db1,1,1795220899,64M,,8192,5,201,6,1572864,20,+++++,+++,763,19,+++++,+++,9511,21,\
               ,,,,,,,,,,,,,,,,,303ms,45782us,11479us,347ms,1065us,53093us,,,,,,\n";
    for text in [table, csv] {
        let imported = import(text);
        let bonnie = imported.disk[0].bonnie.as_ref().expect("a table");
        let rates = [&bonnie.output_char, &bonnie.output_block, &bonnie.input_char, &bonnie.seeks];
        let expected = [201.0 * KIB, 1.5 * KIB * KIB * KIB, 763.0 * KIB, 9511.0];
        let mut read = rates.iter().zip(expected);
        assert!(read.all(|(timed, per_s)| timed.per_s == Some(per_s)), "{rates:?}");
        assert_eq!((bonnie.rewrite.per_s, bonnie.input_block.per_s), (None, None));
        assert_eq!(imported.disk[0].working_set_bytes, 64 << 20);
        assert_eq!(bonnie.output_char.latency_max_ns, 303_000_000);
    }
}

/// nfsiostat of nfs-utils 2: a name before each column, the share next to a count.
#[test]
fn nfsiostat_of_nfs_utils_2() {
    let block = |ops: &str| {
        format!(
            "10.0.0.1:/export mounted on /mnt/nfs:\n\n           ops/s       rpc bklog\n           2.000           0.000\n\n\
             read:              ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)  avg queue (ms)          errors\n\
             \x20                  {ops}           8.000           8.000        0 (0.0%)           0.500           0.600           0.050        0 (0.0%)\n\n"
        )
    };
    let imported = import(&(block("7.000") + &block("1.000") + &block("3.000")));
    // The first covers the time since the mount.
    assert_eq!(values(&imported, "10.0.0.1:/export /mnt/nfs read", "io_per_s"), [1.0, 3.0]);
    close(values(&imported, "10.0.0.1:/export /mnt/nfs read", "await_ns").first().copied(), 0.6e6, 1e-9);
}

/// iostat under `S_TIME_FORMAT=ISO`: stamps with the distance from UTC, which summer time changes on the way.
#[test]
fn iostat_with_iso_stamps_and_offsets() {
    let report = |stamp: &str, reads: &str| {
        format!(
            "{stamp}\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n\
                 \x20          1.00    0.00    1.00    0.00    0.00   98.00\n\n\
                 Device            r/s     rkB/s  r_await %util\n\
                 sda              {reads}      8.00    1.00   1.00\n\n"
        )
    };
    let banner = "Linux 5.14.0 (db1) \t2026-03-29 \t_x86_64_\t(9 CPU)\n\n";
    let stamps = ["2026-03-29T01:59:50+0100", "2026-03-29T01:59:55+0100", "2026-03-29T03:00:00+0200"];
    let text: String =
        stamps.iter().zip(["9.00", "2.00", "3.00"]).map(|(at, reads)| report(at, reads)).collect();
    let imported = import(&(banner.to_owned() + &text));
    let at: Vec<String> =
        samples(&imported, "sda", "read_io_per_s").iter().map(|one| one.at.unwrap().to_string()).collect();
    assert_eq!(at, ["2026-03-29T01:59:55", "2026-03-29T02:00:00"], "five seconds apart, in the first offset");
    assert_eq!(imported.series[0].clock, "+01");
    let west = import(
        &(banner.to_owned()
            + &report("2026-03-29T01:59:50-05:00", "9.00")
            + &report("2026-03-29T01:59:55-05:00", "2.00")),
    );
    assert_eq!(west.series[0].clock, "-05");
}

/// `cat` of the reports of two hosts: two recordings.
#[test]
fn several_hosts_stay_apart() {
    let sar = |host: &str, idle: &str| {
        format!(
            "Linux 5.14.0 ({host}) \t2026-03-29 \t_x86_64_\t(4 CPU)\n\n\
                 10:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
                 10:10:01        all      1.00      0.00      1.00      0.00      0.00     {idle}\n"
        )
    };
    let imported = import(&(sar("db1", "98.00") + &sar("db2", "40.00")));
    let hosts: Vec<(Option<&str>, f64)> = imported
        .series
        .iter()
        .map(|file| {
            (
                file.host.as_deref(),
                file.series.iter().find(|one| one.metric == "idle_ratio").unwrap().samples[0].value,
            )
        })
        .collect();
    assert_eq!(hosts, [(Some("db1"), 0.98), (Some("db2"), 0.40)]);

    let csv = "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n\
               db1;600;2026-03-29 10:10:01 UTC;-1;1.00;0.00;1.00;0.00;0.00;98.00\n\
               db2;600;2026-03-29 10:10:01 UTC;-1;1.00;0.00;1.00;0.00;0.00;40.00\n";
    assert_eq!(import(csv).series.len(), 2);

    let json = |name: &str, idle: &str| {
        format!(
            "{{\"nodename\": \"{name}\", \"sysname\": \"Linux\", \"number-of-cpus\": 4, \"file-date\": \"2026-03-29\", \"statistics\": [{{\"timestamp\": {{\"date\": \"2026-03-29\", \"time\": \"10:10:01\", \"utc\": 1}}, \"cpu-load\": [{{\"cpu\": \"all\", \"idle\": {idle}}}]}}], \"restarts\": []}}"
        )
    };
    let both = format!("{{\"sysstat\": {{\"hosts\": [{},\n{}]}}}}", json("db1", "98.0"), json("db2", "40.0"));
    let imported = import(&both);
    let hosts: Vec<(Option<&str>, f64)> =
        imported.series.iter().map(|file| (file.host.as_deref(), file.series[0].samples[0].value)).collect();
    assert_eq!(hosts, [(Some("db1"), 0.98), (Some("db2"), 0.40)]);
}

/// A locale without words for the halves of the day: 12:50 is followed by 01:00.
#[test]
fn a_clock_of_twelve_hours_is_told_by_where_it_turns() {
    let row = |time: &str| {
        format!("{time}        all      1.00      0.00      1.00      0.00      0.00     98.00\n")
    };
    let times = ["12:10:01", "06:10:01", "11:50:01", "12:50:01", "01:00:01", "11:50:01"];
    let text = "Linux 5.14.0 (db1) \t2026-03-29 \t_x86_64_\t(4 CPU)\n\n\
                12:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
        .to_owned()
        + &times.iter().map(|time| row(time)).collect::<String>();
    let imported = import(&text);
    let at: Vec<String> = samples(&imported, "all", "idle_ratio")
        .iter()
        .map(|one| one.at.unwrap().time().to_string())
        .collect();
    assert_eq!(at, ["00:10:01", "06:10:01", "11:50:01", "12:50:01", "13:00:01", "23:50:01"]);
    assert!(imported.series[0].gaps.iter().any(|gap| gap.detail.contains("without AM and PM")));
}

/// A device that is plugged in later keeps its place among the records, though the file has no times.
#[test]
fn a_late_device_keeps_its_record() {
    let report = |devices: &str| format!("Device            r/s     rkB/s  r_await %util\n{devices}\n");
    let sda = "sda              1.00      8.00    1.00   1.00\n";
    let both = format!("{sda}sdb              2.00      8.00    1.00   1.00\n");
    let text = "Linux 5.14.0 (db1) \t2026-03-29 \t_x86_64_\t(9 CPU)\n\n".to_owned()
        + &[sda, sda, sda, &both].map(report).concat();
    let imported = import(&text);
    let first =
        |name: &str| imported.series[0].series.iter().find(|one| one.subject == name).unwrap().first_record;
    assert_eq!((first("sda"), first("sdb")), (0, 2), "the first report, since boot, does not count");
}

/// nfsiostat's interval is not printed: a count of retransmissions with its share tells it.
#[test]
fn nfsiostat_tells_its_interval_by_its_retransmissions() {
    let report = |rate: &str, again: &str| {
        format!(
            "filer:/vol mounted on /u02:\n\n           ops/s       rpc bklog\n          {rate}           0.000\n\n\
             read:              ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)  avg queue (ms)          errors\n\
             {rate}         152.000           8.000      {again}           0.900           1.000           0.020        0 (0.0%)\n\n"
        )
    };
    let calls = |again: &str| {
        let text =
            [report("91.000", "700 (50.0%)"), report("80.000", "0 (0.0%)"), report("76.300", again)].concat();
        let imported = import(&text);
        let of = |metric: &str| imported.series[0].series.iter().any(|one| one.metric == metric);
        of("operations").then(|| values(&imported, "filer:/vol /u02 read", "operations"))
    };
    // 16 of 763 are 2.1 %: ten seconds. The first report covers the time since the mount.
    assert_eq!(calls("16 (2.1%)"), Some(vec![800.0, 763.0]));
    assert_eq!(calls("2 (2.6%)"), Some(vec![80.0, 76.0]));
    assert_eq!(calls("0 (0.0%)"), None, "nothing tells it");
}

/// Python 2 prints each word of a `print` with a comma in a line of its own into a pipe.
#[test]
fn nfsiostat_with_each_figure_in_a_line() {
    let block = |name: &str, rtt: &str| {
        format!(
            "    {name}:\n      ops/s            kB/s           kB/op         retrans         avg RTT (ms)    avg exe (ms)\n                     11.500\n            356.000\n             30.800\n           0 (0.0%)\n              {rtt}\n            331.400\n"
        )
    };
    let text = format!(
        "filer:/vol mounted on /u02:\n\n       op/s         rpc bklog\n     262.10\n               0.00\n{}{}",
        block("read", "5.100"),
        block("write", "16.000")
    );
    let imported = import(&text);
    assert_eq!(values(&imported, "filer:/vol /u02 read", "rtt_ns"), [5.1e6]);
    assert_eq!(values(&imported, "filer:/vol /u02 write", "rtt_ns"), [16e6]);
}

/// OSWatcher puts the time in front of each call of nfsiostat.
#[test]
fn nfsiostat_of_an_archive_has_times() {
    let report = |rate: &str| {
        format!(
            "\nfiler:/vol mounted on /u02:\n\n   ops/s       rpc bklog\n   {rate}           0.000\n\nread:   ops/s   kB/s   kB/op   retrans   avg RTT (ms)   avg exe (ms)\n\
             {rate}    152.000    8.000    0 (0.0%)    0.900    1.000\n"
        )
    };
    let call =
        |time: &str| format!("zzz ***Tue Mar 24 {time} UTC 2026\n{}{}", report("90.000"), report("7.000"));
    let imported = import(&(call("01:00:00") + &call("01:00:30")));
    let read = samples(&imported, "filer:/vol /u02 read", "io_per_s");
    let seen: Vec<(String, f64)> = read.iter().map(|one| (one.at.unwrap().to_string(), one.value)).collect();
    assert_eq!(seen, [("2026-03-24T01:00:01".to_owned(), 7.0), ("2026-03-24T01:00:31".to_owned(), 7.0)]);
    assert!(imported.series[0].gaps.iter().all(|gap| gap.subject != "times"));
}
