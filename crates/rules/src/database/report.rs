//! What the rules on AWR and Statspack reports share.

use crate::facts::percent;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::Finding;
use fullwire_model::demand::{AwrReport, WaitStat};
use fullwire_model::quantity::Unit;
use fullwire_model::subject::{Kind, Subject};

/// A wait that takes less of DB time than this is not worth a remedy: taking it all away would gain less than a tenth.
pub(super) const WORTH_A_REMEDY: f64 = 0.1;

/// Every report of the run, the second period of a comparison included.
pub(super) fn all(run: &Run) -> impl Iterator<Item = &AwrReport> {
    run.reports.iter().flat_map(|report| std::iter::once(report).chain(report.second.as_deref()))
}

/// Judges every report of the run.
pub(super) fn each(run: &Run, judge: impl Fn(&AwrReport) -> Vec<Outcome>) -> Vec<Outcome> {
    all(run).flat_map(judge).collect()
}

/// The host runs Linux, or the report does not say what it runs (Statspack, 10g): huge pages and their parameters are
/// Linux's; AIX, Solaris and HP-UX have others.
pub(super) fn is_linux(report: &AwrReport) -> bool {
    report.platform.as_deref().is_none_or(|platform| platform.to_lowercase().contains("linux"))
}

/// A wait of the foreground (or of the background, for what only it does).
pub(super) fn wait<'a>(report: &'a AwrReport, event: &str) -> Option<&'a WaitStat> {
    report.waits.get(event).filter(|wait| wait.waits > 0)
}

/// A wait's share of DB time, 1 is all: from the totals when the report has them, otherwise as printed. What the background
/// waits is no part of it.
pub(super) fn share(report: &AwrReport, wait: &WaitStat) -> Option<f64> {
    if wait.background {
        return None;
    }
    let db_time_s = report.db_time_min.map(|minutes| minutes * 60.0).filter(|&seconds| seconds > 0.0);
    let exact = wait.time_s.zip(db_time_s).map(|(wait, db)| wait / db);
    let printed = wait.share_pct.map(|percent| percent / 100.0);
    // The top of a report may be all that there is (9i prints shares of elapsed or call time).
    exact.or(printed)
}

/// What a commit waits for, where that wait is worth a remedy.
pub(super) struct CommitWait<'a> {
    /// `log file sync`: the session's wait.
    pub(super) sync: &'a WaitStat,
    /// `log file parallel write`: the write within it.
    pub(super) write: &'a WaitStat,
    /// The session's wait as a share of DB time, 1 is all.
    pub(super) share: f64,
    pub(super) sync_ms: f64,
    pub(super) write_ms: f64,
    /// What a synchronous standby adds to the local write, which runs at the same time, ms.
    pub(super) standby_ms: f64,
    /// The share of the interval in which the log writer waited for its writes.
    pub(super) busy: Option<f64>,
}

/// Of each kind of blocks that come over the interconnect: received, flushed, and the share that waited for a flush.
pub(super) const BLOCKS: [[&str; 3]; 2] = [
    [
        "avg global cache cr block receive time",
        "avg global cache cr block flush time",
        "global cache log flushes for cr blocks served",
    ],
    [
        "avg global cache current block receive time",
        "avg global cache current block flush time",
        "global cache log flushes for current blocks served",
    ],
];

/// Events in which the log writer waits for a synchronous standby.
pub(super) const STANDBY_EVENTS: [&str; 3] =
    ["SYNC Remote Write", "LGWR-LNS wait on channel", "LNS wait on SENDREQ"];
/// A log writer that writes for this much of the time makes commits wait for the write before theirs as well.
const SATURATED: f64 = 0.5;
/// What a commit waits beyond this many writes is not the device's: the rest of the running write and its own are two at
/// most, and the means are taken over different numbers of waits.
const WRITES: f64 = 3.0;
/// A log write that takes longer is the device's trouble, whatever a commit waits for besides: twice what a spinning disk needs
/// (own choice).
const SLOW_WRITE_MS: f64 = 20.0;

impl CommitWait<'_> {
    /// A finding that says this of the waits, with what the report lists of them.
    pub(super) fn finding(&self, rule: &Rule, report: &AwrReport, message: String) -> Finding {
        let finding = rule
            .finding(subject(report), message)
            .measured(self.share, WORTH_A_REMEDY, Unit::Ratio)
            .of_db_time(self.share)
            .evidence(text("log file sync", self.sync), &report.source)
            .evidence(text("log file parallel write", self.write), &report.source);
        match self.busy_text() {
            Some(busy) => finding.evidence(busy, &report.source),
            None => finding,
        }
    }

    /// What the commit waits for besides the write and the standby, ms.
    pub(super) fn rest_ms(&self) -> f64 {
        (self.sync_ms - self.standby_ms - self.write_ms).max(0.0)
    }

    /// The standby is the larger part of the wait.
    pub(super) fn is_standby(&self) -> bool {
        self.standby_ms >= 0.5 * self.sync_ms
    }

    /// The log device makes commits wait: the log writer is busy with it, it explains what the standby does not, or it is slow.
    pub(super) fn is_write(&self) -> bool {
        let saturated = self.busy.is_some_and(|busy| busy >= SATURATED);
        let explains = self.sync_ms - self.standby_ms <= WRITES * self.write_ms;
        !self.is_standby() && (saturated || explains || self.write_ms >= SLOW_WRITE_MS)
    }

    /// `the log writer waited for its writes 8 % of the interval`.
    fn busy_text(&self) -> Option<String> {
        Some(format!("the log writer waited for its writes {} of the interval", percent(self.busy?)))
    }
}

/// The pair of waits that distinguishes a slow log device from everything else; the outcome when it is not in the report.
pub(super) fn commit_wait(report: &AwrReport) -> Result<CommitWait<'_>, Outcome> {
    let unknown = |what: &str| unknown!("{} {what}", report.source);
    let sync = wait(report, "log file sync").ok_or_else(|| unknown("lists no log file sync"))?;
    let share = share(report, sync).ok_or_else(|| unknown("has no DB time to compare log file sync with"))?;
    if share < WORTH_A_REMEDY {
        return Err(Outcome::Passes);
    }
    commit_parts(report).ok_or_else(|| unknown("lists log file sync but no log file parallel write"))
}

/// `log file sync` with the write within it, however little of DB time it is; `None`: the report lacks one of the two.
pub(super) fn commit_parts(report: &AwrReport) -> Option<CommitWait<'_>> {
    let sync = wait(report, "log file sync")?;
    let write = wait(report, "log file parallel write")?;
    let (sync_ms, write_ms) = (sync.mean_ms?, write.mean_ms?);
    let remote = STANDBY_EVENTS.iter().filter_map(|event| wait(report, event)?.mean_ms);
    let standby_ms = (remote.fold(0.0, f64::max) - write_ms).max(0.0);
    let elapsed_s = report.elapsed_min.map(|minutes| 60.0 * minutes).filter(|&seconds| seconds > 0.0);
    let busy = write.time_s.zip(elapsed_s).map(|(write, elapsed)| write / elapsed);
    let share = share(report, sync).unwrap_or(0.0);
    Some(CommitWait { sync, write, share, sync_ms, write_ms, standby_ms, busy })
}

/// `db file sequential read: 520207 waits, 4568 s, mean 8.78 ms`.
pub(super) fn text(event: &str, wait: &WaitStat) -> String {
    let time = wait.time_s.map_or(String::new(), |time| format!(", {time:.0} s"));
    let mean = wait.mean_ms.map_or(String::new(), |mean| format!(", mean {mean:.2} ms"));
    format!("{event}: {} waits{time}{mean}", wait.waits)
}

/// What a finding about a report is about: the database and the interval.
pub(super) fn subject(report: &AwrReport) -> Subject {
    let name = report.db_name.as_deref().or(report.instance.as_deref()).unwrap_or("database");
    Kind::Report.named(match report.begin {
        Some(begin) => format!("{name} at {begin}"),
        None => name.to_owned(),
    })
}

/// An initialisation parameter, lower case; `None` when the report lists it not (it has its default then, for a report
/// lists what is set).
pub(super) fn parameter(report: &AwrReport, name: &str) -> Option<String> {
    report.init_parameters.get(name).map(|value| value.trim().to_lowercase())
}

/// True for a report of at least this release; `None` when it does not name its release.
pub(super) fn at_least(report: &AwrReport, release: &[u32]) -> Option<bool> {
    let printed = report.release.as_deref()?;
    let own: Vec<u32> = printed.split('.').map_while(|part| part.parse().ok()).collect();
    (!own.is_empty()).then(|| own.as_slice() >= release)
}

/// The event by which single blocks are read: Exadata has its own name.
pub(super) fn single_block_event(report: &AwrReport) -> &'static str {
    const CELL: &str = "cell single block physical read";
    const PLAIN: &str = "db file sequential read";
    let waits = |event: &str| wait(report, event).map_or(0, |wait| wait.waits);
    if waits(CELL) > waits(PLAIN) { CELL } else { PLAIN }
}
