//! # What it checks
//! Where `log_archive_dest_N` ships redo synchronously, the round trip to the nearest host that was measured is below 5 ms.
//!
//! # Why it matters
//! A commit returns when the standby has the redo: the round trip is part of every commit, and sessions that commit one
//! after the other cannot go faster than one commit for each.
//!
//! # Evidence
//! The destination among the report's init parameters, the smallest round trip that the network probes saw.
//!
//! # Remedy
//! ASYNC, or NOAFFIRM, or a far sync instance nearby; or take the delay for agreed.
//!
//! # Source
//! Oracle Data Guard Concepts and Administration, "Redo Transport Services" (SYNC, AFFIRM; far sync instances); the 5 ms are
//! those of database-heartbeat.com/2022/05/02/latency_dg.

use super::report::{self, each};
use crate::advice::{AdviceExt, because};
use crate::network::ends;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::demand::AwrReport;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "dataguard-sync-far",
    title: "a far standby takes part in every commit",
    layer: Layer::Database,
    severity: Severity::Warning,
    text: include_str!("dataguard_sync_far.rs"),
    check,
};

/// From here on SYNC is felt.
const FAR_NS: f64 = 5e6;

fn check(run: &Run) -> Vec<Outcome> {
    each(run, |report| judge(run, report).into_iter().collect())
}

/// No outcome where nothing is shipped synchronously.
fn judge(run: &Run, report: &AwrReport) -> Option<Outcome> {
    let (name, value) = report.init_parameters.iter().find(|(name, value)| is_synchronous(name, value))?;
    let measured = run.net.iter().filter_map(|result| Some((ends::rtt_ns(run, result)?, &result.target)));
    // Which of them is the standby is not known: it is none nearer than the nearest.
    let Some((rtt, target)) = measured.min_by(|one, other| one.0.total_cmp(&other.0)) else {
        return Some(Outcome::Unknown(format!(
            "{name} is synchronous, and no round trip to a standby was measured"
        )));
    };
    if rtt < FAR_NS {
        return Some(Outcome::Passes);
    }
    let found = RULE
        .finding(
            report::subject(report),
            format!("{name} ships redo synchronously, and {target} is {} away: each commit waits at least that long", ends::time(rtt)),
        )
        .measured(rtt, FAR_NS, Unit::Ns)
        .evidence(format!("{name}: {value}"), &report.source)
        .evidence(format!("smallest round trip to {target}: {}", ends::time(rtt)), "the network probe")
        .advice(
            because("SYNC returns to the session when the standby has acknowledged the redo.")
                .now(format!("fullwire net {target} --mode sync --length 8k    # what a commit waits"))
                .persist(format!("alter system set {name} = '... ASYNC NOAFFIRM ...'  -- or a far sync instance nearby, with its protection mode"))
                .undo(format!("alter system set {name} = '{}'", value.trim()))
                .expecting("log file sync falls by the round trip"),
        );
    Some(found.into())
}

fn is_synchronous(name: &str, value: &str) -> bool {
    let mut words = value.split_whitespace().map(str::to_ascii_uppercase);
    name.starts_with("log_archive_dest_")
        && value.to_ascii_uppercase().contains("SERVICE=")
        && words.any(|word| word == "SYNC")
}
