//! OSWatcher's archives: the time of each call is in front of its records.

use fullwire_demand::import::{Imported, Options, detect_and_read, together};
use fullwire_model::demand::ImportedSeries;

const HEAD: &str =
    "Linux OSWbb v8.4.0  db1\nSNAP_INTERVAL 30\nCPU_COUNT 8\nOSWBB_ARCHIVE_DEST /opt/oswbb/archive\n";

fn import_as(name: &str, text: &str) -> Imported {
    detect_and_read(text.as_bytes(), name, Options::default()).unwrap()
}

fn only(text: &str) -> ImportedSeries {
    import_as("osw/db1.dat", text).series.remove(0)
}

/// The time and the value of each sample of a metric.
fn samples(file: &ImportedSeries, subject: &str, metric: &str) -> Vec<(String, f64)> {
    let is = |series: &&fullwire_model::demand::Series| series.subject == subject && series.metric == metric;
    let series = file.series.iter().find(is).unwrap_or_else(|| panic!("no {metric} of {subject}"));
    series.samples.iter().map(|one| (one.at.unwrap().to_string(), one.value)).collect()
}

fn vmstat(call: &str, running: [u32; 3]) -> String {
    let row = |r: u32| {
        format!(" {r}  0      0 671088 671088 3120620    0    0   437   242  309  697 14  4 81  1  0\n")
    };
    format!(
        "{call}\nprocs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
         r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n{}",
        running.map(row).concat()
    )
}

#[test]
fn vmstat_has_the_times_of_its_calls_and_no_record_since_boot() {
    let file = only(
        &(HEAD.to_owned()
            + &vmstat("zzz ***Mon Mar 30 01:00:07 CEST 2026", [90, 2, 3])
            + &vmstat("zzz ***Mon Mar 30 01:00:37 CEST 2026", [91, 4, 5])),
    );
    let expected = [("08", 2.0), ("09", 3.0), ("38", 4.0), ("39", 5.0)]
        .map(|(second, value)| (format!("2026-03-30T01:00:{second}"), value));
    assert_eq!(samples(&file, "", "runnable"), expected);
    assert_eq!((file.host.as_deref(), file.cpus, file.clock.as_str()), (Some("db1"), Some(8), "CEST"));
    assert_eq!(file.tool, "oswatcher vmstat");
    let told: Vec<&str> = file.gaps.iter().map(|gap| gap.subject.as_str()).collect();
    assert_eq!(told, ["means since boot"], "{:?}", file.gaps);
}

#[test]
fn calls_have_the_date_as_any_locale_prints_it() {
    for call in [
        "zzz ***Tue Mar 24 13:00:07 UTC 2026",
        "zzz ***Tue 24 Mar 2026 01:00:07 PM UTC",
        "zzz ***Di 24. Mär 13:00:07 UTC 2026",
        "zzz ***mar. 24 mars 2026 13:00:07 UTC",
        "zzz ***Tue Mar 24 13:00:07 UTC 2026 Sample interval: 1 secconds",
    ] {
        let file = only(&vmstat(call, [9, 2, 3]));
        assert_eq!(samples(&file, "", "runnable")[0].0, "2026-03-24T13:00:08", "{call}");
        assert_eq!(file.clock, "UTC", "{call}");
    }
    let apart = only(&vmstat("zzz ***Wed Feb 29 11:01:52 EST 2012 Sample interval: 5 secconds", [9, 2, 3]));
    assert_eq!(samples(&apart, "", "runnable")[1].0, "2012-02-29T11:02:02");
}

fn iostat(call: &str, busy: [u32; 2]) -> String {
    let report = |busy: u32| {
        format!(
            "\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n          14.16    0.00    3.86    1.04    0.00   80.94\n\n\
             Device            r/s     w/s     rkB/s     wkB/s r_await w_await  %util\nsda              1.00    2.00      8.00     16.00    1.00    1.00  {busy}.00\n"
        )
    };
    format!("{call}\nLinux 4.18.0 (db1) \t03/04/26 \t_x86_64_\t(8 CPU)\n{}", busy.map(report).concat())
}

#[test]
fn iostat_without_times_has_those_of_its_calls() {
    let file = only(
        &(HEAD.to_owned()
            + &iostat("zzz ***Wed Mar 4 01:00:07 CET 2026", [90, 2])
            + &iostat("zzz ***Wed Mar 4 01:00:37 CET 2026", [91, 3])),
    );
    let times: Vec<String> = samples(&file, "sda", "util_ratio").into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, ["2026-03-04T01:00:08", "2026-03-04T01:00:38"]);
    assert!(file.gaps.iter().all(|gap| gap.subject != "times"), "{:?}", file.gaps);
}

/// The banner's date fits two orders; the line of the call does not.
#[test]
fn mpstat_has_the_order_of_its_date_from_the_call() {
    let file = only(&format!(
        "{HEAD}zzz ***Wed Mar 4 01:00:07 CET 2026\nLinux 4.18.0 (db1) \t03/04/26 \t_x86_64_\t(8 CPU)\n\n\
         01:00:07     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n\
         01:00:08     all   13.77    0.00    4.38    1.00    0.00    0.00    0.00    0.00    0.00   80.85\n"
    ));
    assert_eq!(samples(&file, "all", "idle_ratio")[0].0, "2026-03-04T01:00:08");
    assert_eq!(file.tool, "oswatcher mpstat");
}

#[test]
fn the_hours_of_a_folder_are_one_file() {
    let hour = |name: &str, call: &str| import_as(name, &(HEAD.to_owned() + &vmstat(call, [9, 2, 3]))).series;
    // A glob may name them in any order.
    let mut all = hour("a/oswvmstat/db1_vmstat_26.03.30.0200.dat", "zzz ***Mon Mar 30 02:00:07 CEST 2026");
    all.extend(hour("a/oswvmstat/db1_vmstat_26.03.30.0100.dat", "zzz ***Mon Mar 30 01:00:07 CEST 2026"));
    all.extend(hour("b/oswvmstat/db1_vmstat_26.03.30.0100.dat", "zzz ***Mon Mar 30 01:00:07 CEST 2026"));
    let files = together(all);
    let sources: Vec<&str> = files.iter().map(|file| file.source.as_str()).collect();
    assert_eq!(sources, ["a/oswvmstat", "b/oswvmstat/db1_vmstat_26.03.30.0100.dat"]);
    let times: Vec<String> = samples(&files[0], "", "runnable").into_iter().map(|(at, _)| at).collect();
    assert_eq!(
        times,
        ["01:00:08", "01:00:09", "02:00:08", "02:00:09"].map(|time| format!("2026-03-30T{time}"))
    );
    assert_eq!(files[0].gaps.len(), 1, "once for all hours: {:?}", files[0].gaps);
}

#[test]
fn output_that_no_reader_is_for_is_named_so() {
    let text = format!("{HEAD}zzz ***Mon Mar 30 01:00:07 CEST 2026\nKernel Interface table\n");
    let error = detect_and_read(text.as_bytes(), "db1_netstat.dat", Options::default()).unwrap_err();
    assert!(error.to_string().contains("OSWatcher's output of a command that is not read"), "{error}");
}
