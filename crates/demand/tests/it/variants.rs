//! Outputs of other versions, options and languages than the shared samples hold: small texts of our own making, in the
//! layouts that the tools print (SYNTHETIC).

use crate::close;
use fullwire_demand::DateOrder;
use fullwire_demand::import::{Imported, Options, detect_and_read};
use fullwire_model::demand::Sample;

const KIB: f64 = 1024.0;

fn import(text: &str) -> Imported {
    let options = Options { date_order: Some(DateOrder::MonthDayYear) };
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

/// Without `avg-cpu` each table of devices is a report of its own.
#[test]
fn iostat_d_without_cpu_lines() {
    let imported = import(
        "Linux 5.14.0 (db1) \t06/01/20 \t_x86_64_\t(9 CPU)\n\n\
         Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n\
         sda               8.59       222.14        57.08    1597749     410544\n\n\
         Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n\
         sda               9.00       100.00        50.00        100         50\n",
    );
    assert_eq!(values(&imported, "sda", "read_bytes_per_s"), [222.14 * KIB, 100.0 * KIB]);
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
        let rates: Vec<(&str, f64)> = imported.disk[0]
            .steps
            .iter()
            .map(|step| (step.profile.as_str(), step.throughput_bytes_per_s))
            .collect();
        let expected = [
            ("bonnie++ put_chr", 201.0 * KIB),
            ("bonnie++ put_block", 1.5 * KIB * KIB * KIB),
            ("bonnie++ get_chr", 763.0 * KIB),
            ("bonnie++ seeks", 9511.0 * 8192.0),
        ];
        assert_eq!(rates, expected);
        assert_eq!(imported.disk[0].working_set_bytes, 64 << 20);
        assert_eq!(imported.disk[0].steps[0].latency_ns.max, 303_000_000);
    }
}

/// nfsiostat of nfs-utils 2: a name before each column, the share beside a count.
#[test]
fn nfsiostat_of_nfs_utils_2() {
    let block = |ops: &str| {
        format!(
            "10.0.0.1:/export mounted on /mnt/nfs:\n\n           ops/s       rpc bklog\n           2.000           0.000\n\n\
             read:              ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)  avg queue (ms)          errors\n\
             \x20                  {ops}           8.000           8.000        0 (0.0%)           0.500           0.600           0.050        0 (0.0%)\n\n"
        )
    };
    let imported = import(&(block("1.000") + &block("3.000")));
    assert_eq!(values(&imported, "10.0.0.1:/export /mnt/nfs read", "io_per_s"), [1.0, 3.0]);
    close(values(&imported, "10.0.0.1:/export /mnt/nfs read", "await_ns").first().copied(), 0.6e6, 1e-9);
}
