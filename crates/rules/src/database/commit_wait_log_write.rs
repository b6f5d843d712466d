//! # What it checks
//! Where sessions spend at least a tenth of DB time in `log file sync`, at least half of that wait is the
//! log write itself (`log file parallel write`).
//!
//! # Why it matters
//! Every commit waits until its redo is on disk. When the write is most of the wait, only a faster redo
//! device or path shortens it; more CPU does not.
//!
//! # Evidence
//! Waits, time and share of `log file sync` (foreground) and `log file parallel write` (background) in the
//! report; means are taken from the totals, for reports before 12.2 print whole milliseconds.
//!
//! # Remedy
//! Put the online logs on the fastest low-latency storage there is, with nothing else on it; measure it with
//! `fullwire disk --profile ora-lgwr`. Fewer commits (batching) help at once.
//!
//! # Source
//! Oracle Database Reference, "log file sync" and "log file parallel write"; Quest and J. Lewis read the
//! pair in the same way: a sync much longer than the write is not I/O. The tenth of DB time is ours: it
//! bounds what a remedy can gain.

use super::report::{self, CommitWait, each};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::demand::AwrReport;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "commit-wait-log-write",
    title: "commits wait for the log writer's device",
    layer: Layer::Database,
    severity: Severity::Warning,
    text: include_str!("commit_wait_log_write.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each(run, |report| vec![judge(report)])
}

/// Above this share of the commit wait the write is the larger part.
const MOSTLY: f64 = 0.5;

fn judge(report: &AwrReport) -> Outcome {
    let CommitWait { sync, write, share, sync_ms, write_ms } = match report::commit_wait(report) {
        Ok(wait) => wait,
        Err(outcome) => return outcome,
    };
    if write_ms < sync_ms * MOSTLY {
        return Outcome::Passes;
    }
    RULE.finding(
        report::subject(report),
        format!(
            "commits wait {sync_ms:.2} ms, {write_ms:.2} ms of it for the log write: {:.1} % of DB time is log file sync",
            share * 100.0
        ),
    )
    .measured(share, report::WORTH_A_REMEDY, Unit::Ratio)
    .evidence(report::text("log file sync", sync), &report.source)
    .evidence(report::text("log file parallel write", write), &report.source)
    .advice(
        because("The write of the redo log is the larger part of each commit's wait.")
            .now("fullwire disk DIRECTORY-OF-THE-ONLINE-LOGS --profile ora-lgwr")
            .persist("move the online logs to the device with the shortest synchronous write")
            .expecting(format!(
                "at best {:.1} % of DB time comes back; a new report over the same load shows it",
                share * 100.0 * (write_ms / sync_ms).min(1.0)
            )),
    )
    .into()
}
