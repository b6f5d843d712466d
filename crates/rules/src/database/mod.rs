//! Rules of the database layer, by subject.

mod asm;
mod cluster;
mod dataguard;
mod live;
mod mysql;
mod oracle;
mod postgres;
mod report;
mod setting;
mod views;

use crate::Rule;
use fullwire_model::Run;
use fullwire_model::assessment::Finding;

/// Every rule of this layer.
pub(crate) const RULES: [&[Rule]; 6] =
    [asm::RULES, cluster::RULES, dataguard::RULES, mysql::RULES, oracle::RULES, postgres::RULES];

/// The share of DB time that a finding of this layer is about, 1 is all; 0 for everything else.
pub(crate) fn share_of_db_time(run: &Run, finding: &Finding) -> f64 {
    let events: &[&str] = match finding.code.as_str() {
        "commit-wait-log-write" | "commit-wait-not-io" => &["log file sync"],
        "single-block-read-slow" => &["db file sequential read", "cell single block physical read"],
        "log-switch-waits" => &oracle::LOG_SWITCH_EVENTS,
        _ => return 0.0,
    };
    let reports =
        run.reports.iter().flat_map(|report| std::iter::once(report).chain(report.second.as_deref()));
    let Some(report) = reports.into_iter().find(|report| report::subject(report) == finding.subject) else {
        return 0.0;
    };
    let waits = events.iter().filter_map(|event| report::wait(report, event));
    waits.filter_map(|wait| report::share(report, wait)).sum()
}
