//! Reports that say two things of one rate, and figures that cannot be true.

use fullwire_demand::{awr, of_reports};
use fullwire_model::demand::AwrReport;

/// A report of an hour that reads 5,030 requests per second by its I/O profile, and as many as given by its activity.
fn report(total: &str, per_s: &str) -> AwrReport {
    let text = format!(
        "WORKLOAD REPOSITORY report for

DB Name         DB Id    Instance     Inst Num Startup Time    Release     RAC
------------ ----------- ------------ -------- --------------- ----------- ---
PROD          1234567890 prod1               1 01-Jan-24 00:00 19.0.0.0.0  NO

              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:       100 01-Mar-24 10:00:00       50       1.0
  End Snap:       101 01-Mar-24 11:00:00       50       1.0
   Elapsed:               60.00 (mins)
   DB Time:              120.00 (mins)

Instance Efficiency Percentages (Target 100%)
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
            Buffer Nowait %:  100.00       Redo NoWait %:  100.00
            Buffer  Hit   %: -312.40    In-memory Sort %:  100.00
            Library Hit   %:   99.10        Soft Parse %:   98.00

IO Profile                  Read+Write/Second     Read/Second    Write/Second
~~~~~~~~~~                  ----------------- --------------- ---------------
            Total Requests:           6,030.0         5,030.0         1,000.0

Instance Activity Stats                  DB/Inst: PROD/prod1  Snaps: 100-101

Statistic                                     Total     per Second     per Trans
-------------------------------- ------------------ -------------- -------------
physical read total IO requests  {total:>18} {per_s:>14}           1.0
physical write total IO requests          3,600,000        1,000.0           1.0
user commits                                 36,000           10.0           1.0
user rollbacks                              360,000          100.0           1.0
          -------------------------------------------------------------

End of Report
"
    );
    awr::read(text.as_bytes(), "a.txt").unwrap()
}

#[test]
fn a_rate_that_the_same_report_contradicts_is_a_gap_and_no_demand() {
    let honest = report("18,108,000", "5,030.0");
    assert_eq!(honest.read_io_per_s, Some(5030.0));
    assert!(!honest.gaps.iter().any(|gap| gap.detail.contains("contradicts")), "{:?}", honest.gaps);
    let odd = report("72,000,000,000", "20,000,000.0");
    assert_eq!(odd.read_io_per_s, None);
    let gap = odd.gaps.iter().find(|gap| gap.subject == "read requests").expect("a gap");
    assert!(gap.detail.contains("5030/s by its I/O profile; neither is used"), "{gap:?}");
    let demand = of_reports(&[odd], 0.3).swap_remove(0).demand;
    assert_eq!((demand.read_io_per_s, demand.write_io_per_s), (None, Some(1000.0)));
    assert!(demand.gaps.iter().any(|gap| gap.subject == "read requests"), "{:?}", demand.gaps);
}

#[test]
fn a_negative_share_is_left_out() {
    let report = report("18,108,000", "5,030.0");
    assert_eq!((report.buffer_hit_pct, report.library_hit_pct), (None, Some(99.1)));
    assert!(
        report.gaps.iter().any(|gap| gap.detail.contains("-312.4 % is not a valid percentage")),
        "{:?}",
        report.gaps
    );
}

#[test]
fn rollbacks_are_no_commits() {
    let report = report("18,108,000", "5,030.0");
    assert_eq!((report.transactions_per_s, report.commits_per_s), (Some(110.0), Some(10.0)));
    assert_eq!(of_reports(&[report], 0.3)[0].demand.commits_per_s, Some(10.0));
}
