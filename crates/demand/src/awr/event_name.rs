//! Wait event names: text reports cut them to the width of the column.

use crate::page::each;
use fullwire_model::demand::AwrReport;
use std::collections::BTreeSet;

/// Names longer than 25 characters that affect I/O, commit and cluster traffic (Oracle Database Reference,
/// "Descriptions of Wait Events").
const LONG_NAMES: &[&str] = &[
    "ASM file metadata operation¦LGWR any worker group¦LGWR wait for redo copy¦LNS wait on SENDREQ",
    "LNS wait for LGWR redo¦RMAN backup & recovery I/O¦SQL*Net message from client",
    "SQL*Net message from dblink¦SQL*Net more data from client¦SQL*Net more data to client",
    "SQL*Net vector data to client¦Streams AQ: qmn coordinator idle wait¦Streams AQ: qmn slave idle wait",
    "Space Manager: slave idle wait¦LGWR-LNS wait on channel¦SYNC Remote Write¦ASYNC Remote Write",
    "Redo Transport Open¦cell list of blocks physical read¦cell multiblock physical read",
    "cell single block physical read¦cell single block physical read: flash cache",
    "cell single block physical read: pmem cache¦cell smart incremental backup",
    "cell smart restore from backup¦control file parallel write¦control file sequential read",
    "direct path read temp¦direct path write temp¦gc cr multi block request",
    "gc current multi block request¦gc cr block congested¦gc current block congested",
    "latch: cache buffers chains¦latch: cache buffers lru chain¦log file switch (archiving needed)",
    "log file switch (checkpoint incomplete)¦log file switch (private strand flush incomplete)",
    "log file switch completion¦wait for unread message on broadcast channel",
];

/// The full name when a cut one can only mean that; otherwise as it is.
pub(super) fn complete(name: &str) -> String {
    // Of a listing of sessions the columns before it may stick to it.
    let name = name.find(" enq: ").map_or(name, |at| &name[at + 1..]);
    if name.chars().count() < 24 {
        return name.to_owned();
    }
    let mut matches = each(LONG_NAMES).filter(|full| full.starts_with(name));
    match (matches.next(), matches.next()) {
        (Some(full), None) => full.to_owned(),
        _ => name.to_owned(),
    }
}

/// The full name that another table of the same report has: none is as wide as the longest names.
pub(super) fn rename_cut(report: &mut AwrReport) {
    let tops = report.top_events.iter().map(|event| &event.name);
    let all: BTreeSet<String> =
        tops.chain(report.waits.keys()).chain(report.background_waits.keys()).cloned().collect();
    let full = |name: &String| {
        let mut longer = all.iter().filter(|full| full.len() > name.len() && full.starts_with(name.as_str()));
        let one = longer.next().filter(|_| CUT.contains(&name.len()))?;
        longer.next().is_none().then(|| one.clone())
    };
    for event in &mut report.top_events {
        event.name = full(&event.name).unwrap_or_else(|| std::mem::take(&mut event.name));
    }
    for waits in [&mut report.waits, &mut report.background_waits] {
        let whole = std::mem::take(waits).into_iter();
        *waits = whole.map(|(name, wait)| (full(&name).unwrap_or(name), wait)).collect();
    }
}

/// How wide the columns of names are in text reports.
const CUT: std::ops::RangeInclusive<usize> = 24..=30;

/// The wait classes (Oracle Database Reference, "Classes of Wait Events"): text reports cut them to 8 to 10 characters.
const CLASSES: [&str; 12] = [
    "Administrative", "Application", "Cluster", "Commit", "Concurrency", "Configuration", "Idle", "Network",
    "Other", "Scheduler", "System I/O", "User I/O",
];

/// The full name of a wait class.
pub(super) fn complete_class(name: &str) -> String {
    let full = CLASSES.iter().find(|full| name.len() >= 5 && full.starts_with(name));
    full.map_or(name, |full| full).to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn cut_wait_classes_are_completed() {
        for (cut, full) in
            [("Applicat", "Application"), ("Configurat", "Configuration"), ("System I", "System I/O")]
        {
            assert_eq!(super::complete_class(cut), full);
        }
        assert_eq!(super::complete_class("Something"), "Something");
    }

    #[test]
    fn cut_names_are_completed_when_they_are_unambiguous() {
        assert_eq!(super::complete("log file switch (checkpoin"), "log file switch (checkpoint incomplete)");
        assert_eq!(super::complete("control file sequential re"), "control file sequential read");
        assert_eq!(super::complete("log file sync"), "log file sync");
        // Three events begin so.
        assert_eq!(super::complete("cell single block physical"), "cell single block physical");
    }
}
