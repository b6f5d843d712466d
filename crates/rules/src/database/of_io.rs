//! Rules on reports whose remedies shorten I/O alone.

use super::report::each;
use super::time;
use crate::Outcome;
use fullwire_model::Run;
use fullwire_model::assessment::{Evidence, Severity};
use fullwire_model::demand::AwrReport;

/// The same for what I/O alone suffers from: where I/O takes next to none of DB time it is a note, for fixing it would
/// save nothing.
pub(crate) fn each_of_io(run: &Run, judge: impl Fn(&AwrReport) -> Vec<Outcome>) -> Vec<Outcome> {
    each(run, |report| {
        let mut outcomes = judge(report);
        let share = time::io_share(report);
        for outcome in &mut outcomes {
            if let (Outcome::Fires(finding), Some(share)) = (outcome, share.filter(|share| *share < NO_IO)) {
                finding.severity = Severity::Info;
                let text =
                    format!("I/O takes {:.1} % of DB time: fixing this saves at most that", share * 100.0);
                finding.evidence.push(Evidence { text, source: report.source.clone() });
            }
        }
        outcomes
    })
}

/// Less of DB time than this in I/O, and no remedy of I/O is worth its cost.
const NO_IO: f64 = 0.05;
