//! # What it checks
//! A block of the global cache arrives faster than one from storage, and within 10 ms.
//!
//! # Why it matters
//! A cluster pays for every block that another node holds. When that is slower than reading it from storage,
//! the interconnect (or a CPU-starved remote node) turns the cluster into a brake.
//!
//! # Evidence
//! `Avg global cache cr block receive time` and `... current block receive time` (ms before 12.2, µs since),
//! the mean single-block read of the same report.
//!
//! # Remedy
//! Measure the private network (`fullwire net`, `fullwire mtu`): jumbo frames, drops, the right interface.
//! If it is fast, the remote LMS processes lack CPU.
//!
//! # Source
//! Enterprise Manager's default thresholds: warning above 10 ms (Oracle metric reference, 10g to 11g). J.
//! Lewis, oracle-l 2019-08-06: a global cache receive slower than a single-block read asks for a rethink.

use super::report::{self, each};
use crate::advice::{AdviceExt, because};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::demand::AwrReport;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "interconnect-slow",
    title: "blocks come slowly over the interconnect",
    layer: Layer::Database,
    severity: Severity::Warning,
    text: include_str!("interconnect_slow.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    each(run, |report| vec![judge(report)])
}

const WARNING_MS: f64 = 10.0;
/// A transfer within this time is healthy on any network, whatever the storage does, ms.
const HEALTHY_MS: f64 = 1.0;
const RECEIVE: [&str; 2] =
    ["avg global cache cr block receive time", "avg global cache current block receive time"];

fn judge(report: &AwrReport) -> Outcome {
    let Some(rac) = &report.rac_statistics else { return Outcome::Passes };
    let worst = RECEIVE.iter().filter_map(|&name| Some((name, *rac.mean_ms.get(name)?)));
    let Some((name, receive_ms)) = worst.max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Outcome::Unknown(format!("{} has no global cache receive times", report.source));
    };
    let event = report::single_block_event(report);
    let read_ms = report::wait(report, event).and_then(|wait| wait.mean_ms);
    let limit = read_ms.map_or(WARNING_MS, |read| read.clamp(HEALTHY_MS, WARNING_MS));
    if receive_ms <= limit {
        return Outcome::Passes;
    }
    let mut finding = RULE
        .finding(
            report::subject(report),
            format!(
                "a block takes {receive_ms:.2} ms over the interconnect; {limit:.2} ms is the limit here"
            ),
        )
        .measured(receive_ms * 1e6, limit * 1e6, Unit::Ns)
        .evidence(format!("{name}: {receive_ms:.3} ms"), &report.source);
    if let Some(read_ms) = read_ms {
        finding = finding.evidence(format!("{event}: mean {read_ms:.2} ms"), &report.source);
    }
    for ping in rac.pings.iter().filter_map(|ping| ping.large_ms.map(|ms| (ping.target, ms))) {
        finding = finding
            .evidence(format!("ping of 8 KiB to instance {}: {:.3} ms", ping.0, ping.1), &report.source);
    }
    finding
        .advice(
            because("A block from the other node should come faster than one from storage.")
                .now("fullwire mtu PRIVATE-ADDRESS-OF-THE-OTHER-NODE; fullwire net PRIVATE-ADDRESS --mode rtt")
                .persist("jumbo frames end to end, no drops (fullwire check --only network), CPU for the LMS processes")
                .expecting("receive times below 1 ms"),
        )
        .into()
}
