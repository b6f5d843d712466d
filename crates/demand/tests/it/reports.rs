//! AWR and Statspack reports of the sample set. Expected values were read from the files by eye.

use crate::close;
use crate::skips::given;
use crate::skips::shared;
use fullwire_demand::awr;
use fullwire_model::demand::AwrReport;
use std::path::PathBuf;

/// A file of the shared samples.
pub(crate) fn sample(name: &str) -> Option<(PathBuf, Vec<u8>)> {
    let path = shared(&format!("samples/{name}"))?;
    let bytes = std::fs::read(&path).expect("a readable sample");
    Some((path, bytes))
}

fn report(name: &str) -> Option<AwrReport> {
    let (_, bytes) = sample(name)?;
    Some(awr::read(&bytes, name).unwrap_or_else(|error| panic!("{error}")))
}

/// What the first pages of reports say, a report in each row; `-`: it does not say it.
const READ_BY_EYE: &str = include_str!("reports.txt");

/// What the first page of a report says, as read by eye.
pub(crate) struct Expected {
    file: &'static str,
    kind: &'static str,
    db_name: Option<&'static str>,
    release: &'static str,
    rac: bool,
    elapsed_min: f64,
    /// 0: the report has none (before 10g).
    db_time_min: f64,
    redo_size_per_s: f64,
    redo_size: u64,
    redo_writes: u64,
    logical_reads_per_s: f64,
    physical_reads_per_s: f64,
    log_file_sync: Option<Wait>,
    log_file_parallel_write: Option<Wait>,
}

/// Waits for an event and their printed or recomputed mean.
struct Wait {
    waits: u64,
    mean_ms: f64,
}

impl Expected {
    fn of(row: &'static str) -> Self {
        let cells: Vec<&str> = row.split_whitespace().collect();
        let float = |at: usize| cells[at].parse().expect(row);
        let whole = |at: usize| cells[at].parse().expect(row);
        let mean_ms = |cell: &str| match cell.split_once('/') {
            Some((s, thousands)) => s.parse::<f64>().expect(row) / thousands.parse::<f64>().expect(row),
            None => cell.parse().expect(row),
        };
        let wait = |at: usize| {
            (cells[at] != "-").then(|| Wait { waits: whole(at), mean_ms: mean_ms(cells[at + 1]) })
        };
        Self {
            file: cells[0],
            kind: cells[1],
            db_name: Some(cells[2]).filter(|name| *name != "-"),
            release: cells[3],
            rac: cells[4] == "rac",
            elapsed_min: float(5),
            db_time_min: float(6),
            redo_size_per_s: float(7),
            redo_size: whole(8),
            redo_writes: whole(9),
            logical_reads_per_s: float(10),
            physical_reads_per_s: float(11),
            log_file_sync: wait(12),
            log_file_parallel_write: wait(14),
        }
    }

    /// All of the table.
    fn all() -> impl Iterator<Item = Self> {
        READ_BY_EYE.lines().skip(1).map(Self::of)
    }

    /// The row of a file.
    pub(crate) fn named(file: &str) -> Self {
        Self::all().find(|row| row.file == file).unwrap_or_else(|| panic!("no row of {file}"))
    }

    pub(crate) fn check(&self, report: &AwrReport) {
        let at = self.file;
        assert_eq!(format!("{:?}", report.kind), self.kind, "{at}");
        assert_eq!(report.db_name.as_deref(), self.db_name, "{at}");
        assert_eq!(report.release.as_deref(), Some(self.release), "{at}");
        assert_eq!(report.rac, Some(self.rac), "{at}");
        assert_eq!(report.elapsed_min, Some(self.elapsed_min), "{at}");
        assert_eq!(report.db_time_min, Some(self.db_time_min).filter(|&minutes| minutes > 0.0), "{at}");
        assert_eq!(report.redo_size_per_s, Some(self.redo_size_per_s), "{at}");
        assert_eq!(
            (report.redo_size_total, report.redo_writes_total),
            (Some(self.redo_size), Some(self.redo_writes)),
            "{at}"
        );
        close(report.mean_redo_write_bytes, self.redo_size as f64 / self.redo_writes as f64, 1e-12);
        assert_eq!(report.logical_reads_per_s, Some(self.logical_reads_per_s), "{at}");
        assert_eq!(report.physical_reads_per_s, Some(self.physical_reads_per_s), "{at}");
        self.check_waits(report);
    }

    fn check_waits(&self, report: &AwrReport) {
        let at = self.file;
        let events = [
            ("log file parallel write", &self.log_file_parallel_write),
            ("log file sync", &self.log_file_sync),
        ];
        for (event, expected) in events {
            let Some(expected) = expected else { continue };
            let wait = report.waits.get(event).unwrap_or_else(|| panic!("{at}: no {event}"));
            assert_eq!(wait.waits, expected.waits, "{at}");
            close(wait.mean_ms, expected.mean_ms, 1e-3);
        }
    }
}

/// A report of Express Edition: CPUs are blank, memory and DB time are `.00`. What is not known is no zero.
#[test]
fn blanks_and_zeros_of_a_heading_are_not_figures() {
    let text = r"
WORKLOAD REPOSITORY report for

DB Name         DB Id    Instance     Inst Num Startup Time    Release     RAC
------------ ----------- ------------ -------- --------------- ----------- ---
XE            2845193120 xe                  1 28-Aug-17 09:01 11.2.0.2.0  NO

Host Name        Platform                         CPUs Cores Sockets Memory(GB)
---------------- -------------------------------- ---- ----- ------- ----------
xe1              Linux x86 64-bit                                           .00

              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:        11 28-Aug-17 10:00:12        22       1.0
  End Snap:        12 28-Aug-17 11:01:04        22       1.1
   Elapsed:               60.86 (mins)
   DB Time:                0.00 (mins)

Top 5 Timed Foreground Events
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                                                           Avg
                                                          wait   % DB
Event                                 Waits     Time(s)   (ms)   time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
DB CPU                                                0          100.0

End of Report
";
    let report = awr::read(text.as_bytes(), "xe.txt").unwrap();
    assert_eq!((report.memory_bytes, report.cpus), (None, None));
    assert_eq!(report.elapsed_min, Some(60.86));
    assert_eq!(report.top_events[0].share_pct, Some(100.0));
    let said: Vec<&str> = report.gaps.iter().map(|gap| gap.detail.as_str()).collect();
    assert!(
        !said.iter().any(|detail| detail.contains("0 minutes") || detail.contains("no top events")),
        "{said:?}"
    );
}

#[test]
fn every_report_says_what_the_eye_reads() {
    for expected in Expected::all().filter(|expected| expected.file.contains('/')) {
        if let Some(report) = report(expected.file) {
            expected.check(&report);
        }
    }
}

#[test]
fn html_text_and_statspack_of_one_interval_agree() {
    let files = ["awr/awr-11.2.0.3-single-apress-1830.html", "awr/awr-11.2.0.3-single-apress-1830.txt"];
    let [html, text] = files.map(report);
    let (html, text) = (given!(html), given!(text));
    assert_eq!(html.waits.len(), text.waits.len());
    for (name, wait) in &html.waits {
        // Text reports cut the name: its beginning is what both have.
        let cut: String = name.chars().take(26).collect();
        let other =
            text.waits.iter().find(|(other, _)| other.starts_with(&cut) || name.starts_with(other.as_str()));
        let (_, other) = other.unwrap_or_else(|| panic!("{name} is not in the text report"));
        assert_eq!((wait.waits, wait.time_s), (other.waits, other.time_s), "{name}");
    }
    let (ours, theirs) = (&html.histograms["log file sync"], &text.histograms["log file sync"]);
    assert_eq!(ours.buckets, theirs.buckets);
    // The text report has no room for the K of 182.8K: its count is no count.
    assert_eq!((ours.waits, theirs.waits), (Some(182_800), None));
    assert_eq!(html.log_writer_bytes_per_s, text.log_writer_bytes_per_s);
    let statspack = given!(report("statspack/statspack-11.2.0.3-apress-1830.txt"));
    // Its snapshots lie half a minute next to AWR's.
    close(statspack.redo_size_per_s, 393_267.0, 0.005);
    close(statspack.log_writer_bytes_per_s, 943_258.0, 0.005);
    close(statspack.waits["db file sequential read"].mean_ms, 8.78, 0.005);
}

/// The founding Statspack report (worked figures) in the form of 9i.
const FOUNDING: &str = include_str!("../specimens/statspack-9i.txt");

#[test]
fn the_founding_statspack_report_gives_its_worked_figures() {
    let report = awr::read(FOUNDING.as_bytes(), "founding").unwrap();
    assert_eq!(report.redo_size_per_s, Some(6_535_063.0));
    assert_eq!(report.logical_reads_per_s, Some(30_501.36));
    assert_eq!(report.physical_reads_per_s, Some(2_878.69));
    assert_eq!(report.physical_writes_per_s, Some(3_674.53));
    assert_eq!(report.transactions_per_s, Some(1_027.11));
    assert_eq!(report.elapsed_min, Some(10.08));
    assert_eq!((report.buffer_hit_pct, report.latch_hit_pct), (Some(90.57), Some(98.37)));
    assert_eq!((report.host.as_deref(), report.rac), (Some("node1"), Some(true)));
    let event = |name: &str| {
        let event = report.top_events.iter().find(|event| event.name == name).unwrap();
        (event.waits, event.time_s, event.share_pct)
    };
    assert_eq!(event("db file sequential read"), (Some(1_735_573), Some(17_690.0), Some(51.88)));
    assert_eq!(event("log file sync"), (Some(664_956), Some(8_315.0), Some(24.38)));
    assert_eq!(event("global cache open x"), (Some(1_556_450), Some(1_136.0), Some(3.36)));
    close(report.top_events[0].mean_wait_ms, 10.2, 0.005);
    close(report.top_events[1].mean_wait_ms, 12.5, 0.005);
}

#[test]
fn foreign_files_are_refused_with_their_line() {
    for (text, expected) in [
        ("", "f:1: the file is empty"),
        ("\n\nhello", "f:3: not an AWR"),
        ("ASH Report For PROD", "f:1: an ASH report"),
    ] {
        let error = awr::read(text.as_bytes(), "f").unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}
