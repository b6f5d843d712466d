//! Archived-log listings in the forms in which people have them.

use crate::close;
use fullwire_demand::{DateOrder, redo};

const MIB: f64 = 1_048_576.0;

/// The listing of the founding network note (worked figures, "Redo demand").
const FOUNDING: &str = "\
   THREAD#  SEQUENCE#         MB        SEC       MB/s
---------- ---------- ---------- ---------- ----------
         2       2291 29366.1963        831  35.338383
         1       2565 29365.6553        781 37.6000708
         2       2292 29359.3403        537  54.672887
         1       2566 29407.8296        813 36.1719921
         2       2293 29389.7012        678 43.3476418
         2       2294 29325.2217       1236 23.7259075
         1       2567 11407.3379       2658 4.29169973
         2       2295 29452.4648        477 61.7452093
         2       2296 29359.4458        954 30.7751004
         2       2297 29311.3638        586 50.0193921
         1       2568 3867.44092       5510 .701894903

11 rows selected.
";

#[test]
fn the_founding_listing_gives_its_worked_figures() {
    let history = redo::read(FOUNDING, "logs.txt", redo::DEFAULT_HEADROOM, None).unwrap();
    assert_eq!(history.logs.len(), 11);
    close(history.peak_bytes_per_s, 61.745_209_3 * MIB, 1e-8);
    close(history.required_bytes_per_s, 80.269 * MIB, 1e-5);
    assert_eq!(history.peak_at.as_deref(), Some("thread 2 sequence 2295"));
    assert!(history.peak_is_lower_bound, "two threads without times");
    assert!(history.gaps.iter().any(|gap| gap.detail.contains("lower bound")), "{:?}", history.gaps);
    let last = &history.logs[10];
    assert_eq!((last.thread, last.sequence, last.seconds), (1, 2568, Some(5510.0)));
    close(last.bytes_per_s, 0.701_894_903 * MIB, 1e-8);
    // MAA: 61.745 / 0.7.
    close(history.required_maa_bytes_per_s, 88.207 * MIB, 1e-5);
    // Of 15,061 s the two slowest logs fill 5,510 + 2,658 s, more than half; the two fastest 477 + 537 s, 6.7 %, the
    // fastest alone 3.2 %.
    close(history.p50_bytes_per_s, 4.291_699_73 * MIB, 1e-8);
    close(history.p95_bytes_per_s, 54.672_887 * MIB, 1e-8);
    close(history.p99_bytes_per_s, 61.745_209_3 * MIB, 1e-8);
    assert!(history.hours.is_empty(), "no times, no hours");
    close(history.mean_bytes_per_s, (279_611.997_52 / 15_061.0) * MIB, 1e-6);
}

#[test]
fn a_comma_may_be_the_decimal_sign() {
    let german = FOUNDING.replace('.', ",").replace("selected,", "selected.");
    let (one, other) =
        (redo::read(FOUNDING, "a", 0.3, None).unwrap(), redo::read(&german, "a", 0.3, None).unwrap());
    assert_eq!(one.logs, other.logs);
}

#[test]
fn threads_that_overlap_add_up_to_the_true_peak() {
    // Thread 1 makes 100 bytes/s for 10 minutes, thread 2 200 bytes/s in the middle of it.
    let csv = "THREAD#,SEQUENCE#,BYTES,FIRST_TIME,NEXT_TIME\n\
               1,10,60000,2024-03-01 10:00:00,2024-03-01 10:10:00\n\
               2,77,48000,2024-03-01 10:03:00,2024-03-01 10:07:00\n\
               2,77,48000,2024-03-01 10:03:00,2024-03-01 10:07:00\n";
    let history = redo::read(csv, "logs.csv", 0.3, None).unwrap();
    assert_eq!(history.logs.len(), 2, "two destinations of one log are one log");
    assert_eq!(history.peak_bytes_per_s, Some(300.0));
    assert_eq!(history.peak_log_bytes_per_s, Some(200.0));
    assert_eq!(history.peak_at.as_deref(), Some("2024-03-01T10:03:00"));
    assert_eq!(history.required_bytes_per_s, Some(390.0));
    assert!(!history.peak_is_lower_bound);
    assert_eq!(history.mean_bytes_per_s, Some(180.0));
    // 100 bytes/s for 6 of 10 minutes, 300 for 4.
    assert_eq!((history.p50_bytes_per_s, history.p95_bytes_per_s), (Some(100.0), Some(300.0)));
    let rates: Vec<f64> = history.series.iter().map(|point| point.bytes_per_s).collect();
    assert_eq!(rates, [100.0, 300.0, 100.0, 0.0]);
}

#[test]
fn the_worst_hour_may_begin_between_two_logs() {
    let csv = "sequence#;blocks;block_size;first_time;next_time\n\
               1;3600;1024;2024-03-01 10:00:00;2024-03-01 11:00:00\n\
               2;7200;1024;2024-03-01 11:00:00;2024-03-01 11:30:00\n\
               3;3600;1024;2024-03-01 11:30:00;2024-03-01 12:30:00\n";
    let history = redo::read(csv, "logs.csv", 0.0, None).unwrap();
    assert_eq!(history.peak_bytes_per_s, Some(4096.0));
    // Half an hour at 4096 and half an hour at 1024.
    assert_eq!(history.peak_hour_bytes_per_s, Some(2560.0));
}

#[test]
fn sqlcl_csv_with_quotes_and_log_history() {
    let csv = "\"THREAD#\",\"SEQUENCE#\",\"BYTES\",\"FIRST_TIME\"\n\
               1,5,1048576,\"01-MAR-24 10:00:00\"\n\
               1,6,1048576,\"01-MAR-24 10:01:40\"\n\
               1,7,1048576,\"01-MAR-24 10:03:20\"\n";
    let history = redo::read(csv, "h.csv", 0.3, None).unwrap();
    assert_eq!(history.logs[0].seconds, Some(100.0), "a log ends where the next begins");
    assert_eq!(history.logs[2].seconds, None, "the last is still being filled");
    close(history.peak_bytes_per_s, 10_485.76, 1e-9);
}

#[test]
fn sqlcl_rules_with_underscores() {
    let text = "   THREAD#    SEQUENCE#    BYTES    SECONDS \n__________ ____________ ________ __________ \n         1           42     8192          4 \n";
    let history = redo::read(text, "a", 0.3, None).unwrap();
    assert_eq!((history.logs[0].sequence, history.logs[0].bytes_per_s), (42, Some(2048.0)));
}

#[test]
fn an_ambiguous_date_is_read_day_first_and_a_gap_says_so() {
    let csv = "SEQUENCE#,BYTES,FIRST_TIME,NEXT_TIME\n1,1000,03/04/2024 10:00:00,03/04/2024 10:00:10\n";
    let assumed = redo::read(csv, "logs.csv", 0.3, None).unwrap();
    assert_eq!(assumed.logs[0].begin.unwrap().to_string(), "2024-04-03T10:00:00");
    assert!(assumed.gaps.iter().any(|gap| gap.detail.contains("--date-order")), "{:?}", assumed.gaps);
    let history = redo::read(csv, "logs.csv", 0.3, Some(DateOrder::MonthDayYear)).unwrap();
    assert_eq!(history.logs[0].begin.unwrap().to_string(), "2024-03-04T10:00:00");
}

#[test]
fn what_is_no_listing_is_refused_with_its_line() {
    let cases = [
        ("", "1: the file is empty"),
        ("\n\nHello world\n", "3: no heading"),
        (
            "select sequence# from v$archived_log;\nORA-00942: table or view does not exist\n",
            "2: the database answered",
        ),
        ("SEQUENCE#,NAME\n1,x\n", "1: neither size nor rate"),
        ("SEQUENCE#,BYTES\n1,5\n", "1: no time"),
        ("SEQUENCE#,BYTES,SEC\nx,y,z\n", "1: no row below"),
    ];
    for (text, expected) in cases {
        let error = redo::read(text, "f", 0.3, None).unwrap_err().to_string();
        assert!(error.starts_with(&format!("f:{expected}")), "{error}");
    }
}

#[test]
fn a_line_that_makes_no_sense_is_a_gap() {
    let text = "SEQUENCE#,BYTES,SEC\n1,1000,10\n2,#######,10\n";
    let history = redo::read(text, "f", 0.3, None).unwrap();
    assert_eq!(history.logs.len(), 1);
    assert!(history.gaps.iter().any(|gap| gap.detail.starts_with("line 3:")), "{:?}", history.gaps);
}

#[test]
fn the_hours_of_the_week() {
    // Friday 2024-03-01 22:30 to Saturday 01:00 at 1000 bytes/s, and a quarter of an hour at 5000 on the Friday after.
    let csv = "SEQUENCE#,BYTES,FIRST_TIME,NEXT_TIME\n\
               1,9000000,2024-03-01 22:30:00,2024-03-02 01:00:00\n\
               2,4500000,2024-03-08 22:00:00,2024-03-08 22:15:00\n";
    let history = redo::read(csv, "logs.csv", 0.3, None).unwrap();
    let hours: Vec<_> = history.hours.iter().map(|hour| (hour.weekday, hour.hour, hour.told_s)).collect();
    assert_eq!(hours, [(5, 22, 2700.0), (5, 23, 3600.0), (6, 0, 3600.0)]);
    // (30 min x 1000 + 15 min x 5000) / 45 min.
    close(Some(history.hours[0].mean_bytes_per_s), 2333.333, 1e-6);
    assert_eq!((history.hours[0].peak_bytes_per_s, history.hours[1].mean_bytes_per_s), (5000.0, 1000.0));
    // One log of 150 minutes against one of 15: by time, not one vote each.
    assert_eq!(history.p50_bytes_per_s, Some(1000.0));
}
