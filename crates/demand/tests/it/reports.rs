//! AWR and Statspack reports of the sample set. Expected values were read from the files by eye.

use crate::close;
use crate::skips::given;
use crate::skips::shared;
use fullwire_demand::awr;
use fullwire_model::demand::{AwrKind, AwrReport};
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

/// What the first page of a report says, as read by eye.
pub(crate) struct Expected {
    pub(crate) file: &'static str,
    pub(crate) kind: AwrKind,
    pub(crate) db_name: Option<&'static str>,
    pub(crate) release: &'static str,
    pub(crate) rac: bool,
    pub(crate) elapsed_min: f64,
    /// 0: the report has none (before 10g).
    pub(crate) db_time_min: f64,
    pub(crate) redo_size_per_s: f64,
    /// Redo size, redo writes.
    pub(crate) redo: (u64, u64),
    pub(crate) logical_reads_per_s: f64,
    pub(crate) physical_reads_per_s: f64,
    /// Waits and printed or recomputed mean in ms.
    pub(crate) log_file_sync: Option<(u64, f64)>,
    pub(crate) log_file_parallel_write: (u64, f64),
}

/// Oracle makes one report as a page and as text.
const APRESS: Expected = Expected {
    file: "awr/awr-11.2.0.3-single-apress-1830.html",
    kind: AwrKind::Awr,
    db_name: Some("DBM11203"),
    release: "11.2.0.3.0",
    rac: false,
    elapsed_min: 15.03,
    db_time_min: 106.74,
    redo_size_per_s: 393_267.0,
    redo: (354_549_884, 178_894),
    logical_reads_per_s: 406_407.8,
    physical_reads_per_s: 580.0,
    log_file_sync: Some((182_738, 94.0 / 182.738)),
    log_file_parallel_write: (178_859, 39.0 / 178.859),
};

const RAC: Expected = Expected {
    file: "awr/awr-11.2.0.4-rac-inst1.html",
    kind: AwrKind::Awr,
    db_name: Some("ORCL"),
    release: "11.2.0.4.0",
    rac: true,
    elapsed_min: 60.22,
    db_time_min: 0.03,
    redo_size_per_s: 477.1,
    redo: (1_723_792, 183),
    logical_reads_per_s: 5.9,
    physical_reads_per_s: 0.0,
    log_file_sync: Some((2, 21.0)),
    log_file_parallel_write: (196, 2.0),
};

const EXPECTED: [Expected; 13] = [
    APRESS,
    Expected { file: "awr/awr-11.2.0.3-single-apress-1830.txt", ..APRESS },
    Expected {
        file: "statspack/statspack-11.2.0.3-apress-1830.txt",
        kind: AwrKind::Statspack,
        db_name: Some("DBM11203"),
        release: "11.2.0.3.0",
        rac: false,
        elapsed_min: 15.0,
        db_time_min: 106.55,
        redo_size_per_s: 392_163.4,
        redo: (352_947_044, 178_395),
        logical_reads_per_s: 406_805.1,
        physical_reads_per_s: 579.7,
        log_file_sync: Some((182_274, 94.0 / 182.274)),
        log_file_parallel_write: (178_406, 39.0 / 178.406),
    },
    Expected {
        file: "awr/awr-11.2.0.4-single-multiday.html",
        kind: AwrKind::Awr,
        db_name: Some("DQUITO"),
        release: "11.2.0.4.0",
        rac: false,
        elapsed_min: 9180.73,
        db_time_min: 12.45,
        redo_size_per_s: 698.0,
        redo: (384_489_492, 29_419),
        logical_reads_per_s: 8.9,
        physical_reads_per_s: 0.0,
        // 1 s in 4,469 waits; the report prints a mean of 0 ms.
        log_file_sync: Some((4_469, 1.0 / 4.469)),
        log_file_parallel_write: (29_419, 17.0 / 29.419),
    },
    Expected {
        file: "awr/awr-12.1.0.2-rac-cdb-exadata.html",
        kind: AwrKind::Awr,
        db_name: Some("CDB1"),
        release: "12.1.0.2.0",
        rac: true,
        elapsed_min: 60.49,
        db_time_min: 3168.79,
        redo_size_per_s: 4786.3,
        redo: (17_370_472, 6_533),
        logical_reads_per_s: 2_182_028.1,
        physical_reads_per_s: 2_180_156.7,
        log_file_sync: Some((2_645, 3.52)),
        log_file_parallel_write: (6_547, 2.32),
    },
    Expected {
        file: "awr/awr-12.2.0.1-single-slob.html",
        kind: AwrKind::Awr,
        db_name: Some("SLOB2"),
        release: "12.2.0.1.0",
        rac: false,
        elapsed_min: 21.82,
        db_time_min: 1368.27,
        redo_size_per_s: 4567.7,
        redo: (5_979_756, 622),
        logical_reads_per_s: 68_115.4,
        physical_reads_per_s: 64_077.9,
        log_file_sync: Some((2, 0.482)),
        log_file_parallel_write: (620, 0.595_37),
    },
    Expected {
        file: "awr/awr-19c-single.html",
        kind: AwrKind::Awr,
        db_name: Some("DVK"),
        release: "19.0.0.0.0",
        rac: false,
        elapsed_min: 117.66,
        db_time_min: 0.24,
        redo_size_per_s: 1454.9,
        redo: (10_271_184, 239),
        logical_reads_per_s: 33.7,
        physical_reads_per_s: 0.4,
        log_file_sync: Some((15, 36.11)),
        log_file_parallel_write: (238, 32.35),
    },
    Expected {
        file: "awr/awr-19c-rac-global-DBU.html",
        kind: AwrKind::AwrGlobal,
        db_name: Some("DBU"),
        release: "19.0.0.0.0",
        rac: true,
        elapsed_min: 8640.2,
        db_time_min: 58_744.58,
        redo_size_per_s: 3_277_776.33,
        redo: (1_699_237_790_460, 194_990_358),
        logical_reads_per_s: 799_123.79,
        physical_reads_per_s: 83_087.93,
        log_file_sync: None,
        log_file_parallel_write: (192_966_357, 0.372_86),
    },
    Expected {
        file: "awr/awrdiff-11.2.0.3-apress.txt",
        kind: AwrKind::AwrDiff,
        db_name: None,
        release: "11.2.0.3.0",
        rac: false,
        elapsed_min: 15.0,
        db_time_min: 106.7,
        redo_size_per_s: 393_267.0,
        redo: (354_549_884, 178_894),
        logical_reads_per_s: 406_407.8,
        physical_reads_per_s: 580.0,
        log_file_sync: Some((182_739, 94.4 / 182.739)),
        log_file_parallel_write: (178_857, 38.8 / 178.857),
    },
    RAC,
    Expected { file: "awr/awr-11.2.0.4-rac-inst1.txt", ..RAC },
    Expected {
        file: "awr/awr-12.2.0.1-rac-cdb-DBS.html",
        kind: AwrKind::Awr,
        db_name: Some("DBS"),
        release: "12.2.0.1.0",
        rac: true,
        elapsed_min: 4319.92,
        db_time_min: 7389.87,
        redo_size_per_s: 1_399_224.8,
        redo: (362_672_730_488, 681_318),
        logical_reads_per_s: 64_150.1,
        physical_reads_per_s: 9678.4,
        log_file_sync: Some((9259, 1.07)),
        log_file_parallel_write: (669_296, 0.944_12),
    },
    Expected {
        file: "awr/awr-19c-rac-global-DBX.html",
        kind: AwrKind::AwrGlobal,
        db_name: Some("DBX"),
        release: "19.0.0.0.0",
        rac: true,
        elapsed_min: 8640.33,
        db_time_min: 8016.03,
        redo_size_per_s: 1_566_076.22,
        redo: (811_884_792_824, 39_790_516),
        logical_reads_per_s: 66_472.23,
        physical_reads_per_s: 3225.73,
        // The foreground's and the background's own tables; "Top Timed Events" adds both up.
        log_file_sync: Some((20_360_602, 0.638_83)),
        log_file_parallel_write: (39_483_015, 0.266_29),
    },
];

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
    for expected in &EXPECTED {
        if let Some(report) = report(expected.file) {
            expected.check(&report);
        }
    }
}

impl Expected {
    pub(crate) fn check(&self, report: &AwrReport) {
        let at = self.file;
        assert_eq!(report.kind, self.kind, "{at}");
        assert_eq!(report.db_name.as_deref(), self.db_name, "{at}");
        assert_eq!(report.release.as_deref(), Some(self.release), "{at}");
        assert_eq!(report.rac, Some(self.rac), "{at}");
        assert_eq!(report.elapsed_min, Some(self.elapsed_min), "{at}");
        assert_eq!(report.db_time_min, Some(self.db_time_min).filter(|&minutes| minutes > 0.0), "{at}");
        assert_eq!(report.redo_size_per_s, Some(self.redo_size_per_s), "{at}");
        assert_eq!(
            (report.redo_size_total, report.redo_writes_total),
            (Some(self.redo.0), Some(self.redo.1)),
            "{at}"
        );
        close(report.mean_redo_write_bytes, self.redo.0 as f64 / self.redo.1 as f64, 1e-12);
        assert_eq!(report.logical_reads_per_s, Some(self.logical_reads_per_s), "{at}");
        assert_eq!(report.physical_reads_per_s, Some(self.physical_reads_per_s), "{at}");
        self.check_waits(report);
    }

    fn check_waits(&self, report: &AwrReport) {
        let at = self.file;
        let wait = |event: &str| report.waits.get(event).unwrap_or_else(|| panic!("{at}: no {event}"));
        let write = wait("log file parallel write");
        assert_eq!(write.waits, self.log_file_parallel_write.0, "{at}");
        close(write.mean_ms, self.log_file_parallel_write.1, 1e-3);
        if let Some((waits, mean_ms)) = self.log_file_sync {
            let sync = wait("log file sync");
            assert_eq!(sync.waits, waits, "{at}");
            close(sync.mean_ms, mean_ms, 1e-3);
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
